//! What continuous word sequences correspond to on the other side (Na & Lee 2011, table 1): how often a phrase of
//! neighbouring words is enough.

use crate::matrix::Matrix;
use serde::{Deserialize, Serialize};
use treeglot_tree::Span;

/// How many sequences have which kind of counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sequences {
    /// Neighbouring words, unlinked ones between them aside, which are linked to nothing else.
    pub consistent: u64,
    /// Words of which some are linked to words outside the sequence as well.
    pub overlapped: u64,
    /// Words linked to nothing else, but between them are words that are linked outside the sequence.
    pub discontinuous: u64,
    /// No words.
    pub null: u64,
}

impl Sequences {
    /// Counts the sequences of at most `longest` words of one side; `other` is the links seen from the other side.
    pub fn add(&mut self, own: &Matrix<'_>, other: &Matrix<'_>, longest: u32) {
        let count = own.source_len();
        for start in 0..count {
            for end in start + 1..=count.min(start.saturating_add(longest)) {
                *self.kind(own, other, Span::new(start, end)) += 1;
            }
        }
    }

    fn kind(&mut self, own: &Matrix<'_>, other: &Matrix<'_>, span: Span) -> &mut u64 {
        let links = || (span.start..span.end).flat_map(|word| own.of_source(word));
        let leaves = |word: u32| {
            other.of_source(word).iter().any(|link| link.tgt < span.start || link.tgt >= span.end)
        };
        let (Some(first), Some(last)) =
            (links().map(|link| link.tgt).min(), links().map(|link| link.tgt).max())
        else {
            return &mut self.null;
        };
        if links().any(|link| leaves(link.tgt)) {
            &mut self.overlapped
        } else if (first..=last).any(leaves) {
            &mut self.discontinuous
        } else {
            &mut self.consistent
        }
    }

    /// Adds the counts of another part.
    pub fn merge(&mut self, part: &Self) {
        self.consistent += part.consistent;
        self.overlapped += part.overlapped;
        self.discontinuous += part.discontinuous;
        self.null += part.null;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.consistent + self.overlapped + self.discontinuous + self.null
    }
}
