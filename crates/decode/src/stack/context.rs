//! What comes before a phrase, as far as it matters for the phrase's words: states of language models, numbered from
//! sentence begin on, so that hypotheses carry and compare one number.

use super::phrases::{Models, Phrases};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::f32::consts::LN_10;
use std::hash::{Hash, Hasher};
use treeglot_lm::search::Search;
use treeglot_lm::special::EOS;
use treeglot_lm::{AnyTables, ChartState, Scorer, State};

/// What stands before a phrase on the target side. The search knows it by number; equal numbers have equal futures.
pub trait Context {
    /// The begin of the sentence.
    fn begin(&mut self) -> u32;
    /// Puts a phrase behind a context: what its score changes by there, and the context after it. `None` if it must
    /// not stand there.
    fn extend(&mut self, context: u32, phrase: u32) -> Option<(f32, u32)>;
    /// What the end of the sentence scores after a context; `None` if the sentence must not end there.
    fn finish(&mut self, context: u32) -> Option<f32>;
}

/// The states of language models in one sentence; owned by a thread.
#[derive(Default)]
pub struct LmStates {
    /// The states of each context, one for each model.
    states: Vec<State>,
    numbers: HashTable<u32>,
    /// What a phrase does behind a context, worked out once.
    joined: FxHashMap<(u32, u32), (f32, u32)>,
    scratch: Vec<State>,
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
    /// The contexts of a new sentence. `weights` has one weight for each language model.
    pub fn new(
        states: &'a mut LmStates,
        models: &'a Models<'s>,
        phrases: &'a Phrases,
        weights: impl Iterator<Item = f32>,
    ) -> Self {
        states.states.clear();
        states.numbers.clear();
        states.joined.clear();
        Self { states, models, phrases, weights: weights.map(|weight| weight * LN_10).collect() }
    }

    fn join(&mut self, context: u32, phrase: u32) -> (f32, u32) {
        let lms = self.models.len();
        let mut change = 0.0;
        let mut next = std::mem::take(&mut self.states.scratch);
        next.clear();
        for (lm, piece) in self.phrases.pieces(phrase, lms).iter().enumerate() {
            let from = &self.states.states[context as usize * lms + lm];
            let (prob, state) = append(self.models.tables(lm), from, piece);
            change += self.weights[lm] * prob;
            next.push(state);
        }
        let number = self.states.number(&next);
        self.states.scratch = next;
        (change, number)
    }
}

impl Context for LmContext<'_, '_> {
    fn begin(&mut self) -> u32 {
        let begin = |lm| match self.models.tables(lm) {
            AnyTables::Probing(tables) => Scorer::new(tables).begin(),
            AnyTables::Trie(tables) => Scorer::new(tables).begin(),
        };
        let states: Vec<State> = (0..self.models.len()).map(begin).collect();
        self.states.number(&states)
    }

    fn extend(&mut self, context: u32, phrase: u32) -> Option<(f32, u32)> {
        if let Some(&known) = self.states.joined.get(&(context, phrase)) {
            return Some(known);
        }
        let joined = self.join(context, phrase);
        self.states.joined.insert((context, phrase), joined);
        Some(joined)
    }

    fn finish(&mut self, context: u32) -> Option<f32> {
        let lms = self.models.len();
        let end = |lm: usize| {
            let from = &self.states.states[context as usize * lms + lm];
            let scored = match self.models.tables(lm) {
                AnyTables::Probing(tables) => Scorer::new(tables).score(from, EOS).0,
                AnyTables::Trie(tables) => Scorer::new(tables).score(from, EOS).0,
            };
            self.weights[lm] * scored.prob
        };
        Some((0..lms).map(end).sum())
    }
}

fn append(tables: &AnyTables<'_>, from: &State, piece: &ChartState) -> (f32, State) {
    fn on<S: Search>(tables: &S, from: &State, piece: &ChartState) -> (f32, State) {
        Scorer::new(tables).append(from, piece)
    }
    match tables {
        AnyTables::Probing(tables) => on(tables, from, piece),
        AnyTables::Trie(tables) => on(tables, from, piece),
    }
}

impl LmStates {
    /// The number of a context; new if it is.
    fn number(&mut self, context: &[State]) -> u32 {
        let lms = context.len();
        let Self { states, numbers, .. } = self;
        let of = |states: &[State], number: u32| -> std::ops::Range<usize> {
            let start = number as usize * lms;
            start..(start + lms).min(states.len())
        };
        let found = numbers.find(hash(context), |&number| &states[of(states, number)] == context);
        if let Some(&number) = found {
            return number;
        }
        let number = states.len().checked_div(lms).unwrap_or(0) as u32;
        states.extend_from_slice(context);
        numbers.insert_unique(hash(context), number, |&number| hash(&states[of(states, number)]));
        number
    }
}

fn hash(states: &[State]) -> u64 {
    let mut hasher = FxHasher::default();
    states.iter().for_each(|state| state.hash(&mut hasher));
    hasher.finish()
}
