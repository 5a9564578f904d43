//! The options of `treeglot eval` that say which metrics are wanted and how they are set up.

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::collections::HashSet;
use std::path::PathBuf;
use treeglot_metrics::bleu::Smoothing;
use treeglot_metrics::tokenize::{Tercom, Tokenizer};
use treeglot_metrics::{Metric, Options, bleu, build, chrf, meteor, nist};

/// The options about metrics.
#[derive(clap::Args)]
pub struct MetricArgs {
    /// The metrics, separated by commas, of bleu, chrf, chrf++, ter, nist, meteor, lr, r; sums such as
    /// 0.5*bleu+0.5*chrf are metrics too
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "bleu,chrf,ter")]
    metrics: Vec<String>,

    /// Lower-case text for BLEU and chrF (TER, NIST and METEOR do so by themselves)
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

    /// The language that METEOR's parameters and stemmer are for
    #[arg(long, value_name = "CODE", default_value = "en")]
    lang: String,

    /// METEOR's folder `resources`, for its function words, and its abbreviations and synonyms of --lang
    #[arg(long, value_name = "DIR")]
    meteor_resources: Option<PathBuf>,

    /// Synonym sets for METEOR, in its format (`.synsets`, with `.exceptions` beside)
    #[arg(long, value_name = "FILE")]
    meteor_synonyms: Option<PathBuf>,

    /// Paraphrases for METEOR, in its format (`paraphrase-en.gz`)
    #[arg(long, value_name = "FILE")]
    meteor_paraphrases: Option<PathBuf>,

    /// Function words for METEOR, one a line
    #[arg(long, value_name = "FILE")]
    meteor_function_words: Option<PathBuf>,

    /// The text is cut into tokens: METEOR then only lower-cases it
    #[arg(long)]
    meteor_no_norm: bool,

    /// How much of lr is word order (r); the rest is BLEU
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    lr_alpha: f64,
}

fn tokenizer_parser() -> impl TypedValueParser<Value = Tokenizer> {
    PossibleValuesParser::new(Tokenizer::NAMES.map(|(name, _)| name))
        .try_map(|name| name.parse::<Tokenizer>())
}

impl MetricArgs {
    /// The metrics that were asked for; LRscore brings its part R along.
    pub fn build(&self) -> Result<Vec<Box<dyn Metric>>> {
        if !(0.0..=1.0).contains(&self.lr_alpha) {
            bail!("--lr-alpha is a share, from 0 to 1, not {}", self.lr_alpha);
        }
        let options = self.options()?;
        let mut names: Vec<&str> = Vec::new();
        for name in self.metrics.iter().map(|name| name.trim()) {
            let also = if name == "lr" { &["lr", "r"][..] } else { &[name] };
            names.extend(also);
        }
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        names.into_iter().map(|name| Ok(build(name, &options)?)).collect()
    }

    fn options(&self) -> Result<Options> {
        Ok(Options {
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
            meteor: self.meteor()?,
            lr_alpha: self.lr_alpha,
        })
    }

    fn meteor(&self) -> Result<meteor::Options> {
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
        match self.smooth.as_str() {
            "floor" => Smoothing::Floor(self.smooth_value.unwrap_or(0.1)),
            "add-k" => Smoothing::AddK(self.smooth_value.unwrap_or(1.0)),
            "none" => Smoothing::None,
            _ => Smoothing::Exp,
        }
    }
}
