//! Translating: search over forests and over stacks, k-best derivations and their explanation.
//!
//! A [`System`] is put together from [`Resources`] (tables and language models, each with its role), weights and
//! [`SearchSettings`]; it is read-only, and each thread has a [`Worker`] of it.
//!
//! ```
//! use treeglot_decode::{Resources, SearchSettings, TableRole, Wanted};
//! use treeglot_grammar::table::{Import, import};
//! use treeglot_grammar::{Scratch, Table};
//! use treeglot_models::registry;
//! use treeglot_text::Input;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let (rules, table) = (folder.path().join("rules"), folder.path().join("table"));
//! std::fs::write(&rules, "das ||| the ||| 0.5 ||| 0-0\nHaus ||| house ||| 0.5 ||| 0-0\n")?;
//! let options = Import { model: "phrase".to_string(), memory: 1 << 20 };
//! import(Input::open(&rules)?, None, &options, &Scratch::new(None), &table)?;
//!
//! let model = registry::find("phrase")?.from_value(serde_json::json!({}))?;
//! let resources = Resources { tables: vec![(TableRole::Model, Table::open(&table)?)], ..Resources::default() };
//! let settings = SearchSettings::default();
//! let weights = resources.first_weights(&*model, &settings);
//! let system = resources.system(model, &weights, &settings)?;
//! let found = system.worker()?.translate("das Haus", &Wanted { explain: true, ..Wanted::default() });
//! assert_eq!(found.best[0].text, "the house");
//! assert_eq!(found.best[0].explanation.as_ref().map(|why| why.words[1].source.clone()), Some(vec![1]));
//! # Ok(())
//! # }
//! ```

mod chart;
pub mod combination;
mod cube;
mod deadline;
mod derivation;
mod error;
mod explain;
mod features;
mod frequent;
mod guide;
mod lists;
pub mod mbr;
mod nbest;
mod operations;
mod places;
mod pruned;
mod resources;
mod searched;
mod settings;
mod stack;
mod target_tree;
mod translate;
mod translation_forest;
mod vocab;
mod weights;
mod write;

pub use chart::{ChartSystem, ChartWorker};
pub use deadline::Deadline;
pub use derivation::{Applied, Derivation, NewStep, Step, WordOrigin, dot};
pub use error::{Error, Result};
pub use explain::{ExplainedRule, ExplainedWord, Explanation};
pub use features::{
    Assembled, Both, Build, DepState, Dependency, Extra, Feature, Features, Item, JOINS, Joint, JointState,
    JointWord, Lexical, LmRole, MAX_ORDER, MAX_ROOTS, Neural, Ngram, OfSparse, REORDERING, RuleView,
    SPARSE_SUM, Shape, SparseRules, SparseSpace, Stateful, assemble, first_weights, weigh_parses,
};
pub use frequent::{FrequentWords, SparseSettings};
pub use guide::{MARKS, UnknownWords};
pub use nbest::{NbestLine, write_nbest};
pub use operations::operations_line;
pub use resources::Resources;
pub use settings::{Limits, SearchSettings};
pub use stack::{PhraseSearch, PhraseSystem, PhraseTable, PhraseWorker};
pub use target_tree::{target_forest, target_tree};
pub use translate::{DERIVATIONS_EACH, System, Translation, Translations, Wanted, Worker};
pub use translation_forest::{TargetItem, TranslationForest};
pub use treeglot_models::TableRole;
pub use vocab::{LmWords, SentenceVocab};
pub use weights::{FeatureSet, NamedValues, WeightVector, Weights};
