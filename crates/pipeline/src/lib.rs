//! From text files to a bundle: stages, cache, recipes, reports.

pub mod bundle;
mod error;

pub use bundle::{Bundle, Manifest, SearchSettings};
pub use error::{Error, Result};
