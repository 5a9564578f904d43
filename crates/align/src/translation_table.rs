//! The lexical tables of both directions in one: expected links between words, from which each direction's
//! probabilities follow. A pair that is not stored has the prior's value. If memory allows, all pairs are indexed at once;
//! otherwise they lie on disk by source word, and the [`Part`] that a batch of sentences needs is read in one sweep.

use crate::corpus::Corpus;
use crate::error::Result;
use crate::index::{BYTES_A_PAIR, Index, Lookup};
use crate::pairs::Pair;
use crate::scales::{SideScales, WordCounts};
use crate::settings::LexPrior;
use crate::spelling::Alike;
use rayon::prelude::*;
use std::ops::Range;
use treeglot_text::column::{BATCH, Column, ColumnWriter, MemoryBudget};

/// Expected links between source and target words.
#[derive(Debug)]
pub struct TranslationTable {
    prior: LexPrior,
    space: MemoryBudget,
    pairs: Column<[u32; 2]>,
    share: Column<f32>,
    pair_prior: Column<f32>,
    count: Column<f32>,
    access: Access,
    /// Source words.
    pub src: SideScales,
    /// Target words.
    pub tgt: SideScales,
}

/// How pairs are found.
#[derive(Debug)]
enum Access {
    /// All of them by an index; with their values.
    Index(Index, Vec<f32>),
    /// By source word: where the pairs of each word start, and their end.
    Rows(Vec<usize>),
}

/// The pairs that a batch of sentences may need, with their values.
#[derive(Debug, Default)]
pub struct Part {
    index: Index,
    pairs: Vec<[u32; 2]>,
    value: Vec<f32>,
    slots: Vec<u32>,
}

/// A table that is being written.
pub struct TranslationTableWriter {
    prior: LexPrior,
    space: MemoryBudget,
    pairs: ColumnWriter<[u32; 2]>,
    share: ColumnWriter<f32>,
    pair_prior: ColumnWriter<f32>,
    count: ColumnWriter<f32>,
}

impl TranslationTableWriter {
    /// A table without pairs.
    pub fn new(prior: LexPrior, space: &MemoryBudget) -> Self {
        Self {
            prior,
            space: space.clone(),
            pairs: space.writer(),
            share: space.writer(),
            pair_prior: space.writer(),
            count: space.writer(),
        }
    }

    /// Stores a pair that model 1 counted.
    pub fn push_counted(&mut self, src: u32, pair: &Pair, count: f32) -> Result<()> {
        self.push([src, pair.tgt], pair.share(), self.prior.of(pair.alike()), count)
    }

    /// Stores a pair whose count is worth what it says.
    pub fn push_read(&mut self, src: u32, tgt: u32, alike: Alike, count: f32) -> Result<()> {
        self.push([src, tgt], 1.0, self.prior.of(alike), count)
    }

    fn push(&mut self, pair: [u32; 2], share: f32, prior: f32, count: f32) -> Result<()> {
        self.pairs.push(pair)?;
        self.share.push(share)?;
        self.pair_prior.push(prior)?;
        Ok(self.count.push(count)?)
    }

    /// The finished table.
    pub fn finish(self) -> Result<TranslationTable> {
        let mut table = TranslationTable {
            prior: self.prior,
            space: self.space,
            pairs: self.pairs.finish()?,
            share: self.share.finish()?,
            pair_prior: self.pair_prior.finish()?,
            count: self.count.finish()?,
            access: Access::Rows(Vec::new()),
            src: SideScales::default(),
            tgt: SideScales::default(),
        };
        table.make_accessible()?;
        Ok(table)
    }
}

impl TranslationTable {
    /// A table of pairs with their values, for applying a model only.
    pub(crate) fn of_values(
        prior: LexPrior,
        pairs: Vec<[u32; 2]>,
        values: Vec<f32>,
        [src, tgt]: [SideScales; 2],
    ) -> Self {
        let (space, access) = (MemoryBudget::unlimited(), Access::Index(Index::of(&pairs), values));
        let (share, pair_prior, count) = (Column::default(), Column::default(), Column::default());
        Self { prior, space, pairs: pairs.into(), share, pair_prior, count, access, src, tgt }
    }

