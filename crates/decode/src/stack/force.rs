//! Forced decoding: only derivations of a given translation are searched, to score it or to find out how the system
//! could have made it.

use super::context::Context;
use super::phrases::{Models, Phrases};
use crate::vocab::SentenceVocab;
use std::f32::consts::LN_10;
use treeglot_lm::special::EOS;
use treeglot_text::vocab::Sym;

/// The words of a translation that must be made: a context is the number of words made so far.
pub struct Forced<'a, 's> {
    words: &'a [&'a str],
    phrases: &'a Phrases,
    vocab: &'a SentenceVocab<'s>,
    /// The weighted score of the first so-many words; one more with the sentence's end.
    prefixes: Vec<f64>,
}

impl<'a, 's> Forced<'a, 's> {
    /// Scores the words once. `weights` has one weight for each language model.
    pub fn new(
        words: &'a [&'a str],
        phrases: &'a Phrases,
        models: &'a mut Models<'s>,
        weights: impl Iterator<Item = f32>,
    ) -> Self {
        let numbers: Vec<Sym> = words.iter().map(|word| models.local(word)).collect();
        let mut prefixes = vec![0.0; words.len() + 2];
        for (lm, weight) in weights.enumerate() {
            let symbols: Vec<Sym> =
                numbers.iter().map(|&word| models.symbol(lm, word)).chain([EOS]).collect();
            let scorer = models.tables(lm).scorer();
            let (mut at, mut sum) = (0, 0.0);
            scorer.score_many(&scorer.begin(), symbols.into_iter(), |scored| {
                at += 1;
                sum += f64::from(weight * LN_10 * scored.prob);
                prefixes[at] += sum;
            });
        }
        Self { words, phrases, vocab: models.vocab(), prefixes }
    }
}

impl Context for Forced<'_, '_> {
    fn begin(&mut self) -> u32 {
        0
    }

    fn extend(&mut self, context: u32, phrase: u32, _: u32) -> Option<(f32, u32)> {
        let made = context as usize;
        let words = self.phrases.words(phrase);
        let end = made + words.len();
        let wanted = self.words.get(made..end)?;
        let same = words.iter().zip(wanted).all(|(&word, &wanted)| self.vocab.text(word) == wanted);
        let change = self.prefixes[end] - self.prefixes[made];
        same.then(|| (change as f32 - self.phrases.get(phrase).spoken, end as u32))
    }

    fn finish(&mut self, context: u32) -> Option<f32> {
        let end = self.words.len();
        (context as usize == end).then(|| (self.prefixes[end + 1] - self.prefixes[end]) as f32)
    }
}
