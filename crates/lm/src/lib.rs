//! Language models: n-gram and dependency; estimation, storage, queries.
//!
//! Text is counted and smoothed by [`estimate`] into [`Ngrams`], which are written and read as ARPA ([`mod@arpa`]) and
//! laid out for queries as an [`Lm`]. A thread asks its [`Scorer`]: word by word with a [`State`], or piece by piece
//! with a [`ChartState`] when the left context is not known yet. [`depend`] does the same for dependency trees.

pub mod arpa;
mod bigrams;
mod bits;
pub mod chart;
mod corpus;
mod count;
pub mod depend;
pub mod error;
pub mod estimate;
mod estimated;
mod key;
mod lm;
pub mod ngrams;
mod probing;
mod quantize;
mod ranges;
pub mod score;
pub mod search;
mod shape;
pub mod special;
pub mod state;
mod store;
mod trie;

pub use chart::RuleScorer;
pub use corpus::words;
pub use error::{Error, Result};
pub use estimated::Estimated;
pub use lm::{AnyTables, Layout, Lm};
pub use ngrams::Ngrams;
pub use probing::ProbingTables;
pub use score::{Scored, Scorer, Total};
pub use state::{ChartState, State};
pub use store::Words;
pub use trie::TrieTables;
