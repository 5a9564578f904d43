//! The dependency language model (Shen et al. 2008, section 3; `P_T`, `P_L` and `P_R`): each word is predicted from its
//! head and from its siblings between it and the head, outward on each side.
//!
//! It is an n-gram model whose events are words of trees. With order 3, the word `d` with head `h` and next inner
//! sibling `s` is the event `s h <left> d` (or `<right>`), the innermost child `<s> h <left> d`, the root
//! `<s> <root> d`. Smoothing therefore backs off from `P_L(d | s, h)` to `P_L(d | h)`, then to `P_L(d)`, the words
//! on that side of any head. Contexts such as `s h <left>` are in the model for their back-off weights only and have
//! the log probability -99. As in the paper, no event says that a head has no further child.

mod estimate;
mod item;
pub mod shard;

pub use estimate::from_trees;
pub use item::{Fixed, Floating, Structure};

use crate::error::{Error, Result};
use crate::layout::AnyTables;
use crate::layout::Search;
use crate::lm::Lm;
use crate::score::Scorer;
use crate::special::{BOS, SPECIAL, UNK};
use crate::state::MAX_CONTEXT;
use std::path::Path;
use treeglot_text::vocab::Sym;
use treeglot_tree::{DepTree, WordIx};

/// On which branch of its head a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Branch {
    /// Before it.
    Left,
    /// After it.
    Right,
}

/// The symbols that stand for `P_T`, `P_L` and `P_R`, by spelling; they follow the special words of every model.
const MARKS: [&str; 3] = ["<root>", "<left>", "<right>"];
const ROOT: Sym = Sym(3);
const LEFT: Sym = Sym(4);
const RIGHT: Sym = Sym(5);

/// The lowest and the highest order: `P(d | h)`, and what a state can hold.
pub const ORDERS: std::ops::RangeInclusive<usize> = 2..=MAX_CONTEXT;

/// A dependency language model: read-only, shared by all threads; each takes a [`DepScorer`].
pub struct DepLm(Lm);

impl DepLm {
    /// Whether an n-gram model's events are those of trees, as [`from_trees`] estimates it.
    pub fn is_dependency_model(lm: &Lm) -> bool {
        let marked = MARKS.iter().zip(3..).all(|(mark, at)| lm.words().word(Sym(at)) == Some(*mark));
        marked && ORDERS.contains(&(lm.order() - 1))
    }

    /// Takes an n-gram model whose events are those of trees; `None` for any other.
    pub fn new(lm: Lm) -> Option<Self> {
        Self::is_dependency_model(&lm).then_some(Self(lm))
    }

    /// Opens a model in our binary form.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let message = "this is an n-gram model of text, not a dependency language model";
        Self::new(Lm::open(path)?).ok_or_else(|| Error::Setting(format!("{}: {message}", path.display())))
    }

    /// The n-gram model behind it.
    pub fn ngrams(&self) -> &Lm {
        &self.0
    }

    /// The order: 3 if a word is predicted from its head and one sibling.
    pub fn order(&self) -> usize {
        self.0.order() - 1
    }

    /// The symbol of a word; the unknown word's if the model lacks it.
    pub fn symbol(&self, word: &str) -> Sym {
        if is_reserved(word) { UNK } else { self.0.symbol(word) }
    }

    /// A symbol of the n-gram model as one of a word of a tree: the unknown word's if the model uses it otherwise.
    pub fn checked(&self, symbol: Sym) -> Sym {
        if symbol.0 <= RIGHT.0 { UNK } else { symbol }
    }

    /// The model's arrays as slices: what a thread holds and its [`DepScorer`] refers to.
    pub fn tables(&self) -> AnyTables<'_> {
        self.0.tables()
    }

    /// A scorer on the tables of this model.
    pub fn scorer<'t, 'm>(&self, tables: &'t AnyTables<'m>) -> DepScorer<'t, AnyTables<'m>> {
        DepScorer { scorer: Scorer::new(tables), siblings: self.order() - 2 }
    }
}

/// A form that the model uses itself is treated as unknown.
fn is_reserved(word: &str) -> bool {
    SPECIAL.contains(&word) || MARKS.contains(&word)
}

/// Scores words of trees.
pub struct DepScorer<'t, S> {
    scorer: Scorer<'t, S>,
    /// How many siblings a word is predicted from.
    siblings: usize,
}

impl<S: Search> DepScorer<'_, S> {
    /// `P_T`: the log10 probability of a root.
    pub fn root(&self, word: Sym) -> f32 {
        self.scorer.score(&self.scorer.state_of(&[ROOT, BOS]), word).0.prob
    }

    /// `P_L` or `P_R`: the log10 probability of a child after those between it and the head, the nearest to it first.
    pub fn child(&self, side: Branch, head: Sym, inner: &[Sym], word: Sym) -> f32 {
        let mut context = [BOS; MAX_CONTEXT];
        let length = context_of(side, head, inner, self.siblings, &mut context);
        self.scorer.score(&self.scorer.state_of(&context[..length]), word).0.prob
    }

    /// The log10 probability of a child on that side of any head.
    pub fn child_of_any(&self, side: Branch, word: Sym) -> f32 {
        let side = if side == Branch::Left { LEFT } else { RIGHT };
        self.scorer.score(&self.scorer.state_of(&[side]), word).0.prob
    }

    /// The log10 probability of a whole tree.
    pub fn tree(&self, tree: &DepTree, words: &[Sym]) -> f64 {
        let mut sum = f64::from(self.root(words[tree.root().ix()]));
        for head in tree.words() {
            for (side, children) in sides(tree, head) {
                let children: Vec<Sym> = children.iter().map(|c| words[c.ix()]).collect();
                for (at, &child) in children.iter().enumerate() {
                    let inner: Vec<Sym> = children[..at].iter().rev().copied().collect();
                    sum += f64::from(self.child(side, words[head.ix()], &inner, child));
                }
            }
        }
        sum
    }
}

/// The children of a word on each side, from the head outward.
fn sides(tree: &DepTree, head: WordIx) -> [(Branch, Vec<WordIx>); 2] {
    let children = tree.dependents(head);
    let before = children.partition_point(|&c| c < head);
    let left = children[..before].iter().rev().copied().collect();
    [(Branch::Left, left), (Branch::Right, children[before..].to_vec())]
}

/// The words a child is predicted from, the last one first: the side, the head, siblings, and [`BOS`] if these are all
/// there are. Returns how many.
fn context_of(
    side: Branch,
    head: Sym,
    inner: &[Sym],
    siblings: usize,
    context: &mut [Sym; MAX_CONTEXT],
) -> usize {
    context[0] = if side == Branch::Left { LEFT } else { RIGHT };
    context[1] = head;
    let known = inner.len().min(siblings);
    context[2..2 + known].copy_from_slice(&inner[..known]);
    if known == siblings {
        return 2 + known;
    }
    context[2 + known] = BOS;
    3 + known
}
