//! `Parses0`: the logarithms of the shares that what was translated has in the parses of the input. Only systems whose weights name
//! it have it: they translate several parses of a sentence at once.

use super::{Feature, RuleView, Shape};
use crate::weights::Weights;

pub(super) const NAME: &str = "Parses0";

struct Parses;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.is_chart() && shape.names(NAME, false) {
        return vec![Box::new(Parses)];
    }
    Vec::new()
}

/// Gives the shares of parses their first weight, for a system that is to be tuned on several parses of a sentence.
pub fn weigh_parses(weights: &mut Weights) {
    weights.or_default(NAME, &Parses.start());
}

impl Feature for Parses {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![0.1]
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        rule.parse
    }
}
