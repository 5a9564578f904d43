//! Discounts of joint counts before relative frequencies are taken: Good-Turing and Kneser-Ney for phrase tables
//! (Foster, Kuhn and Johnson 2006), as Moses' `consolidate` computes them.

use crate::score::Discount;

/// The highest count whose number of rules is kept.
const HIGHEST: usize = 10;

/// How many rules were seen once, twice, and so on; fractional counts are rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CountsOfCounts {
    rules: u64,
    seen: [u64; HIGHEST + 1],
}

impl CountsOfCounts {
    /// Takes the count of one rule.
    pub fn add(&mut self, count: f32) {
        self.rules += 1;
        if let Some(seen) = self.seen.get_mut((count + 0.99999) as usize) {
            *seen += 1;
        }
    }

    /// Its numbers, for another process.
    pub fn numbers(&self) -> Vec<u64> {
        [self.rules].into_iter().chain(self.seen).collect()
    }

    /// The counts of such numbers; `None` if they are none.
    pub fn of_numbers(numbers: &[u64]) -> Option<Self> {
        let (&rules, seen) = numbers.split_first()?;
        Some(Self { rules, seen: seen.try_into().ok()? })
    }

    /// Takes those of another part.
    pub fn merge(&mut self, other: &Self) {
        self.rules += other.rules;
        self.seen.iter_mut().zip(other.seen).for_each(|(a, b)| *a += b);
    }
}

/// What is known of a rule when its probabilities are computed.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// How often it was seen.
    pub joint: f32,
    /// How often its source side was, and with how many target sides.
    pub source: (f32, u32),
    /// How often its target side was, and with how many source sides.
    pub target: (f32, u32),
}

/// A discount, ready to be applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Discounter {
    /// None.
    None,
    /// Factors by count.
    GoodTuring([f32; HIGHEST]),
    /// What is taken off the counts 1, 2, and 3 and above; and the number of rules.
    KneserNey([f32; 3], f32),
}

impl Discounter {
    /// The discount that these counts ask for.
    pub fn new(discount: Discount, counts: &CountsOfCounts) -> Self {
        let n = counts.seen.map(|seen| seen as f32);
        match discount {
            Discount::None => Self::None,
            Discount::GoodTuring => {
                let mut factors = [0.01; HIGHEST];
                for i in 1..HIGHEST {
                    let r = i as f32;
                    let [less, more] = [n[i], n[i + 1]].map(|seen| f64::from(seen) + 0.1);
                    let factor = (f64::from((r + 1.0) / r) * (more / less)) as f32;
                    factors[i] = factor.min(1.0).max(factors[i - 1]);
                }
                Self::GoodTuring(factors)
            }
            Discount::KneserNey => {
                let y = n[1] / (n[1] + 2.0 * n[2]);
                let amount = |k: usize, most: f32| {
                    let discount = k as f32 - (k + 1) as f32 * y * n[k + 1] / n[k];
                    if discount.is_nan() { most } else { discount.clamp(0.0, most) }
                };
                Self::KneserNey([amount(1, 0.9), amount(2, 1.9), amount(3, 2.9)], counts.rules as f32)
            }
        }
    }

    /// `p(s|t)` and `p(t|s)` of a rule.
    pub fn probabilities(&self, rule: &Seen) -> [f32; 2] {
        let Seen { joint, source, target } = *rule;
        match self {
            Self::None => [joint / target.0, joint / source.0],
            Self::GoodTuring(factors) => {
                let known = joint + 0.99999 < (HIGHEST - 1) as f32;
                let adjusted = if known { joint * factors[(joint + 0.99998) as usize] } else { joint };
                [adjusted / target.0, adjusted / source.0]
            }
            Self::KneserNey(amounts, rules) => {
                let amount = amounts[if joint < 2.0 {
                    0
                } else if joint < 3.0 {
                    1
                } else {
                    2
                }];
                let amount = if amount > joint { joint - 0.01 } else { amount };
                let given = |side: (f32, u32), partner: (f32, u32)| {
                    let mass = amount * side.1 as f32 / side.0;
                    (joint - amount + side.0 * mass * (partner.1 as f32 / rules)) / side.0
                };
                [given(target, source), given(source, target)]
            }
        }
    }
}
