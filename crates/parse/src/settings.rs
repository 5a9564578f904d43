//! What can be set about training and parsing.

use serde::{Deserialize, Serialize};

/// The two families of dependency parsers (Wu 2012, section 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Method {
    /// Words are shifted, attached and swapped one after the other: fast.
    Transition,
    /// The best of all trees by the scores of their parts: accurate.
    #[default]
    Graph,
}

/// Settings of training. A parser keeps them in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Settings {
    /// The family of the parser.
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = Self::default().method))]
    pub method: Method,
    /// Whether only projective trees are built.
    #[cfg_attr(feature = "clap", arg(long))]
    pub projective: bool,
    /// Rounds over the treebank in training the parser; a transition parser takes half as many.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().rounds))]
    pub rounds: usize,
    /// Sequences of transitions kept at a time.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().beam))]
    pub beam: usize,
    /// Networks of a graph parser, whose scores are averaged.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().networks))]
    pub networks: usize,
    /// Units of one direction of a network's layer.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().hidden))]
    pub hidden: usize,
    /// How much sequences of siblings weigh beside arcs in a graph parser; 0 leaves them out.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().sibling_weight))]
    pub sibling_weight: f32,
    /// Rounds over the treebank in training the tagger.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().tagger_rounds))]
    pub tagger_rounds: usize,
    /// Parts of the treebank whose tags come from taggers trained on the others.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().folds))]
    pub folds: usize,
    /// Where random numbers start.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().seed))]
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Graph,
            projective: false,
            rounds: 12,
            beam: 8,
            networks: 2,
            hidden: 160,
            sibling_weight: 0.5,
            tagger_rounds: 8,
            folds: 5,
            seed: 1,
        }
    }
}
