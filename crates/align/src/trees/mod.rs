//! Sub-tree alignment (Tinsley, Zhechev, Hearne & Way 2007): links between the nodes of two trees of a pair, from the two
//! lexical tables of the word aligner. Step `align` of the data's path, after word alignment; phrase pairs of linked nodes
//! (Hearne, Ozdowska & Tinsley 2008) are read off by the model `phrase`.
//!
//! [`Nodes`] is a tree of either kind, [`Lexicon`] the tables; an [`Aligner`] is shared by all threads, each of which has
//! a [`Worker`] that scores all pairs of nodes ([`score`]) and selects links ([`select`]). [`Side`] makes nodes of any
//! tree that files hold, [`eval`] compares links with gold links, [`stats`] has the paper's analyses, [`viewer`] the page to
//! look at aligned trees.

pub mod eval;
pub mod files;
pub mod lexicon;
pub mod nodes;
pub mod score;
pub mod select;
mod side;

pub use lexicon::Lexicon;
pub use nodes::Nodes;
pub use score::{Score, Scores, Smoothing};
pub use select::{Selection, Skip};
pub use side::Side;

use crate::links::Link;
use score::Scorer;
use select::Selector;

/// How trees are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// How pairs of nodes are scored.
    pub score: Score,
    /// What words have for a partner that the tables give none.
    pub smoothing: Smoothing,
    /// How links are selected.
    pub selection: Selection,
}

/// A sub-tree aligner: tables and settings, shared by all threads.
#[derive(Default)]
pub struct Aligner {
    lexicon: Lexicon,
    settings: Settings,
}

/// A thread's part of an [`Aligner`]: the buffers.
pub struct Worker<'a> {
    aligner: &'a Aligner,
    scorer: Scorer,
    selector: Selector,
}

impl Aligner {
    /// An aligner with these tables.
    pub fn new(lexicon: Lexicon, settings: Settings) -> Self {
        Self { lexicon, settings }
    }

    /// A worker for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker { aligner: self, scorer: Scorer::default(), selector: Selector::default() }
    }
}

impl Worker<'_> {
    /// The links between the nodes of two trees over these words, by source node. A side whose words are not as many as its
    /// tree's is the caller's mistake.
    pub fn align<S: AsRef<str>>(&mut self, words: [&[S]; 2], nodes: [&Nodes; 2]) -> Vec<Link> {
        let scores = self.scores(words, nodes);
        self.selector.select(&scores, nodes, self.aligner.settings.selection)
    }

    /// The scores of all pairs of nodes.
    pub fn scores<S: AsRef<str>>(&mut self, words: [&[S]; 2], nodes: [&Nodes; 2]) -> Scores {
        assert!(
            [0, 1].iter().all(|&side| words[side].len() == nodes[side].words()),
            "trees have these words"
        );
        let Settings { score, smoothing, .. } = self.aligner.settings;
        self.scorer.score(&self.aligner.lexicon, words, nodes, (score, smoothing))
    }
}
