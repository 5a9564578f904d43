//! `Corrections0`: how many translations are used that were learnt from corrections. A positive weight prefers them to what the tables
//! say. Only systems that learnt something have it.

use super::{Extra, Feature, RuleView, Shape};
use crate::derivation::Applied;
use treeglot_models::Origin;

const NAME: &str = "Corrections0";
const START: f32 = 1.0;

struct Learnt;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.extra.contains(&Extra::Corrections) || shape.names(NAME, false) {
        return vec![Box::new(Learnt)];
    }
    Vec::new()
}

impl Feature for Learnt {
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
        if matches!(rule.applied, Applied::Given { origin: Origin::Correction, .. }) { 1.0 } else { 0.0 }
    }
}
