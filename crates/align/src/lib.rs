//! Word alignment, symmetrisation and sub-tree alignment: from pairs to links.
//!
//! [`Corpus`] reads the text as numbers. [`Model::train`] estimates model 1, then the hidden Markov model and fertilities,
//! both directions at once; jumps may depend on [`Classes`]. [`Model::align`] hands out links, combined by [`symmetrize()`].
//! [`gold`] scores them, [`LexCounts`] makes lexical tables of them, [`priors`] saves a model. [`trees`] links the nodes of
//! trees.
//!
//! ```
//! use treeglot_align::{Corpus, Model, Settings, links::Line};
//!
//! let pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")];
//! let corpus = Corpus::from_pairs(pairs)?;
//! let settings = Settings::default();
//! let model = Model::train(&corpus, &settings, |_step| {})?;
//! let mut lines = Vec::new();
//! model.align(&corpus, settings.symmetrize, settings.order, |_sentence, aligned| {
//!     lines.push(Line(&aligned.links).to_string());
//!     Ok::<(), treeglot_align::Error>(())
//! })?;
//! assert_eq!(lines, ["0-0 1-1", "0-0 1-1", "0-0 1-1"]);
//! # Ok::<(), treeglot_align::Error>(())
//! ```

mod chain;
mod classes;
mod corpus;
mod counts;
mod error;
mod fertility;
pub mod gold;
mod ibm1;
mod index;
mod jumps;
mod lex;
mod link_counts;
pub mod links;
mod model;
mod model_tables;
mod pairs;
pub mod priors;
mod scales;
mod settings;
pub mod shard;
mod spelling;
mod symmetrize;
mod train;
mod translation_table;
pub mod trees;
mod worker;

pub use classes::Classes;
pub use corpus::{Corpus, CorpusSide, Skipped, Words};
pub use error::{Error, Result};
pub use lex::{LexCounts, LexTable, NULL};
pub use link_counts::LinkCounts;
pub use links::Link;
pub use model::{Aligned, Model};
pub use model_tables::MODEL_TABLE_THRESHOLD;
pub use settings::{LONGEST, ModelKind, Settings};
pub use symmetrize::{GrowOrder, Symmetrize, symmetrize};
pub use worker::Worker;
