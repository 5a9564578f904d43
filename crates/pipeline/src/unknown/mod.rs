//! Translations of words that no table has: known words of which an unknown one is another form or which it is made of lend it their
//! translations. These are offered to the search beside a copy of the word, so that the language model has its say.

mod affixes;
mod analyse;
mod lexicon;
#[cfg(test)]
mod tests;

pub(crate) use affixes::Affixes;
pub(crate) use lexicon::Lexicon;

use crate::error::Result;
use analyse::Analyser;
use std::path::PathBuf;
use std::sync::OnceLock;
use treeglot_models::{Binding, Given, GivenChoice, Guidance, Origin};
use treeglot_tree::Span;

/// A guess stands for the scores of a rule; those of given translations are shared out evenly among the scores that a rule has.
const SCORES_OF_A_RULE: f32 = 4.0;

/// The least and the greatest probability that an unknown word is best copied.
const COPIED: [f32; 2] = [0.05, 0.95];

/// Guesses what unknown words mean; shared by all threads.
pub struct Guesser {
    lexicon: Lexicon,
    path: PathBuf,
    /// Read when the first unknown word comes, so that opening a bundle does not wait for it.
    affixes: OnceLock<Affixes>,
}

impl Guesser {
    /// Guesses by the tables of a system and a file of [`Affixes`].
    pub fn new(lexicon: Lexicon, path: PathBuf) -> Self {
        Self { lexicon, path, affixes: OnceLock::new() }
    }

    fn affixes(&self) -> Result<&Affixes> {
        if let Some(affixes) = self.affixes.get() {
            return Ok(affixes);
        }
        let read = Affixes::read(&self.path)?;
        Ok(self.affixes.get_or_init(|| read))
    }

    /// Adds what unknown words of a sentence may mean.
    pub fn guide(&self, words: &str, guidance: &mut Guidance) -> Result<()> {
        let words: Vec<&str> = words.split_ascii_whitespace().collect();
        for (at, word) in (0u32..).zip(&words) {
            let span = Span::new(at, at + 1);
            if self.lexicon.count(word) > 0.0 || guidance.given_over(span).next().is_some() {
                continue;
            }
            let analyser = Analyser { lexicon: &self.lexicon, affixes: self.affixes()? };
            let mut told = analyser.translations(word);
            if told.is_empty() {
                continue;
            }
            let left = 1.0 - told.iter().map(|(_, share)| share).sum::<f32>();
            told.push(((*word).to_string(), left.clamp(COPIED[0], COPIED[1])));
            let choice = |(words, share): (String, f32)| GivenChoice {
                words,
                log_prob: SCORES_OF_A_RULE * share.ln(),
                links: Vec::new(),
            };
            let choices = told.into_iter().map(choice).collect();
            let (binding, origin) = (Binding::Inclusive, Origin::Guess);
            guidance.add(Given { span, binding, origin, anchor: at, choices }, words.len());
        }
        Ok(())
    }
}
