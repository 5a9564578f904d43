//! Scores of several systems' translations of one test set, with tests against the first and scores by sentence length.

use crate::error::Result;
use std::path::PathBuf;
use treeglot_metrics::files::{Files, Scored, Statistics, score};
use treeglot_metrics::significance::{confidence, p_value};
use treeglot_metrics::tokenize::Tokenizer;
use treeglot_metrics::{EvalSettings, Metric, Paired};
use treeglot_text::Lines;

/// A difference is marked when chance explains it with less than this probability.
pub const LEVEL: f64 = 0.05;

/// The upper ends of the length buckets, in source words; the last bucket is open.
const BUCKETS: [usize; 5] = [8, 12, 16, 20, 30];

/// What is compared: the files of one test set.
#[derive(Debug, Clone)]
pub struct TestFiles {
    /// The source words, for lengths.
    pub source: PathBuf,
    /// The references.
    pub references: Vec<PathBuf>,
    /// Each system's translations.
    pub outputs: Vec<PathBuf>,
    /// The links between source and first reference, and those between source and each system's translations, for metrics of
    /// word order; without, these match words.
    pub links: Option<(PathBuf, Vec<PathBuf>)>,
}

/// The scores of one test set.
#[derive(Debug, Clone)]
pub struct TestScores {
    /// The metrics' names.
    pub metrics: Vec<String>,
    /// How each score was made, as sacreBLEU writes it.
    pub signatures: Vec<String>,
    /// How many sentences the set has.
    pub sentences: usize,
    /// Whether more is better, a metric.
    pub higher: Vec<bool>,
    /// For each system its scores.
    pub systems: Vec<Vec<Value>>,
    /// The names of length buckets that have sentences.
    pub buckets: Vec<String>,
    /// For each system the first metric's score in each bucket.
    pub by_length: Vec<Vec<Option<f64>>>,
}

/// A score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The score.
    pub score: f64,
    /// Half the width of its interval of 95%, by bootstrap; none where no samples are drawn.
    pub half_width: Option<f64>,
    /// How well chance explains the difference from the first system; none for the first itself.
    pub p: Option<f64>,
}

impl Value {
    /// `↑` for significantly better than the first system, `↓` for worse, nothing otherwise.
    pub fn mark(&self, first: f64, higher: bool) -> &'static str {
        match self.p {
            Some(p) if p < LEVEL && (self.score > first) == higher => "↑",
            Some(p) if p < LEVEL => "↓",
            _ => "",
        }
    }
}

/// Scores the systems; `tokenize` is the tokeniser where the settings name none.
pub fn evaluate(files: &TestFiles, eval: &EvalSettings, tokenize: Tokenizer) -> Result<TestScores> {
    let mut metrics = eval.build(tokenize)?;
    let (reference_links, hypothesis_links) = files.links.clone().unzip();
    let scored_files = Files {
        references: files.references.clone(),
        hypotheses: files.outputs.clone(),
        reference_links,
        hypothesis_links: hypothesis_links.unwrap_or_default(),
        empty_is_missing: false,
    };
    let scored = score(&scored_files, &mut metrics, true)?;
    let systems = (0..scored.systems.len()).map(|k| values(&metrics, &scored, k, eval)).collect();
    let (buckets, by_length) = by_length(metrics[0].as_ref(), &scored, &lengths(files)?);
    Ok(TestScores {
        metrics: metrics.iter().map(|metric| metric.name().to_string()).collect(),
        signatures: metrics.iter().map(|metric| metric.signature(scored.references)).collect(),
        sentences: scored.sentences,
        higher: metrics.iter().map(|metric| metric.higher_is_better()).collect(),
        systems,
        buckets,
        by_length,
    })
}

