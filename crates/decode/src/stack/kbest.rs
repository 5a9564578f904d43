//! The k best paths through the hypotheses of a sentence, one after the other and only as many as are asked for (Huang &
//! Chiang 2005, algorithm 3).
//!
//! When distinct translations are wanted, a vertex lists for each string of words the best path only: all others have the
//! same future.

use super::hypotheses::{Hypotheses, NONE};
use crate::yields::Yield;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A path to a vertex: by an arc, and the so-many-best path to the vertex before.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Path {
    score: f64,
    arc: u32,
    rank: u32,
}

impl Eq for Path {}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| (other.arc, other.rank).cmp(&(self.arc, self.rank)))
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The paths to one vertex: those found, the best first, and those that may be next.
#[derive(Default)]
struct Ranked {
    found: Vec<Path>,
    candidates: BinaryHeap<Path>,
    /// The path taken last, whose successor is not among the candidates yet.
    last: Option<Path>,
    /// The words of those found, if distinct ones are wanted.
    yields: Vec<Yield>,
    seen: FxHashSet<Yield>,
}

/// Hands out paths, the best first.
pub struct KBest<'h> {
    hypotheses: &'h Hypotheses,
    words: Option<&'h dyn Fn(u32) -> Yield>,
    ranked: FxHashMap<u32, Ranked>,
}

impl<'h> KBest<'h> {
    /// Nothing is worked out yet. With `words`, which tells those of an option, only distinct translations are ranked.
    pub fn new(hypotheses: &'h Hypotheses, words: Option<&'h dyn Fn(u32) -> Yield>) -> Self {
        Self { hypotheses, words, ranked: FxHashMap::default() }
    }

    /// The options on the path of this rank (from 0) to a vertex, in target order, and its score; `None` past the last.
    pub fn path(&mut self, vertex: u32, rank: u32, out: &mut Vec<u32>) -> Option<f64> {
        out.clear();
        let whole = self.find(vertex, rank)?;
        let mut path = whole;
        loop {
            let arc = *self.hypotheses.arc(path.arc);
            if arc.from == NONE {
                break;
            }
            out.push(arc.option);
            path = self.find(arc.from, path.rank)?;
        }
        out.reverse();
        Some(whole.score)
    }

    fn find(&mut self, vertex: u32, rank: u32) -> Option<Path> {
        if !self.ranked.contains_key(&vertex) {
            self.begin(vertex);
        }
        while self.ranked[&vertex].found.len() <= rank as usize {
            let last = self.ranked.get_mut(&vertex).and_then(|ranked| ranked.last.take());
            let next = last.and_then(|path| self.after(path));
            let ranked = self.ranked.get_mut(&vertex).expect("the vertex was begun");
            ranked.candidates.extend(next);
            let best = ranked.candidates.pop()?;
            ranked.last = Some(best);
            self.add(vertex, best);
        }
        self.ranked[&vertex].found.get(rank as usize).copied()
    }

    /// Ranks a path as the next one, unless its words were seen.
    fn add(&mut self, vertex: u32, path: Path) {
        let words = self.words.map(|words| {
            let arc = self.hypotheses.arc(path.arc);
            if arc.from == NONE || self.find(arc.from, path.rank).is_none() {
                return Yield::EMPTY;
            }
            self.ranked[&arc.from].yields[path.rank as usize].then(words(arc.option))
        });
        let ranked = self.ranked.get_mut(&vertex).expect("the vertex was begun");
        if let Some(words) = words {
            if !ranked.seen.insert(words) {
                return;
            }
            ranked.yields.push(words);
        }
        ranked.found.push(path);
    }

    /// The best path by each arc.
    fn begin(&mut self, vertex: u32) {
        let path = |arc| Path { score: f64::from(self.hypotheses.arc(arc).score), arc, rank: 0 };
        let candidates = self.hypotheses.arcs(vertex).map(path).collect();
        self.ranked.insert(vertex, Ranked { candidates, ..Ranked::default() });
    }

    /// The next path by the same arc.
    fn after(&mut self, path: Path) -> Option<Path> {
        let arc = *self.hypotheses.arc(path.arc);
        if arc.from == NONE {
            return None;
        }
        let rank = path.rank + 1;
        let before = self.find(arc.from, rank)?.score;
        let own = f64::from(arc.score) - f64::from(self.hypotheses.vertex(arc.from).score);
        Some(Path { score: before + own, arc: path.arc, rank })
    }
}
