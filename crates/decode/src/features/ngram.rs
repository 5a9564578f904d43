//! `LM0`, `LM1`, ...: an n-gram language model as a feature of the search. Its value is the natural logarithm of the probability, its state
//! the words at both ends that may still matter (Heafield, Koehn & Lavie 2012).

use super::{Feature, Item, LmRole, Shape, Stateful};
use crate::vocab::{LmWords, SentenceVocab};
use treeglot_lm::Search;
use treeglot_lm::{ChartState, Lm, Scorer, special};
use treeglot_text::vocab::Sym;

/// The entry of a language model.
struct Entry {
    number: usize,
}

/// The name of a language model's feature.
pub(super) fn name(number: usize) -> String {
    format!("LM{number}")
}

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    (0..shape.lms(LmRole::Ngram)).map(|number| Box::new(Entry { number }) as Box<dyn Feature>).collect()
}

impl Feature for Entry {
    fn name(&self) -> String {
        name(self.number)
    }

    fn of_rules(&self) -> bool {
        false
    }

    fn start(&self) -> Vec<f32> {
        vec![0.5]
    }
}

/// A language model with its weight, on one layout of its tables.
pub struct Ngram<'m, S> {
    words: LmWords<'m>,
    tables: S,
    weight: f32,
}

impl<'m, S: Search> Ngram<'m, S> {
    /// The model on these of its tables.
    pub fn new(lm: &'m Lm, tables: S, weight: f32) -> Self {
        Self { words: LmWords::new(lm), tables, weight }
    }

    #[inline]
    fn log10<'s>(
        &self,
        target: impl Iterator<Item = Item<Sym>>,
        tail: impl Fn(u8) -> &'s ChartState,
        state: &mut ChartState,
    ) -> f32 {
        let mut rule = Scorer::new(&self.tables).rule(state);
        for item in target {
            match item {
                Item::Word(word) => rule.word(word),
                Item::Tail(k) => rule.piece(tail(k), 0.0),
                Item::Begin => rule.begin(),
                Item::Head(_) | Item::Source(_) => break,
            }
        }
        rule.finish()
    }
}

impl<S: Search + Send> Stateful for Ngram<'_, S> {
    type State = ChartState;
    type Word = Sym;
    const OF_WORDS: bool = true;

    #[inline]
    fn key(word: Sym) -> u64 {
        u64::from(word.0)
    }

    fn width(&self) -> usize {
        1
    }

    fn word(&mut self, word: Sym, _: u8, vocab: &SentenceVocab<'_>) -> Sym {
        self.words.get(word, vocab)
    }

    fn end(&self) -> Sym {
        special::EOS
    }

    fn estimate(&self, target: impl Iterator<Item = Item<Sym>> + Clone) -> f32 {
        let scorer = Scorer::new(&self.tables);
        let (mut state, mut log10) = (ChartState::default(), 0.0);
        let mut rule = scorer.rule(&mut state);
        for item in target {
            match item {
                Item::Word(word) => rule.word(word),
                Item::Head(_) | Item::Source(_) => break,
                _ => {
                    log10 += rule.finish();
                    rule = scorer.rule(&mut state);
                }
            }
        }
        (log10 + rule.finish()) * std::f32::consts::LN_10 * self.weight
    }

    #[inline]
    fn apply<'s>(
        &self,
        target: impl Iterator<Item = Item<Sym>> + Clone,
        _: &[u32],
        tail: impl Fn(u8) -> &'s ChartState,
        state: &mut ChartState,
    ) -> f32 {
        self.log10(target, tail, state) * (std::f32::consts::LN_10 * self.weight)
    }

    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<Sym>> + Clone,
        _: &[u32],
        tail: impl Fn(u8) -> &'s ChartState,
        values: &mut [f32],
    ) {
        values[0] = self.log10(target, tail, &mut ChartState::default()) * std::f32::consts::LN_10;
    }
}
