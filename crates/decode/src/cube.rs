//! Cube pruning (Chiang 2007; Huang & Chiang 2007, section 3): each node of the forest is built from the best
//! combinations of rules and translations of its tails, taken from a queue until the pop limit; hypotheses with equal
//! states are joined.
//!
//! A combination has one predecessor, the one with its last coordinate above zero less by one, so no combination is
//! made twice and none has to be remembered (Gesmundo & Henderson 2010).

use crate::deadline::Deadline;
use crate::features::Stateful;
use crate::lists::Lists;
use crate::places::Places;
use crate::searched::{Candidate, Searched, Vertex, key, number_of};
use crate::settings::Limits;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use treeglot_models::{Forest, NodeIx};

/// The search; owns the buffers of a thread.
pub struct CubePruning<S> {
    /// Where each node's hypotheses end.
    ends: Vec<u32>,
    candidates: Vec<Candidate<S>>,
    coordinates: Vec<u32>,
    queue: BinaryHeap<u64>,
    joined: HashTable<u32>,
    order: Vec<u32>,
    buffer: Vec<Vertex<S>>,
}

impl<S> Default for CubePruning<S> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            candidates: Vec::new(),
            coordinates: Vec::new(),
            queue: BinaryHeap::new(),
            joined: HashTable::new(),
            order: Vec::new(),
            buffer: Vec::new(),
        }
    }
}

/// What is searched, how far, and until when.
pub struct Task<'a, F: Stateful> {
    pub forest: &'a Forest,
    pub lists: &'a Lists<F::Word>,
    pub feature: &'a F,
    pub limits: &'a Limits,
    pub deadline: Deadline,
    /// Where the symbols of source sides stand; none for features that do not look at it.
    pub places: &'a Places,
}

/// How many combinations of one node are taken between two looks at the clock.
const POPS_A_LOOK: usize = 4096;

impl<S: Copy + Eq + Hash> CubePruning<S> {
    /// Searches a forest whose lists were looked up. Nothing is found if the deadline passes before the end.
    pub fn run<F: Stateful<State = S>>(&mut self, task: &Task<'_, F>, found: &mut Searched<S>) {
        found.clear();
        self.ends.clear();
        let forest = task.forest;
        for node in 0..forest.nodes().len() as u32 {
            if task.deadline.passed() {
                found.clear();
                return;
            }
            self.build(NodeIx(node), task, found);
        }
        let goal = forest.goal().map(|goal| self.of_node(goal)).filter(|goal| !goal.is_empty());
        found.set_goal(goal.map(|goal| goal.start as u32));
    }

    /// The hypotheses of a node, best first.
    #[inline]
    fn of_node(&self, node: NodeIx) -> Range<usize> {
        let start = node.ix().checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[node.ix()] as usize
    }

    fn build<F: Stateful<State = S>>(&mut self, node: NodeIx, task: &Task<'_, F>, found: &mut Searched<S>) {
        self.candidates.clear();
        self.coordinates.clear();
        self.queue.clear();
        self.joined.clear();
        for edge in task.forest.edges_of(node) {
            let built = &task.forest.edges()[edge];
            let tails = task.forest.tails(built);
            let possible = tails.iter().all(|&tail| !self.of_node(tail).is_empty());
            if possible && !task.lists.rules(built.list).is_empty() {
                let start = self.coordinates.len() as u32;
                self.coordinates.resize(self.coordinates.len() + tails.len() + 1, 0);
                self.push(edge as u32, start, task, found);
            }
        }
        let goal = task.forest.goal() == Some(node);
        let start = found.size().0;
        let mut best = f32::NEG_INFINITY;
        for pop in 1..=task.limits.pops.unwrap_or(usize::MAX) {
            if pop.is_multiple_of(POPS_A_LOOK) && task.deadline.passed() {
                break;
            }
            let Some(top) = self.queue.pop() else { break };
            let candidate = self.candidates[number_of(top) as usize];
            best = best.max(candidate.score);
            if candidate.score < best - task.limits.threshold {
                break;
            }
            self.accept(&candidate, task.forest, goal, found);
            self.push_successors(&candidate, task, found);
        }
        self.rank(start, task.limits, found);
    }

