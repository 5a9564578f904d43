//! The k best derivations of what a search found, worked out only as far as they are asked for (Huang & Chiang 2005,
//! algorithm 3).
//!
//! When distinct translations are wanted, a hypothesis lists for each of its strings of words the best derivation only: all
//! others have the same future. Strings are told apart by hashes that are put together from those of their parts.

use crate::searched::Searched;
use crate::yields::Yield;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use treeglot_models::Forest;

/// Ranks derivations; made for one search result.
pub struct KBest<'a, S> {
    found: &'a Searched<S>,
    forest: &'a Forest,
    yields: Option<&'a dyn Fn(u32) -> Vec<YieldItem>>,
    vertices: FxHashMap<u32, Ranking>,
}

/// A piece of the words that a way gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YieldItem {
    /// A word, by a hash of its text.
    Word(u64),
    /// The words of a tail.
    Tail(u8),
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
    /// The one taken last, whose successors are not in the queue yet.
    last: Option<Ranked>,
    /// The words of those found, if distinct ones are wanted.
    yields: Vec<Yield>,
    seen: FxHashSet<Yield>,
}

impl<'a, S: Copy> KBest<'a, S> {
    /// Nothing is ranked yet. With `yields`, which tells the words of a way, only distinct translations are ranked.
    pub fn new(
        found: &'a Searched<S>,
        forest: &'a Forest,
        yields: Option<&'a dyn Fn(u32) -> Vec<YieldItem>>,
    ) -> Self {
        Self { found, forest, yields, vertices: FxHashMap::default() }
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
            if self.vertices[&vertex].found.len() > rank as usize {
                return true;
            }
            self.extend(vertex);
            let Some(ranking) = self.vertices.get_mut(&vertex) else { return false };
            let Some(next) = ranking.queue.pop() else { return false };
            ranking.last = Some(next.clone());
            self.add(vertex, next);
        }
    }

    /// Ranks a derivation as the next one, unless its words were seen.
    fn add(&mut self, vertex: u32, next: Ranked) {
        if self.yields.is_some() {
            let (found, forest) = (self.found, self.forest);
            for (&tail, &rank) in found.tails(found.way(next.way), forest).iter().zip(&next.ranks) {
                self.ensure(tail, rank);
            }
        }
        let words = self.yields.map(|yields| self.words(&next, &yields(next.way)));
        let Some(ranking) = self.vertices.get_mut(&vertex) else { return };
        if let Some(words) = words {
            if !ranking.seen.insert(words) {
                return;
            }
            ranking.yields.push(words);
        }
        ranking.found.push(next);
    }

    fn words(&self, derivation: &Ranked, items: &[YieldItem]) -> Yield {
        let tails = self.found.tails(self.found.way(derivation.way), self.forest);
        items.iter().fold(Yield::EMPTY, |words, item| match *item {
            YieldItem::Word(hash) => words.then(Yield::word(hash)),
            YieldItem::Tail(k) => {
                let (tail, rank) = (tails[usize::from(k)], derivation.ranks[usize::from(k)]);
                let below = self.vertices.get(&tail).and_then(|ranking| ranking.yields.get(rank as usize));
                words.then(below.copied().unwrap_or(Yield::EMPTY))
            }
        })
    }

    fn start(&self, vertex: u32) -> Ranking {
        let best = |number: u32| {
            let way = self.found.way(number);
            let ranks = vec![0; self.found.tails(way, self.forest).len()].into_boxed_slice();
            Ranked { score: way.score, way: number, ranks }
        };
        Ranking { queue: self.found.ways(vertex).map(best).collect(), ..Ranking::default() }
    }

    /// Puts the successors of the derivation taken last into the queue. A derivation is the successor of one other
    /// only: the one with its last rank above 0 less by one.
    fn extend(&mut self, vertex: u32) {
        let Some(last) = self.vertices.get_mut(&vertex).and_then(|ranking| ranking.last.take()) else {
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
    }
}
