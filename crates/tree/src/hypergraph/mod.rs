//! Hypergraphs, and what is asked of all of them: the k best derivations, inside and outside scores, how many derivations
//! there are.
//!
//! A packed forest of parses, the forest of an input's translations and the hypotheses of a search are the same thing: *nodes*,
//! each built by any of its *hyperarcs* from other nodes, the hyperarc's *tails*. A derivation of a node is one of its
//! hyperarcs with a derivation of each tail. Whoever holds such a thing implements [`Hypergraph`], and [`Weighted`] if its
//! hyperarcs have scores of their own, or [`Ranked`] if it knows the best derivation by each hyperarc; the algorithms are
//! written once, here, and none of them recurs: a derivation may be as deep as a line is long.
//!
//! ```
//! use treeglot_tree::hypergraph::{Hypergraph, KBest, Viterbi, Weighted, inside};
//!
//! /// Two words, each with two readings, and a node over both.
//! struct Readings;
//!
//! impl Hypergraph for Readings {
//!     fn node_count(&self) -> usize {
//!         3
//!     }
//!     fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
//!         2 * node..(2 * node + 2).min(5)
//!     }
//!     fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
//!         0..if arc == 4 { 2 } else { 0 }
//!     }
//! }
//!
//! impl Weighted for Readings {
//!     fn weight(&self, arc: u32) -> f64 {
//!         [0.5f64, 0.25, 0.75, 0.1, 1.0][arc as usize].ln()
//!     }
//! }
//!
//! let graph = Viterbi::new(&Readings);
//! let mut best = KBest::new(&graph);
//! let scores: Vec<f64> = (0..).map_while(|rank| best.get(2, rank).map(|found| found.score.exp())).collect();
//! assert_eq!(scores.iter().map(|p| format!("{p:.4}")).collect::<Vec<_>>(), ["0.3750", "0.1875", "0.0500", "0.0250"]);
//! assert!((inside(&Readings)[2].exp() - scores.iter().sum::<f64>()).abs() < 1e-9);
//! ```

mod kbest;
mod sums;
#[cfg(test)]
mod tests;
mod yields;

pub use kbest::{Derived, KBest};
pub use sums::{derivation_counts, inside, log_sum, max_outside, outside};
pub use yields::{Yield, YieldItem};

use std::fmt::Debug;
use std::ops::{Add, Sub};

/// Nodes and hyperarcs by number; no node is below itself. What goes through all nodes, as [`inside`] and [`Viterbi`] do,
/// asks besides that tails have smaller numbers than the nodes they help to build; [`KBest`] does not.
pub trait Hypergraph {
    /// How many nodes there are.
    fn node_count(&self) -> usize;

    /// The hyperarcs that build a node.
    fn arcs(&self, node: u32) -> impl Iterator<Item = u32>;

    /// What a hyperarc builds on, in its own order.
    fn tails(&self, arc: u32) -> impl Iterator<Item = u32>;
}

impl<G: Hypergraph> Hypergraph for &G {
    fn node_count(&self) -> usize {
        (**self).node_count()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        (**self).arcs(node)
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        (**self).tails(arc)
    }
}

/// A hypergraph whose hyperarcs have scores: the logarithms of probabilities, or whatever is added up over a derivation.
pub trait Weighted: Hypergraph {
    /// The score of a hyperarc alone.
    fn weight(&self, arc: u32) -> f64;
}

/// Scores of derivations: `f32` or `f64`.
pub trait Score: Copy + Debug + PartialOrd + Add<Output = Self> + Sub<Output = Self> {
    /// Less than any score.
    const LEAST: Self;

    /// An order of all values.
    fn total_cmp(&self, other: &Self) -> std::cmp::Ordering;
}

impl Score for f32 {
    const LEAST: Self = f32::NEG_INFINITY;

    fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
        f32::total_cmp(self, other)
    }
}

impl Score for f64 {
    const LEAST: Self = f64::NEG_INFINITY;

    fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
        f64::total_cmp(self, other)
    }
}

/// A hypergraph that knows how good the best derivation by each hyperarc is.
pub trait Ranked: Hypergraph {
    /// What derivations are compared by.
    type Score: Score;

    /// The score of the best derivation by a hyperarc.
    fn best(&self, arc: u32) -> Self::Score;

    /// The score of the best derivation of a node.
    fn best_of(&self, node: u32) -> Self::Score {
        self.arcs(node).map(|arc| self.best(arc)).fold(Self::Score::LEAST, |a, b| if b > a { b } else { a })
    }

    /// The score of the derivation by a hyperarc whose tails have derivations of these scores; it differs from one of score
    /// `from` in one tail, which scores `after` where it scored `before`.
    fn rescore(
        &self,
        arc: u32,
        (from, before, after): (Self::Score, Self::Score, Self::Score),
        tails: impl Iterator<Item = Self::Score>,
    ) -> Self::Score {
        let _ = (arc, tails);
        from - before + after
    }
}

impl<G: Ranked> Ranked for &G {
    type Score = G::Score;

    fn best(&self, arc: u32) -> Self::Score {
        (**self).best(arc)
    }

    fn best_of(&self, node: u32) -> Self::Score {
        (**self).best_of(node)
    }

    fn rescore(
        &self,
        arc: u32,
        change: (Self::Score, Self::Score, Self::Score),
        tails: impl Iterator<Item = Self::Score>,
    ) -> Self::Score {
        (**self).rescore(arc, change, tails)
    }
}

/// A weighted hypergraph with the score of the best derivation of each node.
pub struct Viterbi<'g, G> {
    graph: &'g G,
    best: Vec<f64>,
}

impl<'g, G: Weighted> Viterbi<'g, G> {
    /// Works out the best scores, from the leaves up.
    pub fn new(graph: &'g G) -> Self {
        let mut found = Self { graph, best: Vec::with_capacity(graph.node_count()) };
        for node in 0..graph.node_count() as u32 {
            let best = graph.arcs(node).map(|arc| found.best(arc)).fold(f64::NEG_INFINITY, f64::max);
            found.best.push(best);
        }
        found
    }
}

impl<G: Weighted> Hypergraph for Viterbi<'_, G> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        self.graph.arcs(node)
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        self.graph.tails(arc)
    }
}

impl<G: Weighted> Ranked for Viterbi<'_, G> {
    type Score = f64;

    fn best(&self, arc: u32) -> f64 {
        self.graph.weight(arc) + self.graph.tails(arc).map(|tail| self.best[tail as usize]).sum::<f64>()
    }

    fn best_of(&self, node: u32) -> f64 {
        self.best[node as usize]
    }

    fn rescore(&self, arc: u32, _: (f64, f64, f64), tails: impl Iterator<Item = f64>) -> f64 {
        self.graph.weight(arc) + tails.sum::<f64>()
    }
}
