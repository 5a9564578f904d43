//! `WordPenalty0`: minus the number of words. Moses counts `<s>`, `</s>` and copied words as words.

use super::{Feature, RuleView, Shape};
use crate::derivation::Applied;

struct WordPenalty;

pub(super) fn of(_: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    vec![Box::new(WordPenalty)]
}

impl Feature for WordPenalty {
    fn name(&self) -> String {
        "WordPenalty0".to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![-1.0]
    }

    #[inline]
    fn value(&self, rule: &RuleView<'_>) -> f32 {
        match rule.applied {
            Applied::Rule { .. } | Applied::Given { .. } => {
                -(rule.target.iter().filter(|symbol| symbol.is_word()).count() as f32)
            }
            Applied::Begin | Applied::End | Applied::Unknown => -1.0,
            Applied::Glue | Applied::Join | Applied::Backoff | Applied::Silent => 0.0,
        }
    }
}
