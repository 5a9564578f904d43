//! The options of `treeglot eval` that say which metrics are wanted and how they are set up.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use treeglot_metrics::bleu::Smoothing;
use treeglot_metrics::tokenize::{Tercom, Tokenizer};
use treeglot_metrics::{Metric, Options, bleu, build, chrf, nist};

/// The options about metrics.
#[derive(clap::Args)]
pub struct MetricArgs {
    /// The metrics, separated by commas; sums such as 0.5*bleu+0.5*chrf are metrics too
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "bleu,chrf,ter")]
    metrics: Vec<String>,

    /// Lower-case text for BLEU and chrF (TER, NIST and METEOR always do)
    #[arg(long, conflicts_with = "cased")]
    lc: bool,

    /// Keep case for TER and NIST, which otherwise ignore it
    #[arg(long)]
    cased: bool,

    /// How BLEU and NIST cut text into tokens: 13a and intl as NIST's scripts, zh by Chinese characters
    #[arg(long, value_name = "NAME", default_value = "13a", value_parser = tokenizer_parser())]
    tokenize: Tokenizer,

    /// What BLEU does about n-gram orders without a match
    #[arg(long, value_name = "METHOD", default_value = "exp", value_parser = ["exp", "floor", "add-k", "none"])]
    smooth: String,

    /// The value of floor [default: 0.1] or of add-k [default: 1]
    #[arg(long, value_name = "VALUE")]
    smooth_value: Option<f64>,

    /// Let chrF count spaces as characters
    #[arg(long)]
    chrf_whitespace: bool,

    /// Smooth chrF as its author's program does
    #[arg(long)]
    chrf_eps: bool,

    /// Let TER cut punctuation from words
    #[arg(long)]
    ter_normalized: bool,

    /// Let TER leave punctuation out
    #[arg(long)]
    ter_no_punct: bool,

    /// Let --ter-normalized and --ter-no-punct know Chinese and Japanese
    #[arg(long)]
    ter_asian: bool,
}

fn tokenizer_parser() -> impl TypedValueParser<Value = Tokenizer> {
    PossibleValuesParser::new(Tokenizer::NAMES.map(|(name, _)| name))
        .try_map(|name| name.parse::<Tokenizer>())
}

impl MetricArgs {
    /// The metrics that were asked for.
    pub fn build(&self) -> Result<Vec<Box<dyn Metric>>> {
        let options = self.options();
        self.metrics.iter().map(|name| Ok(build(name, &options)?)).collect()
    }

    fn options(&self) -> Options {
        Options {
            bleu: bleu::Options {
                lowercase: self.lc,
                tokenizer: self.tokenize,
                smoothing: self.smoothing(),
                ..bleu::Options::default()
            },
            chrf: chrf::Options {
                lowercase: self.lc,
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
            nist: nist::Options { cased: self.cased, tokenizer: self.tokenize },
        }
    }

    fn smoothing(&self) -> Smoothing {
        match self.smooth.as_str() {
            "floor" => Smoothing::Floor(self.smooth_value.unwrap_or(0.1)),
            "add-k" => Smoothing::AddK(self.smooth_value.unwrap_or(1.0)),
            "none" => Smoothing::None,
            _ => Smoothing::Exp,
        }
    }
}
