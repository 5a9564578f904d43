//! Counting and scoring on several machines, with the table of one: what a cluster engine runs, and what the process that
//! drives it does before, between and after.
//!
//! A corpus is cut into shards. Each is counted with words of its own ([`ShardCounts`]). A [`Numbering`] takes the words of all
//! shards in order, which gives the numbers that a [`crate::Counter`] would have given, and from samples of their rules it finds
//! *ranges* with about as many rules each. [`by_range`] divides what a shard counted; [`RangeCounts`] adds up a range of all shards
//! and scores it as far as a range can be ([`RangeScorer`]). [`by_side`] divides rules anew by ranges of their target sides, [`SideCounts`] counts
//! these, and a [`RangeEnd`] takes the probabilities of a range. A [`TableAssembler`] writes the table of what ranges hand it in order.
//! Counts are whole multiples, ranges are the order of the rules, and a source side may lie in several ranges or
//! blocks: so the table is the same to the byte as that of one machine.

mod sides;

pub use sides::{
    BlockSummary, CountedSides, Edge, EndSettings, RangeEnd, SideCounts, Summaries, TableAssembler,
    TargetCollector, by_side,
};

use crate::code;
use crate::count::{ADD, Coded, Count, Counted};
use crate::counts_file::recode_key;
use crate::error::{Error, Result};
use crate::notation;
use crate::score::{Block, Blocks, Context, ScoreInputs, ScoreSettings, cut_at};
use crate::sort::{Chunk, Record, Sorted, Sorter, push_varint, take_varint, try_record};
use crate::spool::Scratch;
use crate::symbol::{Kind, Symbol};
use std::borrow::Cow;
use std::path::Path;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

/// How many rules of a shard tell how rules are spread.
const SAMPLES: usize = 256;

/// What one shard counted.
#[derive(Debug, Default, PartialEq)]
pub struct ShardCounts {
    /// Its words, in the order in which they came.
    pub words: Vec<String>,
    /// Its distinct instances in their order, with their counts.
    pub records: Vec<u8>,
    /// Some of them, evenly taken.
    pub sample: Vec<Vec<u8>>,
    /// Whether any instance has orientations.
    pub oriented: bool,
    /// How many sources the instances come from.
    pub origins: u8,
}

impl Counted {
    /// What was counted, for another process.
    pub fn into_shard(mut self) -> Result<ShardCounts> {
        let (mut records, mut keys) = (Vec::new(), Vec::new());
        let (mut record, mut stream) = (Record::default(), self.records.stream()?);
        while stream.next(&mut record)? {
            push_varint(record.key.len() as u64, &mut records);
            push_varint(record.payload.len() as u64, &mut records);
            keys.push(records.len()..records.len() + record.key.len());
            records.extend_from_slice(&record.key);
            records.extend_from_slice(&record.payload);
        }
        let step = keys.len().div_ceil(SAMPLES).max(1);
        let sample = keys.into_iter().skip(step / 2).step_by(step).map(|key| records[key].to_vec()).collect();
        drop(stream);
        let Self { vocab, oriented, origins, .. } = self;
        let words = vocab.words().map(str::to_string).collect();
        Ok(ShardCounts { words, records, sample, oriented, origins })
    }
}

/// The numbers of all words, and how rules are spread.
#[derive(Default)]
pub struct Numbering {
    vocab: Vocab,
    sample: Vec<Vec<u8>>,
    oriented: bool,
    origins: u8,
}

impl Numbering {
    /// Takes what the next shard says of itself; shards come in order. Its records are not needed.
    pub fn add(&mut self, shard: &ShardCounts) -> Result<()> {
        let map: Vec<Sym> = shard.words.iter().map(|word| self.vocab.intern(word)).collect();
        for key in &shard.sample {
            let mut mapped = Vec::new();
            recode_key(key, &map, &mut mapped).ok_or(Error::Shard("its sample"))?;
            self.sample.push(mapped);
        }
        self.oriented |= shard.oriented;
        self.origins = self.origins.max(shard.origins).max(1);
        Ok(())
    }

    /// Where each range but the first begins. Ranges may divide a source side, unless all its rules must be seen together
    /// ([`ScoreSettings::one_structure`]).
    pub fn bounds(&mut self, ranges: usize, settings: &ScoreSettings) -> Vec<Vec<u8>> {
        bounds_of(&mut self.sample, ranges, |key| cut_at(key, settings.one_structure))
    }

