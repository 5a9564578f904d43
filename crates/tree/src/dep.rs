//! Dependency trees: heads that were checked, with constant-time span, subtree and ancestor queries.

use crate::error::Invalid;
use crate::index::{Span, WordIx};
use crate::sound::SoundTree;

/// What to do when several words hang from the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roots {
    /// It is an error.
    #[default]
    One,
    /// Later roots become dependents of the first, as for lines of several sentences (Graham 2013, section 7).
    AttachToFirst,
    /// The same, and words that no root is above (cycles) or that have no head hang from the first root too: see
    /// [`crate::DepParse::sound_tree`].
    Repair,
}

/// A checked dependency tree over the words of a sentence. It knows positions only; what the words are is in the
/// [`crate::DepParse`] it was made from.
///
/// The words are also kept in pre-order (heads before dependents, dependents left to right), so that a subtree is a
/// slice and ancestry a comparison of two numbers.
#[derive(Debug, Clone)]
pub struct DepTree {
    heads: Vec<Option<WordIx>>,
    root: WordIx,
    /// `dependents[starts[w]..starts[w + 1]]` are the dependents of w, left to right.
    starts: Vec<u32>,
    dependents: Vec<WordIx>,
    preorder: Vec<WordIx>,
    /// The position of each word in `preorder`.
    enter: Vec<u32>,
    /// The number of words of each subtree.
    sizes: Vec<u32>,
    hulls: Vec<Span>,
    depths: Vec<u32>,
}

impl PartialEq for DepTree {
    fn eq(&self, other: &Self) -> bool {
        self.heads == other.heads
    }
}

impl Eq for DepTree {}

impl DepTree {
    /// Checks heads (`None` for the root) and builds the tree.
    pub fn new(mut heads: Vec<Option<WordIx>>, roots: Roots) -> Result<Self, Invalid> {
        let n = heads.len();
        if n == 0 {
            return Err(Invalid::NoWords);
        }
        if roots == Roots::Repair {
            let raw = heads.iter().map(|head| Some(head.map_or(0, |h| h.0.saturating_add(1))));
            return SoundTree::new(raw).map(|sound| sound.tree).ok_or(Invalid::NoWords);
        }
        for (w, head) in heads.iter().enumerate() {
            if let Some(h) = head.filter(|h| h.ix() >= n) {
                return Err(Invalid::HeadOutOfRange {
                    word: w.into(),
                    head: h.0.saturating_add(1),
                    words: n,
                });
            }
        }
        let mut tops = (0..n).filter(|&w| heads[w].is_none()).map(WordIx::from);
        let Some(root) = tops.next() else { return Err(find_cycle(&heads)) };
        let later: Vec<WordIx> = tops.collect();
        if let (Some(&second), Roots::One) = (later.first(), roots) {
            return Err(Invalid::SeveralRoots { first: root, second });
        }
        for w in later {
            heads[w.ix()] = Some(root);
        }
        Self::build(heads, root)
    }

    fn build(heads: Vec<Option<WordIx>>, root: WordIx) -> Result<Self, Invalid> {
        let n = heads.len();
        let (starts, dependents) = children(&heads);
        let mut preorder = Vec::with_capacity(n);
        let mut enter = vec![0; n];
        let mut depths = vec![0; n];
        let mut stack = vec![root];
        while let Some(w) = stack.pop() {
            enter[w.ix()] = preorder.len() as u32;
            depths[w.ix()] = heads[w.ix()].map_or(0, |h| depths[h.ix()] + 1);
            preorder.push(w);
            let range = starts[w.ix()] as usize..starts[w.ix() + 1] as usize;
            stack.extend(dependents[range].iter().rev());
        }
        if preorder.len() < n {
            return Err(find_cycle(&heads));
        }
        let mut sizes = vec![1; n];
        let mut hulls: Vec<Span> = (0..n).map(|w| Span::of(w.into())).collect();
        for &w in preorder.iter().rev() {
            if let Some(h) = heads[w.ix()] {
                sizes[h.ix()] += sizes[w.ix()];
                hulls[h.ix()] = hulls[h.ix()].hull(hulls[w.ix()]);
            }
        }
        Ok(Self { heads, root, starts, dependents, preorder, enter, sizes, hulls, depths })
    }

