//! Cube pruning (Chiang 2007; Huang & Chiang 2007, section 3): each node of the forest is built from the best
//! combinations of rules and translations of its tails, taken from a queue until the pop limit; hypotheses with equal
//! states are joined.
//!
//! A combination has one predecessor, the one with its last coordinate above zero less by one, so no combination is
//! made twice and none has to be remembered (Gesmundo & Henderson 2010).

use crate::lists::Lists;
use crate::stateful::Stateful;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;
use std::ops::Range;
use treeglot_models::{Forest, NodeIx};

/// How far the search goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Combinations taken for each node.
    pub pops: usize,
    /// Hypotheses kept for each node; 0 for all.
    pub beam: usize,
    /// Hypotheses that are worse than a node's best by more than this are dropped.
    pub threshold: f32,
}

/// A hypothesis: all ways to build a node that end in the same state.
#[derive(Debug, Clone, Copy)]
pub struct Vertex<S> {
    /// What the stateful features remember.
    pub state: S,
    /// The score of the best way.
    pub score: f32,
    /// The way found last; the others follow by [`Way::next`].
    pub ways: u32,
}

/// One way to a hypothesis: a hyperedge, a rule of its list, and a hypothesis for each tail.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The hyperedge.
    pub edge: u32,
    /// The position of the rule in its list.
    pub rule: u32,
    /// The score with the tails' best ways.
    pub score: f32,
    /// The next way to the same hypothesis; [`NO_WAY`] after the last.
    pub next: u32,
    tails: u32,
}

/// No further way.
pub const NO_WAY: u32 = u32::MAX;

/// The forest with states: what the search found. Reused between sentences.
pub struct Searched<S> {
    vertices: Vec<Vertex<S>>,
    ways: Vec<Way>,
    tails: Vec<u32>,
    /// Where each node's hypotheses end.
    ends: Vec<u32>,
}

impl<S: Copy> Searched<S> {
    fn clear(&mut self) {
        self.vertices.clear();
        self.ways.clear();
        self.tails.clear();
        self.ends.clear();
    }

    /// The hypotheses of a node, best first.
    #[inline]
    pub fn of_node(&self, node: NodeIx) -> Range<usize> {
        let start = node.ix().checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[node.ix()] as usize
    }

    /// A hypothesis by number.
    #[inline]
    pub fn vertex(&self, vertex: u32) -> &Vertex<S> {
        &self.vertices[vertex as usize]
    }

    /// A way by number.
    pub fn way(&self, way: u32) -> &Way {
        &self.ways[way as usize]
    }

    /// The ways to a hypothesis, by number.
    pub fn ways(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let known = |way: u32| (way != NO_WAY).then_some(way);
        std::iter::successors(known(self.vertex(vertex).ways), move |&way| {
            known(self.ways[way as usize].next)
        })
    }

    /// The hypotheses of a way's tails, in the order of the source side's variables.
    pub fn tails(&self, way: &Way, forest: &Forest) -> &[u32] {
        let arity = forest.tails(&forest.edges()[way.edge as usize]).len();
        &self.tails[way.tails as usize..way.tails as usize + arity]
    }

    /// How many hypotheses and how many ways there are.
    pub fn size(&self) -> (usize, usize) {
        (self.vertices.len(), self.ways.len())
    }
}

impl<S> Default for Searched<S> {
    fn default() -> Self {
        Self { vertices: Vec::new(), ways: Vec::new(), tails: Vec::new(), ends: Vec::new() }
    }
}

/// A combination in the queue.
#[derive(Clone, Copy)]
struct Candidate<S> {
    edge: u32,
    /// Where its coordinates begin: the rule's position, then a rank for each tail.
    coordinates: u32,
    score: f32,
    state: S,
}

/// The search; owns the buffers of a thread.
pub struct CubePruning<S> {
    /// What the last run found.
    pub found: Searched<S>,
    candidates: Vec<Candidate<S>>,
    coordinates: Vec<u32>,
    queue: BinaryHeap<u64>,
    fresh: Vec<Vertex<S>>,
    joined: HashTable<u32>,
    order: Vec<u32>,
}

impl<S> Default for CubePruning<S> {
    fn default() -> Self {
        Self {
            found: Searched::default(),
            candidates: Vec::new(),
            coordinates: Vec::new(),
            queue: BinaryHeap::new(),
            fresh: Vec::new(),
            joined: HashTable::new(),
            order: Vec::new(),
        }
    }
}

/// Scores as integers of the same order, the earlier of two equals higher.
#[inline]
fn key(score: f32, number: u32) -> u64 {
    let bits = score.to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(!number)
}

impl<S: Copy + Eq + std::hash::Hash> CubePruning<S> {
    /// Searches a forest whose lists were looked up.
    pub fn run<F: Stateful<State = S>>(
        &mut self,
        forest: &Forest,
        lists: &Lists<F::Word>,
        feature: &F,
        limits: &Limits,
    ) {
        self.found.clear();
        let nodes = forest.nodes().len() as u32;
        for node in 0..nodes {
            let goal = node + 1 == nodes;
            self.build(NodeIx(node), forest, lists, feature, limits, goal);
        }
    }

