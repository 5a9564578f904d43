//! Models and oracles for the tests.

use std::collections::HashMap;
use treeglot_lm::Walk;
use treeglot_lm::estimate;
use treeglot_lm::{Lm, LmLayout, Ngrams, Settings};
use treeglot_text::Input;
use treeglot_text::vocab::Sym;

/// All layouts with exact weights.
pub const EXACT: &[LmLayout] = LmLayout::ALL;

/// All layouts, with exact weights and, where there are any, with codes.
pub fn layouts() -> Vec<Settings> {
    let with = |&layout: &LmLayout, quantize| Settings { layout, quantize, ..Settings::default() };
    let coded = |layout: &&LmLayout| {
        Lm::build_as(estimate("a\n", &Settings::default()), &with(layout, Some(8))).is_ok()
    };
    let exact = EXACT.iter().map(|layout| with(layout, None));
    exact.chain(EXACT.iter().filter(coded).map(|layout| with(layout, Some(8)))).collect()
}

pub fn estimate(text: &str, settings: &Settings) -> Ngrams {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    estimate::from_text(Input { name: "text".into(), reader }, settings).unwrap().0
}

/// A text of `a` to `h` in which short sequences repeat.
pub fn text(lines: &[Vec<u8>]) -> String {
    lines
        .iter()
        .map(|line| line.iter().map(|w| format!("{} ", (b'a' + w) as char)).collect::<String>() + "\n")
        .collect()
}

/// A back-off model by its definition: a map of n-grams, and recursion.
pub struct Oracle(HashMap<Vec<u32>, (f32, f32)>, usize);

impl Oracle {
    pub fn new(ngrams: &Ngrams) -> Self {
        let mut all = HashMap::new();
        for (depth, level) in ngrams.levels.iter().enumerate() {
            Walk::new(&ngrams.levels, depth, 0..level.len()).for_each(|path| {
                let words = path.iter().enumerate().map(|(d, &n)| ngrams.levels[d].words[n]).rev().collect();
                let backoff = level.backoffs.get(path[depth]).copied().unwrap_or(0.0);
                all.insert(words, (level.probs[path[depth]], backoff));
            });
        }
        Self(all, ngrams.order())
    }

    /// The log10 probability of the last of the words after the others.
    pub fn prob(&self, words: &[Sym]) -> f32 {
        let words: Vec<u32> = words[words.len().saturating_sub(self.1)..].iter().map(|w| w.0).collect();
        self.back_off(&words)
    }

    fn back_off(&self, words: &[u32]) -> f32 {
        if let Some((prob, _)) = self.0.get(words) {
            return *prob;
        }
        let context = &words[..words.len() - 1];
        self.0.get(context).map_or(0.0, |w| w.1) + self.back_off(&words[1..])
    }
}
