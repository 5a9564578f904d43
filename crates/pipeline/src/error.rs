//! What can go wrong in training, with bundles and in experiments.

use std::any::Any;
use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written, or is damaged.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// Trees could not be read.
    #[error(transparent)]
    Tree(#[from] treeglot_tree::Error),
    /// A parser could not be trained or used.
    #[error(transparent)]
    Parse(#[from] treeglot_parse::Error),
    /// Words could not be aligned.
    #[error(transparent)]
    Align(#[from] treeglot_align::Error),
    /// Rules could not be extracted.
    #[error(transparent)]
    Models(#[from] treeglot_models::Error),
    /// A table could not be made or used.
    #[error(transparent)]
    Grammar(#[from] treeglot_grammar::Error),
    /// A language model could not be made or used.
    #[error(transparent)]
    Lm(#[from] treeglot_lm::Error),
    /// A joint model could not be learnt or opened.
    #[error(transparent)]
    Joint(#[from] treeglot_joint::Error),
    /// A system could not be put together.
    #[error(transparent)]
    Decode(#[from] treeglot_decode::Error),
    /// Translations could not be scored.
    #[error(transparent)]
    Metrics(#[from] treeglot_metrics::Error),
    /// A document is not what its format says.
    #[error(transparent)]
    Document(#[from] treeglot_document::Error),
    /// Weights could not be tuned.
    #[error(transparent)]
    Tune(#[from] treeglot_tune::Error),
    /// A bundle lacks something or says something that cannot be.
    #[error("{}: {}", .path.display(), treeglot_text::one_line(.why))]
    Bundle {
        /// The bundle, or a file of it.
        path: PathBuf,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// A file could not be read or written.
    #[error("{}: cannot {doing}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// A recipe, or a file of that sort, is not as it should be.
    #[error("{}: {}", .path.display(), treeglot_text::one_line(.why))]
    Recipe {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line and key, and what would be right.
        why: String,
    },
    /// What was asked for does not fit together.
    #[error("{0}")]
    Invalid(String),
    /// Nobody says in which language a text is.
    #[error("which language is {}?", .path.display())]
    NoLanguage {
        /// The text.
        path: PathBuf,
    },
    /// Another process works on the same.
    #[error("{}: {holder} is at work on it: wait for it, or name another folder", .path.display())]
    Busy {
        /// What both would write.
        path: PathBuf,
        /// Who is at work.
        holder: String,
    },
    /// A translation was not found in the time it was given.
    #[error("the translation takes longer than it may")]
    OutOfTime,
    /// A fault of this program.
    #[error("a fault of treeglot itself, please report it: {0}")]
    Panicked(String),
    /// A stage failed.
    #[error("stage `{stage}` failed")]
    Stage {
        /// The stage's name.
        stage: String,
        /// Why.
        source: Box<Error>,
    },
}

impl Error {
    /// What a panic said.
    pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Self::Panicked(text.unwrap_or_else(|| "it did not say why".into()))
    }

    /// A file that could not be read.
    pub(crate) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, doing: "read", source }
    }

    /// A file or folder that could not be written.
    pub(crate) fn writing(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, doing: "write", source }
    }
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
