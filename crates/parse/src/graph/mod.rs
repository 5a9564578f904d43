//! The graph-based parser: a small network scores arcs, sequences of siblings and labels, and dynamic programming
//! (projective trees) or a maximum spanning tree with edge exchange (all trees) finds the best tree.

mod decode;
mod eisner;
mod encoder;
mod input;
mod kbest;
mod loss;
mod net;
mod scores;
mod spanning;
mod train;

pub(crate) use decode::best_tree;
pub(crate) use encoder::Dropout;
pub(crate) use input::{Encoded, Lexicon};
pub(crate) use kbest::best_trees;
pub(crate) use loss::Gold;
pub(crate) use net::{Net, Shape};
pub(crate) use scores::{Labels, Scores};
pub(crate) use train::{Schedule, TrainSentence, train};
