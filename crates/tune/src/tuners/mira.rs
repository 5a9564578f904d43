//! k-best batch MIRA (Cherry & Foster 2012, section 3.3): for many features, and stable where MERT is not.
//!
//! For each sentence the candidate that model and metric together hope for is moved above the one they fear, by the
//! least change of weights, at most C. The metric judges a sentence in the company of a fading sum of statistics of
//! earlier ones, so that it is the corpus score that grows.

use super::{Job, Optimum, Tuner, normalised, positive, varying};
use crate::candidates::{CandidateList, Candidates};
use crate::error::Error;
use crate::objective::Objective;
use serde::{Deserialize, Serialize};
use treeglot_text::Rng;
use treeglot_text::interrupt;

/// How MIRA learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Mira {
    /// The greatest step of one update of MIRA: lower is more careful
    #[cfg_attr(feature = "clap", arg(id = "mira-c", long = "mira-c", value_name = "C", default_value_t = Mira::default().c))]
    pub c: f64,
    /// What is left of earlier sentences' statistics after each sentence that MIRA sees
    #[cfg_attr(feature = "clap", arg(id = "mira-decay", long = "mira-decay", value_name = "SHARE", default_value_t = Mira::default().decay))]
    pub decay: f64,
    /// How often MIRA sees all sentences
    #[cfg_attr(feature = "clap", arg(id = "mira-epochs", long = "mira-epochs", value_name = "N", default_value_t = Mira::default().epochs))]
    pub epochs: usize,
    /// How fast MIRA learns weights of sparse features, against those of dense ones: lower is more careful
    #[cfg_attr(feature = "clap", arg(id = "mira-sparse-rate", long = "mira-sparse-rate", value_name = "SHARE", default_value_t = Mira::default().sparse_rate))]
    #[serde(skip_serializing_if = "is_default_rate")]
    pub sparse_rate: f64,
    /// In the lists of which share of all sentences a sparse feature must differ, to get a weight from MIRA
    #[cfg_attr(feature = "clap", arg(id = "mira-sparse-share", long = "mira-sparse-share", value_name = "SHARE", default_value_t = Mira::default().sparse_share))]
    #[serde(skip_serializing_if = "is_default_share")]
    pub sparse_share: f64,
}

// Keys of stages hold all settings: those of sparse features are left out where they are as ever, so that other results keep theirs.
fn is_default_rate(rate: &f64) -> bool {
    *rate == Mira::default().sparse_rate
}

fn is_default_share(share: &f64) -> bool {
    *share == Mira::default().sparse_share
}

impl Default for Mira {
    fn default() -> Self {
        Self { c: 0.01, decay: 0.999, epochs: 60, sparse_rate: 1.0, sparse_share: 0.04 }
    }
}

impl Tuner for Mira {
    /// The averaged weights of the epoch that does best on the candidates, normalised to a sum of 1.
    fn optimise(&self, job: &Job<'_>) -> Result<Optimum, Error> {
        let (candidates, objective) = (job.lists()?, job.objective);
        let spreads = varying(candidates)?;
        let weights = job.start(candidates.features());
        let mut best = weights.clone();
        let mut best_goodness = f64::NEG_INFINITY;
        let mut learner = Learner::new(self, candidates, objective, weights);
        let mut rng = Rng::of_job(job.seed, 0);
        let mut order: Vec<usize> = (0..candidates.lists().len()).collect();
        for _ in 0..self.epochs {
            rng.shuffle(&mut order);
            for &sentence in &order {
                learner.see(sentence);
            }
            let average = learner.average();
            let goodness = objective.goodness(&candidates.sums(&average));
            if goodness > best_goodness {
                (best, best_goodness) = (normalised(average, &spreads, candidates.dense()), goodness);
            }
        }
        Ok(Optimum { score: objective.score(&candidates.sums(&best)), weights: best })
    }

    fn check(&self) -> Result<(), (&'static str, &'static str)> {
        match self {
            Self { c, .. } if !positive(*c) => Err(("c", "a number above 0")),
            Self { decay, .. } if !(0.0..=1.0).contains(decay) => Err(("decay", "a number from 0 to 1")),
            Self { epochs: 0, .. } => Err(("epochs", "at least 1")),
            Self { sparse_share, .. } if !(0.0..=1.0).contains(sparse_share) => {
                Err(("sparse-share", "a share from 0 to 1"))
            }
            Self { sparse_rate, .. } if !positive(*sparse_rate) => Err(("sparse-rate", "a number above 0")),
            _ => Ok(()),
        }
    }
}

impl Mira {
    /// How fast the weight of each feature is learnt. Slower is as if its values were smaller: the least change of weights then
    /// leaves it to others.
    fn rates(&self, candidates: &Candidates) -> Vec<f64> {
        let dense = std::iter::repeat_n(1.0, candidates.dense());
        let varying = candidates.sentences_of_sparse();
        let least = self.sparse_share * candidates.lists().len() as f64;
        let rate = |&count: &u32| if f64::from(count) >= least { self.sparse_rate } else { 0.0 };
        dense.chain(varying.iter().map(rate)).collect()
    }
}

