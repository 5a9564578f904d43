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

/// The product modulo the prime, for factors below it: as 2^61 is 1, the bits above are added to those below.
#[inline]
fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduced((product >> 61) as u64 + (product as u64 & PRIME))
}

/// A sum of two numbers up to the prime, modulo the prime.
#[inline]
fn reduced(sum: u64) -> u64 {
    if sum >= PRIME { sum - PRIME } else { sum }
}

impl Yield {
    /// No words.
    pub const EMPTY: Self = Self { hash: 0, power: 1 };

    /// One word, by a hash of its text.
    #[inline]
    pub fn word(hash: u64) -> Self {
        Self { hash: hash % PRIME, power: BASE }
    }

    /// A hash of all 64 bits.
    #[inline]
    pub fn spread(self) -> u64 {
        self.hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The words of this and then those of the next.
    #[inline]
    pub fn then(self, next: Self) -> Self {
        let hash = reduced(multiply(self.hash, next.power) + next.hash);
        Self { hash, power: multiply(self.power, next.power) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_long_division() {
        let numbers = [0, 1, 2, BASE, PRIME / 2, PRIME / 2 + 1, PRIME - 2, PRIME - 1];
        for a in numbers {
            for b in numbers {
                let expected = u128::from(a) * u128::from(b) % u128::from(PRIME);
                assert_eq!(u128::from(multiply(a, b)), expected, "{a} times {b}");
            }
        }
    }

    #[test]
    fn strings_are_equal_however_they_are_put_together() {
        let [a, b, c] = [7, 1 << 40, u64::MAX].map(Yield::word);
        assert_eq!(a.then(b).then(c), a.then(b.then(c)));
        assert_eq!(a.then(Yield::EMPTY), Yield::EMPTY.then(a));
        assert_ne!(a.then(b), b.then(a));
        assert_ne!(a.then(a), a);
    }
}
