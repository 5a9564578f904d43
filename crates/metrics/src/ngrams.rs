//! Counts of the n-grams of a sentence, and how many of them another sentence has: the inner loop of BLEU, NIST and
//! chrF. An n-gram is known by a 64-bit hash that is built up symbol by symbol, so that all orders at one position
//! cost one multiplication and one look-up each.

use xxhash_rust::xxh3::xxh3_64;

/// The hash before any symbol.
pub const EMPTY: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of an n-gram that is one symbol longer.
pub fn extend(hash: u64, symbol: u64) -> u64 {
    let product = u128::from(hash ^ symbol) * u128::from(0xd6e8_feb8_6659_fd93_u64);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A word as a symbol.
pub fn word(token: &str) -> u64 {
    xxh3_64(token.as_bytes())
}

/// How many n-grams of an order a sentence has.
pub fn total(length: usize, order: usize) -> usize {
    (length + 1).saturating_sub(order)
}

#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    /// 0 in a free slot.
    count: u32,
}

/// The n-grams of all orders up to a highest, with their counts: an open-addressing table, at most half full.
#[derive(Default)]
pub struct Ngrams {
    slots: Vec<Slot>,
}

impl Ngrams {
    fn with_room(ngrams: usize) -> Self {
        Self { slots: vec![Slot::default(); (2 * ngrams).next_power_of_two().max(2)] }
    }

    /// Counts the n-grams of a sentence.
    pub fn new(symbols: &[u64], order: usize) -> Self {
        let room = (1..=order).map(|n| total(symbols.len(), n)).sum();
        let mut ngrams = Self::with_room(room);
        for start in 0..symbols.len() {
            let mut hash = EMPTY;
            for &symbol in symbols[start..].iter().take(order) {
                hash = extend(hash, symbol);
                let at = ngrams.find(hash);
                ngrams.slots[at].hash = hash;
                ngrams.slots[at].count += 1;
            }
        }
        ngrams
    }

    /// For each n-gram the greatest count it has in any of several sentences.
    pub fn maximum(several: &[Self]) -> Self {
        let filled = |ngrams: &Self| ngrams.slots.iter().filter(|s| s.count > 0).count();
        let mut maximum = Self::with_room(several.iter().map(filled).sum());
        for slot in several.iter().flat_map(|ngrams| &ngrams.slots).filter(|slot| slot.count > 0) {
            let at = maximum.find(slot.hash);
            let count = maximum.slots[at].count.max(slot.count);
            maximum.slots[at] = Slot { hash: slot.hash, count };
        }
        maximum
    }

    /// How many slots there are: more than n-grams.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The slot of an n-gram, or the free one where it belongs.
    pub fn find(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].count > 0 && self.slots[at].hash != hash {
            at = (at + 1) & mask;
        }
        at
    }

    /// Calls `matched` with the order (from 0) and the slot of each n-gram of `symbols` that these n-grams have,
    /// each at most as often as they have it.
    pub fn for_each_match(&self, symbols: &[u64], order: usize, mut matched: impl FnMut(usize, usize)) {
        let mut seen = vec![0u32; self.slots.len()];
        for start in 0..symbols.len() {
            let mut hash = EMPTY;
            for (n, &symbol) in symbols[start..].iter().take(order).enumerate() {
                hash = extend(hash, symbol);
                let at = self.find(hash);
                if self.slots[at].count == 0 {
                    break;
                }
                seen[at] += 1;
                if seen[at] <= self.slots[at].count {
                    matched(n, at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn counts(symbols: &[u64], n: usize) -> HashMap<&[u64], usize> {
        let mut counts = HashMap::new();
        for ngram in symbols.windows(n) {
            *counts.entry(ngram).or_default() += 1;
        }
        counts
    }

    proptest! {
        #[test]
        fn matches_are_clipped_to_the_greatest_count_in_any_reference(
            first in proptest::collection::vec(0u64..4, 0..12),
            second in proptest::collection::vec(0u64..4, 0..12),
            hypothesis in proptest::collection::vec(0u64..5, 0..12),
        ) {
            let references = [&first, &second];
            let several: Vec<Ngrams> = references.iter().map(|r| Ngrams::new(r, 3)).collect();
            let mut matches = [0; 3];
            Ngrams::maximum(&several).for_each_match(&hypothesis, 3, |n, _| matches[n] += 1);
            for n in 1..=3 {
                let references = references.map(|r| counts(r, n));
                let expected: usize = counts(&hypothesis, n)
                    .into_iter()
                    .map(|(ngram, count)| {
                        let most = references.iter().filter_map(|r| r.get(ngram).copied()).max();
                        count.min(most.unwrap_or(0))
                    })
                    .sum();
                prop_assert_eq!(matches[n - 1], expected);
            }
        }
    }
}
