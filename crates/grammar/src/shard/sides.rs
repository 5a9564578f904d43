//! The end of scoring by ranges: rules are divided anew, by ranges of target sides, which count these and tell every range of
//! rules what it needs of them; then each range of rules takes its probabilities. The driving process puts both in a table as they
//! come.

use super::{Numbering, bounds_of};
use crate::code;
use crate::count::Count;
use crate::discount::CountsOfCounts;
use crate::error::{Error, Result};
use crate::score::{
    Block, Divided, Found, Joiner, Last, Partner, ScoreSettings, Side, SideSink, SourceHead, Written,
    builder, by_target, edges, read_source,
};
use crate::sort::{Chunk, Sorter, push_varint, take_varint, try_record};
use crate::spool::Scratch;
use crate::table::{TableBuilder, Targets};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// How many target sides of a block tell how target sides are spread.
const SAMPLES: usize = 32;
/// About how many bytes are handed on together.
const BLOCK: usize = 1 << 20;

/// What a block says of its rules to the driving process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BlockSummary {
    /// How many rules there are.
    pub rules: u64,
    /// How many were seen how often.
    pub counts_of_counts: Vec<u64>,
    /// Some of the target sides, evenly taken.
    pub sample: Vec<Vec<u8>>,
    /// The first and the last source side, which other ranges may have rules of.
    pub edges: Vec<Edge>,
}

/// A source side at the edge of a block, or one that several ranges have rules of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Edge {
    source: Vec<u8>,
    rules: u32,
    count: Count,
}

impl BlockSummary {
    /// What is said of a block.
    pub(super) fn new(block: &Block) -> Self {
        let step = block.targets.records().len().div_ceil(SAMPLES).max(1);
        let sampled = block.targets.records().skip(step / 2).step_by(step);
        let edge =
            |SourceHead { code, rules, count }: SourceHead<'_>| Edge { source: code.to_vec(), rules, count };
        Self {
            rules: block.rules as u64,
            counts_of_counts: block.counts_of_counts.numbers(),
            sample: sampled.map(|(key, _)| text_of(key).to_vec()).collect(),
            edges: edges(&block.rows).into_iter().map(edge).collect(),
        }
    }
}

/// What of a target record must not be divided: all that probabilities are given by.
fn text_of(key: &[u8]) -> &[u8] {
    &key[..key.len() - code::Symbols(key).after().len()]
}

/// What the blocks of all ranges say.
#[derive(Default)]
pub struct Summaries {
    sample: Vec<Vec<u8>>,
    counts_of_counts: CountsOfCounts,
    /// How many rules each range has.
    rules: Vec<u64>,
    /// The source sides at the edges of blocks, each with the range that it is in.
    edges: Vec<(u64, Edge)>,
}

impl Summaries {
    /// Takes what the next block says: those of the first range come first, then those of the second, and so on.
    pub fn add(&mut self, range: u64, block: BlockSummary) -> Result<()> {
        let damaged = || Error::Shard("what a range says of itself");
        let counts = CountsOfCounts::of_numbers(&block.counts_of_counts).ok_or_else(damaged)?;
        let at = usize::try_from(range).map_err(|_| damaged())?;
        if at + 1 < self.rules.len() {
            return Err(damaged());
        }
        self.rules.resize(at + 1, 0);
        self.rules[at] += block.rules;
        self.counts_of_counts.merge(&counts);
        self.sample.extend(block.sample);
        self.edges.extend(block.edges.into_iter().map(|edge| (range, edge)));
        Ok(())
    }

    /// Where each range of target sides but the first begins.
    pub fn bounds(&mut self, ranges: usize) -> Vec<Vec<u8>> {
        bounds_of(&mut self.sample, ranges, |text| text)
    }

    /// The source sides that several ranges have rules of, with all their rules.
    fn divided(&self) -> Vec<Edge> {
        let groups = self.edges.chunk_by(|(_, a), (_, b)| a.source == b.source);
        let divided =
            groups.filter(|group| group.first().map(|edge| edge.0) != group.last().map(|edge| edge.0));
        let whole = |group: &[(u64, Edge)]| {
            let mut whole = Edge { source: group[0].1.source.clone(), rules: 0, count: Count::default() };
            for (_, edge) in group {
                whole.rules += edge.rules;
                whole.count.add(edge.count);
            }
            whole
        };
        divided.map(whole).collect()
    }
}

/// Divides the target sides of a block of a range of rules by ranges of target sides. Rules are numbered within their range.
pub fn by_side(mut targets: &[u8], range: u64, bounds: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let mut ranges: Vec<Chunk> = (0..=bounds.len()).map(|_| Chunk::default()).collect();
    let mut more = Vec::new();
    while !targets.is_empty() {
        let ((key, payload), rest) = try_record(targets).ok_or(Error::Shard("target sides"))?;
        targets = rest;
        more.clear();
        more.extend_from_slice(payload);
        push_varint(range, &mut more);
        ranges[bounds.partition_point(|bound| bound[..] <= *text_of(key))].push(key, &more);
    }
    Ok(ranges.into_iter().map(Chunk::into_bytes).collect())
}

