//! What can be set about evaluation: which metrics, how they are set up, and which test compares systems.

use crate::bleu::{self, Smoothing};
use crate::error::Error;
use crate::metric::Metric;
use crate::registry::{self, Options};
use crate::significance::Paired;
use crate::tokenize::{Tercom, Tokenizer};
use crate::{chrf, meteor, nist};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;

/// How translations are scored and compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), group(id = "eval-settings"))]
pub struct EvalSettings {
    /// The metrics, separated by commas, of bleu, chrf, chrf++, chrf_length, ter, nist, meteor, lr, r; sums such as
    /// 0.5*bleu+0.5*chrf are metrics too
    #[cfg_attr(feature = "clap", arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = EvalSettings::default().metrics))]
    pub metrics: Vec<String>,

    /// Lower-case text for BLEU and chrF (TER, NIST and METEOR do so by themselves)
    #[cfg_attr(feature = "clap", arg(long = "lc", conflicts_with = "cased"))]
    pub lowercase: bool,

    /// Keep case for TER and NIST, which otherwise ignore it
    #[cfg_attr(feature = "clap", arg(long))]
    pub cased: bool,

    /// How BLEU and NIST cut text into tokens [default: 13a for raw text, zh and char for scripts without blanks, none for text that is
    /// cut into words]
    #[cfg_attr(feature = "clap", arg(long, value_parser = crate::tokenize::arguments::Named, value_name = "NAME"))]
    pub tokenize: Option<Tokenizer>,

    /// The SentencePiece model of flores101 or flores200
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", requires = "tokenize"))]
    pub spm_model: Option<PathBuf>,

    /// What BLEU does about n-gram orders without a match
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "METHOD", default_value_t))]
    pub smooth: SmoothMethod,

    /// The value of floor [default: 0.1] or of add-k [default: 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "VALUE"))]
    pub smooth_value: Option<f64>,

    /// Let chrF count spaces as characters
    #[cfg_attr(feature = "clap", arg(long))]
    pub chrf_whitespace: bool,

    /// Smooth chrF as its author's program does
    #[cfg_attr(feature = "clap", arg(long))]
    pub chrf_eps: bool,

    /// Let TER cut punctuation from words
    #[cfg_attr(feature = "clap", arg(long))]
    pub ter_normalized: bool,

    /// Let TER leave punctuation out
    #[cfg_attr(feature = "clap", arg(long))]
    pub ter_no_punct: bool,

    /// Let TER's normalising and leaving out of punctuation know Chinese and Japanese
    #[cfg_attr(feature = "clap", arg(long))]
    pub ter_asian: bool,

    /// The language that METEOR's parameters and stemmer are for
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODE", default_value_t = EvalSettings::default().lang))]
    pub lang: String,

    /// METEOR's folder `resources`, for its function words, and its abbreviations and synonyms of the language
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub meteor_resources: Option<PathBuf>,

    /// Synonym sets for METEOR, in its format (`.synsets`, with `.exceptions` beside)
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub meteor_synonyms: Option<PathBuf>,

    /// Paraphrases for METEOR, in its format (`paraphrase-en.gz`)
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub meteor_paraphrases: Option<PathBuf>,

    /// Function words for METEOR, one a line
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub meteor_function_words: Option<PathBuf>,

    /// The text is cut into tokens: METEOR then only lower-cases it
    #[cfg_attr(feature = "clap", arg(long))]
    pub meteor_no_norm: bool,

    /// How much of lr is word order (r); the rest is BLEU
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value_t = EvalSettings::default().lr_alpha))]
    pub lr_alpha: f64,

    /// Test whether each system differs from the first
    // A recipe compares systems, so that it tests unless told otherwise; a command tests if asked to.
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "TEST", default_value = "none"))]
    pub paired: Paired,

    /// How many samples the tests take [default: 1000 for bs, 10000 for ar]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub samples: Option<usize>,

    /// The seed of the samples: the same seed, the same result
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = EvalSettings::default().seed))]
    pub seed: u64,
}

impl Default for EvalSettings {
    fn default() -> Self {
        Self {
            metrics: ["bleu", "chrf", "ter"].map(String::from).to_vec(),
            lowercase: false,
            cased: false,
            tokenize: None,
            spm_model: None,
            smooth: SmoothMethod::default(),
            smooth_value: None,
            chrf_whitespace: false,
            chrf_eps: false,
            ter_normalized: false,
            ter_no_punct: false,
            ter_asian: false,
            lang: "en".to_string(),
            meteor_resources: None,
            meteor_synonyms: None,
            meteor_paraphrases: None,
            meteor_function_words: None,
            meteor_no_norm: false,
            lr_alpha: 0.5,
            paired: Paired::default(),
            samples: None,
            seed: 12345,
        }
    }
}

