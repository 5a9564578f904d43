//! Minimum error rate training (Och 2003): exact line searches along single weights and random directions, from many
//! starts (Cer et al. 2008), for any metric.

use crate::error::Error;
use crate::objective::Objective;
use crate::rng::Rng;
use crate::surface::Surface;
use crate::sweep::{Found, Sweep};
use rayon::prelude::*;

/// How MERT searches.
#[derive(Debug, Clone)]
pub struct Mert {
    /// How many random starts there are beside the given ones.
    pub restarts: usize,
    /// How many random directions are tried in each pass beside the single weights.
    pub directions: usize,
    /// How often the best place so far is left a little, in half as many ways as there are restarts, and climbed to
    /// again: local optima lie close together.
    pub refinements: usize,
    /// A pass that gains less than this, in points of the metric, is the last.
    pub gain: f64,
    /// The seed of starts and directions.
    pub seed: u64,
}

impl Default for Mert {
    fn default() -> Self {
        Self { restarts: 20, directions: 2, refinements: 6, gain: 1e-3, seed: 1 }
    }
}

impl Mert {
    /// The settings for one round of many: what a round finds is not the last word, so it is refined less.
    pub fn for_round(&self, seed: u64) -> Self {
        Self { refinements: self.refinements.min(2), seed, ..self.clone() }
    }
}

/// Passes beyond this many are not needed: each ends at a better place, and they become slow only when gains are tiny.
const MAX_PASSES: usize = 50;

/// Of so many climbers one goes on after each pass.
const SURVIVING: usize = 3;

/// Weights and how good they are on the candidates they were tuned on.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The weights.
    pub weights: Vec<f64>,
    /// The metric's score, as the metric gives it.
    pub score: f64,
}

impl Mert {
    /// The best weights that a search from each of `starts` and from random places finds. Weights of features that
    /// never vary keep the value of the first start; the others are normalised to a sum of 1.
    pub fn optimise<S: Surface>(
        &self,
        surface: &S,
        objective: &Objective<'_>,
        starts: &[Vec<f64>],
    ) -> Result<Optimum, Error> {
        let spreads = surface.spreads();
        if spreads.iter().all(|&spread| spread == 0.0) {
            return Err(Error::NothingToTune);
        }
        let ascent = Ascent { settings: self, surface, objective, spreads: &spreads };
        let first = padded(starts.first().map_or(&[], Vec::as_slice), surface.features());
        let mut jobs = starts.len() + self.restarts;
        let field = (0..jobs).map(|job| {
            let mut rng = Rng::of_job(self.seed, job as u64);
            let weights = match starts.get(job) {
                Some(given) => padded(given, surface.features()),
                None => random_start(first.clone(), &spreads, &mut rng),
            };
            Climber::new(weights, rng)
        });
        let mut best = ascent.race(field.collect()).ok_or(Error::NothingToTune)?;
        for _ in 0..self.refinements {
            let field = (0..self.restarts.div_ceil(2)).map(|job| {
                let mut rng = Rng::of_job(self.seed, (jobs + job) as u64);
                Climber::new(moved_a_little(&best.weights, &spreads, &mut rng), rng)
            });
            let field: Vec<Climber> = field.collect();
            jobs += field.len();
            best = match ascent.race(field) {
                Some(found) if found.goodness > best.goodness => found,
                _ => best,
            };
        }
        Ok(Optimum { score: objective.score(&surface.sums(&best.weights)), weights: best.weights })
    }
}

/// A place near `weights`: each feature's influence changes by a part of the mean influence.
fn moved_a_little(weights: &[f64], spreads: &[f64], rng: &mut Rng) -> Vec<f64> {
    let varying = spreads.iter().filter(|&&spread| spread > 0.0).count().max(1) as f64;
    let mean = weights.iter().zip(spreads).map(|(w, s)| w.abs() * s).sum::<f64>() / varying;
    let mut moved = weights.to_vec();
    for (weight, &spread) in moved.iter_mut().zip(spreads).filter(|(_, spread)| **spread > 0.0) {
        *weight += 0.3 * mean * rng.normal() / spread;
    }
    moved
}

fn padded(weights: &[f64], features: usize) -> Vec<f64> {
    let mut weights = weights.to_vec();
    weights.resize(features.max(weights.len()), 0.0);
    weights
}