fn values(metrics: &[Box<dyn Metric>], scored: &Scored, system: usize, eval: &EvalSettings) -> Vec<Value> {
    let of = |(k, metric): (usize, &dyn Metric)| {
        let (first, own) = (&scored.systems[0].statistics[k], &scored.systems[system].statistics[k]);
        let test = if system > 0 { eval.paired } else { Paired::None };
        let bootstrap = eval.paired == Paired::Bootstrap;
        let sure = bootstrap.then(|| confidence(metric, own, eval.samples(Paired::Bootstrap), eval.seed));
        Value {
            score: metric.score(&scored.systems[system].sums[k]),
            half_width: sure.map(|sure| sure.half_width),
            p: p_value(metric, first, own, test, eval.samples(test), eval.seed),
        }
    };
    metrics.iter().map(AsRef::as_ref).enumerate().map(of).collect()
}

fn lengths(files: &TestFiles) -> Result<Vec<usize>> {
    let mut lines = Lines::open(&files.source)?;
    let mut lengths = Vec::new();
    while let Some(line) = lines.next_line()? {
        lengths.push(line.split_ascii_whitespace().count());
    }
    Ok(lengths)
}

fn by_length(
    metric: &dyn Metric,
    scored: &Scored,
    lengths: &[usize],
) -> (Vec<String>, Vec<Vec<Option<f64>>>) {
    let bucket = |length: usize| BUCKETS.iter().position(|&end| length <= end).unwrap_or(BUCKETS.len());
    let present: Vec<usize> =
        (0..=BUCKETS.len()).filter(|&b| lengths.iter().any(|&length| bucket(length) == b)).collect();
    let name = |b: usize| match (b.checked_sub(1).map(|before| BUCKETS[before] + 1), BUCKETS.get(b)) {
        (None, Some(end)) => format!("1-{end}"),
        (Some(start), Some(end)) => format!("{start}-{end}"),
        (start, None) => format!("{}+", start.unwrap_or(1)),
    };
    let of_system = |statistics: &Statistics| {
        let of_bucket = |&b: &usize| {
            let mut sums = vec![0.0; statistics.size];
            let inside = statistics.sentences().zip(lengths).filter(|&(_, &length)| bucket(length) == b);
            for (values, _) in inside {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            Some(metric.score(&sums))
        };
        present.iter().map(of_bucket).collect()
    };
    let systems = scored.systems.iter().map(|system| of_system(&system.statistics[0])).collect();
    (present.iter().map(|&b| name(b)).collect(), systems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &std::path::Path) -> TestFiles {
        let write = |name: &str, text: String| {
            std::fs::write(dir.join(name), text).unwrap();
            dir.join(name)
        };
        let lines =
            |words: &[&str]| words.iter().map(|word| format!("{word} b c d e f\n")).collect::<String>();
        let many = |word: &'static str| vec![word; 60];
        let long = "a b c d e f g h i\n".repeat(60);
        let source = write("source", lines(&many("s")) + &long);
        let reference = write("reference", lines(&many("a")) + &long);
        let good = write("good", lines(&many("a")) + &long);
        let bad = write("bad", lines(&many("x")) + &long.replace('c', "x"));
        TestFiles { source, references: vec![reference], outputs: vec![bad, good], links: None }
    }

    #[test]
    fn a_better_system_is_marked_and_lengths_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let scores = evaluate(&files(dir.path()), &EvalSettings::default(), Tokenizer::None).unwrap();
        assert_eq!(scores.metrics, ["bleu", "chrf", "ter"]);
        let (first, second) = (scores.systems[0][0], scores.systems[1][0]);
        assert_eq!(second.mark(first.score, true), "↑");
        assert!(first.half_width.is_some_and(|half| half > 0.0 && half < 20.0));
        assert!(scores.signatures[0].starts_with("nrefs:1|case:mixed|"), "{:?}", scores.signatures);
        assert_eq!(first.mark(first.score, true), "");
        assert!((second.score - 100.0).abs() < 1e-9);
        assert_eq!(
            scores.systems[1][2].mark(scores.systems[0][2].score, scores.higher[2]),
            "↑",
            "less TER is better"
        );
        assert_eq!(scores.buckets, ["1-8", "9-12"]);
        assert!(scores.by_length[0][0].unwrap() > scores.by_length[0][1].unwrap());
    }
}
