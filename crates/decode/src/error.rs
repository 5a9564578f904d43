//! What can go wrong between a bundle's files and a translation.

use std::sync::Arc;
use treeglot_text::{Error as TextError, Place, one_line};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or is damaged.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A table could not be used.
    #[error(transparent)]
    Grammar(#[from] treeglot_grammar::Error),
    /// A language model could not be used.
    #[error(transparent)]
    Lm(#[from] treeglot_lm::Error),
    /// Trees of an input could not be used.
    #[error(transparent)]
    Models(#[from] treeglot_models::Error),
    /// A line is not as its format asks.
    #[error("{place}: {}", one_line(.why))]
    Line {
        /// The line.
        place: Place,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// Weights do not fit the features of a system.
    #[error("{name}: {why}")]
    Weights {
        /// The file of weights.
        name: Arc<str>,
        /// Which feature, and what it needs.
        why: String,
    },
    /// A hyperarc does not fit its forest.
    #[error("hyperarc {arc} of the forest cannot be added: {why}")]
    Forest {
        /// The hyperarc, from 0.
        arc: usize,
        /// What does not fit.
        why: String,
    },
    /// The system gives no more threads.
    #[error("cannot start a thread: try fewer with `--threads`")]
    Threads(#[source] std::io::Error),
    /// Settings that cannot be used together.
    #[error("{0}")]
    Settings(String),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
