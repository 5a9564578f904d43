//! Search over forests, k-best derivations and their explanation.

pub mod chart;
mod cube;
pub mod depend;
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
mod searched;
pub mod stack;
pub mod stateful;
mod stream;
pub mod structure;
mod target_tree;
mod translate;
mod weights;
mod write;

pub use cube::Limits;
pub use derivation::{Applied, Derivation, NewStep, Step, WordOrigin, dot};
pub use error::{Error, Result};
pub use explain::{ExplainedRule, ExplainedWord, Explanation};
pub use features::{DEPENDENCY_LM, Features, GLUE, ILL_FORMED, UNKNOWN};
pub use lexicon::{Lexicon, LmWords};
pub use nbest::{NbestLine, write_nbest};
pub use ngram::Ngram;
pub use stream::{translate_stream, translate_streams};
pub use target_tree::{target_forest, target_tree};
pub use translate::{DERIVATIONS_EACH, Translation, Translations, Translator, Wanted, Worker};
pub use weights::{FeatureSet, NamedValues, WeightVector, Weights};
