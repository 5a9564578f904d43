//! What tuning makes better: a metric over a development set whose references are prepared once.

use crate::dev::DevSet;
use crate::error::Error;
use treeglot_metrics::{Hypothesis, Metric, Sentence};

/// A metric and the references of a development set.
pub struct Objective<'m> {
    metric: &'m dyn Metric,
    smoothed: &'m dyn Metric,
    sentences: Vec<Box<dyn Sentence + 'm>>,
    lengths: Vec<f64>,
}

impl<'m> Objective<'m> {
    /// The objective of `metric` on the sentences of a development set. `smoothed` must have the same statistics; it
    /// scores single sentences for PRO, which wants BLEU with one added to each count (Hopkins & May 2011, section 5).
    pub fn new(metric: &'m dyn Metric, smoothed: &'m dyn Metric, dev: &DevSet) -> Self {
        let mut sentences = Vec::with_capacity(dev.len());
        let mut lengths = Vec::with_capacity(dev.len());
        dev.for_each(|references| {
            sentences.push(metric.prepare(references));
            let words = references.texts.first().map_or(0, |text| text.split_whitespace().count());
            lengths.push(words.max(1) as f64);
        });
        Self { metric, smoothed, sentences, lengths }
    }

    /// How many sentences the development set has.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Whether the development set has no sentences.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// How many statistics a sentence has.
    pub fn size(&self) -> usize {
        self.metric.size()
    }

    /// The metric's name.
    pub fn name(&self) -> &str {
        self.metric.name()
    }

    /// The number of words of a sentence's first reference, at least 1.
    pub fn reference_length(&self, sentence: usize) -> f64 {
        self.lengths[sentence]
    }

    /// Writes the statistics of a translation of a sentence to `statistics`.
    pub fn statistics(&self, sentence: usize, hypothesis: &Hypothesis<'_>, statistics: &mut Vec<f64>) {
        statistics.clear();
        statistics.resize(self.size(), 0.0);
        self.sentences[sentence].add_statistics(hypothesis, statistics);
    }

    /// The score as the metric gives it.
    pub fn score(&self, sums: &[f64]) -> f64 {
        self.metric.score(sums)
    }

    /// The score, if it is a number.
    pub(crate) fn checked(&self, score: f64) -> Result<f64, Error> {
        let wrong = || Error::ScoreNotFinite { metric: self.name().to_string() };
        if score.is_finite() { Ok(score) } else { Err(wrong()) }
    }

    /// Whether a score is better than another.
    pub fn is_better(&self, score: f64, other: f64) -> bool {
        self.oriented(score) > self.oriented(other)
    }

    /// The score turned so that more is better: what all tuners maximise.
    pub fn goodness(&self, sums: &[f64]) -> f64 {
        self.oriented(self.metric.score(sums))
    }

    /// The smoothed score of one sentence, turned so that more is better.
    pub fn sentence_goodness(&self, statistics: &[f64]) -> f64 {
        self.oriented(self.smoothed.sentence_score(statistics))
    }

    fn oriented(&self, score: f64) -> f64 {
        if self.metric.higher_is_better() { score } else { -score }
    }
}
