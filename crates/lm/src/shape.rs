//! The n-grams of a text as a trie read from the last word backwards: the children of `b c` are all `a b c`. One
//! array an order, in suffix order, so that a node's children are a range of the next array. Estimation counts on it,
//! and both binary layouts are built from it.

use crate::key::{Key, Packing};
use crate::special::BOS;
use std::ops::Range;

/// All n-grams of one order, in suffix order.
#[derive(Debug, Clone, Default)]
pub struct Level {
    /// The first word of each n-gram; the words after it are those of its parent.
    pub words: Vec<u32>,
    /// Where each n-gram's children begin in the next level, and where the last one's end; empty in the last level.
    pub starts: Vec<u32>,
}

impl Level {
    /// How many n-grams there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The n-grams that extend the given one to the left; none in the last level.
    pub fn children(&self, node: usize) -> Range<usize> {
        match self.starts.get(node..node + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }
}

/// Counted n-grams. Unigrams are indexed by their word.
pub struct Counts {
    /// The n-grams, by order less one.
    pub levels: Vec<Level>,
    /// Kneser-Ney's adjusted counts: the plain count of the longest n-grams and those that begin a sentence, else the
    /// number of different words before the n-gram.
    pub adjusted: Vec<Vec<u32>>,
    /// Plain counts, if they were asked for.
    pub plain: Option<Vec<Vec<u32>>>,
}

/// Builds [`Counts`] from n-grams in suffix order.
pub struct Builder<K> {
    packing: Packing,
    counts: Counts,
    last: Option<K>,
}

impl<K: Key> Builder<K> {
    /// Starts a trie of n-grams of this packing; `plain` keeps plain counts too, for pruning.
    pub fn new(packing: Packing, plain: bool) -> Self {
        let levels = vec![Level::default(); packing.order];
        let adjusted = vec![Vec::new(); packing.order];
        let plain = plain.then(|| adjusted.clone());
        Self { packing, counts: Counts { levels, adjusted, plain }, last: None }
    }

    /// Adds the next n-gram of the longest order; those filled up with [`BOS`] count as the shorter n-gram that has it
    /// once.
    pub fn push(&mut self, key: K, count: u32) {
        self.push_short(key, count, self.packing.order);
    }

    /// Adds only the last `length` words of the next n-gram.
    pub fn push_short(&mut self, key: K, count: u32, length: usize) {
        let common = self.last.map_or(0, |last| key.common(last, self.packing));
        self.last = Some(key);
        let mut depth = common;
        loop {
            let word = key.word(depth, self.packing);
            if depth == 0 {
                self.fill_unigrams(word);
            }
            self.push_node(depth, word);
            depth += 1;
            if depth == length || word == BOS.0 {
                break;
            }
        }
        if let Some(adjusted) = self.counts.adjusted[depth - 1].last_mut() {
            *adjusted = count;
        }
        for plain in self.counts.plain.iter_mut().flat_map(|p| &mut p[..depth]) {
            if let Some(sum) = plain.last_mut() {
                *sum += count;
            }
        }
    }

    fn push_node(&mut self, depth: usize, word: u32) {
        let next = self.counts.levels.get(depth + 1).map(|level| level.len() as u32);
        let level = &mut self.counts.levels[depth];
        level.words.push(word);
        level.starts.extend(next);
        self.counts.adjusted[depth].push(0);
        if let Some(plain) = &mut self.counts.plain {
            plain[depth].push(0);
        }
    }

    /// Unigrams that end no n-gram, so that a word is its own index.
    fn fill_unigrams(&mut self, until: u32) {
        for word in self.counts.levels[0].len() as u32..until {
            self.push_node(0, word);
        }
    }

