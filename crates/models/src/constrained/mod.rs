//! `constrained`: hierarchical phrases that dependency trees allow (Graham 2013, section 4). A phrase may become a
//! variable only if its words are one complete subtree and its head stays in the rule as a word: for each node whose
//! subtree is consistent with the links, and each set of consistent subtrees below it of which none lies in another,
//! there is a rule. Initial rules are those of `hiero`.

mod antichains;
mod reorder;
mod sites;

use crate::Model;
use crate::error::{Error, Result};
use crate::hiero::{self, HieroOptions, Which};
use crate::matrix::Matrix;
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::rules::Rules;
use antichains::{TreeLimits, add_rules};
use reorder::Reordered;
use serde::{Deserialize, Serialize};
use sites::Sites;
use treeglot_grammar::RuleSink;
use treeglot_text::vocab::Vocab;
use treeglot_tree::PerTree;

/// The side whose trees constrain the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The source (the paper's sl)
    #[default]
    Source,
    /// The target (tl)
    Target,
    /// Both at once
    Both,
}

impl Side {
    fn source(self) -> bool {
        self != Self::Target
    }

    fn target(self) -> bool {
        self != Self::Source
    }
}

/// How trees are used whose subtrees are not all contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Trees {
    /// As they are: what is not contiguous makes no rule
    #[default]
    Pr,
    /// Made projective: words move next to their heads for rules with variables
    Npr,
}

/// Rules from reordered text without any constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum ReorderOnly {
    /// Rules with variables from reordered text, initial rules from the text as it is
    Re,
    /// All rules from reordered text
    Are,
}

/// Which limits the rules have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum LimitSet {
    /// Those of Moses' GHKM extraction: 15 nodes, depth 3 and size 3 for rules that are not minimal, scope 3 for all
    #[default]
    Ghkm,
    /// Those of hiero: 2 variables, 5 source symbols
    Hiero,
    /// None
    None,
}

/// The options of [`Constrained`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConstrainedOptions {
    /// The side whose trees constrain the rules
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIDE", value_enum, default_value_t))]
    pub side: Side,

    /// How trees are used whose subtrees are not all contiguous
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub trees: Trees,

    /// No constraint: hiero's rules, from text reordered as with `--trees npr`
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHICH", value_enum))]
    pub reorder_only: Option<ReorderOnly>,

    /// Which limits rules with variables have; the next six options change single ones, 0 is no limit
    #[cfg_attr(feature = "clap", arg(long, value_name = "SET", value_enum, default_value_t))]
    pub limits: LimitSet,

    /// The most variables of a rule [default: hiero 2]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_variables: Option<u32>,

    /// The most nodes of a rule: a word with dependents is two, itself and its preterminal, any other and a variable one
    /// [default: ghkm 15]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_nodes: Option<u32>,

    /// The most levels of words with dependents in a rule [default: ghkm 3]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_depth: Option<u32>,

    /// The most words with dependents in a rule [default: ghkm 3]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_size: Option<u32>,

    /// The largest scope of a rule, on the side without the tree: variables at its ends and pairs of neighbouring variables
    /// [default: ghkm 3]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_scope: Option<u32>,

    /// The most symbols on the source side of a rule with variables [default: hiero 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_symbols: Option<u32>,

    /// The most rules with variables of one phrase: the rest is cut off, and counted
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = DEFAULT_MAX_RULES))]
    pub max_rules: u32,

    /// How initial rules are made, and with `--reorder-only` all rules.
    #[cfg_attr(
        feature = "clap",
        command(
            flatten,
            next_help_heading = "Options of hiero, for initial rules (and all rules with --reorder-only)"
        )
    )]
    pub hiero: HieroOptions,
}

const DEFAULT_MAX_RULES: u32 = 10_000;

impl Default for ConstrainedOptions {
    fn default() -> Self {
        Self {
            side: Side::default(),
            trees: Trees::default(),
            reorder_only: None,
            limits: LimitSet::default(),
            max_variables: None,
            max_nodes: None,
            max_depth: None,
            max_size: None,
            max_scope: None,
            max_symbols: None,
            max_rules: DEFAULT_MAX_RULES,
            hiero: HieroOptions::default(),
        }
    }
}

