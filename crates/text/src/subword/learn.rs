//! Learning pieces from text: again and again the most frequent pair of neighbours becomes one piece (Sennrich et al. 2016, algorithm
//! 1). Counts are kept up to date word by word, so that a merge costs what the words that have it cost. The same text gives the same
//! pieces, on any number of threads.

use super::{JOINER, PieceId, Subwords};
use crate::error::Result;
use crate::lines::Lines;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

/// A pair that is seen less often says nothing of other text.
const LEAST_SEEN: u64 = 2;

/// Longer words are links and noise.
const LONGEST_WORD: usize = 50;

/// How many lines are counted at a time, by all threads together.
const LINES: usize = 1 << 14;

/// Counts words and learns their pieces.
#[derive(Debug, Clone, Default)]
pub struct Learner {
    pub(super) words: FxHashMap<String, u64>,
}

type Pair = [PieceId; 2];

/// How often neighbours were seen, and in which words.
#[derive(Default)]
struct Seen {
    count: u64,
    words: FxHashSet<u32>,
}

/// The state between two merges.
struct Merging {
    /// Each word as pieces, and how often it occurs.
    words: Vec<(Vec<PieceId>, u64)>,
    seen: FxHashMap<Pair, Seen>,
    /// Pairs by count; those whose count has changed since lie in it as well.
    queue: BinaryHeap<(u64, Reverse<Pair>)>,
}

impl Learner {
    /// Counts the words of a line.
    pub fn add(&mut self, line: &str) {
        line.split_ascii_whitespace().for_each(|word| self.count(word, 1));
    }

    fn count(&mut self, word: &str, times: u64) {
        if word.contains(JOINER) || word.chars().count() > LONGEST_WORD {
            return;
        }
        match self.words.get_mut(word) {
            Some(count) => *count += times,
            None => drop(self.words.insert(word.to_string(), times)),
        }
    }

    /// Counts the words of a text.
    pub fn add_text(&mut self, path: &Path) -> Result<()> {
        let (mut lines, mut batch) = (Lines::open(path)?, Vec::new());
        loop {
            let line = lines.next_line()?;
            let ended = line.is_none();
            batch.extend(line.map(str::to_string));
            if ended || batch.len() >= LINES {
                let counted = batch.par_iter().fold(Self::default, |mut counted, line| {
                    counted.add(line);
                    counted
                });
                let counted = counted.reduce(Self::default, Self::merged);
                *self = std::mem::take(self).merged(counted);
                batch.clear();
            }
            if ended {
                return Ok(());
            }
        }
    }

    /// The counts of both.
    fn merged(self, other: Self) -> Self {
        let (mut large, small) =
            if self.words.len() < other.words.len() { (other, self) } else { (self, other) };
        small.words.into_iter().for_each(|(word, times)| large.count(&word, times));
        large
    }

    /// Learns to put so many pairs of neighbours together, or as many as are seen more than once.
    pub fn learn(&self, merges: usize) -> Subwords {
        let mut subwords = Subwords::default();
        let mut words: Vec<(&String, &u64)> = self.words.iter().collect();
        words.sort_unstable();
        let words = words.into_iter().map(|(word, times)| {
            let last = word.chars().count() - 1;
            let piece = |(at, c): (usize, char)| match at == last {
                true => c.to_string(),
                false => format!("{c}{JOINER}"),
            };
            (word.chars().enumerate().map(piece).map(|piece| subwords.intern(piece)).collect(), *times)
        });
        let mut merging = Merging::new(words.collect());
        while subwords.len() < merges {
            let Some(pair) = merging.next() else { break };
            let whole = subwords.merge(pair);
            merging.merge(pair, whole);
        }
        subwords
    }
}

impl Merging {
    fn new(words: Vec<(Vec<PieceId>, u64)>) -> Self {
        let mut seen = FxHashMap::<Pair, Seen>::default();
        for ((pieces, times), number) in words.iter().zip(0..) {
            for pair in pairs(pieces) {
                let seen = seen.entry(pair).or_default();
                seen.count += times;
                seen.words.insert(number);
            }
        }
        let queue = seen.iter().map(|(pair, seen)| (seen.count, Reverse(*pair))).collect();
        Self { words, seen, queue }
    }

    /// The most frequent pair; of several, the one whose pieces are the oldest.
    fn next(&mut self) -> Option<Pair> {
        while let Some((count, Reverse(pair))) = self.queue.pop() {
            let now = self.seen.get(&pair).map_or(0, |seen| seen.count);
            if now == count && now >= LEAST_SEEN {
                return Some(pair);
            }
            if now == count {
                return None;
            }
        }
        None
    }

    fn merge(&mut self, pair: Pair, whole: PieceId) {
        let Some(Seen { words, .. }) = self.seen.remove(&pair) else { return };
        let mut changed = FxHashSet::default();
        for number in words {
            let (pieces, times) = &mut self.words[number as usize];
            let times = *times;
            let before: Vec<Pair> = pairs(pieces).collect();
            join_all(pieces, pair, whole);
            let after: Vec<Pair> = pairs(pieces).collect();
            for old in before.iter().filter(|old| **old != pair) {
                if let Some(seen) = self.seen.get_mut(old) {
                    seen.count -= times;
                    if !after.contains(old) {
                        seen.words.remove(&number);
                    }
                }
            }
            for new in &after {
                let seen = self.seen.entry(*new).or_default();
                seen.count += times;
                seen.words.insert(number);
            }
            changed.extend(before.into_iter().chain(after));
        }
        // The order in which pairs are queued does not matter: it is one of counts and pieces.
        let queued = changed.into_iter().filter_map(|pair| {
            let count = self.seen.get(&pair)?.count;
            (count > 0).then_some((count, Reverse(pair)))
        });
        self.queue.extend(queued);
    }
}

fn pairs(pieces: &[PieceId]) -> impl Iterator<Item = Pair> {
    pieces.windows(2).map(|pair| [pair[0], pair[1]])
}

/// Puts a pair together wherever it stands, from left to right.
fn join_all(pieces: &mut Vec<PieceId>, pair: Pair, whole: PieceId) {
    let (mut from, mut to) = (0, 0);
    while from < pieces.len() {
        let here = pieces[from..].starts_with(&pair);
        pieces[to] = if here { whole } else { pieces[from] };
        from += if here { 2 } else { 1 };
        to += 1;
    }
    pieces.truncate(to);
}
