//! The k best derivations of what a search found, worked out only as far as they are asked for (Huang & Chiang 2005,
//! algorithm 3).

use crate::cube::Searched;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use treeglot_models::Forest;

/// Ranks derivations; made for one search result.
pub struct KBest<'a, S> {
    found: &'a Searched<S>,
    forest: &'a Forest,
    vertices: FxHashMap<u32, Ranking>,
}

/// A derivation: a way to a hypothesis, and which of its derivations each tail takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Its score.
    pub score: f32,
    /// The way.
    pub way: u32,
    /// For each tail, the rank of its derivation, from 0.
    pub ranks: Box<[u32]>,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let tie = || (other.way, &other.ranks).cmp(&(self.way, &self.ranks));
        self.score.total_cmp(&other.score).then_with(tie)
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Default)]
struct Ranking {
    found: Vec<Ranked>,
    queue: BinaryHeap<Ranked>,
    /// Whether the successors of the last one found are in the queue.
    extended: bool,
}

impl<'a, S: Copy> KBest<'a, S> {
    /// Nothing is ranked yet.
    pub fn new(found: &'a Searched<S>, forest: &'a Forest) -> Self {
        Self { found, forest, vertices: FxHashMap::default() }
    }

    /// The derivation of a hypothesis with this rank, from 0; `None` if it has fewer.
    pub fn get(&mut self, vertex: u32, rank: u32) -> Option<&Ranked> {
        self.ensure(vertex, rank).then(|| &self.vertices[&vertex].found[rank as usize])
    }

    fn ensure(&mut self, vertex: u32, rank: u32) -> bool {
        if !self.vertices.contains_key(&vertex) {
            let ranking = self.start(vertex);
            self.vertices.insert(vertex, ranking);
        }
        loop {
            let ranking = &self.vertices[&vertex];
            if ranking.found.len() > rank as usize {
                return true;
            }
            if !ranking.extended {
                self.extend(vertex);
            }
            let Some(ranking) = self.vertices.get_mut(&vertex) else { return false };
            let Some(next) = ranking.queue.pop() else { return false };
            ranking.found.push(next);
            ranking.extended = false;
        }
    }

    fn start(&self, vertex: u32) -> Ranking {
        let best = |number: u32| {
            let way = self.found.way(number);
            let ranks = vec![0; self.found.tails(way, self.forest).len()].into_boxed_slice();
            Ranked { score: way.score, way: number, ranks }
        };
        Ranking { found: Vec::new(), queue: self.found.ways(vertex).map(best).collect(), extended: true }
    }

    /// Puts the successors of the derivation found last into the queue. A derivation is the successor of one other
    /// only: the one with its last rank above 0 less by one.
    fn extend(&mut self, vertex: u32) {
        let Some(last) = self.vertices.get(&vertex).and_then(|ranking| ranking.found.last().cloned()) else {
            return;
        };
        let (found, forest) = (self.found, self.forest);
        let tails = found.tails(found.way(last.way), forest);
        for k in (0..tails.len()).rev() {
            let rank = last.ranks[k];
            if let Some(next) = self.get(tails[k], rank + 1).map(|ranked| ranked.score) {
                let before = self.vertices[&tails[k]].found[rank as usize].score;
                let mut ranks = last.ranks.clone();
                ranks[k] += 1;
                let successor = Ranked { score: last.score - before + next, way: last.way, ranks };
                if let Some(ranking) = self.vertices.get_mut(&vertex) {
                    ranking.queue.push(successor);
                }
            }
            if rank > 0 {
                break;
            }
        }
        if let Some(ranking) = self.vertices.get_mut(&vertex) {
            ranking.extended = true;
        }
    }
}
