//! A CCG derivation, however it was written down, and its conversions to trees.

use super::category;
use crate::con::{ConBuilder, ConTree, Draft};
use crate::error::{Error, Result};
use crate::index::WordIx;
use crate::parse::{DepParse, Field};
use treeglot_text::Place;

/// What stands below a node of a derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// A rule application, by its number.
    Node(usize),
    /// A word, by its position.
    Leaf(usize),
}

/// A rule application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The category it builds.
    pub category: String,
    /// The rule's name (`fa`, `ba`, `lex`, ...), if the file tells.
    pub rule: Option<String>,
    /// Which child is the head, if the file tells.
    pub head: Option<usize>,
    /// What it is built from: one or more, left to right.
    pub children: Vec<Child>,
}

/// A word with its lexical category.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leaf {
    /// The category.
    pub category: String,
    /// The word.
    pub word: String,
    /// Its part of speech, if the file tells.
    pub pos: Option<String>,
    /// The part of speech of the Penn Treebank, where CCGbank changed it.
    pub original_pos: Option<String>,
    /// The category with indices that tell which arguments share a head.
    pub indexed: Option<String>,
    /// Its lemma, if the file tells.
    pub lemma: Option<String>,
}

/// One CCG derivation: nodes in pre-order, leaves from left to right.
#[derive(Debug, Clone)]
pub struct Derivation {
    header: Option<String>,
    place: Place,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    root: Child,
}

impl PartialEq for Derivation {
    /// Equality of what is said, wherever it is written.
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header
            && self.root == other.root
            && self.nodes == other.nodes
            && self.leaves == other.leaves
    }
}

impl Eq for Derivation {}

impl Derivation {
    /// The line that names it, such as `ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1`.
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// The name in its header.
    pub fn id(&self) -> Option<&str> {
        self.header()?.strip_prefix("ID=")?.split_whitespace().next()
    }

    /// Where it begins.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Its rule applications, in pre-order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Its words, left to right: at least one.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// What stands at the top.
    pub fn root(&self) -> Child {
        self.root
    }

    /// The category of a node or leaf.
    pub fn category(&self, child: Child) -> &str {
        match child {
            Child::Node(n) => &self.nodes[n].category,
            Child::Leaf(l) => &self.leaves[l].category,
        }
    }

    /// Which child of a node is its head: as the file tells, else as [`category::head_child`] finds.
    pub fn head_child(&self, node: usize) -> usize {
        let node = &self.nodes[node];
        node.head.unwrap_or_else(|| {
            let children: Vec<&str> = node.children.iter().map(|&c| self.category(c)).collect();
            category::head_child(&node.category, &children)
        })
    }

    pub(super) fn set_origin(&mut self, header: Option<String>, place: Place) {
        self.header = header;
        self.place = place;
    }

    /// Whether it is what EasyCCG prints for a sentence it cannot parse.
    pub(super) fn is_failure(&self) -> bool {
        let [leaf] = self.leaves.as_slice() else { return false };
        self.nodes.is_empty()
            && leaf.word == "fail"
            && leaf.category == "NP"
            && leaf.indexed.as_deref() == Some("N")
    }

    /// The derivation as a constituency tree: categories as labels, lexical categories as preterminals.
    pub fn to_con(&self) -> Result<ConTree> {
        let mut tree = ConBuilder::default();
        let mut above: Vec<Option<Draft>> = vec![None; self.leaves.len()];
        let mut stack = vec![(self.root, None)];
        while let Some((child, parent)) = stack.pop() {
            let node = tree.node(self.category(child), parent);
            match child {
                Child::Leaf(l) => above[l] = Some(node),
                Child::Node(n) => stack.extend(self.nodes[n].children.iter().map(|&c| (c, Some(node)))),
            }
        }
        for (leaf, tag) in self.leaves.iter().zip(above) {
            let tag = tag.expect("every leaf was reached from the root");
            tree.word_with(&leaf.word, leaf.lemma.as_deref().unwrap_or_default(), "", tag);
        }
        tree.finish().map_err(|why| Error::Invalid { place: self.place.clone(), why })
    }

