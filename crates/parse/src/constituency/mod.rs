//! Constituency parsers: a network scores the labelled spans of a sentence.
//!
//! Every span of a sentence gets a score for every label from a small neural network (`network`): features of words, two
//! layers of recurrent networks in both directions, and the states at the two ends of the span. A tree's score is
//! the sum of its spans' (`chart`); training raises the probability of the gold trees among all trees (`backward`). As there is no
//! grammar, every sentence has a parse; as spans are scored apart, the chart is small, and the probability of every constituent
//! is at hand: for the tree with the most constituents expected to be right, for k-best lists and for packed forests (`forest`).

mod backward;
mod chart;
mod features;
mod forest;
mod labels;
mod model;
mod network;
mod settings;
mod shape;
mod train;
mod worker;

pub use labels::{BadTree, plain};
pub(crate) use model::ConModel;
pub(crate) use train::train;
pub(crate) use worker::ConWorker;
