//! `mwu`: forests of multi-word units to strings (Na & Lee 2011). A unit is a set of words that need not stand side by side,
//! but hang together in the dependency tree; a forest has the many ways to take a tree apart into units.
//!
//! `units` finds the units of a tree, `cover` the ways to go on below one, and `forest` puts them together (section 3,
//! algorithm 1); `spans` and `induce` make rules of a pair (section 4, algorithm 2); `apply` lays out what they can build for an
//! input. `recover` and `coverage` study what they can build of the training pairs (section 5).

mod apply;
mod cover;
pub mod coverage;
mod describe;
mod forest;
mod induce;
mod recover;
mod sequences;
mod sets;
mod spans;
#[cfg(test)]
mod speller;
#[cfg(test)]
mod tests;
mod units;

use crate::chart::{Chart, ForestInput};
use crate::dep2str::Phrases;
use crate::error::{Error, Result};
use crate::estimates::Estimates;
use crate::forest::Forest;
use crate::matrix::Matrix;
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::{Applies, Model};
pub use describe::{DescribedForest, DescribedHyperarc, DescribedVertex, describe, describe_needs};
use forest::{Limits, UnitForest};
use induce::Inducer;
use serde::{Deserialize, Serialize};
pub use spans::Consistency;
use spans::Spans;
use treeglot_grammar::RuleSink;
use treeglot_text::vocab::Vocab;
use treeglot_tree::{DepTree, TreeKind};

/// How often a rule counts that was seen in a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// By the outside weight of the paper's equation 2: a mean over the ways that lead on from a unit, 1 for units in none
    #[default]
    Mean,
    /// With the probability that a derivation of the forest uses it; units that none of the k best ways use have no rules
    Posterior,
    /// Once, wherever it comes in the forest
    One,
}

/// What a variable stands for: something that hangs by these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// The words themselves, as in the paper
    Words,
    /// Their tags
    #[default]
    Tags,
    /// A rule with each
    Both,
}

impl Labels {
    fn forms(self) -> &'static [Self] {
        match self {
            Self::Words => &[Self::Words],
            Self::Tags => &[Self::Tags],
            Self::Both => &[Self::Words, Self::Tags],
        }
    }
}

/// The options of [`Mwu`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MwuOptions {
    /// The most words of a unit
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 6))]
    pub m: usize,

    /// The most ways to go on below a unit, the best first
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 10))]
    pub k: usize,

    /// Leave out ways of at most this probability, but for the best one below each unit
    #[cfg_attr(feature = "clap", arg(long, value_name = "P", default_value_t = 0.0))]
    pub delta: f64,

    /// When a target span may be the translation of a unit
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub consistency: Consistency,

    /// How often a rule of a pair counts
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub counts: Counts,

    /// Leave out rules that count less than this in a pair: most rules do, and few of them are ever used; the paper has all
    #[cfg_attr(feature = "clap", arg(long, value_name = "C", default_value_t = 0.1))]
    pub min_fraction: f64,

    /// The most variables of a rule; 0 for no limit, as in the paper
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 3))]
    pub max_variables: usize,

    /// What variables are labelled by
    #[cfg_attr(feature = "clap", arg(long, value_name = "BY", value_enum, default_value_t))]
    pub labels: Labels,

    /// Which bilingual phrases an input is translated with; of no concern to extraction
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHICH", value_enum, default_value_t = Phrases::All))]
    pub phrases: Phrases,

    /// Let the variables of hierarchical rules beside the model's own stand for what its rules build of words side by side; of no concern
    /// to extraction
    #[cfg_attr(feature = "clap", arg(long))]
    pub weave: bool,

    /// The most ways in which target words without links are shared out among the words of a rule
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 32))]
    pub max_variants: usize,
}

impl Default for MwuOptions {
    fn default() -> Self {
        Self {
            m: 6,
            k: 10,
            delta: 0.0,
            consistency: Consistency::default(),
            counts: Counts::default(),
            min_fraction: 0.1,
            max_variables: 3,
            labels: Labels::default(),
            phrases: Phrases::All,
            weave: false,
            max_variants: 32,
        }
    }
}

impl MwuOptions {
    /// How many variables a rule may have.
    fn variables(&self) -> usize {
        if self.max_variables == 0 { usize::MAX } else { self.max_variables }
    }

    fn limits(&self) -> Limits {
        Limits { max_words: self.m, max_edges: self.k }
    }
}

/// Forests of multi-word units to strings.
#[derive(Debug, Clone, Copy)]
pub struct Mwu(MwuOptions);

impl Registered for Mwu {
    const NAME: &'static str = "mwu";
    const ABOUT: &'static str = "Forests of multi-word units to strings (Na & Lee 2011)";
    type Options = MwuOptions;

    fn new(options: MwuOptions) -> Result<Self> {
        let bad = |why: &str| Err(Error::BadOptions { model: Self::NAME, why: why.to_string() });
        if options.m == 0 || options.k == 0 {
            return bad("`m` and `k` must be at least 1");
        }
        if !(0.0..1.0).contains(&options.delta) {
            return bad("`delta` must be from 0 to below 1");
        }
        if !(options.min_fraction.is_finite() && options.min_fraction >= 0.0) {
            return bad("`min-fraction` must be a number from 0 on");
        }
        Ok(Self(options))
    }
}

impl Model for Mwu {
    fn needs(&self) -> Needs {
        Needs::source_parses(&[TreeKind::Dependency])
    }

    fn applies(&self) -> Applies {
        Applies::Trees
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let trees: Vec<&DepTree> = pair.source_deps().map(|(tree, _)| tree).collect();
        if trees.is_empty() {
            return;
        }
        let mut forest = UnitForest::new(&trees, &self.0.limits());
        forest.outside(self.0.counts == Counts::Mean);
        forest.prune(self.0.delta);
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let spans = Spans::new(&matrix, self.0.consistency);
        let cspans = spans.cspans(&forest);
        let (options, matrix, forest) = (&self.0, &matrix, &forest);
        Inducer { options, pair, matrix, forest, spans: &spans, cspans: &cspans }.induce(vocab, rules);
    }

    fn forest(
        &self,
        input: &ForestInput<'_>,
        estimates: &mut dyn Estimates,
        chart: &mut Chart,
        forest: &mut Forest,
    ) {
        apply::fill(&self.0, input, estimates, chart, forest);
    }
}
