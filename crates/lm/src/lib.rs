//! Language models: n-gram and dependency; estimation, storage, queries.

pub mod arpa;
mod corpus;
mod count;
pub mod error;
pub mod estimate;
mod key;
pub mod ngrams;
mod shape;
pub mod special;

pub use error::{Error, Result};
pub use ngrams::Ngrams;
