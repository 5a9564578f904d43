//! What can go wrong in alignment.

use treeglot_text::{Error as TextError, Place, one_line};

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
    /// A setting that means nothing.
    #[error("{0}")]
    Setting(String),
    /// A link is not written as the format asks.
    #[error("{place}: `{}` is no link: expected {expected}", one_line(.found))]
    BadLink {
        /// The line.
        place: Place,
        /// The text found.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A file of trees or links between trees could not be read.
    #[error(transparent)]
    Tree(#[from] treeglot_tree::Error),
    /// The name of a file of trees tells no format.
    #[error("{name}: the file's name tells no tree format: name the format")]
    NoFormat {
        /// The file.
        name: String,
    },
    /// A tree that cannot be aligned.
    #[error("{place}: tree {number}: {why}")]
    BadTree {
        /// The file.
        place: Place,
        /// Which tree of the file it is, from 1.
        number: usize,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// Two files of trees that do not belong together.
    #[error("{short} has {count} trees, {long} has more: files must match tree by tree")]
    UnequalTrees {
        /// The file that ends first.
        short: String,
        /// Its trees.
        count: usize,
        /// The other file.
        long: String,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
