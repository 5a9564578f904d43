//! Pairwise ranked optimisation (Hopkins & May 2011): a linear classifier learns which of two candidates is better.

use crate::candidates::Candidates;
use crate::error::Error;
use crate::lbfgs::minimise;
use crate::mert::{Optimum, normalised};
use crate::objective::Objective;
use crate::rng::Rng;
use rayon::prelude::*;

/// How PRO samples and learns.
#[derive(Debug, Clone)]
pub struct Pro {
    /// How many pairs of candidates are drawn for each sentence; where there are fewer, all are taken.
    pub draws: usize,
    /// How many of them are kept: those that differ most in the metric.
    pub kept: usize,
    /// The least difference, in points of the metric, of a pair that is kept.
    pub difference: f64,
    /// How much of the new weights goes into the result; the rest is the old ones.
    pub interpolation: f64,
    /// The strength of the pull of weights towards 0, against that of one pair.
    pub regularisation: f64,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for Pro {
    fn default() -> Self {
        Self { draws: 5000, kept: 50, difference: 5.0, interpolation: 0.1, regularisation: 1.0, seed: 1 }
    }
}

/// The features of a better candidate less those of a worse one.
type Example = Vec<(usize, f64)>;

impl Pro {
    /// The interpolation of `start` and the weights of the classifier, both normalised to a sum of 1 over the
    /// features that vary.
    pub fn optimise(
        &self,
        candidates: &Candidates,
        objective: &Objective<'_>,
        start: &[f64],
    ) -> Result<Optimum, Error> {
        let spreads = candidates.spreads();
        let sentences = (0..candidates.lists().len()).into_par_iter();
        let sample = |sentence| self.examples(sentence, candidates, objective);
        let examples: Vec<Example> =
            sentences.map(sample).collect::<Vec<_>>().into_iter().flatten().collect();
        if examples.is_empty() {
            return Err(Error::NothingToTune);
        }
        let mut old = start.to_vec();
        old.resize(candidates.features().max(start.len()), 0.0);
        let old = normalised(old, &spreads);
        let loss = |weights: &[f64], gradient: &mut [f64]| self.loss(&examples, weights, gradient);
        let learned = normalised(minimise(loss, &old, 200, 1e-4), &spreads);
        let share = self.interpolation;
        let mut weights: Vec<f64> =
            old.iter().zip(&learned).map(|(o, l)| (1.0 - share) * o + share * l).collect();
        for (i, weight) in weights.iter_mut().enumerate() {
            if spreads.get(i).is_none_or(|&spread| spread == 0.0) {
                *weight = old[i];
            }
        }
        let weights = normalised(weights, &spreads);
        Ok(Optimum { score: objective.score(&candidates.sums(&weights)), weights })
    }

    fn examples(&self, sentence: usize, candidates: &Candidates, objective: &Objective<'_>) -> Vec<Example> {
        let (list, size) = (&candidates.lists()[sentence], candidates.size());
        if list.len() < 2 {
            return Vec::new();
        }
        let goodness: Vec<f64> = (0..list.row_count(size))
            .map(|row| list.row(row as u32, size).iter().map(|&s| f64::from(s)).collect::<Vec<_>>())
            .map(|row| objective.sentence_goodness(&row))
            .collect();
        let goodness = |candidate: usize| goodness[list.rows()[candidate] as usize];
        let mut pairs = Vec::new();
        let mut consider = |a: usize, b: usize| {
            let gap = goodness(a) - goodness(b);
            if gap.abs() >= self.difference {
                pairs.push(if gap > 0.0 { (gap, a, b) } else { (-gap, b, a) });
            }
        };
        let count = list.len();
        if count * (count - 1) / 2 <= self.draws {
            (0..count).for_each(|a| (0..a).for_each(|b| consider(a, b)));
        } else {
            let mut rng = Rng::of_job(self.seed, sentence as u64);
            (0..self.draws).for_each(|_| consider(rng.below(count), rng.below(count)));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        pairs.truncate(self.kept);
        pairs.into_iter().map(|(_, better, worse)| candidates.difference(sentence, better, worse)).collect()
    }

    /// The logistic loss of a pair and its mirror image, which are equal, and the pull towards 0.
    fn loss(&self, examples: &[Example], weights: &[f64], gradient: &mut [f64]) -> f64 {
        let mut loss = 0.0;
        for (slope, weight) in gradient.iter_mut().zip(weights) {
            *slope = self.regularisation * weight;
            loss += 0.5 * self.regularisation * weight * weight;
        }
        for example in examples {
            let margin: f64 = example.iter().map(|&(feature, d)| weights[feature] * d).sum();
            loss += 2.0 * (-margin.abs()).exp().ln_1p() - 2.0 * margin.min(0.0);
            let wrong = 1.0 / (1.0 + margin.exp());
            for &(feature, d) in example {
                gradient[feature] -= 2.0 * wrong * d;
            }
        }
        loss
    }
}
