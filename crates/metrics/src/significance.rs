//! Whether two systems differ, and how sure a score is: paired bootstrap (Koehn 2004) and approximate randomisation
//! (Riezler & Maxwell 2005) as sacreBLEU has them, with its random numbers, and the sign test of Collins et al. (2005).
//! All of them only add statistics up, so they work for every metric.

use crate::files::Statistics;
use crate::metric::Metric;
use crate::random::Random;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use treeglot_text::interrupt;

/// How many samples are drawn before the threads score them.
const BATCH: usize = 64;

/// A test of whether two systems differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Paired {
    /// Paired bootstrap: score many samples of the sentences, drawn with replacement
    #[default]
    #[serde(rename = "bs")]
    #[cfg_attr(feature = "clap", value(name = "bs"))]
    Bootstrap,
    /// Approximate randomisation: swap the translations of random sentences between the systems
    #[serde(rename = "ar")]
    #[cfg_attr(feature = "clap", value(name = "ar"))]
    Randomization,
    /// Sign test: put each translation of one system into the other's, and see whether the score rises or falls
    #[serde(rename = "sign")]
    Sign,
    /// No test
    #[serde(rename = "none")]
    None,
}

impl Paired {
    /// All tests.
    pub const TESTS: [Self; 3] = [Self::Bootstrap, Self::Randomization, Self::Sign];

    /// Its name in a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::Bootstrap => "paired bootstrap",
            Self::Randomization => "approximate randomisation",
            Self::Sign => "sign test",
            Self::None => "no test",
        }
    }

    /// How many samples it takes unless told otherwise; the sign test takes none.
    pub fn default_samples(self) -> usize {
        match self {
            Self::Bootstrap => 1000,
            Self::Randomization => 10_000,
            Self::Sign | Self::None => 0,
        }
    }
}

/// A confidence interval of 95%.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// The mean score of the samples.
    pub mean: f64,
    /// Half the width of the interval.
    pub half_width: f64,
}

/// How likely a difference as great as the one between two systems would be by chance; `None` without a test.
///
/// Systems with the same score do not differ: chance explains that entirely. The tests alone would not say so. They ask how
/// many chance differences are *greater* than the real one, which for two equal systems are none of a thousand zeros.
pub fn p_value(
    metric: &dyn Metric,
    baseline: &Statistics,
    system: &Statistics,
    test: Paired,
    samples: usize,
    seed: u64,
) -> Option<f64> {
    let real = (metric.score(&baseline.sums()) - metric.score(&system.sums())).abs();
    let two = Two { metric, baseline, system, real };
    match test {
        Paired::None => None,
        _ if real == 0.0 => Some(1.0),
        Paired::Bootstrap => Some(two.bootstrap(samples, seed)),
        Paired::Randomization => Some(two.randomization(samples, seed)),
        Paired::Sign => Some(two.sign()),
    }
}

/// Two systems that are compared.
struct Two<'a> {
    metric: &'a dyn Metric,
    baseline: &'a Statistics,
    system: &'a Statistics,
    /// How much their scores differ.
    real: f64,
}

/// How sure the score of a system is, by bootstrap.
pub fn confidence(metric: &dyn Metric, system: &Statistics, samples: usize, seed: u64) -> Confidence {
    let mut scores =
        resample(system.sentences().count(), samples, seed, |indices| metric.score(&sum_of(system, indices)));
    if scores.is_empty() {
        return Confidence { mean: 0.0, half_width: 0.0 };
    }
    scores.sort_unstable_by(f64::total_cmp);
    let n = scores.len();
    let half_width = 0.5 * (scores[n - n / 40 - 1] - scores[n / 40]);
    Confidence { mean: scores.iter().sum::<f64>() / n as f64, half_width }
}