/// What BLEU does about n-gram orders without a match (Chen & Cherry 2014).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum SmoothMethod {
    /// Count 1/2, 1/4, ... for the first, second, ... such order, as NIST's script
    #[default]
    Exp,
    /// Count a value instead of 0
    Floor,
    /// Add a value to matches and totals of all orders above the first
    AddK,
    /// Nothing: the score is 0
    None,
}

impl EvalSettings {
    /// The metrics that are asked for, with those that they bring along; `tokenizer` is for text where the settings name none.
    pub fn build(&self, tokenizer: Tokenizer) -> Result<Vec<Box<dyn Metric>>, Error> {
        let options = self.options(tokenizer)?;
        if self.metrics.is_empty() {
            return Err(Error::Setting("`metrics` is empty: name at least one metric".to_string()));
        }
        let mut seen = HashSet::new();
        let names = self.metrics.iter().map(|name| name.trim()).flat_map(registry::with_companions);
        names.filter(|name| seen.insert(*name)).map(|name| registry::build(name, &options)).collect()
    }

    /// How metrics are set up; `tokenizer` is for text where the settings name none.
    pub fn options(&self, tokenizer: Tokenizer) -> Result<Options, Error> {
        if !(0.0..=1.0).contains(&self.lr_alpha) {
            return Err(Error::Setting(format!("`lr-alpha` is a share, from 0 to 1, not {}", self.lr_alpha)));
        }
        if let Some(value) = self.smooth_value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Error::Setting(format!("`smooth-value` must be 0 or a number above, not {value}")));
        }
        let tokenizer = self.tokenize.unwrap_or(tokenizer).with_model(self.spm_model.as_deref())?;
        Ok(Options {
            bleu: bleu::Options {
                lowercase: self.lowercase,
                tokenizer,
                smoothing: self.smoothing(),
                ..bleu::Options::default()
            },
            chrf: chrf::Options {
                lowercase: self.lowercase,
                whitespace: self.chrf_whitespace,
                eps_smoothing: self.chrf_eps,
                ..chrf::Options::default()
            },
            ter: Tercom {
                normalized: self.ter_normalized,
                no_punct: self.ter_no_punct,
                asian: self.ter_asian,
                cased: self.cased,
            },
            nist: nist::Options { cased: self.cased, tokenizer },
            meteor: self.meteor()?,
            lr_alpha: self.lr_alpha,
        })
    }

    /// How many samples the test takes.
    pub fn samples(&self, test: Paired) -> usize {
        self.samples.unwrap_or(test.default_samples())
    }

    fn meteor(&self) -> Result<meteor::Options, Error> {
        let mut options = meteor::Options {
            language: self.lang.clone(),
            normalize: !self.meteor_no_norm,
            function_words: self.meteor_function_words.clone(),
            prefixes: None,
            synonyms: self.meteor_synonyms.clone(),
            paraphrases: self.meteor_paraphrases.clone(),
        };
        if let Some(folder) = &self.meteor_resources {
            options.resources(folder)?;
        }
        Ok(options)
    }

    fn smoothing(&self) -> Smoothing {
        match self.smooth {
            SmoothMethod::Exp => Smoothing::Exp,
            SmoothMethod::Floor => Smoothing::Floor(self.smooth_value.unwrap_or(0.1)),
            SmoothMethod::AddK => Smoothing::AddK(self.smooth_value.unwrap_or(1.0)),
            SmoothMethod::None => Smoothing::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lr_score_brings_its_word_order_along_and_no_metric_comes_twice() {
        let metrics = ["lr", "bleu", "r", "bleu"].map(String::from).to_vec();
        let built = EvalSettings { metrics, ..EvalSettings::default() }.build(Tokenizer::V13a).unwrap();
        assert_eq!(built.iter().map(|metric| metric.name()).collect::<Vec<_>>(), ["lr", "r", "bleu"]);
    }

    #[test]
    fn numbers_that_mean_nothing_are_refused() {
        let settings = [
            EvalSettings { lr_alpha: f64::NAN, ..EvalSettings::default() },
            EvalSettings { smooth_value: Some(-1.0), ..EvalSettings::default() },
            EvalSettings { metrics: Vec::new(), ..EvalSettings::default() },
        ];
        assert!(settings.iter().all(|settings| settings.build(Tokenizer::V13a).is_err()));
    }
}
