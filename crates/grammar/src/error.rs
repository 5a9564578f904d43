//! What can go wrong with rules and tables.

use std::path::PathBuf;
use treeglot_text::{Error as TextError, Place, one_line};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or is damaged.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A file of links is not as its format asks.
    #[error(transparent)]
    Align(#[from] treeglot_align::Error),
    /// A line is no rule instance.
    #[error("{place}: {}", one_line(.why))]
    BadInstance {
        /// The line.
        place: Place,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// A temporary file could not be written or read back.
    #[error("{}: cannot keep temporary runs here: give another folder for temporary files, or more memory", .path.display())]
    Temporary {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A setting that means nothing, or lacks what it needs.
    #[error("{0}")]
    Setting(String),
    /// What another process counted or scored cannot be read.
    #[error("a part of the rules is damaged ({0}): remove what the stage has kept, and run it again")]
    Shard(&'static str),
    /// More than the numbers of a table reach.
    #[error(
        "a table holds at most 4,294,967,295 rules and 4 GB of target sides: drop rare rules by `min-count`, or keep the best of each source side by `limit`"
    )]
    TooManyRules,
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
