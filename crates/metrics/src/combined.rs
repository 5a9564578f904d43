//! Weighted sums of metrics, as a metric: the objective of a tuner that should not overfit one of them.

use crate::metric::{Hypothesis, Metric, RefCount, References, Sentence};

/// A weighted sum of metrics. Its statistics are those of its parts, one after the other.
pub struct Combined {
    name: String,
    parts: Vec<(f64, Box<dyn Metric>)>,
}

impl Combined {
    /// The sum of `parts`, each with its weight. Error rates such as TER want a negative weight.
    pub fn new(name: impl Into<String>, parts: Vec<(f64, Box<dyn Metric>)>) -> Self {
        Self { name: name.into(), parts }
    }

    fn weighted(&self, sums: &[f64], score: impl Fn(&dyn Metric, &[f64]) -> f64) -> f64 {
        let mut rest = sums;
        let mut total = 0.0;
        for (weight, metric) in &self.parts {
            let (own, others) = rest.split_at(metric.size());
            total += weight * score(metric.as_ref(), own);
            rest = others;
        }
        total
    }
}

struct Prepared<'a> {
    parts: Vec<(usize, Box<dyn Sentence + 'a>)>,
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let mut rest = sums;
        for (size, sentence) in &self.parts {
            let (own, others) = rest.split_at_mut(*size);
            sentence.add_statistics(hypothesis, own);
            rest = others;
        }
    }
}

impl Metric for Combined {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> usize {
        self.parts.iter().map(|(_, metric)| metric.size()).sum()
    }

    fn needs_study(&self) -> bool {
        self.parts.iter().any(|(_, metric)| metric.needs_study())
    }

    fn reads_links(&self) -> bool {
        self.parts.iter().any(|(_, metric)| metric.reads_links())
    }

    fn study(&mut self, references: &References<'_>) {
        for (_, metric) in &mut self.parts {
            metric.study(references);
        }
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        let prepare = |(_, metric): &'a (f64, Box<dyn Metric>)| (metric.size(), metric.prepare(references));
        Box::new(Prepared { parts: self.parts.iter().map(prepare).collect() })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        self.weighted(sums, |metric, own| metric.score(own))
    }

    fn sentence_score(&self, statistics: &[f64]) -> f64 {
        self.weighted(statistics, |metric, own| metric.sentence_score(own))
    }

    fn signature(&self, references: RefCount) -> String {
        let part = |(weight, metric): &(f64, Box<dyn Metric>)| {
            format!("{weight}*{}[{}]", metric.name(), metric.signature(references))
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join("+")
    }
}
