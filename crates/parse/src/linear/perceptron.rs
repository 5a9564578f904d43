//! The averaged perceptron (Collins 2002): rows of weights that come into being with the first mistake that touches
//! them, averaged over all steps of training by keeping the time of each weight's last change.

use super::{Feature, Linear};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy)]
struct Weight {
    class: u16,
    /// The step of the last change.
    since: u32,
    value: f32,
    /// The sum of the values of all steps before `since`.
    total: f64,
}

/// A classifier in training.
#[derive(Debug, Clone, Default)]
pub(crate) struct Perceptron {
    index: FxHashMap<Feature, u32>,
    rows: Vec<Vec<Weight>>,
    step: u32,
}

impl Perceptron {
    /// Adds the weights of `features` to `scores`, one score a class.
    pub(crate) fn score(&self, features: &[Feature], scores: &mut [f32]) {
        for feature in features {
            let Some(&row) = self.index.get(feature) else { continue };
            for weight in &self.rows[row as usize] {
                scores[weight.class as usize] += weight.value;
            }
        }
    }

    /// One step of training has passed, with or without a change.
    pub(crate) fn tick(&mut self) {
        self.step += 1;
    }

    /// Adds `amount` to the weights of a class.
    pub(crate) fn add(&mut self, features: &[Feature], class: usize, amount: f32) {
        let class = class as u16;
        for &feature in features {
            let new = self.rows.len() as u32;
            let row = *self.index.entry(feature).or_insert(new);
            if row == new {
                self.rows.push(Vec::new());
            }
            let row = &mut self.rows[row as usize];
            match row.iter_mut().find(|w| w.class == class) {
                Some(weight) => {
                    weight.total += f64::from(weight.value) * f64::from(self.step - weight.since);
                    weight.since = self.step;
                    weight.value += amount;
                }
                None => row.push(Weight { class, since: self.step, value: amount, total: 0.0 }),
            }
        }
    }

    /// The averaged weights, for use.
    pub(crate) fn freeze(&self, classes: usize) -> Linear {
        let step = self.step;
        let mut order: Vec<(Feature, u32)> =
            self.index.iter().map(|(&feature, &row)| (feature, row)).collect();
        order.sort_unstable();
        let mean = |w: &Weight| {
            let total = w.total + f64::from(w.value) * f64::from(step - w.since);
            (w.class, (total / f64::from(step.max(1))) as f32)
        };
        let rows = order.iter().map(|&(feature, row)| {
            let mut weights: Vec<(u16, f32)> = self.rows[row as usize].iter().map(mean).collect();
            weights.sort_unstable_by_key(|w| w.0);
            (feature, weights)
        });
        Linear::new(rows.collect(), classes)
    }
}
