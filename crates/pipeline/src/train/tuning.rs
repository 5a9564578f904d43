//! Tuning the weights of a system on the development set.

use super::finish::WEIGHTS;
use super::rules::note_trees;
use crate::bundle::{Components, SearchSettings};
use crate::cluster::ShardDecoder;
use crate::error::{Error, Result};
use crate::plan::Workplace;
use crate::progress::Bar;
use crate::translator::{DevSource, TuningDecoder};
use std::path::PathBuf;
use treeglot_decode::Weights;
use treeglot_metrics::{Options as MetricOptions, tokenize::Tokenizer};
use treeglot_tree::PerTree;
use treeglot_tune::{Checkpoints, Decoder, DevSet, Objective, Round, TuneSettings, Tuned, tune};

/// What weights are tuned on, as words.
pub(super) struct Development {
    pub source: PathBuf,
    pub trees: PerTree<Vec<PathBuf>>,
    pub references: Vec<PathBuf>,
    /// Trees that do not fit are left out.
    pub skip_bad: bool,
}

/// Tunes on the words of the development set; each round is kept, so that an interrupted run goes on from it.
pub(super) fn tune_weights(
    place: &mut Workplace<'_>,
    components: &Components,
    start: &Weights,
    files: &Development,
    tuning: &TuneSettings,
    threads: usize,
) -> Result<()> {
    let source = DevSource { file: &files.source, trees: &files.trees, text: None, skip_bad: files.skip_bad };
    let search = SearchSettings::default();
    let (mut decoder, begin) = TuningDecoder::new(components, start, source, &search, threads)?;
    note_trees(place, decoder.trees());
    let kept = Checkpoints::open(place.partial, "of the plan").map_err(|e| Error::Invalid(e.to_string()))?;
    let lines = decoder.len();
    on_words(&files.references, lines, &tuning.metric, |objective| {
        let tuned = match place.site().and_then(|site| site.for_lines(lines as u64)) {
            Some(site) => {
                let mut decoder = ShardDecoder::new(site, &mut decoder, (components, start), &source)?;
                rounds(place.bar, &mut decoder, objective, &begin, tuning, Some(&kept))?
            }
            None => rounds(place.bar, &mut decoder, objective, &begin, tuning, Some(&kept))?,
        };
        write_weights(place, &mut decoder, &tuned)
    })
}

/// Has something tuned for a metric of references that are words, of which there must be as many as source lines.
pub(super) fn on_words<R>(
    references: &[PathBuf],
    lines: usize,
    metric: &str,
    tune: impl FnOnce(&Objective<'_>) -> Result<R>,
) -> Result<R> {
    let dev = DevSet::read(references, None)?;
    if lines != dev.len() {
        let wanted = dev.len();
        return Err(Error::Invalid(format!(
            "the development set has {lines} source lines, but {wanted} references"
        )));
    }
    let mut options = MetricOptions::default();
    options.bleu.tokenizer = Tokenizer::None;
    options.nist.tokenizer = Tokenizer::None;
    let [metric, smoothed] = dev.metrics(metric, options)?;
    tune(&Objective::new(metric.as_ref(), smoothed.as_ref(), &dev))
}

/// Runs the rounds of a decoder.
pub(super) fn rounds<D: Decoder>(
    bar: &Bar,
    decoder: &mut D,
    objective: &Objective<'_>,
    begin: &[f64],
    tuning: &TuneSettings,
    kept: Option<&Checkpoints>,
) -> Result<Tuned> {
    let mut progress = |round: &Round| bar.say(&format!("round {}, {:.2}", round.number, round.score));
    tune(decoder, objective, begin, tuning, kept, &mut progress).map_err(|e| Error::Invalid(chain(&e)))
}

/// Writes the weights that a decoder was tuned to; the score and the round are noted.
pub(super) fn write_weights(
    place: &mut Workplace<'_>,
    decoder: &mut impl Decoder,
    tuned: &Tuned,
) -> Result<()> {
    decoder.space().named(&tuned.weights).write(&place.out.join(WEIGHTS))?;
    place.note("dev", format!("{:.2}", tuned.score));
    place.note("rounds", tuned.round);
    Ok(())
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
