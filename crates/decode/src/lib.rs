//! Search over forests, k-best derivations and their explanation.

mod derivation;
mod error;
mod lexicon;
mod nbest;
mod weights;

pub use derivation::{Applied, Derivation, NewStep, Step, WordOrigin, dot};
pub use error::{Error, Result};
pub use lexicon::{Lexicon, LmWords};
pub use nbest::{NbestLine, write_nbest};
pub use weights::{FeatureSet, WeightVector, Weights};