fn sum_of(statistics: &Statistics, indices: &[u32]) -> Vec<f64> {
    let mut sums = vec![0.0; statistics.size];
    for &ix in indices {
        let at = ix as usize * statistics.size;
        for (sum, value) in sums.iter_mut().zip(&statistics.values[at..at + statistics.size]) {
            *sum += value;
        }
    }
    sums
}

/// Calls `score` with samples of sentence numbers, drawn in one stream and scored by all threads.
fn resample<T: Send>(
    sentences: usize,
    samples: usize,
    seed: u64,
    score: impl Fn(&[u32]) -> T + Sync,
) -> Vec<T> {
    let n = u32::try_from(sentences).expect("files have fewer than 2^32 lines");
    let mut random = Random::new(seed);
    let mut scores = Vec::with_capacity(samples);
    while scores.len() < samples {
        interrupt::check();
        let batch = BATCH.min(samples - scores.len());
        let indices: Vec<u32> = (0..batch * sentences).map(|_| random.below(n)).collect();
        if sentences == 0 {
            return Vec::new();
        }
        scores.par_extend(indices.par_chunks(sentences).map(&score));
    }
    scores
}

/// The share of chance differences that are greater than the real one, never quite 0.
fn share_above(differences: &[f64], real: f64) -> f64 {
    let above = differences.iter().filter(|&&difference| difference > real).count();
    (above + 1) as f64 / (differences.len() + 1) as f64
}

impl Two<'_> {
    fn bootstrap(&self, samples: usize, seed: u64) -> f64 {
        let score = |statistics, indices: &[u32]| self.metric.score(&sum_of(statistics, indices));
        let mut differences = resample(self.system.sentences().count(), samples, seed, |indices| {
            (score(self.system, indices) - score(self.baseline, indices)).abs()
        });
        let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
        differences.iter_mut().for_each(|difference| *difference -= mean);
        share_above(&differences, self.real)
    }

    fn randomization(&self, samples: usize, seed: u64) -> f64 {
        let sentences = self.system.sentences().count();
        let mut random = Random::new(seed);
        let mut differences = Vec::with_capacity(samples);
        while differences.len() < samples && sentences > 0 {
            interrupt::check();
            let batch = BATCH.min(samples - differences.len());
            let kept: Vec<bool> = (0..batch * sentences).map(|_| random.coin()).collect();
            differences.par_extend(kept.par_chunks(sentences).map(|kept| {
                let [first, second] = shuffled(self.baseline, self.system, kept);
                (self.metric.score(&first) - self.metric.score(&second)).abs()
            }));
        }
        share_above(&differences, self.real)
    }

    fn sign(&self) -> f64 {
        let [up, down] = replacements(self.metric, self.baseline, self.system);
        two_sided(up.min(down), up + down)
    }
}

/// The sums of two systems made from two: sentences that are not kept change sides.
fn shuffled(baseline: &Statistics, system: &Statistics, kept: &[bool]) -> [Vec<f64>; 2] {
    let mut sums = [vec![0.0; baseline.size], vec![0.0; baseline.size]];
    for ((own, other), &kept) in baseline.sentences().zip(system.sentences()).zip(kept) {
        let sides = if kept { [own, other] } else { [other, own] };
        for (sums, side) in sums.iter_mut().zip(sides) {
            for (sum, value) in sums.iter_mut().zip(side) {
                *sum += value;
            }
        }
    }
    sums
}

