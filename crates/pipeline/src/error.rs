//! What can go wrong with bundles.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system could not be put together.
    #[error(transparent)]
    Decode(#[from] treeglot_decode::Error),
    /// A table could not be used.
    #[error(transparent)]
    Grammar(#[from] treeglot_grammar::Error),
    /// A language model could not be used.
    #[error(transparent)]
    Lm(#[from] treeglot_lm::Error),
    /// A file could not be read or written, or is damaged.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// A bundle lacks something or says something that cannot be.
    #[error("{}: {why}", .path.display())]
    Bundle {
        /// The bundle, or a file of it.
        path: PathBuf,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// A file of a bundle could not be read or written.
    #[error("{}: cannot {doing}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
