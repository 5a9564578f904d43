//! Errors of reading and checking trees.

use crate::index::WordIx;
use treeglot_text::{Place, one_line};

/// Why a parse is not a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// There is nothing to build a tree on.
    #[error("the sentence has no words")]
    NoWords,
    /// A head beyond the sentence.
    #[error("word {word} has head {head}, but the sentence has {words} words")]
    HeadOutOfRange {
        /// The word.
        word: WordIx,
        /// Its head as written, from 1.
        head: u32,
        /// The sentence's length.
        words: usize,
    },
    /// A word without any head, not even the root.
    #[error("word {word} has no head; every word needs one (0 for the root)")]
    NoHead {
        /// The word.
        word: WordIx,
    },
    /// No word hangs from the root, or a group of words does not.
    #[error("the heads form a cycle: {}", cycle(.words))]
    Cycle {
        /// The words of the cycle, each followed by its head.
        words: Vec<WordIx>,
    },
    /// More than one word hangs from the root.
    #[error(
        "words {first} and {second} are both roots; allow several roots to attach later ones to the first"
    )]
    SeveralRoots {
        /// The first root.
        first: WordIx,
        /// The second root.
        second: WordIx,
    },
    /// A constituent that dominates no word.
    #[error("the constituent `{label}` has no words")]
    EmptyNode {
        /// Its label.
        label: String,
    },
    /// A constituency tree with another number of tops than one.
    #[error("the tree has {0} topmost nodes, but must have one")]
    Tops(usize),
    /// A constituent that is its own ancestor.
    #[error("the constituent `{label}` is its own ancestor")]
    NodeCycle {
        /// Its label.
        label: String,
    },
}

fn cycle(words: &[WordIx]) -> String {
    let mut text: Vec<String> = words.iter().map(ToString::to_string).collect();
    if let Some(first) = text.first().cloned() {
        text.push(first);
    }
    text.join(" > ")
}

/// What can go wrong between a file and its trees.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be read, or is not in the format.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// A parse was read but is not a tree.
    #[error("{place}: {}", one_line(&.why.to_string()))]
    Invalid {
        /// The line of the word or tree.
        place: Place,
        /// What does not hold.
        why: Invalid,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
