//! What can go wrong in alignment.

use treeglot_text::{Error as TextError, Place};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text file could not be read or written, or two files do not match.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The corpus has more tokens than fit 32 bits.
    #[error("line {line}: more than 4,294,967,295 words on a side; split the corpus")]
    TooLarge {
        /// The first line that does not fit.
        line: u64,
    },
    /// A link is not written as the format asks.
    #[error("{place}: `{found}` is no link: expected {expected}")]
    BadLink {
        /// The line.
        place: Place,
        /// The text found.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
