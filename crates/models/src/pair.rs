//! A training pair as models see it: words as symbols, links, and the trees they asked for.

use treeglot_align::Link;
use treeglot_grammar::Symbol;
use treeglot_tree::{ConTree, DepTree};

/// The trees of one side of a pair that a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeKind {
    /// A dependency tree.
    pub dep: bool,
    /// A constituency tree.
    pub con: bool,
}

/// What a model needs beside words and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Trees of the source side.
    pub source: TreeKind,
    /// Trees of the target side.
    pub target: TreeKind,
    /// Links between the nodes of the trees.
    pub node_links: bool,
    /// Whether it reads more than one tree of a kind of the source side, if there are: parses of several parsers, or the k best
    /// of one.
    pub several_parses: bool,
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
    /// The dependency tree of the source side.
    pub source_dep: Option<&'a DepTree>,
    /// The tags of the source words as its dependency tree has them; empty without one.
    pub source_tags: &'a [String],
    /// Dependency trees of the source side by other parsers, or further ones of the same, with their tags; only models that
    /// ask for [`Needs::several_parses`] read them.
    pub more_source_deps: &'a [(DepTree, Vec<String>)],
    /// The constituency tree of the source side.
    pub source_con: Option<&'a ConTree>,
    /// Further constituency trees of the source side, as there are of dependencies.
    pub more_source_cons: &'a [ConTree],
    /// The dependency tree of the target side.
    pub target_dep: Option<&'a DepTree>,
    /// The constituency tree of the target side.
    pub target_con: Option<&'a ConTree>,
    /// Links between the nodes of the trees, numbered as [`treeglot_align::trees::Nodes`] are, and within them.
    pub node_links: &'a [Link],
}

impl<'a> Pair<'a> {
    /// All dependency trees of the source side with their tags, the first one first.
    pub fn source_deps(&self) -> impl Iterator<Item = (&'a DepTree, &'a [String])> {
        let first = self.source_dep.map(|tree| (tree, self.source_tags));
        first.into_iter().chain(self.more_source_deps.iter().map(|(tree, tags)| (tree, &tags[..])))
    }

    /// All constituency trees of the source side, the first one first.
    pub fn source_cons(&self) -> impl Iterator<Item = &'a ConTree> {
        self.source_con.into_iter().chain(self.more_source_cons)
    }
}
