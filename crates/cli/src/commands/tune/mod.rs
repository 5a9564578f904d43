//! `treeglot tune`: weights from a development set, of a bundle or of n-best lists.

mod bundle;
mod combination;
mod lists;

use crate::args::{Quiet, Threads};
use crate::print::write_file;
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_decode::Weights;
use treeglot_metrics::tokenize::Tokenizer;
use treeglot_metrics::{Metric, Options};
use treeglot_tune::{DevSet, TuneSettings};

const HELP: &str = "\
With one seed the weights are the same on any number of threads.

With -m the bundle translates the development set, weights are tuned on the candidates of all rounds so far, and so on, until \
nothing new comes or the score stops rising. The weights of the best round replace those of the bundle, or go to -o. With \
--resume a run that was interrupted goes on where it was, with the same result.

With several bundles their own weights stay as they are: each translates the development set once, and weights are tuned that choose among \
all translations, for `treeglot translate -m A -m B --combination DIR`. What speaks for a translation is how likely each system holds its \
n-grams, its score, its length, and what the language models of the bundles, their joint model and --lex say of it.

With --nbest-list no decoder is needed: weights are tuned once on the candidates of the lists (`id ||| text ||| Name= values \
||| score`), and written to standard output. Features without a weight in --weights begin at 0.

Examples:
  treeglot tune -m bundle --dev-src dev.de --dev-ref dev.en
  treeglot tune -m phrase -m hiero --dev-src dev.de --dev-ref dev.en --lex lex -o both
  treeglot tune --method mert --nbest-list run1.nbest.gz --nbest-list run2.nbest.gz --weights w.txt --dev-ref dev.en
  treeglot tune --method pro --metric 0.5*bleu+0.5*chrf --nbest-list dev.nbest --dev-ref dev.en -o w.txt";

/// The arguments of `treeglot tune`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    tune: TuneSettings,

    /// The translations of the development set, raw text where its sentences are, else words as the system writes them; several files
    /// for several references
    #[arg(long, value_name = "FILE", required = true)]
    dev_ref: Vec<PathBuf>,

    /// Links between source and first reference, for the metric lr
    #[arg(long, value_name = "FILE")]
    dev_links: Option<PathBuf>,

    /// How the metric cuts text into tokens
    #[arg(long, value_enum, value_name = "NAME", default_value = "none")]
    tokenize: Tokenizer,

    /// Lower-case text for the metric
    #[arg(long)]
    lc: bool,

    #[command(flatten)]
    bundle: bundle::BundleArgs,

    #[command(flatten)]
    lists: lists::ListArgs,

    #[command(flatten)]
    threads: Threads,

    /// Where to write the weights, one line a feature [default: into the bundle, or standard output with --nbest-list]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    notes: Quiet,
}

impl Args {
    pub fn run(self) -> Result<()> {
        self.threads.run(|| match self.bundle.model.len() {
            _ if self.lists.given() => lists::run(&self),
            0 | 1 => bundle::run(&self),
            _ => combination::run(&self),
        })
    }

    /// The metric, and the same with one added to BLEU's counts for single sentences.
    fn metrics(&self, dev: &DevSet) -> Result<[Box<dyn Metric>; 2]> {
        let mut options = Options::default();
        options.bleu.tokenizer = self.tokenize;
        options.bleu.lowercase = self.lc;
        options.chrf.lowercase = self.lc;
        options.nist.tokenizer = self.tokenize;
        Ok(dev.metrics(&self.tune.metric, options)?)
    }
}

/// Writes weights, one line a feature, also to standard output.
fn write_weights(weights: &Weights, path: &Path) -> Result<()> {
    write_file(path, |out| {
        weights.iter().try_for_each(|(name, values)| {
            let values: Vec<String> = values.iter().map(f32::to_string).collect();
            writeln!(out, "{name}= {}", values.join(" "))
        })
    })
}
