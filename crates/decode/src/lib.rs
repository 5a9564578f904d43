//! Search over forests, k-best derivations and their explanation.

pub mod chart;
mod cube;
mod derivation;
mod error;
mod explain;
mod features;
mod grow;
mod kbest;
mod lexicon;
mod lists;
pub mod mbr;
mod nbest;
mod ngram;
mod pruned;
mod searched;
pub mod stack;
pub mod stateful;
mod stream;
mod translate;
mod weights;
mod write;
mod yields;

pub use cube::Limits;
pub use derivation::{Applied, Derivation, NewStep, Step, WordOrigin, dot};
pub use error::{Error, Result};
pub use explain::{ExplainedRule, ExplainedWord, Explanation};
pub use features::{Features, GLUE, UNKNOWN};
pub use lexicon::{Lexicon, LmWords};
pub use nbest::{NbestLine, write_nbest};
pub use ngram::Ngram;
pub use pruned::{PrunedForest, PrunedItem, PrunedWay};
pub use stream::translate_stream;
pub use translate::{DERIVATIONS_EACH, Translation, Translations, Translator, Wanted, Worker};
pub use weights::{FeatureSet, NamedValues, WeightVector, Weights};