    /// The finished trie over a vocabulary of `words` words.
    pub fn finish(mut self, words: usize) -> Counts {
        self.fill_unigrams(words as u32);
        let mut counts = self.counts;
        for depth in 0..counts.levels.len() - 1 {
            let end = counts.levels[depth + 1].len() as u32;
            counts.levels[depth].starts.push(end);
            for (node, adjusted) in counts.adjusted[depth].iter_mut().enumerate() {
                *adjusted = (*adjusted).max(counts.levels[depth].children(node).len() as u32);
            }
        }
        counts
    }
}

/// For each n-gram of level `depth`, the index of its context (all words but the last) in the level before;
/// `u32::MAX` if there is none. `shorter` is the same for the level before.
///
/// The context of `a b c` is the child `a` of the context of `b c`: for one last word, contexts come in the order of
/// their own level, so the search moves forward through memory.
pub fn contexts(levels: &[Level], depth: usize, shorter: &[u32]) -> Vec<u32> {
    if depth == 1 {
        return levels[1].words.clone();
    }
    let (upper, here) = (&levels[depth - 1], &levels[depth]);
    let mut contexts = vec![u32::MAX; here.len()];
    let pieces = split_by_parent(&mut contexts, upper);
    rayon::scope(|scope| {
        for (parents, piece) in pieces {
            scope.spawn(move |_| {
                let first = upper.starts[parents.start] as usize;
                for parent in parents {
                    let children = upper.children(parent);
                    let context = shorter[parent] as usize;
                    let candidates = levels[depth - 2].children(context);
                    let (mut at, end) = (candidates.start, candidates.end);
                    for child in children {
                        let word = here.words[child];
                        at += seek(&upper.words[at..end], word);
                        if at < end && upper.words[at] == word {
                            piece[child - first] = at as u32;
                        }
                    }
                }
            });
        }
    });
    contexts
}

/// How many of the ascending `words` are smaller than `word`: near ones are found first.
fn seek(words: &[u32], word: u32) -> usize {
    let mut step = 1;
    while step < words.len() && words[step] < word {
        step *= 2;
    }
    let low = step / 2;
    let high = words.len().min(step + 1);
    low + words[low..high].partition_point(|&w| w < word)
}

const PARENTS: usize = 1 << 14;

/// Cuts the values of a level into pieces that belong to runs of parents.
pub fn split_by_parent<'v, T>(values: &'v mut [T], parents: &Level) -> Vec<(Range<usize>, &'v mut [T])> {
    let mut pieces = Vec::new();
    let mut rest = values;
    for start in (0..parents.len()).step_by(PARENTS) {
        let run = start..(start + PARENTS).min(parents.len());
        let length = (parents.starts[run.end] - parents.starts[run.start]) as usize;
        let (piece, after) = rest.split_at_mut(length);
        rest = after;
        pieces.push((run, piece));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(ngrams: &[(&[u32], u32)]) -> Counts {
        let packing = Packing::new(3, 6);
        let mut builder = Builder::new(packing, true);
        let mut keys: Vec<(u64, u32)> = ngrams.iter().map(|&(n, c)| (u64::pack(n, packing), c)).collect();
        keys.sort_unstable();
        for (key, count) in keys {
            builder.push(key, count);
        }
        builder.finish(6)
    }

    #[test]
    fn shorter_ngrams_count_the_words_before_them_and_sentence_starts_their_occurrences() {
        // Last word first: `3 4` twice after the sentence start, `5 3 4` once.
        let c = counts(&[(&[4, 3, 1], 2), (&[4, 3, 5], 1), (&[3, 1, 1], 7)]);
        assert_eq!(c.levels[0].len(), 6);
        assert_eq!(c.adjusted[0], [0, 0, 0, 1, 1, 0]);
        assert_eq!(c.levels[1].words, [1, 3]);
        assert_eq!(c.adjusted[1], [7, 2]);
        assert_eq!(c.levels[2].words, [1, 5]);
        assert_eq!(c.adjusted[2], [2, 1]);
        assert_eq!(c.plain.unwrap()[1], [7, 3]);
    }

    #[test]
    fn contexts_are_found_where_they_exist() {
        let c = counts(&[(&[4, 3, 1], 1), (&[4, 3, 5], 1), (&[3, 1, 1], 1), (&[3, 5, 4], 1)]);
        let bigrams = contexts(&c.levels, 1, &[]);
        assert_eq!(bigrams, [1, 5, 3]);
        // The bigrams are `1 3`, `5 3`, `3 4`; the trigrams `4 5 3`, `1 3 4`, `5 3 4`.
        assert_eq!(contexts(&c.levels, 2, &bigrams), [u32::MAX, 0, 1]);
    }

    #[test]
    fn seeking_counts_the_smaller_words() {
        let words: Vec<u32> = (0..50).map(|i| 3 * i).collect();
        for word in 0..160 {
            assert_eq!(seek(&words, word), words.iter().filter(|&&w| w < word).count());
        }
        assert_eq!(seek(&[], 3), 0);
    }
}
