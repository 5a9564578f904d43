//! `LexicalReordering0`: the scores of phrases by where they stand to the phrases before and after them, in stack search.

use super::{Feature, Shape};

pub(super) const NAME: &str = "LexicalReordering0";

/// How many scores lexicalised reordering has: monotone, swap and discontinuous, backward, then forward.
pub const REORDERING: usize = 6;

struct Reordering;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.is_chart() { Vec::new() } else { vec![Box::new(Reordering)] }
}

impl Feature for Reordering {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn width(&self) -> usize {
        REORDERING
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        vec![0.3; REORDERING]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(vec![0.0; REORDERING])
    }
}
