//! A lexical translation model in stack search: what it adds to the score of each option, which is all that it knows.

use super::options::Options;
use super::phrases::{Models, Phrases};
use super::table::PhraseTable;
use crate::derivation::Applied;
use crate::features::{Lexical, translated};
use std::ops::Range;
use treeglot_grammar::{RuleLink, Symbol};

/// A lexical translation model in stack search; owned by a thread.
pub struct LexicalOptions<'s> {
    lexical: Lexical<'s>,
}

impl<'s> LexicalOptions<'s> {
    /// A model without a sentence.
    pub fn new(lexical: Lexical<'s>) -> Self {
        Self { lexical }
    }

    /// Begins a sentence whose options were collected, and adds to their scores.
    pub fn begin<T: PhraseTable>(
        &mut self,
        words: &[&str],
        options: &mut Options,
        (phrases, tables): (&Phrases, &[T]),
        models: &Models<'_>,
    ) {
        self.lexical.begin(words.iter().copied());
        let (mut target, mut links, mut added) = (Vec::new(), Vec::new(), Vec::new());
        for (phrase, span) in options.placed_phrases() {
            target.clear();
            target.extend(phrases.words(phrase).iter().map(|&word| Symbol::word(word)));
            links.clear();
            let applied = phrases.get(phrase).applied;
            if let Applied::Rule { table, rule } = applied {
                tables[table as usize].links(rule, &mut links);
            }
            added.push(self.lexical.weight() * self.value(span, applied, (&target, &links), models));
        }
        options.add_scores(&added);
    }

    /// The value of a phrase over these source words. What is of no table has no links, as in charts.
    pub fn value(
        &self,
        span: Range<u32>,
        applied: Applied,
        (target, links): (&[Symbol], &[RuleLink]),
        models: &Models<'_>,
    ) -> f32 {
        let place = |at: u32| at.min(u32::from(u16::MAX)) as u16;
        let mut linked = Vec::new();
        if matches!(applied, Applied::Rule { .. }) {
            translated(target, links, |symbol, words| {
                let number = self.lexical.number(words, models.vocab());
                linked.push((place(span.start + u32::from(symbol)), number));
            });
        }
        self.lexical.value(span.map(place), linked.into_iter())
    }
}