/// A place of which each feature has about the same influence as any other; weights keep the sign they have.
fn random_start(mut weights: Vec<f64>, spreads: &[f64], rng: &mut Rng) -> Vec<f64> {
    for (weight, &spread) in weights.iter_mut().zip(spreads).filter(|(_, spread)| **spread > 0.0) {
        let influence = rng.normal() / spread;
        *weight = if *weight == 0.0 { influence } else { influence.abs() * weight.signum() };
    }
    normalised(weights, spreads)
}

/// Scales the weights that matter so that their absolute values add up to 1.
pub(crate) fn normalised(mut weights: Vec<f64>, spreads: &[f64]) -> Vec<f64> {
    let matters = |i: usize| spreads.get(i).is_some_and(|&spread| spread > 0.0);
    let sum: f64 = weights.iter().enumerate().filter(|&(i, _)| matters(i)).map(|(_, w)| w.abs()).sum();
    if sum > 0.0 {
        weights.iter_mut().enumerate().filter(|(i, _)| matters(*i)).for_each(|(_, w)| *w /= sum);
    }
    weights
}

/// A place on its way up.
struct Climber {
    weights: Vec<f64>,
    goodness: f64,
    /// Whether its last pass gained too little for another one.
    done: bool,
    rng: Rng,
}

impl Climber {
    fn new(weights: Vec<f64>, rng: Rng) -> Self {
        Self { weights, goodness: f64::NEG_INFINITY, done: false, rng }
    }
}

/// What all climbers share.
struct Ascent<'a, S> {
    settings: &'a Mert,
    surface: &'a S,
    objective: &'a Objective<'a>,
    spreads: &'a [f64],
}

impl<S: Surface> Ascent<'_, S> {
    /// The climber that gets highest. After each pass only the better ones go on, for who is behind after a pass is
    /// rarely the winner in the end.
    fn race(&self, mut field: Vec<Climber>) -> Option<Climber> {
        for _ in 0..MAX_PASSES {
            field.par_iter_mut().filter(|climber| !climber.done).for_each(|climber| self.pass(climber));
            field.sort_by(|a, b| b.goodness.total_cmp(&a.goodness));
            field.truncate(field.len().div_ceil(SURVIVING));
            if field.iter().all(|climber| climber.done) {
                break;
            }
        }
        field.into_iter().next()
    }

    /// Searches along each weight and some random directions once, in a random order. How good the place is, is found
    /// out after its weights were normalised: beside weights that are fixed this may matter.
    fn pass(&self, climber: &mut Climber) {
        let Climber { weights, goodness, done, rng } = climber;
        let axes = (0..weights.len()).filter(|&i| self.spread(i) > 0.0);
        let random = std::iter::repeat_n(None, self.settings.directions);
        let mut order: Vec<Option<usize>> = axes.map(Some).chain(random).collect();
        rng.shuffle(&mut order);
        let (mut point, mut sweep) = (self.surface.at(weights), Sweep::default());
        let before = *goodness;
        for axis in order {
            let direction = self.direction(axis, weights.len(), rng);
            self.surface.line(&mut point, &direction, &mut sweep);
            let Found { step, .. } = sweep.best(self.objective);
            if step != 0.0 {
                weights.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
                self.surface.walk(&mut point, &direction, step);
            }
        }
        *weights = normalised(std::mem::take(weights), self.spreads);
        *goodness = self.objective.goodness(&self.surface.sums(weights));
        *done = *goodness - before < self.settings.gain;
    }

    fn spread(&self, feature: usize) -> f64 {
        self.spreads.get(feature).copied().unwrap_or(0.0)
    }

    /// A single weight, or a random direction in which all features have about the same influence.
    fn direction(&self, axis: Option<usize>, features: usize, rng: &mut Rng) -> Vec<f64> {
        let mut direction = vec![0.0; features];
        match axis {
            Some(axis) => direction[axis] = 1.0,
            None => {
                for (feature, value) in direction.iter_mut().enumerate() {
                    let spread = self.spread(feature);
                    *value = if spread > 0.0 { rng.normal() / spread } else { 0.0 };
                }
            }
        }
        direction
    }
}
