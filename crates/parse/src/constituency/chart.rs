//! The chart over all spans of a sentence: the sum over all trees, the share of trees that have each labelled span, and
//! the tree that scores best (CKY).
//!
//! A tree's score is the sum of the scores of its labelled spans, label 0 included (see [`super::labels`]). A span is
//! *complete* if it has a label other than 0, or is a word; it is *partial* if it is a rest of children. Of two
//! neighbours that form a larger span the left one is complete, so that every tree has one binary form and is counted
//! once. Inside and outside sums are logarithms.

use super::labels::{Label, Labelled, NONE};
use crate::nn::{exp, simd};
use treeglot_tree::hypergraph::log_sum;

/// How many spans a sentence has.
pub(crate) fn span_count(length: usize) -> usize {
    length * (length + 1) / 2
}

/// The number of a span: those that start at the same word follow each other.
pub(crate) fn span_number(length: usize, start: usize, end: usize) -> usize {
    start * (2 * length + 1 - start) / 2 + (end - start - 1)
}

/// The scores of all labels of all spans of a sentence, by span number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scores<'a> {
    pub(crate) length: usize,
    pub(crate) labels: usize,
    pub(crate) values: &'a [f32],
}

impl<'a> Scores<'a> {
    pub(crate) fn of(&self, span: usize) -> &'a [f32] {
        &self.values[span * self.labels..(span + 1) * self.labels]
    }
}

/// Inside and outside sums of one sentence; the buffers are used again for the next one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chart {
    length: usize,
    /// The log sum of the scores of all labels that make a span complete.
    labels: Vec<f64>,
    /// The score of label 0, for spans that can be partial.
    none: Vec<f64>,
    /// The log sum of all that can be below a span, without its own label.
    body: Vec<f64>,
    complete: Vec<f64>,
    /// Complete or partial.
    any: Vec<f64>,
    outside_complete: Vec<f64>,
    outside_partial: Vec<f64>,
    terms: Vec<f64>,
}

const ZERO: f64 = f64::NEG_INFINITY;

fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if low == ZERO { high } else { high + (low - high).exp().ln_1p() }
}

impl Chart {
    fn number(&self, start: usize, end: usize) -> usize {
        span_number(self.length, start, end)
    }

    #[inline(always)]
    fn start(&mut self, scores: Scores<'_>) {
        self.length = scores.length;
        let count = span_count(scores.length);
        for values in [&mut self.body, &mut self.complete, &mut self.any, &mut self.labels, &mut self.none] {
            values.clear();
            values.resize(count, ZERO);
        }
        for start in 0..self.length {
            for end in start + 1..=self.length {
                let span = self.number(start, end);
                let all = scores.of(span);
                let (none, labels) = all.split_at(1);
                let counted = if end == start + 1 { all } else { labels };
                let max = counted.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let sum: f32 = counted.iter().map(|&s| exp(s - max)).sum();
                self.labels[span] = f64::from(max) + f64::from(sum).ln();
                self.none[span] = if end == start + 1 { ZERO } else { f64::from(none[0]) };
            }
        }
    }

    /// The log sum of the scores of all trees.
    pub(crate) fn inside(&mut self, scores: Scores<'_>) -> f64 {
        simd(|| self.start(scores));
        let n = self.length;
        let mut terms = std::mem::take(&mut self.terms);
        for width in 1..=n {
            for start in 0..=n - width {
                let end = start + width;
                let span = self.number(start, end);
                let body =
                    if width == 1 {
                        0.0
                    } else {
                        terms.clear();
                        terms.extend((start + 1..end).map(|mid| {
                            self.complete[self.number(start, mid)] + self.any[self.number(mid, end)]
                        }));
                        log_sum(&terms)
                    };
                self.body[span] = body;
                self.complete[span] = self.labels[span] + body;
                self.any[span] = log_add(self.complete[span], self.none[span] + body);
            }
        }
        self.terms = terms;
        self.complete[self.number(0, n)]
    }

    /// After [`Chart::inside`]: the sums over all that is outside each span.
    pub(crate) fn outside(&mut self) {
        let n = self.length;
        for values in [&mut self.outside_complete, &mut self.outside_partial] {
            values.clear();
            values.resize(span_count(n), ZERO);
        }
        let top = self.number(0, n);
        self.outside_complete[top] = 0.0;
        let mut terms = std::mem::take(&mut self.terms);
        for width in (1..n).rev() {
            for start in 0..=n - width {
                let end = start + width;
                let span = self.number(start, end);
                // As the right neighbour, complete or partial; then as the left one, complete.
                terms.clear();
                terms.extend((0..start).map(|left| {
                    self.above(self.number(left, end)) + self.complete[self.number(left, start)]
                }));
                let right = log_sum(&terms);
                terms.clear();
                terms.extend(
                    (end + 1..=n).map(|right| {
                        self.above(self.number(start, right)) + self.any[self.number(end, right)]
                    }),
                );
                terms.push(right);
                self.outside_partial[span] = right;
                self.outside_complete[span] = log_sum(&terms);
            }
        }
        self.terms = terms;
    }

    /// The sum over all that is outside the body of a span.
    fn above(&self, span: usize) -> f64 {
        log_add(self.outside_complete[span] + self.labels[span], self.outside_partial[span] + self.none[span])
    }

