//! The words of a model, in memory or in a mapped file.

use treeglot_text::mapped::Store;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The words of a model.
#[derive(Clone)]
pub enum Words {
    /// Built in this process.
    Owned(Vocab),
    /// Part of a mapped file.
    Mapped(MappedVocab),
}

impl Words {
    /// The word of a symbol, if there is such a symbol.
    pub fn word(&self, sym: Sym) -> Option<&str> {
        match self {
            Self::Owned(vocab) => (sym.ix() < vocab.len()).then(|| vocab.word(sym)),
            Self::Mapped(vocab) => vocab.word(sym),
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Owned(vocab) => vocab.len(),
            Self::Mapped(vocab) => vocab.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.word(Sym(at as u32)).unwrap_or_default())
    }
}

/// Finds words by a hash of theirs, without a look at the words: one wait for memory instead of three. Slots hold a
/// 32-bit check and the symbol; words of the model are told apart exactly, another word is taken for one of the model
/// about once in 10^9.
#[derive(Clone)]
pub struct WordIndex {
    /// The slots: check in the upper half, symbol + 1 in the lower; 0 if empty.
    pub slots: Store<u64>,
    /// Chosen so that no two words of the model are confused.
    pub seed: u64,
}

impl WordIndex {
    /// Builds the index of a model's words.
    pub fn build(words: &Words) -> Self {
        Self::of(|| words.all().zip((0..).map(Sym)))
    }

    /// Builds the index of these words, each with its symbol.
    pub fn of<'w, I: Iterator<Item = (&'w str, Sym)>>(words: impl Fn() -> I) -> Self {
        let mut seed = 0;
        loop {
            if let Some(slots) = Self::fill(&words, seed) {
                return Self { slots: Store::Owned(slots), seed };
            }
            seed += 1;
        }
    }

    /// The slots, or `None` if two words have the same check in the same place.
    fn fill<'w, I: Iterator<Item = (&'w str, Sym)>>(words: &impl Fn() -> I, seed: u64) -> Option<Vec<u64>> {
        let count = words().count();
        let mut slots = vec![0u64; count + count / 2 + 1];
        for (word, symbol) in words() {
            let (mut slot, check) = place(word, seed, slots.len());
            while slots[slot] != 0 {
                if slots[slot] >> 32 == check {
                    return None;
                }
                slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
            }
            slots[slot] = check << 32 | (u64::from(symbol.0) + 1);
        }
        Some(slots)
    }

    /// The symbol of a word, if the model has it.
    #[inline]
    pub fn get(&self, word: &str) -> Option<Sym> {
        let slots: &[u64] = &self.slots;
        let (start, check) = place(word, self.seed, slots.len());
        let mut slot = start;
        loop {
            let entry = *slots.get(slot)?;
            if entry >> 32 == check && entry != 0 {
                return Some(Sym((entry as u32).wrapping_sub(1)));
            }
            slot = if slot + 1 == slots.len() { 0 } else { slot + 1 };
            if entry == 0 || slot == start {
                return None;
            }
        }
    }
}

#[inline]
fn place(word: &str, seed: u64, slots: usize) -> (usize, u64) {
    let hash = xxh3_64_with_seed(word.as_bytes(), seed);
    let slot = (u128::from(hash) * slots as u128) >> 64;
    (slot as usize, hash & u64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_finds_every_word_and_no_other() {
        let mut vocab = Vocab::default();
        for i in 0..5000 {
            vocab.intern(&format!("w{i}"));
        }
        let words = Words::Owned(vocab);
        let index = WordIndex::build(&words);
        for (at, word) in words.all().enumerate() {
            assert_eq!(index.get(word), Some(Sym(at as u32)));
        }
        assert!((0..5000).all(|i| index.get(&format!("x{i}")).is_none()));
    }
}
