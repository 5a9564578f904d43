//! What can go wrong with joint models.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or is not what it should be.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// Links could not be read.
    #[error(transparent)]
    Links(#[from] treeglot_align::Error),
    /// There was nothing to learn from.
    #[error("no pair with words on both sides to learn a joint model from")]
    NoPairs,
    /// A setting that means nothing.
    #[error("{0}")]
    Setting(String),
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
