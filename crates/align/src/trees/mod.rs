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
pub mod stats;
pub mod viewer;

pub use lexicon::Lexicon;
pub use nodes::Nodes;
pub use score::{Score, Scores, Smoothing};
pub use select::{Kinds, Selection, Skip, Span1};
pub use side::Side;

use crate::links::Link;
use files::TreePair;
use rayon::prelude::*;
use score::Scorer;
use select::{Selector, Trees};
use treeglot_tree::Span;

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

    /// The links of many pairs, worked out by all threads; none where a side has no tree.
    pub fn align_all(&self, pairs: &[TreePair]) -> Vec<Vec<Link>> {
        let align = |worker: &mut Worker<'_>, pair: &TreePair| {
            let [Some(source), Some(target)] = pair else { return Vec::new() };
            worker.align([source, target])
        };
        pairs.par_iter().map_init(|| self.worker(), align).collect()
    }

    /// A worker for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker { aligner: self, scorer: Scorer::default(), selector: Selector::default() }
    }
}

impl Worker<'_> {
    /// The links between the nodes of two trees, by source node.
    pub fn align(&mut self, sides: [&Side; 2]) -> Vec<Link> {
        let scores = self.scores(sides);
        let trees =
            Trees { nodes: sides.map(|side| &side.nodes), added_tops: sides.map(|side| side.added_top) };
        self.selector.select(&scores, trees, self.aligner.settings.selection)
    }

    /// The scores of all pairs of nodes.
    pub fn scores(&mut self, sides: [&Side; 2]) -> Scores {
        let Settings { score, smoothing, .. } = self.aligner.settings;
        let words = sides.map(|side| side.words.as_slice());
        self.scorer.score(&self.aligner.lexicon, words, sides.map(|side| &side.nodes), (score, smoothing))
    }
}

/// The pairs of spans that linked nodes dominate, each once: the phrase pairs of Hearne, Ozdowska & Tinsley 2008,
/// section 3.1. A discontinuous node dominates no string. Links outside the trees are left out.
pub fn span_pairs(nodes: [&Nodes; 2], links: &[Link]) -> Vec<[Span; 2]> {
    let within = |link: &&Link| (link.src as usize) < nodes[0].len() && (link.tgt as usize) < nodes[1].len();
    let spans = |link: &Link| Some([nodes[0].span(link.src)?, nodes[1].span(link.tgt)?]);
    let mut pairs: Vec<[Span; 2]> = links.iter().filter(within).filter_map(spans).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
