//! Adam (Kingma and Ba 2015), with vectors of features moved only in the steps that met them.

use super::backward::Gradient;
use super::matrix::vectorized;

const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;
const SMALL: f32 = 1e-8;

/// Running means of derivatives and of their squares.
#[derive(Debug)]
struct Moments {
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Moments {
    fn new(count: usize) -> Self {
        Self { mean: vec![0.0; count], square: vec![0.0; count] }
    }

    /// Moves the weights from `at` on.
    fn step(&mut self, weights: &mut [f32], at: usize, derivatives: &[f32], scale: f32, rate: f32) {
        let end = at + derivatives.len();
        let values = weights[at..end].iter_mut().zip(derivatives);
        let moments = self.mean[at..end].iter_mut().zip(&mut self.square[at..end]);
        vectorized(|| {
            for ((weight, derivative), (mean, square)) in values.zip(moments) {
                let d = derivative * scale;
                *mean = FIRST * *mean + (1.0 - FIRST) * d;
                *square = SECOND * *square + (1.0 - SECOND) * d * d;
                *weight -= rate * *mean / (square.sqrt() + SMALL);
            }
        });
    }
}

/// The state of the optimiser.
#[derive(Debug)]
pub(crate) struct Adam {
    steps: i32,
    dense: Moments,
    embeddings: Moments,
}

impl Adam {
    pub(crate) fn new(dense: usize, embeddings: usize) -> Self {
        Self { steps: 0, dense: Moments::new(dense), embeddings: Moments::new(embeddings) }
    }

    /// Moves all weights against `gradient`, made `scale` times as large and then at most `longest` long.
    pub(crate) fn step(
        &mut self,
        dense: &mut [f32],
        embeddings: &mut [f32],
        gradient: &Gradient,
        (scale, longest, rate): (f32, f32, f32),
    ) {
        self.steps += 1;
        let square = |values: &[f32]| values.iter().map(|v| v * v).sum::<f32>();
        let length = scale * (square(&gradient.dense) + square(&gradient.embeddings)).sqrt();
        let scale = if length > longest { scale * longest / length } else { scale };
        let correction = (1.0 - SECOND.powi(self.steps)).sqrt() / (1.0 - FIRST.powi(self.steps));
        let rate = rate * correction;
        self.dense.step(dense, 0, &gradient.dense, scale, rate);
        if gradient.met.is_empty() {
            return;
        }
        let size = gradient.embeddings.len() / gradient.met.len();
        for (&feature, derivatives) in gradient.met.iter().zip(gradient.embeddings.chunks_exact(size)) {
            self.embeddings.step(embeddings, feature as usize * size, derivatives, scale, rate);
        }
    }
}
