//! `treeglot tune -m BUNDLE`: the loop of translating the development set and tuning on what came out.

use super::{Args, write_weights};
use crate::args::{DevTreeArgs, SkipBad, count};
use crate::errors::wrong;
use crate::signals::when_interrupted;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Instant;
use treeglot_decode::{SearchSettings, Weights};
use treeglot_pipeline::text_path::TextPath;
use treeglot_pipeline::translator::{DevSource, TuningDecoder};
use treeglot_pipeline::{Bundle, Look};
use treeglot_tune::{Checkpoints, DevSet, End, Objective, Round, Tuned, tune};

/// The arguments for tuning a bundle.
#[derive(clap::Args)]
pub struct BundleArgs {
    /// The bundle whose weights are tuned; of several, what is tuned chooses among their translations, and goes to the folder -o
    #[arg(short, long, value_name = "BUNDLE", requires = "dev_src", required_unless_present = "nbest_list")]
    pub model: Vec<PathBuf>,

    /// Lexical tables of `treeglot align --lex`, without their endings, as one more judge of the translations of several bundles
    #[arg(long, value_name = "PREFIX", requires = "model")]
    pub lex: Option<PathBuf>,

    /// The sentences of the development set, as `treeglot translate` reads them: raw text where the bundle takes raw text
    #[arg(long, value_name = "FILE")]
    pub dev_src: Option<PathBuf>,

    /// Sentences and references are words separated by blanks, whatever the bundle says
    #[arg(long, requires = "model")]
    pub tokenized: bool,

    #[command(flatten)]
    pub trees: DevTreeArgs,

    #[command(flatten)]
    pub bad: SkipBad,

    /// A folder that keeps each round: started again with it, an interrupted run goes on
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,

    #[command(flatten)]
    pub search: SearchSettings,
}

/// Tunes a bundle.
pub fn run(args: &Args) -> Result<()> {
    let given = &args.bundle;
    let ([model], Some(source)) = (given.model.as_slice(), &given.dev_src) else {
        wrong!("give -m BUNDLE and --dev-src FILE, or --nbest-list FILE");
    };
    if given.lex.is_some() {
        wrong!("`--lex` is for choosing among the translations of several bundles: give -m once more");
    }
    let mut bundle = Bundle::open(model)?;
    let text = text_paths(args, &bundle, source)?;
    let mut dev = DevSet::read(&args.dev_ref, args.dev_links.as_deref())?;
    if let Some([_, target]) = &text {
        dev = dev.map(target.words());
    }
    let [metric, smoothed] = args.metrics(&dev)?;
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let begin = match &args.lists.weights {
        Some(path) => Weights::read(path)?,
        None => bundle.weights()?,
    };
    let trees = given.trees.files();
    let (components, threads) = (bundle.components(), args.threads.count());
    let cut = text.as_ref().map(|[source, _]| source);
    let sentences = DevSource { file: source, trees: &trees, text: cut, skip_bad: given.bad.skip_bad };
    let (mut decoder, start) = TuningDecoder::new(&components, &begin, sentences, &given.search, threads)?;
    if decoder.has_sparse() && !args.tune.method.learns_sparse() {
        let method = args.tune.method.name();
        wrong!(
            "this bundle has sparse features, thousands of them: `{method}` is for some twenty, give --method mira"
        );
    }
    if !decoder.trees().is_empty() {
        args.notes.note(&decoder.trees().to_string());
    }
    if decoder.len() != dev.len() {
        let (lines, references) = (count(decoder.len(), "line"), dev.len());
        bail!("{}: {lines}, but {references} references: give the same sentences", source.display());
    }
    let kept = match &given.resume {
        Some(folder) => Some(Checkpoints::open(folder, &description(args, &start, dev.len()))?),
        None => None,
    };
    let resumed = given.resume.is_some();
    when_interrupted(move || {
        let after = "run the same command again, and it goes on after the last round";
        if resumed { after } else { "with --resume DIR a run can go on where it was interrupted" }.to_string()
    });
    let mut clock = Instant::now();
    let mut progress = |round: &Round| {
        let what = if args.tune.forest.is_some() { "hyperarc" } else { "candidate" };
        args.notes.note(&describe(round, what, objective.name(), clock.elapsed().as_secs_f64()));
        clock = Instant::now();
    };
    let tuned = tune(&mut decoder, &objective, &start, &args.tune, kept.as_ref(), &mut progress)?;
    args.notes.note(&summary(&tuned, objective.name()));
    let weights = treeglot_tune::Decoder::space(&mut decoder).named(&tuned.weights);
    match &args.output {
        Some(path) => write_weights(&weights, path),
        None => bundle.set_weights(&weights).context("the tuned weights could not be put into the bundle"),
    }
}

/// From raw text to words, of either side; none where texts are words. What looks otherwise than the bundle takes it is told.
pub(super) fn text_paths(args: &Args, bundle: &Bundle, source: &Path) -> Result<Option<[TextPath; 2]>> {
    let text = if args.bundle.tokenized { None } else { bundle.components().text_paths()? };
    let cuts = text.as_ref().is_some_and(|[source, _]| source.cuts_words());
    // Standard input can be read but once.
    if source != Path::new("-") {
        let look = Look::at(source)?;
        let why = match cuts {
            true if look.is_tokenized() => {
                "is cut into words already: --tokenized takes it, and the references, as they are"
            }
            false if look.is_raw() => {
                "looks like raw text, but words with blanks between them, signs apart, are taken here: cut it, and the \
                 references, with `treeglot tokenize` first"
            }
            _ => return Ok(text),
        };
        args.notes.note(&format!("{}: {why}", source.display()));
    }
    Ok(text)
}

/// All that the result depends on, in a line.
fn description(args: &Args, start: &[f64], sentences: usize) -> String {
    let Args { tune, tokenize, lc, .. } = args;
    let (tokenize, search, tokenized) = (tokenize.name(), &args.bundle.search, args.bundle.tokenized);
    format!(
        "{tune:?} tokenize {tokenize} lc {lc} tokenized {tokenized} sentences {sentences} start {start:?} search {search:?}"
    )
}

pub(super) fn describe(round: &Round, what: &str, metric: &str, seconds: f64) -> String {
    let Round { number, score, best, new, candidates, tuned } = round;
    let mark = if *best { ", the best so far" } else { "" };
    let tuned = tuned.map_or(String::new(), |tuned| format!("; tuned on all: {tuned:.2}"));
    format!(
        "round {number}: {metric} {score:.2}{mark}; {new} new {what}s of {candidates}{tuned} ({seconds:.1} s)"
    )
}

pub(super) fn summary(tuned: &Tuned, metric: &str) -> String {
    let why = match tuned.end {
        End::NothingNew => "no new candidates",
        End::LittleNew => "few new candidates",
        End::Settled => "the weights have settled",
        End::NoBetter => "the score does not rise any more",
        End::Rounds => "all rounds are done",
    };
    format!("{why}: taking the weights of round {}, {metric} {:.2}", tuned.round, tuned.score)
}
