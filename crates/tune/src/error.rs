//! What can go wrong while tuning.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error(transparent)]
    Text(#[from] treeglot_text::Error),
    /// A list or a file of weights could not be read.
    #[error(transparent)]
    Decode(#[from] treeglot_decode::Error),
    /// There is no such metric, or it cannot be set up.
    #[error(transparent)]
    Metrics(#[from] treeglot_metrics::Error),
    /// The candidates are of other sentences than the references.
    #[error(
        "there are candidates for {lists} sentences, but references for {references}: give the same sentences"
    )]
    Sentences {
        /// Lists of candidates.
        lists: usize,
        /// Sentences with references.
        references: usize,
    },
    /// A candidate has another number of dense features than the others.
    #[error("a candidate of sentence {sentence} has {found} dense features, but {expected} have weights")]
    Features {
        /// The sentence, from 0.
        sentence: usize,
        /// Its number of features.
        found: usize,
        /// What was expected.
        expected: usize,
    },
    /// A feature is infinite or not a number.
    #[error("a candidate of sentence {sentence} has a feature that is not a finite number")]
    NotFinite {
        /// The sentence, from 0.
        sentence: usize,
    },
    /// A setting cannot be.
    #[error("tune.{key}: expected {wanted}")]
    Setting {
        /// Its key.
        key: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// A weight is infinite or not a number.
    #[error(
        "a weight is not a finite number: check the weights to begin with, and the features of the candidates"
    )]
    WeightNotFinite,
    /// A score is infinite or not a number.
    #[error("the score of the development set by {metric} is not a finite number")]
    ScoreNotFinite {
        /// The metric.
        metric: String,
    },
    /// The system's search makes no forests.
    #[error("this system's search makes no forests to tune on: leave `forest` out, and tune on lists")]
    NoForests,
    /// The method cannot use forests.
    #[error("this method tunes on lists only: leave `forest` out, or take the method `mert`")]
    ListsOnly,
    /// The development set is empty.
    #[error("the references have no lines: tuning needs a development set")]
    NoReferences,
    /// There is nothing to choose from.
    #[error("no sentence has two candidates that differ in their features: there is nothing to tune")]
    NothingToTune,
}
