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
    /// The hyperarcs of a node, and for each of their tails the first hypothesis and how many there are.
    open: Vec<Open>,
    tails: Vec<[u32; 2]>,
    /// The combinations of a node: the first `scored` of these, which are kept to be overwritten.
    candidates: Vec<Candidate<S>>,
    scored: usize,
    coordinates: Vec<u32>,
    queue: BinaryHeap<u64>,
    joined: HashTable<u32>,
    order: Vec<u32>,
    buffer: Vec<Vertex<S>>,
}

/// A hyperarc of the forest whose rules and tails are being combined.
#[derive(Clone, Copy)]
struct Open {
    edge: u32,
    /// Its share of the parses, as a score.
    parse: f32,
    /// Its rules, by number.
    first_rule: u32,
    rules: u32,
    /// Where its tails begin.
    tails: u32,
    arity: u32,
}

impl<S> Default for CubePruning<S> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            open: Vec::new(),
            tails: Vec::new(),
            candidates: Vec::new(),
            scored: 0,
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
    /// Whether only the best derivation is asked for: a hypothesis then needs no hyperarc but its best.
    pub best_only: bool,
}

/// How many combinations of one node are taken between two looks at the clock.
const POPS_A_LOOK: usize = 4096;

impl<S: Copy + Default + Eq + Hash> CubePruning<S> {
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
        self.scored = 0;
        self.open.clear();
        self.tails.clear();
        self.coordinates.clear();
        self.queue.clear();
        self.joined.clear();
        for edge in task.forest.edges_of(node) {
            self.open(edge as u32, task, found);
        }
        let goal = task.forest.goal() == Some(node);
        let start = found.size().0;
        let mut best = f32::NEG_INFINITY;
        for pop in 1..=task.limits.pops.unwrap_or(usize::MAX) {
            if pop.is_multiple_of(POPS_A_LOOK) && task.deadline.passed() {
                break;
            }
            let Some(top) = self.queue.pop() else { break };
            let top = number_of(top) as usize;
            let score = self.candidates[top].score;
            best = best.max(score);
            let worst = best - task.limits.threshold;
            if score < worst {
                break;
            }
            self.accept(top, task.best_only, goal, found);
            self.push_successors(top, worst, task, found);
        }
        self.rank(start, task.limits, found);
    }

    /// Puts the first combination of a hyperarc into the queue, if it has any.
    fn open<F: Stateful<State = S>>(&mut self, edge: u32, task: &Task<'_, F>, found: &Searched<S>) {
        let built = &task.forest.edges()[edge as usize];
        let rules = task.lists.range(built.list);
        let first = self.tails.len();
        for &tail in task.forest.tails(built) {
            let hypotheses = self.of_node(tail);
            self.tails.push([hypotheses.start as u32, hypotheses.len() as u32]);
        }
        let arity = self.tails.len() - first;
        if rules.is_empty() || self.tails[first..].iter().any(|&[_, count]| count == 0) {
            self.tails.truncate(first);
            return;
        }
        let number = self.open.len() as u32;
        self.open.push(Open {
            edge,
            parse: task.lists.parse_score(built),
            first_rule: rules.start,
            rules: rules.len() as u32,
            tails: first as u32,
            arity: arity as u32,
        });
        let coordinates = self.coordinates.len();
        self.coordinates.resize(coordinates + arity + 1, 0);
        self.push(number, coordinates, f32::NEG_INFINITY, task, found);
    }

    /// Scores a combination and puts it into the queue, unless it is so much worse than the best that it would never be taken.
    #[inline]
    fn push<F: Stateful<State = S>>(
        &mut self,
        number: u32,
        coordinates: usize,
        worst: f32,
        task: &Task<'_, F>,
        found: &Searched<S>,
    ) {
        if self.scored == self.candidates.len() {
            self.candidates.push(Candidate { open: 0, coordinates: 0, score: 0.0, state: S::default() });
        }
        let candidate = &mut self.candidates[self.scored];
        let open = &self.open[number as usize];
        let tails = &self.tails[open.tails as usize..][..open.arity as usize];
        let at = &self.coordinates[coordinates..][..tails.len() + 1];
        let rule = task.lists.rule(open.first_rule + at[0]);
        let vertex = |k: usize| found.vertex(tails[k][0] + at[k + 1]);
        let mut score = rule.score + open.parse;
        for k in 0..tails.len() {
            score += vertex(k).score;
        }
        let target = task.lists.target(rule).iter().copied();
        let places = if F::PLACED { task.places.of(open.edge) } else { &[] };
        let tail = |k| &vertex(usize::from(k)).state;
        score += task.feature.apply(target, places, tail, &mut candidate.state);
        if score < worst {
            self.coordinates.truncate(coordinates);
            return;
        }
        (candidate.open, candidate.coordinates, candidate.score) = (number, coordinates as u32, score);
        self.queue.push(key(score, self.scored as u32));
        self.scored += 1;
    }

    #[inline]
    fn push_successors<F: Stateful<State = S>>(
        &mut self,
        from: usize,
        worst: f32,
        task: &Task<'_, F>,
        found: &Searched<S>,
    ) {
        let Candidate { open: number, coordinates, .. } = self.candidates[from];
        let open = self.open[number as usize];
        let (start, dimensions) = (coordinates as usize, open.arity as usize + 1);
        for d in (0..dimensions).rev() {
            let limit = match d.checked_sub(1) {
                None => open.rules,
                Some(tail) => self.tails[open.tails as usize + tail][1],
            };
            let value = self.coordinates[start + d];
            if value + 1 < limit {
                let next = self.coordinates.len();
                self.coordinates.extend_from_within(start..start + dimensions);
                self.coordinates[next + d] += 1;
                self.push(number, next, worst, task, found);
            }
            if value > 0 {
                break;
            }
        }
    }

    /// Makes a combination a hyperarc of the hypothesis with its state. The goal has one hypothesis.
    #[inline]
    fn accept(&mut self, taken: usize, best_only: bool, goal: bool, found: &mut Searched<S>) {
        let candidate = &self.candidates[taken];
        let hash = if goal { 0 } else { FxBuildHasher.hash_one(candidate.state) };
        let same = |&known: &u32| goal || found.vertex(known).state == candidate.state;
        let known = self.joined.find(hash, same).copied();
        if best_only && known.is_some_and(|known| candidate.score <= found.vertex(known).score) {
            return;
        }
        let open = &self.open[candidate.open as usize];
        let tails = &self.tails[open.tails as usize..][..open.arity as usize];
        let at = &self.coordinates[candidate.coordinates as usize..];
        let below = tails.iter().zip(&at[1..]).map(|(&[first, _], &rank)| first + rank);
        let arc = found.add_arc(open.edge, at[0], candidate.score, below);
        match known {
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
