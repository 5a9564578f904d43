//! Positions: words, nodes and spans of words.

use std::fmt;

/// A word's position in its sentence, from 0. Printed from 1, as files and messages count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WordIx(pub u32);

impl WordIx {
    /// The position as a slice index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for WordIx {
    fn from(ix: usize) -> Self {
        Self(u32::try_from(ix).expect("a sentence has fewer than 2^32 words"))
    }
}

impl fmt::Display for WordIx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u64::from(self.0) + 1)
    }
}

/// A node of a [`crate::ConTree`], numbered in pre-order: the root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node as a slice index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for NodeId {
    fn from(ix: usize) -> Self {
        Self(u32::try_from(ix).expect("a tree has fewer than 2^32 nodes"))
    }
}

/// A run of word positions, `start..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first position.
    pub start: u32,
    /// One past the last position.
    pub end: u32,
}

impl Span {
    /// The span `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    /// The span of one word.
    pub fn of(word: WordIx) -> Self {
        Self { start: word.0, end: word.0 + 1 }
    }

    /// How many positions it has.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it has no position.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span around both; an empty one adds nothing.
    pub fn hull(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Self { start: self.start.min(other.start), end: self.end.max(other.end) },
        }
    }

    /// Whether `word` lies in it.
    pub fn contains(self, word: WordIx) -> bool {
        self.start <= word.0 && word.0 < self.end
    }

    /// Whether all of `other` lies in it.
    pub fn covers(self, other: Self) -> bool {
        other.is_empty() || (self.start <= other.start && other.end <= self.end)
    }

    /// Its words, left to right.
    pub fn words(self) -> impl DoubleEndedIterator<Item = WordIx> + ExactSizeIterator {
        (self.start..self.end).map(WordIx)
    }
}
