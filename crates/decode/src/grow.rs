//! Cube growing (Huang & Chiang 2007, section 4): hypotheses of a node are worked out only when a node above asks for
//! them. Combinations wait in a queue by an estimate without language-model context; scored ones wait in a buffer until
//! no combination in the queue is estimated higher. Neighbours mostly help each other: an estimate is raised by the most that
//! any score of the node was above its own.

use crate::lists::Lists;
use crate::searched::{Candidate, Searched, key, number_of, score_of};
use crate::stateful::Stateful;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, Hash};
use treeglot_models::{Forest, NodeIx};

/// What is known of a node so far.
#[derive(Default)]
struct Growth {
    started: bool,
    /// Combinations by estimate.
    queue: BinaryHeap<u64>,
    /// Combinations by score.
    buffer: BinaryHeap<u64>,
    /// Hypotheses, about best first.
    fixed: Vec<u32>,
    joined: HashTable<u32>,
    taken: usize,
    /// By how much a score was above its estimate at most: so much more is expected of those in the queue.
    gain: f32,
}

impl Growth {
    fn clear(&mut self) {
        self.started = false;
        self.queue.clear();
        self.buffer.clear();
        self.fixed.clear();
        self.joined.clear();
        self.taken = 0;
        self.gain = 0.0;
    }
}

/// The search; owns the buffers of a thread.
pub struct CubeGrowing<S> {
    nodes: Vec<Growth>,
    /// Hyperedge and coordinates of what is or was in a queue.
    queued: Vec<(u32, u32)>,
    candidates: Vec<Candidate<S>>,
    coordinates: Vec<u32>,
}

impl<S> Default for CubeGrowing<S> {
    fn default() -> Self {
        Self { nodes: Vec::new(), queued: Vec::new(), candidates: Vec::new(), coordinates: Vec::new() }
    }
}

/// What is searched, and how far.
struct Task<'a, F: Stateful> {
    forest: &'a Forest,
    lists: &'a Lists<F::Word>,
    feature: &'a F,
    pops: usize,
}

impl<S: Copy + Eq + Hash> CubeGrowing<S> {
    /// Searches a forest whose lists were looked up until the goal has `wanted` ways, with at most `pops` combinations
    /// scored for a node.
    pub fn run<F: Stateful<State = S>>(
        &mut self,
        forest: &Forest,
        lists: &Lists<F::Word>,
        feature: &F,
        pops: usize,
        wanted: usize,
        found: &mut Searched<S>,
    ) {
        found.clear();
        self.candidates.clear();
        self.queued.clear();
        self.coordinates.clear();
        self.nodes.iter_mut().for_each(Growth::clear);
        if self.nodes.len() < forest.nodes().len() {
            self.nodes.resize_with(forest.nodes().len(), Growth::default);
        }
        let Some(goal) = forest.goal() else { return };
        let task = Task { forest, lists, feature, pops };
        let enough = (0..wanted).take_while(|&rank| self.get(goal, rank, &task, found).is_some()).count();
        found.join_goal(&self.nodes[goal.ix()].fixed[..enough]);
    }

    /// The hypothesis of a node with this rank, from 0.
    fn get<F: Stateful<State = S>>(
        &mut self,
        node: NodeIx,
        rank: usize,
        task: &Task<'_, F>,
        found: &mut Searched<S>,
    ) -> Option<u32> {
        if let Some(&known) = self.nodes[node.ix()].fixed.get(rank) {
            return Some(known);
        }
        if !self.nodes[node.ix()].started {
            self.start(node, task, found);
        }
        loop {
            let growth = &self.nodes[node.ix()];
            let open = growth.queue.peek().filter(|_| growth.taken < task.pops);
            let bound = open.map_or(f32::NEG_INFINITY, |&top| score_of(top) + growth.gain);
            if let Some(top) = growth.buffer.peek().copied().filter(|&top| score_of(top) >= bound) {
                self.nodes[node.ix()].buffer.pop();
                self.fix(node, top, task, found);
                if let Some(&known) = self.nodes[node.ix()].fixed.get(rank) {
                    return Some(known);
                }
                continue;
            }
            open?;
            self.expand(node, task, found);
        }
    }

    /// Queues the best combination of each hyperedge.
    fn start<F: Stateful<State = S>>(&mut self, node: NodeIx, task: &Task<'_, F>, found: &mut Searched<S>) {
        self.nodes[node.ix()].started = true;
        for edge in task.forest.edges_of(node) {
            let built = task.forest.edges()[edge];
            let tails = task.forest.tails(&built);
            let possible = tails.iter().all(|&tail| self.get(tail, 0, task, found).is_some());
            if possible && !task.lists.rules(built.list).is_empty() {
                let start = self.coordinates.len() as u32;
                self.coordinates.resize(self.coordinates.len() + tails.len() + 1, 0);
                self.queue(node, edge as u32, start, task, found);
            }
        }
    }

