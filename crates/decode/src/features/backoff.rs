//! `Backoff0`: how often rules of a simpler model stand in for the model's own. Of tuned systems only those whose weights name
//! it have it; for others such a step counts as a glue rule.

use super::glue::GLUE;
use super::{Feature, RuleView, Shape};
use crate::derivation::Applied;
use treeglot_models::Applies;

const NAME: &str = "Backoff0";

struct Backoff;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.is_chart() && shape.names(NAME, shape.applies == Applies::Trees) {
        return vec![Box::new(Backoff)];
    }
    Vec::new()
}

impl Feature for Backoff {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![-0.3]
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        if rule.applied == Applied::Backoff { GLUE } else { 0.0 }
    }
}
