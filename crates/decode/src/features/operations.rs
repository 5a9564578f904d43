//! `OperationModel0`: an operation sequence model (Durrani et al. 2011, 2013) as a feature of stack search. Its value is the natural
//! logarithm of the probability of the operations that generate both sides; see [`crate::operations`].

use super::{Feature, Shape};

pub(super) const NAME: &str = "OperationModel0";
const START: f32 = 0.1;

struct Entry;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.operations { vec![Box::new(Entry)] } else { Vec::new() }
}

impl Feature for Entry {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        vec![START]
    }
}
