//! Searching a forest: how many parses, how good all of them are, the best one, and the next best on demand
//! (Huang and Chiang 2005, algorithm 3, with a stack of its own instead of recursion).

use super::forest::{Forest, ForestEdge, ForestNode, Tail};
use crate::con::{ConBuilder, ConTree, Draft};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

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
        let mut counts: Vec<u128> = Vec::with_capacity(self.node_count());
        for node in self.nodes() {
            let ways = self.edges(node).map(|edge| {
                let below = self.tail_nodes(edge).map(|n| counts[n.ix()]);
                below.fold(1, u128::saturating_mul)
            });
            counts.push(ways.fold(0, u128::saturating_add));
        }
        counts[self.root().ix()]
    }

    /// The log of the summed scores of all that can be built of each node.
    pub fn inside(&self) -> Vec<f64> {
        let mut inside: Vec<f64> = Vec::with_capacity(self.node_count());
        let mut scores = Vec::new();
        for node in self.nodes() {
            scores.clear();
            scores.extend(
                self.edges(node).map(|edge| {
                    self.score(edge) + self.tail_nodes(edge).map(|n| inside[n.ix()]).sum::<f64>()
                }),
            );
            inside.push(log_sum(&scores));
        }
        inside
    }

    /// The best parse; of equals the one that uses earlier hyperedges.
    pub fn best(&self) -> Derivation {
        self.kbest().next().expect("a forest has at least one parse")
    }

    /// The parses from the best on, each found when it is asked for.
    pub fn kbest(&self) -> KBest<'_> {
        KBest::new(self)
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

    fn tail_nodes(&self, edge: ForestEdge) -> impl Iterator<Item = ForestNode> {
        self.tails(edge).iter().filter_map(|&tail| match tail {
            Tail::Node(node) => Some(node),
            Tail::Word(_) => None,
        })
    }
}

/// A label without `^g` or `^2`.
fn plain(label: &str) -> &str {
    match label.rsplit_once('^') {
        Some((plain, mark)) if mark == "g" || mark.parse::<u32>().is_ok() => plain,
        _ => label,
    }
}

pub(super) fn log_sum(scores: &[f64]) -> f64 {
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        return max;
    }
    max + scores.iter().map(|s| (s - max).exp()).sum::<f64>().ln()
}

/// A way to build a node: a hyperedge, and which of its own ways each node below takes.
#[derive(Debug, Clone, PartialEq)]
struct Way {
    score: f64,
    edge: ForestEdge,
    ranks: Vec<u32>,
}

impl Eq for Way {}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Way {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| other.edge.cmp(&self.edge)).then_with(|| other.ranks.cmp(&self.ranks))
    }
}

#[derive(Debug, Clone, Default)]
struct Ways {
    found: Vec<Way>,
    candidates: BinaryHeap<Way>,
    /// Whether what follows the way found last is among the candidates.
    followed: bool,
    exhausted: bool,
}

/// The iterator of [`Forest::kbest`].
pub struct KBest<'a> {
    forest: &'a Forest,
    best: Vec<f64>,
    ways: Vec<Ways>,
    next: usize,
}

impl<'a> KBest<'a> {
    fn new(forest: &'a Forest) -> Self {
        let mut best: Vec<f64> = Vec::with_capacity(forest.node_count());
        for node in forest.nodes() {
            let scores = forest
                .edges(node)
                .map(|edge| forest.score(edge) + forest.tail_nodes(edge).map(|n| best[n.ix()]).sum::<f64>());
            best.push(scores.fold(f64::NEG_INFINITY, f64::max));
        }
        Self { forest, best, ways: vec![Ways::default(); forest.node_count()], next: 0 }
    }

    /// Finds the ways to build `node` up to `rank`, if there are so many. What is needed of nodes below is found
    /// first; as the forest has no cycle, that ends.
    fn find(&mut self, node: ForestNode, rank: usize) {
        let mut stack = vec![(node, rank)];
        while let Some(&(node, rank)) = stack.last() {
            let ways = &self.ways[node.ix()];
            if ways.exhausted || ways.found.len() > rank {
                stack.pop();
                continue;
            }
            if ways.found.is_empty() && ways.candidates.is_empty() {
                self.start(node);
            } else if !ways.followed && !self.follow(node, &mut stack) {
                continue;
            }
            let ways = &mut self.ways[node.ix()];
            match ways.candidates.pop() {
                Some(way) => {
                    ways.found.push(way);
                    ways.followed = false;
                }
                None => ways.exhausted = true,
            }
        }
    }

