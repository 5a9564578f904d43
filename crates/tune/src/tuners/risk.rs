//! Minimum risk (Smith & Eisner 2006): the weights under which the candidates that the model finds likely are good on
//! average. The expected score is smooth, so that its gradient leads there, with any number of features.

use super::{Job, Optimum, Tuner, normalised, positive, varying};
use crate::candidates::{CandidateList, Candidates};
use crate::error::Error;
use crate::lbfgs::minimise;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use treeglot_text::interrupt;

/// How the risk is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Risk {
    /// How sharply the minimum risk tuner tells candidates apart at first: scores are multiplied by this
    #[cfg_attr(feature = "clap", arg(id = "risk-scale", long = "risk-scale", value_name = "FACTOR", default_value_t = Risk::default().scale))]
    pub scale: f64,
    /// How strongly its weights are pulled towards 0, in points of the metric
    #[cfg_attr(feature = "clap", arg(id = "risk-regularisation", long = "risk-regularisation", value_name = "PULL", default_value_t = Risk::default().regularisation))]
    pub regularisation: f64,
}

impl Default for Risk {
    fn default() -> Self {
        Self { scale: 3.0, regularisation: 0.01 }
    }
}

impl Tuner for Risk {
    fn optimise(&self, job: &Job<'_>) -> Result<Optimum, Error> {
        let (candidates, objective) = (job.lists()?, job.objective);
        let spreads = varying(candidates)?;
        let start = normalised(job.start(candidates.features()), &spreads, candidates.dense());
        let sentences: Vec<usize> = (0..candidates.lists().len()).collect();
        let goodness: Vec<Vec<f64>> =
            sentences.par_iter().map(|&s| candidates.sentence_goodness(s, objective)).collect();
        let words: f64 = sentences.iter().map(|&s| objective.reference_length(s)).sum();
        let share = |sentence: usize| objective.reference_length(sentence) / words;
        let expectation = Expectation { candidates, goodness: &goodness, spreads: &spreads };
        // A feature's influence, its weight times its spread, is what is learned: then one pull fits all features.
        let mut weights: Vec<f64> = start.iter().map(|weight| weight * self.scale).collect();
        let influences = weights.iter().enumerate().map(|(i, w)| w * spreads.get(i).copied().unwrap_or(0.0));
        let influences: Vec<f64> = influences.collect();
        let loss = |influences: &[f64], gradient: &mut [f64]| {
            interrupt::check();
            expectation.set_weights(influences, &mut weights);
            let each: Vec<(f64, Vec<f64>)> =
                sentences.par_iter().map(|&sentence| expectation.of_sentence(sentence, &weights)).collect();
            let mut loss = 0.0;
            for (slope, influence) in gradient.iter_mut().zip(influences) {
                *slope = self.regularisation * influence;
                loss += 0.5 * self.regularisation * influence * influence;
            }
            for (sentence, (expected, slopes)) in each.iter().enumerate() {
                loss -= share(sentence) * expected;
                gradient.iter_mut().zip(slopes).for_each(|(g, slope)| *g -= share(sentence) * slope);
            }
            loss
        };
        let found = minimise(loss, &influences, 200, 1e-4);
        let mut weights = start;
        expectation.set_weights(&found, &mut weights);
        let weights = normalised(weights, &spreads, candidates.dense());
        Ok(Optimum { score: objective.score(&candidates.sums(&weights)), weights })
    }

    fn check(&self) -> Result<(), (&'static str, &'static str)> {
        match self {
            Self { scale, .. } if !positive(*scale) => Err(("scale", "a number above 0")),
            Self { regularisation, .. } if !positive(*regularisation) => {
                Err(("regularisation", "a number above 0"))
            }
            _ => Ok(()),
        }
    }
}

/// The expected score of sentences, as a function of the influences of features.
struct Expectation<'a> {
    candidates: &'a Candidates,
    /// For each sentence the score of each row of its statistics.
    goodness: &'a [Vec<f64>],
    spreads: &'a [f64],
}

impl Expectation<'_> {
    /// Weights from influences; those of features that never vary stay.
    fn set_weights(&self, influences: &[f64], weights: &mut [f64]) {
        for ((weight, influence), &spread) in weights.iter_mut().zip(influences).zip(self.spreads) {
            if spread > 0.0 {
                *weight = influence / spread;
            }
        }
    }

    /// The expected score of a sentence, and its slope along each influence: the covariance of score and feature.
    fn of_sentence(&self, sentence: usize, weights: &[f64]) -> (f64, Vec<f64>) {
        let list: &CandidateList = &self.candidates.lists()[sentence];
        let goodness = &self.goodness[sentence];
        let mut slopes = vec![0.0; self.spreads.len()];
        if list.is_empty() {
            return (goodness[0], slopes);
        }
        let mut scores = Vec::new();
        list.set_scores(weights, &mut scores);
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores.iter_mut().for_each(|score| *score = (*score - greatest).exp());
        let sum: f64 = scores.iter().sum();
        let of = |candidate: usize| goodness[list.rows()[candidate] as usize];
        let expected = scores.iter().enumerate().map(|(i, p)| p / sum * of(i)).sum();
        // From here on each candidate's share of the covariance: the mean of these is 0, so means of features fall out.
        scores.iter_mut().enumerate().for_each(|(i, p)| *p = *p / sum * (of(i) - expected));
        for (slope, column) in slopes.iter_mut().zip(list.columns()) {
            *slope = column.iter().zip(&scores).map(|(&value, p)| f64::from(value) * p).sum();
        }
        for (candidate, p) in scores.iter().enumerate() {
            for &(feature, value) in list.sparse(candidate) {
                slopes[feature as usize] += f64::from(value) * p;
            }
        }
        for (slope, &spread) in slopes.iter_mut().zip(self.spreads) {
            *slope = if spread > 0.0 { *slope / spread } else { 0.0 };
        }
        (expected, slopes)
    }
}
