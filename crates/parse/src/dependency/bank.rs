//! Sentences to learn from: those that are no trees are kept for their tags only.

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

/// The gold tree of a sentence: heads from 1 and labels.
#[derive(Debug, Clone)]
pub(crate) struct Gold {
    pub(crate) heads: Vec<u32>,
    pub(crate) labels: Vec<u16>,
}

/// Sentences to learn from, in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct DepBank {
    sentences: Vec<DepParse>,
    /// Heads from 1, 0 for the root; none where the parse is no tree.
    heads: Vec<Option<Vec<u32>>>,
}

/// The number of a sentence that is a tree, its parse and its heads.
pub(crate) type Tree<'a> = (usize, &'a DepParse, &'a [u32]);

impl DepBank {
    /// Adds a sentence, unless it has no words; whether it is a tree with one root, or has no words.
    pub(crate) fn push(&mut self, parse: DepParse) -> bool {
        if parse.is_empty() {
            return true;
        }
        let tree = parse.tree(Roots::One).ok();
        let sound = tree.is_some();
        self.heads.push(tree.map(|t| t.heads().iter().map(|h| h.map_or(0, |h| h.0 + 1)).collect()));
        self.sentences.push(parse);
        sound
    }

    /// All sentences.
    pub(crate) fn sentences(&self) -> &[DepParse] {
        &self.sentences
    }

    /// The sentences that are trees, by number, with their heads.
    pub(crate) fn trees(&self) -> impl Iterator<Item = Tree<'_>> {
        let both = self.sentences.iter().zip(&self.heads).enumerate();
        both.filter_map(|(i, (parse, heads))| Some((i, parse, heads.as_deref()?)))
    }

    /// All values of a column.
    pub(crate) fn column(&self, field: Field) -> impl Iterator<Item = &str> {
        self.sentences.iter().flat_map(move |s| s.words().map(move |w| s.get(w, field)))
    }
}
