//! Searching a forest: how many parses, how good all of them are, the best one, and the next best on demand.

use super::forest::{Forest, ForestEdge, ForestNode, Tail};
use crate::con::{ConBuilder, ConTree, Draft};
use crate::hypergraph::{self, Hypergraph, KBest, Viterbi, Weighted, derivation_counts};

/// One parse of a forest: its hyperedges in pre-order, and the sum of their scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivation {
    /// The hyperedges, each followed by those below it, left to right.
    pub edges: Vec<ForestEdge>,
    /// The log score.
    pub score: f64,
}

/// What to do with labels that a parser's grammar has and a treebank has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markers {
    /// Trees have the forest's labels and nodes.
    Keep,
    /// `NP^g` (and `NP^2`, a second node `NP` over the same words) becomes `NP`; nodes `@NP`, which come of binary
    /// rules, give their place to what is below them.
    Remove,
}

impl Forest {
    /// How many parses it has; `u128::MAX` if they are more.
    pub fn tree_count(&self) -> u128 {
        derivation_counts(self)[self.root().ix()]
    }

    /// The log of the summed scores of all that can be built of each node.
    pub fn inside(&self) -> Vec<f64> {
        hypergraph::inside(self)
    }

    /// The best parse; of equals the one that uses earlier hyperedges.
    pub fn best(&self) -> Derivation {
        self.kbest().next().expect("a forest has at least one parse")
    }

    /// The parses from the best on, each found when it is asked for.
    pub fn kbest(&self) -> impl Iterator<Item = Derivation> {
        (0..).scan(KBest::new(Viterbi::new(self)), |best, rank| self.derivation(best, rank))
    }

    /// The tree of a parse.
    pub fn tree(&self, derivation: &Derivation, markers: Markers) -> ConTree {
        let mut builder = ConBuilder::default();
        let mut edges = derivation.edges.iter();
        let mut stack: Vec<(Tail, Option<Draft>)> = vec![(Tail::Node(self.root()), None)];
        while let Some((tail, above)) = stack.pop() {
            let node = match (tail, above) {
                (Tail::Node(node), _) => node,
                (Tail::Word(word), above) => {
                    builder.word(self.form(word), above.expect("a word is never the root"));
                    continue;
                }
            };
            let &edge = edges.next().expect("a derivation has a hyperedge for each of its nodes");
            let label = self.label(node);
            let can_go = above.is_some() || matches!(self.tails(edge), [Tail::Node(_)]);
            let here = match markers {
                Markers::Keep => Some(builder.node(label, above)),
                Markers::Remove if label.starts_with('@') && can_go => above,
                Markers::Remove => Some(builder.node(plain(label), above)),
            };
            stack.extend(self.tails(edge).iter().rev().map(|&tail| (tail, here)));
        }
        builder.finish().expect("a derivation is a tree over all words")
    }

    /// The parse of a rank, if there are so many.
    fn derivation(&self, best: &mut KBest<'_, Viterbi<'_, Self>>, rank: u32) -> Option<Derivation> {
        let score = best.get(self.root().0, rank)?.score;
        let mut edges = Vec::new();
        let mut stack = vec![(self.root().0, rank)];
        while let Some((node, rank)) = stack.pop() {
            let derived = best.get(node, rank)?;
            edges.push(ForestEdge(derived.arc));
            let start = stack.len();
            stack.extend(Hypergraph::tails(self, derived.arc).zip(derived.ranks.iter().copied()));
            stack[start..].reverse();
        }
        Some(Derivation { edges, score })
    }
}

impl Hypergraph for Forest {
    fn node_count(&self) -> usize {
        self.node_count()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        self.edges(ForestNode(node)).map(|edge| edge.0)
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        self.tails(ForestEdge(arc)).iter().filter_map(|&tail| match tail {
            Tail::Node(node) => Some(node.0),
            Tail::Word(_) => None,
        })
    }
}

impl Weighted for Forest {
    fn weight(&self, arc: u32) -> f64 {
        self.score(ForestEdge(arc))
    }
}

/// A label without `^g` or `^2`.
fn plain(label: &str) -> &str {
    match label.rsplit_once('^') {
        Some((plain, mark)) if mark == "g" || mark.parse::<u32>().is_ok() => plain,
        _ => label,
    }
}
