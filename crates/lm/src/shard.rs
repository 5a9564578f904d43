//! Counting n-grams on several machines, for the model of one. Each shard of a text tells its words ([`look`]); a [`Numbering`] takes them
//! in order, which gives the numbers of one process, and finds ranges of n-grams. Shards are counted with these numbers, divided by
//! range ([`count`]); ranges are added up ([`add_up`]) and, in order, estimated from ([`estimate_from`]).

use crate::corpus;
use crate::error::{Error, Result};
use crate::estimate::from_counts;
use crate::estimated::Estimated;
use crate::key::{Key, Packing, WideKey};
use crate::settings::Settings;
use crate::shape::Builder;
use crate::special::{self, BOS, EOS};
use serde::{Deserialize, Serialize};
use std::path::Path;
use treeglot_text::Input;
use treeglot_text::column::MemoryBudget;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

/// How many n-grams of a shard tell how they are spread.
pub(crate) const SAMPLES: usize = 256;
const MEMORY: u64 = 1 << 30;

/// What a shard of a text says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardText {
    /// Its words in order of first appearance.
    pub(crate) words: Vec<String>,
    /// How many tokens it has, ends of sentences included.
    pub(crate) tokens: u64,
    /// Some of its n-grams, each from the last word to the first.
    pub(crate) sample: Vec<Vec<u32>>,
}

/// Looks at a shard of a text.
pub fn look(input: Input, settings: &Settings) -> Result<ShardText> {
    let corpus::Corpus { vocab, mut tokens, .. } = corpus::read(input, settings.skip_symbols, MEMORY)?;
    let step = tokens.len().div_ceil(SAMPLES as u64).max(1);
    let (mut sample, mut at, mut before) = (Vec::new(), 0, Vec::new());
    tokens.pieces(1 << 16, |symbols| {
        for &symbol in symbols {
            before.insert(0, symbol);
            before.truncate(settings.order);
            if at % step == step / 2 {
                sample.push(before.clone());
            }
            if symbol == EOS.0 {
                before.clear();
            }
            at += 1;
        }
        Ok(())
    })?;
    let words = vocab.words().map(str::to_string).collect();
    Ok(ShardText { words, tokens: tokens.len(), sample })
}

/// The numbers of all words, and how n-grams are spread.
pub struct Numbering {
    pub(crate) vocab: Vocab,
    pub(crate) tokens: u64,
    sample: Vec<Vec<u32>>,
}

impl Default for Numbering {
    fn default() -> Self {
        Self::of(special::vocabulary())
    }
}

impl Numbering {
    /// Goes on from words that have numbers already.
    pub(crate) fn of(vocab: Vocab) -> Self {
        Self { vocab, tokens: 0, sample: Vec::new() }
    }

    /// Takes the next shard; they come in order.
    pub fn add(&mut self, shard: &ShardText, name: &str) -> Result<()> {
        let map: Vec<u32> = shard.words.iter().map(|word| self.vocab.intern(word).0).collect();
        for ngram in &shard.sample {
            let mapped = ngram.iter().map(|&word| map.get(word as usize).copied());
            self.sample.push(mapped.collect::<Option<_>>().ok_or_else(|| damaged("a sample"))?);
        }
        self.tokens += shard.tokens;
        match self.tokens > corpus::MAX_TOKENS {
            true => Err(Error::TooLong { name: name.to_string(), limit: corpus::MAX_TOKENS }),
            false => Ok(()),
        }
    }

    /// Where each range but the first begins: n-grams from the last word to the first.
    pub fn bounds(&mut self, ranges: usize) -> Vec<Vec<u32>> {
        self.sample.sort_unstable();
        let at = |range: usize| self.sample.get(self.sample.len() * range / ranges.max(1)).cloned();
        let mut bounds: Vec<Vec<u32>> = (1..ranges).filter_map(at).collect();
        bounds.dedup();
        bounds
    }

    /// Writes the numbers for [`count`].
    pub fn freeze(&self, path: &Path) -> Result<()> {
        Ok(self.vocab.freeze(path)?)
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.vocab.len()
    }
}

pub(crate) fn damaged(what: &str) -> Error {
    Error::Setting(format!("{what} of the counts of a shard is damaged: remove what the stage has kept"))
}

