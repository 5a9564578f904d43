//! What can be set about training. The defaults are those with the best alignment error rate over the gold sets
//! of `docs/benchmarks.md`.

use crate::spelling::Alike;
use std::str::FromStr;

/// Which model aligns; each is trained on top of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Words only.
    Ibm1,
    /// Words, and where the neighbour's partner is.
    Hmm,
    /// Also how many partners a word has.
    Fertility,
}

impl Kind {
    /// All models, by name.
    pub const NAMES: [(&'static str, Self); 3] =
        [("ibm1", Self::Ibm1), ("hmm", Self::Hmm), ("fertility", Self::Fertility)];

    /// The model's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ibm1 => "ibm1",
            Self::Hmm => "hmm",
            Self::Fertility => "fertility",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|&(_, kind)| kind).ok_or_else(|| format!("`{name}` is none of ibm1, hmm, fertility"))
    }
}

/// The prior of the lexical tables.
#[derive(Debug, Clone, Copy)]
pub struct LexPrior {
    /// The prior count of any pair; small values want few translations a word.
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

/// Settings of training.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The model.
    pub kind: Kind,
    /// Iterations of model 1.
    pub ibm1_iterations: usize,
    /// Iterations of the hidden Markov model; with fertilities from the second on.
    pub hmm_iterations: usize,
    /// The prior of the lexical tables in model 1.
    pub ibm1_prior: LexPrior,
    /// The prior of the lexical tables afterwards.
    pub prior: LexPrior,
    /// Pairs with fewer expected links after model 1 are dropped.
    pub prune: f32,
    /// The probability of having no partner.
    pub p_null: f32,
    /// How many counts the mean over all words is worth in a word's fertilities.
    pub fertility_prior: f32,
}

impl Default for Settings {
    fn default() -> Self {
        let prior = LexPrior { alpha: 0.001, same_start: 0.3, same: 1.0, null_alpha: 0.01 };
        Self {
            kind: Kind::Fertility,
            ibm1_iterations: 2,
            hmm_iterations: 2,
            ibm1_prior: prior,
            prior: LexPrior { alpha: 0.0005, ..prior },
            prune: 0.02,
            p_null: 0.1,
            fertility_prior: 3.0,
        }
    }
}
