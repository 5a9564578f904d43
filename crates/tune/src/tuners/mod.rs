//! The tuners, one file each, and the registry that knows them. To add one, write its file, which holds its settings and
//! implements [`Tuner`], and a line in the table at the end of this one: command line, recipes and library then have it.

mod mert;
mod mira;
mod pro;
mod risk;

pub use mert::Mert;
pub use mira::Mira;
pub use pro::Pro;
pub use risk::Risk;

use crate::candidates::Candidates;
use crate::error::Error;
use crate::forest::Forests;
use crate::line_search::ErrorSurface;
use crate::objective::Objective;
use serde::{Deserialize, Serialize};

/// A way to find weights.
pub trait Tuner: Sync {
    /// The best weights for what was gathered. Weights of features that never vary keep the value of the first start.
    fn optimise(&self, job: &Job<'_>) -> Result<Optimum, Error>;

    /// What is wrong with its settings: the key of one, and what it should be.
    fn check(&self) -> Result<(), (&'static str, &'static str)>;
}

/// What a tuner is given.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The translations to choose from.
    pub gathered: Gathered<'a>,
    /// What is made better.
    pub objective: &'a Objective<'a>,
    /// The weights so far, and after them others that are worth a look.
    pub starts: &'a [Vec<f64>],
    /// The seed of all that is random.
    pub seed: u64,
    /// Whether more is gathered with the result, and this done again: then it is not the last word.
    pub repeats: bool,
}

/// The translations of a development set.
#[derive(Clone, Copy)]
pub enum Gathered<'a> {
    /// Lists of candidates.
    Lists(&'a Candidates),
    /// Forests of derivations.
    Forests(&'a Forests<'a>),
}

impl Gathered<'_> {
    /// The sums of statistics of the best translations under `weights`.
    pub fn sums(&self, weights: &[f64]) -> Vec<f64> {
        match self {
            Self::Lists(candidates) => candidates.sums(weights),
            Self::Forests(forests) => forests.sums(weights),
        }
    }
}

impl<'a> Job<'a> {
    /// The candidates; an error for a tuner that cannot use forests.
    pub fn lists(&self) -> Result<&'a Candidates, Error> {
        match self.gathered {
            Gathered::Lists(candidates) => Ok(candidates),
            Gathered::Forests(_) => Err(Error::ListsOnly),
        }
    }

    /// The weights so far, with one for every feature.
    fn start(&self, features: usize) -> Vec<f64> {
        padded(self.starts.first().map_or(&[], Vec::as_slice), features)
    }
}

/// Weights and how good they are on the candidates they were tuned on.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The weights.
    pub weights: Vec<f64>,
    /// The metric's score, as the metric gives it.
    pub score: f64,
}

fn padded(weights: &[f64], features: usize) -> Vec<f64> {
    let mut weights = weights.to_vec();
    weights.resize(features.max(weights.len()), 0.0);
    weights
}

/// How far each feature varies; an error if none does.
fn varying(surface: &impl ErrorSurface) -> Result<Vec<f64>, Error> {
    let spreads = surface.spreads();
    if spreads.iter().all(|&spread| spread == 0.0) { Err(Error::NothingToTune) } else { Ok(spreads) }
}

/// Scales the weights that matter so that the absolute values of the first `dense` of them add up to 1: however many sparse features
/// there are, thresholds of the search are measured by the others.
fn normalised(mut weights: Vec<f64>, spreads: &[f64], dense: usize) -> Vec<f64> {
    let matters = |i: usize| spreads.get(i).is_some_and(|&spread| spread > 0.0);
    let summed = weights.iter().take(dense).enumerate().filter(|&(i, _)| matters(i));
    let sum: f64 = summed.map(|(_, w)| w.abs()).sum();
    if sum > 0.0 {
        weights.iter_mut().enumerate().filter(|(i, _)| matters(*i)).for_each(|(_, w)| *w /= sum);
    }
    weights
}

/// Whether a setting is a number of which there may be more, and not too many.
fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn is_one(value: &usize) -> bool {
    *value == 1
}

