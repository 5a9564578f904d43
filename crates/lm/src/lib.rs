//! Language models: n-gram and dependency; estimation, storage, queries.
//!
//! Text is counted and smoothed by [`estimate`] into [`Ngrams`], which are written and read as ARPA ([`mod@arpa`]) and
//! laid out for queries as an [`Lm`]. A thread asks its [`Scorer`]: word by word with a [`State`], or piece by piece
//! with a [`ChartState`] when the left context is not known yet. [`depend`] does the same for dependency trees.
//!
//! ```
//! use treeglot_lm::{Lm, Settings, estimate, words};
//! use treeglot_text::Input;
//!
//! let text = "the house is small\nthe house is old\nthe book is small\n";
//! let input = Input { name: "text".into(), reader: Box::new(text.as_bytes()) };
//! let settings = Settings::of_order(3);
//! let (ngrams, _statistics) = estimate::from_text(input, &settings)?;
//! let lm = Lm::build_as(ngrams, &settings)?;
//! let log10 = |line: &str| lm.tables().sentence(&words(line).map(|word| lm.symbol(word)).collect::<Vec<_>>()).prob;
//! assert!(log10("the book is old") > log10("old is book the"));
//! # Ok::<(), treeglot_lm::Error>(())
//! ```

pub mod arpa;
mod chart;
mod classes;
mod corpus;
mod count;
pub mod depend;
mod error;
pub mod estimate;
mod estimated;
mod exchange;
mod key;
mod layout;
mod lines;
mod lm;
pub mod mix;
mod ngrams;
mod score;
mod settings;
mod shape;
pub mod shard;
pub mod special;
mod state;
mod word_index;

pub use chart::RuleScorer;
pub use classes::{ClassSettings, Classes, MAX_CLASSES, TagCounts};
pub use corpus::words;
pub use error::{Error, Result};
pub use estimated::Estimated;
pub use layout::{AnyTables, Found, LmLayout, Search, TakeTables};
pub use lm::Lm;
pub use ngrams::{NgramLevel, Ngrams, Walk};
pub use score::{Scored, Scorer, Total};
pub use settings::{Fallback, Settings};
pub use state::{ChartState, Left, State};
pub use word_index::Words;
