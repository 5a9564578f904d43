//! Errors of training and using parsers.

use treeglot_text::Place;

/// What can go wrong with a treebank or a model file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or is damaged.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// A treebank could not be read.
    #[error(transparent)]
    Tree(#[from] treeglot_tree::Error),
    /// There is nothing to learn from.
    #[error("the treebank has no sentence to learn from ({left_out} were left out)")]
    NoSentences {
        /// How many sentences were no trees.
        left_out: usize,
    },
    /// Two treebanks that must have the same text do not.
    #[error("{place}: {message}")]
    Unequal {
        /// Where they part.
        place: Place,
        /// How.
        message: String,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
