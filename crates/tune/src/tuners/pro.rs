//! Pairwise ranked optimisation (Hopkins & May 2011): a linear classifier learns which of two candidates is better.

use super::{Job, Optimum, Tuner, normalised, positive, varying};
use crate::candidates::Candidates;
use crate::error::Error;
use crate::lbfgs::minimise;
use crate::objective::Objective;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use treeglot_text::Rng;
use treeglot_text::interrupt;

/// How PRO samples and learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Pro {
    /// How many pairs of candidates PRO draws for each sentence; where there are fewer, all are taken
    #[cfg_attr(feature = "clap", arg(id = "pro-draws", long = "pro-draws", value_name = "N", default_value_t = Pro::default().draws))]
    pub draws: usize,
    /// How many of them PRO keeps: those that differ most in the metric
    #[cfg_attr(feature = "clap", arg(id = "pro-kept", long = "pro-kept", value_name = "N", default_value_t = Pro::default().kept))]
    pub kept: usize,
    /// The least difference, in points of the metric, of a pair that PRO keeps
    #[cfg_attr(feature = "clap", arg(id = "pro-difference", long = "pro-difference", value_name = "POINTS", default_value_t = Pro::default().difference))]
    pub difference: f64,
    /// How much of PRO's new weights is taken, the rest being the old ones [default: 0.1 in each of many rounds, 1 on
    /// lists that are given]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "clap",
        arg(
            id = "pro-interpolation",
            long = "pro-interpolation",
            alias = "interpolate",
            value_name = "SHARE"
        )
    )]
    pub interpolation: Option<f64>,
    /// How strongly weights are pulled towards 0, against the pull of one pair
    #[cfg_attr(feature = "clap", arg(id = "pro-regularisation", long = "pro-regularisation", value_name = "PULL", default_value_t = Pro::default().regularisation))]
    pub regularisation: f64,
}

impl Default for Pro {
    fn default() -> Self {
        Self { draws: 5000, kept: 50, difference: 5.0, interpolation: None, regularisation: 1.0 }
    }
}

/// The features of a better candidate less those of a worse one.
type Example = Vec<(usize, f64)>;

impl Tuner for Pro {
    /// The interpolation of the weights so far and those of the classifier, both normalised to a sum of 1.
    fn optimise(&self, job: &Job<'_>) -> Result<Optimum, Error> {
        let (candidates, objective) = (job.lists()?, job.objective);
        let spreads = varying(candidates)?;
        let sentences = (0..candidates.lists().len()).into_par_iter();
        let sample = |sentence| {
            interrupt::check();
            self.examples(sentence, candidates, objective, job.seed)
        };
        let examples: Vec<Example> =
            sentences.map(sample).collect::<Vec<_>>().into_iter().flatten().collect();
        if examples.is_empty() {
            return Err(Error::NothingToTune);
        }
        let old = normalised(job.start(candidates.features()), &spreads, candidates.dense());
        let loss = |weights: &[f64], gradient: &mut [f64]| self.loss(&examples, weights, gradient);
        let learned = normalised(minimise(loss, &old, 200, 1e-4), &spreads, candidates.dense());
        let share = self.interpolation.unwrap_or(if job.repeats { 0.1 } else { 1.0 });
        let mut weights: Vec<f64> =
            old.iter().zip(&learned).map(|(o, l)| (1.0 - share) * o + share * l).collect();
        for (i, weight) in weights.iter_mut().enumerate() {
            if spreads.get(i).is_none_or(|&spread| spread == 0.0) {
                *weight = old[i];
            }
        }
        let weights = normalised(weights, &spreads, candidates.dense());
        Ok(Optimum { score: objective.score(&candidates.sums(&weights)), weights })
    }

    fn check(&self) -> Result<(), (&'static str, &'static str)> {
        match self {
            Self { draws: 0, .. } => Err(("draws", "at least 1")),
            Self { kept: 0, .. } => Err(("kept", "at least 1")),
            Self { difference, .. } if !(difference.is_finite() && *difference >= 0.0) => {
                Err(("difference", "a number from 0 on"))
            }
            Self { interpolation: Some(share), .. } if !(0.0..=1.0).contains(share) => {
                Err(("interpolation", "a share from 0 to 1"))
            }
            Self { regularisation, .. } if !positive(*regularisation) => {
                Err(("regularisation", "a number above 0"))
            }
            _ => Ok(()),
        }
    }
}

impl Pro {
    fn examples(
        &self,
        sentence: usize,
        candidates: &Candidates,
        objective: &Objective<'_>,
        seed: u64,
    ) -> Vec<Example> {
        let list = &candidates.lists()[sentence];
        if list.len() < 2 {
            return Vec::new();
        }
        let goodness = candidates.sentence_goodness(sentence, objective);
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
            let mut rng = Rng::of_job(seed, sentence as u64);
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
