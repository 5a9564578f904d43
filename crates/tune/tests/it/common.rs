//! Small development sets for tests.

use treeglot_decode::FeatureSet;
use treeglot_metrics::tokenize::Tokenizer;
use treeglot_metrics::{Metric, Options, build};
use treeglot_tune::{Candidate, Candidates, Error, FeatureSpace, Gathered, Job, Objective, Optimum, Tuner};

/// A metric on the words as they are, and the same with smoothing for single sentences.
pub fn metrics(expression: &str) -> (Box<dyn Metric>, Box<dyn Metric>) {
    let mut options = Options::default();
    options.bleu.tokenizer = Tokenizer::None;
    let metric = build(expression, &options).expect("the test names a metric");
    options.bleu.smoothing = treeglot_metrics::bleu::Smoothing::AddK(1.0);
    (metric, build(expression, &options).expect("the test names a metric"))
}

/// Words of a tiny language, by number.
pub fn text(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("w{w}")).collect();
    words.join(" ")
}

/// A candidate from numbers of words and features.
pub fn candidate(words: &[u32], dense: &[f32]) -> Candidate {
    Candidate { text: text(words), dense: dense.to_vec(), ..Candidate::default() }
}

/// What a tuner finds in one go.
pub fn optimise(
    tuner: &dyn Tuner,
    candidates: &Candidates,
    objective: &Objective<'_>,
    start: &[f64],
) -> Result<Optimum, Error> {
    let starts = &[start.to_vec()];
    tuner.optimise(&Job { gathered: Gathered::Lists(candidates), objective, starts, seed: 1, repeats: false })
}

/// The candidates of lists that all fit.
pub fn gather(lists: &[Vec<Candidate>], features: usize, objective: &Objective<'_>) -> Candidates {
    let mut dense = FeatureSet::default();
    dense.add("F", features);
    let mut candidates = Candidates::new(&FeatureSpace::new(dense), objective);
    candidates.add(lists, objective).expect("the lists fit the references");
    candidates
}
