//! What can go wrong between files of pairs and rules.

use treeglot_text::{Error as TextError, Place, one_line};
use treeglot_tree::TreeSlot;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or files do not match line by line.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A line of links is not as its format asks.
    #[error(transparent)]
    Align(#[from] treeglot_align::Error),
    /// A file of trees could not be read, or holds what is no tree.
    #[error(transparent)]
    Tree(#[from] treeglot_tree::Error),
    /// The links of a pair do not fit its words.
    #[error("{place}: {}", one_line(.why))]
    BadLinks {
        /// The line of links.
        place: Place,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// A tree does not fit its sentence.
    #[error("{place}: {}", one_line(.why))]
    BadTree {
        /// The tree.
        place: Place,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// The model needs trees that were not given.
    #[error("the model reads {0} trees, but none are given")]
    NoTrees(TreeSlot),
    /// The model needs links between nodes that were not given.
    #[error("the model reads links between the nodes of trees, but none are given")]
    NoNodeLinks,
    /// No model has this name.
    #[error("there is no model `{name}`; the models are {known}")]
    NoModel {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Arguments of the command line that are no options of the model.
    #[cfg(feature = "clap")]
    #[error(transparent)]
    Arguments(#[from] clap::Error),
    /// Options that do not fit the model.
    #[error("model `{model}`: {why}")]
    BadOptions {
        /// The model.
        model: &'static str,
        /// What is wrong, and what would be right.
        why: String,
    },
}

impl Error {
    /// Whether the error is about one pair, so that the pairs after it can still be used.
    pub fn concerns_one_pair(&self) -> bool {
        matches!(
            self,
            Self::BadLinks { .. }
                | Self::BadTree { .. }
                | Self::Align(treeglot_align::Error::BadLink { .. })
                | Self::Tree(treeglot_tree::Error::Invalid { .. })
        )
    }
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