/// Does something with the type of key that n-grams of these many words need.
macro_rules! with_key {
    ($packing:expr, $function:ident::<_ $(, $type:ty)*>($($argument:expr),*)) => {
        match $packing.width() {
            0..=64 => $function::<u64 $(, $type)*>($packing, $($argument),*),
            65..=128 => $function::<u128 $(, $type)*>($packing, $($argument),*),
            _ => $function::<WideKey $(, $type)*>($packing, $($argument),*),
        }
    };
}
pub(crate) use with_key;

/// Counts the n-grams of a shard, divided by ranges.
pub fn count(
    input: Input,
    numbers: &MappedVocab,
    settings: &Settings,
    bounds: &[Vec<u32>],
) -> Result<Vec<Vec<u8>>> {
    let corpus::Corpus { vocab, tokens, .. } = corpus::read(input, settings.skip_symbols, MEMORY)?;
    let map = vocab.words().map(|word| numbers.get(word)).collect::<Option<Vec<Sym>>>();
    let map = map.ok_or_else(|| damaged("a word"))?;
    let packing = Packing::new(settings.order, numbers.len());
    with_key!(packing, count_keys::<_>(tokens, &map, bounds))
}

fn count_keys<K: Key>(
    packing: Packing,
    mut tokens: corpus::Tokens,
    map: &[Sym],
    bounds: &[Vec<u32>],
) -> Result<Vec<Vec<u8>>> {
    let start = K::pack(&vec![BOS.0; packing.order], packing);
    let (mut key, mut keys) = (start, Vec::new());
    tokens.pieces(1 << 16, |symbols| {
        for &symbol in symbols {
            key = key.push(map[symbol as usize].0, packing);
            keys.push(key);
            if symbol == EOS.0 {
                key = start;
            }
        }
        Ok(())
    })?;
    keys.sort_unstable();
    Ok(divided(&keys, packing, bounds))
}

/// Sorted keys by ranges, each with how often it is there.
pub(crate) fn divided<K: Key>(keys: &[K], packing: Packing, bounds: &[Vec<u32>]) -> Vec<Vec<u8>> {
    let bounds: Vec<K> = bounds.iter().map(|bound| K::pack(bound, packing)).collect();
    let mut ranges: Vec<Vec<u8>> = vec![Vec::new(); bounds.len() + 1];
    for same in keys.chunk_by(|a, b| a == b) {
        write(same[0], same.len() as u32, &mut ranges[bounds.partition_point(|bound| *bound <= same[0])]);
    }
    ranges
}

fn write<K: Key>(key: K, count: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(bytemuck::bytes_of(&key));
    out.extend_from_slice(&count.to_le_bytes());
}

pub(crate) fn read<K: Key>(bytes: &[u8]) -> Result<impl Iterator<Item = (K, u32)> + '_> {
    let size = size_of::<K>();
    if !bytes.len().is_multiple_of(size + 4) {
        return Err(damaged("the length"));
    }
    let one = move |record: &[u8]| {
        let (key, count) = record.split_at(size);
        (bytemuck::pod_read_unaligned(key), bytemuck::pod_read_unaligned::<u32>(count).to_le())
    };
    Ok(bytes.chunks_exact(size + 4).map(one))
}

/// Adds the counts of a range of all shards up; `words` is how many words there are.
pub fn add_up(shards: &[Vec<u8>], order: usize, words: usize) -> Result<Vec<u8>> {
    let packing = Packing::new(order, words);
    with_key!(packing, add_keys::<_>(shards))
}

fn add_keys<K: Key>(_: Packing, shards: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut all: Vec<(K, u32)> = Vec::new();
    for shard in shards {
        all.extend(read::<K>(shard)?);
    }
    all.sort_unstable_by_key(|&(key, _)| key);
    let mut out = Vec::new();
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        write(same[0].0, same.iter().map(|&(_, count)| count).sum(), &mut out);
    }
    Ok(out)
}

/// Estimates a model from the counts of all ranges in order.
pub fn estimate_from<E: From<Error>>(
    numbering: Numbering,
    settings: &Settings,
    memory: u64,
    ranges: impl Iterator<Item = std::result::Result<Vec<u8>, E>>,
) -> std::result::Result<Estimated, E> {
    settings.check()?;
    if numbering.tokens == 0 {
        return Err(Error::NoText { name: "the text".to_string() }.into());
    }
    let vocab = numbering.vocab;
    let packing = Packing::new(settings.order, vocab.len());
    with_key!(packing, estimate_keys::<_, E>(vocab, settings, memory, ranges))
}

