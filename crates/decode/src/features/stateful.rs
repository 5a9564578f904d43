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
    /// At the end: a source word of the rule, with what it is linked to.
    Source(W),
}

/// A feature with a state.
pub trait Stateful: Send {
    /// What a hypothesis must remember; two hypotheses with equal states have the same future.
    type State: Copy + Default + Eq + Hash + Send + 'static;
    /// A word, looked up.
    type Word: Copy + Send;

    /// How two neighbours can be joined where no rule says how, as the heads of both; one without heads for
    /// features that see words only.
    const JOINS: &'static [&'static [u8]] = &[&[]];

    /// Whether it looks at where source words stand: only then are links of rules and places of source symbols given to it.
    const PLACED: bool = false;

    /// Whether what it says of a target side follows from its words, as [`Stateful::key`] tells them apart: then it is asked once for
    /// each string of words of a node, however many derivations make it.
    const OF_WORDS: bool = false;

    /// A number for each word that is not like another to it; asked for only if it looks at nothing else.
    fn key(word: Self::Word) -> u64 {
        let _ = word;
        0
    }

    /// How many values it has.
    fn width(&self) -> usize;

    /// Begins a sentence of these words.
    fn begin_sentence(&mut self, line: &str) {
        let _ = line;
    }

    /// Looks a word up that is affiliated with this symbol of its rule's source side.
    fn word(&mut self, word: Sym, affiliated: u8, vocab: &SentenceVocab<'_>) -> Self::Word;

    /// Looks up the target words that are linked to a word of the rule's source side, in their order; `None` if it does not look at
    /// these.
    fn source(&mut self, linked: &[Sym], symbol: u8, vocab: &SentenceVocab<'_>) -> Option<Self::Word> {
        let _ = (linked, symbol, vocab);
        None
    }

    /// The end of the sentence.
    fn end(&self) -> Self::Word;

    /// The weighted score of a target side by itself, however its tails come out: for ranking rules only.
    fn estimate(&self, target: impl Iterator<Item = Item<Self::Word>> + Clone) -> f32;

    /// What applying a target side adds to the weighted scores of its tails; `state` becomes the state of the whole, whatever it was.
    /// `places` are those of the symbols of the source side in the sentence.
    fn apply<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        places: &[u32],
        tail: impl Fn(u8) -> &'s Self::State,
        state: &mut Self::State,
    ) -> f32;

    /// The values that [`Stateful::apply`] weighs.
    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        places: &[u32],
        tail: impl Fn(u8) -> &'s Self::State,
        values: &mut [f32],
    );
}

impl Stateful for () {
    type State = ();
    type Word = ();
    const OF_WORDS: bool = true;

    fn width(&self) -> usize {
        0
    }

    fn word(&mut self, _: Sym, _: u8, _: &SentenceVocab<'_>) {}

    fn end(&self) {}

    fn estimate(&self, _: impl Iterator<Item = Item<()>> + Clone) -> f32 {
        0.0
    }

    fn apply<'s>(
        &self,
        _: impl Iterator<Item = Item<()>> + Clone,
        _: &[u32],
        _: impl Fn(u8) -> &'s (),
        _: &mut (),
    ) -> f32 {
        0.0
    }

    fn values<'s>(
        &self,
        _: impl Iterator<Item = Item<()>> + Clone,
        _: &[u32],
        _: impl Fn(u8) -> &'s (),
        _: &mut [f32],
    ) {
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
            Self::Source(word) => Item::Source(f(word)),
        }
    }
}

/// Two features as one: the values of the first, then those of the second.
pub struct Both<A, B>(pub A, pub B);

impl<A: Stateful, B: Stateful> Stateful for Both<A, B> {
    type State = (A::State, B::State);
    type Word = (A::Word, B::Word);
    const JOINS: &'static [&'static [u8]] = if A::JOINS.len() > 1 { A::JOINS } else { B::JOINS };
    const PLACED: bool = A::PLACED || B::PLACED;
    const OF_WORDS: bool = A::OF_WORDS && B::OF_WORDS;

    #[inline]
    fn key(word: Self::Word) -> u64 {
        let first = A::key(word.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let second = B::key(word.1).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (first ^ first >> 32).wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(second)
    }

    fn width(&self) -> usize {
        self.0.width() + self.1.width()
    }

    fn begin_sentence(&mut self, line: &str) {
        self.0.begin_sentence(line);
        self.1.begin_sentence(line);
    }

    fn word(&mut self, word: Sym, affiliated: u8, vocab: &SentenceVocab<'_>) -> Self::Word {
        (self.0.word(word, affiliated, vocab), self.1.word(word, affiliated, vocab))
    }

    /// A feature that does not look at it gets the sentence's end in its place, which it passes over.
    fn source(&mut self, linked: &[Sym], symbol: u8, vocab: &SentenceVocab<'_>) -> Option<Self::Word> {
        match (self.0.source(linked, symbol, vocab), self.1.source(linked, symbol, vocab)) {
            (None, None) => None,
            (a, b) => Some((a.unwrap_or(self.0.end()), b.unwrap_or(self.1.end()))),
        }
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
        places: &[u32],
        tail: impl Fn(u8) -> &'s Self::State,
        state: &mut Self::State,
    ) -> f32 {
        let first_words = target.clone().map(|item| item.map(|word| word.0));
        let first = self.0.apply(first_words, places, |k| &tail(k).0, &mut state.0);
        let second_words = target.map(|item| item.map(|word| word.1));
        first + self.1.apply(second_words, places, |k| &tail(k).1, &mut state.1)
    }

    fn values<'s>(
        &self,
        target: impl Iterator<Item = Item<Self::Word>> + Clone,
        places: &[u32],
        tail: impl Fn(u8) -> &'s Self::State,
        values: &mut [f32],
    ) {
        let (first, second) = values.split_at_mut(self.0.width());
        self.0.values(target.clone().map(|item| item.map(|word| word.0)), places, |k| &tail(k).0, first);
        self.1.values(target.map(|item| item.map(|word| word.1)), places, |k| &tail(k).1, second);
    }
}
