//! `Memory0`: how many translations are used that come from a pair of a memory which is much like the sentence. A positive weight
//! prefers them to what the tables say, a negative one does the contrary. Only systems with a memory have it.

use super::{Extra, Feature, RuleView, Shape};
use crate::derivation::Applied;
use treeglot_models::Origin;

const NAME: &str = "Memory0";
/// How likely the phrases of a pair are is in the features of the first table already.
const START: f32 = 0.0;

struct Remembered;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.extra.contains(&Extra::Memory) || shape.names(NAME, false) {
        return vec![Box::new(Remembered)];
    }
    Vec::new()
}

impl Feature for Remembered {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![START]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(self.start())
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        if matches!(rule.applied, Applied::Given { origin: Origin::Memory, .. }) { 1.0 } else { 0.0 }
    }
}
