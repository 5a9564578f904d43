//! The k best parses of a sentence packed into one forest, so that what follows can choose among them part by part.

use super::forest::{Forest, ForestBuilder, ForestError, ForestNode, Tail};
use crate::con::{Child, ConTree};
use crate::hypergraph::log_sum;
use crate::index::{NodeId, Span, WordIx};
use rustc_hash::{FxHashMap, FxHashSet};

/// The label of a node above several roots.
const TOP: &str = "@ROOT";

/// Why parses cannot be packed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackError {
    /// There is nothing to pack.
    #[error("there are no trees to pack into a forest")]
    NoTrees,
    /// A tree of another sentence.
    #[error("tree {tree} has other words than tree 1")]
    Words {
        /// Its number, from 1.
        tree: usize,
    },
    /// A node of a forest covers a span.
    #[error("tree {tree} has a discontinuous constituent `{label}`")]
    Discontinuous {
        /// Its number, from 1.
        tree: usize,
        /// The constituent's label.
        label: String,
    },
    /// A score that cannot be summed.
    #[error("the score {score} of tree {tree} is not finite")]
    Score {
        /// Its number, from 1.
        tree: usize,
        /// Its score.
        score: f64,
    },
    /// Labels of the trees clash with those made for repeated nodes.
    #[error(transparent)]
    Forest(#[from] ForestError),
}

impl Forest {
    /// Packs parses with their log scores. Constituents of the same label and words become one node. The score of
    /// a hyperedge is the log of its share in its node: with each tree weighing as its score says, the weight of the
    /// trees that have the hyperedge over the weight of the trees that have the node. All parses sum to 1.
    ///
    /// Where trees disagree on the order of unary nodes over the same words, or repeat one, further nodes `NP^2`,
    /// `NP^3` are made, as a forest has no cycles; where the trees have not all the same root, a node `@ROOT` is put on top.
    /// [`Markers::Remove`](super::Markers::Remove) undoes both.
    pub fn from_trees(trees: &[(ConTree, f64)]) -> Result<Self, PackError> {
        let (first, _) = trees.first().ok_or(PackError::NoTrees)?;
        for (number, (tree, score)) in (1..).zip(trees) {
            check(number, tree, *score, first)?;
        }
        let total = log_sum(&trees.iter().map(|t| t.1).collect::<Vec<f64>>());
        let cyclic = cyclic_spans(trees);
        let mut packer = Packer::new(first);
        for (tree, score) in trees {
            packer.add(tree, (score - total).exp(), &cyclic);
        }
        packer.finish()
    }
}

fn check(number: usize, tree: &ConTree, score: f64, first: &ConTree) -> Result<(), PackError> {
    if !score.is_finite() {
        return Err(PackError::Score { tree: number, score });
    }
    if !tree.forms().eq(first.forms()) {
        return Err(PackError::Words { tree: number });
    }
    match tree.nodes().find(|&n| tree.span(n).is_none()) {
        Some(node) => Err(PackError::Discontinuous { tree: number, label: tree.label(node).to_string() }),
        None => Ok(()),
    }
}

/// The node below one that has a single child with the same words.
fn unary_child(tree: &ConTree, node: NodeId) -> Option<NodeId> {
    match tree.children(node) {
        [Child::Node(below)] => Some(*below),
        _ => None,
    }
}

/// The spans over which the trees' unary nodes, taken by label, would form a cycle.
fn cyclic_spans(trees: &[(ConTree, f64)]) -> FxHashSet<Span> {
    let mut unary: FxHashMap<Span, FxHashSet<(&str, &str)>> = FxHashMap::default();
    for (tree, _) in trees {
        for node in tree.nodes() {
            if let Some(below) = unary_child(tree, node) {
                unary.entry(tree.hull(node)).or_default().insert((tree.label(node), tree.label(below)));
            }
        }
    }
    unary.into_iter().filter(|(_, pairs)| has_cycle(pairs)).map(|(span, _)| span).collect()
}

