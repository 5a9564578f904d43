//! A projective dependency tree with phrasal nodes: constituents that no dependency subtree covers, made of a head
//! and/or whole dependent subtrees of one node (Meng et al. 2013, section 3.1). First step of extraction and of
//! translation alike.

use super::NonProjective;
use treeglot_align::Link;
use treeglot_tree::transform::inorder::{Permutation, project_tree};
use treeglot_tree::transform::lift::lift_tree;
use treeglot_tree::{ConTree, DepTree, NodeId, Span, WordIx};

/// What stands between the category and the tags in the name of a phrasal node.
pub const PHRASAL: &str = "|||";

/// A constituent over neighbouring parts of a head-dependents relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrasal {
    /// The first of the parts, and the one after the last: positions in [`Labelled::parts`].
    pub parts: (usize, usize),
    /// Its words.
    pub span: Span,
    /// Its category and the tags of its parts: `VP|||VV_NN`.
    pub label: String,
}

/// A projective tree with its tags and phrasal nodes. All positions are those after words were moved.
pub struct Labelled {
    /// The tree.
    pub tree: DepTree,
    /// How words were moved to make it projective.
    pub order: Permutation,
    tags: Vec<String>,
    /// By node; of each constituency tree, an outer one before those inside it.
    phrasal: Vec<Vec<Phrasal>>,
}

impl Labelled {
    /// Makes a tree projective and labels it with the phrasal nodes of constituency trees over the same words.
    pub fn new<'a>(
        tree: &DepTree,
        tags: &[String],
        cons: impl IntoIterator<Item = &'a ConTree>,
        how: NonProjective,
    ) -> Self {
        let identity = || Permutation::identity(tree.len());
        let (tree, order) = match how {
            _ if tree.is_projective() => (tree.clone(), identity()),
            NonProjective::Lift => (lift_tree(tree).tree, identity()),
            NonProjective::Inorder => project_tree(tree),
        };
        let tag = |new: usize| tags.get(order.old_position(new.into()).ix()).cloned().unwrap_or_default();
        let tags = (0..tree.len()).map(tag).collect();
        let mut labelled = Self { phrasal: vec![Vec::new(); tree.len()], tree, order, tags };
        for con in cons {
            let mut known = Vec::new();
            con.nodes().for_each(|node| labelled.add(con, node, &mut known));
        }
        labelled
    }

    /// The tag of a word.
    pub fn tag(&self, word: WordIx) -> &str {
        &self.tags[word.ix()]
    }

    /// The head-dependents relation of a node from left to right: its dependents, each for its subtree, and itself.
    pub fn parts(&self, node: WordIx) -> Vec<WordIx> {
        let dependents = self.tree.dependents(node);
        let right = dependents.partition_point(|&dependent| dependent < node);
        [&dependents[..right], &[node], &dependents[right..]].concat()
    }

    /// The words of a node's subtree.
    pub fn span(&self, node: WordIx) -> Span {
        self.tree.hull(node)
    }

    /// The phrasal nodes of a node's head-dependents relation.
    pub fn phrasal(&self, node: WordIx) -> &[Phrasal] {
        &self.phrasal[node.ix()]
    }

    /// Links of the words as they stood, moved along with them.
    pub fn moved_links(&self, links: &[Link]) -> Vec<Link> {
        let moved = |link: &Link| Link::new(self.order.new_position(WordIx(link.src)).0, link.tgt);
        let mut links: Vec<Link> = links.iter().map(moved).collect();
        links.sort_unstable();
        links
    }

    /// Labels the tree with a constituent, if it is one that the tree lacks. Of several constituents of one tree over the same
    /// words, which are `known` then, the highest gives the label.
    fn add(&mut self, con: &ConTree, constituent: NodeId, known: &mut Vec<Span>) {
        let Some((node, span)) =
            self.span_of(con, constituent).and_then(|span| Some((self.top(span)?, span)))
        else {
            return;
        };
        let parts = self.parts(node);
        let inside: Vec<usize> = (0..parts.len()).filter(|&k| span.contains(parts[k])).collect();
        let covered = |k: &usize| if parts[*k] == node { 1 } else { self.tree.subtree_len(parts[*k]) };
        let (Some(&first), Some(&last)) = (inside.first(), inside.last()) else { return };
        let whole = inside.iter().map(covered).sum::<usize>() == span.len();
        if !whole || inside.len() < 2 || inside.len() == parts.len() {
            return;
        }
        if known.contains(&span) {
            return;
        }
        known.push(span);
        let tags: Vec<&str> = inside.iter().map(|&k| self.tag(parts[k])).collect();
        let label = [category(con.label(constituent)), &tags.join("_")].join(PHRASAL);
        let phrasal = Phrasal { parts: (first, last + 1), span, label };
        if !self.phrasal[node.ix()].contains(&phrasal) {
            self.phrasal[node.ix()].push(phrasal);
        }
    }

    /// The words of a constituent, if they stand together.
    fn span_of(&self, con: &ConTree, constituent: NodeId) -> Option<Span> {
        let hull = con
            .words_of(constituent)
            .fold(Span::default(), |hull, word| hull.hull(Span::of(self.order.new_position(word))));
        Some(hull).filter(|hull| hull.len() > 1 && hull.len() == con.word_count(constituent))
    }

    /// The node whose head-dependents relation has all highest words of a span as parts.
    fn top(&self, span: Span) -> Option<WordIx> {
        let outside = |word: &WordIx| !self.tree.head(*word).is_some_and(|head| span.contains(head));
        let mut tops = span.words().filter(outside);
        let first = tops.next()?;
        let Some(second) = tops.next() else { return Some(first) };
        let head = self.tree.head(first);
        tops.chain([second]).all(|top| self.tree.head(top) == head).then_some(head)?
    }
}

/// A label without the grammatical function that follows it: `NP` of `NP-SB`.
pub fn category(label: &str) -> &str {
    match label.find(['-', '=']) {
        Some(at) if at > 0 => &label[..at],
        _ => label,
    }
}
