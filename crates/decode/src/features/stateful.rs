//! Features whose value depends on neighbouring rules, as language models: the search carries their state along and
//! joins hypotheses whose states are equal.
//!
//! The search is compiled for each kind of state. Features combine as pairs, so any number of them is one feature.

use crate::vocab::SentenceVocab;
use std::hash::Hash;
use treeglot_text::vocab::Sym;

/// One symbol of a rule's target side, words as the feature needs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Item<W> {
    /// A word.
    Word(W),
    /// What variable k of the source side stands for.
    Tail(u8),
    /// The begin of the sentence.
    Begin,
    /// After all others, one for each: the head of a symbol, a mark of [`treeglot_grammar::heads`].
    Head(u8),
}

/// A feature with a state.
pub trait Stateful: Send {
    /// What a hypothesis must remember; two hypotheses with equal states have the same future.
    type State: Copy + Eq + Hash + Send + 'static;
    /// A word, looked up.
    type Word: Copy + Send;

    /// How two neighbours can be joined where no rule says how, as the heads of both; one without heads for
    /// features that see words only.
    const JOINS: &'static [&'static [u8]] = &[&[]];

    /// How many values it has.
    fn width(&self) -> usize;

    /// Looks a word up.
    fn word(&mut self, word: Sym, vocab: &SentenceVocab<'_>) -> Self::Word;

    /// The end of the sentence.
    fn end(&self) -> Self::Word;

    /// The weighted score of a target side by itself, however its tails come out: for ranking rules only.
    fn estimate(&self, target: impl Iterator<Item = Item<Self::Word>> + Clone) -> f32;

    /// What applying a target side adds to the weighted scores of its tails, and the state of the whole.
    fn apply<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        tail: impl Fn(u8) -> &'s Self::State,
    ) -> (f32, Self::State);

    /// The values that [`Stateful::apply`] weighs.
    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        tail: impl Fn(u8) -> &'s Self::State,
        values: &mut [f32],
    );
}

impl Stateful for () {
    type State = ();
    type Word = ();

    fn width(&self) -> usize {
        0
    }

    fn word(&mut self, _: Sym, _: &SentenceVocab<'_>) {}

    fn end(&self) {}

    fn estimate(&self, _: impl Iterator<Item = Item<()>> + Clone) -> f32 {
        0.0
    }

    fn apply<'s>(&self, _: impl Iterator<Item = Item<()>> + Clone, _: impl Fn(u8) -> &'s ()) -> (f32, ()) {
        (0.0, ())
    }

    fn values<'s>(&self, _: impl Iterator<Item = Item<()>> + Clone, _: impl Fn(u8) -> &'s (), _: &mut [f32]) {
    }
}

impl<W> Item<W> {
    /// The same symbol with its word mapped.
    #[inline]
    fn map<V>(self, f: impl FnOnce(W) -> V) -> Item<V> {
        match self {
            Self::Word(word) => Item::Word(f(word)),
            Self::Tail(k) => Item::Tail(k),
            Self::Begin => Item::Begin,
            Self::Head(head) => Item::Head(head),
        }
    }
}

/// Two features as one: the values of the first, then those of the second.
pub struct Both<A, B>(pub A, pub B);

impl<A: Stateful, B: Stateful> Stateful for Both<A, B> {
    type State = (A::State, B::State);
    type Word = (A::Word, B::Word);
    const JOINS: &'static [&'static [u8]] = if A::JOINS.len() > 1 { A::JOINS } else { B::JOINS };

    fn width(&self) -> usize {
        self.0.width() + self.1.width()
    }

    fn word(&mut self, word: Sym, vocab: &SentenceVocab<'_>) -> Self::Word {
        (self.0.word(word, vocab), self.1.word(word, vocab))
    }

    fn end(&self) -> Self::Word {
        (self.0.end(), self.1.end())
    }

    fn estimate(&self, target: impl Iterator<Item = Item<Self::Word>> + Clone) -> f32 {
        let first = self.0.estimate(target.clone().map(|item| item.map(|word| word.0)));
        first + self.1.estimate(target.map(|item| item.map(|word| word.1)))
    }

    fn apply<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        tail: impl Fn(u8) -> &'s Self::State,
    ) -> (f32, Self::State) {
        let (a, first) = self.0.apply(target.clone().map(|item| item.map(|word| word.0)), |k| &tail(k).0);
        let (b, second) = self.1.apply(target.map(|item| item.map(|word| word.1)), |k| &tail(k).1);
        (a + b, (first, second))
    }

    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        tail: impl Fn(u8) -> &'s Self::State,
        values: &mut [f32],
    ) {
        let (first, second) = values.split_at_mut(self.0.width());
        self.0.values(target.clone().map(|item| item.map(|word| word.0)), |k| &tail(k).0, first);
        self.1.values(target.map(|item| item.map(|word| word.1)), |k| &tail(k).1, second);
    }
}
