//! The sizes and rates of a network in training. What users choose is in [`crate::Settings`]; the rest was settled on
//! development trees.

use crate::settings::Settings;

/// How a network is trained.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrainSettings {
    /// Times that training goes over all trees.
    pub(crate) epochs: usize,
    /// Networks that are trained and score together.
    pub(crate) members: usize,
    /// Sentences of one step.
    pub(crate) batch: usize,
    /// Size of the first steps.
    pub(crate) rate: f32,
    /// Length of a feature's vector.
    pub(crate) embedding: usize,
    /// Length of a recurrent state in each direction.
    pub(crate) hidden: usize,
    /// Length of a span's vector.
    pub(crate) span: usize,
    /// Share of the input that a training step hides.
    pub(crate) input_dropout: f32,
    /// Share of recurrent states that a training step hides.
    pub(crate) state_dropout: f32,
    /// Features of words seen less often are left out.
    pub(crate) least_feature: u32,
    /// Chains of unary constituents seen less often lose their lower ones.
    pub(crate) least_chain: usize,
    /// Trees with more words are not learned from.
    pub(crate) longest: usize,
    /// Chooses the first weights and the order of trees.
    pub(crate) seed: u64,
}

impl TrainSettings {
    /// The settings for a treebank of so many trees. Of few trees every feature is learned, in small batches.
    pub(crate) fn new(settings: &Settings, trees: usize) -> Self {
        let few = trees < FEW_TREES;
        Self {
            epochs: settings.rounds(),
            members: settings.networks(),
            batch: if few { 4 } else { 16 },
            rate: if few { 0.005 } else { 0.002 },
            embedding: 128,
            hidden: settings.hidden(),
            span: settings.hidden() * 5 / 4,
            input_dropout: if few { 0.1 } else { 0.25 },
            state_dropout: if few { 0.1 } else { 0.3 },
            least_feature: if few { 1 } else { 2 },
            least_chain: if few { 1 } else { 5 },
            longest: 120,
            seed: settings.seed,
        }
    }
}

/// Treebanks with fewer trees are learned from in small steps.
const FEW_TREES: usize = 1500;
