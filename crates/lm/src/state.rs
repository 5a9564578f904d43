//! What a scorer must remember of the words before: as few as can still matter, in a fixed-size copyable value
//! (Li & Khudanpur 2008; Heafield 2011, section 4.1), so that hypotheses with the same future recombine.

use crate::key::WIDE;
use std::hash::{Hash, Hasher};
use treeglot_text::vocab::Sym;

/// The most words a state holds.
pub const MAX_CONTEXT: usize = WIDE - 1;

/// The last words, as far as a longer n-gram can begin with them. Two states are equal if their words are.
#[derive(Debug, Clone, Copy, Default)]
pub struct State {
    /// The words, the last one first.
    pub(crate) words: [Sym; MAX_CONTEXT],
    /// The back-off weights of the last word, the last two, ...
    pub(crate) backoffs: [f32; MAX_CONTEXT],
    pub(crate) length: u8,
}

impl State {
    /// The words that matter, the last one first.
    #[inline]
    pub fn words(&self) -> &[Sym] {
        &self.words[..usize::from(self.length)]
    }

    /// Their back-off weights: of the last word, the last two, ...
    #[inline]
    pub(crate) fn backoffs(&self) -> &[f32] {
        &self.backoffs[..usize::from(self.length)]
    }

    /// Puts words behind the first of these, whose back-off weights with the words behind them are `backoffs`; the others are
    /// forgotten.
    #[inline]
    pub(crate) fn put_behind(&mut self, words: &Self, backoffs: &[f32]) {
        let own = words.words().len();
        for (at, &backoff) in backoffs.iter().enumerate().rev() {
            self.words[own + at] = self.words[at];
            self.backoffs[own + at] = backoff;
        }
        for at in 0..own {
            self.words[at] = words.words[at];
            self.backoffs[at] = words.backoffs[at];
        }
        self.length = (own + backoffs.len()) as u8;
    }
}

impl PartialEq for State {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.words().iter().zip(other.words()).all(|(a, b)| a == b)
    }
}

impl Eq for State {}

impl Hash for State {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().iter().for_each(|word| state.write_u32(word.0));
    }
}

/// The first words of a piece of text whose left context is not known yet, as far as their probabilities may still
/// change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left {
    /// The n-grams of the first word, the first two, ..., as the layout names them.
    pub(crate) nodes: [u64; MAX_CONTEXT],
    /// Their log10 probabilities, so that a look-up begins with the words before them.
    pub(crate) probs: [f32; MAX_CONTEXT],
    pub(crate) length: u8,
    /// Whether no word after these can change, whatever comes before.
    pub(crate) full: bool,
}

impl Left {
    /// Whether only these words can change, so that what follows the piece depends on nothing before it.
    pub fn is_full(&self) -> bool {
        self.full
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        (self.length, self.full) = (0, false);
    }

    #[inline]
    pub(crate) fn nodes(&self) -> &[u64] {
        &self.nodes[..usize::from(self.length)]
    }

    #[inline]
    pub(crate) fn push(&mut self, node: u64, prob: f32) {
        self.nodes[usize::from(self.length)] = node;
        self.probs[usize::from(self.length)] = prob;
        self.length += 1;
    }
}

impl PartialEq for Left {
    /// The longest n-gram contains the shorter ones.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.length, self.full, self.nodes().last()) == (other.length, other.full, other.nodes().last())
    }
}

impl Eq for Left {}

impl Hash for Left {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let longest = self.nodes().last().copied().unwrap_or(0);
        state.write_u64(longest ^ u64::from(self.full));
    }
}

/// What a chart hypothesis must remember of its words on both sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ChartState {
    /// The first words.
    pub left: Left,
    /// The last words.
    pub right: State,
}
