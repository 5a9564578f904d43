//! `UnknownWordPenalty0`: words that no table has and that are copied, and given translations that no rule has where one should.

use super::{Feature, RuleView, Shape};
use crate::derivation::Applied;

/// Its name.
pub(super) const NAME: &str = "UnknownWordPenalty0";

/// What a copied word counts.
const UNKNOWN: f32 = -100.0;

struct UnknownWord;

pub(super) fn of(_: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    vec![Box::new(UnknownWord)]
}

impl Feature for UnknownWord {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![1.0]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(self.start())
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        match rule.applied {
            Applied::Unknown | Applied::Given { lone: true, .. } => UNKNOWN,
            _ => 0.0,
        }
    }
}
