//! Weights from a development set: MERT, MIRA, PRO and minimum risk, for any metric and any decoder.
//!
//! A decoder gives candidates for weights, each a text with the values of its features; [`tune`] runs the loop of decoding
//! and learning. Where the candidates are known already, [`TuneSettings::optimise`] finds weights once:
//!
//! ```
//! use treeglot_decode::FeatureSet;
//! use treeglot_metrics::Options;
//! use treeglot_tune::{Candidate, Candidates, DevSet, FeatureSpace, Method, Objective, TuneSettings};
//!
//! let dev = DevSet::new(vec![vec!["the little house stands".into()], vec!["it is green".into()]]);
//! let [metric, smoothed] = dev.metrics("chrf", Options::default())?;
//! let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
//!
//! let mut features = FeatureSet::default();
//! features.add("LM0", 1);
//! features.add("WordPenalty0", 1);
//! let mut candidates = Candidates::new(&FeatureSpace::new(features), &objective);
//! let candidate = |text: &str, dense: [f32; 2]| Candidate { text: text.into(), dense: dense.into(), ..Default::default() };
//! let lists = vec![
//!     vec![candidate("house", [-1.0, -1.0]), candidate("the little house stands", [-4.0, -4.0])],
//!     vec![candidate("is", [-1.5, -1.0]), candidate("it is green", [-2.0, -3.0])],
//! ];
//! candidates.add(&lists, &objective)?;
//!
//! let start = [1.0, 0.0];
//! assert!(objective.score(&candidates.sums(&start)) < 50.0);
//! let settings = TuneSettings { method: Method::Mert, ..TuneSettings::default() };
//! let tuned = settings.optimise(&candidates, &objective, &start)?;
//! assert_eq!(tuned.score.round(), 100.0);
//! # Ok::<(), treeglot_tune::Error>(())
//! ```
//!
//! A method is one file in `tuners` and one line in the registry there.

mod candidates;
mod checkpoints;
mod dev;
mod error;
mod features;
mod forest;
mod lbfgs;
mod line_search;
mod nbest;
mod objective;
mod rounds;
mod tuners;

pub use candidates::{Candidate, CandidateList, Candidates};
pub use checkpoints::{CheckpointError, Checkpoints};
pub use dev::DevSet;
pub use error::Error;
pub use features::FeatureSpace;
pub use forest::{ForestPoint, Forests};
pub use line_search::{ErrorSurface, LineOptimum, ListPoint, Sweep};
pub use nbest::{read_nbest, write_nbest};
pub use objective::Objective;
pub use rounds::{Decoder, End, Round, TuneError, Tuned, tune};
pub use tuners::{Gathered, Job, Mert, Method, Mira, Optimum, Pro, Risk, TuneSettings, Tuner};