/// Counts the target sides of a range.
pub struct SideCounts(Sorter);

impl SideCounts {
    /// Holds at most about `memory` bytes of records in memory.
    pub fn new(memory: u64, scratch: &Scratch) -> Self {
        Self(Sorter::new(usize::try_from(memory).unwrap_or(usize::MAX), None, scratch))
    }

    /// Takes what [`by_side`] gave of a block.
    pub fn add(&mut self, records: Vec<u8>) -> Result<()> {
        self.0.add(Chunk::of_bytes(records).ok_or(Error::Shard("target sides"))?)
    }

    /// Ends taking records.
    pub fn finish(self) -> Result<CountedSides> {
        let mut found = FoundSides::default();
        by_target(&mut self.0.finish()?, &mut found)?;
        let FoundSides { codes, sides, rules } = found;
        let told = |(range, rules): (u64, Vec<[u32; 2]>)| {
            let mut out = Vec::new();
            for [rule, target] in rules {
                let side = sides[target as usize];
                push_varint(u64::from(rule), &mut out);
                push_varint(u64::from(target), &mut out);
                out.extend_from_slice(&side.count.to_le_bytes());
                push_varint(u64::from(side.rules), &mut out);
            }
            (range, out)
        };
        Ok(CountedSides { codes, rules: rules.into_iter().map(told).collect() })
    }
}

/// The target sides of a range.
pub struct CountedSides {
    /// Themselves with their counts, for the table.
    pub codes: Vec<Vec<u8>>,
    /// For ranges of rules, the target side of each rule and its counts.
    pub rules: Vec<(u64, Vec<u8>)>,
}

#[derive(Default)]
struct FoundSides {
    codes: Vec<Vec<u8>>,
    sides: Vec<Side>,
    /// By range, the number of each rule and of its target side.
    rules: BTreeMap<u64, Vec<[u32; 2]>>,
}

impl SideSink for FoundSides {
    fn side(&mut self, code: &[u8], side: Side) -> Result<()> {
        if self.codes.last().is_none_or(|codes| codes.len() >= BLOCK) {
            self.codes.push(Vec::new());
        }
        let codes = self.codes.last_mut().expect("one was pushed");
        push_varint(code.len() as u64, codes);
        codes.extend_from_slice(code);
        codes.extend_from_slice(&side.count.to_le_bytes());
        self.sides.push(side);
        Ok(())
    }

    fn rule(&mut self, rule: u32, range: u64, target: u32) -> Result<()> {
        self.rules.entry(range).or_default().push([rule, target]);
        Ok(())
    }
}

/// What ranges need to know to end scoring.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EndSettings {
    score: ScoreSettings,
    oriented: bool,
    origins: u8,
    counts_of_counts: Vec<u64>,
    /// How many rules each range has.
    rules: Vec<u64>,
    /// How many target sides there are before each range of these.
    before: Vec<u32>,
    divided: Vec<Edge>,
}

impl EndSettings {
    fn last(&self) -> Result<Last<'_>> {
        let counts =
            CountsOfCounts::of_numbers(&self.counts_of_counts).ok_or(Error::Shard("counts of counts"))?;
        Ok(Last::new(&self.score, &counts, self.oriented, self.origins))
    }
}

/// The rules of a range, which get their probabilities.
pub struct RangeEnd<'s> {
    settings: &'s EndSettings,
    blocks: BTreeMap<u64, Vec<u8>>,
    /// The target side of each rule; none has no rules.
    partners: Vec<Partner>,
}

impl<'s> RangeEnd<'s> {
    /// Those of the range of this number.
    pub fn new(range: u64, settings: &'s EndSettings) -> Result<Self> {
        let rules = usize::try_from(range).ok().and_then(|range| settings.rules.get(range));
        let rules = rules.and_then(|&rules| usize::try_from(rules).ok()).ok_or(Error::Shard("a range"))?;
        Ok(Self { settings, blocks: BTreeMap::new(), partners: vec![(0, (0.0, 0)); rules] })
    }

    /// Takes the rows of a block.
    pub fn add_block(&mut self, number: u64, rows: Vec<u8>) {
        self.blocks.insert(number, rows);
    }

    /// Takes what a range of target sides says.
    pub fn add_sides(&mut self, range: u64, mut told: &[u8]) -> Result<()> {
        let damaged = || Error::Shard("the target sides of rules");
        let before = usize::try_from(range).ok().and_then(|range| self.settings.before.get(range));
        let &before = before.ok_or_else(damaged)?;
        while !told.is_empty() {
            let (rule, target) = (take_varint(&mut told), take_varint(&mut told));
            let (count, rest) = told.split_first_chunk().ok_or_else(damaged)?;
            told = rest;
            let rules = u32::try_from(take_varint(&mut told)).map_err(|_| damaged())?;
            let target = u32::try_from(target).ok().and_then(|target| before.checked_add(target));
            let place = usize::try_from(rule).ok().and_then(|rule| self.partners.get_mut(rule));
            *place.ok_or_else(damaged)? = (target.ok_or_else(damaged)?, (f32::from_le_bytes(*count), rules));
        }
        Ok(())
    }

