//! What can be set about scoring.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How rules are scored and which are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), group(id = "score-settings"))]
pub struct ScoreSettings {
    /// Discount counts before relative frequencies are taken: rules seen once are most of a table, and their plain relative
    /// frequencies are far too high
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub discount: Discount,

    /// Leave out rules that were seen less often; the counts of their sides stay as they are
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 0.0))]
    pub min_count: f32,

    /// Keep this many rules of a source side, those with the highest p(t|s); 0 for all
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 0))]
    pub limit: usize,

    /// Leave lexical weights out: rules have the scores p(s|t) and p(t|s) only
    #[cfg_attr(feature = "clap", arg(long = "no-lex", action = clap::ArgAction::SetFalse))]
    pub lexical: bool,

    /// Drop rules whose sides meet in the pairs of the training text no more often than chance explains (Fisher's exact
    /// test): keep those with a negative log p-value of at least N; a+e drops rules seen once whose sides were seen once,
    /// a-e keeps them
    #[cfg_attr(feature = "clap", arg(long, value_name = "a+e|a-e|N"))]
    pub significance: Option<Threshold>,

    /// Store at most 2^BITS distinct values of each score: a smaller table of nearly the same scores. Which rules are kept
    /// does not depend on it [default: all values]
    #[cfg_attr(feature = "clap", arg(long, value_name = "BITS"))]
    pub quantize: Option<u32>,

    /// What is added to the count of each orientation
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = ScoreSettings::default().reordering_smoothing))]
    pub reordering_smoothing: f64,

    /// Whether rules get a score for each source of instances, which tells whether it is one of theirs: e, else 1, so that the
    /// logarithms are 1 and 0
    #[cfg_attr(feature = "clap", arg(skip))]
    pub origins: bool,

    /// Count rules that differ only in the structure of their target side (`{{Heads ...}}`) as one, which has the structure seen
    /// most often
    #[cfg_attr(feature = "clap", arg(long))]
    pub one_structure: bool,
}

impl Default for ScoreSettings {
    fn default() -> Self {
        Self {
            discount: Discount::default(),
            min_count: 0.0,
            limit: 0,
            lexical: true,
            significance: None,
            quantize: None,
            reordering_smoothing: 0.5,
            origins: false,
            one_structure: false,
        }
    }
}

impl ScoreSettings {
    /// What Moses' `score` and `consolidate` do unless told otherwise: no discount.
    pub fn moses() -> Self {
        Self { discount: Discount::None, ..Self::default() }
    }

    /// Whether the numbers mean something.
    pub fn check(&self) -> Result<()> {
        let wrong = |why: String| Err(Error::Setting(why));
        if !(self.min_count.is_finite() && self.min_count >= 0.0) {
            return wrong(format!("`min-count` must be 0 or a number above, not {}", self.min_count));
        }
        if !(self.reordering_smoothing.is_finite() && self.reordering_smoothing > 0.0) {
            let given = self.reordering_smoothing;
            return wrong(format!("`reordering-smoothing` must be a number above 0, not {given}"));
        }
        match self.quantize {
            Some(bits) if !(1..=24).contains(&bits) => {
                wrong(format!("`quantize` must be 1 to 24 bits, not {bits}"))
            }
            _ => Ok(()),
        }
    }
}

/// The discount of joint counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Discount {
    /// Good-Turing, for counts up to 8
    #[default]
    #[serde(rename = "gt")]
    #[cfg_attr(feature = "clap", value(name = "gt"))]
    GoodTuring,
    /// Modified Kneser-Ney: a fixed discount, given back by the number of distinct partners
    #[serde(rename = "kn")]
    #[cfg_attr(feature = "clap", value(name = "kn"))]
    KneserNey,
    /// Relative frequencies as they are
    #[serde(rename = "none")]
    None,
}

impl Discount {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::GoodTuring => "gt",
            Self::KneserNey => "kn",
            Self::None => "none",
        }
    }
}

/// Which rules are kept: those whose negative log p-value is at least this.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Threshold {
    /// Just above that of rules and sides that were seen once: they are dropped.
    AlphaPlusEpsilon,
    /// Just below: they are kept.
    AlphaMinusEpsilon,
    /// A value.
    At(f64),
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlphaPlusEpsilon => f.write_str("a+e"),
            Self::AlphaMinusEpsilon => f.write_str("a-e"),
            Self::At(value) => value.fmt(f),
        }
    }
}

impl From<Threshold> for String {
    fn from(threshold: Threshold) -> Self {
        threshold.to_string()
    }
}

impl TryFrom<String> for Threshold {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "a+e" => Ok(Self::AlphaPlusEpsilon),
            "a-e" => Ok(Self::AlphaMinusEpsilon),
            _ => {
                let value = text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
                value
                    .map(Self::At)
                    .ok_or_else(|| format!("expected a+e, a-e or a number from 0 on, not `{text}`"))
            }
        }
    }
}

/// What a table is scored from besides the counts, and with how much memory.
#[derive(Debug, Clone)]
pub struct ScoreInputs {
    /// What the table says its model is.
    pub model: String,
    /// The lexical tables `PREFIX.f2e` and `PREFIX.e2f`; without, lexical weights are relative frequencies of the links of the
    /// instances themselves.
    pub lex: Option<PathBuf>,
    /// The source and target sentences that significance is tested in.
    pub corpus: Option<[PathBuf; 2]>,
    /// About how many bytes may be used beside what the table holds in memory.
    pub memory: u64,
}

impl Default for ScoreInputs {
    fn default() -> Self {
        Self { model: String::new(), lex: None, corpus: None, memory: 4 << 30 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_read_as_they_are_written() {
        for text in ["a+e", "a-e", "0", "12.5"] {
            assert_eq!(text.parse::<Threshold>().unwrap().to_string(), text);
        }
        for text in ["", "a", "-1", "nan", "inf"] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }
}
