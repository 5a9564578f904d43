//! Search over forests, k-best derivations and their explanation.

pub mod chart;
pub mod cube;
mod derivation;
mod error;
mod features;
pub mod kbest;
mod lexicon;
pub mod lists;
mod nbest;
mod ngram;
pub mod stateful;
mod weights;

pub use derivation::{Applied, Derivation, NewStep, Step, WordOrigin, dot};
pub use error::{Error, Result};
pub use features::{Features, GLUE, UNKNOWN};
pub use lexicon::{Lexicon, LmWords};
pub use nbest::{NbestLine, write_nbest};
pub use ngram::Ngram;
pub use weights::{FeatureSet, WeightVector, Weights};
