//! `Distortion0`: minus the number of source words that phrases jump over, in stack search.

use super::{Feature, Shape};

pub(super) const NAME: &str = "Distortion0";

struct Distortion;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.is_chart() { Vec::new() } else { vec![Box::new(Distortion)] }
}

impl Feature for Distortion {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        vec![0.3]
    }
}
