//! What can be set about training and parsing.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use treeglot_tree::TreeKind;

/// How trees are found: two families of dependency parsers (Wu 2012, section 2.2), and a parser of constituents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Method {
    /// Dependencies: words are shifted, attached and swapped one after the other. Fast
    Transition,
    /// Dependencies: the best of all trees by the scores of arcs and siblings. Accurate
    #[default]
    Graph,
    /// Constituents: the best of all trees by the scores of labelled spans
    #[serde(alias = "pcfg")]
    #[cfg_attr(feature = "clap", value(alias = "pcfg"))]
    Constituency,
}

impl Method {
    /// The kind of trees it learns from and builds.
    pub fn kind(self) -> TreeKind {
        match self {
            Self::Transition | Self::Graph => TreeKind::Dependency,
            Self::Constituency => TreeKind::Constituency,
        }
    }

    /// Its name on command lines and in recipes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transition => "transition",
            Self::Graph => "graph",
            Self::Constituency => "constituency",
        }
    }
}

/// Settings of training. A parser keeps them in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Settings {
    /// How trees are found
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = Self::default().method))]
    pub method: Method,
    /// Build only projective dependency trees
    #[cfg_attr(feature = "clap", arg(long))]
    pub projective: bool,
    /// Rounds over the treebank [default: transition and graph 12, constituency 8]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub rounds: Option<usize>,
    /// Networks that are trained apart and score together [default: graph 2, others 1]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub networks: Option<usize>,
    /// Units of one direction of a network's layer [default: graph 160, others 128]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub hidden: Option<usize>,
    /// Sequences of transitions kept at a time
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().beam))]
    pub beam: usize,
    /// How much sequences of siblings weigh beside arcs in a graph parser; 0 leaves them out
    #[cfg_attr(feature = "clap", arg(long, value_name = "WEIGHT", default_value_t = Self::default().sibling_weight))]
    pub sibling_weight: f32,
    /// Rounds over the treebank for the tagger of a dependency parser
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().tagger_rounds))]
    pub tagger_rounds: usize,
    /// Parts of the treebank whose tags come from taggers trained on the others, so that a dependency parser learns from tags
    /// as it will meet them
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().folds))]
    pub folds: usize,
    /// The language of the treebank, by whose rules raw text is cut into tokens
    #[cfg_attr(feature = "clap", arg(long = "lang", value_name = "L", default_value_t = Self::default().language))]
    pub language: String,
    /// Where random numbers start
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().seed))]
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Graph,
            projective: false,
            rounds: None,
            networks: None,
            hidden: None,
            beam: 1,
            sibling_weight: 0.5,
            tagger_rounds: 8,
            folds: 5,
            language: "en".to_string(),
            seed: 1,
        }
    }
}

impl Settings {
    /// Rounds over the treebank.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.unwrap_or(match self.method {
            Method::Transition | Method::Graph => 12,
            Method::Constituency => 8,
        })
    }

    /// Networks that score together.
    pub(crate) fn networks(&self) -> usize {
        self.networks.unwrap_or(if self.method == Method::Graph { 2 } else { 1 })
    }

    /// Units of a layer.
    pub(crate) fn hidden(&self) -> usize {
        self.hidden.unwrap_or(if self.method == Method::Graph { 160 } else { 128 })
    }

    /// An error if nothing can be trained with them.
    pub fn check(&self) -> Result<()> {
        let within = |key: &str, value: usize, most: usize| {
            let message = || Error::Setting(format!("{key} must be from 1 to {most}, not {value}"));
            (1..=most).contains(&value).then_some(()).ok_or_else(message)
        };
        within("rounds", self.rounds(), 1000)?;
        within("networks", self.networks(), MOST_NETWORKS)?;
        within("hidden", self.hidden(), MOST_UNITS)?;
        within("beam", self.beam, 1000)?;
        within("tagger-rounds", self.tagger_rounds, 1000)?;
        within("folds", self.folds, 1000)?;
        if !(0.0..=100.0).contains(&self.sibling_weight) {
            let weight = self.sibling_weight;
            return Err(Error::Setting(format!("sibling-weight must be from 0 to 100, not {weight}")));
        }
        Ok(())
    }
}

/// More networks than this no parser has.
pub(crate) const MOST_NETWORKS: usize = 100;

/// No layer has more units.
const MOST_UNITS: usize = 1 << 12;

/// Which constituency tree is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Decoding {
    /// The most probable one
    Viterbi,
    /// The one with the most constituents that are in most of the probable trees
    Expected,
}

/// How a parser is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ParseSettings {
    /// Build only projective dependency trees, whatever the parser was trained for
    #[cfg_attr(feature = "clap", arg(long))]
    pub projective: bool,
    /// Sequences of transitions kept at a time [default: as in training]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub beam: Option<usize>,
    /// How much sequences of siblings weigh beside arcs in a graph parser [default: as in training]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WEIGHT"))]
    pub sibling_weight: Option<f32>,
    /// Which constituency tree is the best
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = Self::default().decoding))]
    pub decoding: Decoding,
    /// What a wrong constituent costs, against one that is found, in `expected` decoding
    #[cfg_attr(feature = "clap", arg(long, value_name = "COST", default_value_t = Self::default().bracket_cost))]
    pub bracket_cost: f32,
    /// The treebank whose manner constituents follow, of those trained from, counted from 0
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().manner))]
    pub manner: usize,
    /// Longer sentences are parsed in pieces
    #[cfg_attr(feature = "clap", arg(long, value_name = "WORDS", default_value_t = Self::default().longest))]
    pub longest: usize,
    /// Forests and lists of constituency trees have the labelled spans that at least this share of all trees has
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value_t = Self::default().forest_share))]
    pub forest_share: f32,
}

impl Default for ParseSettings {
    fn default() -> Self {
        Self {
            projective: false,
            beam: None,
            sibling_weight: None,
            decoding: Decoding::Expected,
            bracket_cost: 0.5,
            manner: 0,
            longest: 200,
            forest_share: 1e-4,
        }
    }
}
