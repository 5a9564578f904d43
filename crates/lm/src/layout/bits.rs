//! Numbers of any width packed into 64-bit words.

/// Numbers of one width being packed, one after the other.
#[derive(Default)]
pub struct Packer {
    bits: Vec<u64>,
    at: u64,
}

impl Packer {
    /// Appends the lowest `width` bits (at most 64) of a value; the others must be 0.
    pub fn push(&mut self, value: u64, width: u32) {
        debug_assert!(width == 64 || value >> width == 0);
        let offset = (self.at % 64) as u32;
        let needed = ((self.at + u64::from(width)).div_ceil(64)) as usize;
        self.bits.resize(self.bits.len().max(needed), 0);
        if width == 0 {
            return;
        }
        let slot = (self.at / 64) as usize;
        self.bits[slot] |= value << offset;
        if offset + width > 64 {
            self.bits[slot + 1] |= value >> (64 - offset);
        }
        self.at += u64::from(width);
    }

    /// The packed words; one more than needed, so that every read may look at two.
    pub fn finish(mut self) -> Vec<u64> {
        self.bits.push(0);
        self.bits
    }
}

/// The `width` bits (at most 64) at a bit position; beyond the end there are zeros.
#[inline]
pub fn get(bits: &[u64], at: u64, width: u32) -> u64 {
    let offset = (at % 64) as u32;
    let slot = (at / 64) as usize;
    let Some(&[low, high]) = bits.get(slot..slot + 2).and_then(<[u64]>::first_chunk::<2>) else { return 0 };
    let both = (u128::from(high) << 64 | u128::from(low)) >> offset;
    both as u64 & (u64::MAX >> (64 - width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_read_back(values in proptest::collection::vec((any::<u64>(), 1u32..=64), 0..200)) {
            let mut packer = Packer::default();
            for &(value, width) in &values {
                packer.push(value & (u64::MAX >> (64 - width)), width);
            }
            let bits = packer.finish();
            let mut at = 0;
            for &(value, width) in &values {
                prop_assert_eq!(get(&bits, at, width), value & (u64::MAX >> (64 - width)));
                at += u64::from(width);
            }
            prop_assert_eq!(get(&bits, at + 1000, 17), 0);
        }
    }
}
