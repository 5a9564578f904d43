//! The distribution of jumps from one word's partner to the next word's partner, by width: one for all words, or one for
//! each class of the word jumped from.

/// The longest jump: sentences are shorter than this.
pub const REACH: usize = 256;

/// Padding behind the table, so that a padded row can be read at any place.
const SLACK: usize = 16;

/// Ranges of jump widths that share one probability: far jumps are rare, and smoothed.
const SHARED: [(usize, usize); 4] = [(11, 15), (16, 25), (26, 50), (51, REACH)];

/// How many counts the distribution of all words is worth in that of a class.
const POOLED: f64 = 100.0;

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
        let weight = Self::shared(&counts, |_| 1.0);
        Self::from_weights(weight, counts)
    }

    /// From expected counts of one class, with some counts added that are spread as those of all words, so that a rare
    /// class jumps as they do.
    pub fn of_class(counts: Vec<f64>, pooled: &Self) -> Self {
        let share = POOLED / f64::from(pooled.before[Self::WIDTHS]);
        let weight = Self::shared(&counts, |place| share * f64::from(pooled.weight[place]));
        Self::from_weights(weight, counts)
    }

    /// The counts, far ones evened out, with a prior count added at each place.
    fn shared(counts: &[f64], prior: impl Fn(usize) -> f64) -> Vec<f32> {
        let mut weight = vec![0f32; Self::WIDTHS];
        for d in 0..=REACH {
            let (from, to) = SHARED.into_iter().find(|&(from, to)| from <= d && d <= to).unwrap_or((d, d));
            for place in [|d| REACH + d, |d: usize| REACH - d] {
                let mass: f64 = (from..=to).map(|d| counts[place(d)]).sum();
                weight[place(d)] = (mass / (to - from + 1) as f64 + prior(place(d))) as f32;
            }
        }
        weight
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

/// The tables for the states of one sentence: that of each state's class, or one for all.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// For the start, and for all states without classes.
    pub pooled: &'a Jumps,
    /// By class.
    pub by_class: &'a [Jumps],
    /// The class of each state; empty without classes.
    pub classes: &'a [u16],
}

impl<'a> Tables<'a> {
    /// Whether each state has its own class.
    pub fn conditioned(&self) -> bool {
        !self.classes.is_empty()
    }

    /// The table for jumps from a state.
    pub fn of(&self, state: usize) -> &'a Jumps {
        self.classes.get(state).map_or(self.pooled, |&class| &self.by_class[class as usize])
    }

    /// Counts a jump from a state: those of all classes come first, then those of each.
    pub fn count(&self, counts: &mut [f64], state: usize, place: usize, times: f64) {
        counts[place] += times;
        if let Some(&class) = self.classes.get(state) {
            counts[(1 + class as usize) * Jumps::WIDTHS + place] += times;
        }
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

    #[test]
    fn a_rare_class_jumps_as_all_words_and_a_frequent_one_as_it_likes() {
        let counts = |of: &[(usize, f64)]| {
            let mut counts = vec![0.0; Jumps::WIDTHS];
            of.iter().for_each(|&(place, count)| counts[place] = count);
            counts
        };
        let pooled = Jumps::from_counts(counts(&[(REACH + 1, 9000.0), (REACH - 1, 1000.0)]));
        let share = |jumps: &Jumps| jumps.weight(REACH - 1) / jumps.weight(REACH + 1);
        let rare = Jumps::of_class(counts(&[]), &pooled);
        assert!((share(&rare) - share(&pooled)).abs() < 1e-5);
        let frequent = Jumps::of_class(counts(&[(REACH - 1, 5000.0)]), &pooled);
        assert!(share(&frequent) > 40.0);
    }
}