    /// How many words it has: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Its words, left to right.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = WordIx> + ExactSizeIterator + use<> {
        (0..self.heads.len()).map(WordIx::from)
    }

    /// The one word without a head.
    pub fn root(&self) -> WordIx {
        self.root
    }

    /// A word's head; `None` for the root.
    pub fn head(&self, word: WordIx) -> Option<WordIx> {
        self.heads[word.ix()]
    }

    /// All heads, by word.
    pub fn heads(&self) -> &[Option<WordIx>] {
        &self.heads
    }

    /// A word's dependents, left to right.
    pub fn dependents(&self, word: WordIx) -> &[WordIx] {
        &self.dependents[self.starts[word.ix()] as usize..self.starts[word.ix() + 1] as usize]
    }

    /// All words, heads before their dependents.
    pub fn preorder(&self) -> &[WordIx] {
        &self.preorder
    }

    /// A word and all below it, in pre-order.
    pub fn subtree(&self, word: WordIx) -> &[WordIx] {
        let start = self.enter[word.ix()] as usize;
        &self.preorder[start..start + self.subtree_len(word)]
    }

    /// How many words a subtree has, its top included.
    pub fn subtree_len(&self, word: WordIx) -> usize {
        self.sizes[word.ix()] as usize
    }

    /// The smallest span around a word's subtree.
    pub fn hull(&self, word: WordIx) -> Span {
        self.hulls[word.ix()]
    }

    /// The span of a word's subtree, if its words are contiguous.
    pub fn span(&self, word: WordIx) -> Option<Span> {
        Some(self.hull(word)).filter(|hull| hull.len() == self.subtree_len(word))
    }

    /// Whether `above` is `word` or one of its ancestors.
    pub fn dominates(&self, above: WordIx, word: WordIx) -> bool {
        let start = self.enter[above.ix()];
        (start..start + self.sizes[above.ix()]).contains(&self.enter[word.ix()])
    }

    /// A word's distance from the root.
    pub fn depth(&self, word: WordIx) -> usize {
        self.depths[word.ix()] as usize
    }

    /// A word's ancestors, from its head up to the root.
    pub fn ancestors(&self, word: WordIx) -> impl Iterator<Item = WordIx> {
        std::iter::successors(self.head(word), |&w| self.head(w))
    }

    /// Whether every subtree is contiguous, so that no arc crosses another or covers the root.
    pub fn is_projective(&self) -> bool {
        self.words().all(|w| self.span(w).is_some())
    }

    /// Whether the arc from `word` to its head covers only words below that head.
    pub fn is_projective_arc(&self, word: WordIx) -> bool {
        let Some(head) = self.head(word) else { return true };
        let (left, right) = (word.min(head), word.max(head));
        (left.0 + 1..right.0).all(|w| self.dominates(head, WordIx(w)))
    }
}

/// The dependents of every word in one array, with the start of each word's part.
fn children(heads: &[Option<WordIx>]) -> (Vec<u32>, Vec<WordIx>) {
    let mut starts = vec![0u32; heads.len() + 1];
    for h in heads.iter().flatten() {
        starts[h.ix() + 1] += 1;
    }
    for i in 0..heads.len() {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut dependents = vec![WordIx(0); starts[heads.len()] as usize];
    for (w, head) in heads.iter().enumerate() {
        if let Some(h) = head {
            dependents[next[h.ix()] as usize] = w.into();
            next[h.ix()] += 1;
        }
    }
    (starts, dependents)
}

/// Follows heads until a word comes twice; called when some word does not reach the root.
fn find_cycle(heads: &[Option<WordIx>]) -> Invalid {
    let mut visit = vec![0u32; heads.len()];
    for start in 0..heads.len() {
        let mark = start as u32 + 1;
        let mut word = WordIx::from(start);
        while visit[word.ix()] == 0 {
            visit[word.ix()] = mark;
            let Some(head) = heads[word.ix()] else { break };
            word = head;
        }
        if visit[word.ix()] == mark && heads[word.ix()].is_some() {
            let next = |w: &WordIx| heads[w.ix()].filter(|&h| h != word);
            return Invalid::Cycle { words: std::iter::successors(Some(word), next).collect() };
        }
    }
    Invalid::NoWords
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(heads: &[u32]) -> Result<DepTree, Invalid> {
        DepTree::new(heads.iter().map(|&h| h.checked_sub(1).map(WordIx)).collect(), Roots::One)
    }

    #[test]
    fn spans_subtrees_and_ancestors_of_a_non_projective_tree() {
        // When did the crisis begin ?  (Graham 2013, figure 3)
        let t = tree(&[5, 0, 4, 2, 2, 2]).unwrap();
        assert_eq!(t.root(), WordIx(1));
        assert_eq!(t.dependents(WordIx(1)), [WordIx(3), WordIx(4), WordIx(5)]);
        assert_eq!(t.subtree(WordIx(4)), [WordIx(4), WordIx(0)]);
        assert_eq!(t.hull(WordIx(4)), Span::new(0, 5));
        assert_eq!(t.span(WordIx(4)), None);
        assert_eq!(t.span(WordIx(3)), Some(Span::new(2, 4)));
        assert!(t.dominates(WordIx(1), WordIx(0)) && !t.dominates(WordIx(3), WordIx(0)));
        assert_eq!(t.ancestors(WordIx(0)).collect::<Vec<_>>(), [WordIx(4), WordIx(1)]);
        assert_eq!(t.depth(WordIx(0)), 2);
        assert!(!t.is_projective());
        assert!(!t.is_projective_arc(WordIx(0)) && t.is_projective_arc(WordIx(2)));
    }

    #[test]
    fn what_is_not_a_tree_is_refused_with_the_reason() {
        assert_eq!(tree(&[]).unwrap_err(), Invalid::NoWords);
        assert_eq!(tree(&[0, 9]).unwrap_err().to_string(), "word 2 has head 9, but the sentence has 2 words");
        assert_eq!(tree(&[0, 3, 4, 2]).unwrap_err().to_string(), "the heads form a cycle: 2 > 3 > 4 > 2");
        assert_eq!(tree(&[1]).unwrap_err().to_string(), "the heads form a cycle: 1 > 1");
        assert!(matches!(tree(&[0, 0]).unwrap_err(), Invalid::SeveralRoots { .. }));
    }

    #[test]
    fn later_roots_attach_to_the_first_on_request() {
        let heads = vec![Some(WordIx(1)), None, None, Some(WordIx(2))];
        let t = DepTree::new(heads, Roots::AttachToFirst).unwrap();
        assert_eq!(t.head(WordIx(2)), Some(WordIx(1)));
        assert_eq!(t.root(), WordIx(1));
    }
}
