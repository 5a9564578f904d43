//! Constituency trees, discontinuous constituents included, with constant-time span, subtree and ancestor queries.

use crate::arena::{Text, TextArena};
use crate::error::Invalid;
use crate::index::{NodeId, Span, WordIx};
use std::fmt;

/// What stands below a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Child {
    /// A constituent.
    Node(NodeId),
    /// A word.
    Word(WordIx),
}

#[derive(Debug, Clone)]
struct Node {
    label: Text,
    edge: Text,
    parent: Option<NodeId>,
    /// One past the last node below this one.
    end: u32,
    hull: Span,
    words: u32,
    children: Span,
}

#[derive(Debug, Clone)]
struct Leaf {
    form: Text,
    lemma: Text,
    morph: Text,
    parent: NodeId,
}

/// A checked constituency tree. Nodes are numbered in pre-order, children by their first word, so that everything
/// below a node is a range of node numbers. Words are not nodes: a *preterminal* is a node whose one child is a
/// word, and its label is the word's tag.
#[derive(Clone)]
pub struct ConTree {
    text: TextArena,
    nodes: Vec<Node>,
    children: Vec<Child>,
    leaves: Vec<Leaf>,
}

impl PartialEq for ConTree {
    fn eq(&self, other: &Self) -> bool {
        self.node_count() == other.node_count()
            && self.len() == other.len()
            && self.nodes().all(|n| {
                self.label(n) == other.label(n)
                    && self.edge(n) == other.edge(n)
                    && self.children(n) == other.children(n)
            })
            && self.words().all(|w| {
                self.form(w) == other.form(w)
                    && self.lemma(w) == other.lemma(w)
                    && self.morph(w) == other.morph(w)
            })
    }
}

impl Eq for ConTree {}

impl fmt::Debug for ConTree {
    /// One line: every node as its label and words, by number; then the words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for node in self.nodes() {
            let words: Vec<String> = self.words_of(node).map(|w| w.to_string()).collect();
            write!(f, "{}[{}] ", self.label(node), words.join(" "))?;
        }
        write!(f, "{:?}", self.forms().collect::<Vec<_>>())
    }
}

impl ConTree {
    /// How many words it has: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// How many nodes it has, preterminals included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The topmost node.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// All nodes, parents before their children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len()).map(NodeId::from)
    }

    /// All words, left to right.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = WordIx> + ExactSizeIterator + use<> {
        (0..self.leaves.len()).map(WordIx::from)
    }

    /// A node's label.
    pub fn label(&self, node: NodeId) -> &str {
        self.text.get(self.nodes[node.ix()].label)
    }

    /// The label of the edge from a node to its parent (its grammatical function); empty where the format has none.
    pub fn edge(&self, node: NodeId) -> &str {
        self.text.get(self.nodes[node.ix()].edge)
    }

    /// A node's parent; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.ix()].parent
    }

    /// A node's children, by their first word.
    pub fn children(&self, node: NodeId) -> &[Child] {
        let range = self.nodes[node.ix()].children;
        &self.children[range.start as usize..range.end as usize]
    }

    /// A node and all nodes below it.
    pub fn subtree(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (node.0..self.nodes[node.ix()].end).map(NodeId)
    }

    /// Whether `above` is `node` or one of its ancestors.
    pub fn dominates(&self, above: NodeId, node: NodeId) -> bool {
        above.0 <= node.0 && node.0 < self.nodes[above.ix()].end
    }

    /// Whether `node` dominates `word`.
    pub fn dominates_word(&self, node: NodeId, word: WordIx) -> bool {
        self.dominates(node, self.leaves[word.ix()].parent)
    }

    /// The smallest span around a node's words.
    pub fn hull(&self, node: NodeId) -> Span {
        self.nodes[node.ix()].hull
    }

    /// How many words a node dominates.
    pub fn word_count(&self, node: NodeId) -> usize {
        self.nodes[node.ix()].words as usize
    }

    /// The span of a node's words, if they are contiguous.
    pub fn span(&self, node: NodeId) -> Option<Span> {
        Some(self.hull(node)).filter(|hull| hull.len() == self.word_count(node))
    }

    /// The words a node dominates, left to right.
    pub fn words_of(&self, node: NodeId) -> impl Iterator<Item = WordIx> {
        self.hull(node).words().filter(move |&w| self.dominates_word(node, w))
    }

    /// Whether every constituent is contiguous.
    pub fn is_continuous(&self) -> bool {
        self.nodes().all(|n| self.span(n).is_some())
    }

    /// The node right above a word.
    pub fn parent_of_word(&self, word: WordIx) -> NodeId {
        self.leaves[word.ix()].parent
    }

    /// The word below a preterminal; `None` for other nodes.
    pub fn preterminal(&self, node: NodeId) -> Option<WordIx> {
        match self.children(node) {
            [Child::Word(w)] => Some(*w),
            _ => None,
        }
    }

    /// A word's tag, if a preterminal stands above it.
    pub fn tag(&self, word: WordIx) -> Option<&str> {
        let parent = self.parent_of_word(word);
        self.preterminal(parent).map(|_| self.label(parent))
    }

    /// A word's form.
    pub fn form(&self, word: WordIx) -> &str {
        self.text.get(self.leaves[word.ix()].form)
    }

    /// A word's lemma; empty where the format has none.
    pub fn lemma(&self, word: WordIx) -> &str {
        self.text.get(self.leaves[word.ix()].lemma)
    }

    /// A word's morphology; empty where the format has none.
    pub fn morph(&self, word: WordIx) -> &str {
        self.text.get(self.leaves[word.ix()].morph)
    }

    /// The forms, left to right.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        self.words().map(|w| self.form(w))
    }

    /// The depth of a node: how many nodes stand above it.
    pub fn depth(&self, node: NodeId) -> usize {
        std::iter::successors(self.parent(node), |&n| self.parent(n)).count()
    }
}