fn estimate_keys<K: Key, E: From<Error>>(
    packing: Packing,
    vocab: Vocab,
    settings: &Settings,
    memory: u64,
    ranges: impl Iterator<Item = std::result::Result<Vec<u8>, E>>,
) -> std::result::Result<Estimated, E> {
    let words = vocab.len();
    let mut builder = Builder::<K>::new(packing, settings.prunes(), MemoryBudget::new(memory));
    for range in ranges {
        let range = range?;
        for (key, count) in read::<K>(&range)? {
            builder.push(key, count)?;
        }
    }
    Ok(from_counts(vocab, builder.finish(words)?, |_| true, settings)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::within_memory;
    use crate::lm::Lm;
    use proptest::prelude::*;

    fn input(text: &str) -> Input {
        Input { name: "text".into(), reader: Box::new(std::io::Cursor::new(text.as_bytes().to_vec())) }
    }

    fn settings(order: usize) -> Settings {
        let mut settings = Settings::of_order(order);
        settings.discount_fallback.0 = Some([0.5, 1.0, 1.5]);
        settings
    }

    fn bytes(estimated: Estimated, settings: &Settings) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        Lm::build_as(estimated.into_ngrams(), settings).unwrap().write(file.path()).unwrap();
        std::fs::read(file.path()).unwrap()
    }

    fn by_shards(lines: &[String], shard: usize, ranges: usize, settings: &Settings) -> Result<Estimated> {
        let texts: Vec<String> = lines.chunks(shard).map(|lines| lines.join("\n") + "\n").collect();
        let mut numbering = Numbering::default();
        for text in &texts {
            numbering.add(&look(input(text), settings)?, "text")?;
        }
        let bounds = numbering.bounds(ranges);
        let file = tempfile::NamedTempFile::new().unwrap();
        numbering.freeze(file.path())?;
        let (numbers, words) = (MappedVocab::open(file.path())?, numbering.words());
        let counts = texts.iter().map(|text| count(input(text), &numbers, settings, &bounds));
        let counts = counts.collect::<Result<Vec<_>>>()?;
        let sums = (0..=bounds.len()).map(|range| {
            // In whatever order shards come.
            let of_range: Vec<Vec<u8>> = counts.iter().rev().map(|ranges| ranges[range].clone()).collect();
            add_up(&of_range, settings.order, words)
        });
        estimate_from(numbering, settings, 1 << 20, sums)
    }

    proptest! {
        #[test]
        fn a_model_by_shards_and_ranges_is_that_of_one_process(
            lines in proptest::collection::vec("([a-f] ){0,6}", 1..40),
            shard in 1usize..20,
            ranges in 1usize..6,
            order in 1usize..=8,
        ) {
            let settings = settings(order);
            let text = lines.join("\n") + "\n";
            let (whole, _) = within_memory(input(&text), &settings, 1 << 20).unwrap();
            let parts = by_shards(&lines, shard, ranges, &settings).unwrap();
            prop_assert_eq!(bytes(parts, &settings), bytes(whole, &settings));
        }
    }

    #[test]
    fn keys_of_any_width_are_counted_alike() {
        let lines: Vec<String> =
            (0..5000).map(|n| format!("w{} x{} y{}", n * 7 % 4001, n % 13, n % 7)).collect();
        let text = lines.join("\n") + "\n";
        for order in [3, 6, 8] {
            let settings = settings(order);
            let (whole, _) = within_memory(input(&text), &settings, 1 << 20).unwrap();
            let parts = by_shards(&lines, 700, 5, &settings).unwrap();
            assert!(bytes(parts, &settings) == bytes(whole, &settings), "order {order}");
        }
    }

    #[test]
    fn no_text_and_damaged_counts_are_errors() {
        let none = std::iter::empty::<Result<Vec<u8>>>();
        assert!(estimate_from(Numbering::default(), &settings(2), 1 << 20, none).is_err());
        assert!(add_up(&[vec![1, 2, 3]], 2, 100).is_err());
    }
}
