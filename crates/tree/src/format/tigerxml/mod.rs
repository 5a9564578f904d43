//! TIGER-XML, the format of the German treebanks and of the parallel treebanks SMULTRON and SQUOIA: discontinuous
//! constituents, labelled edges, secondary edges.
//!
//! A [`Sentence`] is a [`ConTree`] with what a tree has no room for: ids, further attributes, secondary edges, and
//! which node the file calls the root. Terminals become words below a preterminal that carries the part of speech and
//! the edge's label. Where a graph has several tops (punctuation is often left loose) a node labelled [`TOP`] is
//! added above them, told by [`Sentence::added_top`] and left out again in writing.
//!
//! The order of nonterminals and of edges carries no meaning and is not kept; nor are `<match>` elements, which are
//! a query's results.

mod assemble;
mod head;
mod read;
mod treebank;
mod write;

pub use self::head::{Corpus, Feature, Head, Value};
pub use self::read::Reader;
pub use self::treebank::Treebank;
pub use self::write::Writer;

use super::any::any;
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use crate::con::{Child, ConTree};
use crate::index::{NodeId, Span, WordIx};
use std::sync::Arc;

/// TIGER-XML.
pub const FORMAT: Format = Format(&Definition {
    name: "tigerxml",
    about: "TIGER-XML, discontinuous constituents included",
    endings: &["xml", "tigerxml"],
    content: Content::Constituents,
    records: RecordLayout::Document,
    read: |input, _| Ok(any(Reader::new(input.name, input.reader)?)),
    writer: Some(|| Box::new(write::Document::default())),
});

/// The label of a node that was added above several tops.
pub const TOP: &str = "VROOT";

/// Attributes beyond those that a tree holds, in the order of the file.
pub type Attributes = Vec<(Box<str>, Box<str>)>;

/// What an id of a file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A terminal.
    Word(WordIx),
    /// A nonterminal.
    Node(NodeId),
}

/// A secondary edge: a second relation of a terminal or nonterminal, beside the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecEdge {
    /// The element that carries the edge: in practice the second child.
    pub from: Target,
    /// What the edge names: in practice the second parent.
    pub to: Target,
    /// The relation.
    pub label: Box<str>,
}

/// One graph of a sentence; nearly all sentences have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// What the file calls the root.
    pub root: Option<Target>,
    /// The graph's words. A node belongs to the graph of its words.
    pub words: Span,
    /// Further attributes, such as `discontinuous`.
    pub attrs: Attributes,
}

/// A sentence of a TIGER-XML corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    id: String,
    subcorpus: Vec<Arc<str>>,
    attrs: Attributes,
    tree: Option<ConTree>,
    added_top: bool,
    graphs: Vec<Graph>,
    words: Vec<Element>,
    /// By node; without an id for preterminals and an added top.
    nodes: Vec<Element>,
    secedges: Vec<SecEdge>,
    /// All that has an id, by id.
    by_id: Vec<Target>,
}

/// What the file says of a terminal or nonterminal beyond the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Element {
    id: Option<Box<str>>,
    attrs: Attributes,
}

impl Sentence {
    /// A sentence made from a tree of any source: preterminals become terminals with a part of speech, and ids are
    /// `id_1`, `id_2` for words and `id_500`, `id_501` for the nodes above them.
    pub fn from_tree(id: impl Into<String>, tree: ConTree) -> Self {
        let id = id.into();
        let number = |n: usize| Some(format!("{id}_{n}").into_boxed_str());
        let words: Vec<Element> =
            (1..=tree.len()).map(|n| Element { id: number(n), ..Element::default() }).collect();
        let mut nodes = vec![Element::default(); tree.node_count()];
        let nonterminals = tree.nodes().filter(|&n| tree.preterminal(n).is_none());
        for (next, node) in (500.max(tree.len() + 1)..).zip(nonterminals) {
            nodes[node.ix()].id = number(next);
        }
        let root = match tree.preterminal(tree.root()) {
            Some(word) => Target::Word(word),
            None => Target::Node(tree.root()),
        };
        let graph = Graph { root: Some(root), words: tree.hull(tree.root()), attrs: Vec::new() };
        let mut sentence = Self { tree: Some(tree), graphs: vec![graph], words, nodes, ..Self::failed(id) };
        sentence.sort_ids();
        sentence
    }

