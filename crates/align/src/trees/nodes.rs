//! A tree as the sub-tree aligner sees it: nodes numbered in pre-order over the words of a sentence, and nothing else.
//! Constituency and dependency trees look alike here, so that either kind aligns with either (Hearne, Ozdowska &
//! Tinsley 2008, section 2, figures 3 to 5).

use std::cmp::Reverse;
use treeglot_tree::transform::lift::lift_tree;
use treeglot_tree::{Child, ConTree, DepTree, NodeId, Span, WordIx};

/// The nodes of one tree, numbered from 0 in pre-order, children by their first word.
///
/// Every word is the leaf of one node. In a constituency tree that is its preterminal, or a node of its own where it has
/// none; so where every word has a preterminal the numbers are those of the [`ConTree`]. In a dependency tree each
/// word with dependents has a node over itself and them, in sentence order, and every word a leaf: the brackets of the
/// paper's figure 4. Arcs that cross are lifted first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    parents: Vec<Option<u32>>,
    /// One past the last node below each.
    ends: Vec<u32>,
    /// How many words each node dominates.
    sizes: Vec<u32>,
    hulls: Vec<Span>,
    /// The node of each word.
    leaves: Vec<u32>,
    /// Of a constituency tree, the number of each of its nodes; of a dependency tree, the node each word is the head of.
    numbers: Vec<u32>,
}

/// What is still to be numbered.
#[derive(Clone, Copy)]
enum Item {
    Con(NodeId),
    Dep(WordIx),
    Leaf(WordIx),
}

impl Nodes {
    /// The nodes of a constituency tree, discontinuous constituents included.
    pub fn of_con(tree: &ConTree) -> Self {
        let mut nodes = Self::with_words(tree.len());
        nodes.numbers = vec![0; tree.node_count()];
        nodes.fill(Item::Con(tree.root()), |nodes, item, number, below| {
            let Item::Con(node) = item else { return };
            nodes.numbers[node.ix()] = number;
            match tree.preterminal(node) {
                Some(word) => nodes.leaves[word.ix()] = number,
                None => below.extend(tree.children(node).iter().map(|child| match *child {
                    Child::Node(node) => Item::Con(node),
                    Child::Word(word) => Item::Leaf(word),
                })),
            }
        });
        nodes
    }

    /// The nodes of a dependency tree.
    pub fn of_dep(tree: &DepTree) -> Self {
        let tree = if tree.is_projective() { tree } else { &lift_tree(tree).tree };
        let item = |word: WordIx| {
            if tree.dependents(word).is_empty() { Item::Leaf(word) } else { Item::Dep(word) }
        };
        let mut nodes = Self::with_words(tree.len());
        nodes.numbers = vec![0; tree.len()];
        nodes.fill(item(tree.root()), |nodes, at, number, below| {
            let Item::Dep(head) = at else { return };
            nodes.numbers[head.ix()] = number;
            let (left, right): (Vec<WordIx>, Vec<WordIx>) =
                tree.dependents(head).iter().partition(|&&word| word < head);
            below.extend(left.into_iter().map(item));
            below.push(Item::Leaf(head));
            below.extend(right.into_iter().map(item));
        });
        for word in tree.words().filter(|&word| tree.dependents(word).is_empty()) {
            nodes.numbers[word.ix()] = nodes.leaf(word);
        }
        nodes
    }

    fn with_words(words: usize) -> Self {
        Self {
            parents: Vec::with_capacity(3 * words),
            ends: Vec::new(),
            sizes: Vec::new(),
            hulls: Vec::new(),
            leaves: vec![0; words],
            numbers: Vec::new(),
        }
    }

    /// Numbers everything from the top down; `expand` tells what stands below an item.
    fn fill(&mut self, top: Item, mut expand: impl FnMut(&mut Self, Item, u32, &mut Vec<Item>)) {
        let (mut stack, mut below) = (vec![(top, None)], Vec::new());
        while let Some((item, parent)) = stack.pop() {
            let number = self.parents.len() as u32;
            self.parents.push(parent);
            if let Item::Leaf(word) = item {
                self.leaves[word.ix()] = number;
            }
            expand(self, item, number, &mut below);
            stack.extend(below.drain(..).rev().map(|item| (item, Some(number))));
        }
        let count = self.parents.len();
        self.ends = (1..=count as u32).collect();
        self.sizes = vec![0; count];
        self.hulls = vec![Span::default(); count];
        for (word, &leaf) in self.leaves.iter().enumerate() {
            self.sizes[leaf as usize] = 1;
            self.hulls[leaf as usize] = Span::of(word.into());
        }
        for node in (1..count).rev() {
            let parent = self.parents[node].expect("only the first node has no parent") as usize;
            self.ends[parent] = self.ends[parent].max(self.ends[node]);
            self.sizes[parent] += self.sizes[node];
            self.hulls[parent] = self.hulls[parent].hull(self.hulls[node]);
        }
    }

    /// How many nodes there are: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// How many words the tree has.
    pub fn words(&self) -> usize {
        self.leaves.len()
    }

