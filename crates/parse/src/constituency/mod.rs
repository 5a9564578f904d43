//! A constituency parser learned from trees: every labelled span gets a score of its own from a small neural network, and the tree
//! whose spans score best is found with CKY.

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
mod rng;
mod settings;
mod shape;
mod train;

pub use labels::{BadTree, plain};
pub use parser::{Outcomes, Parser, Worker};
pub use settings::{Decoding, ParseSettings, TrainSettings};
pub use train::{Progress, Treebank};
