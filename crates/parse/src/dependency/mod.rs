//! Dependency parsers: a tagger and lemmatiser, then one of two ways to the tree.

mod bank;
mod file;
mod model;
mod train;
mod worker;

pub(crate) use bank::{DepBank, Gold, Names};
pub(crate) use model::DepModel;
pub(crate) use train::train;
pub(crate) use worker::DepWorker;

/// A tree with its score: heads from 1, labels.
pub(crate) type ScoredTree = (f32, Vec<u32>, Vec<u16>);