    /// The derivation as a dependency tree by its heads: the head word of each child that is not the head depends on
    /// the head word of the one that is. The relation is the category of the dependent child; the word's own category
    /// is kept in the last column.
    pub fn to_dep(&self) -> DepParse {
        let mut parse = DepParse::at(self.place.clone());
        for leaf in &self.leaves {
            let [lemma, tag] = [&leaf.lemma, &leaf.pos].map(|text| text.as_deref().unwrap_or("_"));
            let misc = format!("Category={}", leaf.category);
            parse.push([&leaf.word, lemma, tag, tag, "_", "_", "_", &misc], None);
        }
        let head_words = self.head_words();
        let head_word = |child: Child| match child {
            Child::Node(n) => head_words[n],
            Child::Leaf(l) => WordIx::from(l),
        };
        for (n, node) in self.nodes.iter().enumerate() {
            for &child in node.children.iter().filter(|&&c| head_word(c) != head_words[n]) {
                parse.set_head(head_word(child), Some(head_words[n]));
                parse.set(head_word(child), Field::Deprel, self.category(child));
            }
        }
        parse.set_head(head_word(self.root), None);
        parse.set(head_word(self.root), Field::Deprel, "root");
        parse
    }

    /// The head word of each node.
    fn head_words(&self) -> Vec<WordIx> {
        let mut words = vec![WordIx(0); self.nodes.len()];
        for n in (0..self.nodes.len()).rev() {
            words[n] = match self.nodes[n].children[self.head_child(n)] {
                Child::Node(below) => words[below],
                Child::Leaf(l) => WordIx::from(l),
            };
        }
        words
    }
}

/// Builds a [`Derivation`] from its parts in the order of a file, and checks that it is one.
#[derive(Debug, Default)]
pub(super) struct DerivationBuilder {
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    open: Vec<usize>,
    root: Option<Child>,
}

impl DerivationBuilder {
    /// Whether a tree is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.root.is_some() && self.open.is_empty()
    }

    /// Opens a node below the one opened last.
    pub(super) fn open(
        &mut self,
        category: &str,
        rule: Option<&str>,
        head: Option<usize>,
    ) -> std::result::Result<(), String> {
        let node = self.nodes.len();
        self.hang(Child::Node(node))?;
        let rule = rule.map(str::to_string);
        self.nodes.push(Node { category: category.to_string(), rule, head, children: Vec::new() });
        self.open.push(node);
        Ok(())
    }

    /// Closes the node opened last and returns it.
    pub(super) fn close(&mut self) -> std::result::Result<&Node, String> {
        let node = self.open.pop().ok_or("a bracket closes nothing")?;
        let node = &self.nodes[node];
        if node.children.is_empty() {
            return Err(format!("`{}` has nothing below it", node.category));
        }
        if let Some(head) = node.head.filter(|&h| h >= node.children.len()) {
            let children = node.children.len();
            return Err(format!("`{}` has head {head}, but only {children} children", node.category));
        }
        Ok(node)
    }

    /// Adds the next word.
    pub(super) fn leaf(&mut self, leaf: Leaf) -> std::result::Result<(), String> {
        self.hang(Child::Leaf(self.leaves.len()))?;
        self.leaves.push(leaf);
        Ok(())
    }

    fn hang(&mut self, child: Child) -> std::result::Result<(), String> {
        match (self.open.last(), self.root) {
            (Some(&above), _) => self.nodes[above].children.push(child),
            (None, None) => self.root = Some(child),
            (None, Some(_)) => return Err("a second tree follows the first on this line".into()),
        }
        Ok(())
    }

    pub(super) fn finish(self, place: Place) -> std::result::Result<Derivation, String> {
        if let Some(&open) = self.open.last() {
            return Err(format!("`{}` is not closed", self.nodes[open].category));
        }
        let root = self.root.ok_or("there is no tree here")?;
        Ok(Derivation { header: None, place, nodes: self.nodes, leaves: self.leaves, root })
    }
}
