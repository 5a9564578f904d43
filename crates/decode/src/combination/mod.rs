//! Combining systems: of the translations that several systems list for a line, the one that tuned weights find best.
//!
//! What speaks for a translation is how likely each system holds its n-grams (posteriors over its list, one weight a system and a
//! length of n-grams; Tromble et al. 2008, Duan et al. 2010), how far it is from each system's own best, and what [`Judges`] say
//! who score all translations alike, whichever system made them. With the weights to start with it is minimum Bayes risk by
//! linear BLEU ([`crate::mbr`]).

mod agreement;
mod judges;
mod lexicon;

pub use judges::Judges;
pub use lexicon::WordTranslations;

use crate::error::Result;
use crate::mbr::{Choice, Gain, LONGEST};
use crate::weights::{FeatureSet, Weights};
use agreement::Lists;
use judges::Bench;
use rustc_hash::FxHashMap;
use std::fmt;

/// The name of what tells how likely systems hold the n-grams of a translation, before the number of the system.
const AGREEMENT: &str = "Agreement";
/// The name of how far a translation is from a system's best, before the number of the system.
const SCORE: &str = "Score";
/// The name of the number of words, which counts against a translation.
const WORDS: &str = "WordPenalty0";

/// What chooses among translations of several systems: read-only, shared by all threads.
pub struct Combination {
    systems: usize,
    gain: Gain,
    judges: Judges,
    features: FeatureSet,
    weights: Vec<f32>,
}

impl fmt::Debug for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { systems, features, weights, .. } = self;
        write!(f, "combination of {systems} systems by {:?}", Weights::of(features, weights))
    }
}

/// A translation to choose, with the values of its features.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// Its position among the choices: the first with these words.
    pub choice: usize,
    /// The values, by position.
    pub features: Vec<f32>,
}

impl Combination {
    /// A combination of so many systems with these weights; without, those to start with.
    pub fn new(systems: usize, judges: Judges, weights: Option<&Weights>) -> Result<Self> {
        let gain = Gain::default();
        let mut features = FeatureSet::default();
        for (name, width) in [(AGREEMENT, LONGEST), (SCORE, 2)] {
            for system in 0..systems {
                features.add(format!("{name}{system}"), width);
            }
        }
        features.add(WORDS, 1);
        judges.name_features(&mut features);
        let weights = match weights {
            Some(weights) => {
                weights.check_known(&features, |_| false)?;
                weights.vector(&features)?
            }
            None => start(systems, &gain, &features),
        };
        Ok(Self { systems, gain, judges, features, weights })
    }

    /// How many systems it chooses among.
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// The features, by name.
    pub fn features(&self) -> &FeatureSet {
        &self.features
    }

    /// The weights, by position.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The distinct translations of a line of words, with the values of their features, in the order of the choices.
    pub fn pool(&self, line: &str, choices: &[Choice<'_>]) -> Vec<Pooled> {
        let lists = Lists::new(choices, self.systems, self.gain.scale);
        let mut bench = Bench::new(&self.judges, line);
        let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
        let mut pool: Vec<Pooled> = Vec::new();
        for (at, choice) in choices.iter().enumerate() {
            seen.entry(choice.text).or_insert_with(|| {
                let words: Vec<&str> = choice.text.split_ascii_whitespace().collect();
                let mut features = Vec::with_capacity(self.features.len());
                lists.agreement(&words, &mut features);
                lists.scores(choice.text, &mut features);
                features.push(-(words.len() as f32));
                bench.scores(&words, &mut features);
                pool.push(Pooled { choice: at, features });
                pool.len() - 1
            });
        }
        pool
    }

    /// The position of the best choice for a line of words, the first of equals; `None` if there is none.
    pub fn choose(&self, line: &str, choices: &[Choice<'_>]) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for pooled in self.pool(line, choices) {
            let products = pooled.features.iter().zip(&self.weights);
            let score: f64 = products.map(|(&value, &weight)| f64::from(value) * f64::from(weight)).sum();
            if best.is_none_or(|(_, known)| score > known + 1e-9) {
                best = Some((pooled.choice, score));
            }
        }
        best.map(|(choice, _)| choice)
    }
}

/// The weights with which a combination is minimum Bayes risk.
fn start(systems: usize, gain: &Gain, features: &FeatureSet) -> Vec<f32> {
    let mut weights = vec![0.0; features.len()];
    for system in 0..systems {
        let agreement = &mut weights[system * LONGEST..(system + 1) * LONGEST];
        agreement
            .iter_mut()
            .zip(gain.factors())
            .for_each(|(weight, factor)| *weight = factor as f32 / systems as f32);
    }
    let words = features.find(WORDS).into_iter().flatten();
    words.for_each(|at| weights[at] = 1.0);
    let total: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mbr;

    const CHOICES: [(&str, f64, usize); 6] = [
        ("a b c d e", 0.0, 0),
        ("a b c d", -0.05, 0),
        ("a b x d e", 0.0, 1),
        ("a b c d e", -0.01, 1),
        ("a x c d", -0.2, 1),
        ("a b", -1.0, 1),
    ];

    fn choices() -> Vec<Choice<'static>> {
        CHOICES.iter().map(|&(text, score, system)| Choice { text, score, system }).collect()
    }

    #[test]
    fn before_tuning_it_is_minimum_bayes_risk() {
        let combination = Combination::new(2, Judges::default(), None).unwrap();
        assert_eq!(combination.choose("", &choices()), mbr::choose(&choices(), &Gain::default()));
        assert_eq!(combination.choose("", &[]), None);
    }

    #[test]
    fn of_equal_translations_there_is_one_with_what_every_system_says() {
        let combination = Combination::new(2, Judges::default(), None).unwrap();
        let pool = combination.pool("", &choices());
        assert_eq!(pool.iter().map(|pooled| pooled.choice).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
        let value = |at: usize, name: &str| {
            let range = combination.features().find(name).unwrap();
            pool[at].features[range].to_vec()
        };
        let scale = Gain::default().scale as f32;
        let near = |found: &[f32], wanted: &[f32]| {
            assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}, not {wanted:?}");
        };
        near(&value(0, "Score0"), &[0.0, 0.0]);
        near(&value(0, "Score1"), &[-0.01 * scale, 0.0]);
        // What a system does not list is as far as the last it lists.
        near(&value(2, "Score0"), &[-0.05 * scale, -1.0]);
        near(&value(0, "WordPenalty0"), &[-5.0]);
        // Every word is in all translations of the first system, but the last.
        let last = 1.0 / (1.0 + (0.05 * scale).exp());
        near(&value(0, "Agreement0"), &[5.0 - last, 4.0 - last, 3.0 - last, 2.0 - last]);
    }

    #[test]
    fn weights_decide_and_unknown_ones_are_refused() {
        let start = Combination::new(2, Judges::default(), None).unwrap();
        let mut values = vec![0.0; start.features().len()];
        values[start.features().find("Score1").unwrap().start] = 1.0;
        let weights = Weights::of(start.features(), &values);
        let chosen = Combination::new(2, Judges::default(), Some(&weights)).unwrap();
        assert_eq!(chosen.choose("", &choices()), Some(2));
        let error = Combination::new(1, Judges::default(), Some(&weights)).err().unwrap().to_string();
        assert!(error.contains("`Agreement1` is no feature"), "{error}");
    }
}