/// Takes away labels that nothing is above until none is left, or only those of a cycle.
fn has_cycle(pairs: &FxHashSet<(&str, &str)>) -> bool {
    let mut above: FxHashMap<&str, usize> = FxHashMap::default();
    let mut below: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for &(parent, child) in pairs {
        above.entry(parent).or_default();
        *above.entry(child).or_default() += 1;
        below.entry(parent).or_default().push(child);
    }
    let mut free: Vec<&str> = above.iter().filter(|(_, n)| **n == 0).map(|(label, _)| *label).collect();
    let mut taken = 0;
    while let Some(label) = free.pop() {
        taken += 1;
        for child in below.get(label).into_iter().flatten() {
            let count = above.get_mut(child).expect("every child was counted");
            *count -= 1;
            if *count == 0 {
                free.push(child);
            }
        }
    }
    taken < above.len()
}

struct Packer {
    builder: ForestBuilder,
    nodes: FxHashMap<(String, Span), ForestNode>,
    weights: Vec<f64>,
    edges: FxHashMap<(ForestNode, Vec<Tail>), usize>,
    /// Hyperedges in the order in which they were met, with their weight.
    order: Vec<(ForestNode, Vec<Tail>, f64)>,
    /// The root of each tree, with its weight.
    roots: Vec<(ForestNode, f64)>,
}

impl Packer {
    fn new(first: &ConTree) -> Self {
        Self {
            builder: ForestBuilder::new(first.forms()),
            nodes: FxHashMap::default(),
            weights: Vec::new(),
            edges: FxHashMap::default(),
            order: Vec::new(),
            roots: Vec::new(),
        }
    }

    fn add(&mut self, tree: &ConTree, weight: f64, cyclic: &FxHashSet<Span>) {
        let mut levels = vec![1usize; tree.node_count()];
        let mut packed = vec![ForestNode(0); tree.node_count()];
        for node in tree.nodes().rev() {
            let span = tree.hull(node);
            if let Some(below) = unary_child(tree, node).filter(|_| cyclic.contains(&span)) {
                levels[node.ix()] = levels[below.ix()] + 1;
            }
            let label = match levels[node.ix()] {
                1 => tree.label(node).to_string(),
                level => format!("{}^{level}", tree.label(node)),
            };
            let head = self.node(label, span, weight);
            packed[node.ix()] = head;
            let tails: Vec<Tail> = tree
                .children(node)
                .iter()
                .map(|child| match *child {
                    Child::Node(below) => Tail::Node(packed[below.ix()]),
                    Child::Word(word) => Tail::Word(word),
                })
                .collect();
            self.edge(head, tails, weight);
        }
        self.roots.push((packed[tree.root().ix()], weight));
    }

    fn node(&mut self, label: String, span: Span, weight: f64) -> ForestNode {
        if let Some(&node) = self.nodes.get(&(label.clone(), span)) {
            self.weights[node.ix()] += weight;
            return node;
        }
        let node = self.builder.node(&label, span);
        self.nodes.insert((label, span), node);
        self.weights.push(weight);
        node
    }

    fn edge(&mut self, head: ForestNode, tails: Vec<Tail>, weight: f64) {
        match self.edges.get(&(head, tails.clone())) {
            Some(&edge) => self.order[edge].2 += weight,
            None => {
                self.edges.insert((head, tails.clone()), self.order.len());
                self.order.push((head, tails, weight));
            }
        }
    }

    fn finish(mut self) -> Result<Forest, PackError> {
        let root = self.root();
        for (head, tails, weight) in self.order {
            let share = (weight / self.weights[head.ix()]).ln();
            self.builder.edge(head, tails, share.min(0.0));
        }
        Ok(self.builder.finish(root)?)
    }

    /// The root that all trees share, if it is nowhere below another node; else one above all roots.
    fn root(&mut self) -> ForestNode {
        let (first, _) = self.roots[0];
        let shared = self.roots.iter().all(|r| r.0 == first);
        if shared && !self.order.iter().any(|(_, tails, _)| tails.contains(&Tail::Node(first))) {
            return first;
        }
        let sentence = Span::new(0, WordIx::from(self.builder.words().len()).0);
        let top = self.builder.node(TOP, sentence);
        self.weights.push(self.roots.iter().map(|r| r.1).sum());
        for (root, weight) in std::mem::take(&mut self.roots) {
            self.edge(top, vec![Tail::Node(root)], weight);
        }
        top
    }
}
