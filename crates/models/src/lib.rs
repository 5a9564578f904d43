//! The translation models, one file each: how rules are read off a pair and applied to an input.
//!
//! [`pairs`] reads training pairs with their links and trees and [`extract`] hands them to a model on all threads;
//! [`registry`] has the models by name. To add a model, write one file here and one line there.
//!
//! ```
//! use treeglot_grammar::{Batch, notation};
//! use treeglot_models::pairs::{Files, Pairs};
//! use treeglot_models::{Error, extract, registry};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let file = |name: &str, text: &str| -> std::io::Result<std::path::PathBuf> {
//!     let path = folder.path().join(name);
//!     std::fs::write(&path, text).map(|()| path)
//! };
//! let (source, target) = (file("de", "das Haus\n")?, file("en", "the house\n")?);
//! let files = Files { source, target, links: file("links", "0-0 1-1\n")?, ..Files::default() };
//!
//! let model = registry::find("phrase")?.from_value(serde_json::json!({ "max-length": 1 }))?;
//! let mut pairs = Pairs::open(&files, model.needs(), Default::default())?;
//! let mut rules = Vec::new();
//! let take = |batch: Batch| -> Result<(), Error> {
//!     notation::write_batch(&batch, &mut rules);
//!     Ok(())
//! };
//! let summary = extract::extract(&mut pairs, &*model, None, |batch| batch, take)?;
//! assert_eq!(summary.instances, 2);
//! assert!(String::from_utf8(rules)?.starts_with("das ||| the ||| 0-0 ||| 1 ||| mono mono\n"));
//! # Ok(())
//! # }
//! ```

mod agenda;
mod builder;
pub mod chart;
mod cons2str;
mod constrained;
pub mod dep2str;
mod described;
mod error;
mod estimates;
pub mod extract;
mod forest;
mod guide;
mod hiero;
mod matrix;
pub mod mwu;
mod packed;
mod pair;
pub mod pairs;
mod phrase;
pub mod registry;
mod restrict;
mod rules;
mod spans;
mod str2dep;
#[cfg(test)]
mod testing;
mod unaligned;

pub use described::DescribedSpan;
pub use error::{Error, Result};
pub use estimates::Estimates;
pub use forest::{Edge, Forest, Node, NodeIx, RuleList, variable_at};
pub use guide::{Binding, Given, GivenChoice, Guidance, Origin, UNGUIDED, Wall};
pub use pair::{Needs, Pair, ParsedTree};

pub use pairs::InputTrees;

use chart::{Chart, ForestInput};
use treeglot_grammar::RuleSink;
use treeglot_text::vocab::Vocab;

/// What a model makes a translation of, and so how it is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// Phrases of the input in any order, put together from left to right.
    Phrases,
    /// Spans of the input's words.
    Spans,
    /// The input's trees, of the kinds that training needs on the source side.
    Trees,
}

/// What a table is for in a system.
///
/// A system has its tables in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableRole {
    /// The rules of the system's own model.
    Model,
    /// Rules of constituency trees beside those of a model that translates dependency trees.
    Constituents,
    /// Phrases beside the rules of a model that translates trees.
    Phrases,
    /// Hierarchical rules beside those of a model that translates trees, for where these do not reach.
    Hierarchical,
}

/// A translation model.
pub trait Model: Sync + Send {
    /// What it needs on each side of a training pair beside words and links.
    fn needs(&self) -> Needs;

    /// Hands every rule instance of one pair to `rules`. The pair's words are numbers of `vocab`, where the model's
    /// labels go as well.
    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, rules: &mut dyn RuleSink);

    /// What its rules are applied to.
    fn applies(&self) -> Applies {
        Applies::Spans
    }

    /// The tables it translates with beside its own, unless told otherwise: for trees, phrases, and hierarchical rules where the
    /// tree's own do not reach. [`registry::maker`] has the models that make them.
    fn beside(&self) -> &'static [TableRole] {
        match self.applies() {
            Applies::Trees => &[TableRole::Phrases, TableRole::Hierarchical],
            Applies::Phrases | Applies::Spans => &[],
        }
    }

    /// The options of the model whose rules stand beside its own in this role; `None` if none can.
    fn options_beside(&self, role: TableRole) -> Option<serde_json::Value> {
        (role != TableRole::Constituents).then(|| serde_json::json!({}))
    }

    /// Whether a label that a rule builds is a phrasal node: one made of a constituent and the dependents it covers. Experiments
    /// report how often models that have such nodes use them.
    fn is_phrasal(&self, label: &str) -> bool {
        let _ = label;
        false
    }

    /// Whether it has phrasal nodes, see [`Model::is_phrasal`].
    fn has_phrasal_nodes(&self) -> bool {
        false
    }

    /// The most words that its rules span in translation, 0 for any number; none for what the search does by default.
    fn max_span(&self) -> Option<usize> {
        None
    }

    /// Whether a language model of target dependency trees goes with it.
    fn scores_trees(&self) -> bool {
        false
    }

    /// The labels that its rules build and its variables take, the one of unknown words first.
    fn labels(&self) -> &[&str] {
        &["X"]
    }

    /// Lays out all that the tables' rules can build for one input, before any language model. Models whose source
    /// sides are words and variables need nothing of their own here.
    fn forest(
        &self,
        input: &ForestInput<'_>,
        estimates: &mut dyn Estimates,
        chart: &mut Chart,
        forest: &mut Forest,
    ) {
        chart.fill(input, estimates, forest);
    }

    /// The same without what crosses the bounds of the input; whether they could be kept.
    fn guided_forest(
        &self,
        input: &ForestInput<'_>,
        estimates: &mut dyn Estimates,
        chart: &mut Chart,
        forest: &mut Forest,
    ) -> bool {
        self.forest(input, estimates, chart, forest);
        !input.guidance.restricts() || restrict::restrict(forest, input.guidance)
    }
}