    /// The stored pairs, in slot order.
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Indexes the pairs if memory allows, or else sorts them by source word.
    fn make_accessible(&mut self) -> Result<()> {
        let in_memory = !self.pairs.is_mapped() && !self.share.is_mapped() && !self.pair_prior.is_mapped();
        if in_memory && self.len() <= self.space.beside(BYTES_A_PAIR + size_of::<f32>()) {
            self.access = Access::Index(Index::of(&self.pairs), self.values());
            return Ok(());
        }
        let mut rows = Vec::new();
        let mut sorted = true;
        for (slot, &[src, _]) in self.pairs.iter().enumerate() {
            rows.resize(rows.len().max(src as usize + 2), 0);
            rows[src as usize + 1] += 1;
            sorted &= slot == 0 || self.pairs[slot - 1][0] <= src;
            if slot % BATCH == 0 {
                self.space.trim();
            }
        }
        for word in 1..rows.len() {
            rows[word] += rows[word - 1];
        }
        if !sorted {
            self.share = self.by_source(&rows, &self.share)?;
            self.pair_prior = self.by_source(&rows, &self.pair_prior)?;
            self.count = self.by_source(&rows, &self.count)?;
            self.pairs = self.by_source(&rows, &self.pairs)?;
        }
        self.access = Access::Rows(rows);
        Ok(())
    }

    fn by_source<T: bytemuck::Pod + Send + Sync>(
        &self,
        rows: &[usize],
        values: &Column<T>,
    ) -> Result<Column<T>> {
        let by_word = || self.pairs.iter().zip(values.iter()).map(|(&[src, _], &value)| (src, value));
        Ok(Column::grouped(&self.space, rows, by_word)?)
    }

    pub(crate) fn values(&self) -> Vec<f32> {
        (0..self.len()).map(|slot| self.value_at(slot)).collect()
    }

    /// The value of a stored pair: its count without its own share, with the prior.
    fn value_at(&self, slot: usize) -> f32 {
        self.count[slot] * self.share[slot] + self.pair_prior[slot]
    }

    /// All pairs, where they are indexed.
    pub(crate) fn whole(&self) -> Option<Lookup<'_>> {
        match &self.access {
            Access::Index(index, value) => Some(index.look_up(&self.pairs, value, &[])),
            Access::Rows(_) => None,
        }
    }

    /// Where a pair is stored, if it is.
    pub fn slot(&self, src: u32, tgt: u32) -> Option<usize> {
        match &self.access {
            Access::Index(index, value) => index.look_up(&self.pairs, value, &[]).find(src, tgt),
            Access::Rows(rows) => row(rows, src).find(|&slot| self.pairs[slot][1] == tgt),
        }
    }

    /// How many pairs are stored.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no pair is stored.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The value of a pair that is not stored.
    pub fn floor(&self) -> f32 {
        self.prior.alpha
    }

    /// The value of a pair, stored or not.
    pub fn value(&self, src: u32, tgt: u32) -> f32 {
        self.slot(src, tgt).map_or(self.floor(), |slot| self.value_at(slot))
    }

    /// The probability of a target word given a source word.
    pub fn forward(&self, src: u32, tgt: u32) -> f32 {
        self.value(src, tgt) * self.src.scale(src)
    }

    /// The probability of a source word given a target word.
    pub fn reverse(&self, src: u32, tgt: u32) -> f32 {
        self.value(src, tgt) * self.tgt.scale(tgt)
    }

    /// Stores pairs without links but with the prior of words that look alike.
    pub fn add_alike(&mut self, pairs: impl Iterator<Item = (u32, u32, Alike)>) -> Result<()> {
        let mut pairs = pairs.peekable();
        if pairs.peek().is_none() {
            return Ok(());
        }
        let mut out = TranslationTableWriter::new(self.prior, &self.space);
        for slot in 0..self.len() {
            out.push(self.pairs[slot], self.share[slot], self.pair_prior[slot], self.count[slot])?;
            if slot % BATCH == 0 {
                self.space.trim();
            }
        }
        pairs.try_for_each(|(src, tgt, alike)| out.push_read(src, tgt, alike, 0.0))?;
        let (src, tgt) = (std::mem::take(&mut self.src), std::mem::take(&mut self.tgt));
        *self = Self { src, tgt, ..out.finish()? };
        Ok(())
    }

    /// The stored pairs with what their counts are worth in other text, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, f32)> {
        (0..self.len()).map(|slot| {
            if slot % BATCH == 0 {
                self.space.trim();
            }
            let [src, tgt] = self.pairs[slot];
            (src, tgt, self.count[slot] * self.share[slot])
        })
    }

    /// New expected counts: of pairs by slot, and of words.
    pub fn update(&mut self, links: Column<f32>, src: &WordCounts, tgt: &WordCounts) {
        self.count = links;
        if let Access::Index(_, value) = &mut self.access {
            let counted = self.count.iter().zip(self.share.iter()).zip(self.pair_prior.iter());
            for (value, ((count, share), prior)) in value.iter_mut().zip(counted) {
                *value = count * share + prior;
            }
        }
        self.src.update(src, tgt.links.len(), &self.prior);
        self.tgt.update(tgt, src.links.len(), &self.prior);
    }

    /// The pairs of words that meet in some of these sentences: one sweep over the rows of their source words.
    pub(crate) fn part(&self, corpus: &Corpus, sentences: Range<usize>) -> Part {
        let Access::Rows(rows) = &self.access else { return Part::default() };
        let mut places: Vec<(u32, u32)> =
            sentences.flat_map(|s| corpus.src.sentence(s).iter().map(move |&src| (src, s as u32))).collect();
        places.sort_unstable();
        places.dedup();
        let by_word: Vec<&[(u32, u32)]> = places.chunk_by(|a, b| a.0 == b.0).collect();
        let unseen = || vec![u32::MAX; corpus.tgt.words.len()];
        let found: Vec<Vec<u32>> = by_word
            .par_chunks(64)
            .map_init(unseen, |seen_with, words| {
                let mut slots = Vec::new();
                for places in words {
                    let word = places[0].0;
                    for &(_, s) in *places {
                        corpus.tgt.sentence(s as usize).iter().for_each(|&f| seen_with[f as usize] = word);
                    }
                    let row = row(rows, word);
                    slots.extend(
                        row.filter(|&slot| seen_with[self.pairs[slot][1] as usize] == word)
                            .map(|slot| slot as u32),
                    );
                }
                self.space.trim();
                slots
            })
            .collect();
        let slots = found.concat();
        let pairs: Vec<[u32; 2]> = slots.iter().map(|&slot| self.pairs[slot as usize]).collect();
        let value = slots.iter().map(|&slot| self.value_at(slot as usize)).collect();
        Part { index: Index::of(&pairs), pairs, value, slots }
    }
}

