//! Structures under construction, for a decoder: what must be known of a fixed or floating structure (Shen et al. 2008,
//! section 2.2) to score what is attached later. The scores of all steps add up to that of the finished tree.

use super::{Branch, DepScorer};
use crate::layout::Search;
use crate::state::MAX_CONTEXT;
use std::hash::{Hash, Hasher};
use treeglot_text::vocab::Sym;

/// The outermost children on one side, as many as can still matter, the outermost first.
#[derive(Debug, Clone, Copy, Default)]
struct Siblings {
    words: [Sym; MAX_CONTEXT],
    length: u8,
}

impl Siblings {
    fn words(&self) -> &[Sym] {
        &self.words[..usize::from(self.length)]
    }

    /// Adds a child outside of the others; at most `limit` are kept.
    fn push(&mut self, word: Sym, limit: usize) {
        self.words.copy_within(..MAX_CONTEXT - 1, 1);
        self.words[0] = word;
        self.length = (usize::from(self.length) + 1).min(limit) as u8;
    }
}

/// A structure whose head is in it. Two are equal if nothing attached later can tell them apart by its score.
#[derive(Debug, Clone, Copy)]
pub struct Fixed {
    head: Sym,
    left: Siblings,
    right: Siblings,
}

impl Fixed {
    /// One word without children.
    pub fn word(word: Sym) -> Self {
        Self { head: word, left: Siblings::default(), right: Siblings::default() }
    }

    /// Its head.
    pub fn head(&self) -> Sym {
        self.head
    }

    fn key(&self) -> (Sym, &[Sym], &[Sym]) {
        (self.head, self.left.words(), self.right.words())
    }
}

impl PartialEq for Fixed {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Fixed {}

impl Hash for Fixed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Neighbouring structures that will have the same head, which is not known yet: their heads, left to right. All of
/// these are scored only when the head comes, so all must be known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Floating {
    heads: Vec<Sym>,
}

impl Floating {
    /// The heads of its structures, left to right.
    pub fn heads(&self) -> &[Sym] {
        &self.heads
    }
}

/// A well-formed structure.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Structure {
    /// Its head is in it.
    Fixed(Fixed),
    /// Its head is outside.
    Floating(Floating),
}

impl Structure {
    /// The words that will be children of the head it is attached to, left to right.
    pub fn heads(&self) -> &[Sym] {
        match self {
            Self::Fixed(fixed) => std::slice::from_ref(&fixed.head),
            Self::Floating(floating) => &floating.heads,
        }
    }

    /// Two neighbours that will have the same head. This scores nothing yet.
    pub fn beside(&self, right: &Self) -> Floating {
        Floating { heads: [self.heads(), right.heads()].concat() }
    }
}

impl<S: Search> DepScorer<'_, S> {
    /// Attaches a structure outside of all that `head` has on that side; the log10 probability of the new children.
    pub fn attach(&self, head: &mut Fixed, side: Branch, what: &Structure) -> f64 {
        let one = |sum: f64, &child: &Sym| sum + f64::from(self.attach_word(head, side, child));
        match side {
            Branch::Left => what.heads().iter().rev().fold(0.0, one),
            Branch::Right => what.heads().iter().fold(0.0, one),
        }
    }

    fn attach_word(&self, head: &mut Fixed, side: Branch, child: Sym) -> f32 {
        let siblings = if side == Branch::Left { &mut head.left } else { &mut head.right };
        let prob = self.child(side, head.head, siblings.words(), child);
        siblings.push(child, self.siblings);
        prob
    }

    /// Makes a structure the whole tree: the log10 probability of its head, or of each of its heads, as a root.
    pub fn finish(&self, whole: &Structure) -> f64 {
        whole.heads().iter().map(|&head| f64::from(self.root(head))).sum()
    }
}
