//! From two text files to a translator: stages with a cache, bundles, recipes and reports.

pub mod analysis;
pub mod bundle;
mod check;
pub mod clean;
pub mod error;
pub mod evaluate;
pub mod experiment;
mod key;
mod lock;
mod memory;
pub mod page;
pub mod plan;
pub mod progress;
pub mod recipe;
pub mod records;
pub mod report;
pub mod run;
mod samples;
mod small;
pub mod text_path;
pub mod train;
pub mod translator;

pub use bundle::{Bundle, Manifest, SearchSettings};
pub use error::{Error, Result};
pub use translator::{Request, Translated, Translator};
