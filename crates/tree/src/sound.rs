//! Trees from parses that are none: with cycles, several roots, or heads that are missing or outside the sentence. What
//! is sound in such a parse still gives rules and counts (Wu et al. 2012 use its acyclic parts), and it is known of every
//! constituent whether it is as the parse has it.

use crate::dep::{DepTree, Roots};
use crate::error::Result;
use crate::index::WordIx;
use crate::parse::DepParse;
use serde::Serialize;
use std::fmt;
use std::ops::AddAssign;

/// How many arcs of a parse were replaced, by reason, to make it a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Repairs {
    /// Roots after the first.
    pub roots: usize,
    /// Words on cycles.
    pub cyclic: usize,
    /// Words without a head, or with one outside the sentence.
    pub headless: usize,
}

impl Repairs {
    /// How many arcs were replaced.
    pub fn total(&self) -> usize {
        self.roots + self.cyclic + self.headless
    }
}

impl AddAssign for Repairs {
    fn add_assign(&mut self, other: Self) {
        self.roots += other.roots;
        self.cyclic += other.cyclic;
        self.headless += other.headless;
    }
}

/// A tree made from whatever a parse says: see [`crate::DepParse::sound_tree`].
///
/// ```
/// use treeglot_tree::{DepParse, WordIx};
///
/// let mut parse = DepParse::new(0);
/// for (form, head) in [("she", 2), ("saw", 0), ("old", 4), ("friends", 5), ("there", 4)] {
///     parse.push_word(form, "_", Some(head), "_");
/// }
/// // `friends` and `there` are each other's heads: both hang from `saw`, and `old` stays with `friends`.
/// let sound = parse.sound_tree().expect("there are words");
/// assert_eq!((sound.repairs.cyclic, sound.repairs.total()), (2, 2));
/// assert_eq!(sound.tree.head(WordIx(3)), Some(WordIx(1)));
/// assert!(sound.is_sound(WordIx(3)) && !sound.is_sound(WordIx(1)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoundTree {
    /// The tree.
    pub tree: DepTree,
    /// How much of it is not as the parse has it.
    pub repairs: Repairs,
    /// Whether a word's head is not the one that the parse gives it.
    repaired: Vec<bool>,
    /// How many words of each subtree below its top are repaired.
    below: Vec<u32>,
}

impl SoundTree {
    /// Makes a tree of heads as written: from 1, 0 for the root, `None` where there is none.
    pub(crate) fn new(raw: impl Iterator<Item = Option<u32>>) -> Option<Self> {
        let raw: Vec<Option<u32>> = raw.collect();
        let n = raw.len();
        let mut repairs = Repairs::default();
        let mut repaired = vec![false; n];
        let mut heads: Vec<Option<WordIx>> = Vec::with_capacity(n);
        for (w, &head) in raw.iter().enumerate() {
            repaired[w] = head.is_none_or(|h| h as usize > n);
            heads.push(head.filter(|&h| h > 0 && !repaired[w]).map(|h| WordIx(h - 1)));
        }
        repairs.headless = repaired.iter().filter(|&&r| r).count();
        for w in cyclic(&heads) {
            heads[w.ix()] = None;
            repaired[w.ix()] = true;
            repairs.cyclic += 1;
        }
        // The first word that the parse itself calls a root, else the first that lost its head.
        let root = (0..n).find(|&w| raw[w] == Some(0)).or_else(|| (0..n).find(|&w| repaired[w]))?;
        for w in 0..n {
            if w != root && heads[w].is_none() {
                heads[w] = Some(root.into());
                repairs.roots += usize::from(!repaired[w]);
                repaired[w] = true;
            }
        }
        let tree = DepTree::new(heads, Roots::One).expect("every word reaches the one root");
        let mut below = vec![0; n];
        for &w in tree.preorder().iter().rev() {
            if let Some(head) = tree.head(w) {
                below[head.ix()] += below[w.ix()] + u32::from(repaired[w.ix()]);
            }
        }
        Some(Self { tree, repairs, repaired, below })
    }

    /// Whether a word's head is not the one that the parse gives it.
    pub fn is_repaired(&self, word: WordIx) -> bool {
        self.repaired[word.ix()]
    }

    /// Whether all below a word is as the parse has it: whether rules may be read off its subtree.
    pub fn is_sound(&self, word: WordIx) -> bool {
        self.below[word.ix()] == 0
    }
}

/// What became of trees that are none or do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct TreeCounts {
    /// Trees with cycles or several roots, used where they are sound.
    pub mended: u64,
    /// Trees left out: of other words, or without heads.
    pub left_out: u64,
}

