//! A pair whose words moved next to their heads, links and trees along with them (Graham 2013, section 6).

use super::Side;
use crate::pair::{Pair, ParsedTree};
use treeglot_align::Link;
use treeglot_grammar::Symbol;
use treeglot_text as text;
use treeglot_tree::transform::inorder::{Permutation, project_tree};
use treeglot_tree::{DepTree, PerTree, WordIx};

/// A pair in another order.
pub struct Reordered {
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<Link>,
    trees: PerTree<Vec<ParsedTree>>,
}

impl Reordered {
    /// The pair with the words of `side` in the order of an in-order traversal of its tree; `None` if that is the
    /// order they are in.
    pub fn new(pair: &Pair<'_>, side: Side) -> Option<Self> {
        let project = |tree: Option<&DepTree>, wanted: bool| tree.filter(|_| wanted).map(project_tree);
        let source = project(pair.dep(text::Side::Source), side.source());
        let target = project(pair.dep(text::Side::Target), side.target());
        let moves = |side: &Option<(DepTree, Permutation)>| side.as_ref().is_some_and(|s| !s.1.is_identity());
        if !moves(&source) && !moves(&target) {
            return None;
        }
        let (source_dep, source_order) = source.unzip();
        let (target_dep, target_order) = target.unzip();
        let mut links: Vec<Link> = pair
            .links
            .iter()
            .map(|link| Link::new(position(&source_order, link.src), position(&target_order, link.tgt)))
            .collect();
        links.sort_unstable();
        let parsed = |tree: Option<DepTree>| {
            tree.map(|tree| ParsedTree::Dependency(tree, Vec::new())).into_iter().collect()
        };
        let trees =
            PerTree { source_dep: parsed(source_dep), target_dep: parsed(target_dep), ..PerTree::default() };
        let words = |words: &[Symbol], order: &Option<Permutation>| {
            order.as_ref().map_or_else(|| words.to_vec(), |order| order.apply(words))
        };
        Some(Self {
            source: words(pair.source, &source_order),
            target: words(pair.target, &target_order),
            links,
            trees,
        })
    }

    /// The pair as models see it.
    pub fn pair(&self) -> Pair<'_> {
        Pair {
            source: &self.source,
            target: &self.target,
            links: &self.links,
            trees: self.trees.each_ref().map(|_, trees| &trees[..]),
            node_links: &[],
        }
    }
}

fn position(order: &Option<Permutation>, old: u32) -> u32 {
    order.as_ref().map_or(old, |order| order.new_position(WordIx(old)).0)
}