    /// Makes the best way of each hyperedge a candidate.
    fn start(&mut self, node: ForestNode) {
        let forest = self.forest;
        let candidates = forest.edges(node).map(|edge| {
            let ranks = vec![0; forest.tail_nodes(edge).count()];
            let score = forest.score(edge) + forest.tail_nodes(edge).map(|n| self.best[n.ix()]).sum::<f64>();
            Way { score, edge, ranks }
        });
        self.ways[node.ix()].candidates = candidates.collect();
    }

    /// Makes the ways that follow the one found last candidates: one rank further at one place, at or after the last
    /// place that is not at rank 0, so that no way is made twice. If ranks are needed that are not yet found, puts
    /// them on the stack instead and returns `false`.
    fn follow(&mut self, node: ForestNode, stack: &mut Vec<(ForestNode, usize)>) -> bool {
        let forest = self.forest;
        let Some(last) = self.ways[node.ix()].found.last().cloned() else {
            return true;
        };
        let from = last.ranks.iter().rposition(|&r| r > 0).unwrap_or(0);
        let below: Vec<ForestNode> = forest.tail_nodes(last.edge).collect();
        let pending = stack.len();
        let mut following = Vec::new();
        for place in from..below.len() {
            let rank = last.ranks[place] as usize + 1;
            let ways = &self.ways[below[place].ix()];
            if ways.found.len() <= rank && !ways.exhausted {
                stack.push((below[place], rank));
            } else if ways.found.len() > rank {
                let mut ranks = last.ranks.clone();
                ranks[place] += 1;
                following.push(Way { score: self.score(last.edge, &below, &ranks), edge: last.edge, ranks });
            }
        }
        if stack.len() > pending {
            return false;
        }
        let ways = &mut self.ways[node.ix()];
        ways.candidates.extend(following);
        ways.followed = true;
        true
    }

    fn score(&self, edge: ForestEdge, below: &[ForestNode], ranks: &[u32]) -> f64 {
        let parts = below.iter().zip(ranks).map(|(n, &rank)| match rank {
            0 => self.best[n.ix()],
            _ => self.ways[n.ix()].found[rank as usize].score,
        });
        self.forest.score(edge) + parts.sum::<f64>()
    }

    /// The first hyperedge with the best score of a node whose ways were not asked for.
    fn best_edge(&self, node: ForestNode) -> ForestEdge {
        let forest = self.forest;
        let score = |edge: ForestEdge| {
            forest.score(edge) + forest.tail_nodes(edge).map(|n| self.best[n.ix()]).sum::<f64>()
        };
        let mut edges = forest.edges(node);
        let first = edges.next().expect("every node has a hyperedge");
        edges.fold(first, |best, edge| if score(edge) > score(best) { edge } else { best })
    }
}

impl Iterator for KBest<'_> {
    type Item = Derivation;

    fn next(&mut self) -> Option<Derivation> {
        let root = self.forest.root();
        self.find(root, self.next);
        let score = self.ways[root.ix()].found.get(self.next)?.score;
        let mut edges = Vec::new();
        let mut stack = vec![(root, self.next)];
        while let Some((node, rank)) = stack.pop() {
            let way = self.ways[node.ix()].found.get(rank);
            let edge = way.map_or_else(|| self.best_edge(node), |way| way.edge);
            edges.push(edge);
            let start = stack.len();
            let ranks = way.map_or(&[][..], |way| &way.ranks);
            let ranks = ranks.iter().map(|&r| r as usize).chain(std::iter::repeat(0));
            stack.extend(self.forest.tail_nodes(edge).zip(ranks));
            stack[start..].reverse();
        }
        self.next += 1;
        Some(Derivation { edges, score })
    }
}
