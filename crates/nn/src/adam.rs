//! Adam (Kingma and Ba 2015); rows of embeddings are moved only in the steps that used them.

use crate::{Block, simd};

/// Step sizes of one update.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// How far parameters are moved.
    pub rate: f32,
    /// The gradient is made this many times as large.
    pub scale: f32,
    /// Scaled gradients longer than this are shortened to it.
    pub clip: f32,
}

const BETA1: f32 = 0.9;
const EPSILON: f32 = 1e-8;

/// The moments of all parameters.
pub struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    /// How long squares are remembered.
    beta2: f32,
    step: i32,
}

impl Adam {
    /// Moments of parameters that were not moved yet; `beta2` says how long squares are remembered.
    pub fn new(parameters: usize, beta2: f32) -> Self {
        Self { first: vec![0.0; parameters], second: vec![0.0; parameters], beta2, step: 0 }
    }

    /// Moves the parameters of `parts` (which must not overlap) against the gradient and clears it there.
    pub fn update(&mut self, values: &mut [f32], gradient: &mut [f32], parts: &[Block], rate: Rate) {
        self.step += 1;
        let square = |part: &Block| simd(|| part.slice(gradient).iter().map(|g| g * g).sum::<f32>());
        let norm = rate.scale * parts.iter().map(square).sum::<f32>().sqrt();
        let shrink = if norm > rate.clip { rate.scale * rate.clip / norm } else { rate.scale };
        let beta2 = self.beta2;
        let correct = (1.0 - beta2.powi(self.step)).sqrt() / (1.0 - BETA1.powi(self.step));
        let size = rate.rate * correct;
        for part in parts {
            let first = part.slice_mut(&mut self.first);
            let second = part.slice_mut(&mut self.second);
            let (values, gradient) = (part.slice_mut(values), part.slice_mut(gradient));
            simd(|| {
                for (((v, g), m), s) in values.iter_mut().zip(gradient).zip(first).zip(second) {
                    let slope = *g * shrink;
                    *m = BETA1 * *m + (1.0 - BETA1) * slope;
                    *s = beta2 * *s + (1.0 - beta2) * slope * slope;
                    *v -= size * *m / (s.sqrt() + EPSILON);
                    *g = 0.0;
                }
            });
        }
    }
}
