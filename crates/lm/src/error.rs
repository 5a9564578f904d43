//! Errors of estimating, reading and querying language models.

use treeglot_text::Place;

/// What can go wrong with a language model.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or is not what it should be.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// A treebank could not be read.
    #[error(transparent)]
    Tree(#[from] treeglot_tree::Error),
    /// A word that the model itself uses.
    #[error(
        "{place}: the text has the word `{word}`, which marks sentence ends or unknown words in the model; remove it, or set `skip-symbols`"
    )]
    ReservedWord {
        /// The line.
        place: Place,
        /// The word.
        word: String,
    },
    /// There was nothing to count.
    #[error("{name}: no text to estimate a language model from")]
    NoText {
        /// The input.
        name: String,
    },
    /// The text is longer than counts can say.
    #[error("{name}: more than {limit} tokens; split the text")]
    TooLong {
        /// The input.
        name: String,
        /// The most that can be counted.
        limit: u64,
    },
    /// The closed form of the discounts does not hold for this text.
    #[error(
        "no Kneser-Ney discounts for {order}-grams: {reason}; the text is small or artificial: remove duplicate lines, or set a `discount-fallback`"
    )]
    Discounts {
        /// The order of the n-grams.
        order: usize,
        /// What is missing.
        reason: String,
    },
    /// A model that was opened from its binary form cannot be written in it.
    #[error("the model is in its binary form already: copy the file")]
    AlreadyBinary,
    /// A setting that cannot be, or a file that is another one than asked for.
    #[error("{0}")]
    Setting(String),
}

impl Error {
    /// The error of a failed temporary file.
    pub(crate) fn temporary(source: std::io::Error) -> Self {
        treeglot_text::Error::temporary(source).into()
    }
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