struct Learner<'a> {
    settings: &'a Mira,
    candidates: &'a Candidates,
    objective: &'a Objective<'a>,
    weights: Vec<f64>,
    /// How fast each weight is learnt.
    rates: Vec<f64>,
    /// The sum of all updates, each times the number of sentences seen before it: what the average lacks.
    late: Vec<f64>,
    seen: f64,
    background: Vec<f64>,
    background_length: f64,
    scores: Vec<f64>,
    sums: Vec<f64>,
    /// The candidate of each row with the best score.
    best: Vec<Option<usize>>,
}

/// The best candidate of a row of statistics, with the model's score and the row's gain in the metric.
#[derive(Clone, Copy)]
struct Choice {
    candidate: usize,
    score: f64,
    gain: f64,
}

impl<'a> Learner<'a> {
    /// The background begins as what the start weights give, as much of it as decay would leave, and one of each, so that
    /// BLEU is not flat where nothing matches yet.
    fn new(
        settings: &'a Mira,
        candidates: &'a Candidates,
        objective: &'a Objective<'a>,
        weights: Vec<f64>,
    ) -> Self {
        let count = objective.len() as f64;
        let share = ((1.0 - settings.decay.powf(count)) / (1.0 - settings.decay).max(1e-9) / count).min(1.0);
        let background = candidates.sums(&weights).into_iter().map(|sum| 1.0 + sum * share).collect();
        let length: f64 = (0..objective.len()).map(|s| objective.reference_length(s)).sum();
        Self {
            late: vec![0.0; weights.len()],
            rates: settings.rates(candidates),
            seen: 0.0,
            background,
            background_length: length * share,
            scores: Vec::new(),
            sums: Vec::new(),
            best: Vec::new(),
            settings,
            candidates,
            objective,
            weights,
        }
    }

    fn see(&mut self, sentence: usize) {
        interrupt::check();
        let list = &self.candidates.lists()[sentence];
        self.seen += 1.0;
        let Some((hope, fear)) = self.hope_and_fear(sentence, list) else { return };
        if hope.gain <= fear.gain {
            return;
        }
        let loss = (hope.gain - fear.gain) - (hope.score - fear.score);
        if loss > 0.0 {
            let difference = self.candidates.difference(sentence, hope.candidate, fear.candidate);
            let norm: f64 = difference.iter().map(|&(feature, d)| self.rates[feature] * d * d).sum();
            if norm > 0.0 {
                self.update(&difference, self.settings.c.min(loss / norm));
            }
        }
        let row = list.row(list.rows()[hope.candidate], self.candidates.size());
        for (sum, &statistic) in self.background.iter_mut().zip(row) {
            *sum = *sum * self.settings.decay + f64::from(statistic);
        }
        let length = self.objective.reference_length(sentence);
        self.background_length = self.background_length * self.settings.decay + length;
    }

    /// Candidates with the same statistics differ in the model's score only, so the metric is asked once a row.
    fn hope_and_fear(&mut self, sentence: usize, list: &CandidateList) -> Option<(Choice, Choice)> {
        let size = self.candidates.size();
        list.set_scores(&self.weights, &mut self.scores);
        self.best.clear();
        self.best.resize(list.row_count(size), None);
        for (candidate, &row) in list.rows().iter().enumerate() {
            let best = &mut self.best[row as usize];
            if best.is_none_or(|b| self.scores[candidate] > self.scores[b]) {
                *best = Some(candidate);
            }
        }
        let length = self.background_length + self.objective.reference_length(sentence);
        let (mut hope, mut fear): (Option<Choice>, Option<Choice>) = (None, None);
        for (row, candidate) in self.best.iter().copied().enumerate().filter_map(|(r, c)| Some((r, c?))) {
            self.sums.clear();
            let statistics = list.row(row as u32, size);
            self.sums.extend(self.background.iter().zip(statistics).map(|(b, &s)| b + f64::from(s)));
            let gain = self.objective.goodness(&self.sums) / 100.0 * length;
            let choice = Choice { candidate, score: self.scores[candidate], gain };
            if hope.is_none_or(|h| choice.score + gain > h.score + h.gain) {
                hope = Some(choice);
            }
            if fear.is_none_or(|f| choice.score - gain > f.score - f.gain) {
                fear = Some(choice);
            }
        }
        hope.zip(fear)
    }

    fn update(&mut self, difference: &[(usize, f64)], step: f64) {
        for &(feature, value) in difference {
            let step = step * self.rates[feature];
            self.weights[feature] += step * value;
            self.late[feature] += step * value * (self.seen - 1.0);
        }
    }

    /// The mean of the weights after each sentence seen.
    fn average(&self) -> Vec<f64> {
        self.weights.iter().zip(&self.late).map(|(w, late)| w - late / self.seen.max(1.0)).collect()
    }
}