/// Makes the names and the settings of all tuners from one table.
macro_rules! registry {
    ($($(#[doc = $about:literal])+ $key:ident: $Tuner:ident,)+) => {
        /// How weights are found.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
        pub enum Method {
            $($(#[doc = $about])+ $Tuner,)+
            /// Not at all: weights stay as they are
            None,
        }

        impl Method {
            /// All methods.
            pub const ALL: &[Self] = &[$(Self::$Tuner,)+ Self::None];

            /// Its name, as commands and recipes have it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Tuner => stringify!($key),)+
                    Self::None => "none",
                }
            }

            /// Whether it finds weights of thousands of sparse features, or at least keeps them.
            pub fn learns_sparse(self) -> bool {
                self != Self::Mert
            }

            /// Whether it tunes; a method that does not needs no development set.
            pub fn tunes(self) -> bool {
                self != Self::None
            }
        }

        /// How weights are tuned: the loop of decoding and learning, and what each method has of its own.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        pub struct TuneSettings {
            /// How weights are found
            #[cfg_attr(feature = "clap", arg(long, value_name = "METHOD", value_enum, default_value_t = TuneSettings::default().method))]
            pub method: Method,
            /// What is made better: a metric of `treeglot eval`, or a sum such as 0.5*bleu+0.5*chrf or bleu-ter
            #[cfg_attr(feature = "clap", arg(long, value_name = "METRIC", default_value_t = TuneSettings::default().metric))]
            pub metric: String,
            /// Candidates asked for each sentence in each round
            #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = TuneSettings::default().nbest))]
            pub nbest: usize,
            /// The most rounds of translating
            #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = TuneSettings::default().rounds))]
            pub rounds: usize,
            /// So many rounds without a better score of tuned weights on the development set are the last
            #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = TuneSettings::default().patience))]
            pub patience: usize,
            /// Weights that change by less than this in sum have settled
            #[cfg_attr(feature = "clap", arg(long, value_name = "SUM", default_value_t = TuneSettings::default().least_change))]
            pub least_change: f64,
            /// A round of whose candidates less than this share is new is the last [default: 0.1 for MIRA, 0 for others]
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
            pub least_new: Option<f64>,
            /// Show the tuner every derivation in the searched forests, so many of the best hyperarcs a source word,
            /// instead of lists of candidates; for MERT, and for all models but those of phrases
            #[serde(skip_serializing_if = "Option::is_none")]
            #[cfg_attr(feature = "clap", arg(long, value_name = "HYPERARCS", num_args = 0..=1, default_missing_value = "30"))]
            pub forest: Option<usize>,
            /// The seed of all that is random
            #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = TuneSettings::default().seed))]
            pub seed: u64,
            // A command tunes once; a recipe may compare runs.
            /// How often weights are tuned, each time with the next seed
            #[serde(skip_serializing_if = "is_one")]
            #[cfg_attr(feature = "clap", arg(skip = TuneSettings::default().runs))]
            pub runs: usize,
            $($(#[doc = $about])+ #[cfg_attr(feature = "clap", command(flatten))] pub $key: $Tuner,)+
        }

        impl Default for TuneSettings {
            fn default() -> Self {
                Self {
                    method: Method::Mira,
                    metric: "bleu".to_string(),
                    nbest: 100,
                    rounds: 12,
                    patience: 4,
                    least_change: 1e-3,
                    least_new: None,
                    forest: None,
                    seed: 1,
                    runs: 1,
                    $($key: $Tuner::default(),)+
                }
            }
        }

        impl TuneSettings {
            /// The tuner of the method, unless that is none.
            pub fn tuner(&self) -> Option<&dyn Tuner> {
                match self.method {
                    $(Method::$Tuner => Some(&self.$key),)+
                    Method::None => None,
                }
            }
        }
    };
}

registry! {
    /// Minimum error rate training: exact line searches from many starts, best for up to some twenty features
    mert: Mert,
    /// k-best batch MIRA: large margins, for any number of features
    mira: Mira,
    /// Pairwise ranked optimisation: a classifier of better and worse candidates, for any number of features
    pro: Pro,
    /// Minimum risk: the best expected score of single sentences, for any number of features
    risk: Risk,
}

impl TuneSettings {
    /// The share of new candidates below which a round is the last. Methods that go to new weights by small steps would end too
    /// soon by it.
    pub fn least_new(&self) -> f64 {
        self.least_new.unwrap_or(if self.method == Method::Mira { 0.1 } else { 0.0 })
    }

    /// An error for a setting that cannot be.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |key: &str, wanted| Error::Setting { key: key.to_string(), wanted };
        for (key, value) in [
            ("nbest", self.nbest),
            ("rounds", self.rounds),
            ("patience", self.patience),
            ("forest", self.forest.unwrap_or(1)),
            ("runs", self.runs),
        ] {
            if value == 0 {
                return Err(wrong(key, "at least 1"));
            }
        }
        if !(self.least_change.is_finite() && self.least_change >= 0.0) {
            return Err(wrong("least-change", "a number from 0 on"));
        }
        if !(0.0..=1.0).contains(&self.least_new()) {
            return Err(wrong("least-new", "a share from 0 to 1"));
        }
        let own = self.tuner().map_or(Ok(()), Tuner::check);
        own.map_err(|(key, wanted)| wrong(&format!("{}.{key}", self.method.name()), wanted))
    }

    /// The best weights for candidates that are given once and for all, from `start`.
    pub fn optimise(
        &self,
        candidates: &Candidates,
        objective: &Objective<'_>,
        start: &[f64],
    ) -> Result<Optimum, Error> {
        self.check()?;
        let gathered = Gathered::Lists(candidates);
        let starts = &[start.to_vec()];
        self.run(&Job { gathered, objective, starts, seed: self.seed, repeats: false })
    }

    /// Has the method find weights, and makes sure that weights and score are numbers.
    pub(crate) fn run(&self, job: &Job<'_>) -> Result<Optimum, Error> {
        if job.starts.iter().flatten().any(|weight| !weight.is_finite()) {
            return Err(Error::WeightNotFinite);
        }
        let found = match self.tuner() {
            Some(tuner) => tuner.optimise(job)?,
            None => {
                let weights = job.start(0);
                Optimum { score: job.objective.score(&job.gathered.sums(&weights)), weights }
            }
        };
        if found.weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::WeightNotFinite);
        }
        job.objective.checked(found.score)?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_names_any_setting_of_any_method_and_nothing_else() {
        let text = "method = \"pro\"\nrounds = 3\nmira = { c = 0.5 }\n[pro]\ndraws = 7\n";
        let settings: TuneSettings = toml::from_str(text).unwrap();
        assert_eq!((settings.method, settings.rounds, settings.nbest), (Method::Pro, 3, 100));
        assert_eq!((settings.pro.draws, settings.mira.c), (7, 0.5));
        let written = toml::to_string(&settings).unwrap();
        assert_eq!(toml::from_str::<TuneSettings>(&written).unwrap(), settings);
        for unknown in ["method = \"mret\"", "steps = 3", "mira = { d = 1 }"] {
            assert!(toml::from_str::<TuneSettings>(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn every_method_has_its_name_everywhere() {
        for &method in Method::ALL {
            let text = format!("method = \"{}\"", method.name());
            let settings: TuneSettings = toml::from_str(&text).unwrap();
            assert_eq!(settings.method, method);
            assert_eq!(settings.tuner().is_some(), method.tunes());
            settings.check().unwrap();
        }
    }

    #[cfg(feature = "clap")]
    #[test]
    fn no_two_options_share_a_name_and_their_defaults_are_those_of_recipes() {
        use clap::{Args, FromArgMatches};
        let command = TuneSettings::augment_args(clap::Command::new("tune"));
        command.clone().debug_assert();
        let given = command.get_matches_from(["tune"]);
        assert_eq!(TuneSettings::from_arg_matches(&given).unwrap(), TuneSettings::default());
    }

    #[test]
    fn settings_that_cannot_be_are_named_by_their_key() {
        for (text, expected) in [
            ("rounds = 0", "tune.rounds: expected at least 1"),
            ("least-change = nan", "tune.least-change: expected a number from 0 on"),
            ("least-new = 1.5", "tune.least-new: expected a share from 0 to 1"),
            ("mira.c = nan", "tune.mira.c: expected a number above 0"),
            ("mira.decay = 1.5", "tune.mira.decay: expected a number from 0 to 1"),
            (
                "method = \"pro\"\npro.interpolation = -1.0",
                "tune.pro.interpolation: expected a share from 0 to 1",
            ),
            ("method = \"mert\"\nmert.gain = inf", "tune.mert.gain: expected a number from 0 on"),
            ("method = \"risk\"\nrisk.scale = 0.0", "tune.risk.scale: expected a number above 0"),
        ] {
            let settings: TuneSettings = toml::from_str(text).unwrap();
            assert_eq!(settings.check().unwrap_err().to_string(), expected);
        }
    }
}
