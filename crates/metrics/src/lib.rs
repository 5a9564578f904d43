//! Scores of translations and the significance of their differences: the last step of the data's path, and the
//! objective of tuning.
//!
//! Every [`Metric`] is a small vector of statistics that add up over sentences, and a function from their sums to a
//! score. Tuners, confidence intervals and significance tests need nothing else, so each of them works with each
//! metric and with weighted sums of metrics.
//!
//! ```
//! use treeglot_metrics::{Hypothesis, Options, References, build};
//!
//! let metric = build("0.5*bleu+0.5*chrf", &Options::default())?;
//! let references = ["the house is small", "the house is little"];
//! let sentence = metric.prepare(&References::new(&references));
//! let mut sums = vec![0.0; metric.size()];
//! sentence.add_statistics(&Hypothesis::new("the house is small"), &mut sums);
//! assert!((metric.score(&sums) - 100.0).abs() < 1e-9);
//! # Ok::<(), treeglot_metrics::Error>(())
//! ```

pub mod bleu;
pub mod chrf;
mod chrf_length;
mod combined;
mod error;
pub mod files;
mod links;
pub mod meteor;
mod metric;
mod ngrams;
pub mod nist;
pub mod order;
mod random;
pub mod registry;
mod settings;
pub mod significance;
pub mod ter;
pub mod tokenize;

pub use combined::Combined;
pub use error::Error;
pub use metric::{Hypothesis, Link, Metric, RefCount, References, Sentence};
pub use registry::{Options, build};
pub use settings::{EvalSettings, SmoothMethod};
pub use significance::Paired;
