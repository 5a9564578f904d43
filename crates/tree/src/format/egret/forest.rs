//! Packed parse forests: all parses of a sentence in one acyclic hypergraph.

use crate::index::{Span, WordIx};
use rustc_hash::FxHashSet;

/// A node of a [`Forest`]. Nodes are numbered so that those below a node come before it; the root is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForestNode(pub u32);

impl ForestNode {
    /// The node as a slice index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

/// A hyperedge of a [`Forest`], numbered by node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForestEdge(pub u32);

impl ForestEdge {
    /// The hyperedge as a slice index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

/// What stands below a hyperedge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tail {
    /// A node.
    Node(ForestNode),
    /// A word.
    Word(WordIx),
}

/// Why a hypergraph is not a forest.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForestError {
    /// Two nodes have the same label and span.
    #[error("there are two nodes {0}")]
    Twice(String),
    /// A node that nothing builds.
    #[error("the node {0} is used, but no hyperedge builds it")]
    Unbuilt(String),
    /// A node that is below itself.
    #[error("the node {0} is below itself")]
    Cycle(String),
    /// A hyperedge whose tails are not the parts of its head, left to right.
    #[error("what is below {0} does not cover its words one after the other")]
    Tiling(String),
    /// A node beyond the sentence, or without words.
    #[error("the node {0} covers no words of the sentence")]
    Span(String),
    /// The root is not above all.
    #[error("the root {0} must cover the sentence and be below no other node")]
    Root(String),
    /// A score that cannot be added up.
    #[error("the score of a hyperedge of {0} is not a number below infinity")]
    Score(String),
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    label: Box<str>,
    span: Span,
    edges: Span,
}

#[derive(Debug, Clone, PartialEq)]
struct Edge {
    head: ForestNode,
    tails: Span,
    score: f64,
}

/// All parses of a sentence. A node is a label over a span and is there once; each of its hyperedges is one way to
/// build it, with a log score; a parse is a choice of one hyperedge for each of its nodes, and its score their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    words: Vec<Box<str>>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    tails: Vec<Tail>,
}

impl Forest {
    /// The sentence.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(|w| &**w)
    }

    /// A word's form.
    pub fn form(&self, word: WordIx) -> &str {
        &self.words[word.ix()]
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many hyperedges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All nodes, those below a node before it.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = ForestNode> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(ForestNode)
    }

    /// The topmost node.
    pub fn root(&self) -> ForestNode {
        ForestNode(self.nodes.len() as u32 - 1)
    }

    /// A node's label.
    pub fn label(&self, node: ForestNode) -> &str {
        &self.nodes[node.ix()].label
    }

    /// A node's words.
    pub fn span(&self, node: ForestNode) -> Span {
        self.nodes[node.ix()].span
    }

    /// The ways to build a node.
    pub fn edges(
        &self,
        node: ForestNode,
    ) -> impl DoubleEndedIterator<Item = ForestEdge> + ExactSizeIterator + use<> {
        let Span { start, end } = self.nodes[node.ix()].edges;
        (start..end).map(ForestEdge)
    }

    /// The node that a hyperedge builds.
    pub fn head(&self, edge: ForestEdge) -> ForestNode {
        self.edges[edge.ix()].head
    }

    /// What a hyperedge builds it from, left to right.
    pub fn tails(&self, edge: ForestEdge) -> &[Tail] {
        let Span { start, end } = self.edges[edge.ix()].tails;
        &self.tails[start as usize..end as usize]
    }

    /// A hyperedge's own log score.
    pub fn score(&self, edge: ForestEdge) -> f64 {
        self.edges[edge.ix()].score
    }
}

#[derive(Debug, Clone)]
struct DraftEdge {
    head: u32,
    tails: Vec<Tail>,
    score: f64,
}

/// Builds a [`Forest`]: nodes and hyperedges in any order. Nodes have other numbers in the finished forest.
#[derive(Debug, Clone)]
pub struct ForestBuilder {
    words: Vec<Box<str>>,
    nodes: Vec<(Box<str>, Span)>,
    edges: Vec<DraftEdge>,
}