/// How often the score of the baseline rises and falls when one translation is replaced by the system's.
fn replacements(metric: &dyn Metric, baseline: &Statistics, system: &Statistics) -> [u64; 2] {
    let sums = baseline.sums();
    let score = metric.score(&sums);
    let pairs: Vec<(&[f64], &[f64])> = baseline.sentences().zip(system.sentences()).collect();
    let counts = pairs.par_iter().map(|(own, other)| {
        let replaced: Vec<f64> =
            sums.iter().zip(own.iter().zip(*other)).map(|(sum, (own, other))| sum - own + other).collect();
        // Equal statistics must not count by rounding.
        let new = if own == other { score } else { metric.score(&replaced) };
        [u64::from(new > score), u64::from(new < score)]
    });
    counts.reduce(|| [0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// The probability that `n` fair coins show at most `few` of one side, or as few of the other.
fn two_sided(few: u64, n: u64) -> f64 {
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for k in 1..=few {
        log_term += ((n - k + 1) as f64 / k as f64).ln();
        sum += log_term.exp();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bleu::Bleu;
    use crate::metric::{Hypothesis, References};

    fn statistics(translations: &[&str], references: &[&str]) -> Statistics {
        let bleu = Bleu::default();
        let mut values = Vec::new();
        for (text, reference) in translations.iter().zip(references) {
            let mut own = vec![0.0; bleu.size()];
            let sentence = bleu.prepare(&References::new(std::slice::from_ref(reference)));
            sentence.add_statistics(&Hypothesis::new(text), &mut own);
            values.extend(own);
        }
        Statistics { size: bleu.size(), values }
    }

    /// A system that is right and one that is wrong in every tenth sentence.
    fn two_systems() -> (Statistics, Statistics) {
        let references: Vec<String> =
            (0..200).map(|i| format!("this is sentence number {i} of the test")).collect();
        let references: Vec<&str> = references.iter().map(String::as_str).collect();
        let wrong: Vec<&str> = references
            .iter()
            .enumerate()
            .map(|(i, text)| if i % 10 == 0 { "what is it" } else { text })
            .collect();
        (statistics(&wrong, &references), statistics(&references, &references))
    }

    #[test]
    fn a_clear_difference_is_found_by_every_test_and_none_within_one_system() {
        let (worse, better) = two_systems();
        for test in Paired::TESTS {
            let p =
                |a: &Statistics, b: &Statistics| p_value(&Bleu::default(), a, b, test, 500, 12345).unwrap();
            assert!(p(&worse, &better) < 0.01, "{test:?}: {}", p(&worse, &better));
            assert_eq!(p(&better, &better), 1.0, "{test:?}");
            assert_eq!(p(&worse, &worse), 1.0, "{test:?}");
        }
        assert_eq!(p_value(&Bleu::default(), &worse, &better, Paired::None, 500, 12345), None);
    }

    #[test]
    fn systems_that_make_different_mistakes_of_the_same_weight_do_not_differ() {
        let references = ["a b c d e f", "a b c d e f"];
        let (first, second) = (["a b c d e x", "a b c d e f"], ["a b c d e f", "a b c d e x"]);
        let [first, second] = [first, second].map(|texts| statistics(&texts, &references));
        assert_ne!(first.values, second.values);
        for test in Paired::TESTS {
            assert_eq!(p_value(&Bleu::default(), &first, &second, test, 200, 1), Some(1.0), "{test:?}");
        }
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let (worse, better) = two_systems();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let p = Paired::TESTS.map(|test| p_value(&Bleu::default(), &worse, &better, test, 300, 7));
                (p, confidence(&Bleu::default(), &worse, 300, 7))
            })
        };
        assert_eq!(run(1), run(4));
    }

    #[test]
    fn the_sign_test_counts_coins_from_both_ends() {
        assert!((two_sided(0, 5) - 2.0 / 32.0).abs() < 1e-12);
        assert!((two_sided(1, 6) - 2.0 * 7.0 / 64.0).abs() < 1e-12);
        assert_eq!(two_sided(0, 0), 1.0);
        assert_eq!(two_sided(3, 6), 1.0);
    }

    #[test]
    fn an_interval_holds_the_score() {
        let (worse, _) = two_systems();
        let Confidence { mean, half_width } = confidence(&Bleu::default(), &worse, 500, 12345);
        let score = Bleu::default().score(&worse.sums());
        assert!((mean - score).abs() < half_width && half_width < 10.0);
    }
}
