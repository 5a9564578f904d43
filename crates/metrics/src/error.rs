//! What can go wrong when a metric is built and when files are scored.

use std::sync::Arc;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No metric has this name.
    #[error("there is no metric `{name}`: choose from {}, or a sum such as 0.5*bleu+0.5*chrf", crate::registry::METRICS.map(|entry| entry.name).join(", "))]
    UnknownMetric {
        /// What was asked for.
        name: String,
    },
    /// A sum of metrics that cannot be read.
    #[error("`{expression}` is no sum of metrics: {reason}; write it as 0.5*bleu+0.5*chrf or bleu-ter")]
    Expression {
        /// The whole sum.
        expression: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A setting that means nothing.
    #[error("{0}")]
    Setting(String),
    /// A tokeniser without the SentencePiece model that it cuts by.
    #[error("`tokenize` {0} needs the SentencePiece model of that benchmark (`spm-model`)")]
    NoModel(&'static str),
    /// A language that is not known.
    #[error("{0}")]
    Language(String),
    /// A folder that should have METEOR's resources has none.
    #[error(
        "{folder} has no resources of METEOR: function/english.words, synonym/{language}.synsets and others"
    )]
    NoResources {
        /// The folder.
        folder: String,
        /// The language's name.
        language: String,
    },
    /// A file could not be read.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// Files that must match line by line do not.
    #[error("{name} has {lines} lines, but {other} has {other_lines}: score the same sentences")]
    Unequal {
        /// A file.
        name: Arc<str>,
        /// How many lines it has.
        lines: u64,
        /// The file it must match.
        other: Arc<str>,
        /// How many lines that one has.
        other_lines: u64,
    },
}
