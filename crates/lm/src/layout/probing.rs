//! The fast layout: one hash table an order with linear probing (Heafield 2011, section 3.1). An entry is a 32-bit
//! check of the n-gram's hash, the probability and the back-off: 12 bytes, 8 in the last order. While the tables are
//! built, a seed is chosen under which no two n-grams of the model are confused; an n-gram that is not in the model is
//! taken for one that is about once in 10^9 look-ups.

use super::search::{Cursor, Found, NO_CONTEXT, Search};
use super::{Table, UNIGRAMS, level_tag, no_codes};
use crate::error::Result;
use crate::ngrams::{Ngrams, Walk};
use crate::special::UNK;
use rayon::prelude::*;
use treeglot_text::mapped::Store;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_text::vocab::Sym;

/// A table entry: check (0 if empty), probability, back-off.
type Middle = [u32; 3];
/// An entry of the last order: check, probability.
type Last = [u32; 2];

/// The tables.
#[derive(Clone)]
pub struct Probing {
    /// Makes the hashes of two models differ, and those of one model distinct.
    seed: u64,
    /// Probability and back-off by word.
    unigrams: Store<[f32; 2]>,
    /// The tables of the orders between.
    middle: Vec<Store<Middle>>,
    /// The table of the last order, if it is not the first.
    last: Option<Store<Last>>,
}

/// The tables as plain slices: what a worker holds.
#[derive(Clone, Copy)]
pub struct ProbingTables<'m> {
    seed: u64,
    unigrams: &'m [[f32; 2]],
    middle: [&'m [Middle]; crate::key::WIDE - 2],
    last: &'m [Last],
    order: usize,
}

impl Table for Probing {
    const CODE: u64 = 0;

    type Slices<'m> = ProbingTables<'m>;

    fn build(ngrams: &Ngrams, quantize: Option<u32>) -> Result<Self> {
        no_codes(quantize)?;
        let unigrams = &ngrams.levels[0];
        let weight = |word: usize| {
            let backoff = unigrams.backoffs.get(word).copied().unwrap_or(NO_CONTEXT);
            let extends = !unigrams.children(word).is_empty();
            [f32::from_bits(flagged(unigrams.probs[word], extends)), backoff]
        };
        let unigrams = Store::Owned((0..unigrams.len()).map(weight).collect());
        let mut seed = 0;
        loop {
            let tables: Option<Vec<Vec<u32>>> =
                (1..ngrams.order()).into_par_iter().map(|depth| table(ngrams, depth, seed)).collect();
            if let Some(mut tables) = tables {
                let last = tables.pop().map(|t| Store::Owned(entries(&t)));
                let middle = tables.iter().map(|t| Store::Owned(entries(t))).collect();
                return Ok(Self { seed, unigrams, middle, last });
            }
            seed += 1;
        }
    }

    fn map(file: &MappedFile, order: usize, seed: u64, _: usize) -> Result<Self> {
        let unigrams = Store::Mapped(file.view(UNIGRAMS)?);
        let table = |length| file.view(level_tag("table", length)).map(Store::Mapped);
        let middle = (2..order).map(table).collect::<treeglot_text::Result<_>>()?;
        let last = (order > 1).then(|| file.view(level_tag("table", order))).transpose()?.map(Store::Mapped);
        Ok(Self { seed, unigrams, middle, last })
    }

    fn sections(&self) -> Vec<Tag> {
        let levels = (2..=self.order()).map(|length| level_tag("table", length));
        std::iter::once(UNIGRAMS).chain(levels).collect()
    }

    fn write(&self, out: &mut MappedWriter) -> Result<()> {
        out.section(UNIGRAMS, &self.unigrams)?;
        for (table, length) in self.middle.iter().zip(2..) {
            out.section(level_tag("table", length), table)?;
        }
        if let Some(last) = &self.last {
            out.section(level_tag("table", self.order()), last)?;
        }
        Ok(())
    }

    fn slices(&self) -> ProbingTables<'_> {
        let mut middle: [&[Middle]; crate::key::WIDE - 2] = Default::default();
        for (slice, store) in middle.iter_mut().zip(&self.middle) {
            *slice = store;
        }
        ProbingTables {
            seed: self.seed,
            unigrams: &self.unigrams,
            middle,
            last: self.last.as_deref().unwrap_or(&[]),
            order: self.order(),
        }
    }

    fn parameter(&self) -> u64 {
        self.seed
    }

    fn order(&self) -> usize {
        1 + self.middle.len() + usize::from(self.last.is_some())
    }
}

fn entries<const N: usize>(table: &[u32]) -> Vec<[u32; N]> {
    let (entries, _) = table.as_chunks();
    entries.to_vec()
}