    fn build<F: Stateful<State = S>>(
        &mut self,
        node: NodeIx,
        forest: &Forest,
        lists: &Lists<F::Word>,
        feature: &F,
        limits: &Limits,
        goal: bool,
    ) {
        self.candidates.clear();
        self.coordinates.clear();
        self.queue.clear();
        self.fresh.clear();
        self.joined.clear();
        for edge in forest.edges_of(node) {
            let tails = forest.tails(&forest.edges()[edge]);
            let possible = tails.iter().all(|&tail| !self.found.of_node(tail).is_empty());
            if possible && !lists.rules(forest.edges()[edge].list).is_empty() {
                let start = self.coordinates.len() as u32;
                self.coordinates.resize(self.coordinates.len() + tails.len() + 1, 0);
                self.push(edge as u32, start, forest, lists, feature);
            }
        }
        let mut best = f32::NEG_INFINITY;
        for _ in 0..limits.pops {
            let Some(top) = self.queue.pop() else { break };
            let candidate = self.candidates[!(top as u32) as usize];
            best = best.max(candidate.score);
            if candidate.score < best - limits.threshold {
                break;
            }
            self.accept(&candidate, forest, goal);
            self.push_successors(&candidate, forest, lists, feature);
        }
        self.rank(limits);
    }

    /// Scores a combination and puts it into the queue.
    #[inline]
    fn push<F: Stateful<State = S>>(
        &mut self,
        edge: u32,
        coordinates: u32,
        forest: &Forest,
        lists: &Lists<F::Word>,
        feature: &F,
    ) {
        let built = &forest.edges()[edge as usize];
        let tails = forest.tails(built);
        let at = &self.coordinates[coordinates as usize..];
        let rule = &lists.rules(built.list)[at[0] as usize];
        let vertex = |k: usize| &self.found.vertices[self.found.of_node(tails[k]).start + at[k + 1] as usize];
        let mut score = rule.score;
        for k in 0..tails.len() {
            score += vertex(k).score;
        }
        let (change, state) =
            feature.apply(lists.target(rule).iter().copied(), |k| &vertex(usize::from(k)).state);
        let candidate = Candidate { edge, coordinates, score: score + change, state };
        self.queue.push(key(candidate.score, self.candidates.len() as u32));
        self.candidates.push(candidate);
    }

    #[inline]
    fn push_successors<F: Stateful<State = S>>(
        &mut self,
        from: &Candidate<S>,
        forest: &Forest,
        lists: &Lists<F::Word>,
        feature: &F,
    ) {
        let edge = &forest.edges()[from.edge as usize];
        let tails = forest.tails(edge);
        let (start, dimensions) = (from.coordinates as usize, tails.len() + 1);
        for d in (0..dimensions).rev() {
            let limit = match d.checked_sub(1) {
                None => lists.rules(edge.list).len(),
                Some(tail) => self.found.of_node(tails[tail]).len(),
            };
            let value = self.coordinates[start + d];
            if (value as usize) + 1 < limit {
                let next = self.coordinates.len();
                self.coordinates.extend_from_within(start..start + dimensions);
                self.coordinates[next + d] += 1;
                self.push(from.edge, next as u32, forest, lists, feature);
            }
            if value > 0 {
                break;
            }
        }
    }

    /// Makes a combination a way to the hypothesis with its state. The goal has one hypothesis.
    #[inline]
    fn accept(&mut self, candidate: &Candidate<S>, forest: &Forest, goal: bool) {
        let edge = &forest.edges()[candidate.edge as usize];
        let at = &self.coordinates[candidate.coordinates as usize..];
        let tails = self.found.tails.len() as u32;
        for (k, &tail) in forest.tails(edge).iter().enumerate() {
            let vertex = self.found.of_node(tail).start as u32 + at[k + 1];
            self.found.tails.push(vertex);
        }
        let hash = if goal { 0 } else { FxBuildHasher.hash_one(candidate.state) };
        let fresh = &self.fresh;
        let same = |&known: &u32| goal || fresh[known as usize].state == candidate.state;
        let number = self.found.ways.len() as u32;
        let mut way = Way { edge: candidate.edge, rule: at[0], score: candidate.score, next: NO_WAY, tails };
        match self.joined.find(hash, same).copied() {
            Some(known) => {
                let vertex = &mut self.fresh[known as usize];
                way.next = std::mem::replace(&mut vertex.ways, number);
                vertex.score = vertex.score.max(candidate.score);
            }
            None => {
                let known = self.fresh.len() as u32;
                self.fresh.push(Vertex { state: candidate.state, score: candidate.score, ways: number });
                let fresh = &self.fresh;
                self.joined.insert_unique(hash, known, |&k| FxBuildHasher.hash_one(fresh[k as usize].state));
            }
        }
        self.found.ways.push(way);
    }

    /// Keeps the best hypotheses of the node, best first.
    fn rank(&mut self, limits: &Limits) {
        self.order.clear();
        self.order.extend(0..self.fresh.len() as u32);
        let fresh = &self.fresh;
        let score = |&at: &u32| fresh[at as usize].score;
        self.order.sort_unstable_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        if limits.beam > 0 {
            self.order.truncate(limits.beam);
        }
        let worst = self.order.first().map_or(0.0, score) - limits.threshold;
        let kept = self.order.partition_point(|at| score(at) >= worst);
        self.found.vertices.extend(self.order[..kept].iter().map(|&at| fresh[at as usize]));
        self.found.ends.push(self.found.vertices.len() as u32);
    }
}
