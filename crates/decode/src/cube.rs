//! Cube pruning (Chiang 2007; Huang & Chiang 2007, section 3): each node of the forest is built from the best
//! combinations of rules and translations of its tails, taken from a queue until the pop limit; hypotheses with equal
//! states are joined.
//!
//! A combination has one predecessor, the one with its last coordinate above zero less by one, so no combination is
//! made twice and none has to be remembered (Gesmundo & Henderson 2010).
//!
//! Most combinations make strings of words that others of the node have made: the stateful features are asked for each string once.

use crate::deadline::Deadline;
use crate::features::{Item, Stateful};
use crate::lists::Lists;
use crate::places::Places;
use crate::searched::{Candidate, Parts, Searched, Vertex, key, number_of};
use crate::settings::Limits;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use treeglot_models::{Forest, NodeIx};
use treeglot_tree::hypergraph::Yield;

/// The search; owns the buffers of a thread.
pub struct CubePruning<S> {
    /// Where each node's hypotheses end.
    ends: Vec<u32>,
    /// The hyperarcs of a node, and for each of their tails the first hypothesis and how many there are.
    open: Vec<Open>,
    tails: Vec<[u32; 2]>,
    candidates: Vec<Candidate>,
    coordinates: Vec<u32>,
    queue: BinaryHeap<u64>,
    /// The strings of words of a node: the first `made` of these, which are kept to be overwritten.
    strings: Vec<Words<S>>,
    made: usize,
    by_words: HashTable<u32>,
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

/// A string of words that combinations of a node make.
struct Words<S> {
    words: Yield,
    /// What the stateful features score it.
    stateful: f32,
    /// The hypothesis it belongs to; [`NOT_TAKEN`] before a combination was taken that makes it.
    vertex: u32,
    state: S,
}

const NOT_TAKEN: u32 = u32::MAX;

impl<S> Default for CubePruning<S> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            open: Vec::new(),
            tails: Vec::new(),
            candidates: Vec::new(),
            coordinates: Vec::new(),
            queue: BinaryHeap::new(),
            strings: Vec::new(),
            made: 0,
            by_words: HashTable::new(),
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
        self.made = 0;
        self.by_words.clear();
        self.candidates.clear();
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
            let top = self.candidates[number_of(top) as usize];
            best = best.max(top.score);
            let worst = best - task.limits.threshold;
            if top.score < worst {
                break;
            }
            self.accept(&top, task.best_only, goal, found);
            self.push_successors(&top, worst, task, found);
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
        let open = &self.open[number as usize];
        let tails = &self.tails[open.tails as usize..][..open.arity as usize];
        let at = &self.coordinates[coordinates..][..tails.len() + 1];
        let rule = task.lists.rule(open.first_rule + at[0]);
        let vertex = |k: usize| found.vertex(tails[k][0] + at[k + 1]);
        let (mut rules, mut stateful) = (rule.score + open.parse, 0.0);
        for k in 0..tails.len() {
            let Parts { rules: of_rules, stateful: of_features, .. } = vertex(k).parts;
            rules += of_rules;
            stateful += of_features;
        }
        let target = task.lists.target(rule);
        let words = match F::OF_WORDS {
            true => words_of::<F>(target, |k| vertex(usize::from(k)).parts.words),
            false => Yield::EMPTY,
        };
        let known = match F::OF_WORDS {
            true => self.by_words.find(words.spread(), |&at| self.strings[at as usize].words == words),
            false => None,
        };
        let string = known.copied().unwrap_or_else(|| {
            let string = self.made as u32;
            if self.made == self.strings.len() {
                self.strings.push(Words { words, stateful, vertex: NOT_TAKEN, state: S::default() });
            }
            let made = &mut self.strings[self.made];
            let places = if F::PLACED { task.places.of(open.edge) } else { &[] };
            let tail = |k| &vertex(usize::from(k)).state;
            stateful += task.feature.apply(target.iter().copied(), places, tail, &mut made.state);
            (made.words, made.stateful, made.vertex) = (words, stateful, NOT_TAKEN);
            self.made += 1;
            if F::OF_WORDS {
                let strings = &self.strings;
                self.by_words
                    .insert_unique(words.spread(), string, |&at| strings[at as usize].words.spread());
            }
            string
        });
        let score = rules + self.strings[string as usize].stateful;
        if score < worst {
            self.coordinates.truncate(coordinates);
            return;
        }
        self.queue.push(key(score, self.candidates.len() as u32));
        let coordinates = coordinates as u32;
        self.candidates.push(Candidate { open: number, coordinates, string, rules, score });
    }

    #[inline]
    fn push_successors<F: Stateful<State = S>>(
        &mut self,
        from: &Candidate,
        worst: f32,
        task: &Task<'_, F>,
        found: &Searched<S>,
    ) {
        let &Candidate { open: number, coordinates, .. } = from;
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
    fn accept(&mut self, candidate: &Candidate, best_only: bool, goal: bool, found: &mut Searched<S>) {
        let string = &mut self.strings[candidate.string as usize];
        let hash = |state: &S| if goal { 0 } else { FxBuildHasher.hash_one(state) };
        if string.vertex == NOT_TAKEN {
            let same = |&known: &u32| goal || found.vertex(known).state == string.state;
            let known = self.joined.find(hash(&string.state), same);
            string.vertex = known.copied().unwrap_or(NOT_TAKEN);
        }
        let fresh = string.vertex == NOT_TAKEN;
        if best_only && !fresh && candidate.score <= found.vertex(string.vertex).score {
            return;
        }
        let open = &self.open[candidate.open as usize];
        let tails = &self.tails[open.tails as usize..][..open.arity as usize];
        let at = &self.coordinates[candidate.coordinates as usize..];
        let below = tails.iter().zip(&at[1..]).map(|(&[first, _], &rank)| first + rank);
        let arc = found.add_arc(open.edge, at[0], candidate.score, below);
        let parts = Parts { rules: candidate.rules, stateful: string.stateful, words: string.words };
        if !fresh {
            found.join(string.vertex, parts, arc);
            return;
        }
        string.vertex = found.add_vertex(string.state, parts, arc);
        let rehash = |&vertex: &u32| hash(&found.vertex(vertex).state);
        self.joined.insert_unique(hash(&string.state), string.vertex, rehash);
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

/// The words of a target side, with those of what its variables stand for.
#[inline]
fn words_of<F: Stateful>(target: &[Item<F::Word>], below: impl Fn(u8) -> Yield) -> Yield {
    target.iter().fold(Yield::EMPTY, |words, &item| match item {
        Item::Word(word) => words.then(Yield::word(F::key(word).wrapping_add(2))),
        Item::Tail(k) => words.then(below(k)),
        Item::Begin => words.then(Yield::word(1)),
        Item::Head(_) | Item::Source(_) => words,
    })
}
