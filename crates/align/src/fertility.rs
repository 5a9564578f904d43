//! How many partners a word has (the fertility of IBM model 3), on top of the hidden Markov model. Fertility couples
//! all words of a sentence, so it is approximated: the chain is run once without it, and a second time with each
//! state's weight multiplied by what one more partner is worth to it, given the partners it has otherwise (mean
//! field).

use crate::chain::select;

/// Fertilities from 0 to one less than this are told apart.
pub const FERTILITIES: usize = 6;

/// Probabilities below this do not count as a partner.
const NEGLIGIBLE: f32 = 0.01;

/// The probability of each fertility.
pub type Distribution = [f32; FERTILITIES];

/// The fertility distributions of a side's words.
#[derive(Debug, Clone, Default)]
pub struct Fertility {
    /// For each word and number of partners, the logarithm of what one more is worth.
    steps: Vec<Distribution>,
    /// The expected counts behind it.
    counts: Vec<Distribution>,
    /// The steps of a word not seen in training.
    unseen: Distribution,
}

impl Fertility {
    /// Estimates the distributions from expected counts; `prior` counts are added in the proportions of all words.
    pub fn from_counts(counts: Vec<Distribution>, prior: f32) -> Self {
        let mut all = [1e-3f64; FERTILITIES];
        for word in &counts {
            all.iter_mut().zip(word).for_each(|(sum, &c)| *sum += f64::from(c));
        }
        let total: f64 = all.iter().sum();
        let mean = all.map(|c| (c / total) as f32);
        let steps = counts.iter().map(|count| steps(count, &mean, prior)).collect();
        let unseen = steps_of(&mean);
        Self { steps, counts, unseen }
    }

    /// The expected counts that the distributions were estimated from.
    pub fn counts(&self) -> &[Distribution] {
        &self.counts
    }

    fn step(&self, word: u32, partners: &Distribution) -> f32 {
        let steps = self.steps.get(word as usize).unwrap_or(&self.unseen);
        partners.iter().zip(steps).map(|(p, s)| p * s).sum::<f32>().exp()
    }
}

fn steps(count: &Distribution, mean: &Distribution, prior: f32) -> Distribution {
    let mut p = *mean;
    for (p, &c) in p.iter_mut().zip(count) {
        *p = c + prior * *p + 1e-6;
    }
    steps_of(&p)
}

fn steps_of(p: &Distribution) -> Distribution {
    let mut steps = [0.0; FERTILITIES];
    for k in 0..FERTILITIES - 1 {
        steps[k] = (p[k + 1] / p[k]).ln();
    }
    steps
}

/// The distribution of how many of independent events happen; `skip` is left out.
fn distribution(events: &[(usize, f32)], skip: Option<usize>) -> Distribution {
    let mut d = [0.0; FERTILITIES];
    d[0] = 1.0;
    for (x, &(_, p)) in events.iter().enumerate() {
        if skip == Some(x) {
            continue;
        }
        for k in (1..FERTILITIES).rev() {
            d[k] = d[k] * (1.0 - p) + d[k - 1] * p;
        }
        d[0] *= 1.0 - p;
    }
    d
}

/// The likely partners of each state of one sentence.
#[derive(Debug, Default)]
pub struct Partners {
    events: Vec<Vec<(usize, f32)>>,
    base: Vec<f32>,
    live: Vec<u16>,
}

impl Partners {
    /// Reads the partners off posteriors: a row of `stride` values for each observation, of which the first
    /// `states` are used.
    pub fn read(&mut self, posterior: &[f32], stride: usize, states: usize) {
        self.events.iter_mut().for_each(Vec::clear);
        self.events.resize(self.events.len().max(states), Vec::new());
        for (j, row) in posterior.chunks_exact(stride).enumerate() {
            select(&mut self.live, &row[..states], |&p| p > NEGLIGIBLE);
            for &i in &self.live {
                self.events[i as usize].push((j, row[i as usize].min(0.999)));
            }
        }
    }

    /// The fertility distribution of a state.
    pub fn of(&self, state: usize) -> Distribution {
        distribution(&self.events[state], None)
    }

    /// Multiplies the emissions by what one more partner is worth.
    pub fn weigh(&mut self, fertility: &Fertility, words: &[u32], emission: &mut [f32], stride: usize) {
        self.base.clear();
        self.base.resize(stride, 0.0);
        for (i, &word) in words.iter().enumerate() {
            self.base[i] = fertility.step(word, &self.of(i));
        }
        for row in emission.chunks_exact_mut(stride) {
            for (e, b) in row.iter_mut().zip(&self.base) {
                *e *= b;
            }
        }
        for (i, &word) in words.iter().enumerate() {
            let events = &self.events[i];
            for (x, &(j, _)) in events.iter().enumerate() {
                let others = fertility.step(word, &distribution(events, Some(x)));
                emission[j * stride + i] *= others / self.base[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_of_independent_events_is_that_of_all_outcomes() {
        let events = [(0, 0.3), (4, 0.9), (7, 0.5)];
        let mut expected = [0.0f32; FERTILITIES];
        for outcome in 0..8u32 {
            let p: f32 =
                (0..3).map(|x| if outcome >> x & 1 == 1 { events[x].1 } else { 1.0 - events[x].1 }).product();
            expected[outcome.count_ones() as usize] += p;
        }
        for (a, b) in distribution(&events, None).iter().zip(expected) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    #[test]
    fn a_word_that_always_has_one_partner_refuses_a_second() {
        let mut count = [0.0; FERTILITIES];
        count[1] = 100.0;
        let fertility = Fertility::from_counts(vec![count, [10.0; FERTILITIES]], 1.0);
        let mut partners = Partners::default();
        partners.read(&[0.9, 0.0, 0.0, 0.9], 2, 2);
        let mut emission = vec![1.0; 4];
        partners.weigh(&fertility, &[0, 0], &mut emission, 2);
        assert!(emission[0] > 10.0 * emission[2], "{emission:?}");
    }
}
