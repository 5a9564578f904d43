//! What can be set about word alignment. The defaults are those with the best alignment error rate over the gold sets of
//! `docs/benchmarks.md`.

use crate::error::{Error, Result};
use crate::spelling::Alike;
use crate::symmetrize::{GrowOrder, Symmetrize};
use serde::{Deserialize, Serialize};

/// No pair with more words on a side is aligned, whatever the settings: jump tables reach no further.
pub const LONGEST: usize = 255;

/// Which model aligns; each is trained on top of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ModelKind {
    /// Words only
    Ibm1,
    /// Words, and where the neighbour's partner is
    Hmm,
    /// Also how many partners a word has
    #[default]
    Fertility,
}

impl ModelKind {
    /// All models.
    pub const ALL: [Self; 3] = [Self::Ibm1, Self::Hmm, Self::Fertility];

    /// The model of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The model's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ibm1 => "ibm1",
            Self::Hmm => "hmm",
            Self::Fertility => "fertility",
        }
    }
}

/// How words are aligned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), group(id = "align-settings"))]
pub struct Settings {
    /// The model; each is trained on top of the one before
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "MODEL", default_value_t = Settings::default().model))]
    pub model: ModelKind,

    /// How the links of the two directions are combined; `none` prints the forward links
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW", default_value_t = Settings::default().symmetrize))]
    pub symmetrize: Symmetrize,

    /// Whose order of trying links to follow where it matters
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "TOOL", default_value_t = Settings::default().order))]
    pub order: GrowOrder,

    /// Skip pairs with more words than this on a side, at most 255
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Settings::default().max_length))]
    pub max_length: usize,

    /// Iterations of model 1
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true, default_value_t = Settings::default().ibm1_iterations))]
    pub ibm1_iterations: usize,

    /// Iterations of the hidden Markov model; with fertilities from the second on
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", hide_short_help = true, default_value_t = Settings::default().hmm_iterations))]
    pub hmm_iterations: usize,

    /// The prior count of any pair of words in model 1; small values want few translations a word
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().ibm1_alpha))]
    pub ibm1_alpha: f32,

    /// The prior count of any pair of words afterwards
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().alpha))]
    pub alpha: f32,

    /// The additional prior count of two words with the same start
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().same_start))]
    pub same_start: f32,

    /// The additional prior count of a word and itself
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().same))]
    pub same: f32,

    /// The prior count of a word without a partner
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().null_alpha))]
    pub null_alpha: f32,

    /// Pairs of words with fewer expected links after model 1 are dropped
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().prune))]
    pub prune: f32,

    /// The probability of having no partner
    #[cfg_attr(feature = "clap", arg(long, value_name = "P", hide_short_help = true, default_value_t = Settings::default().p_null))]
    pub p_null: f32,

    /// How many counts the mean over all words is worth in a word's fertilities
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", hide_short_help = true, default_value_t = Settings::default().fertility_prior))]
    pub fertility_prior: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: ModelKind::default(),
            symmetrize: Symmetrize::default(),
            order: GrowOrder::default(),
            max_length: 250,
            ibm1_iterations: 2,
            hmm_iterations: 2,
            ibm1_alpha: 0.001,
            alpha: 0.0005,
            same_start: 0.3,
            same: 1.0,
            null_alpha: 0.01,
            prune: 0.02,
            p_null: 0.1,
            fertility_prior: 3.0,
        }
    }
}

impl Settings {
    /// These settings with another model.
    pub fn of_model(model: ModelKind) -> Self {
        Self { model, ..Self::default() }
    }

    /// Whether the numbers mean something.
    pub fn check(&self) -> Result<()> {
        let wrong = |key: &str, what: &str| Err(Error::Setting(format!("`{key}` must be {what}")));
        if !(1..=LONGEST).contains(&self.max_length) {
            return wrong("max-length", &format!("from 1 to {LONGEST}, not {}", self.max_length));
        }
        let positive = [
            ("ibm1-alpha", self.ibm1_alpha),
            ("alpha", self.alpha),
            ("null-alpha", self.null_alpha),
            ("fertility-prior", self.fertility_prior),
        ];
        if let Some((key, value)) = positive.into_iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
            return wrong(key, &format!("a number above 0, not {value}"));
        }
        let others = [("same-start", self.same_start), ("same", self.same), ("prune", self.prune)];
        if let Some((key, value)) = others.into_iter().find(|(_, x)| !(x.is_finite() && *x >= 0.0)) {
            return wrong(key, &format!("0 or a number above, not {value}"));
        }
        if !(self.p_null > 0.0 && self.p_null < 1.0) {
            return wrong("p-null", &format!("a probability between 0 and 1, not {}", self.p_null));
        }
        Ok(())
    }

    /// The prior of the lexical tables in model 1.
    pub(crate) fn ibm1_prior(&self) -> LexPrior {
        LexPrior { alpha: self.ibm1_alpha, ..self.prior() }
    }

    /// The prior of the lexical tables afterwards.
    pub(crate) fn prior(&self) -> LexPrior {
        let Self { alpha, same_start, same, null_alpha, .. } = *self;
        LexPrior { alpha, same_start, same, null_alpha }
    }
}

/// The prior of the lexical tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LexPrior {
    /// The prior count of any pair.
    pub alpha: f32,
    /// The additional prior count of two words with the same start.
    pub same_start: f32,
    /// The additional prior count of a word and itself.
    pub same: f32,
    /// The prior count of a word without a partner.
    pub null_alpha: f32,
}

impl LexPrior {
    /// The whole prior count of a pair.
    pub fn of(&self, alike: Alike) -> f32 {
        match alike {
            Alike::No => self.alpha,
            Alike::Start => self.alpha + self.same_start,
            Alike::Same => self.alpha + self.same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_mean_nothing_are_refused_by_their_key() {
        assert!(Settings::default().check().is_ok());
        for (settings, why) in [
            (
                Settings { max_length: 256, ..Settings::default() },
                "`max-length` must be from 1 to 255, not 256",
            ),
            (
                Settings { alpha: f32::NAN, ..Settings::default() },
                "`alpha` must be a number above 0, not NaN",
            ),
            (
                Settings { p_null: 1.0, ..Settings::default() },
                "`p-null` must be a probability between 0 and 1, not 1",
            ),
        ] {
            assert_eq!(settings.check().unwrap_err().to_string(), why);
        }
    }
}
