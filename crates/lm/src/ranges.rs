//! Consecutive ranges in about two bits each: for each range as many ones as it is long, then a zero. Where a range
//! begins is found from a sample every 64 ranges and by counting bits from there.

use crate::bits;

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
    /// The sample before a range: the first thing to read of it.
    #[inline]
    pub fn sample(&self, number: u64) -> u64 {
        self.samples.get((number / SAMPLE as u64) as usize).copied().unwrap_or(0)
    }

    /// The bits at the sample before a range: the second thing to read of it.
    #[inline]
    pub fn touch(&self, number: u64) -> u64 {
        self.bits.get((self.sample(number) / 64) as usize).copied().unwrap_or(0)
    }

    /// The range of that number; empty if the bits end before.
    #[inline]
    pub fn get(&self, number: u64) -> std::ops::Range<u64> {
        let Some(&sample) = self.samples.get((number / SAMPLE as u64) as usize) else { return 0..0 };
        let Some(position) = self.skip_zeros(sample, (number % SAMPLE as u64) as u32) else { return 0..0 };
        let start = position.saturating_sub(number);
        start..start + self.ones(position)
    }

    /// The position after the given number of zeros.
    #[inline]
    fn skip_zeros(&self, from: u64, mut zeros: u32) -> Option<u64> {
        let mut slot = (from / 64) as usize;
        let mut word = !*self.bits.get(slot)? & (u64::MAX << (from % 64));
        if zeros == 0 {
            return Some(from);
        }
        while word.count_ones() < zeros {
            zeros -= word.count_ones();
            slot += 1;
            word = !*self.bits.get(slot)?;
        }
        for _ in 1..zeros {
            word &= word - 1;
        }
        Some(slot as u64 * 64 + u64::from(word.trailing_zeros()) + 1)
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
    }
}
