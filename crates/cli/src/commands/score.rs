//! `treeglot score`.

use super::common::{on_threads, parse_size};
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use treeglot_grammar::count::Counter;
use treeglot_grammar::score::{LexicalWeights, Options, Smoothing, Threshold, write_table};
use treeglot_grammar::{MAX_ORIGINS, Scratch, is_counts};
use treeglot_text::Input;

const HELP: &str = "\
Instances are lines `source ||| target ||| links ||| count`, as `treeglot extract` and Moses' extractors write them. Their \
counts are added up, and every distinct rule gets the scores of Moses: p(s|t), lex(s|t), p(t|s), lex(t|s), and reordering \
scores where the instances have orientations. The table does not depend on the number of threads, on `--memory`, or on how \
the instances are split.

Examples:
  treeglot extract hiero --src train.de --tgt train.en --links train.links | treeglot score --lex lex -o rules.table
  treeglot score --from part1.gz --from part2.gz --discount gt --limit 100 -o rules.table
  treeglot score --from string.gz --from trees.gz --weight 1 --weight 0.5 -o both.table";

/// The arguments of `treeglot score`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Rule instances, or counts that `--counts-out` wrote; give it again to add more up [default: standard input]
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,

    /// What the counts of a `--from` are multiplied with: one a `--from`, in order [default: 1]
    #[arg(long, value_name = "W")]
    weight: Vec<f64>,

    /// Where to write the table
    #[arg(short, long, value_name = "TABLE", required_unless_present = "counts_out")]
    output: Option<PathBuf>,

    /// Write the counts to a binary file, smaller and read faster than text, for `--from` of another `score`
    #[arg(long, value_name = "FILE")]
    counts_out: Option<PathBuf>,

    /// Read the probabilities of words from PREFIX.f2e and PREFIX.e2f, as `align --lex` and Moses write them; without it
    /// they are relative frequencies of the links of the instances themselves
    #[arg(long, value_name = "PREFIX", conflicts_with = "no_lex")]
    lex: Option<PathBuf>,

    /// Leave lexical weights out: rules have the scores p(s|t) and p(t|s) only
    #[arg(long)]
    no_lex: bool,

    /// Discount counts before relative frequencies are taken
    #[arg(long, value_enum)]
    discount: Option<DiscountName>,

    /// Leave out rules that were seen less often; the counts of their sides stay as they are
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    min_count: f32,

    /// Keep this many rules of a source side, those with the highest p(t|s) [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,

    /// Drop rules whose sides meet in the pairs of `--src` and `--tgt` no more often than chance explains (Fisher's exact
    /// test): keep those with a negative log p-value of at least N; a+e drops rules seen once whose sides were seen once,
    /// a-e keeps them
    #[arg(long, value_name = "a+e|a-e|N", value_parser = parse_threshold, requires = "src", requires = "tgt")]
    significance: Option<Threshold>,

    /// The source sentences for `--significance`
    #[arg(long, value_name = "FILE", requires = "significance")]
    src: Option<PathBuf>,

    /// The target sentences for `--significance`
    #[arg(long, value_name = "FILE", requires = "significance")]
    tgt: Option<PathBuf>,

    /// Store at most 2^BITS distinct values of each score: a smaller table of nearly the same scores. Which rules are kept
    /// does not depend on it [default: all values]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=24))]
    quantize: Option<u32>,

    /// What is added to the count of each orientation
    #[arg(long, value_name = "X", default_value_t = 0.5)]
    reordering_smoothing: f64,

    /// Give rules a score for each source of instances, which tells whether the rule is one of theirs (logarithm 1, else 0): by
    /// what the instances say, as `extract` tells trees of several parsers apart, or by `--from`
    #[arg(long, value_enum, value_name = "HOW")]
    origins: Option<Origins>,

    /// Count rules that differ only in the structure of their target side (`{{Heads ...}}`) as one, which has the structure seen
    /// most often
    #[arg(long)]
    one_structure: bool,

    /// What the table says its model is
    #[arg(long, value_name = "NAME", default_value = "")]
    model: String,

    /// How much memory to use; past it, sorted runs are written to temporary files
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    memory: u64,

    /// The folder for temporary files [default: TMPDIR]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,

    /// How many threads work [default: all cores]; the table does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Print no notes on standard error
    #[arg(short, long)]
    quiet: bool,
}

