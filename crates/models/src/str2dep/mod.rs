//! `str2dep`: from strings to dependency trees (Shen et al. 2008; Wu et al. 2012). Rules are those of `hiero` whose target
//! phrase, and whatever a variable stands for, are well-formed structures of the target tree; the target side keeps for each
//! symbol the one it depends on ([`treeglot_grammar::heads`]), so that translations come with their trees. Inputs are strings:
//! rules are applied as those of `hiero`.

mod marks;
mod structure;

pub use marks::push_marks;
pub use structure::Structures;

use crate::Model;
use crate::error::{Error, Result};
use crate::hiero::{self, HieroOptions, Which};
use crate::matrix::{Matrix, SpanPair};
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::rules::Rules;
use crate::spans::span_pairs;
use serde::{Deserialize, Serialize};
use treeglot_grammar::RuleSink;
use treeglot_text::Side;
use treeglot_text::vocab::Vocab;
use treeglot_tree::PerTree;

/// Which rules are kept whose structures are not well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum IllFormed {
    /// None, as in the paper
    #[default]
    None,
    /// Phrases without variables, marked as ill-formed
    Flat,
    /// All rules of hiero, marked as ill-formed
    All,
}

/// The options of [`Str2Dep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Str2DepOptions {
    /// Which rules to keep whose structures are not well-formed; the feature `IllFormed0` counts them
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHICH", value_enum, default_value_t))]
    pub ill_formed: IllFormed,

    /// How the rules are made that structures then choose from.
    #[cfg_attr(
        feature = "clap",
        command(flatten, next_help_heading = "Options of hiero, whose rules are chosen from")
    )]
    pub hiero: HieroOptions,
}

/// The string-to-dependency model.
#[derive(Debug, Clone)]
pub struct Str2Dep {
    ill_formed: IllFormed,
    limits: hiero::Limits,
}

impl Registered for Str2Dep {
    const NAME: &'static str = "str2dep";
    const ABOUT: &'static str =
        "Hierarchical phrases whose target sides are dependency structures (Shen 2008, Wu 2012)";
    type Options = Str2DepOptions;

    fn new(options: Str2DepOptions) -> Result<Self> {
        let bad = |why: String| Error::BadOptions { model: Self::NAME, why };
        let limits = hiero::Limits::new(&options.hiero, true).map_err(bad)?;
        Ok(Self { ill_formed: options.ill_formed, limits })
    }
}

impl Model for Str2Dep {
    fn needs(&self) -> Needs {
        Needs { trees: PerTree { target_dep: true, ..PerTree::default() }, ..Needs::default() }
    }

    fn scores_trees(&self) -> bool {
        true
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, sink: &mut dyn RuleSink) {
        let Some(tree) = pair.dep(Side::Target) else { return };
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let structures = Structures::new(tree, self.limits.spans().max_words as usize);
        let mut rules = Rules::new(pair, &matrix, vocab).with_structures(&structures);
        let phrases = span_pairs(&matrix, self.limits.spans());
        let is_good = |phrase: &SpanPair| structures.of(phrase.target).is_well_formed();
        let mut add = |phrases: &[SpanPair], which: Which| {
            hiero::add_rules_among(phrases, &matrix, &self.limits, which, &mut rules);
        };
        if self.ill_formed == IllFormed::All {
            add(&phrases, Which::All);
            return rules.hand_on(sink);
        }
        let (good, ill): (Vec<SpanPair>, Vec<SpanPair>) = phrases.into_iter().partition(is_good);
        add(&good, Which::All);
        if self.ill_formed == IllFormed::Flat {
            add(&ill, Which::Initial);
        }
        rules.hand_on(sink);
    }
}

#[cfg(test)]
mod tests;
