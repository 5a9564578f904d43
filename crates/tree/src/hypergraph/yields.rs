//! Strings of words as hashes that are put together from those of their parts: so that derivations of the same
//! words are told apart without writing them out.

/// A string of words by its hash: the value of a polynomial, and the power of its base that longer strings need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Yield {
    hash: u64,
    power: u64,
}

/// A piece of the words that a hyperarc gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YieldItem {
    /// Words of its own.
    Words(Yield),
    /// The words of a tail.
    Tail(u8),
}

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x1234_5678_9abc_def1 % PRIME;

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

impl Yield {
    /// No words.
    pub const EMPTY: Self = Self { hash: 0, power: 1 };

    /// One word, by a hash of its text.
    pub fn word(hash: u64) -> Self {
        Self { hash: hash % PRIME, power: BASE }
    }

    /// The words of this and then those of the next.
    pub fn then(self, next: Self) -> Self {
        let hash = (multiply(self.hash, next.power) + next.hash) % PRIME;
        Self { hash, power: multiply(self.power, next.power) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_equal_however_they_are_put_together() {
        let [a, b, c] = [7, 1 << 40, u64::MAX].map(Yield::word);
        assert_eq!(a.then(b).then(c), a.then(b.then(c)));
        assert_eq!(a.then(Yield::EMPTY), Yield::EMPTY.then(a));
        assert_ne!(a.then(b), b.then(a));
        assert_ne!(a.then(a), a);
    }
}
