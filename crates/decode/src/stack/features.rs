//! The features of phrase-based translation, named and ordered as Moses does, and their weights as the search needs
//! them.

use super::table::REORDERING;
use crate::error::Result;
use crate::weights::{FeatureSet, Weights};
use std::ops::Range;

/// What an unknown word costs before its weight.
pub const UNKNOWN: f32 = -100.0;

/// Where each feature stands in a dense vector.
#[derive(Debug, Clone)]
pub struct Layout {
    set: FeatureSet,
    pub(super) reordering: Range<usize>,
    pub(super) distortion: usize,
    pub(super) lms: Vec<usize>,
    pub(super) word_penalty: usize,
    pub(super) phrase_penalty: usize,
    pub(super) tables: Vec<Range<usize>>,
    pub(super) unknown: usize,
}

impl Layout {
    /// The features of a system with these language models and tables, the latter given by how many scores each has.
    pub fn new(lms: usize, tables: &[usize]) -> Self {
        let mut set = FeatureSet::default();
        Self {
            reordering: set.add("LexicalReordering0", REORDERING),
            distortion: set.add("Distortion0", 1).start,
            lms: (0..lms).map(|k| set.add(format!("LM{k}"), 1).start).collect(),
            word_penalty: set.add("WordPenalty0", 1).start,
            phrase_penalty: set.add("PhrasePenalty0", 1).start,
            tables: (0..tables.len()).map(|k| set.add(format!("TranslationModel{k}"), tables[k])).collect(),
            unknown: set.add("UnknownWordPenalty0", 1).start,
            set,
        }
    }

    /// The features by name.
    pub fn set(&self) -> &FeatureSet {
        &self.set
    }

    /// The dense weights. Those of unknown words are 1 and those of reordering 0 unless they are given.
    pub fn weights(&self, weights: &Weights) -> Result<Vec<f32>> {
        let mut weights = weights.clone();
        weights.or_default("UnknownWordPenalty0", &[1.0]);
        weights.or_default("LexicalReordering0", &[0.0; REORDERING]);
        weights.vector(&self.set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_stand_in_the_order_of_moses() {
        let layout = Layout::new(2, &[4, 1]);
        let names: Vec<&str> = layout.set().iter().map(|(name, _)| name).collect();
        assert_eq!(
            names.join(" "),
            "LexicalReordering0 Distortion0 LM0 LM1 WordPenalty0 PhrasePenalty0 TranslationModel0 \
             TranslationModel1 UnknownWordPenalty0"
        );
        assert_eq!(layout.set().len(), 6 + 1 + 2 + 1 + 1 + 4 + 1 + 1);
    }
}