impl TreeCounts {
    /// The tree of a parse where it is sound. One without heads is an error or, with `skip_bad`, left out.
    pub fn tree_of(&mut self, parse: &DepParse, skip_bad: bool) -> Result<Option<DepTree>> {
        match parse.checked_mended_tree() {
            Ok(sound) => {
                self.mended += u64::from(sound.repairs.total() > 0);
                Ok(Some(sound.tree))
            }
            Err(_) if skip_bad => {
                self.left_out += 1;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.mended + self.left_out == 0
    }

    /// Adds what became of other trees.
    pub fn merge(&mut self, other: Self) {
        self.mended += other.mended;
        self.left_out += other.left_out;
    }
}

impl fmt::Display for TreeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mended, left_out } = self;
        let count = |n: u64| format!("{n} tree{}", if n == 1 { "" } else { "s" });
        let mut joint = "";
        for (number, what) in
            [(*mended, "with cycles or several roots, used where sound"), (*left_out, "left out")]
        {
            if number > 0 {
                write!(f, "{joint}{} {what}", count(number))?;
                joint = "; ";
            }
        }
        Ok(())
    }
}

/// The words that lie on cycles of heads.
fn cyclic(heads: &[Option<WordIx>]) -> Vec<WordIx> {
    let mut visit = vec![0u32; heads.len()];
    let mut found = Vec::new();
    for start in 0..heads.len() {
        // Upwards from each word until one comes that was met before: in this round, a cycle was closed.
        let mark = start as u32 + 1;
        let mut word = Some(WordIx::from(start));
        while let Some(w) = word.filter(|w| visit[w.ix()] == 0) {
            visit[w.ix()] = mark;
            word = heads[w.ix()];
        }
        let Some(first) = word.filter(|w| visit[w.ix()] == mark) else { continue };
        let next = |w: &WordIx| heads[w.ix()].filter(|&h| h != first);
        found.extend(std::iter::successors(Some(first), next));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sound(heads: &[u32]) -> SoundTree {
        SoundTree::new(heads.iter().map(|&h| if h == 99 { None } else { Some(h) })).unwrap()
    }

    fn heads(sound: &SoundTree) -> Vec<u32> {
        sound.tree.heads().iter().map(|h| h.map_or(0, |h| h.0 + 1)).collect()
    }

    #[test]
    fn words_of_a_cycle_hang_from_the_root_and_what_is_below_them_stays() {
        let tree = sound(&[0, 3, 4, 2, 4, 5]);
        assert_eq!(heads(&tree), [0, 1, 1, 1, 4, 5]);
        assert_eq!(tree.repairs, Repairs { cyclic: 3, ..Repairs::default() });
        assert!(tree.is_sound(WordIx(3)) && !tree.is_sound(WordIx(0)));
        assert!(tree.is_repaired(WordIx(3)) && !tree.is_repaired(WordIx(4)));
    }

    #[test]
    fn without_a_root_the_first_word_that_lost_its_head_is_it() {
        assert_eq!(heads(&sound(&[2, 3, 2])), [2, 0, 2]);
        assert_eq!(sound(&[2, 3, 2]).repairs.cyclic, 2);
        assert_eq!(heads(&sound(&[1])), [0]);
    }

    #[test]
    fn what_became_of_trees_is_counted_and_told() {
        let parse = |heads: [Option<u32>; 2]| {
            let mut parse = DepParse::new(0);
            for head in heads {
                parse.push_word("w", "_", head, "_");
            }
            parse
        };
        let mut counts = TreeCounts::default();
        let (cyclic, rooted) = (parse([Some(2), Some(1)]), parse([Some(0), Some(0)]));
        for bad in [&cyclic, &rooted] {
            assert!(counts.tree_of(bad, false).unwrap().is_some());
        }
        for bad in [parse([None, Some(0)]), parse([Some(3), Some(0)])] {
            assert!(counts.tree_of(&bad, false).is_err());
            assert!(counts.tree_of(&bad, true).unwrap().is_none());
        }
        assert!(counts.tree_of(&parse([Some(0), Some(1)]), false).unwrap().is_some());
        assert_eq!(
            counts.to_string(),
            "2 trees with cycles or several roots, used where sound; 2 trees left out"
        );
    }

    #[test]
    fn later_roots_and_heads_that_are_missing_or_outside_are_counted_apart() {
        let tree = sound(&[99, 0, 0, 12]);
        assert_eq!(heads(&tree), [2, 0, 2, 2]);
        assert_eq!(tree.repairs, Repairs { roots: 1, headless: 2, ..Repairs::default() });
        assert!(SoundTree::new(std::iter::empty()).is_none());
    }

    proptest! {
        #[test]
        fn any_heads_give_a_tree_that_keeps_every_other_arc(raw in prop::collection::vec(0u32..14, 1..12)) {
            let tree = sound(&raw);
            prop_assert_eq!(tree.tree.words().filter(|&w| tree.is_repaired(w)).count(), tree.repairs.total());
            for w in tree.tree.words().filter(|&w| !tree.is_repaired(w)) {
                prop_assert_eq!(tree.tree.head(w).map_or(0, |h| h.0 + 1), raw[w.ix()]);
            }
            if let Ok(legal) = DepTree::new(raw.iter().map(|&h| h.checked_sub(1).map(WordIx)).collect(), Roots::One) {
                prop_assert_eq!(tree.repairs, Repairs::default());
                prop_assert_eq!(tree.tree, legal);
            }
        }
    }
}
