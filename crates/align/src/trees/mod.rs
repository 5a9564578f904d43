//! Sub-tree alignment (Tinsley, Zhechev, Hearne & Way 2007): links between the nodes of two trees of a pair, from the two
//! lexical tables of the word aligner. Step `align` of the data's path, after word alignment; phrase pairs of linked nodes
//! (Hearne, Ozdowska & Tinsley 2008) are read off by the model `phrase`.
//!
//! [`NumberedTree`] makes [`Nodes`] of any tree that files hold, [`LexicalTables`] has the word probabilities; an [`Aligner`]
//! is shared by all threads, each of which has a [`Worker`] that scores all pairs of nodes and selects links.
//! [`NodeAgreement`] compares links with gold links, [`Comparison`] has the paper's analyses, [`Viewer`] the page to look at
//! aligned trees.
//!
//! ```
//! use treeglot_align::trees::{Aligner, LexicalTables, NumberedTree, TreeAlignSettings};
//! use treeglot_align::LexTable;
//! use treeglot_text::Lines;
//! use treeglot_tree::format::{ReadTrees, ptb};
//!
//! let mut tables = LexicalTables::default();
//! let f2e = "the das 1\nhouse Haus 1\nfalls fällt 1\n";
//! let e2f = "das the 1\nHaus house 1\nfällt falls 1\n";
//! tables.read(&mut Lines::new("lex.f2e", f2e.as_bytes()), LexTable::TargetGivenSource)?;
//! tables.read(&mut Lines::new("lex.e2f", e2f.as_bytes()), LexTable::SourceGivenTarget)?;
//! let tree = |text: &str| {
//!     let mut reader = ptb::Reader::new("tree", text.as_bytes(), ptb::BracketLayout::OnePerLine);
//!     NumberedTree::of_con(&reader.next_tree().unwrap().flatten().unwrap(), 1)
//! };
//! let german = tree("(S (NP (ART das) (NN Haus)) (VVFIN fällt))");
//! let english = tree("(S (NP (DT the) (NN house)) (VP (VBZ falls)))");
//! let aligner = Aligner::new(tables, TreeAlignSettings::default());
//! let links = aligner.worker().align([&german, &english]);
//! assert_eq!(links.iter().map(ToString::to_string).collect::<Vec<_>>(), ["0-0", "1-1", "2-2", "3-3", "4-5"]);
//! # Ok::<(), treeglot_align::Error>(())
//! ```

mod eval;
mod files;
mod named;
mod nodes;
mod numbered;
mod score;
mod select;
mod settings;
mod stats;
mod tables;
mod viewer;

pub use eval::{Counts, GoldNodes, GoldOptions, NodeAgreement, NodeScores};
pub use files::{TreeFile, TreePair, next_pair, next_pairs};
pub use named::{NodeLink, NodeLinks, PairedLinks};
pub use nodes::Nodes;
pub use numbered::{NumberedTree, Unfit};
pub use score::Scores;
pub use select::well_formed;
pub use settings::{Kinds, NodeScore, NodeSmoothing, Skip, Span1, TreeAlignSettings};
pub use stats::{AlignedPair, Comparison, MOST_SETS, SetStats};
pub use tables::LexicalTables;
pub use viewer::Viewer;

use crate::links::Link;
use rayon::prelude::*;
use score::Scorer;
use select::{Selector, TwoTrees};
use treeglot_tree::Span;

/// A sub-tree aligner: tables and settings, shared by all threads.
#[derive(Default)]
pub struct Aligner {
    tables: LexicalTables,
    settings: TreeAlignSettings,
}

/// A thread's part of an [`Aligner`]: the buffers.
pub struct Worker<'a> {
    aligner: &'a Aligner,
    scorer: Scorer,
    selector: Selector,
}

impl Aligner {
    /// An aligner with these tables.
    pub fn new(tables: LexicalTables, settings: TreeAlignSettings) -> Self {
        Self { tables, settings }
    }

    /// Its lexical tables.
    pub fn tables(&self) -> &LexicalTables {
        &self.tables
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
    pub fn align(&mut self, sides: [&NumberedTree; 2]) -> Vec<Link> {
        let scores = self.scores(sides);
        let trees =
            TwoTrees { nodes: sides.map(|side| &side.nodes), added_tops: sides.map(|side| side.added_top) };
        self.selector.select(&scores, trees, self.aligner.settings)
    }

    /// The scores of all pairs of nodes.
    pub fn scores(&mut self, sides: [&NumberedTree; 2]) -> Scores {
        let words = sides.map(|side| side.words.as_slice());
        self.scorer.score(&self.aligner.tables, words, sides.map(|side| &side.nodes), self.aligner.settings)
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
