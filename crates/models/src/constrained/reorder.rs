//! A pair whose words moved next to their heads, links and trees along with them (Graham 2013, section 6).

use super::Side;
use crate::pair::Pair;
use treeglot_align::Link;
use treeglot_grammar::Symbol;
use treeglot_tree::transform::inorder::{Permutation, project_tree};
use treeglot_tree::{DepTree, WordIx};

/// A pair in another order.
pub struct Reordered {
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<Link>,
    source_dep: Option<DepTree>,
    target_dep: Option<DepTree>,
}

impl Reordered {
    /// The pair with the words of `side` in the order of an in-order traversal of its tree; `None` if that is the
    /// order they are in.
    pub fn new(pair: &Pair<'_>, side: Side) -> Option<Self> {
        let project = |tree: Option<&DepTree>, wanted: bool| tree.filter(|_| wanted).map(project_tree);
        let source = project(pair.source_dep, side.source());
        let target = project(pair.target_dep, side.target());
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
        let words = |words: &[Symbol], order: &Option<Permutation>| {
            order.as_ref().map_or_else(|| words.to_vec(), |order| order.apply(words))
        };
        Some(Self {
            source: words(pair.source, &source_order),
            target: words(pair.target, &target_order),
            links,
            source_dep,
            target_dep,
        })
    }

    /// The pair as models see it.
    pub fn pair(&self) -> Pair<'_> {
        Pair {
            source: &self.source,
            target: &self.target,
            links: &self.links,
            source_dep: self.source_dep.as_ref(),
            source_tags: &[],
            more_source_deps: &[],
            source_con: None,
            more_source_cons: &[],
            target_dep: self.target_dep.as_ref(),
            target_con: None,
            node_links: &[],
        }
    }
}

fn position(order: &Option<Permutation>, old: u32) -> u32 {
    order.as_ref().map_or(old, |order| order.new_position(WordIx(old)).0)
}
