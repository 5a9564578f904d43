//! Choosing by minimum Bayes risk: of several translations, from one system or several, the one that shares most n-grams
//! with all that are likely (Tromble et al. 2008, linear BLEU, equation 5).

use crate::translate::{Translation, Translations};
use rustc_hash::{FxHashMap, FxHashSet};

/// How much a shared n-gram counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// The precision of unigrams that is expected, `p`.
    pub precision: f64,
    /// How it falls from one length of n-grams to the next, `r`.
    pub ratio: f64,
    /// The factor of scores before they become probabilities.
    pub scale: f64,
}

impl Default for Gain {
    /// The constants of the paper, section 5. Tuned weights add up to one, which makes scores several times flatter than logarithms
    /// of probabilities are; without a factor unlikely translations would be heard too much, and short ones chosen, which
    /// share what all have in common.
    fn default() -> Self {
        Self { precision: 0.85, ratio: 0.72, scale: 7.0 }
    }
}

impl Gain {
    /// What a shared n-gram of each length counts.
    pub(crate) fn factors(&self) -> [f64; LONGEST] {
        std::array::from_fn(|n| 1.0 / (LONGEST as f64 * self.precision * self.ratio.powi(n as i32)))
    }
}

/// The length of the longest n-grams that are compared.
pub(crate) const LONGEST: usize = 4;

/// A translation to choose from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice<'a> {
    /// Its words.
    pub text: &'a str,
    /// Its score in its system.
    pub score: f64,
    /// Which system made it: scores are compared within a system only.
    pub system: usize,
}

/// All translations that several systems found for a line, as choices.
pub fn choices<'a>(found: &'a [Translations]) -> Vec<Choice<'a>> {
    let of_system = |(system, found): (usize, &'a Translations)| {
        found.best.iter().map(move |best| Choice { text: &best.text, score: best.score, system })
    };
    found.iter().enumerate().flat_map(of_system).collect()
}

/// Of the translations that several systems found for a line, the one that `choose` takes of all, with the number of its system.
pub fn choose_from<'a>(
    found: &'a [Translations],
    choose: impl FnOnce(&[Choice<'a>]) -> Option<usize>,
) -> Option<(usize, &'a Translation)> {
    let choices = choices(found);
    let chosen = choose(&choices)?;
    let system = choices.get(chosen)?.system;
    let before: usize = found[..system].iter().map(|found| found.best.len()).sum();
    Some((system, &found[system].best[chosen - before]))
}

/// The position of the translation with the highest expected gain, the first of equals; `None` if there is none. Each
/// system has the same weight.
pub fn choose(choices: &[Choice<'_>], gain: &Gain) -> Option<usize> {
    let posteriors = posteriors(choices, gain.scale);
    let words: Vec<Vec<&str>> = choices.iter().map(|choice| choice.text.split(' ').collect()).collect();
    let mut expected: FxHashMap<&[&str], f64> = FxHashMap::default();
    for (words, posterior) in words.iter().zip(&posteriors) {
        let distinct: FxHashSet<&[&str]> = ngrams(words).collect();
        for ngram in distinct {
            *expected.entry(ngram).or_default() += posterior;
        }
    }
    let factors = gain.factors();
    let value = |words: &Vec<&str>| {
        let shared = ngrams(words).map(|ngram| factors[ngram.len() - 1] * expected[ngram]);
        shared.sum::<f64>() - words.len() as f64
    };
    let mut best: Option<(usize, f64)> = None;
    for (at, words) in words.iter().enumerate() {
        let value = value(words);
        if best.is_none_or(|(_, known)| value > known + 1e-9) {
            best = Some((at, value));
        }
    }
    best.map(|(at, _)| at)
}

/// The n-grams of words, the shortest first.
pub(crate) fn ngrams<'a, 'b>(words: &'a [&'b str]) -> impl Iterator<Item = &'a [&'b str]> {
    (1..=LONGEST).flat_map(move |length| words.windows(length))
}

/// What a choice is to its system.
pub(crate) struct Mass {
    /// How far its score is below the system's best.
    pub below: f64,
    /// Its share of the system's probability.
    pub share: f64,
}

/// Scores as probabilities that add up to 1 in each system.
pub(crate) fn masses(choices: &[Choice<'_>], scale: f64) -> impl Iterator<Item = Mass> {
    let mut highest: FxHashMap<usize, f64> = FxHashMap::default();
    for choice in choices {
        let known = highest.entry(choice.system).or_insert(f64::NEG_INFINITY);
        *known = known.max(choice.score);
    }
    let mut totals: FxHashMap<usize, f64> = FxHashMap::default();
    let below = |choice: &Choice<'_>| choice.score - highest[&choice.system];
    for choice in choices {
        *totals.entry(choice.system).or_default() += (scale * below(choice)).exp();
    }
    choices.iter().map(move |choice| {
        let below = choice.score - highest[&choice.system];
        Mass { below, share: (scale * below).exp() / totals[&choice.system] }
    })
}

/// Scores as probabilities that add up to 1 over all systems.
fn posteriors(choices: &[Choice<'_>], scale: f64) -> Vec<f64> {
    let systems: FxHashSet<usize> = choices.iter().map(|choice| choice.system).collect();
    masses(choices, scale).map(|mass| mass.share / systems.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str, score: f64, system: usize) -> Choice<'_> {
        Choice { text, score, system }
    }

    #[test]
    fn the_translation_most_others_agree_with_wins_over_the_best_score() {
        let choices = [
            choice("c d e f", 0.0, 0),
            choice("a b c d", -0.1, 0),
            choice("a b c e", -0.1, 0),
            choice("a b c", -0.2, 0),
        ];
        assert_eq!(choose(&choices, &Gain { scale: 1.0, ..Gain::default() }), Some(3));
        assert_eq!(choose(&choices, &Gain { scale: 100.0, ..Gain::default() }), Some(0));
    }

    #[test]
    fn systems_count_alike_whatever_the_size_of_their_scores() {
        let posteriors =
            posteriors(&[choice("a", -900.0, 0), choice("b", -1.0, 1), choice("c", -1.0, 1)], 1.0);
        assert!((posteriors[0] - 0.5).abs() < 1e-9 && (posteriors[1] - 0.25).abs() < 1e-9);
    }

    #[test]
    fn of_equals_the_first_and_of_none_none() {
        assert_eq!(choose(&[choice("a", 0.0, 0), choice("a", 0.0, 0)], &Gain::default()), Some(0));
        assert_eq!(choose(&[], &Gain::default()), None);
    }
}
