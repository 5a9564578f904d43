//! Adding up what was made over several pivot sides, and writing the table.

use super::compose::Made;
use super::{DIRECT, SCORES, hand_over};
use crate::code;
use crate::decimal::Decimal;
use crate::error::Result;
use crate::sort::{Chunk, Record, Sorter};
use crate::spool::Scratch;
use crate::table::{Entry, TableBuilder, Targets};
use std::path::Path;
use treeglot_text::vocab::Vocab;

/// Writes what was made.
pub(super) struct Writer<'s> {
    pub vocab: Vocab,
    pub reordering: bool,
    pub limit: usize,
    /// About how many bytes each sorter may use.
    pub memory: usize,
    pub scratch: &'s Scratch,
}

/// A rule that is being added up over its pivot sides.
#[derive(Default)]
struct Sum {
    /// Both sides, each with its end.
    sides: Vec<u8>,
    made: Made,
    /// The highest p(t|s) of one pivot side, whose links the rule has.
    best: f64,
}

impl Sum {
    fn add(&mut self, made: Made) {
        let share = made.scores[DIRECT];
        let total = self.made.scores[DIRECT] + share;
        let weight = if total > 0.0 { share / total } else { 1.0 };
        for (own, more) in self.made.reordering.iter_mut().zip(made.reordering) {
            *own += weight * (more - *own);
        }
        for (own, more) in self.made.scores.iter_mut().zip(made.scores) {
            *own += more;
        }
        if share >= self.best {
            (self.best, self.made.links) = (share, made.links);
        }
        self.made.source_count = made.source_count;
        self.made.target_count = self.made.target_count.max(made.target_count);
    }
}

/// The length of the first side of a key, its end included.
fn side(key: &[u8]) -> usize {
    key.len() - code::Symbols(key).after().len()
}

impl Writer<'_> {
    /// Writes the table; how many rules it has.
    pub fn write(self, sorter: Sorter, model: &str, path: &Path) -> Result<u64> {
        let by_target = self.added_up(sorter)?;
        let (by_source, targets) = self.numbered(by_target)?;
        self.rules(by_source, targets, model, path)
    }

    /// Rules added up over pivot sides, the best of each source side, by target side.
    fn added_up(&self, sorter: Sorter) -> Result<Sorter> {
        let mut by_target = Sorter::new(self.memory, None, self.scratch);
        let (mut sorted, mut record) = (sorter.finish()?, Record::default());
        let mut stream = sorted.stream()?;
        let (mut chunk, mut sums) = (Chunk::default(), Vec::<Sum>::new());
        while stream.next(&mut record)? {
            let source = side(&record.key);
            let both = source + side(&record.key[source..]);
            let sides = &record.key[..both];
            if sums.first().is_some_and(|first| first.sides[..side(&first.sides)] != sides[..source]) {
                self.keep(&mut sums, &mut chunk);
                hand_over(&mut chunk, &mut by_target)?;
            }
            if sums.last().is_none_or(|last| last.sides != sides) {
                sums.push(Sum { sides: sides.to_vec(), ..Sum::default() });
            }
            if let Some(last) = sums.last_mut() {
                last.add(Made::take(&record.payload));
            }
        }
        self.keep(&mut sums, &mut chunk);
        by_target.add(chunk)?;
        Ok(by_target)
    }

    /// Hands on the rules of a source side.
    fn keep(&self, sums: &mut Vec<Sum>, chunk: &mut Chunk) {
        let score = |sum: &Sum| sum.made.scores[DIRECT];
        sums.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.sides.cmp(&b.sides)));
        if self.limit > 0 {
            sums.truncate(self.limit);
        }
        let (mut key, mut payload) = (Vec::new(), Vec::new());
        for sum in sums.drain(..) {
            let (source, target) = sum.sides.split_at(side(&sum.sides));
            key.clear();
            payload.clear();
            key.extend_from_slice(target);
            key.extend_from_slice(source);
            sum.made.push(&mut payload);
            chunk.push(&key, &payload);
        }
    }

    /// Rules by source side, the best first, with the numbers of their target sides.
    fn numbered(&self, by_target: Sorter) -> Result<(Sorter, Targets)> {
        let mut by_source = Sorter::new(self.memory, None, self.scratch);
        let mut targets = Targets::new(self.scratch)?;
        let (mut sorted, mut record) = (by_target.finish()?, Record::default());
        let mut stream = sorted.stream()?;
        let (mut chunk, mut last, mut number) = (Chunk::default(), Vec::new(), 0);
        let (mut key, mut payload) = (Vec::new(), Vec::new());
        while stream.next(&mut record)? {
            let (target, source) = record.key.split_at(side(&record.key));
            let made = Made::take(&record.payload);
            if target != last {
                number = targets.push(&target[..target.len() - 1], made.target_count)?;
                last = target.to_vec();
            }
            key.clear();
            payload.clear();
            key.extend_from_slice(source);
            // Of numbers of 0 and more, those with higher bits are higher.
            key.extend_from_slice(&(u64::MAX - made.scores[DIRECT].to_bits()).to_be_bytes());
            key.extend_from_slice(&number.to_be_bytes());
            payload.extend_from_slice(&number.to_le_bytes());
            made.push(&mut payload);
            chunk.push(&key, &payload);
            hand_over(&mut chunk, &mut by_source)?;
        }
        by_source.add(chunk)?;
        Ok((by_source, targets))
    }

    fn rules(self, by_source: Sorter, targets: Targets, model: &str, path: &Path) -> Result<u64> {
        let names = SCORES.map(String::from);
        let mut builder = TableBuilder::new(None, model, &names, self.reordering, Vec::new(), self.scratch)?;
        let (mut sorted, mut record) = (by_source.finish()?, Record::default());
        let mut stream = sorted.stream()?;
        let mut last = Vec::new();
        while stream.next(&mut record)? {
            let source = &record.key[..side(&record.key)];
            let (number, payload) = record.payload.split_at(4);
            let made = Made::take(payload);
            if source != last {
                builder.source(&source[..source.len() - 1], made.source_count)?;
                last = source.to_vec();
            }
            let scores = made.scores.map(Decimal::new);
            builder.rule(Entry {
                target: bytemuck::pod_read_unaligned(number),
                links: &made.links,
                count: (f64::from(made.source_count) * made.scores[DIRECT]) as f32,
                scores: &scores,
                reordering: made.reordering.map(Decimal::new),
            })?;
        }
        let written = builder.len() as u64;
        builder.finish(path, &self.vocab, targets)?;
        Ok(written)
    }
}