    /// Hands on the rules with their probabilities.
    pub fn finish(self, mut take: impl FnMut(Vec<u8>)) -> Result<()> {
        let Self { settings, blocks, partners } = self;
        let last = settings.last()?;
        let divided: BTreeMap<&[u8], &Edge> =
            settings.divided.iter().map(|edge| (&edge.source[..], edge)).collect();
        let mut partners = partners.into_iter();
        let mut partner = || {
            let known = partners.next().filter(|(_, (_, rules))| *rules > 0);
            known.ok_or(Error::Shard("a rule has no target side"))
        };
        let mut out = Vec::new();
        let mut source = |bytes: &[u8]| {
            let (head, rows) = read_source(&bytes[4..]);
            let edge = divided.get(head.code);
            let (total, rules) = edge.map_or((head.count, head.rules), |edge| (edge.count, edge.rules));
            let total = total.rounded();
            let mut kept = last.rules(&head, rows, (total, rules), &mut partner)?;
            if edge.is_none() {
                last.choose(&mut kept, |rule| rule.place());
            }
            if !kept.is_empty() {
                last.write((head.code, total), edge.is_none(), &kept, &mut out);
            }
            if out.len() >= BLOCK {
                take(std::mem::take(&mut out));
            }
            Ok(())
        };
        let mut joiner = Joiner::default();
        for rows in blocks.into_values() {
            joiner.add(&rows, &mut source)?;
        }
        joiner.finish(&mut source)?;
        if !out.is_empty() {
            take(out);
        }
        match partners.next() {
            Some(_) => Err(Error::Shard("rules are missing")),
            None => Ok(()),
        }
    }
}

impl Numbering {
    /// Ends numbering: takes the target sides of all ranges.
    pub fn targets(self, summaries: Summaries, scratch: &Scratch) -> Result<TargetCollector> {
        Ok(TargetCollector {
            numbering: self,
            summaries,
            targets: Targets::new(scratch)?,
            before: vec![0],
            len: 0,
        })
    }
}

/// Puts the target sides of all ranges one after the other.
pub struct TargetCollector {
    numbering: Numbering,
    summaries: Summaries,
    targets: Targets,
    /// How many there are before each range.
    before: Vec<u32>,
    len: u32,
}

impl TargetCollector {
    /// Takes the next target sides of a range: those of the first come first.
    pub fn add(&mut self, range: u64, mut codes: &[u8]) -> Result<()> {
        let damaged = || Error::Shard("target sides");
        let range = usize::try_from(range).map_err(|_| damaged())?;
        if range + 1 < self.before.len() {
            return Err(damaged());
        }
        self.before.resize(range + 1, self.len);
        while !codes.is_empty() {
            let length = usize::try_from(take_varint(&mut codes)).map_err(|_| damaged())?;
            let (code, rest) = codes.split_at_checked(length).ok_or_else(damaged)?;
            let (count, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
            codes = rest;
            let number = self.targets.push(code, f32::from_le_bytes(*count))?;
            self.len = number.checked_add(1).ok_or(Error::TooManyRules)?;
        }
        Ok(())
    }

    /// Ends taking target sides: what ranges need to end scoring, and the assembler of the table.
    pub fn finish(
        self,
        score: &ScoreSettings,
        model: &str,
        scratch: &Scratch,
    ) -> Result<(EndSettings, TableAssembler)> {
        let Self { numbering, summaries, targets, before, .. } = self;
        let Numbering { vocab, oriented, origins, .. } = numbering;
        let found = Found { vocab, oriented, origins: origins.max(1) };
        let settings = EndSettings {
            score: score.clone(),
            oriented,
            origins: found.origins,
            counts_of_counts: summaries.counts_of_counts.numbers(),
            divided: summaries.divided(),
            before,
            rules: summaries.rules,
        };
        let builder = builder(&found, score, model, scratch)?;
        let assembler = TableAssembler {
            settings: settings.clone(),
            found,
            builder,
            targets,
            divided: Divided::default(),
        };
        Ok((settings, assembler))
    }
}

/// Puts the rules of all ranges in a table.
pub struct TableAssembler {
    settings: EndSettings,
    found: Found,
    builder: TableBuilder,
    targets: Targets,
    divided: Divided,
}

impl TableAssembler {
    /// Takes the next rules: those of the first range, then of the second, and so on.
    pub fn add(&mut self, mut rules: &[u8]) -> Result<()> {
        let last = self.settings.last()?;
        while !rules.is_empty() {
            last.read(&mut rules, &mut self.divided, &mut self.builder)?;
        }
        Ok(())
    }

    /// Writes the table.
    pub fn finish(mut self, path: &Path) -> Result<Written> {
        self.divided.finish(&self.settings.last()?, &mut self.builder)?;
        let seen =
            usize::try_from(self.settings.rules.iter().sum::<u64>()).map_err(|_| Error::TooManyRules)?;
        let written = Written { rules: self.builder.len(), seen };
        self.builder.finish(path, &self.found.vocab, self.targets)?;
        Ok(written)
    }
}
