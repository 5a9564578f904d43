//! The glue grammar as the table after the last: joining one more piece. Where a system has no feature of its own for rules of a
//! simpler model ([`super::backoff`]), these count here.

use super::{Feature, RuleView, Shape, backoff, translation_model};
use crate::derivation::Applied;
use treeglot_models::Applies;

/// What joining one more piece counts as: the logarithm of the 2.718 that Moses writes into its glue grammar.
pub(super) const GLUE: f32 = 0.999_896_3;

struct Glue {
    name: String,
    start: f32,
    backs_off: bool,
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if !shape.is_chart() {
        return Vec::new();
    }
    vec![Box::new(Glue {
        name: translation_model::name(shape.tables.len()),
        start: if shape.applies == Applies::Trees { -0.3 } else { 1.0 },
        backs_off: backoff::of(shape).is_empty(),
    })]
}

impl Feature for Glue {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn start(&self) -> Vec<f32> {
        vec![self.start]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(vec![0.0])
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        match rule.applied {
            Applied::Glue => GLUE,
            Applied::Backoff if self.backs_off => GLUE,
            _ => 0.0,
        }
    }
}