    /// A sentence that has no tree.
    pub fn failed(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            subcorpus: Vec::new(),
            attrs: Vec::new(),
            tree: None,
            added_top: false,
            graphs: Vec::new(),
            words: Vec::new(),
            nodes: Vec::new(),
            secedges: Vec::new(),
            by_id: Vec::new(),
        }
    }

    /// The sentence's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The names of the subcorpora it stands in, the outermost first; mostly none.
    pub fn subcorpus(&self) -> &[Arc<str>] {
        &self.subcorpus
    }

    /// Further attributes of the sentence.
    pub fn attrs(&self) -> &Attributes {
        &self.attrs
    }

    /// The tree; `None` when the sentence has no terminals.
    pub fn tree(&self) -> Option<&ConTree> {
        self.tree.as_ref()
    }

    /// The tree alone.
    pub fn into_tree(self) -> Option<ConTree> {
        self.tree
    }

    /// Whether the tree's root was added above several tops and is not in the file.
    pub fn added_top(&self) -> bool {
        self.added_top
    }

    /// The sentence's graphs.
    pub fn graphs(&self) -> &[Graph] {
        &self.graphs
    }

    /// Secondary edges, those of words first.
    pub fn secedges(&self) -> &[SecEdge] {
        &self.secedges
    }

    /// What an id names, by binary search.
    pub fn find(&self, id: &str) -> Option<Target> {
        let at = self.by_id.binary_search_by(|&t| self.id_of(t).unwrap_or_default().cmp(id));
        at.ok().map(|at| self.by_id[at])
    }

    /// The id of a word or node; `None` for preterminals and an added top, which the file does not have.
    pub fn id_of(&self, target: Target) -> Option<&str> {
        self.element(target).id.as_deref()
    }

    /// Attributes of a word other than id, word, lemma, pos and morph, or of a node other than id and cat.
    pub fn attrs_of(&self, target: Target) -> &Attributes {
        &self.element(target).attrs
    }

    /// All that has an id, by id.
    pub fn targets(&self) -> &[Target] {
        &self.by_id
    }

    /// The node that stands for a target in the tree: itself, or the preterminal of a word that has one.
    pub fn node_of(&self, target: Target) -> Option<NodeId> {
        let tree = self.tree.as_ref()?;
        match target {
            Target::Node(node) => Some(node),
            Target::Word(word) => Some(tree.parent_of_word(word)).filter(|&n| self.is_preterminal(tree, n)),
        }
    }

    fn element(&self, target: Target) -> &Element {
        match target {
            Target::Word(word) => &self.words[word.ix()],
            Target::Node(node) => &self.nodes[node.ix()],
        }
    }

    /// Whether a node stands for a part of speech and not for a nonterminal.
    fn is_preterminal(&self, tree: &ConTree, node: NodeId) -> bool {
        self.nodes[node.ix()].id.is_none() && tree.preterminal(node).is_some()
    }

    /// What the file has below a node: words stand for their preterminals.
    fn child(&self, tree: &ConTree, child: Child) -> Target {
        match child {
            Child::Word(word) => Target::Word(word),
            Child::Node(node) => match tree.preterminal(node) {
                Some(word) if self.nodes[node.ix()].id.is_none() => Target::Word(word),
                _ => Target::Node(node),
            },
        }
    }

    fn sort_ids(&mut self) {
        let words = (0..self.words.len()).map(|w| Target::Word(w.into()));
        let nodes = (0..self.nodes.len()).map(|n| Target::Node(n.into()));
        let mut by_id: Vec<Target> = words.chain(nodes).filter(|&t| self.id_of(t).is_some()).collect();
        by_id.sort_by(|&a, &b| self.id_of(a).cmp(&self.id_of(b)));
        self.by_id = by_id;
    }
}
