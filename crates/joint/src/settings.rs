//! What can be set about a joint model.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How a joint model is learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct JointSettings {
    /// How many numbers stand for a word.
    pub embedding: usize,
    /// How many units the hidden layer has.
    pub hidden: usize,
    /// How many words of each language it knows, the most frequent ones.
    pub words: usize,
    /// How often a word must occur to be known.
    pub min_count: u32,
    /// How often it goes through the pairs.
    pub epochs: usize,
    /// How many networks are learnt, from different random numbers; its scores are the mean of theirs.
    pub networks: usize,
    /// How many positions it learns from at a time.
    pub batch: usize,
    /// How many of the most frequent words stand in every sum over all words; of the others, as many as `sampled` do, by chance.
    pub frequent: usize,
    /// How many of the rarer words stand in a sum over all words.
    pub sampled: usize,
    /// The step size to begin with.
    pub rate: f32,
    /// The share of hidden units that are left out in learning.
    pub dropout: f32,
    /// The share of inputs that are left out in learning.
    pub input_dropout: f32,
    /// How often the words before are hidden in learning, from some distance on: it must do without them at the begin of a rule.
    pub hide: f32,
    /// What the square of the logarithm of a sum of probabilities costs: with it the network learns to have sums of 1.
    pub normalize: f32,
    /// Pairs kept apart to see how good it is.
    pub held_out: usize,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for JointSettings {
    fn default() -> Self {
        Self {
            embedding: 64,
            hidden: 256,
            words: 16_000,
            min_count: 2,
            epochs: 6,
            networks: 2,
            batch: 256,
            frequent: 600,
            sampled: 400,
            rate: 0.004,
            dropout: 0.3,
            input_dropout: 0.1,
            hide: 0.15,
            normalize: 0.3,
            held_out: 500,
            seed: 1,
        }
    }
}

impl JointSettings {
    /// Whether the numbers mean something.
    pub fn check(&self) -> Result<()> {
        let wrong = |key: &str, what: &str| Err(Error::Setting(format!("`{key}` must be {what}")));
        let sizes = [
            ("embedding", self.embedding),
            ("hidden", self.hidden),
            ("epochs", self.epochs),
            ("networks", self.networks),
            ("batch", self.batch),
            ("sampled", self.sampled),
        ];
        if let Some((key, value)) = sizes.into_iter().find(|&(_, size)| !(1..=100_000).contains(&size)) {
            return wrong(key, &format!("from 1 to 100000, not {value}"));
        }
        if !(1..=60_000).contains(&self.words) {
            return wrong("words", &format!("from 1 to 60000, not {}", self.words));
        }
        let shares = [("dropout", self.dropout), ("input-dropout", self.input_dropout), ("hide", self.hide)];
        if let Some((key, value)) = shares.into_iter().find(|(_, share)| !(0.0..1.0).contains(share)) {
            return wrong(key, &format!("from 0 to below 1, not {value}"));
        }
        if !(self.rate > 0.0 && self.rate < 1.0) {
            return wrong("rate", &format!("between 0 and 1, not {}", self.rate));
        }
        if !(self.normalize.is_finite() && self.normalize >= 0.0) {
            return wrong("normalize", &format!("0 or a number above, not {}", self.normalize));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_mean_nothing_are_refused_by_their_key() {
        assert!(JointSettings::default().check().is_ok());
        let wrong = [
            (JointSettings { hidden: 0, ..Default::default() }, "hidden"),
            (JointSettings { words: 70_000, ..Default::default() }, "words"),
            (JointSettings { dropout: 1.0, ..Default::default() }, "dropout"),
            (JointSettings { rate: f32::NAN, ..Default::default() }, "rate"),
            (JointSettings { normalize: -1.0, ..Default::default() }, "normalize"),
        ];
        for (settings, key) in wrong {
            assert!(settings.check().unwrap_err().to_string().starts_with(&format!("`{key}` must be ")));
        }
    }
}