impl Part {
    /// The pairs of this part.
    pub(crate) fn look_up(&self) -> Lookup<'_> {
        self.index.look_up(&self.pairs, &self.value, &self.slots)
    }
}

fn row(rows: &[usize], word: u32) -> Range<usize> {
    let word = word as usize;
    rows.get(word + 1).map_or(0..0, |&end| rows[word]..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{src_hash, tgt_hash};
    use crate::settings::Settings;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn table(space: &MemoryBudget, pairs: impl IntoIterator<Item = (u32, u32, f32)>) -> TranslationTable {
        let mut writer = TranslationTableWriter::new(Settings::default().prior(), space);
        pairs.into_iter().for_each(|(e, f, count)| writer.push_read(e, f, Alike::No, count).unwrap());
        writer.finish().unwrap()
    }

    proptest! {
        #[test]
        fn stored_pairs_are_found_and_no_others(
            pairs in prop::collection::btree_map((0u32..60, 0u32..60), 0.0f32..9.0, 0..200),
        ) {
            let pairs: BTreeMap<(u32, u32), f32> = pairs;
            for space in [MemoryBudget::unlimited(), MemoryBudget::new(0)] {
                let table = table(&space, pairs.iter().rev().map(|(&(e, f), &count)| (e, f, count)));
                prop_assert_eq!(table.whole().is_none(), table.pairs.is_mapped());
                for (e, f) in (0..60).flat_map(|e| (0..60).map(move |f| (e, f))) {
                    let value = table.slot(e, f).map(|slot| table.value_at(slot));
                    prop_assert_eq!(value, pairs.get(&(e, f)).map(|count| count + table.floor()));
                    let may_have = |all: Lookup<'_>| all.may_have(src_hash(e).wrapping_add(tgt_hash(f)));
                    prop_assert!(value.is_none() || table.whole().is_none_or(may_have));
                }
            }
        }
    }

    #[test]
    fn a_words_probabilities_sum_to_one_over_all_partners() {
        let prior = Settings::default().prior();
        let pairs = [(0, 0, 3.0), (0, 1, 1.0), (1, 1, 2.0)];
        let mut table = table(&MemoryBudget::unlimited(), pairs);
        table.src = SideScales::new([(4.0, 0.5), (2.0, 0.5)].into_iter(), 3.0 * prior.alpha, 0.1);
        table.tgt = SideScales::new([(3.0, 0.3), (3.0, 0.3), (0.0, 0.4)].into_iter(), 2.0 * prior.alpha, 0.1);
        for e in 0..2 {
            assert!(((0..3).map(|f| table.forward(e, f)).sum::<f32>() - 1.0).abs() < 1e-5);
        }
        for f in 0..3 {
            assert!(((0..2).map(|e| table.reverse(e, f)).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}
