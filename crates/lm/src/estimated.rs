//! An estimated model as estimation leaves it: columns that may lie on disk. It is written as ARPA from there, or
//! taken into memory as [`Ngrams`] for the binary layouts.

use crate::error::Result;
use crate::ngrams::{NgramLevel, Ngrams};
use treeglot_text::column::{Column, MemoryBudget};
use treeglot_text::vocab::{Sym, Vocab};

/// A model within the memory that its estimation was given.
pub struct Estimated {
    pub(crate) vocab: Vocab,
    pub(crate) levels: Vec<EstimatedLevel>,
    pub(crate) space: MemoryBudget,
}

/// The columns of an [`NgramLevel`].
#[derive(Default)]
pub(crate) struct EstimatedLevel {
    pub words: Column<u32>,
    pub starts: Column<u32>,
    pub probs: Column<f32>,
    pub backoffs: Column<f32>,
}

impl Estimated {
    /// The model in memory, whatever its size.
    pub fn into_ngrams(self) -> Ngrams {
        let level = |level: EstimatedLevel| NgramLevel {
            words: level.words.into_vec(),
            starts: level.starts.into_vec(),
            probs: level.probs.into_vec(),
            backoffs: level.backoffs.into_vec(),
        };
        Ngrams { vocab: self.vocab, levels: self.levels.into_iter().map(level).collect() }
    }

    /// Keeps only the n-grams that `keep` wants, by level and index. The parts of a kept n-gram must be kept too.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize, usize) -> bool) -> Result<()> {
        let new = self.retain_words(|word| keep(0, word));
        for depth in 0..self.levels.len() {
            let here = |node: usize| keep(depth, node);
            let old = std::mem::take(&mut self.levels[depth]);
            let mut words = old.words.filter(&self.space, here)?;
            if let Some(new) = &new {
                words = words.map(&self.space, |word| new[word as usize])?;
            }
            self.levels[depth] = EstimatedLevel {
                words,
                starts: filter_starts(&old.starts, &self.space, here, |child| keep(depth + 1, child))?,
                probs: old.probs.filter(&self.space, here)?,
                backoffs: old.backoffs.filter(&self.space, here)?,
            };
        }
        Ok(())
    }

    /// Shrinks the vocabulary to the kept words; their new symbols by old ones, if any changed.
    fn retain_words(&mut self, keep: impl Fn(usize) -> bool) -> Option<Vec<u32>> {
        let words = self.vocab.len();
        if (0..words).all(&keep) {
            return None;
        }
        let mut vocab = Vocab::default();
        let mut new = vec![0; words];
        for old in (0..words).filter(|&word| keep(word)) {
            new[old] = vocab.intern(self.vocab.word(Sym(old as u32))).0;
        }
        self.vocab = vocab;
        Some(new)
    }
}

fn filter_starts(
    starts: &[u32],
    space: &MemoryBudget,
    keep: impl Fn(usize) -> bool,
    keep_child: impl Fn(usize) -> bool,
) -> Result<Column<u32>> {
    let mut new = space.writer();
    if starts.is_empty() {
        return Ok(new.finish()?);
    }
    let mut count = 0u32;
    for (node, range) in starts.windows(2).enumerate() {
        if keep(node) {
            new.push(count)?;
        }
        count += (range[0]..range[1]).filter(|&child| keep_child(child as usize)).count() as u32;
        if node % (1 << 16) == 0 {
            space.trim();
        }
    }
    new.push(count)?;
    Ok(new.finish()?)
}