    /// Scores a combination and puts it into the queue.
    #[inline]
    fn push<F: Stateful<State = S>>(
        &mut self,
        edge: u32,
        coordinates: u32,
        task: &Task<'_, F>,
        found: &Searched<S>,
    ) {
        let built = &task.forest.edges()[edge as usize];
        let tails = task.forest.tails(built);
        let at = &self.coordinates[coordinates as usize..];
        let rule = &task.lists.rules(built.list)[at[0] as usize];
        let vertex = |k: usize| found.vertex(self.of_node(tails[k]).start as u32 + at[k + 1]);
        let mut score = rule.score + task.lists.parse_score(built);
        for k in 0..tails.len() {
            score += vertex(k).score;
        }
        let target = task.lists.target(rule).iter().copied();
        let places = if F::PLACED { task.places.of(edge) } else { &[] };
        let (change, state) = task.feature.apply(target, places, |k| &vertex(usize::from(k)).state);
        let candidate = Candidate { edge, coordinates, score: score + change, state };
        self.queue.push(key(candidate.score, self.candidates.len() as u32));
        self.candidates.push(candidate);
    }

    #[inline]
    fn push_successors<F: Stateful<State = S>>(
        &mut self,
        from: &Candidate<S>,
        task: &Task<'_, F>,
        found: &Searched<S>,
    ) {
        let edge = &task.forest.edges()[from.edge as usize];
        let tails = task.forest.tails(edge);
        let (start, dimensions) = (from.coordinates as usize, tails.len() + 1);
        for d in (0..dimensions).rev() {
            let limit = match d.checked_sub(1) {
                None => task.lists.rules(edge.list).len(),
                Some(tail) => self.of_node(tails[tail]).len(),
            };
            let value = self.coordinates[start + d];
            if (value as usize) + 1 < limit {
                let next = self.coordinates.len();
                self.coordinates.extend_from_within(start..start + dimensions);
                self.coordinates[next + d] += 1;
                self.push(from.edge, next as u32, task, found);
            }
            if value > 0 {
                break;
            }
        }
    }

    /// Makes a combination a hyperarc of the hypothesis with its state. The goal has one hypothesis.
    #[inline]
    fn accept(&mut self, candidate: &Candidate<S>, forest: &Forest, goal: bool, found: &mut Searched<S>) {
        let at = &self.coordinates[candidate.coordinates as usize..];
        let tails = forest.tails(&forest.edges()[candidate.edge as usize]);
        let vertex = |(&tail, &rank): (&NodeIx, &u32)| self.of_node(tail).start as u32 + rank;
        let arc = found.add_arc(candidate, at[0], tails.iter().zip(&at[1..]).map(vertex));
        let hash = if goal { 0 } else { FxBuildHasher.hash_one(candidate.state) };
        let same = |&known: &u32| goal || found.vertex(known).state == candidate.state;
        match self.joined.find(hash, same).copied() {
            Some(known) => found.join(known, arc),
            None => {
                let vertex = found.add_vertex(candidate.state, arc);
                let rehash = |&v: &u32| if goal { 0 } else { FxBuildHasher.hash_one(found.vertex(v).state) };
                self.joined.insert_unique(hash, vertex, rehash);
            }
        }
    }

    /// Keeps the best hypotheses of the node, which are those from `start` on, best first.
    fn rank(&mut self, start: usize, limits: &Limits, found: &mut Searched<S>) {
        self.order.clear();
        self.order.extend(start as u32..found.size().0 as u32);
        let score = |&at: &u32| found.vertex(at).score;
        self.order.sort_unstable_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        if limits.beam > 0 {
            self.order.truncate(limits.beam);
        }
        let worst = self.order.first().map_or(0.0, score) - limits.threshold;
        let kept = self.order.partition_point(|at| score(at) >= worst);
        found.reorder(start, &self.order[..kept], &mut self.buffer);
        self.ends.push(found.size().0 as u32);
    }
}
