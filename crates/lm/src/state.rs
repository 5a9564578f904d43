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
    pub fn words(&self) -> &[Sym] {
        &self.words[..usize::from(self.length)]
    }

    /// Their back-off weights: of the last word, the last two, ...
    pub(crate) fn backoffs(&self) -> &[f32] {
        &self.backoffs[..usize::from(self.length)]
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

/// The first words of a piece of text whose left context is not known yet, as far as their probabilities may still
/// change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left {
    /// The n-grams of the first word, the first two, ..., as the layout names them.
    pub(crate) nodes: [u64; MAX_CONTEXT],
    pub(crate) length: u8,
    /// Whether no word after these can change, whatever comes before.
    pub(crate) full: bool,
}

impl Left {
    /// Whether only these words can change, so that what follows the piece depends on nothing before it.
    pub fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn nodes(&self) -> &[u64] {
        &self.nodes[..usize::from(self.length)]
    }

    pub(crate) fn push(&mut self, node: u64) {
        self.nodes[usize::from(self.length)] = node;
        self.length += 1;
    }
}

impl PartialEq for Left {
    fn eq(&self, other: &Self) -> bool {
        self.full == other.full && self.nodes() == other.nodes()
    }
}

impl Eq for Left {}

impl Hash for Left {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.full.hash(state);
        // The longest n-gram contains the shorter ones.
        self.nodes().last().hash(state);
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
