//! The random numbers of significance tests: PCG64 (O'Neill 2014) seeded and used as NumPy's `default_rng`, so that a
//! test with sacreBLEU's seed draws sacreBLEU's samples.

/// A stream of random numbers.
pub struct Random {
    state: u128,
    increment: u128,
    /// The second half of the last 64 bits.
    half: Option<u32>,
    /// Bits for coins, and how many of them are left.
    bits: u32,
    coins: u32,
}

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let words = seed_words(seed);
        let wide = |high: usize| u128::from(words[high]) << 64 | u128::from(words[high + 1]);
        let mut random = Self { state: 0, increment: wide(2) << 1 | 1, half: None, bits: 0, coins: 0 };
        random.step();
        random.state = random.state.wrapping_add(wide(0));
        random.step();
        random
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let both = self.next_u64();
        self.half = Some((both >> 32) as u32);
        both as u32
    }

    /// A number below `n`, each as likely (Lemire 2019).
    pub fn below(&mut self, n: u32) -> u32 {
        if n <= 1 {
            return 0;
        }
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// A coin: one of 32 bits that are drawn at a time.
    pub fn coin(&mut self) -> bool {
        if self.coins == 0 {
            (self.bits, self.coins) = (self.next_u32(), 32);
        } else {
            self.bits >>= 1;
        }
        self.coins -= 1;
        self.bits & 1 == 1
    }
}

/// NumPy's `SeedSequence(seed).generate_state(4, uint64)`.
fn seed_words(seed: u64) -> [u64; 4] {
    let mut hash = 0x43b0_d7e5_u32;
    let mut scramble = |value: u32| {
        let value = value ^ hash;
        hash = hash.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(hash);
        value ^ value >> 16
    };
    let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(&mut scramble);
    for from in 0..4 {
        for to in (0..4).filter(|&to| to != from) {
            let other = scramble(pool[from]);
            let mixed =
                0xca01_f9dd_u32.wrapping_mul(pool[to]).wrapping_sub(0x4973_f715_u32.wrapping_mul(other));
            pool[to] = mixed ^ mixed >> 16;
        }
    }
    let mut hash = 0x8b51_f9dd_u32;
    let mut word = |ix: usize| {
        let value = pool[ix % 4] ^ hash;
        hash = hash.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(hash);
        u64::from(value ^ value >> 16)
    };
    std::array::from_fn(|ix| word(2 * ix) | word(2 * ix + 1) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_numpy() {
        let mut random = Random::new(12345);
        let drawn: Vec<u32> = (0..10).map(|_| random.below(1000)).collect();
        assert_eq!(drawn, [699, 227, 788, 316, 204, 797, 642, 676, 988, 391]);
        let drawn: Vec<u32> = (0..5).map(|_| random.below(7)).collect();
        assert_eq!(drawn, [5, 2, 3, 4, 1]);
    }

    #[test]
    fn the_coins_are_those_of_numpy() {
        let mut random = Random::new(12345);
        let drawn: String = (0..40).map(|_| if random.coin() { '1' } else { '0' }).collect();
        assert_eq!(drawn, "1011100110000011111111110100110110110001");
    }
}
