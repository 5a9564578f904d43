//! What can go wrong in training and experiments.

use std::path::PathBuf;
use treeglot_text::Error as TextError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text file could not be read or written.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A file is missing or may not be read.
    #[error("{}: cannot read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file or folder could not be written.
    #[error("{}: cannot write", .path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A recipe is not as it should be.
    #[error("{}: {why}", .path.display())]
    Recipe {
        /// The recipe's file.
        path: PathBuf,
        /// What is wrong, with its line and key, and what would be right.
        why: String,
    },
    /// What was asked for does not fit together.
    #[error("{0}")]
    Invalid(String),
    /// A stage failed.
    #[error("stage `{stage}` failed")]
    Stage {
        /// The stage's name.
        stage: String,
        /// Why.
        source: Box<Error>,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
