//! The n-grams of a text as a trie read from the last word backwards: the children of `b c` are all `a b c`. One
//! array an order, in suffix order, so that a node's children are a range of the next array. Estimation counts on it,
//! and both binary layouts are built from it.

use crate::error::Result;
use crate::key::{Key, Packing};
use crate::special::BOS;
use bytemuck::Pod;
use rayon::prelude::*;
use std::ops::Range;
use treeglot_text::column::{BATCH, Column, ColumnWriter, MemoryBudget};

/// All n-grams of one order, in suffix order.
pub struct Level {
    /// The first word of each n-gram; the words after it are those of its parent.
    pub words: Column<u32>,
    /// Where each n-gram's children begin in the next level, and where the last one's end; empty in the last level.
    pub starts: Column<u32>,
}

impl Level {
    /// How many n-grams there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The n-grams that extend the given one to the left; none in the last level.
    pub fn children(&self, node: usize) -> Range<usize> {
        match self.starts.get(node..node + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// The end of a run of n-grams from `start` on that have about `children` children, at least one n-gram.
    fn run(&self, start: usize, children: usize) -> usize {
        let rest = &self.starts[start..];
        let fit = rest[1..].partition_point(|&end| (end - rest[0]) as usize <= children);
        start + fit.max(1)
    }
}

/// Counted n-grams. Unigrams are indexed by their word.
pub struct Counts {
    /// The n-grams, by order less one.
    pub levels: Vec<Level>,
    /// Kneser-Ney's adjusted counts: the plain count of the longest n-grams and those that begin a sentence, else the
    /// number of different words before the n-gram.
    pub adjusted: Vec<Column<u32>>,
    /// Plain counts, if they were asked for.
    pub plain: Option<Vec<Column<u32>>>,
    /// Where columns are made.
    pub space: MemoryBudget,
}

/// The columns of one level while they grow.
struct Growing {
    words: ColumnWriter<u32>,
    starts: ColumnWriter<u32>,
    adjusted: ColumnWriter<u32>,
    plain: ColumnWriter<u32>,
}

/// Builds [`Counts`] from n-grams in suffix order.
pub struct Builder<K> {
    packing: Packing,
    levels: Vec<Growing>,
    plain: bool,
    space: MemoryBudget,
    last: Option<K>,
}

impl<K: Key> Builder<K> {
    /// Starts a trie of n-grams of this packing; `plain` keeps plain counts too, for pruning.
    pub fn new(packing: Packing, plain: bool, space: MemoryBudget) -> Self {
        let level = |_| Growing {
            words: space.writer(),
            starts: space.writer(),
            adjusted: space.writer(),
            plain: space.writer(),
        };
        Self { packing, levels: (0..packing.order).map(level).collect(), plain, space, last: None }
    }

    /// Adds the next n-gram of the longest order; those filled up with [`BOS`] count as the shorter n-gram that has it
    /// once.
    pub fn push(&mut self, key: K, count: u32) -> Result<()> {
        self.push_short(key, count, self.packing.order)
    }

    /// Adds only the last `length` words of the next n-gram.
    pub fn push_short(&mut self, key: K, count: u32, length: usize) -> Result<()> {
        let common = self.last.map_or(0, |last| key.common(last, self.packing));
        self.last = Some(key);
        let mut depth = common;
        loop {
            let word = key.word(depth, self.packing);
            if depth == 0 {
                self.fill_unigrams(word)?;
            }
            self.push_node(depth, word)?;
            depth += 1;
            if depth == length || word == BOS.0 {
                break;
            }
        }
        if let Some(adjusted) = self.levels[depth - 1].adjusted.last_mut() {
            *adjusted = count;
        }
        if self.plain {
            for sum in self.levels[..depth].iter_mut().filter_map(|level| level.plain.last_mut()) {
                *sum += count;
            }
        }
        Ok(())
    }

    fn push_node(&mut self, depth: usize, word: u32) -> Result<()> {
        self.close_node(depth);
        let next = self.levels.get(depth + 1).map(|level| level.words.len() as u32);
        let level = &mut self.levels[depth];
        level.words.push(word)?;
        if let Some(next) = next {
            level.starts.push(next)?;
        }
        level.adjusted.push(0)?;
        if self.plain {
            level.plain.push(0)?;
        }
        Ok(())
    }

    /// Counts the words before the last n-gram of a level, which gets no more of them.
    fn close_node(&mut self, depth: usize) {
        let Some(end) = self.levels.get(depth + 1).map(|level| level.words.len() as u32) else { return };
        let level = &mut self.levels[depth];
        if let (Some(adjusted), Some(start)) = (level.adjusted.last_mut(), level.starts.last_mut()) {
            *adjusted = (*adjusted).max(end - *start);
        }
    }

    /// Unigrams that end no n-gram, so that a word is its own index.
    fn fill_unigrams(&mut self, until: u32) -> Result<()> {
        (self.levels[0].words.len() as u32..until).try_for_each(|word| self.push_node(0, word))
    }

    /// The finished trie over a vocabulary of `words` words.
    pub fn finish(mut self, words: usize) -> Result<Counts> {
        self.fill_unigrams(words as u32)?;
        for depth in 0..self.levels.len() - 1 {
            self.close_node(depth);
            let end = self.levels[depth + 1].words.len() as u32;
            self.levels[depth].starts.push(end)?;
        }
        let mut counts = Counts {
            levels: Vec::new(),
            adjusted: Vec::new(),
            plain: self.plain.then(Vec::new),
            space: self.space,
        };
        for Growing { words, starts, adjusted, plain } in self.levels {
            counts.levels.push(Level { words: words.finish()?, starts: starts.finish()? });
            counts.adjusted.push(adjusted.finish()?);
            if let Some(all) = &mut counts.plain {
                all.push(plain.finish()?);
            }
        }
        Ok(counts)
    }
}

/// For each n-gram of level `depth`, the index of its context (all words but the last) in the level before;
/// `u32::MAX` if there is none. `shorter` is the same for the level before.
///
/// The context of `a b c` is the child `a` of the context of `b c`: for one last word, contexts come in the order of
/// their own level, so the search moves forward through memory.
pub fn contexts(
    levels: &[Level],
    depth: usize,
    shorter: &[u32],
    space: &MemoryBudget,
) -> Result<Column<u32>> {
    if depth == 1 {
        let mut words = space.writer_of(levels[1].len());
        words.extend(&levels[1].words)?;
        return Ok(words.finish()?);
    }
    let (upper, here) = (&levels[depth - 1], &levels[depth]);
    let (upper_words, words) = (&*upper.words, &*here.words);
    map_children(upper, space, u32::MAX, |parents, piece| {
        let first = upper.starts[parents.start] as usize;
        for parent in parents {
            let children = upper.children(parent);
            let context = shorter[parent] as usize;
            let candidates = levels[depth - 2].children(context);
            let (mut at, end) = (candidates.start, candidates.end);
            for child in children {
                let word = words[child];
                at += seek(&upper_words[at..end], word);
                if at < end && upper_words[at] == word {
                    piece[child - first] = at as u32;
                }
            }
        }
    })
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

/// How many n-grams a thread takes at once.
const PIECE: usize = 1 << 11;

/// Computes a column for the n-grams below `parents`: `compute` gets runs of parents and the values of their children,
/// which are `empty` before.
pub fn map_children<T: Pod + Send + Sync>(
    parents: &Level,
    space: &MemoryBudget,
    empty: T,
    compute: impl Fn(Range<usize>, &mut [T]) + Sync,
) -> Result<Column<T>> {
    let mut out = space.writer_of(parents.starts[parents.len()] as usize);
    let mut values = Vec::new();
    let mut start = 0;
    while start < parents.len() {
        let batch = start..parents.run(start, BATCH);
        values.clear();
        values.resize((parents.starts[batch.end] - parents.starts[start]) as usize, empty);
        start = batch.end;
        split_by_parent(&mut values, parents, batch).into_par_iter().for_each(|(run, piece)| {
            compute(run, piece);
            space.trim();
        });
        out.extend(&values)?;
    }
    Ok(out.finish()?)
}

/// Cuts the values of the children of a range of parents into pieces that belong to runs of parents.
fn split_by_parent<'v, T>(
    values: &'v mut [T],
    parents: &Level,
    range: Range<usize>,
) -> Vec<(Range<usize>, &'v mut [T])> {
    let mut pieces = Vec::new();
    let mut rest = values;
    let mut start = range.start;
    while start < range.end {
        let run = start..parents.run(start, PIECE).min(range.end);
        let length = (parents.starts[run.end] - parents.starts[run.start]) as usize;
        let (piece, after) = rest.split_at_mut(length);
        rest = after;
        start = run.end;
        pieces.push((run, piece));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(ngrams: &[(&[u32], u32)]) -> Counts {
        let packing = Packing::new(3, 6);
        let mut builder = Builder::new(packing, true, MemoryBudget::new(0));
        let mut keys: Vec<(u64, u32)> = ngrams.iter().map(|&(n, c)| (u64::pack(n, packing), c)).collect();
        keys.sort_unstable();
        for (key, count) in keys {
            builder.push(key, count).unwrap();
        }
        builder.finish(6).unwrap()
    }

    #[test]
    fn shorter_ngrams_count_the_words_before_them_and_sentence_starts_their_occurrences() {
        // Last word first: `3 4` twice after the sentence start, `5 3 4` once.
        let c = counts(&[(&[4, 3, 1], 2), (&[4, 3, 5], 1), (&[3, 1, 1], 7)]);
        assert_eq!(c.levels[0].len(), 6);
        assert_eq!(*c.adjusted[0], [0, 0, 0, 1, 1, 0]);
        assert_eq!(*c.levels[1].words, [1, 3]);
        assert_eq!(*c.adjusted[1], [7, 2]);
        assert_eq!(*c.levels[2].words, [1, 5]);
        assert_eq!(*c.adjusted[2], [2, 1]);
        assert_eq!(*c.plain.unwrap()[1], [7, 3]);
    }

    #[test]
    fn contexts_are_found_where_they_exist() {
        let c = counts(&[(&[4, 3, 1], 1), (&[4, 3, 5], 1), (&[3, 1, 1], 1), (&[3, 5, 4], 1)]);
        let bigrams = contexts(&c.levels, 1, &[], &c.space).unwrap();
        assert_eq!(*bigrams, [1, 5, 3]);
        // The bigrams are `1 3`, `5 3`, `3 4`; the trigrams `4 5 3`, `1 3 4`, `5 3 4`.
        assert_eq!(*contexts(&c.levels, 2, &bigrams, &c.space).unwrap(), [u32::MAX, 0, 1]);
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
