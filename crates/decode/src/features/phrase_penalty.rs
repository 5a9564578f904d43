//! `PhrasePenalty0`: the number of rules. Moses counts every rule of the glue grammar as one. A join is a step of a longer rule
//! and counts as nothing.

use super::{Feature, RuleView, Shape};
use crate::derivation::Applied;
use treeglot_models::Applies;

struct PhrasePenalty {
    start: f32,
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    vec![Box::new(PhrasePenalty { start: if shape.applies == Applies::Trees { 0.0 } else { 0.2 } })]
}

impl Feature for PhrasePenalty {
    fn name(&self) -> String {
        "PhrasePenalty0".to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![self.start]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(vec![0.0])
    }

    #[inline]
    fn value(&self, rule: &RuleView<'_>) -> f32 {
        if matches!(rule.applied, Applied::Join | Applied::Silent) { 0.0 } else { 1.0 }
    }
}
