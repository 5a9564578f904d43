//! Minimum error rate training (Och 2003): exact line searches along single weights and random directions, from many
//! starts (Cer et al. 2008), for any metric.

use crate::error::Error;
use crate::objective::Objective;
use crate::rng::Rng;
use crate::surface::Surface;
use crate::sweep::Sweep;
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

/// Passes beyond this many are not needed: each ends at a better place, and they become slow only when gains are tiny.
const MAX_PASSES: usize = 50;

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
        let climb = |start: Vec<f64>, rng: Rng| {
            let mut climb = Climb { surface, objective, spreads: &spreads, sweep: Sweep::default(), rng };
            let weights = normalised(climb.run(self, start), &spreads);
            (objective.goodness(&surface.sums(&weights)), weights)
        };
        let first = padded(starts.first().map_or(&[], Vec::as_slice), surface.features());
        let begin = |job: usize| {
            let mut rng = Rng::of_job(self.seed, job as u64);
            let start = match starts.get(job) {
                Some(given) => padded(given, surface.features()),
                None => random_start(first.clone(), &spreads, &mut rng),
            };
            climb(start, rng)
        };
        let mut jobs = starts.len() + self.restarts;
        let found: Vec<Place> = (0..jobs).into_par_iter().map(begin).collect();
        let mut best = first_best(found).ok_or(Error::NothingToTune)?;
        for _ in 0..self.refinements {
            let again = |job: usize| {
                let mut rng = Rng::of_job(self.seed, job as u64);
                let start = moved_a_little(&best.1, &spreads, &mut rng);
                climb(start, rng)
            };
            let found: Vec<Place> =
                (jobs..jobs + self.restarts.div_ceil(2)).into_par_iter().map(again).collect();
            jobs += found.len();
            best = first_best([vec![best], found].concat()).ok_or(Error::NothingToTune)?;
        }
        Ok(Optimum { score: objective.score(&surface.sums(&best.1)), weights: best.1 })
    }
}

/// Goodness and weights.
type Place = (f64, Vec<f64>);

fn first_best(places: Vec<Place>) -> Option<Place> {
    places.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a })
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

/// One ascent from one start.
struct Climb<'a, S> {
    surface: &'a S,
    objective: &'a Objective<'a>,
    spreads: &'a [f64],
    sweep: Sweep,
    rng: Rng,
}

impl<S: Surface> Climb<'_, S> {
    fn run(&mut self, settings: &Mert, mut weights: Vec<f64>) -> Vec<f64> {
        let axes: Vec<usize> = (0..weights.len()).filter(|&i| self.spread(i) > 0.0).collect();
        let mut point = self.surface.at(&weights);
        let mut goodness = f64::NEG_INFINITY;
        for _ in 0..MAX_PASSES {
            let before = goodness;
            let mut order: Vec<Option<usize>> = axes.iter().copied().map(Some).collect();
            order.resize(axes.len() + settings.directions, None);
            self.rng.shuffle(&mut order);
            for axis in order {
                let direction = self.direction(axis, weights.len());
                self.surface.line(&mut point, &direction, &mut self.sweep);
                let found = self.sweep.best(self.objective);
                goodness = found.goodness;
                if found.step != 0.0 {
                    weights.iter_mut().zip(&direction).for_each(|(w, d)| *w += found.step * d);
                    self.surface.walk(&mut point, &direction, found.step);
                }
            }
            if goodness - before < settings.gain {
                break;
            }
        }
        weights
    }

    fn spread(&self, feature: usize) -> f64 {
        self.spreads.get(feature).copied().unwrap_or(0.0)
    }

    /// A single weight, or a random direction in which all features have about the same influence.
    fn direction(&mut self, axis: Option<usize>, features: usize) -> Vec<f64> {
        let mut direction = vec![0.0; features];
        match axis {
            Some(axis) => direction[axis] = 1.0,
            None => {
                for (feature, value) in direction.iter_mut().enumerate() {
                    let spread = self.spread(feature);
                    *value = if spread > 0.0 { self.rng.normal() / spread } else { 0.0 };
                }
            }
        }
        direction
    }
}