    /// Puts a combination, whose tails are known, into the queue by its estimate.
    fn queue<F: Stateful<State = S>>(
        &mut self,
        node: NodeIx,
        edge: u32,
        coordinates: u32,
        task: &Task<'_, F>,
        found: &Searched<S>,
    ) {
        let built = task.forest.edges()[edge as usize];
        let at = &self.coordinates[coordinates as usize..];
        let mut estimate =
            task.lists.rules(built.list)[at[0] as usize].estimate + task.lists.parse_score(&built);
        for (&tail, &rank) in task.forest.tails(&built).iter().zip(&at[1..]) {
            estimate += found.vertex(self.nodes[tail.ix()].fixed[rank as usize]).score;
        }
        self.nodes[node.ix()].queue.push(key(estimate, self.queued.len() as u32));
        self.queued.push((edge, coordinates));
    }

    /// Scores the combination that is estimated highest, and queues its successors.
    fn expand<F: Stateful<State = S>>(&mut self, node: NodeIx, task: &Task<'_, F>, found: &mut Searched<S>) {
        let Some(top) = self.nodes[node.ix()].queue.pop() else { return };
        self.nodes[node.ix()].taken += 1;
        let (edge, coordinates) = self.queued[number_of(top) as usize];
        let built = task.forest.edges()[edge as usize];
        let tails = task.forest.tails(&built);
        let at = &self.coordinates[coordinates as usize..];
        let rule = task.lists.rules(built.list)[at[0] as usize];
        let vertex = |k: usize| found.vertex(self.nodes[tails[k].ix()].fixed[at[k + 1] as usize]);
        let below: f32 = (0..tails.len()).map(|k| vertex(k).score).sum();
        let target = task.lists.target(&rule).iter().copied();
        let (change, state) = task.feature.apply(target, |k| &vertex(usize::from(k)).state);
        let score = rule.score + task.lists.parse_score(&built) + below + change;
        let growth = &mut self.nodes[node.ix()];
        growth.gain = growth.gain.max(score - score_of(top));
        growth.buffer.push(key(score, self.candidates.len() as u32));
        self.candidates.push(Candidate { edge, coordinates, score, state });
        let (start, dimensions) = (coordinates as usize, tails.len() + 1);
        for d in (0..dimensions).rev() {
            let value = self.coordinates[start + d];
            let possible = match d.checked_sub(1) {
                None => (value as usize) + 1 < task.lists.rules(built.list).len(),
                Some(tail) => self.get(tails[tail], value as usize + 1, task, found).is_some(),
            };
            if possible {
                let next = self.coordinates.len();
                self.coordinates.extend_from_within(start..start + dimensions);
                self.coordinates[next + d] += 1;
                self.queue(node, edge, next as u32, task, found);
            }
            if value > 0 {
                break;
            }
        }
    }

    /// Makes a scored combination a way to the hypothesis with its state. One that scores higher than this hypothesis,
    /// which was fixed too early then, becomes a hypothesis of its own, as does every way to the goal.
    fn fix<F: Stateful<State = S>>(
        &mut self,
        node: NodeIx,
        top: u64,
        task: &Task<'_, F>,
        found: &mut Searched<S>,
    ) {
        let candidate = self.candidates[number_of(top) as usize];
        let at = &self.coordinates[candidate.coordinates as usize..];
        let tails = task.forest.tails(&task.forest.edges()[candidate.edge as usize]);
        let fixed = |k: usize| self.nodes[tails[k].ix()].fixed[at[k + 1] as usize];
        let way = found.add_way(&candidate, at[0], (0..tails.len()).map(fixed));
        let hash = FxBuildHasher.hash_one(candidate.state);
        let growth = &mut self.nodes[node.ix()];
        let same = |&known: &u32| found.vertex(known).state == candidate.state;
        let known = growth.joined.find(hash, same).copied();
        let goal = task.forest.goal() == Some(node);
        match known.filter(|&known| !goal && found.vertex(known).score >= candidate.score) {
            Some(known) => found.join(known, way),
            None => {
                let vertex = found.add_vertex(candidate.state, way);
                growth.fixed.push(vertex);
                growth.joined.insert_unique(hash, vertex, |&v| FxBuildHasher.hash_one(found.vertex(v).state));
            }
        }
    }
}
