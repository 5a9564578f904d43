//! What comes before a phrase, as far as it matters for the phrase's words: states of language models, numbered from
//! sentence begin on, so that hypotheses carry and compare one number.

use super::phrases::{Models, Phrase, Phrases};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::f32::consts::LN_10;
use std::hash::{Hash, Hasher};
use treeglot_lm::State;
use treeglot_lm::special::EOS;

/// What stands before a phrase on the target side. The search knows it by number; equal numbers have equal futures.
pub trait Context {
    /// The begin of the sentence.
    fn begin(&mut self) -> u32;
    /// Puts the phrase of an option behind a context: what its score changes by there, and the context after it. `None` if
    /// it must not stand there.
    fn extend(&mut self, context: u32, phrase: u32, option: u32) -> Option<(f32, u32)>;
    /// What the end of the sentence scores after a context; `None` if the sentence must not end there.
    fn finish(&mut self, context: u32) -> Option<f32>;
}

/// The states of language models that sentences have come to; owned by a thread.
pub struct LmStates {
    /// The states of each context, one for each model.
    states: Vec<State>,
    numbers: HashTable<u32>,
    /// What phrases do behind contexts: worked out lately, by a hash of both.
    joined: Vec<Joined>,
    /// The context that a closed phrase leaves, whatever stood before; [`UNSEEN`] before it was asked for.
    own: Vec<u32>,
    scratch: Vec<State>,
}

/// What a class of phrases does behind a context.
#[derive(Clone, Copy)]
struct Joined {
    context: u32,
    class: u32,
    change: f32,
    /// The context after the phrase that was asked for.
    next: u32,
}

const UNSEEN: u32 = u32::MAX;
const NOTHING: Joined = Joined { context: u32::MAX, class: u32::MAX, change: 0.0, next: 0 };
/// How many results are kept: as many as fit the cache of a core.
const JOINED: usize = 1 << 16;
/// Past so many states all are forgotten at the begin of a sentence.
const KEPT: usize = 400_000;

impl Default for LmStates {
    fn default() -> Self {
        let (states, numbers) = (Vec::new(), HashTable::new());
        Self { states, numbers, joined: vec![NOTHING; JOINED], own: Vec::new(), scratch: Vec::new() }
    }
}

impl LmStates {
    /// Forgets the unknown words of the sentence before, and everything if the numbers of phrases are `void` or there
    /// are too many states.
    pub fn next_sentence(&mut self, void: bool, lasting_phrases: usize) {
        self.own.truncate(lasting_phrases);
        if void || self.states.len() > KEPT {
            self.states.clear();
            self.numbers.clear();
            self.own.clear();
            self.joined.fill(NOTHING);
        }
    }
}

/// Contexts of language models for one sentence.
pub struct LmContext<'a, 's> {
    states: &'a mut LmStates,
    models: &'a Models<'s>,
    phrases: &'a Phrases,
    /// The weight of each model, times the logarithm of 10.
    weights: Vec<f32>,
}

impl<'a, 's> LmContext<'a, 's> {
    /// The contexts of a sentence. `weights` has one weight for each language model.
    pub fn new(
        states: &'a mut LmStates,
        models: &'a Models<'s>,
        phrases: &'a Phrases,
        weights: impl Iterator<Item = f32>,
    ) -> Self {
        Self { states, models, phrases, weights: weights.map(|weight| weight * LN_10).collect() }
    }

    /// The context that a closed phrase leaves.
    fn own(&mut self, phrase: u32) -> u32 {
        let at = phrase as usize;
        if self.states.own.len() <= at {
            self.states.own.resize(at + 1, UNSEEN);
        }
        if self.states.own[at] == UNSEEN {
            let pieces = self.phrases.pieces(phrase, self.models.len());
            let rights: Vec<State> = pieces.iter().map(|piece| piece.right).collect();
            self.states.own[at] = self.states.number(&rights);
        }
        self.states.own[at]
    }

    /// What a phrase's score changes by behind a context; the states after it go to the scratch buffer.
    fn join(&mut self, context: u32, phrase: u32) -> f32 {
        let lms = self.models.len();
        let LmStates { states, scratch, .. } = &mut *self.states;
        scratch.clear();
        let mut change = 0.0;
        for (lm, piece) in self.phrases.pieces(phrase, lms).iter().enumerate() {
            let (prob, state) = self.models.tables(lm).append(&states[context as usize * lms + lm], piece);
            change += self.weights[lm] * prob;
            scratch.push(state);
        }
        change
    }
}

impl Context for LmContext<'_, '_> {
    fn begin(&mut self) -> u32 {
        let begin = |lm| self.models.tables(lm).scorer().begin();
        let states: Vec<State> = (0..self.models.len()).map(begin).collect();
        self.states.number(&states)
    }

    #[inline]
    fn extend(&mut self, context: u32, phrase: u32, _: u32) -> Option<(f32, u32)> {
        let Phrase { class, closed, .. } = *self.phrases.get(phrase);
        let slot = (hash_of(&(context, class)) >> (u64::BITS - JOINED.ilog2())) as usize;
        let known = self.states.joined[slot];
        if (known.context, known.class) == (context, class) {
            let next = if closed { self.own(phrase) } else { known.next };
            return Some((known.change, next));
        }
        let change = self.join(context, phrase);
        let next = if closed { self.own(phrase) } else { self.states.number_scratch() };
        self.states.joined[slot] = Joined { context, class, change, next };
        Some((change, next))
    }

    fn finish(&mut self, context: u32) -> Option<f32> {
        let lms = self.models.len();
        let end = |lm: usize| {
            let from = &self.states.states[context as usize * lms + lm];
            self.weights[lm] * self.models.tables(lm).score(from, EOS).0.prob
        };
        Some((0..lms).map(end).sum())
    }
}

impl LmStates {
    /// The number of the context in the scratch buffer.
    fn number_scratch(&mut self) -> u32 {
        let context = std::mem::take(&mut self.scratch);
        let number = self.number(&context);
        self.scratch = context;
        number
    }

    /// The number of a context; new if it is.
    fn number(&mut self, context: &[State]) -> u32 {
        let lms = context.len();
        let Self { states, numbers, .. } = self;
        let of = |states: &[State], number: u32| -> std::ops::Range<usize> {
            let start = number as usize * lms;
            start..(start + lms).min(states.len())
        };
        let found = numbers.find(hash_of(context), |&number| &states[of(states, number)] == context);
        if let Some(&number) = found {
            return number;
        }
        let number = states.len().checked_div(lms).unwrap_or(0) as u32;
        states.extend_from_slice(context);
        numbers.insert_unique(hash_of(context), number, |&number| hash_of(&states[of(states, number)]));
        number
    }
}

fn hash_of(key: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
