//! The k best derivations of a hypergraph, worked out only as far as they are asked for (Huang & Chiang 2005, algorithm 3),
//! with a stack of its own instead of recursion.
//!
//! When distinct strings are wanted, a node lists for each of its strings of words the best derivation only: all others have the
//! same future. Strings are told apart by hashes that are put together from those of their parts.

use super::yields::{Yield, YieldItem};
use super::{Ranked, Score};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Something for each tail; most hyperarcs have few, and lists of derivations are long.
type PerTail<T> = SmallVec<[T; 4]>;

/// A derivation of a node: a hyperarc, and which of its derivations each tail takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived<S> {
    /// Its score.
    pub score: S,
    /// The hyperarc.
    pub arc: u32,
    /// For each tail, the rank of its derivation, from 0.
    pub ranks: PerTail<u32>,
}

impl<S: Score> Eq for Derived<S> {}

impl<S: Score> Ord for Derived<S> {
    /// Of equal scores, the hyperarc of the smaller number is better, then smaller ranks are.
    fn cmp(&self, other: &Self) -> Ordering {
        let tie = || (other.arc, &other.ranks).cmp(&(self.arc, &self.ranks));
        self.score.total_cmp(&other.score).then_with(tie)
    }
}

impl<S: Score> PartialOrd for Derived<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Appends the words of a hyperarc.
type Words<'g> = &'g mut dyn FnMut(u32, &mut Vec<YieldItem>);

/// Hands out derivations, the best first; made for one hypergraph.
pub struct KBest<'g, G: Ranked> {
    graph: G,
    words: Option<Words<'g>>,
    /// The words of hyperarcs that were asked for, one after the other: most are in many derivations.
    items: Vec<YieldItem>,
    told: FxHashMap<u32, Range<u32>>,
    /// The words of what nodes were found to derive, if distinct ones are wanted.
    seen: FxHashSet<(u32, Yield)>,
    /// By node, the number of its ranking; [`NOT_RANKED`] for one that was not looked at yet.
    numbers: Vec<u32>,
    rankings: Vec<Ranking<G::Score>>,
}

const NOT_RANKED: u32 = u32::MAX;

/// The derivations of one node: those found, the best first, and those that may be next.
struct Ranking<S> {
    found: Vec<Derived<S>>,
    queue: BinaryHeap<Derived<S>>,
    /// The one taken last, whose successors are not in the queue yet.
    last: Option<Derived<S>>,
    /// One taken from the queue, whose words are not known yet.
    taken: Option<Derived<S>>,
    /// The words of those found, if distinct ones are wanted.
    yields: Vec<Yield>,
}

/// What a step towards one more derivation came to.
enum Step {
    /// Another node must have a derivation of this rank first, if it has so many.
    Needs(u32, u32),
    /// There is one more, or one of known words less to look at.
    Done,
    /// There are no more.
    Exhausted,
}

impl<'g, G: Ranked> KBest<'g, G> {
    /// Nothing is ranked yet.
    pub fn new(graph: G) -> Self {
        let numbers = vec![NOT_RANKED; graph.node_count()];
        Self {
            graph,
            words: None,
            items: Vec::new(),
            told: FxHashMap::default(),
            seen: FxHashSet::default(),
            numbers,
            rankings: Vec::new(),
        }
    }

    /// The same for derivations of distinct strings; `words` appends those of a hyperarc.
    pub fn distinct(graph: G, words: Words<'g>) -> Self {
        Self { words: Some(words), ..Self::new(graph) }
    }

    /// The derivation of a node with this rank, from 0; `None` if it has fewer.
    pub fn get(&mut self, node: u32, rank: u32) -> Option<&Derived<G::Score>> {
        if self.known(node).is_none_or(|ranking| ranking.found.len() <= rank as usize) {
            self.find(node, rank);
        }
        self.known(node)?.found.get(rank as usize)
    }

    /// Ranks derivations of a node up to a rank, if there are so many. What is needed of nodes below is found first; as no
    /// node is below itself, that ends.
    fn find(&mut self, node: u32, rank: u32) {
        let mut stack = vec![(node, rank)];
        while let Some(&(node, rank)) = stack.last() {
            if self.known(node).is_none() {
                self.start(node);
            }
            if self.ranking(node).found.len() > rank as usize {
                stack.pop();
                continue;
            }
            match self.step(node) {
                Step::Needs(tail, rank) => stack.push((tail, rank)),
                Step::Done => {}
                Step::Exhausted => {
                    stack.pop();
                }
            }
        }
    }

    fn step(&mut self, node: u32) -> Step {
        if let Some(taken) = self.ranking(node).taken.take() {
            return self.add(node, taken);
        }
        if let Some(last) = self.ranking(node).last.take() {
            let tails: PerTail<u32> = self.graph.tails(last.arc).collect();
            if let Some((tail, rank)) = self.missing(&last, &tails) {
                self.ranking(node).last = Some(last);
                return Step::Needs(tail, rank);
            }
            self.push_successors(node, &last, &tails);
        }
        match self.ranking(node).queue.pop() {
            Some(next) => self.add(node, next),
            None => Step::Exhausted,
        }
    }

