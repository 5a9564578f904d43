//! The constituency parses of an input in one packed forest.

use super::{Binarize, label};
use crate::packed::Parses;
use crate::pairs::ConInput;
use treeglot_tree::{Child, ConTree, NodeId, Span, WordIx};

/// A constituent. Over the same words one may stand above another of the same label, in one parse or in several that
/// disagree; the number of those below it tells them apart, so that nothing is below itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Constituent {
    /// Its words.
    pub span: Span,
    /// How many constituents below it have the same words.
    pub height: u32,
    /// Its label, as rules have it.
    pub label: String,
}

/// What stands below a constituent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// A constituent, by its number.
    Node(u32),
    /// A word.
    Word(WordIx),
}

/// Packs the trees that have `length` words and no discontinuous constituents, their nodes parted first.
pub fn pack(trees: &[ConInput], length: usize, binarize: Binarize) -> Parses<Constituent, Vec<Below>> {
    let mut parses = Parses::default();
    for ConInput { tree, weight } in trees {
        if tree.len() == length && tree.is_continuous() {
            for tree in binarize.apply(tree) {
                add(&tree, *weight, &mut parses);
            }
        }
    }
    parses
}

fn add(tree: &ConTree, weight: f64, parses: &mut Parses<Constituent, Vec<Below>>) {
    let mut numbers = vec![(0, 0); tree.node_count()];
    for node in tree.nodes().rev() {
        let below = tree.children(node).iter().map(|child| match *child {
            Child::Node(child) => Below::Node(numbers[child.ix()].0),
            Child::Word(word) => Below::Word(word),
        });
        let below: Vec<Below> = below.collect();
        let height = match tree.children(node) {
            [Child::Node(only)] => numbers[only.ix()].1 + 1,
            _ => 0,
        };
        let key = Constituent { span: tree.hull(node), height, label: label(tree, node).to_string() };
        numbers[node.ix()] = (parses.add(key, below, weight), height);
    }
    parses.root(numbers[NodeId::ix(tree.root())].0, weight);
}