    /// Writes the numbers for [`by_range`].
    pub fn freeze(&self, path: &Path) -> Result<()> {
        Ok(self.vocab.freeze(path)?)
    }

    /// Whether any instance has orientations.
    pub fn oriented(&self) -> bool {
        self.oriented
    }
}

/// Where each of so many ranges but the first begins, by samples: at what `cut` leaves of a key.
fn bounds_of(sample: &mut [Vec<u8>], ranges: usize, cut: impl Fn(&[u8]) -> &[u8]) -> Vec<Vec<u8>> {
    sample.sort_unstable();
    let at = |range: usize| sample.get(sample.len() * range / ranges.max(1));
    let mut bounds: Vec<Vec<u8>> = (1..ranges).filter_map(at).map(|key| cut(key).to_vec()).collect();
    bounds.dedup();
    bounds
}

/// Divides what a shard counted by ranges, with everybody's numbers.
pub fn by_range(
    words: &[String],
    mut records: &[u8],
    numbers: &MappedVocab,
    bounds: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>> {
    let map = words.iter().map(|word| numbers.get(word)).collect::<Option<Vec<Sym>>>();
    let map = map.ok_or(Error::Shard("a word has no number"))?;
    let mut ranges: Vec<Chunk> = (0..=bounds.len()).map(|_| Chunk::default()).collect();
    let mut mapped = Vec::new();
    while !records.is_empty() {
        let ((key, count), rest) = try_record(records).ok_or(Error::Shard("a record"))?;
        records = rest;
        recode_key(key, &map, &mut mapped).ok_or(Error::Shard("a rule"))?;
        ranges[bounds.partition_point(|bound| bound[..] <= mapped[..])].push(&mapped, count);
    }
    Ok(ranges.into_iter().map(Chunk::into_bytes).collect())
}

/// Adds up a range of the rules of all shards.
pub struct RangeCounts(Sorter);

impl RangeCounts {
    /// Holds at most about `memory` bytes in memory.
    pub fn new(memory: u64, scratch: &Scratch) -> Self {
        Self(Sorter::new(usize::try_from(memory).unwrap_or(usize::MAX), Some(ADD), scratch))
    }

    /// Takes a shard's records of this range.
    pub fn add(&mut self, records: Vec<u8>) -> Result<()> {
        let chunk = Chunk::of_bytes(records).ok_or(Error::Shard("records of a range"))?;
        if chunk.records().any(|(key, _)| Coded::read(key).is_none()) {
            return Err(Error::Shard("a rule of a range"));
        }
        self.0.add(chunk)
    }

    /// Ends taking records.
    pub fn finish(self) -> Result<Range> {
        Ok(Range(self.0.finish()?))
    }
}

/// The rules of a range, counted.
pub struct Range(Sorted);

/// A run of the rules of a range: their counts, and what they are scored with.
#[derive(Debug, Default)]
pub struct RangeBlock {
    /// Distinct instances with their counts.
    pub counts: Vec<u8>,
    /// What the table's rows are made of.
    pub rows: Vec<u8>,
    /// By target side, the number of each rule in its range, and its count.
    pub targets: Vec<u8>,
    /// What the driving process is told.
    pub summary: BlockSummary,
}

/// Scores rules as far as their target sides are not needed. Shared by all ranges that a process works on.
pub struct RangeScorer(Context);

impl RangeScorer {
    /// Opens lexical tables and, where settings ask for it, the corpus.
    pub fn open(
        numbers: &MappedVocab,
        oriented: bool,
        settings: &ScoreSettings,
        inputs: &ScoreInputs,
    ) -> Result<Self> {
        let vocab = grown(numbers);
        Ok(Self(Context::of_files(&vocab, oriented, settings, inputs)?))
    }

    /// Hands on the blocks of a range.
    pub fn score<E: From<Error>>(
        &self,
        range: &mut Range,
        mut take: impl FnMut(RangeBlock) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut blocks = Blocks::new(&mut range.0, self.0.layout.one_structure)?;
        let mut rules = 0;
        while !blocks.ended {
            let chunk = blocks.block()?;
            let mut block = Block::new(&chunk, &self.0);
            block.number(u32::try_from(rules).map_err(|_| Error::TooManyRules)?)?;
            rules += block.rules;
            let summary = BlockSummary::new(&block);
            let Block { rows, targets, .. } = block;
            take(RangeBlock { counts: chunk.into_bytes(), rows, targets: targets.into_bytes(), summary })?;
        }
        Ok(())
    }
}

/// The vocabulary of a file as one that grows.
fn grown(numbers: &MappedVocab) -> Vocab {
    let mut vocab = Vocab::default();
    for sym in 0..numbers.len() as u32 {
        vocab.intern(numbers.word(Sym(sym)).unwrap_or_default());
    }
    vocab
}

/// Writes counted instances as text, `source ||| target ||| links ||| count`, so that people can look at them.
pub fn write_counts(numbers: &MappedVocab, mut counts: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let word = |sym| numbers.word(sym).unwrap_or_default();
    let text = |symbol: Symbol| match symbol.kind() {
        Kind::Word(sym) => notation::escape(word(sym)),
        Kind::Var(sym) | Kind::Label(sym) => Cow::Borrowed(word(sym)),
        _ => Cow::Borrowed(""),
    };
    let (mut source, mut target) = (Vec::new(), Vec::new());
    while !counts.is_empty() {
        let ((key, mut count), rest) = try_record(counts).ok_or(Error::Shard("a record"))?;
        counts = rest;
        let coded = Coded::read(key).ok_or(Error::Shard("a rule"))?;
        source.clear();
        source.extend(code::Symbols(coded.source));
        target.clear();
        target.extend(code::Symbols(coded.target));
        let instance = crate::Instance {
            source: &source,
            target: &target,
            links: coded.links,
            count: Count::read(&mut count).single(),
            orientation: coded.orientation,
            origin: coded.origin,
        };
        notation::write_line(&instance, text, out);
    }
    Ok(())
}

impl ShardCounts {
    /// All but its records, as bytes.
    pub fn head(&self) -> Vec<u8> {
        let mut out = vec![u8::from(self.oriented), self.origins];
        let words = self.words.iter().map(String::as_bytes);
        for texts in [words.collect::<Vec<_>>(), self.sample.iter().map(Vec::as_slice).collect()] {
            push_varint(texts.len() as u64, &mut out);
            for text in texts {
                push_varint(text.len() as u64, &mut out);
                out.extend_from_slice(text);
            }
        }
        out
    }

    /// Reads what [`ShardCounts::head`] wrote.
    pub fn of_head(bytes: &[u8]) -> Result<Self> {
        let read = || -> Option<Self> {
            let (&[oriented, origins], mut rest) = bytes.split_first_chunk()?;
            let mut lists = [Vec::new(), Vec::new()];
            for list in &mut lists {
                let texts = take_varint(&mut rest);
                // Each takes a byte at least: a damaged number does not keep anybody waiting.
                if texts > rest.len() as u64 {
                    return None;
                }
                for _ in 0..texts {
                    let length = usize::try_from(take_varint(&mut rest)).ok()?;
                    let (text, after) = rest.split_at_checked(length)?;
                    list.push(text.to_vec());
                    rest = after;
                }
            }
            let [words, sample] = lists;
            let words = words.into_iter().map(|word| String::from_utf8(word).ok()).collect::<Option<_>>()?;
            Some(Self { words, records: Vec::new(), sample, oriented: oriented == 1, origins })
        };
        read().ok_or(Error::Shard("what a shard says of itself"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Counter;
    use crate::score::write_table;
    use proptest::prelude::*;
    use std::path::PathBuf;
    use std::sync::LazyLock;
    use treeglot_text::Input;

    /// A line of an instance: words of both sides, a link or none, orientations or none, and a count in quarters.
    type Seen = (Vec<u8>, Vec<u8>, bool, u8);

    fn lines(seen: &[Seen]) -> String {
        let words =
            |side: &[u8]| side.iter().map(|&word| char::from(word).to_string()).collect::<Vec<_>>().join(" ");
        let line = |(source, target, link, quarters): &Seen| {
            let link = if *link { "0-0" } else { "" };
            format!("{} ||| {} ||| {link} ||| {}\n", words(source), words(target), f32::from(*quarters) / 4.0)
        };
        seen.iter().map(line).collect()
    }

    fn counted(text: &str) -> Counted {
        let mut counter = Counter::new(1 << 20, &Scratch::new(None));
        let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        counter.add_text(Input { name: "instances".into(), reader }, 1.0).unwrap();
        counter.finish().unwrap()
    }

    fn lexicon(folder: &Path) -> PathBuf {
        let prefix = folder.join("lex");
        for ending in ["f2e", "e2f"] {
            std::fs::write(prefix.with_extension(ending), "a a 0.5\nb a 0.5\na b 0.25\nNULL a 0.1\n")
                .unwrap();
        }
        prefix
    }

    /// The table by shards and ranges, and the counts of all ranges as text.
    fn by_shards(
        shards: &[&[Seen]],
        ranges: usize,
        settings: &ScoreSettings,
        folder: &Path,
    ) -> (Vec<u8>, String) {
        let scratch = Scratch::new(None);
        let (file, path) = (folder.join("numbers"), folder.join("shards.table"));
        let shards: Vec<_> = shards.iter().map(|seen| counted(&lines(seen)).into_shard().unwrap()).collect();
        let mut numbering = Numbering::default();
        for shard in &shards {
            numbering.add(&ShardCounts::of_head(&shard.head()).unwrap()).unwrap();
        }
        let bounds = numbering.bounds(ranges, settings);
        numbering.freeze(&file).unwrap();
        let numbers = MappedVocab::open(&file).unwrap();
        let inputs = ScoreInputs { lex: Some(lexicon(folder)), ..ScoreInputs::default() };
        let scorer = RangeScorer::open(&numbers, numbering.oriented(), settings, &inputs).unwrap();
        let divided: Vec<_> = shards
            .iter()
            .map(|shard| by_range(&shard.words, &shard.records, &numbers, &bounds).unwrap())
            .collect();
        let (mut text, mut blocks, mut summaries) = (Vec::new(), Vec::new(), Summaries::default());
        for range in 0..=bounds.len() {
            let mut counts = RangeCounts::new(1 << 20, &scratch);
            // In whatever order shards come.
            divided.iter().rev().for_each(|ranges| counts.add(ranges[range].clone()).unwrap());
            let take = |block: RangeBlock| {
                write_counts(&numbers, &block.counts, &mut text)?;
                summaries.add(range as u64, block.summary)?;
                blocks.push((range as u64, block.rows, block.targets));
                Ok::<(), Error>(())
            };
            scorer.score(&mut counts.finish().unwrap(), take).unwrap();
        }
        let side_bounds = summaries.bounds(ranges);
        let divided: Vec<_> = blocks
            .iter()
            .map(|(range, _, targets)| by_side(targets, *range, &side_bounds).unwrap())
            .collect();
        let mut collector = numbering.targets(summaries, &scratch).unwrap();
        let mut told = Vec::new();
        for side in 0..=side_bounds.len() {
            let mut counts = SideCounts::new(1 << 10, &scratch);
            divided.iter().rev().for_each(|sides| counts.add(sides[side].clone()).unwrap());
            let CountedSides { codes, rules } = counts.finish().unwrap();
            codes.iter().for_each(|codes| collector.add(side as u64, codes).unwrap());
            told.extend(rules.into_iter().map(|(range, rules)| (range, side as u64, rules)));
        }
        let (ends, mut assembler) = collector.finish(settings, "", &scratch).unwrap();
        let ends: EndSettings = serde_json::from_str(&serde_json::to_string(&ends).unwrap()).unwrap();
        for range in 0..=bounds.len() as u64 {
            let mut end = RangeEnd::new(range, &ends).unwrap();
            told.iter()
                .filter(|told| told.0 == range)
                .for_each(|(_, side, told)| end.add_sides(*side, told).unwrap());
            let own = (0..).zip(&blocks).filter(|(_, block)| block.0 == range);
            own.for_each(|(number, block)| end.add_block(number, block.1.clone()));
            end.finish(|rules| assembler.add(&rules).unwrap()).unwrap();
        }
        assembler.finish(&path).unwrap();
        (std::fs::read(path).unwrap(), String::from_utf8(text).unwrap())
    }

    /// A shard with rules of several kinds, and the file of its numbers.
    static SOUND: LazyLock<(tempfile::TempDir, ShardCounts)> = LazyLock::new(|| {
        let text = "das haus ||| the house ||| 0-0 1-1 ||| 1 ||| mono other\n\
                    [X][X] haus [X] ||| house [X][X] [X] ||| 0-1 1-0 ||| 0.5\n\
                    das [X][X] haus [X][X] [X] ||| [X][X] house of [X][X] [X] ||| 1-3 2-1 3-0 ||| 2\n";
        let (folder, shard) = (tempfile::tempdir().unwrap(), counted(text).into_shard().unwrap());
        let mut numbering = Numbering::default();
        numbering.add(&shard).unwrap();
        numbering.freeze(&folder.path().join("numbers")).unwrap();
        (folder, shard)
    });

    /// Has everybody who is told parts of a shard read them, whatever they are.
    fn try_all(head: &[u8], records: &[u8]) {
        let (folder, shard) = &*SOUND;
        if let Ok(told) = ShardCounts::of_head(head) {
            drop(Numbering::default().add(&told));
        }
        let numbers = MappedVocab::open(folder.path().join("numbers")).unwrap();
        drop(by_range(&[], records, &numbers, &[]));
        drop(by_range(&shard.words, records, &numbers, &shard.sample[1..2]));
        drop(write_counts(&numbers, records, &mut Vec::new()));
        let mut counts = RangeCounts::new(1 << 20, &Scratch::new(None));
        if counts.add(records.to_vec()).is_err() {
            return;
        }
        let (settings, inputs) = (ScoreSettings::default(), ScoreInputs::default());
        let scorer = RangeScorer::open(&numbers, true, &settings, &inputs).unwrap();
        drop(scorer.score(&mut counts.finish().unwrap(), |_| Ok::<(), Error>(())));
    }

    proptest! {
        #[test]
        fn a_table_by_shards_and_ranges_is_that_of_one_process(
            seen in proptest::collection::vec(
                (proptest::collection::vec(b'a'..b'd', 1..3), proptest::collection::vec(b'a'..b'd', 1..3), any::<bool>(), 1u8..9),
                1..60),
            shard in 1usize..30,
            ranges in 1usize..9,
            one_structure: bool,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let settings = ScoreSettings { one_structure, ..ScoreSettings::default() };
            let (scratch, path) = (Scratch::new(None), folder.path().join("table"));
            let inputs = ScoreInputs { lex: Some(lexicon(folder.path())), ..ScoreInputs::default() };
            write_table(counted(&lines(&seen)), &settings, &inputs, &scratch, &path).unwrap();
            let shards: Vec<&[Seen]> = seen.chunks(shard).collect();
            let (table, text) = by_shards(&shards, ranges, &settings, folder.path());
            prop_assert_eq!(table, std::fs::read(path).unwrap());
            prop_assert_eq!(counted(&text).into_shard().unwrap().sample.len(), counted(&lines(&seen)).into_shard().unwrap().sample.len());
        }

        #[test]
        fn damaged_parts_are_errors(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            try_all(&bytes, &bytes);
        }

        #[test]
        fn parts_with_damaged_bytes_are_errors_or_other_parts(
            damages in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            ending in any::<prop::sample::Index>(),
            short: bool,
        ) {
            let damaged = |bytes: &[u8]| {
                let mut bytes = bytes.to_vec();
                bytes.truncate(if short { ending.index(bytes.len()) + 1 } else { bytes.len() });
                let places = damages.iter().map(|(place, byte)| (place.index(bytes.len()), *byte));
                places.collect::<Vec<_>>().into_iter().for_each(|(place, byte)| bytes[place] = byte);
                bytes
            };
            let (_, shard) = &*SOUND;
            try_all(&damaged(&shard.head()), &damaged(&shard.records));
        }
    }

    #[test]
    fn a_heavy_source_side_lies_in_several_ranges() {
        let folder = tempfile::tempdir().unwrap();
        let targets = (b'a'..=b'z').flat_map(|a| (b'a'..=b'z').map(move |b| vec![a, b]));
        let seen: Vec<Seen> = targets.map(|target| (vec![b','], target, true, 4)).collect();
        let shards: Vec<&[Seen]> = seen.chunks(100).collect();
        let mut numbering = Numbering::default();
        for shard in &shards {
            numbering.add(&counted(&lines(shard)).into_shard().unwrap()).unwrap();
        }
        let settings = ScoreSettings::default();
        assert_eq!(numbering.bounds(8, &settings).len(), 7);
        let whole = ScoreSettings { one_structure: true, ..ScoreSettings::default() };
        assert_eq!(numbering.bounds(8, &whole).len(), 1, "with structures a source side stays together");
        assert_eq!(
            by_shards(&shards, 8, &settings, folder.path()).0,
            by_shards(&shards, 1, &settings, folder.path()).0
        );
    }
}
