//! The dependency parses of an input in one packed forest, labelled with the constituents of all its constituency parses.

use super::labelled::{Labelled, Phrasal};
use super::{HeadOptions, NonProjective};
use crate::packed::Parses;
use crate::pairs::{DepInput, InputTrees};
use std::borrow::Cow;
use treeglot_tree::{ConTree, Span, WordIx};

/// A subtree, as rules see it from above. Positions are those after words were moved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Subtree {
    /// Its words.
    pub span: Span,
    /// Its root.
    pub root: WordIx,
    /// The tag of its root.
    pub tag: String,
}

impl Subtree {
    /// Whether its root has no dependents.
    pub fn is_leaf(&self) -> bool {
        self.span.len() == 1
    }
}

/// A part of a head-dependents relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The head itself.
    Head,
    /// A dependent with all below it, by its number.
    Subtree(u32),
}

/// A head-dependents relation with its phrasal nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The parts from left to right.
    pub parts: Vec<Part>,
    /// The phrasal nodes.
    pub phrasal: Vec<Phrasal>,
}

/// The parses of a sentence, and the order in which they have its words.
pub struct DepParses {
    /// The parses.
    pub parses: Parses<Subtree, Relation>,
    /// By position in the parses, the position in the input.
    pub order: Vec<u32>,
}

/// Packs the trees over `length` words. One tree may move words, so as to be projective; several must agree on their order, so
/// their arcs are lifted.
pub fn pack(trees: &InputTrees, length: usize, phrasal: bool, options: &HeadOptions) -> DepParses {
    let deps: Vec<&DepInput> = trees.deps.iter().filter(|parse| parse.tree.len() == length).collect();
    let cons = trees.cons.iter().map(|parse| &parse.tree);
    let cons = cons.filter(|tree| phrasal && tree.len() == length);
    let cons: Vec<Cow<'_, ConTree>> = cons.flat_map(|tree| options.binarize.apply(tree)).collect();
    let how = if deps.len() > 1 { NonProjective::Lift } else { options.non_projective };
    let mut packed = DepParses { parses: Parses::default(), order: Vec::new() };
    for DepInput { tree, tags, weight } in deps {
        let labelled = Labelled::new(tree, tags, cons.iter().map(Cow::as_ref), how);
        add(&labelled, *weight, &mut packed.parses);
        packed.order = labelled.order.order().iter().map(|word| word.0).collect();
    }
    packed
}

fn add(labelled: &Labelled, weight: f64, parses: &mut Parses<Subtree, Relation>) {
    let tree = &labelled.tree;
    let mut numbers = vec![0; tree.len()];
    for &node in tree.preorder().iter().rev() {
        let part = |part: WordIx| if part == node { Part::Head } else { Part::Subtree(numbers[part.ix()]) };
        let parts = labelled.parts(node).into_iter().map(part).collect();
        let relation = Relation { parts, phrasal: labelled.phrasal(node).to_vec() };
        let key = Subtree { span: labelled.span(node), root: node, tag: labelled.tag(node).to_string() };
        numbers[node.ix()] = parses.add(key, relation, weight);
    }
    parses.root(numbers[tree.root().ix()], weight);
}
