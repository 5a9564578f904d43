//! What rules are worth before any language model knows what stands beside them: what a forest that may not have everything
//! keeps the best by.

use crate::forest::RuleList;

/// Estimates of rules, as whoever has weights can give them.
pub trait Estimates {
    /// The estimate of the best rule of a list, without what its variables stand for; negative
    /// infinity for a list without rules.
    fn best_of(&mut self, list: RuleList) -> f32;
}

/// No rule is worth more than another.
impl Estimates for () {
    fn best_of(&mut self, _: RuleList) -> f32 {
        0.0
    }
}
