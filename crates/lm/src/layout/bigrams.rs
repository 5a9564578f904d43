//! Where in a trie's second level a bigram is, by a hash: a frequent word follows thousands of others, and searching them
//! would take most of the time of a query.

use super::probing::{longer_hash, place};
use treeglot_text::vocab::Sym;

/// Slots that hold the index of a bigram + 1 in their lower bits and a part of its hash in the others; 0 if empty.
/// What is found must be compared with the bigram.
#[derive(Clone, Copy, Default)]
pub struct Bigrams<'m> {
    slots: &'m [u32],
    index_bits: u32,
}

impl<'m> Bigrams<'m> {
    /// Slots as [`pack`] makes them for this many bigrams.
    pub fn new(slots: &'m [u32], count: u32) -> Self {
        Self { slots, index_bits: index_bits(count) }
    }

    /// The index of the bigram `word` before `last`, for which `is_it` holds.
    #[inline]
    pub fn find(&self, last: Sym, word: Sym, is_it: impl Fn(u64) -> bool) -> Option<u64> {
        let (start, check) = start(last, word, self.slots.len(), self.index_bits);
        let mut slot = start;
        loop {
            let entry = u64::from(*self.slots.get(slot)?);
            if entry == 0 {
                return None;
            }
            let index = (entry & ((1 << self.index_bits) - 1)).wrapping_sub(1);
            if entry >> self.index_bits == check && is_it(index) {
                return Some(index);
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
            // Only an altered file has no empty slot.
            if slot == start {
                return None;
            }
        }
    }

    /// The slot at which the search for a bigram begins.
    #[inline]
    pub fn first_slot(&self, last: Sym, word: Sym) -> usize {
        start(last, word, self.slots.len(), self.index_bits).0
    }

    /// The index in a slot; 0 if there is none.
    #[inline]
    pub fn index_in(&self, slot: usize) -> u64 {
        let entry = self.slots.get(slot).map_or(0, |&entry| u64::from(entry));
        (entry & ((1 << self.index_bits) - 1)).saturating_sub(1)
    }
}

/// The slots of bigrams given in the order of their indices, each as its last word and the one before.
pub fn pack(bigrams: impl Iterator<Item = (Sym, Sym)>, count: u32) -> Vec<u32> {
    let bits = index_bits(count);
    let mut slots = vec![0; count as usize + count as usize / 2 + 1];
    for ((last, word), number) in bigrams.zip(1u64..) {
        let (mut slot, check) = start(last, word, slots.len(), bits);
        while slots[slot] != 0 {
            slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
        }
        slots[slot] = (check << bits | number) as u32;
    }
    slots
}

fn index_bits(count: u32) -> u32 {
    u32::BITS - count.leading_zeros()
}

#[inline]
fn start(last: Sym, word: Sym, slots: usize, index_bits: u32) -> (usize, u64) {
    let (slot, check) = place(longer_hash(longer_hash(0, last), word), slots);
    (slot, u64::from(check) >> index_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bigram_is_found_and_no_other() {
        let bigrams: Vec<(Sym, Sym)> = (0..4000u32).map(|i| (Sym(i / 40), Sym(i % 40 * 3))).collect();
        let slots = pack(bigrams.iter().copied(), 4000);
        let index = Bigrams::new(&slots, 4000);
        let find = |last, word| index.find(last, word, |at| bigrams.get(at as usize) == Some(&(last, word)));
        for (at, &(last, word)) in bigrams.iter().enumerate() {
            assert_eq!(find(last, word), Some(at as u64));
            assert_eq!(find(last, Sym(word.0 + 1)), None);
        }
        assert_eq!(Bigrams::default().find(Sym(1), Sym(2), |_| true), None);
    }
}
