//! Minimum error rate training (Och 2003): exact line searches along single weights and random directions, from many
//! starts (Cer et al. 2008), for any metric.

use super::{Gathered, Job, Optimum, Tuner, normalised, padded, varying};
use crate::error::Error;
use crate::line_search::{ErrorSurface, LineOptimum, Sweep};
use crate::objective::Objective;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use treeglot_text::Rng;
use treeglot_text::interrupt;

/// How MERT searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Mert {
    /// Random starts of MERT beside the present weights [default: 20; over forests, where a line search takes longer, 4]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "clap",
        arg(id = "mert-restarts", long = "mert-restarts", alias = "restarts", value_name = "N")
    )]
    pub restarts: Option<usize>,
    /// Random directions that MERT tries in each pass beside the single weights
    #[cfg_attr(feature = "clap", arg(id = "mert-directions", long = "mert-directions", value_name = "N", default_value_t = Mert::default().directions))]
    pub directions: usize,
    /// How often MERT leaves the best place so far a little, at half as many places as there are restarts, and climbs
    /// again: local optima lie close together. In each of many rounds at most 2
    #[cfg_attr(feature = "clap", arg(id = "mert-refinements", long = "mert-refinements", value_name = "N", default_value_t = Mert::default().refinements))]
    pub refinements: usize,
    /// A pass of MERT that gains less than this, in points of the metric, is the last
    #[cfg_attr(feature = "clap", arg(id = "mert-gain", long = "mert-gain", value_name = "POINTS", default_value_t = Mert::default().gain))]
    pub gain: f64,
}

impl Default for Mert {
    fn default() -> Self {
        Self { restarts: None, directions: 2, refinements: 6, gain: 1e-3 }
    }
}

/// Passes beyond this many are not needed: each ends at a better place, and they become slow only when gains are tiny.
const MAX_PASSES: usize = 50;

/// Of so many climbers one goes on after each pass.
const SURVIVING: usize = 3;

impl Tuner for Mert {
    /// The best weights that a search from each of the starts and from random places finds, normalised to a sum of 1.
    fn optimise(&self, job: &Job<'_>) -> Result<Optimum, Error> {
        match job.gathered {
            Gathered::Lists(candidates) => self.search(candidates, job, self.restarts.unwrap_or(20)),
            Gathered::Forests(forests) => self.search(forests, job, self.restarts.unwrap_or(4)),
        }
    }

    fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let right = self.gain.is_finite() && self.gain >= 0.0;
        if right { Ok(()) } else { Err(("gain", "a number from 0 on")) }
    }
}

impl Mert {
    fn search<S: ErrorSurface>(&self, surface: &S, job: &Job<'_>, restarts: usize) -> Result<Optimum, Error> {
        let Job { objective, starts, seed, .. } = *job;
        let refinements = if job.repeats { self.refinements.min(2) } else { self.refinements };
        let spreads = varying(surface)?;
        let ascent = Ascent { settings: self, surface, objective, spreads: &spreads };
        let first = job.start(surface.features());
        let mut jobs = starts.len() + restarts;
        let field = (0..jobs).map(|job| {
            let mut rng = Rng::of_job(seed, job as u64);
            let weights = match starts.get(job) {
                Some(given) => padded(given, surface.features()),
                None => random_start(first.clone(), &spreads, &mut rng),
            };
            Climber::new(weights, rng)
        });
        let mut best = ascent.race(field.collect()).ok_or(Error::NothingToTune)?;
        for _ in 0..refinements {
            let field = (0..restarts.div_ceil(2)).map(|job| {
                let mut rng = Rng::of_job(seed, (jobs + job) as u64);
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

/// A place of which each feature has about the same influence as any other; weights keep the sign they have.
fn random_start(mut weights: Vec<f64>, spreads: &[f64], rng: &mut Rng) -> Vec<f64> {
    for (weight, &spread) in weights.iter_mut().zip(spreads).filter(|(_, spread)| **spread > 0.0) {
        let influence = rng.normal() / spread;
        *weight = if *weight == 0.0 { influence } else { influence.abs() * weight.signum() };
    }
    let all = weights.len();
    normalised(weights, spreads, all)
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

impl<S: ErrorSurface> Ascent<'_, S> {
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
            interrupt::check();
            let direction = self.direction(axis, weights.len(), rng);
            self.surface.line(&mut point, &direction, &mut sweep);
            let LineOptimum { step, .. } = sweep.best(self.objective);
            if step != 0.0 {
                weights.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
                self.surface.advance(&mut point, &direction, step);
            }
        }
        let all = weights.len();
        *weights = normalised(std::mem::take(weights), self.spreads, all);
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
