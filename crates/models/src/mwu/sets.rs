//! Sets of words as numbers: each word has a random number of 128 bits, a set the exclusive or of its words'. Two
//! different sets of a sentence share a number with a probability of 2^-128, and joining disjoint sets takes one step.

use treeglot_tree::{DepTree, WordIx};

/// The number of a set of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(u128);

impl Key {
    /// The key of the union with a disjoint set.
    pub fn join(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    /// A key for the same set seen from another tree.
    pub fn rotated(self, tree: u32) -> Self {
        Self(self.0.rotate_left(tree))
    }

    /// Bits for hash tables: the key is random already.
    pub fn hash(self) -> u64 {
        self.0 as u64
    }
}

/// The numbers of the words of a sentence, the same in every run.
pub struct Keys(Vec<Key>);

impl Keys {
    /// For a sentence of so many words.
    pub fn new(words: usize) -> Self {
        let number = |k: usize| {
            let high = mix(2 * k as u64 + 1);
            Key(u128::from(high) << 64 | u128::from(mix(2 * k as u64 + 2)))
        };
        Self((0..words).map(number).collect())
    }

    /// The key of a set of words.
    pub fn of(&self, words: impl IntoIterator<Item = WordIx>) -> Key {
        words.into_iter().fold(Key::default(), |set, word| set.join(self.0[word.ix()]))
    }

    /// The keys of all subtrees, by their tops.
    pub fn subtrees(&self, tree: &DepTree) -> Vec<Key> {
        let mut keys = self.0[..tree.len()].to_vec();
        for &word in tree.preorder().iter().rev() {
            if let Some(head) = tree.head(word) {
                keys[head.ix()] = keys[head.ix()].join(keys[word.ix()]);
            }
        }
        keys
    }
}

/// The output function of SplitMix64 (Steele, Lea & Flood 2014).
fn mix(step: u64) -> u64 {
    let mut z = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
