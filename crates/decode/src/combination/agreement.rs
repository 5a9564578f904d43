//! What the lists of systems say of a translation: how likely each holds its n-grams, and where each has it.

use crate::mbr::{Choice, LONGEST, masses, ngrams};
use rustc_hash::{FxHashMap, FxHashSet};

/// The lists of all systems for one line.
pub(super) struct Lists<'a> {
    systems: Vec<List<'a>>,
    /// By n-gram, the posterior in each system's list.
    posteriors: FxHashMap<Vec<&'a str>, Vec<f32>>,
}

/// The list of one system.
#[derive(Default)]
struct List<'a> {
    /// By translation, how far its score is below the best.
    found: FxHashMap<&'a str, f32>,
    /// How far the last is.
    last: f32,
}

impl<'a> Lists<'a> {
    /// The posteriors of lists whose scores times `scale` are logarithms of probabilities.
    pub fn new(choices: &[Choice<'a>], systems: usize, scale: f64) -> Self {
        let mut lists = Self {
            systems: (0..systems).map(|_| List::default()).collect(),
            posteriors: FxHashMap::default(),
        };
        for (choice, mass) in choices.iter().zip(masses(choices, scale)) {
            let Some(list) = lists.systems.get_mut(choice.system) else { continue };
            let below = (scale * mass.below) as f32;
            let known = list.found.entry(choice.text).or_insert(below);
            *known = known.max(below);
            list.last = list.last.min(below);
            let words: Vec<&str> = choice.text.split_ascii_whitespace().collect();
            let distinct: FxHashSet<&[&str]> = ngrams(&words).collect();
            for ngram in distinct {
                let of_systems = match lists.posteriors.get_mut(ngram) {
                    Some(known) => known,
                    None => lists.posteriors.entry(ngram.to_vec()).or_insert_with(|| vec![0.0; systems]),
                };
                of_systems[choice.system] += mass.share as f32;
            }
        }
        lists
    }

    /// Appends for each system and each length of n-grams the sum of the posteriors of a translation's n-grams.
    pub fn agreement(&self, words: &[&str], out: &mut Vec<f32>) {
        let start = out.len();
        out.resize(start + self.systems.len() * LONGEST, 0.0);
        for ngram in ngrams(words) {
            let of_systems = self.posteriors.get(ngram).into_iter().flatten();
            for (system, posterior) in of_systems.enumerate() {
                out[start + system * LONGEST + ngram.len() - 1] += posterior;
            }
        }
    }

    /// Appends for each system how far a translation is below its best, and -1 if it does not list it: then it is as far as the
    /// last that it lists.
    pub fn scores(&self, text: &str, out: &mut Vec<f32>) {
        for list in &self.systems {
            match list.found.get(text) {
                Some(&below) => out.extend([below, 0.0]),
                None => out.extend([list.last, -1.0]),
            }
        }
    }
}