/// A node of a tree under construction; not the number it will have in the finished tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Draft(u32);

#[derive(Debug, Clone)]
struct DraftNode {
    label: Text,
    edge: Text,
    parent: Option<Draft>,
}

#[derive(Debug, Clone)]
struct DraftWord {
    form: Text,
    lemma: Text,
    morph: Text,
    parent: Draft,
}

/// Builds a [`ConTree`]: nodes in any order, words in sentence order.
///
/// ```
/// use treeglot_tree::ConBuilder;
/// let mut b = ConBuilder::default();
/// let np = b.node("NP", None);
/// let dt = b.node("DT", Some(np));
/// b.word("the", dt);
/// let nn = b.node("NN", Some(np));
/// b.word("cat", nn);
/// let tree = b.finish().unwrap();
/// assert_eq!(tree.span(tree.root()).unwrap().len(), 2);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ConBuilder {
    text: TextArena,
    nodes: Vec<DraftNode>,
    words: Vec<DraftWord>,
}

impl ConBuilder {
    /// Adds a node; `None` for the topmost one.
    pub fn node(&mut self, label: &str, parent: Option<Draft>) -> Draft {
        let label = self.text.push(label);
        self.nodes.push(DraftNode { label, edge: Text::default(), parent });
        Draft(u32::try_from(self.nodes.len() - 1).expect("a tree has fewer than 2^32 nodes"))
    }

    /// Hangs a node from another parent.
    pub fn set_parent(&mut self, node: Draft, parent: Option<Draft>) {
        self.nodes[node.0 as usize].parent = parent;
    }

    /// Sets the label of the edge from a node to its parent.
    pub fn set_edge(&mut self, node: Draft, edge: &str) {
        self.nodes[node.0 as usize].edge = self.text.push(edge);
    }

    /// Adds the next word of the sentence below a node.
    pub fn word(&mut self, form: &str, parent: Draft) -> WordIx {
        self.word_with(form, "", "", parent)
    }

    /// Adds the next word of the sentence, with lemma and morphology.
    pub fn word_with(&mut self, form: &str, lemma: &str, morph: &str, parent: Draft) -> WordIx {
        let [form, lemma, morph] = [form, lemma, morph].map(|t| self.text.push(t));
        self.words.push(DraftWord { form, lemma, morph, parent });
        WordIx::from(self.words.len() - 1)
    }

    /// How many nodes were added.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many words were added.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Checks the structure and numbers the nodes in pre-order.
    pub fn finish(self) -> Result<ConTree, Invalid> {
        Ok(self.finish_with_numbers()?.0)
    }

    /// As [`ConBuilder::finish`]; also tells, in the order in which nodes were added, each node's number in the tree.
    pub fn finish_with_numbers(self) -> Result<(ConTree, Vec<NodeId>), Invalid> {
        if self.words.is_empty() {
            return Err(Invalid::NoWords);
        }
        let tops: Vec<usize> = (0..self.nodes.len()).filter(|&n| self.nodes[n].parent.is_none()).collect();
        let &[top] = tops.as_slice() else {
            return match (tops.is_empty(), self.nodes.first()) {
                (true, Some(n)) => Err(Invalid::NodeCycle { label: self.text.get(n.label).to_string() }),
                _ => Err(Invalid::Tops(tops.len())),
            };
        };
        let below = self.children_by_first_word()?;
        Ok(self.number(top, &below))
    }

    /// The children of every draft node, by first word. Fails on empty nodes and cycles.
    fn children_by_first_word(&self) -> Result<Vec<Vec<(u32, Child)>>, Invalid> {
        let mut first = vec![u32::MAX; self.nodes.len()];
        for (w, word) in self.words.iter().enumerate() {
            let mut node = Some(word.parent);
            while let Some(n) = node.filter(|n| first[n.0 as usize] > w as u32) {
                first[n.0 as usize] = w as u32;
                node = self.nodes[n.0 as usize].parent;
            }
        }
        if let Some(n) = first.iter().position(|&f| f == u32::MAX) {
            return Err(Invalid::EmptyNode { label: self.text.get(self.nodes[n].label).to_string() });
        }
        let mut below: Vec<Vec<(u32, Child)>> = vec![Vec::new(); self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            if let Some(p) = node.parent {
                below[p.0 as usize].push((first[n], Child::Node(n.into())));
            }
        }
        for (w, word) in self.words.iter().enumerate() {
            below[word.parent.0 as usize].push((w as u32, Child::Word(w.into())));
        }
        for children in &mut below {
            children.sort_by_key(|c| c.0);
        }
        self.check_reachable()?;
        Ok(below)
    }

