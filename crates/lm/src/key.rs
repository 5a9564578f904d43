//! N-grams packed into integers, last word first, so that sorting the integers sorts the n-grams in suffix order:
//! by the last word, then the one before it, and so on (Heafield et al. 2013, section 3.1).

use bytemuck::Pod;

/// How words lie in a key: `order` fields of `bits` bits, the last word in the highest field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing {
    /// The number of fields.
    pub order: usize,
    /// The width of a field.
    pub bits: u32,
}

impl Packing {
    /// The packing of n-grams of this order over `words` words.
    pub fn new(order: usize, words: usize) -> Self {
        let bits = (usize::BITS - words.saturating_sub(1).leading_zeros()).max(1);
        Self { order, bits }
    }

    /// How many bits a key needs.
    pub fn width(self) -> u32 {
        self.order as u32 * self.bits
    }

    fn shift(self, depth: usize) -> u32 {
        (self.order - 1 - depth) as u32 * self.bits
    }
}

/// An integer that holds a packed n-gram. Depth 0 is the last word.
pub trait Key: Copy + Ord + Send + Sync + Pod {
    /// The n-gram moved on by one word: `word` is the new last one, the first falls out.
    fn push(self, word: u32, packing: Packing) -> Self;

    /// The word at a depth.
    fn word(self, depth: usize, packing: Packing) -> u32;

    /// How many words from the last one on are the same in both keys: `order` if all are.
    fn common(self, other: Self, packing: Packing) -> usize;

    /// The key of only the last `words` words; the other fields are 0.
    fn last(self, words: usize, packing: Packing) -> Self;

    /// The key of all words but the last one.
    fn context(self, packing: Packing) -> Self;

    /// The key of a sequence given from the last word to the first; missing words are 0.
    fn pack(words: &[u32], packing: Packing) -> Self {
        let fill = std::iter::repeat_n(&0, packing.order.saturating_sub(words.len()));
        fill.chain(words.iter().rev()).fold(Self::zeroed(), |key, &word| key.push(word, packing))
    }
}

macro_rules! integer_key {
    ($type:ty) => {
        impl Key for $type {
            fn push(self, word: u32, packing: Packing) -> Self {
                let rest = if packing.order == 1 { 0 } else { self >> packing.bits };
                rest | <$type>::from(word) << packing.shift(0)
            }

            fn word(self, depth: usize, packing: Packing) -> u32 {
                (self >> packing.shift(depth)) as u32 & (u32::MAX >> (32 - packing.bits))
            }

            fn common(self, other: Self, packing: Packing) -> usize {
                let spare = <$type>::BITS - packing.width();
                let same = (self ^ other).leading_zeros() - spare;
                (same / packing.bits) as usize
            }

            fn last(self, words: usize, packing: Packing) -> Self {
                let dropped = (packing.order - words) as u32 * packing.bits;
                self >> dropped << dropped
            }

            fn context(self, packing: Packing) -> Self {
                let spare = <$type>::BITS - packing.width();
                if packing.order == 1 { 0 } else { self << (packing.bits + spare) >> spare }
            }
        }
    };
}

integer_key!(u64);
integer_key!(u128);

/// The most words a [`WideKey`] holds.
pub const WIDE: usize = 8;

/// A key for n-grams that fit no integer: one field a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct WideKey([u32; WIDE]);

impl Key for WideKey {
    fn push(mut self, word: u32, packing: Packing) -> Self {
        self.0.copy_within(..packing.order - 1, 1);
        self.0[0] = word;
        self
    }

    fn word(self, depth: usize, _: Packing) -> u32 {
        self.0[depth]
    }

    fn common(self, other: Self, packing: Packing) -> usize {
        (0..packing.order).take_while(|&d| self.0[d] == other.0[d]).count()
    }

    fn last(mut self, words: usize, _: Packing) -> Self {
        self.0[words..].fill(0);
        self
    }

    fn context(mut self, _: Packing) -> Self {
        self.0.rotate_left(1);
        self.0[WIDE - 1] = 0;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts<K: Key + std::fmt::Debug>(words: &[u32], packing: Packing) {
        let key = K::pack(words, packing);
        assert_eq!(key.context(packing), K::pack(&words[1..], packing));
        for kept in 1..=words.len() {
            assert_eq!(key.last(kept, packing), K::pack(&words[..kept], packing));
        }
    }

    fn agrees<K: Key + std::fmt::Debug>(a: &[u32], b: &[u32], packing: Packing) {
        let (ka, kb) = (K::pack(a, packing), K::pack(b, packing));
        for (depth, &word) in a.iter().enumerate() {
            assert_eq!(ka.word(depth, packing), word);
        }
        assert_eq!(ka.cmp(&kb), a.cmp(b), "keys sort as reversed n-grams");
        assert_eq!(ka.common(kb, packing), a.iter().zip(b).take_while(|(x, y)| x == y).count());
    }

    proptest! {
        #[test]
        fn every_width_of_key_packs_sorts_and_compares_alike(
            order in 1usize..4,
            pool in proptest::collection::vec(0u32..1000, 8),
            words in 1000usize..100_000,
        ) {
            let packing = Packing::new(order, words);
            let (a, b) = (&pool[..order], &pool[4..4 + order]);
            agrees::<u64>(a, b, packing);
            agrees::<u128>(a, b, packing);
            agrees::<WideKey>(a, b, packing);
            parts::<u64>(a, packing);
            parts::<u128>(a, packing);
            parts::<WideKey>(a, packing);
            let mut close = a.to_vec();
            close[order - 1] = pool[7];
            agrees::<u64>(a, &close, packing);
            agrees::<u128>(a, &close, packing);
            agrees::<WideKey>(a, &close, packing);
        }
    }
}