impl ForestBuilder {
    /// A forest without nodes over a sentence.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let words = words.into_iter().map(Box::from).collect();
        Self { words, nodes: Vec::new(), edges: Vec::new() }
    }

    /// The sentence.
    pub fn words(&self) -> &[Box<str>] {
        &self.words
    }

    /// Adds a node.
    pub fn node(&mut self, label: &str, span: Span) -> ForestNode {
        self.nodes.push((label.into(), span));
        ForestNode(u32::try_from(self.nodes.len() - 1).expect("a forest has fewer than 2^32 nodes"))
    }

    /// Adds a way to build a node.
    pub fn edge(&mut self, head: ForestNode, tails: Vec<Tail>, score: f64) {
        self.edges.push(DraftEdge { head: head.0, tails, score });
    }

    /// Checks the structure and numbers the nodes from below.
    pub fn finish(mut self, root: ForestNode) -> Result<Forest, ForestError> {
        self.edges.sort_by_key(|e| e.head);
        let starts: Vec<usize> =
            (0..=self.nodes.len() as u32).map(|n| self.edges.partition_point(|e| e.head < n)).collect();
        self.check(&starts, root)?;
        let order = self.order(&starts, root)?;
        let mut numbers = vec![0; self.nodes.len()];
        for (number, &n) in order.iter().enumerate() {
            numbers[n] = number as u32;
        }
        let mut forest =
            Forest { words: self.words, nodes: Vec::new(), edges: Vec::new(), tails: Vec::new() };
        for &n in &order {
            let start = forest.edges.len() as u32;
            for edge in &self.edges[starts[n]..starts[n + 1]] {
                let first = forest.tails.len() as u32;
                forest.tails.extend(edge.tails.iter().map(|&tail| match tail {
                    Tail::Node(node) => Tail::Node(ForestNode(numbers[node.ix()])),
                    word => word,
                }));
                forest.edges.push(Edge {
                    head: ForestNode(numbers[n]),
                    tails: Span::new(first, forest.tails.len() as u32),
                    score: edge.score,
                });
            }
            let (label, span) = std::mem::take(&mut self.nodes[n]);
            forest.nodes.push(Node { label, span, edges: Span::new(start, forest.edges.len() as u32) });
        }
        Ok(forest)
    }

    fn check(&self, starts: &[usize], root: ForestNode) -> Result<(), ForestError> {
        let mut names: FxHashSet<(&str, Span)> = FxHashSet::default();
        for (n, (label, span)) in self.nodes.iter().enumerate() {
            if span.is_empty() || span.end as usize > self.words.len() {
                return Err(ForestError::Span(self.name(n)));
            }
            if !names.insert((label, *span)) {
                return Err(ForestError::Twice(self.name(n)));
            }
            if starts[n] == starts[n + 1] {
                return Err(ForestError::Unbuilt(self.name(n)));
            }
        }
        for edge in &self.edges {
            let head = edge.head as usize;
            if edge.score.is_nan() || edge.score == f64::INFINITY {
                return Err(ForestError::Score(self.name(head)));
            }
            let Span { start, end } = self.nodes[head].1;
            let covered = edge.tails.iter().try_fold(start, |at, &tail| {
                let span = match tail {
                    Tail::Node(node) => self.nodes[node.ix()].1,
                    Tail::Word(word) => Span::of(word),
                };
                (span.start == at).then_some(span.end)
            });
            if covered != Some(end) || edge.tails.is_empty() {
                return Err(ForestError::Tiling(self.name(head)));
            }
            if edge.tails.contains(&Tail::Node(root)) {
                return Err(ForestError::Root(self.name(root.ix())));
            }
        }
        match self.nodes.get(root.ix()) {
            Some((_, span)) if span.len() == self.words.len() => Ok(()),
            Some(_) => Err(ForestError::Root(self.name(root.ix()))),
            None => Err(ForestError::Root("of an empty forest".into())),
        }
    }

    /// The nodes in an order in which each comes after those below it, otherwise as they were added, the root last.
    fn order(&self, starts: &[usize], root: ForestNode) -> Result<Vec<usize>, ForestError> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut state = vec![State::New; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        let others = (0..self.nodes.len()).filter(|&n| n != root.ix());
        let mut stack = Vec::new();
        for start in others.chain([root.ix()]) {
            stack.push(start);
            while let Some(&n) = stack.last() {
                if state[n] != State::New {
                    stack.pop();
                    if state[n] == State::Open {
                        state[n] = State::Done;
                        order.push(n);
                    }
                    continue;
                }
                state[n] = State::Open;
                for tail in self.edges[starts[n]..starts[n + 1]].iter().flat_map(|e| &e.tails) {
                    match tail {
                        Tail::Node(below) if state[below.ix()] == State::Open => {
                            return Err(ForestError::Cycle(self.name(below.ix())));
                        }
                        Tail::Node(below) if state[below.ix()] == State::New => stack.push(below.ix()),
                        _ => {}
                    }
                }
            }
        }
        Ok(order)
    }

    fn name(&self, node: usize) -> String {
        let (label, span) = &self.nodes[node];
        super::node_name(label, *span)
    }
}