    /// A node's parent; `None` for the root, which is node 0.
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.parents[node as usize]
    }

    /// The node of a word.
    pub fn leaf(&self, word: WordIx) -> u32 {
        self.leaves[word.ix()]
    }

    /// The nodes of the words, left to right.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// The word a node is the leaf of, if it is one.
    pub fn word(&self, node: u32) -> Option<WordIx> {
        let word = WordIx(self.hulls[node as usize].start);
        (self.leaf(word) == node).then_some(word)
    }

    /// The number of a node of the constituency tree these nodes were made from.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        self.numbers.get(node.ix()).copied()
    }

    /// The node that a word of the dependency tree these nodes were made from is the head of; its leaf if it has no
    /// dependents.
    pub fn headed(&self, word: WordIx) -> u32 {
        self.numbers[word.ix()]
    }

    /// How many words a node dominates.
    pub fn size(&self, node: u32) -> usize {
        self.sizes[node as usize] as usize
    }

    /// The span of a node's words, if they are contiguous.
    pub fn span(&self, node: u32) -> Option<Span> {
        Some(self.hulls[node as usize]).filter(|hull| hull.len() == self.size(node))
    }

    /// Whether `above` is an ancestor of `node`.
    pub fn is_above(&self, above: u32, node: u32) -> bool {
        above < node && node < self.ends[above as usize]
    }

    /// Whether a word is below a node.
    pub fn has_word(&self, node: u32, word: WordIx) -> bool {
        let leaf = self.leaf(word);
        node <= leaf && leaf < self.ends[node as usize]
    }

    /// Adds up a value of each word over all the words of each node; `sums` has a place for each node.
    pub(super) fn add_up<T: Copy + Default + std::ops::AddAssign>(&self, of_word: &[T], sums: &mut Vec<T>) {
        sums.clear();
        sums.resize(self.len(), T::default());
        for (&leaf, &value) in self.leaves.iter().zip(of_word) {
            sums[leaf as usize] = value;
        }
        for node in (1..self.len()).rev() {
            let (value, parent) = (sums[node], self.parents[node]);
            sums[parent.expect("only the first node has no parent") as usize] += value;
        }
    }

    /// All distinct spans of at least two words, sorted, longer ones first.
    pub fn constituents(&self) -> Vec<Span> {
        let all = (0..self.len() as u32).filter_map(|node| self.span(node)).filter(|span| span.len() > 1);
        let mut spans: Vec<Span> = all.collect();
        spans.sort_unstable_by_key(|span| (span.start, Reverse(span.end)));
        spans.dedup();
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::{ConBuilder, Roots};

    #[test]
    fn a_head_and_its_dependents_are_siblings_in_sentence_order() {
        // Figure 4: the information forwarded by the Member States is satisfactory
        let heads = [2, 8, 2, 3, 7, 7, 4, 0, 8].map(|head: u32| head.checked_sub(1).map(WordIx));
        let nodes = Nodes::of_dep(&DepTree::new(heads.into(), Roots::One).unwrap());
        let spans: Vec<Span> = nodes.constituents();
        assert_eq!(nodes.len(), 9 + 5);
        assert_eq!(spans, [(0, 9), (0, 7), (2, 7), (3, 7), (4, 7)].map(|(start, end)| Span::new(start, end)));
        assert_eq!(nodes.leaves(), [2, 3, 5, 7, 9, 10, 11, 12, 13]);
        assert!(nodes.is_above(4, 7) && !nodes.is_above(4, 12) && !nodes.is_above(4, 4));
    }

    #[test]
    fn words_without_preterminals_are_nodes_of_their_own() {
        let mut b = ConBuilder::default();
        let s = b.node("S", None);
        let np = b.node("NP", Some(s));
        b.word("the", np);
        let nn = b.node("NN", Some(np));
        b.word("cat", nn);
        b.word("sleeps", s);
        let tree = b.finish().unwrap();
        let nodes = Nodes::of_con(&tree);
        assert_eq!((nodes.len(), nodes.leaves()), (5, [2, 3, 4].as_slice()));
        assert_eq!(nodes.number(NodeId(2)), Some(3));
        assert_eq!((nodes.word(3), nodes.word(1)), (Some(WordIx(1)), None));
    }

    #[test]
    fn a_discontinuous_constituent_has_no_span() {
        let mut b = ConBuilder::default();
        let s = b.node("S", None);
        let vp = b.node("VP", Some(s));
        for (form, parent) in [("a", vp), ("b", s), ("c", vp)] {
            let tag = b.node("T", Some(parent));
            b.word(form, tag);
        }
        let nodes = Nodes::of_con(&b.finish().unwrap());
        assert_eq!((nodes.span(1), nodes.size(1)), (None, 2));
        assert!(nodes.has_word(1, WordIx(2)) && !nodes.has_word(1, WordIx(1)));
        let mut sums = Vec::new();
        nodes.add_up(&[1, 10, 100], &mut sums);
        assert_eq!(sums, [111, 101, 1, 100, 10]);
    }
}