/// The negative sign of a probability says that the n-gram extends to the left; without it the sign is positive.
fn flagged(prob: f32, extends_left: bool) -> u32 {
    let magnitude = prob.abs();
    if extends_left { (-magnitude).to_bits() } else { magnitude.to_bits() }
}

/// The table of level `depth`, flat, or `None` if two n-grams have the same check in the same place.
fn table(ngrams: &Ngrams, depth: usize, seed: u64) -> Option<Vec<u32>> {
    let level = &ngrams.levels[depth];
    let size = if depth + 1 == ngrams.order() { 2 } else { 3 };
    let slots = level.len() + level.len() / 2 + 1;
    let mut table = vec![0u32; slots * size];
    let mut distinct = true;
    Walk::new(&ngrams.levels, depth, 0..level.len()).for_each(|path| {
        let words = path.iter().enumerate().map(|(d, &node)| Sym(ngrams.levels[d].words[node]));
        let hash = words.fold(seed, longer_hash);
        let (mut slot, check) = place(hash, slots);
        while table[slot * size] != 0 {
            distinct &= table[slot * size] != check;
            slot = if slot + 1 == slots { 0 } else { slot + 1 };
        }
        let node = path[depth];
        table[slot * size] = check;
        table[slot * size + 1] = flagged(level.probs[node], !level.children(node).is_empty());
        if size == 3 {
            table[slot * size + 2] = level.backoffs[node].to_bits();
        }
    });
    distinct.then_some(table)
}

/// The hash of an n-gram with one more word on its left.
#[inline]
pub(super) fn longer_hash(hash: u64, word: Sym) -> u64 {
    let mixed = (hash ^ (u64::from(word.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1 << 63;
    let product = u128::from(mixed) * 0xd6e8_feb8_6659_fd93;
    product as u64 ^ (product >> 64) as u64
}

/// The slot a hash begins its search at, and its check.
#[inline]
pub(super) fn place(hash: u64, slots: usize) -> (usize, u32) {
    let slot = (u128::from(hash) * slots as u128) >> 64;
    (slot as usize, (hash as u32).max(1))
}

#[inline]
fn find<const N: usize>(table: &[[u32; N]], hash: u64) -> Option<&[u32; N]> {
    let (start, check) = place(hash, table.len());
    let mut slot = start;
    loop {
        let entry = table.get(slot)?;
        if entry[0] == check {
            return Some(entry);
        }
        slot = if slot + 1 == table.len() { 0 } else { slot + 1 };
        // Only an altered file has a table without an empty slot.
        if entry[0] == 0 || slot == start {
            return None;
        }
    }
}

#[inline]
fn found(prob: u32, backoff: f32, node: u64) -> Found {
    let prob = f32::from_bits(prob);
    Found { prob: -prob.abs(), backoff, extends_left: prob.is_sign_negative(), node }
}

impl ProbingTables<'_> {
    /// The n-gram of a length and hash.
    #[inline]
    fn entry(&self, length: usize, hash: u64) -> Option<Found> {
        if length == self.order {
            let &[_, prob] = find(self.last, hash)?;
            return Some(found(prob, NO_CONTEXT, hash));
        }
        let &[_, prob, backoff] = find(self.middle.get(length - 2)?, hash)?;
        Some(found(prob, f32::from_bits(backoff), hash))
    }
}

impl Search for ProbingTables<'_> {
    #[inline]
    fn order(&self) -> usize {
        self.order
    }

    #[inline]
    fn unigram(&self, word: Sym) -> Found {
        let known = self.unigrams.get(word.ix()).or(self.unigrams.get(UNK.ix()));
        let [prob, backoff] = known.copied().unwrap_or([0.0, NO_CONTEXT]);
        found(prob.to_bits(), backoff, longer_hash(self.seed, word))
    }

    #[inline]
    fn longer(&self, length: usize, node: u64, word: Sym) -> Option<Found> {
        self.entry(length, longer_hash(node, word))
    }

    #[inline]
    fn steps(&self, _: usize) -> usize {
        1
    }

    #[inline]
    fn aim(&self, _: usize, length: usize, node: u64, word: Sym, cursor: &mut Cursor) {
        let hash = longer_hash(node, word);
        let slots = if length == self.order { self.last.len() } else { self.middle[length - 2].len() };
        *cursor = Cursor { at: place(hash, slots).0, notes: [hash, 0] };
    }

    #[inline]
    fn read(&self, _: usize, length: usize, cursor: &Cursor) -> u64 {
        let check = if length == self.order {
            self.last.get(cursor.at).map(|entry| entry[0])
        } else {
            self.middle[length - 2].get(cursor.at).map(|entry| entry[0])
        };
        u64::from(check.unwrap_or(0))
    }

    #[inline]
    fn reach(&self, length: usize, _: u64, _: Sym, cursor: &Cursor) -> Option<Found> {
        self.entry(length, cursor.notes[0])
    }
}
