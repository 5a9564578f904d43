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

/// Says that an n-gram is no context; a weight of one is +0.0.
pub const NO_CONTEXT: f32 = -0.0;

/// Whether longer n-grams begin with one of this back-off weight.
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

    /// In how many steps [`Search::touch`] reads, each depending on what the one before has read.
    const TOUCHES: usize;

    /// Reads a little of what [`Search::longer`] will need for the same arguments: done step by step for several n-grams,
    /// their waits for memory overlap. The value means nothing.
    fn touch(&self, step: usize, length: usize, node: u64, word: Sym) -> u64;

    /// The probability and back-off of a node that was found before, by its length.
    fn again(&self, length: usize, node: u64) -> Found;
}