/// The discounts by name.
#[derive(Clone, Copy, ValueEnum)]
enum DiscountName {
    /// Good-Turing
    Gt,
    /// Modified Kneser-Ney
    Kn,
}

/// What tells the sources of instances apart.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Origins {
    /// What the instances say
    Instances,
    /// Which file they are in
    Files,
}

impl Args {
    pub fn run(self) -> Result<()> {
        on_threads(self.threads, || self.work())?
    }

    fn work(&self) -> Result<()> {
        let scratch = Scratch::within(self.memory, self.temp.as_deref());
        let mut counter = Counter::new(self.memory / 2, &scratch);
        for (number, (path, weight)) in self.inputs()?.into_iter().enumerate() {
            counter.set_origin((self.origins == Some(Origins::Files)).then_some(number as u8));
            if is_counts(&path) {
                counter.add_counts(&path, weight)?;
            } else {
                counter.add_text(Input::open(path)?, weight)?;
            }
        }
        let mut counted = counter.finish()?;
        if let Some(path) = &self.counts_out {
            counted.write(path)?;
        }
        let Some(output) = &self.output else { return Ok(()) };
        let written = write_table(counted, &self.options(), &scratch, output)?;
        if !self.quiet {
            let (rules, seen) = (written.rules, written.seen);
            eprintln!("treeglot: {rules} of {seen} rules in {}", output.display());
        }
        Ok(())
    }

    fn inputs(&self) -> Result<Vec<(PathBuf, f64)>> {
        let from = if self.from.is_empty() { vec![PathBuf::from("-")] } else { self.from.clone() };
        if !self.weight.is_empty() && self.weight.len() != from.len() {
            bail!("{} --from but {} --weight: give one a --from, or none", from.len(), self.weight.len());
        }
        let most = usize::from(MAX_ORIGINS);
        let told_apart = self.origins == Some(Origins::Files);
        ensure!(!told_apart || from.len() <= most, "at most {most} --from can be told apart");
        ensure!(self.weight.iter().all(|w| w.is_finite() && *w > 0.0), "a --weight is a number above 0");
        let weights = self.weight.iter().copied().chain(std::iter::repeat(1.0));
        Ok(from.into_iter().zip(weights).collect())
    }

    fn options(&self) -> Options {
        let significance = match (self.significance, &self.src, &self.tgt) {
            (Some(threshold), Some(src), Some(tgt)) => Some((threshold, src.clone(), tgt.clone())),
            _ => None,
        };
        Options {
            model: self.model.clone(),
            smoothing: match self.discount {
                None => Smoothing::None,
                Some(DiscountName::Gt) => Smoothing::GoodTuring,
                Some(DiscountName::Kn) => Smoothing::KneserNey,
            },
            lexical: match (&self.lex, self.no_lex) {
                (_, true) => LexicalWeights::None,
                (Some(prefix), _) => LexicalWeights::From(prefix.clone()),
                (None, _) => LexicalWeights::Estimated,
            },
            min_count: self.min_count,
            limit: self.limit.map_or(0, NonZeroUsize::get),
            reordering_smoothing: self.reordering_smoothing,
            origins: self.origins.is_some(),
            one_structure: self.one_structure,
            significance,
            quantize: self.quantize,
            memory: self.memory,
        }
    }
}

fn parse_threshold(text: &str) -> Result<Threshold> {
    match text {
        "a+e" => Ok(Threshold::AlphaPlusEpsilon),
        "a-e" => Ok(Threshold::AlphaMinusEpsilon),
        _ => {
            let value: f64 = text.parse().context("expected a+e, a-e or a number")?;
            ensure!(value >= 0.0, "a negative log p-value is 0 or more");
            Ok(Threshold::At(value))
        }
    }
}
