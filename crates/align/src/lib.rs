//! Word alignment, symmetrisation and sub-tree alignment: from pairs to links.
//!
//! [`Corpus`] reads the text as numbers. [`Model::train`] estimates model 1 (`ibm1`, on the tables of [`pairs`]), then
//! the hidden Markov model and fertilities (`train`, with `chain`, [`jumps`], [`fertility`], [`scales`] and [`lexicon`]), both
//! directions at once; jumps may depend on [`classes`]. [`Model::align`] hands out links, combined by [`symmetrize`]; [`gold`] scores them, [`lex`] and
//! [`priors`] write what others need.

mod chain;
pub mod classes;
pub mod corpus;
mod counts;
pub mod error;
pub mod fertility;
pub mod gold;
mod ibm1;
mod index;
pub mod jumps;
pub mod lex;
pub mod lexicon;
pub mod link_counts;
pub mod links;
pub mod model;
pub mod pairs;
pub mod priors;
pub mod scales;
pub mod settings;
pub mod spelling;
pub mod symmetrize;
mod train;
pub mod trees;
mod worker;

pub use classes::Classes;
pub use corpus::Corpus;
pub use error::{Error, Result};
pub use link_counts::LinkCounts;
pub use links::Link;
pub use model::{Aligned, Model};
pub use settings::{Kind, Settings};
pub use symmetrize::{Order, Symmetrize};
pub use worker::Worker;
