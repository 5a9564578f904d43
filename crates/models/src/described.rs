//! Target spans as people read them, for pictures of what rules are read off.

use crate::matrix::Matrix;
use serde::Serialize;
use std::fmt;
use treeglot_tree::{Span, WordIx};

/// Target words from `start` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DescribedSpan {
    /// The first word.
    pub start: u32,
    /// The word after the last.
    pub end: u32,
    /// Whether rules can be made of it.
    pub consistent: bool,
}

impl DescribedSpan {
    /// The hull of what words are linked to; none if they have no links.
    pub(crate) fn of(
        matrix: &Matrix<'_>,
        words: impl IntoIterator<Item = WordIx>,
        consistent: bool,
    ) -> Option<Self> {
        let hull = words.into_iter().fold(Span::default(), |all, word| all.hull(matrix.target_hull(word.0)));
        (!hull.is_empty()).then_some(Self { start: hull.start, end: hull.end, consistent })
    }

    /// A span by its first and last word from 0, in parentheses if it is not consistent; `-` where there is none.
    pub fn named(span: Option<Self>) -> String {
        span.map_or("-".to_string(), |span| span.to_string())
    }
}

impl fmt::Display for DescribedSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = if self.consistent { ("", "") } else { ("(", ")") };
        write!(f, "{open}[{},{}]{close}", self.start, self.end - 1)
    }
}
