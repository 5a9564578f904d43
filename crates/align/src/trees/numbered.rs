//! One side of a pair of trees: nodes, words, and what names them, made from a tree of any format.

use super::nodes::Nodes;
use treeglot_tree::format::AnyTree;
use treeglot_tree::format::egret::Markers;
use treeglot_tree::format::enju::Loose;
use treeglot_tree::format::tigerxml::{Sentence, Target};
use treeglot_tree::{ConTree, DepParse, Invalid, NodeId};

/// A tree to be aligned.
#[derive(Debug, Clone)]
pub struct NumberedTree {
    /// The nodes.
    pub nodes: Nodes,
    /// The words, left to right.
    pub words: Vec<String>,
    /// The label of each node: a category, a part of speech, or the relation of a head with its dependents.
    pub labels: Vec<String>,
    /// The id of each node in its treebank, where it has one: made up for formats without ids, missing for a top
    /// that was added above several.
    pub ids: Vec<Option<Box<str>>>,
    /// Whether node 0 was added above several tops and is no node of the file.
    pub added_top: bool,
}

/// Why a tree of a file cannot be aligned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Its structure is no tree.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A graph of word-word dependencies, which may have several heads for a word.
    #[error("a graph of dependencies is no tree: convert it first, with `treeglot tree convert --to conllu`")]
    Graph,
    /// Its format holds what is no tree.
    #[error("{0}")]
    Other(String),
}

impl NumberedTree {
    /// The side of the `number`th tree of its file (from 1); `None` for a sentence without a tree.
    pub fn of_any(tree: AnyTree, number: usize) -> Result<Option<Self>, Unfit> {
        let why = |error: treeglot_tree::Error| Unfit::Other(error.to_string());
        let con = match tree {
            AnyTree::Dep(parse) if parse.is_empty() => None,
            AnyTree::Dep(parse) => return Self::of_dep(&parse, number).map(Some),
            AnyTree::Tiger(sentence) => return Ok(Self::of_tiger(&sentence)),
            AnyTree::Graph(_) => return Err(Unfit::Graph),
            AnyTree::Con(tree) => Some(tree),
            AnyTree::Enju(sentence) => sentence.to_con(Loose::default()).map_err(why)?,
            AnyTree::Derivation(derivation) => Some(derivation.to_con().map_err(why)?),
            AnyTree::Forest(forest) => Some(forest.tree(&forest.best(), Markers::Remove)),
            AnyTree::Failed => None,
        };
        Ok(con.map(|tree| Self::of_con(&tree, number)))
    }

    /// The side of a constituency tree.
    pub fn of_con(tree: &ConTree, number: usize) -> Self {
        let nodes = Nodes::of_con(tree);
        let words = tree.forms().map(str::to_string).collect();
        let mut labels = vec![String::new(); nodes.len()];
        for node in tree.nodes() {
            labels[number_of(&nodes, node) as usize] = tree.label(node).to_string();
        }
        let ids = made_up_ids(&nodes, number);
        Self { nodes, words, labels, ids, added_top: false }
    }

    /// The side of a dependency parse; later roots and words of cycles hang from the first root.
    pub fn of_dep(parse: &DepParse, number: usize) -> Result<Self, Unfit> {
        let nodes = Nodes::of_dep(&parse.mended_tree()?.tree);
        let words = parse.forms().map(str::to_string).collect();
        let mut labels = vec![String::new(); nodes.len()];
        for word in parse.words() {
            labels[nodes.headed(word) as usize] = parse.deprel(word).to_string();
            labels[nodes.leaf(word) as usize] = parse.tag(word).to_string();
        }
        let ids = made_up_ids(&nodes, number);
        Ok(Self { nodes, words, labels, ids, added_top: false })
    }

    /// The side of a sentence of a TIGER-XML corpus, with its own ids; `None` if it has no words.
    pub fn of_tiger(sentence: &Sentence) -> Option<Self> {
        let mut side = Self::of_con(sentence.tree()?, 1);
        side.ids.fill(None);
        for &target in sentence.targets() {
            let node = side.number(target);
            side.ids[node as usize] = sentence.id_of(target).map(Box::from);
        }
        side.added_top = sentence.added_top();
        Some(side)
    }

    /// Whether a node has a word with letters or digits: else it is punctuation, a sign for what is left out, or
    /// mark-up like `<p>`.
    pub fn has_letters(&self, node: u32) -> bool {
        let is_word = |form: &str| {
            form.contains(char::is_alphanumeric) && !(form.starts_with('<') && form.ends_with('>'))
        };
        let mut words = self.words.iter().enumerate();
        words.any(|(word, form)| is_word(form) && self.nodes.has_word(node, word.into()))
    }

    /// The number of a word or node of the constituency tree that this side was made from.
    pub fn number(&self, target: Target) -> u32 {
        match target {
            Target::Word(word) => self.nodes.leaf(word),
            Target::Node(node) => number_of(&self.nodes, node),
        }
    }
}

fn number_of(nodes: &Nodes, node: NodeId) -> u32 {
    nodes.number(node).expect("the nodes were made from this tree")
}

/// The ids that [`Sentence::from_tree`] gives: `s1_1`, `s1_2` for words and `s1_500`, `s1_501` for the nodes above.
fn made_up_ids(nodes: &Nodes, number: usize) -> Vec<Option<Box<str>>> {
    let mut next = 500.max(nodes.words() + 1);
    let mut id = |node: u32| {
        let own = nodes.word(node).map_or(next, |word| word.ix() + 1);
        next += usize::from(nodes.word(node).is_none());
        Some(format!("s{number}_{own}").into())
    };
    (0..nodes.len() as u32).map(&mut id).collect()
}
