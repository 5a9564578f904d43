//! The target spans of units under the links of a pair (Na & Lee 2011, section 4).
//!
//! `aspan` is the hull of a unit's own links, `cspan` that of the links of all words that its derivations cover. A span is
//! consistent when no source word linked into it is linked outside it. Read as the formula of the paper stands, the words
//! linked into it may lie anywhere; read strictly, as for phrases, they must be those of the unit or of what it covers.

use super::forest::{Cover, Hyperarc, Tail, UnitForest, Vertex};
use crate::matrix::Matrix;
use serde::{Deserialize, Serialize};
use treeglot_tree::{DepTree, Span, WordIx};

/// When a target span is consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Consistency {
    /// No source word linked into the span is linked outside it, as the paper's formula has it
    Paper,
    /// Moreover all source words linked into it belong to the unit, or to what it covers, as for phrases
    #[default]
    Strict,
}

/// What a set of words is linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linked {
    /// Nothing.
    Nothing,
    /// A consistent span.
    Consistent(Span),
    /// A span that is not consistent.
    Inconsistent,
}

/// The links of a pair, asked for the spans of sets of words.
pub struct Spans<'a> {
    matrix: &'a Matrix<'a>,
    consistency: Consistency,
    /// For each target word, the hull of all links of the source words linked to it.
    reach: Vec<Span>,
    /// How many links there are to target words before each position.
    links_before: Vec<u32>,
}

impl<'a> Spans<'a> {
    /// The spans under these links.
    pub fn new(matrix: &'a Matrix<'a>, consistency: Consistency) -> Self {
        let targets = matrix.target_len() as usize;
        let (mut reach, mut links_before) = (vec![Span::default(); targets], vec![0; targets + 1]);
        for word in 0..matrix.source_len() {
            let hull = hull_of(matrix, WordIx(word));
            for link in matrix.of_source(word) {
                reach[link.tgt as usize] = reach[link.tgt as usize].hull(hull);
                links_before[link.tgt as usize + 1] += 1;
            }
        }
        for at in 0..targets {
            links_before[at + 1] += links_before[at];
        }
        Self { matrix, consistency, reach, links_before }
    }

    /// What a set of words is linked to: `aspan` of a unit's words, `cspan` of all that a derivation covers.
    pub fn of(&self, words: &[WordIx]) -> Linked {
        self.of_parts(words.iter().map(|&word| self.word(word)))
    }

    /// The same for a set of words in parts, each with the hull of its links and their number.
    pub fn of_parts(&self, parts: impl Iterator<Item = (Span, usize)>) -> Linked {
        let whole = |(span, links): (Span, usize), part: (Span, usize)| (span.hull(part.0), links + part.1);
        let (span, own) = parts.fold((Span::default(), 0), whole);
        if span.is_empty() {
            return Linked::Nothing;
        }
        let consistent = match self.consistency {
            Consistency::Paper => {
                self.reach[span.start as usize..span.end as usize].iter().all(|&reach| span.covers(reach))
            }
            Consistency::Strict => {
                let all = self.links_before[span.end as usize] - self.links_before[span.start as usize];
                own == all as usize
            }
        };
        if consistent { Linked::Consistent(span) } else { Linked::Inconsistent }
    }

    /// The hull of the links of each subtree, and their number.
    pub fn subtrees(&self, tree: &DepTree) -> Vec<(Span, usize)> {
        let mut parts: Vec<(Span, usize)> = tree.words().map(|word| self.word(word)).collect();
        for &word in tree.preorder().iter().rev() {
            if let Some(head) = tree.head(word) {
                let (span, links) = parts[word.ix()];
                let whole = &mut parts[head.ix()];
                *whole = (whole.0.hull(span), whole.1 + links);
            }
        }
        parts
    }

    fn word(&self, word: WordIx) -> (Span, usize) {
        (hull_of(self.matrix, word), self.matrix.of_source(word.0).len())
    }

    /// `cspan` of all that the derivations of a forest cover, by cover, where it is consistent.
    pub fn cspans(&self, forest: &UnitForest) -> Cspans {
        let span = |cover: &Cover| self.of(forest.covered(cover)).span();
        Cspans(forest.covers().iter().map(span).collect())
    }
}

impl Linked {
    /// The consistent span.
    pub fn span(self) -> Option<Span> {
        match self {
            Self::Consistent(span) => Some(span),
            _ => None,
        }
    }
}

/// The consistent spans of covers.
pub struct Cspans(Vec<Option<Span>>);

impl Cspans {
    /// `cspan(v)`, if it is consistent.
    pub fn of(&self, vertex: &Vertex) -> Option<Span> {
        self.0[vertex.cover as usize]
    }

    /// Whether the spans of a hyperarc's tails are consistent and do not overlap.
    pub fn fit_tails(&self, forest: &UnitForest, edge: &Hyperarc) -> bool {
        let tails = forest.tails(edge);
        let span = |tail: &Tail| self.of(&forest.vertices()[tail.vertex as usize]);
        let apart = |a: Span, other: &Tail| span(other).is_some_and(|b| a.end <= b.start || b.end <= a.start);
        (tails.iter().enumerate())
            .all(|(k, tail)| span(tail).is_some_and(|a| tails[..k].iter().all(|other| apart(a, other))))
    }

    /// The spans of a hyperarc's tails, from left to right on the source side; `None` if one is not consistent or two
    /// overlap.
    pub fn of_tails(&self, forest: &UnitForest, edge: &Hyperarc) -> Option<Vec<Span>> {
        let tails = forest.tails(edge).iter().map(|tail| self.of(&forest.vertices()[tail.vertex as usize]));
        let spans: Vec<Span> = tails.collect::<Option<_>>()?;
        disjoint(&spans).then_some(spans)
    }
}

/// Whether no two spans overlap.
fn disjoint(spans: &[Span]) -> bool {
    let overlap = |a: &Span, b: &Span| a.start < b.end && b.start < a.end;
    spans.iter().enumerate().all(|(k, a)| spans[..k].iter().all(|b| !overlap(a, b)))
}

fn hull_of(matrix: &Matrix<'_>, word: WordIx) -> Span {
    let links = matrix.of_source(word.0);
    links.first().zip(links.last()).map_or(Span::default(), |(a, b)| Span::new(a.tgt, b.tgt + 1))
}
