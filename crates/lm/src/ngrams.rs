//! A back-off model as plain arrays: what estimation ends in, what ARPA files are read into and written from, and
//! what the binary layouts are built from.

use std::ops::Range;
use treeglot_text::vocab::Vocab;

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
}

/// Walks the n-grams of one level in order and knows the words of each.
pub struct Walk<'a> {
    /// The starts of each level.
    starts: Vec<&'a [u32]>,
    /// The node at each depth, from the unigram on.
    path: Vec<usize>,
    end: usize,
}

impl<'a> Walk<'a> {
    /// The n-grams `range` of level `depth`.
    pub fn new(levels: &'a [NgramLevel], depth: usize, range: Range<usize>) -> Self {
        Self::over(levels[..depth].iter().map(|level| level.starts.as_slice()).collect(), range)
    }

    /// The n-grams `range` of the level below those with these starts.
    pub(crate) fn over(starts: Vec<&'a [u32]>, range: Range<usize>) -> Self {
        let depth = starts.len();
        let mut path = vec![range.start; depth + 1];
        for above in (0..depth).rev() {
            let child = path[above + 1];
            path[above] = starts[above].partition_point(|&s| s as usize <= child).saturating_sub(1);
        }
        Self { starts, path, end: range.end }
    }

    /// Hands the nodes from the unigram to the n-gram itself to `take`, for each n-gram.
    pub fn for_each(mut self, mut take: impl FnMut(&[usize])) {
        let last = self.path.len() - 1;
        while self.path[last] < self.end {
            take(&self.path);
            self.path[last] += 1;
            for depth in (0..last).rev() {
                let child = self.path[depth + 1];
                let starts = self.starts[depth];
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
