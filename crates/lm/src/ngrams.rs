//! A back-off model as plain arrays: what estimation ends in, what ARPA files are read into and written from, and
//! what the binary layouts are built from.

use rayon::prelude::*;
use std::ops::Range;
use treeglot_text::vocab::{Sym, Vocab};

/// The n-grams of one order in suffix order, with their weights as log10.
#[derive(Debug, Clone, Default)]
pub struct NgramLevel {
    /// The first word of each n-gram; the words after it are those of its parent.
    pub words: Vec<u32>,
    /// Where each n-gram's children begin in the next level, and where the last one's end; empty in the last level.
    pub starts: Vec<u32>,
    /// Probability of the last word after the others.
    pub probs: Vec<f32>,
    /// What is added when a longer n-gram that begins with this one is not found; -0.0 if there is none at all. Empty
    /// in the last level.
    pub backoffs: Vec<f32>,
}

impl NgramLevel {
    /// How many n-grams there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The n-grams that extend the given one to the left.
    pub fn children(&self, node: usize) -> Range<usize> {
        match self.starts.get(node..node + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }
}

/// A back-off n-gram model. Unigrams are indexed by their word.
#[derive(Clone)]
pub struct Ngrams {
    /// The words; the first three are the special ones.
    pub vocab: Vocab,
    /// The n-grams, by order less one.
    pub levels: Vec<NgramLevel>,
}

impl Ngrams {
    /// The length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.levels.len()
    }

    /// Keeps only the n-grams that `keep` wants, by level and index. The parts of a kept n-gram must be kept too.
    pub fn retain(&mut self, keep: impl Fn(usize, usize) -> bool + Sync) {
        let kept: Vec<Vec<bool>> = (0..self.levels.len())
            .map(|depth| {
                (0..self.levels[depth].len()).into_par_iter().map(|node| keep(depth, node)).collect()
            })
            .collect();
        let words = self.retain_words(&kept[0]);
        for depth in 0..self.levels.len() {
            let (upper, lower) = self.levels.split_at_mut(depth + 1);
            let level = &mut upper[depth];
            if !lower.is_empty() {
                level.starts = compact_starts(&level.starts, &kept[depth], &kept[depth + 1]);
            }
            compact(&mut level.words, &kept[depth]);
            compact(&mut level.probs, &kept[depth]);
            compact(&mut level.backoffs, &kept[depth]);
            if let Some(new) = &words {
                level.words.iter_mut().for_each(|w| *w = new[*w as usize]);
            }
        }
    }

    /// Shrinks the vocabulary to the kept words; their new symbols by old ones, if any changed.
    fn retain_words(&mut self, kept: &[bool]) -> Option<Vec<u32>> {
        if kept.iter().all(|&k| k) {
            return None;
        }
        let mut vocab = Vocab::default();
        let mut new = vec![0; kept.len()];
        for (old, _) in kept.iter().enumerate().filter(|&(_, &k)| k) {
            new[old] = vocab.intern(self.vocab.word(Sym(old as u32))).0;
        }
        self.vocab = vocab;
        Some(new)
    }
}

fn compact<T: Copy>(values: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter();
    values.retain(|_| flags.next().is_some_and(|&k| k));
}

fn compact_starts(starts: &[u32], kept: &[bool], children: &[bool]) -> Vec<u32> {
    let mut new = Vec::with_capacity(starts.len());
    let mut count = 0u32;
    for (node, range) in starts.windows(2).enumerate() {
        let under = children[range[0] as usize..range[1] as usize].iter().filter(|&&k| k).count();
        if kept[node] {
            new.push(count);
        }
        count += under as u32;
    }
    new.push(count);
    new
}

/// Walks the n-grams of one level in order and knows the words of each.
pub struct Walk<'a> {
    levels: &'a [NgramLevel],
    /// The node at each depth, from the unigram on.
    path: Vec<usize>,
    end: usize,
}

impl<'a> Walk<'a> {
    /// The n-grams `range` of level `depth`.
    pub fn new(levels: &'a [NgramLevel], depth: usize, range: Range<usize>) -> Self {
        let mut path = vec![range.start; depth + 1];
        for above in (0..depth).rev() {
            let child = path[above + 1];
            path[above] = levels[above].starts.partition_point(|&s| s as usize <= child).saturating_sub(1);
        }
        Self { levels, path, end: range.end }
    }

    /// Hands the nodes from the unigram to the n-gram itself to `take`, for each n-gram.
    pub fn for_each(mut self, mut take: impl FnMut(&[usize])) {
        let last = self.path.len() - 1;
        while self.path[last] < self.end {
            take(&self.path);
            self.path[last] += 1;
            for depth in (0..last).rev() {
                let child = self.path[depth + 1];
                let starts = &self.levels[depth].starts;
                let mut node = self.path[depth];
                while node + 2 < starts.len() && starts[node + 1] as usize <= child {
                    node += 1;
                }
                if node == self.path[depth] {
                    break;
                }
                self.path[depth] = node;
            }
        }
    }
}
