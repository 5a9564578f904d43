//! What can be chosen in training and parsing.

use serde::{Deserialize, Serialize};

/// How a constituency parser is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct TrainSettings {
    /// Times that training goes over all trees.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().epochs))]
    pub epochs: usize,
    /// Networks that are trained and score together.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().members))]
    pub members: usize,
    /// Sentences of one step.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().batch))]
    pub batch: usize,
    /// Size of the first steps.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().rate))]
    pub rate: f32,
    /// Length of a feature's vector.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().embedding))]
    pub embedding: usize,
    /// Length of a recurrent state in each direction.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().hidden))]
    pub hidden: usize,
    /// Length of a span's vector.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().span))]
    pub span: usize,
    /// Share of the input that a training step hides.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().input_dropout))]
    pub input_dropout: f32,
    /// Share of recurrent states that a training step hides.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().state_dropout))]
    pub state_dropout: f32,
    /// Features of words seen less often are left out.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().least_feature))]
    pub least_feature: u32,
    /// Chains of unary constituents seen less often lose their lower ones.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().least_chain))]
    pub least_chain: usize,
    /// Trees with more words are not learned from.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().longest))]
    pub longest: usize,
    /// Chooses the first weights and the order of trees.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().seed))]
    pub seed: u64,
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            epochs: 8,
            members: 1,
            batch: 16,
            rate: 0.002,
            embedding: 128,
            hidden: 128,
            span: 160,
            input_dropout: 0.25,
            state_dropout: 0.3,
            least_feature: 2,
            least_chain: 5,
            longest: 120,
            seed: 1,
        }
    }
}

impl TrainSettings {
    /// The nearest settings that can be trained with: nothing has size 0, and not everything is hidden.
    pub(crate) fn sound(&self) -> Self {
        let mut sound = self.clone();
        let Self { members, batch, embedding, hidden, span, .. } = &mut sound;
        for size in [members, batch, embedding, hidden, span] {
            *size = (*size).max(1);
        }
        for share in [&mut sound.input_dropout, &mut sound.state_dropout] {
            *share = share.clamp(0.0, 0.9);
        }
        sound
    }
}

/// Which tree is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Decoding {
    /// The most probable one.
    Viterbi,
    /// The one with the most constituents that are in most of the probable trees.
    Expected,
}

/// How a constituency parser is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ParseSettings {
    /// Which tree is the best.
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = Self::default().decoding))]
    pub decoding: Decoding,
    /// What a wrong constituent costs, against one that is found, in `expected` decoding.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().bracket_cost))]
    pub bracket_cost: f32,
    /// The treebank whose manner is followed, of those trained from, counted from 0.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().treebank))]
    pub treebank: usize,
    /// Longer sentences are parsed in pieces.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().longest))]
    pub longest: usize,
    /// Forests and lists have the labelled spans that at least this share of all trees has.
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().forest_share))]
    pub forest_share: f32,
}

impl Default for ParseSettings {
    fn default() -> Self {
        Self {
            decoding: Decoding::Expected,
            bracket_cost: 0.5,
            treebank: 0,
            longest: 200,
            forest_share: 1e-4,
        }
    }
}
