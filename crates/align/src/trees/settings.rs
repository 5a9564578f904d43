//! What can be set about sub-tree alignment.

use serde::{Deserialize, Serialize};

/// How trees are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), group(id = "tree-align-settings"))]
pub struct TreeAlignSettings {
    /// The score: a product over the given words of means over the others (1), or over the others of means over the given (2)
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "N", default_value_t))]
    pub score: NodeScore,

    /// When pairs that share a node have the same best score: take the first (0), leave them for later (1), or leave all that
    /// their nodes could be linked to for later (2). Ties that nothing resolves are resolved in the end by the order of the
    /// nodes: the upper and left ones are linked first
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "N", default_value_t))]
    pub skip: Skip,

    /// Whether links between single words wait until there is no other; `likely`: no other with a score at least as good
    /// as that of the two whole sentences
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHEN", default_value_t))]
    pub span1: Span1,

    /// Link words with words and phrases with phrases, or any two nodes
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHICH", default_value_t))]
    pub kinds: Kinds,

    /// What words have for a partner that the tables give none: `empty`, the empty word; `none`, none, so that one such
    /// word makes a score zero
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW", default_value_t))]
    pub smoothing: NodeSmoothing,
}

impl TreeAlignSettings {
    /// The settings of Tinsley et al. 2007.
    pub fn published() -> Self {
        Self { smoothing: NodeSmoothing::None, span1: Span1::On, kinds: Kinds::Any, ..Self::default() }
    }
}

/// How the words of one node are scored given those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum NodeScore {
    /// `a(x|y)` = product over the words of y of the mean over the words of x of `P(x_i|y_j)`
    #[serde(rename = "1")]
    #[cfg_attr(feature = "clap", value(name = "1"))]
    One,
    /// `a(x|y)` = product over the words of x of the mean over the words of y of `P(x_i|y_j)`
    #[default]
    #[serde(rename = "2")]
    #[cfg_attr(feature = "clap", value(name = "2"))]
    Two,
}

/// What words have for a partner that the tables give no partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum NodeSmoothing {
    /// None: a score is zero as soon as one word has no partner, as published
    None,
    /// The empty word stands in every set of words, as in IBM model 1. A score is zero if no word of one node is a partner of
    /// a word of the other in the tables
    #[default]
    Empty,
}

/// What to do when pairs that share a node have the same best score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Skip {
    /// The first is taken
    #[serde(rename = "0")]
    #[cfg_attr(feature = "clap", value(name = "0"))]
    None,
    /// They are left for later; what else their nodes could be linked to is not
    #[serde(rename = "1")]
    #[cfg_attr(feature = "clap", value(name = "1"))]
    One,
    /// They are left for later, and with them all that their nodes could be linked to, until the tie is gone
    #[default]
    #[serde(rename = "2")]
    #[cfg_attr(feature = "clap", value(name = "2"))]
    Two,
}

/// Which links wait until there is no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Span1 {
    /// Those between single words, as published: a phrase is linked before it can be in the way of its words
    On,
    /// None
    Off,
    /// Those between single words, and those with a score below that of the two whole sentences: such a link makes the pair
    /// less likely than no link, and is no reason to let words wait
    #[default]
    Likely,
}

/// Which nodes may be linked with which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Kinds {
    /// Words with words and phrases with phrases: how treebanks are aligned by hand
    #[default]
    Same,
    /// Any two nodes, as published
    Any,
}
