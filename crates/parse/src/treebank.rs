//! Treebanks to learn from: sentences of a CoNLL-U file, those that are no trees counted and kept for their tags only.

use crate::error::{Error, Result};
use treeglot_tree::{DepParse, Field, Roots};

/// The names of a set of tags or relations, numbered from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Names {
    names: Vec<String>,
}

impl Names {
    /// All values of a column, by frequency, so that the most frequent is 0.
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
        let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
        names.sort_by_key(|n| std::cmp::Reverse(n.1));
        // Classes are numbered in 16 bits; the rarest of a larger set are not learnt.
        names.truncate(usize::from(u16::MAX));
        Self { names: names.into_iter().map(|n| n.0.to_string()).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a number; `_` for a number it does not have.
    pub(crate) fn name(&self, number: u16) -> &str {
        self.names.get(usize::from(number)).map_or("_", |n| n)
    }

    pub(crate) fn index(&self) -> rustc_hash::FxHashMap<&str, u16> {
        self.names.iter().enumerate().map(|(i, n)| (n.as_str(), i as u16)).collect()
    }
}

/// Sentences to learn from, in memory.
#[derive(Debug, Clone, Default)]
pub struct Treebank {
    sentences: Vec<DepParse>,
    /// Heads from 1, 0 for the root; none where the parse is no tree.
    heads: Vec<Option<Vec<u32>>>,
}

impl Treebank {
    /// Takes all sentences of a reader. Those without words are passed over; those that are no tree with one root are
    /// kept for what is sound in them, their words and tags.
    pub fn read(parses: impl IntoIterator<Item = treeglot_tree::Result<DepParse>>) -> Result<Self> {
        let mut bank = Self::default();
        for parse in parses {
            bank.push(parse?);
        }
        Ok(bank)
    }

    /// Adds a sentence.
    pub fn push(&mut self, parse: DepParse) {
        if parse.is_empty() {
            return;
        }
        let tree = parse.tree(Roots::One).ok();
        self.heads.push(tree.map(|t| t.heads().iter().map(|h| h.map_or(0, |h| h.0 + 1)).collect()));
        self.sentences.push(parse);
    }

    /// How many sentences it has.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Whether it has no sentence.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// How many sentences are no trees: a cycle, several roots, a head missing or out of range.
    pub fn left_out(&self) -> usize {
        self.heads.iter().filter(|h| h.is_none()).count()
    }

    /// All sentences.
    pub fn sentences(&self) -> &[DepParse] {
        &self.sentences
    }

    /// The sentences that are trees, by number, with their heads.
    pub(crate) fn trees(&self) -> impl Iterator<Item = (usize, &DepParse, &[u32])> {
        let both = self.sentences.iter().zip(&self.heads).enumerate();
        both.filter_map(|(i, (parse, heads))| Some((i, parse, heads.as_deref()?)))
    }

    /// An error if there is no tree to learn from.
    pub(crate) fn check(&self) -> Result<()> {
        if self.trees().next().is_none() {
            return Err(Error::NoSentences { left_out: self.left_out() });
        }
        Ok(())
    }

    /// All values of a column.
    pub(crate) fn column(&self, field: Field) -> impl Iterator<Item = &str> {
        self.sentences.iter().flat_map(move |s| s.words().map(move |w| s.get(w, field)))
    }
}
