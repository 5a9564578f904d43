//! Consecutive ranges in about two bits each: for each range as many ones as it is long, then a zero. Where a range
//! begins is found from a sample every 64 ranges and by counting bits from there.

use super::bits;

const SAMPLE: usize = 64;

/// Packs ranges given by their starts and the end of the last: the bits, and the position of every 64th range.
pub fn pack(starts: &[u32]) -> (Vec<u64>, Vec<u64>) {
    let count = starts.len().saturating_sub(1);
    let total = starts.last().map_or(0, |&end| u64::from(end)) + count as u64;
    let mut bits = vec![0u64; (total / 64 + 2) as usize];
    let mut samples = Vec::with_capacity(count / SAMPLE + 1);
    for (at, range) in starts.windows(2).enumerate() {
        let first = u64::from(range[0]) + at as u64;
        if at % SAMPLE == 0 {
            samples.push(first);
        }
        for bit in first..first + u64::from(range[1] - range[0]) {
            bits[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }
    (bits, samples)
}

/// Ranges as slices of a file.
#[derive(Clone, Copy, Default)]
pub struct Ranges<'m> {
    /// The ones and zeros.
    pub bits: &'m [u64],
    /// The position of every 64th range.
    pub samples: &'m [u64],
}

impl Ranges<'_> {
    /// Where the sample before a range is: the first thing to read of it.
    #[inline]
    pub fn sample_slot(number: u64) -> usize {
        (number / SAMPLE as u64) as usize
    }

    /// Where the bits at the sample before a range are: the second thing to read of it.
    #[inline]
    pub fn bits_slot(&self, number: u64) -> usize {
        self.samples.get(Self::sample_slot(number)).map_or(0, |&sample| (sample / 64) as usize)
    }

    /// The range of that number; empty if the bits end before.
    #[inline]
    pub fn get(&self, number: u64) -> std::ops::Range<u64> {
        let Some(&sample) = self.samples.get(Self::sample_slot(number)) else { return 0..0 };
        let Some(position) = self.skip_zeros(sample, number % SAMPLE as u64) else { return 0..0 };
        let start = position.saturating_sub(number);
        start..start + self.ones(position)
    }

    /// The position after the given number of zeros.
    #[inline]
    fn skip_zeros(&self, from: u64, mut zeros: u64) -> Option<u64> {
        let mut slot = (from / 64) as usize;
        let mut word = !*self.bits.get(slot)? & (u64::MAX << (from % 64));
        if zeros == 0 {
            return Some(from);
        }
        let mut sums = byte_sums(word);
        while (sums >> 56) < zeros {
            zeros -= sums >> 56;
            slot += 1;
            word = !*self.bits.get(slot)?;
            sums = byte_sums(word);
        }
        Some(slot as u64 * 64 + u64::from(select(word, sums, zeros)) + 1)
    }

    /// How many ones follow.
    #[inline]
    fn ones(&self, from: u64) -> u64 {
        let mut count = 0;
        loop {
            let ones = u64::from(bits::get(self.bits, from + count, 64).trailing_ones());
            count += ones;
            if ones < 64 {
                return count;
            }
        }
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// In each byte, how many ones there are in it and those below it.
#[inline]
fn byte_sums(word: u64) -> u64 {
    let pairs = word - ((word >> 1) & (LOW * 0x55));
    let nibbles = (pairs & (LOW * 0x33)) + ((pairs >> 2) & (LOW * 0x33));
    ((nibbles + (nibbles >> 4)) & (LOW * 0x0f)).wrapping_mul(LOW)
}

/// The position of the `nth` one (from 1 on, at most as many as there are) of a word with these [`byte_sums`].
#[inline]
fn select(word: u64, sums: u64, nth: u64) -> u32 {
    let reached = ((sums | HIGH) - nth * LOW) & HIGH;
    let byte = reached.trailing_zeros() & 56;
    let below = ((sums << 8) >> byte) & 0xff;
    let mut rest = word >> byte;
    for _ in 1..nth - below {
        rest &= rest - 1;
    }
    byte + rest.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_ranges_are_the_ranges(lengths in proptest::collection::vec(prop_oneof![0u32..3, 0u32..200], 0..300)) {
            let mut starts = vec![0];
            for length in &lengths {
                starts.push(starts[starts.len() - 1] + length);
            }
            let (bits, samples) = pack(&starts);
            let ranges = Ranges { bits: &bits, samples: &samples };
            for (at, range) in starts.windows(2).enumerate() {
                prop_assert_eq!(ranges.get(at as u64), u64::from(range[0])..u64::from(range[1]));
            }
            prop_assert!(ranges.get(100_000).is_empty());
        }

        #[test]
        fn the_selected_bit_is_the_nth_one(word in prop_oneof![any::<u64>(), Just(u64::MAX), Just(1u64 << 63)]) {
            let ones = (0..64u32).filter(|bit| (word >> bit) & 1 == 1);
            for (bit, nth) in ones.zip(1..) {
                prop_assert_eq!(select(word, byte_sums(word), nth), bit);
            }
        }
    }
}
