//! The distribution of jumps from one word's partner to the next word's partner, by width.

/// The longest jump: sentences are shorter than this.
pub const REACH: usize = 256;

/// Padding behind the table, so that a padded row can be read at any place.
const SLACK: usize = 16;

/// Ranges of jump widths that share one probability: far jumps are rare, and smoothed.
const SHARED: [(usize, usize); 4] = [(11, 15), (16, 25), (26, 50), (51, REACH)];

/// Weights of jumps; `REACH + d` is the place of jump `d`.
#[derive(Debug, Clone)]
pub struct Jumps {
    weight: Vec<f32>,
    mirrored: Vec<f32>,
    /// Sums of `weight` before each place.
    before: Vec<f32>,
    counts: Vec<f64>,
}

impl Jumps {
    /// How many widths there are.
    pub const WIDTHS: usize = 2 * REACH + 1;

    /// Before any count: forward and near is likely.
    pub fn initial() -> Self {
        let weight = |place: usize| {
            let far = (place as f32 - REACH as f32 - 1.0).abs();
            (1.0 + far).powf(-1.5)
        };
        Self::from_weights((0..Self::WIDTHS).map(weight).collect(), vec![0.0; Self::WIDTHS])
    }

    /// From expected counts, with one count added to each width.
    pub fn from_counts(counts: Vec<f64>) -> Self {
        let mut weight = vec![0f32; Self::WIDTHS];
        for d in 0..=REACH {
            let (from, to) = SHARED.into_iter().find(|&(from, to)| from <= d && d <= to).unwrap_or((d, d));
            for place in [|d| REACH + d, |d: usize| REACH - d] {
                let mass: f64 = (from..=to).map(|d| counts[place(d)]).sum();
                weight[place(d)] = (mass / (to - from + 1) as f64 + 1.0) as f32;
            }
        }
        Self::from_weights(weight, counts)
    }

    fn from_weights(mut weight: Vec<f32>, counts: Vec<f64>) -> Self {
        let most = weight.iter().copied().fold(0.0, f32::max);
        weight.iter_mut().for_each(|w| *w = (*w / most).max(1e-6));
        let mut before = vec![0.0];
        let mut sum = 0f64;
        for &w in &weight {
            sum += f64::from(w);
            before.push(sum as f32);
        }
        let mut mirrored: Vec<f32> = weight.iter().rev().copied().collect();
        weight.resize(Self::WIDTHS + SLACK, 0.0);
        mirrored.resize(Self::WIDTHS + SLACK, 0.0);
        Self { weight, mirrored, before, counts }
    }

    /// The expected counts behind the weights.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// The weight at a place.
    pub fn weight(&self, place: usize) -> f32 {
        self.weight[place]
    }

    /// The weights from a place on, towards larger jumps.
    pub fn from(&self, place: usize) -> &[f32] {
        &self.weight[place..]
    }

    /// The weights of jumps `i - k` for `k` from 0 on, where `place` is `REACH - i`.
    pub fn mirrored(&self, place: usize) -> &[f32] {
        &self.mirrored[place..]
    }

    /// The summed weight of `n` places.
    pub fn mass(&self, place: usize, n: usize) -> f32 {
        self.before[place + n] - self.before[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_jumps_are_as_counted_and_far_ones_are_smoothed() {
        let mut counts = vec![0.0; Jumps::WIDTHS];
        counts[REACH + 1] = 99.0;
        counts[REACH - 12] = 50.0;
        let jumps = Jumps::from_counts(counts);
        assert_eq!(jumps.weight(REACH + 1), 1.0);
        assert!((jumps.weight(REACH - 12) - 0.11).abs() < 1e-6);
        assert_eq!(jumps.weight(REACH - 12), jumps.weight(REACH - 15));
        assert_eq!(jumps.mirrored(REACH - 3)[1], jumps.weight(REACH + 2), "a jump from 1 to 3");
    }
}
