//! What a layout must answer: which n-grams there are, from short to long, each found by adding a word on the left of
//! the one before.

use treeglot_text::vocab::Sym;

/// An n-gram that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The log10 probability of its last word after the others.
    pub prob: f32,
    /// Its back-off weight; -0.0 if no longer n-gram begins with it.
    pub backoff: f32,
    /// Whether a longer n-gram ends in it.
    pub extends_left: bool,
    /// The layout's name for it.
    pub node: u64,
}

/// How far the search for an n-gram has got.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cursor {
    /// The element to read next.
    pub at: usize,
    /// What the layout keeps from one step to the next.
    pub notes: [u64; 2],
}

/// Says that an n-gram is no context; a weight of one is +0.0.
pub const NO_CONTEXT: f32 = -0.0;

/// Whether longer n-grams begin with one of this back-off weight.
#[inline]
pub fn extends_right(backoff: f32) -> bool {
    backoff.to_bits() != NO_CONTEXT.to_bits()
}

/// A layout of n-grams.
pub trait Search {
    /// The length of the longest n-grams.
    fn order(&self) -> usize;

    /// A word; one that the model lacks is the unknown word.
    fn unigram(&self, word: Sym) -> Found;

    /// The n-gram of `length` words that has `word` before those of `node`, whose length is one less.
    fn longer(&self, length: usize, node: u64, word: Sym) -> Option<Found>;

    /// In how many steps [`Search::aim`] and [`Search::read`] approach an n-gram, each depending on what the one before
    /// has read.
    fn steps(&self, length: usize) -> usize;

    /// Works out what to read in a step for what [`Search::longer`] would find. Only what earlier steps have read is
    /// looked at.
    fn aim(&self, step: usize, length: usize, node: u64, word: Sym, cursor: &mut Cursor);

    /// Reads what the cursor aims at and does nothing else: done for several n-grams in a row, their waits for memory
    /// overlap. The value means nothing.
    fn read(&self, step: usize, length: usize, cursor: &Cursor) -> u64;

    /// [`Search::longer`] after all steps.
    fn reach(&self, length: usize, node: u64, word: Sym, cursor: &Cursor) -> Option<Found>;
}