impl ConstrainedOptions {
    fn tree_limits(&self) -> TreeLimits {
        let ghkm = |limit| if self.limits == LimitSet::Ghkm { limit } else { 0 };
        let hiero = |limit| if self.limits == LimitSet::Hiero { limit } else { 0 };
        let limit = |own: Option<u32>, default| Some(own.unwrap_or(default)).filter(|&limit| limit > 0);
        TreeLimits {
            variables: limit(self.max_variables, hiero(2)),
            nodes: limit(self.max_nodes, ghkm(15)),
            depth: limit(self.max_depth, ghkm(3)),
            size: limit(self.max_size, ghkm(3)),
            scope: limit(self.max_scope, ghkm(3)),
            scope_of_source: self.side == Side::Target,
            spare_minimal: self.limits == LimitSet::Ghkm,
            symbols: limit(self.max_symbols, hiero(5)),
            rules: self.max_rules,
        }
    }
}

/// The dependency-constrained hierarchical model.
#[derive(Debug, Clone)]
pub struct Constrained {
    options: ConstrainedOptions,
    tree_limits: TreeLimits,
    hiero: hiero::Limits,
}

impl Registered for Constrained {
    const NAME: &'static str = "constrained";
    const ABOUT: &'static str = "Hierarchical phrases that dependency trees allow (Graham 2013)";
    type Options = ConstrainedOptions;

    fn new(options: ConstrainedOptions) -> Result<Self> {
        let bad = |why: String| Error::BadOptions { model: Self::NAME, why };
        let hiero = hiero::Limits::new(&options.hiero, false).map_err(bad)?;
        if options.max_rules == 0 {
            return Err(bad("`max-rules` must be at least 1".to_string()));
        }
        Ok(Self { tree_limits: options.tree_limits(), options, hiero })
    }
}

impl Constrained {
    fn sites<'a>(&self, pair: &Pair<'a>, matrix: &Matrix<'_>) -> Option<Sites<'a>> {
        Sites::new(pair, matrix, self.options.side, self.options.limits == LimitSet::Ghkm)
    }
}

impl Model for Constrained {
    fn needs(&self) -> Needs {
        let Self { options, .. } = self;
        let (source_dep, target_dep) = (options.side.source(), options.side.target());
        Needs { trees: PerTree { source_dep, target_dep, ..PerTree::default() }, ..Needs::default() }
    }

    fn max_span(&self) -> Option<usize> {
        Some(0)
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, sink: &mut dyn RuleSink) {
        let moves = self.options.trees == Trees::Npr || self.options.reorder_only.is_some();
        let reordered = if moves { Reordered::new(pair, self.options.side) } else { None };
        let moved = reordered.as_ref().map_or(*pair, Reordered::pair);
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let moved_matrix = Matrix::new(moved.links, moved.source.len(), moved.target.len());
        let mut rules = Rules::new(pair, &matrix, vocab);
        if self.options.reorder_only == Some(ReorderOnly::Are) {
            rules.switch(&moved, &moved_matrix);
            hiero::add_rules(&moved_matrix, &self.hiero, Which::All, &mut rules);
            return rules.hand_on(sink);
        }
        hiero::add_rules(&matrix, &self.hiero, Which::Initial, &mut rules);
        rules.switch(&moved, &moved_matrix);
        if self.options.reorder_only == Some(ReorderOnly::Re) {
            hiero::add_rules(&moved_matrix, &self.hiero, Which::Hierarchical, &mut rules);
        } else if let Some(sites) = self.sites(&moved, &moved_matrix) {
            let cut = add_rules(&sites, &self.tree_limits, self.hiero.fractional(), &mut rules);
            (0..cut).for_each(|_| sink.cut());
        }
        rules.hand_on(sink);
    }
}

#[cfg(test)]
mod tests;