    /// After [`Chart::outside`]: writes the share of trees that have each labelled span, as `scores` are laid out.
    pub(crate) fn marginals(&self, scores: Scores<'_>, out: &mut Vec<f32>) {
        out.clear();
        out.resize(scores.values.len(), 0.0);
        let total = self.complete[self.number(0, self.length)];
        for start in 0..self.length {
            for end in start + 1..=self.length {
                let span = self.number(start, end);
                let complete = self.outside_complete[span] + self.body[span] - total;
                let none = match end == start + 1 {
                    true => complete,
                    false => self.outside_partial[span] + self.body[span] - total,
                };
                // Most spans are in hardly any tree: their labels need no exponentials.
                if complete + self.labels[span] < -25.0 && none + self.none[span] < -25.0 {
                    continue;
                }
                let all = scores.of(span);
                let out = &mut out[span * scores.labels..(span + 1) * scores.labels];
                let base = complete as f32;
                for (out, &score) in out.iter_mut().zip(all) {
                    *out = exp(base + score);
                }
                out[0] = exp((none + f64::from(all[0])) as f32);
            }
        }
    }

    /// The best tree, by the best label of each span: its score and its spans, those with label 0 included; no spans if the
    /// scores are no numbers.
    pub(crate) fn best(&mut self, scores: Scores<'_>) -> (f64, Vec<Labelled>) {
        let n = scores.length;
        self.length = n;
        let count = span_count(n);
        for values in [&mut self.complete, &mut self.any] {
            values.clear();
            values.resize(count, ZERO);
        }
        let mut labels: Vec<Label> = vec![NONE; count];
        let mut splits: Vec<u32> = vec![0; count];
        for width in 1..=n {
            for start in 0..=n - width {
                let end = start + width;
                let span = self.number(start, end);
                let mut body = if width == 1 { 0.0 } else { ZERO };
                for mid in start + 1..end {
                    let score = self.complete[self.number(start, mid)] + self.any[self.number(mid, end)];
                    if score > body {
                        body = score;
                        splits[span] = mid as u32;
                    }
                }
                let all = scores.of(span);
                let first = usize::from(width > 1);
                let mut best = first.min(all.len() - 1);
                for label in first..all.len() {
                    if all[label] > all[best] {
                        best = label;
                    }
                }
                labels[span] = best as Label;
                self.complete[span] = body + f64::from(all[best]);
                let partial = if width > 1 { body + f64::from(all[0]) } else { ZERO };
                self.any[span] = self.complete[span].max(partial);
            }
        }
        let total = self.complete[self.number(0, n)];
        let mut spans = Vec::with_capacity(2 * n);
        // Where the best score is a number, every span on the way to it has a split that was found.
        let mut stack = if total.is_finite() { vec![(0, n, true)] } else { Vec::new() };
        while let Some((start, end, complete)) = stack.pop() {
            let span = self.number(start, end);
            let label = if complete { labels[span] } else { NONE };
            spans.push(Labelled { start, end, label });
            if end - start > 1 {
                let mid = splits[span] as usize;
                let right = self.number(mid, end);
                stack.push((mid, end, self.complete[right] >= self.any[right]));
                stack.push((start, mid, true));
            }
        }
        (total, spans)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// All trees over `start..end` as lists of spans; `complete` if a tree's topmost span must be.
    pub(crate) fn all_trees(start: usize, end: usize, labels: usize, complete: bool) -> Vec<Vec<Labelled>> {
        let single = end == start + 1;
        let mut bodies: Vec<Vec<Labelled>> = if single { vec![Vec::new()] } else { Vec::new() };
        for mid in start + 1..end {
            for left in all_trees(start, mid, labels, true) {
                for right in all_trees(mid, end, labels, false) {
                    bodies.push([left.clone(), right].concat());
                }
            }
        }
        let first = usize::from(complete && !single);
        (first..labels)
            .flat_map(|label| {
                bodies.iter().map(move |body| {
                    let mut spans = body.clone();
                    spans.push(Labelled { start, end, label: label as Label });
                    spans
                })
            })
            .collect()
    }

    pub(crate) fn random_scores(length: usize, labels: usize, seed: u64) -> Vec<f32> {
        let mut rng = crate::nn::Rng::of_job(seed, 0);
        (0..span_count(length) * labels).map(|_| 4.0 * rng.unit() - 2.0).collect()
    }

    pub(crate) fn score(tree: &[Labelled], scores: Scores<'_>) -> f64 {
        let one = |s: &Labelled| {
            let span = span_number(scores.length, s.start, s.end);
            f64::from(scores.of(span)[usize::from(s.label)])
        };
        tree.iter().map(one).sum()
    }

    #[test]
    fn sums_shares_and_the_best_tree_equal_those_of_all_trees() {
        for (length, labels, seed) in [(1, 3, 1), (2, 3, 2), (3, 2, 3), (4, 3, 4), (5, 2, 5)] {
            let values = random_scores(length, labels, seed);
            let scores = Scores { length, labels, values: &values };
            let trees = all_trees(0, length, labels, true);
            let totals: Vec<f64> = trees.iter().map(|t| score(t, scores)).collect();
            let mut chart = Chart::default();
            let inside = chart.inside(scores);
            assert!((inside - log_sum(&totals)).abs() < 1e-4, "{inside} {}", log_sum(&totals));

            chart.outside();
            let mut marginals = Vec::new();
            chart.marginals(scores, &mut marginals);
            let mut expected = vec![0.0; values.len()];
            for (tree, total) in trees.iter().zip(&totals) {
                for s in tree {
                    let span = span_number(length, s.start, s.end);
                    expected[span * labels + usize::from(s.label)] += (total - inside).exp();
                }
            }
            for (m, e) in marginals.iter().zip(&expected) {
                assert!((f64::from(*m) - e).abs() < 1e-4, "{m} {e}");
            }

            let (best, spans) = chart.best(scores);
            let expected = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((best - expected).abs() < 1e-6);
            assert!((score(&spans, scores) - expected).abs() < 1e-6);
        }
    }
}
