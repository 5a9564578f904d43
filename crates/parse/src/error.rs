//! Errors of training and using parsers.

use crate::settings::Method;
use treeglot_text::Place;
use treeglot_tree::TreeKind;

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
    /// A tree that a constituency parser cannot learn from.
    #[error("{place}: the tree cannot be learned from: {why}")]
    BadTree {
        /// The line at which it ends.
        place: Place,
        /// What is wrong with it.
        why: crate::constituency::BadTree,
    },
    /// A file of the wrong kind of trees.
    #[error("{name}: has {has} trees, but {needed} trees are needed")]
    WrongTrees {
        /// The file.
        name: String,
        /// What the file has.
        has: &'static str,
        /// What is needed.
        needed: TreeKind,
    },
    /// A treebank of the wrong kind of trees for a method.
    #[error("a {} parser learns from {} trees, not from {has} trees", method.name(), method.kind())]
    WrongKind {
        /// The method.
        method: Method,
        /// The kind of the treebank.
        has: TreeKind,
    },
    /// A program that parses does not, or not as it should.
    #[error("the command `{}`: {}", treeglot_text::one_line(.command), treeglot_text::one_line(.why))]
    Bridge {
        /// The command.
        command: String,
        /// What it does.
        why: String,
    },
    /// Two treebanks that must have the same text do not.
    #[error("{place}: {message}")]
    Unequal {
        /// Where they part.
        place: Place,
        /// How.
        message: String,
    },
    /// A setting that makes no sense.
    #[error("{0}")]
    Setting(String),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
