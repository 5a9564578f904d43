//! Random numbers for training: the same seed gives the same model on every machine.

use std::ops::{Deref, DerefMut};

/// The generator of a seed, with the numbers that networks start from.
#[derive(Debug, Clone)]
pub struct Rng(treeglot_text::Rng);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds, such as those of the folds of a tagger, must not give overlapping numbers.
        Self(treeglot_text::Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5dee_ce66_d1ce_4e5b))
    }

    /// The generator of one job under a seed: jobs may run in any order, on any thread.
    pub fn of_job(seed: u64, job: u64) -> Self {
        Self(treeglot_text::Rng::of_job(seed, job))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform in [-scale, scale).
    pub fn around(&mut self, scale: f32) -> f32 {
        (self.unit() * 2.0 - 1.0) * scale
    }
}

impl Deref for Rng {
    type Target = treeglot_text::Rng;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Rng {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