    fn ranking(&mut self, node: u32) -> &mut Ranking<G::Score> {
        &mut self.rankings[self.numbers[node as usize] as usize]
    }

    /// The ranking of a node that was begun.
    fn known(&self, node: u32) -> Option<&Ranking<G::Score>> {
        self.rankings.get(*self.numbers.get(node as usize)? as usize)
    }

    /// The best derivation by each hyperarc.
    fn start(&mut self, node: u32) {
        let graph = &self.graph;
        let best =
            |arc: u32| Derived { score: graph.best(arc), arc, ranks: graph.tails(arc).map(|_| 0).collect() };
        let ranking = Ranking {
            found: Vec::new(),
            queue: graph.arcs(node).map(best).collect(),
            last: None,
            taken: None,
            yields: Vec::new(),
        };
        self.numbers[node as usize] = self.rankings.len() as u32;
        self.rankings.push(ranking);
    }

    /// Whether a node has a derivation of this rank; `None` if it is not known yet.
    fn has(&self, node: u32, rank: u32) -> Option<bool> {
        let ranking = self.known(node)?;
        if ranking.found.len() > rank as usize {
            return Some(true);
        }
        let open = !ranking.queue.is_empty() || ranking.last.is_some() || ranking.taken.is_some();
        (!open).then_some(false)
    }

    /// The places where the successors of a derivation go one rank further, the last first: a derivation is the successor of
    /// one other only, the one with its last rank above 0 less by one.
    fn places(ranks: &[u32]) -> impl Iterator<Item = usize> {
        let first = ranks.iter().rposition(|&rank| rank > 0).unwrap_or(0);
        (first..ranks.len()).rev()
    }

    /// A derivation of a tail that must be looked for before the successors of one are known.
    fn missing(&self, last: &Derived<G::Score>, tails: &[u32]) -> Option<(u32, u32)> {
        Self::places(&last.ranks)
            .map(|k| (tails[k], last.ranks[k] + 1))
            .find(|&(tail, rank)| self.has(tail, rank).is_none())
    }

    fn push_successors(&mut self, node: u32, last: &Derived<G::Score>, tails: &[u32]) {
        for k in Self::places(&last.ranks) {
            if self.has(tails[k], last.ranks[k] + 1) != Some(true) {
                continue;
            }
            let after = self.score(tails[k], last.ranks[k] + 1);
            let before = self.score(tails[k], last.ranks[k]);
            let mut ranks = last.ranks.clone();
            ranks[k] += 1;
            let scores = tails.iter().zip(&ranks).map(|(&tail, &rank)| self.score(tail, rank));
            let score = self.graph.rescore(last.arc, (last.score, before, after), scores);
            self.ranking(node).queue.push(Derived { score, arc: last.arc, ranks });
        }
    }

    /// The score of a derivation that was found, or is the best of a node that was not looked at yet.
    fn score(&self, node: u32, rank: u32) -> G::Score {
        let found = self.known(node).and_then(|ranking| ranking.found.get(rank as usize));
        found.map_or_else(|| self.graph.best_of(node), |found| found.score)
    }

    /// Ranks a derivation as the next one, unless its words were seen.
    fn add(&mut self, node: u32, next: Derived<G::Score>) -> Step {
        if self.words.is_none() {
            let ranking = self.ranking(node);
            ranking.last = Some(next.clone());
            ranking.found.push(next);
            return Step::Done;
        }
        let tails: PerTail<u32> = self.graph.tails(next.arc).collect();
        let mut below = tails.iter().copied().zip(next.ranks.iter().copied());
        if let Some((tail, rank)) = below.find(|&(tail, rank)| self.has(tail, rank).is_none()) {
            self.ranking(node).taken = Some(next);
            return Step::Needs(tail, rank);
        }
        let words = self.words_of(&next, &tails);
        let fresh = self.seen.insert((node, words));
        let ranking = self.ranking(node);
        ranking.last = Some(next.clone());
        if fresh {
            ranking.yields.push(words);
            ranking.found.push(next);
        }
        Step::Done
    }

    /// The words of a derivation whose tails' derivations are known.
    fn words_of(&mut self, derived: &Derived<G::Score>, tails: &[u32]) -> Yield {
        let Self { items, told, words, .. } = self;
        let told = told.entry(derived.arc).or_insert_with(|| {
            let start = items.len() as u32;
            if let Some(words) = words {
                words(derived.arc, items);
            }
            start..items.len() as u32
        });
        let own = told.start as usize..told.end as usize;
        self.items[own].iter().fold(Yield::EMPTY, |words, item| match *item {
            YieldItem::Words(more) => words.then(more),
            YieldItem::Tail(k) => words.then(self.words_below(tails, &derived.ranks, usize::from(k))),
        })
    }

    fn words_below(&self, tails: &[u32], ranks: &[u32], k: usize) -> Yield {
        let (Some(tail), Some(&rank)) = (tails.get(k), ranks.get(k)) else { return Yield::EMPTY };
        let below = self.known(*tail).and_then(|ranking| ranking.yields.get(rank as usize));
        below.copied().unwrap_or(Yield::EMPTY)
    }
}