    fn check_reachable(&self) -> Result<(), Invalid> {
        let mut reaches_top = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut path = Vec::new();
            let mut node = Some(start);
            while let Some(n) = node.filter(|&n| !reaches_top[n]) {
                if path.len() > self.nodes.len() {
                    return Err(Invalid::NodeCycle { label: self.text.get(self.nodes[n].label).to_string() });
                }
                path.push(n);
                node = self.nodes[n].parent.map(|p| p.0 as usize);
            }
            for n in path {
                reaches_top[n] = true;
            }
        }
        Ok(())
    }

    fn number(self, top: usize, below: &[Vec<(u32, Child)>]) -> (ConTree, Vec<NodeId>) {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut numbers = vec![NodeId(0); self.nodes.len()];
        let mut stack = vec![top];
        while let Some(n) = stack.pop() {
            numbers[n] = order.len().into();
            order.push(n);
            stack.extend(below[n].iter().rev().filter_map(|c| match c.1 {
                Child::Node(n) => Some(n.ix()),
                Child::Word(_) => None,
            }));
        }
        let mut children = Vec::with_capacity(self.nodes.len() + self.words.len());
        let mut nodes: Vec<Node> = Vec::with_capacity(order.len());
        for &draft in &order {
            let start = children.len() as u32;
            children.extend(below[draft].iter().map(|c| match c.1 {
                Child::Node(n) => Child::Node(numbers[n.ix()]),
                word => word,
            }));
            let DraftNode { label, edge, parent } = self.nodes[draft];
            nodes.push(Node {
                label,
                edge,
                parent: parent.map(|p| numbers[p.0 as usize]),
                end: nodes.len() as u32 + 1,
                hull: Span::default(),
                words: 0,
                children: Span::new(start, children.len() as u32),
            });
        }
        let leaves: Vec<Leaf> = self
            .words
            .iter()
            .map(|w| Leaf {
                form: w.form,
                lemma: w.lemma,
                morph: w.morph,
                parent: numbers[w.parent.0 as usize],
            })
            .collect();
        for (w, leaf) in leaves.iter().enumerate() {
            let node = &mut nodes[leaf.parent.ix()];
            node.hull = node.hull.hull(Span::of(w.into()));
            node.words += 1;
        }
        for n in (1..nodes.len()).rev() {
            let Node { parent, end, hull, words, .. } = nodes[n];
            let parent = &mut nodes[parent.expect("only the root has no parent").ix()];
            parent.end = parent.end.max(end);
            parent.hull = parent.hull.hull(hull);
            parent.words += words;
        }
        (ConTree { text: self.text, nodes, children, leaves }, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (VP (VP0 a _ c) (V b)): the inner VP is discontinuous.
    fn discontinuous() -> ConTree {
        let mut b = ConBuilder::default();
        let s = b.node("S", None);
        let v = b.node("V", Some(s));
        let vp = b.node("VP", Some(s));
        let (x, y) = (b.node("X", Some(vp)), b.node("Y", Some(vp)));
        b.word("a", x);
        b.word("b", v);
        b.word("c", y);
        b.finish().unwrap()
    }

    #[test]
    fn a_discontinuous_tree_is_numbered_by_first_words() {
        let t = discontinuous();
        let labels: Vec<&str> = t.nodes().map(|n| t.label(n)).collect();
        assert_eq!(labels, ["S", "VP", "X", "Y", "V"]);
        let vp = NodeId(1);
        assert_eq!((t.hull(vp), t.span(vp), t.word_count(vp)), (Span::new(0, 3), None, 2));
        assert_eq!(t.words_of(vp).collect::<Vec<_>>(), [WordIx(0), WordIx(2)]);
        assert!(t.dominates(vp, NodeId(3)) && !t.dominates(vp, NodeId(4)));
        assert_eq!(t.tag(WordIx(1)), Some("V"));
        assert!(!t.is_continuous());
    }

    #[test]
    fn what_is_not_a_tree_is_refused_with_the_reason() {
        let mut b = ConBuilder::default();
        let s = b.node("S", None);
        b.node("NP", Some(s));
        assert_eq!(b.clone().finish().unwrap_err(), Invalid::NoWords);
        b.word("a", s);
        assert_eq!(b.finish().unwrap_err().to_string(), "the constituent `NP` has no words");

        let mut b = ConBuilder::default();
        let s = b.node("S", None);
        b.word("a", s);
        let t = b.node("T", None);
        b.word("b", t);
        assert_eq!(b.clone().finish().unwrap_err(), Invalid::Tops(2));
        let u = b.node("U", Some(t));
        b.word("c", u);
        b.set_parent(t, Some(u));
        assert!(matches!(b.finish().unwrap_err(), Invalid::NodeCycle { .. }));
    }
}
