//! A training pair as models see it: words as symbols, links, and the trees they asked for.

use treeglot_align::Link;
use treeglot_grammar::Symbol;
use treeglot_text::Side;
use treeglot_tree::{ConTree, DepTree, PerTree, TreeKind};

/// What a model needs beside words and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Which trees.
    pub trees: PerTree<bool>,
    /// Links between the nodes of the trees.
    pub node_links: bool,
    /// Whether it reads more than one tree of a kind of the source side, if there are: parses of several parsers, or the k best
    /// of one.
    pub several_parses: bool,
}

impl Needs {
    /// Trees of these kinds of the source side, several parses if there are.
    pub fn source_parses(kinds: &[TreeKind]) -> Self {
        let wanted = |side: Side, kind: TreeKind| side == Side::Source && kinds.contains(&kind);
        let trees = PerTree::from_fn(|slot| wanted(slot.side, slot.kind));
        Self { trees, several_parses: true, ..Self::default() }
    }
}

/// A tree of a sentence, checked.
#[derive(Debug, Clone)]
pub enum ParsedTree {
    /// A dependency tree with the tags of its words.
    Dependency(DepTree, Vec<String>),
    /// A constituency tree.
    Constituency(ConTree),
}

impl ParsedTree {
    /// The dependency tree with its tags, if it is one.
    pub fn dependency(&self) -> Option<(&DepTree, &[String])> {
        match self {
            Self::Dependency(tree, tags) => Some((tree, tags)),
            Self::Constituency(_) => None,
        }
    }

    /// The constituency tree, if it is one.
    pub fn constituency(&self) -> Option<&ConTree> {
        match self {
            Self::Constituency(tree) => Some(tree),
            Self::Dependency(..) => None,
        }
    }
}

/// A training pair. Every link is within both sides, links are sorted and distinct, both sides have words, and trees
/// have as many words as their side: whoever makes a pair checks it.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The source words.
    pub source: &'a [Symbol],
    /// The target words.
    pub target: &'a [Symbol],
    /// The links, sorted.
    pub links: &'a [Link],
    /// The trees that were asked for: the main parse, then, for models that ask for [`Needs::several_parses`], those by other
    /// parsers or further ones of the same.
    pub trees: PerTree<&'a [ParsedTree]>,
    /// Links between the nodes of the trees, numbered as [`treeglot_align::trees::Nodes`] are, and within them.
    pub node_links: &'a [Link],
}

impl<'a> Pair<'a> {
    /// The main dependency tree of a side.
    pub fn dep(&self, side: Side) -> Option<&'a DepTree> {
        let tree = self.trees[(side, TreeKind::Dependency)].first()?;
        tree.dependency().map(|(tree, _)| tree)
    }

    /// The main constituency tree of a side.
    pub fn con(&self, side: Side) -> Option<&'a ConTree> {
        self.trees[(side, TreeKind::Constituency)].first()?.constituency()
    }

    /// All dependency trees of the source side with their tags, the main one first.
    pub fn source_deps(&self) -> impl Iterator<Item = (&'a DepTree, &'a [String])> {
        self.trees.source_dep.iter().filter_map(ParsedTree::dependency)
    }

    /// All constituency trees of the source side, the main one first.
    pub fn source_cons(&self) -> impl Iterator<Item = &'a ConTree> {
        self.trees.source_con.iter().filter_map(ParsedTree::constituency)
    }
}
