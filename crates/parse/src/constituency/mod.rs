//! A constituency parser learned from trees in Penn Treebank brackets.
//!
//! Every span of a sentence gets a score for every label from a small neural network (`network`): features of words, two
//! layers of recurrent networks in both directions, and the states at the two ends of the span. A tree's score is
//! the sum of its spans' (`chart`); training raises the probability of the gold trees among all trees (`backward`). As there is no
//! grammar, every sentence has a parse; as spans are scored apart, the chart is small, and the probability of every constituent
//! is at hand: for the tree with the most constituents expected to be right, for k-best lists and for packed forests (`forest`).
//!
//! ```
//! use treeglot_parse::constituency::{ParseSettings, Parser, TrainSettings};
//! use treeglot_tree::format::{ReadTrees, ptb};
//!
//! let text = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
//!     (S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))";
//! let trees = ptb::Reader::new("two.ptb", text.as_bytes(), ptb::BracketLayout::Free).trees();
//! let trees: Vec<_> = trees.map(|tree| tree.unwrap().unwrap()).collect();
//!
//! let settings = TrainSettings { epochs: 40, embedding: 16, hidden: 16, span: 16, least_feature: 1, ..Default::default() };
//! let (parser, treebank) = Parser::train(&[trees], &settings, |_, _| {});
//! assert_eq!(treebank.used, 2);
//!
//! let mut worker = parser.worker(&ParseSettings::default());
//! let tree = worker.parse(&["the", "dog", "sleeps"]).unwrap();
//! assert_eq!(tree.len(), 3);
//! let best = worker.kbest(&["the", "dog", "sleeps"], 3);
//! assert!(best[0].1 >= best[1].1);
//! ```

mod adam;
mod backward;
mod chart;
mod features;
mod forest;
mod labels;
mod lstm;
mod matrix;
mod model;
mod network;
mod parser;
mod settings;
mod shape;
mod train;

pub use labels::{BadTree, plain};
pub use parser::{Outcomes, Parser, Worker};
pub use settings::{Decoding, ParseSettings, TrainSettings};
pub use train::{Progress, Treebank};
