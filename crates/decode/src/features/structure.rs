//! Dependency structures put together from parts: what a rule's heads mean for the structures that its variables stand for
//! (Shen et al. 2008, section 2.3). The search scores structures by it and trees are written by it, so that a score is
//! that of the tree.
//!
//! A structure is told by its roots: none (nothing but the begin of the sentence), one (fixed) or several (floating; all
//! will have the same head). Where a floating structure would have to be a head, and where one has more roots than a state
//! holds, it is *ill-formed*: its roots become roots of the sentence, and what would depend on it becomes part of the whole's roots.

use treeglot_grammar::heads::{ILL, MAX_SYMBOLS, OUTSIDE};

/// The most roots of a structure.
pub const MAX_ROOTS: usize = 7;

/// How two neighbours can be joined where no rule says how, as heads: the second depends on the first, the first on the second,
/// or both on the same word.
pub const JOINS: &[&[u8]] = &[&[0, 1], &[2, 0], &[0, 0]];

/// Whoever puts structures together. Parts are named by their position.
pub trait Build {
    /// How many roots a part has.
    fn roots(&self, part: usize) -> usize;

    /// Makes all roots of a part dependents of the only root of another, outside all that this has on that side.
    fn attach(&mut self, head: usize, child: usize);

    /// Makes the roots of a part roots of the sentence: the part has none then.
    fn detach(&mut self, part: usize);
}

/// What came of putting parts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assembled {
    /// How many ill-formed structures were met.
    pub ill: u32,
    tops: u128,
}

impl Assembled {
    /// Whether the roots of a part are roots of the whole.
    pub fn is_top(&self, part: usize) -> bool {
        part < u128::BITS as usize && self.tops >> part & 1 == 1
    }
}

/// Puts parts together by their heads, marks of [`treeglot_grammar::heads`].
pub fn assemble(parts: usize, heads: &[u8], build: &mut impl Build) -> Assembled {
    let mut ill = u32::from(heads.last() == Some(&ILL));
    let mut tops = 0u128;
    let head_of = |part: usize| {
        let mark = heads.get(part).copied().unwrap_or(OUTSIDE);
        usize::from(mark).checked_sub(1).filter(|&head| head < parts && head != part)
    };
    let parts = parts.min(MAX_SYMBOLS);
    for part in 0..parts {
        if let Some(head) = head_of(part).filter(|&head| build.roots(head) > 1) {
            build.detach(head);
            ill += 1;
        }
    }
    for part in 0..parts {
        if head_of(part).is_none_or(|head| build.roots(head) == 0) {
            tops |= 1 << part;
        }
    }
    if tops.count_ones() as usize != parts {
        for part in 0..parts {
            let below = |&child: &usize| tops >> child & 1 == 0 && head_of(child) == Some(part);
            (0..part).rev().filter(below).for_each(|child| build.attach(part, child));
            (part + 1..parts).filter(below).for_each(|child| build.attach(part, child));
        }
    }
    let mut whole = Assembled { ill, tops };
    let total: usize = (0..parts).filter(|&part| whole.is_top(part)).map(|part| build.roots(part)).sum();
    if total > MAX_ROOTS {
        whole.ill += 1;
        (0..parts).filter(|&part| whole.is_top(part)).for_each(|part| build.detach(part));
    }
    whole
}
