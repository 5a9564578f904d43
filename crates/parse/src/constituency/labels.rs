//! Trees as labelled spans, and back.
//!
//! A span's label is the chain of all constituents over its words, from the top: `S VP` for a clause that is only a
//! verb phrase. Label 0, the empty chain, stands for no constituent: a word that hangs bare, or the rest of the
//! children of a constituent in its binary form. A tree of n-ary nodes has exactly one binary form: a node is its first
//! child and the rest, and only the rest may have label 0 and more than one word.

use rustc_hash::FxHashMap;
use treeglot_tree::transform::continuous::continuous;
use treeglot_tree::transform::strip::Strip;
use treeglot_tree::{Child, ConBuilder, ConTree, NodeId};

/// The number of a chain of constituents, or of a tag.
pub(crate) type Label = u16;

/// No constituent.
pub(crate) const NONE: Label = 0;

/// A span of words and its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Labelled {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Label,
}

/// Why a tree cannot be learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadTree {
    /// Only traces.
    #[error("it has no words")]
    NoWords,
    /// A word hangs from a constituent with other children.
    #[error("a word has no tag")]
    NoTag,
    /// More words than positions can be numbered.
    #[error("it has too many words")]
    TooLong,
}

/// The tree that a parser can be asked for: without traces, functions and the empty node on top, every constituent
/// contiguous.
pub fn plain(tree: &ConTree) -> Result<ConTree, BadTree> {
    let raised;
    let tree = match tree.is_continuous() {
        true => tree,
        false => {
            raised = continuous(tree).0;
            &raised
        }
    };
    let tree = Strip::ALL.apply(tree).ok_or(BadTree::NoWords)?;
    if tree.words().any(|w| tree.tag(w).is_none()) {
        return Err(BadTree::NoTag);
    }
    if tree.len() > usize::from(u16::MAX) {
        return Err(BadTree::TooLong);
    }
    Ok(without_top(tree))
}

/// The tree below a top node that says nothing.
fn without_top(tree: ConTree) -> ConTree {
    let root = tree.root();
    let (true, [Child::Node(below)]) =
        (matches!(tree.label(root), "ROOT" | "TOP" | "S1" | "VROOT"), tree.children(root))
    else {
        return tree;
    };
    let mut builder = ConBuilder::default();
    let mut drafts = vec![None; tree.node_count()];
    for node in tree.subtree(*below) {
        let above = tree.parent(node).and_then(|p| drafts[p.ix()]);
        drafts[node.ix()] = Some(builder.node(tree.label(node), above));
    }
    for word in tree.words() {
        let parent = drafts[tree.parent_of_word(word).ix()];
        builder.word_with(
            tree.form(word),
            tree.lemma(word),
            tree.morph(word),
            parent.expect("all words are below"),
        );
    }
    builder.finish().expect("what is below a node is a tree")
}

/// The chains of constituents of a plain tree: for every span that is one, its start, end and chain.
fn chains(tree: &ConTree) -> Vec<(usize, usize, Vec<&str>)> {
    let only_child = |n: NodeId| match tree.children(n) {
        [Child::Node(below)] => Some(*below),
        _ => None,
    };
    let mut found = Vec::new();
    for node in tree.nodes().filter(|&n| tree.preterminal(n).is_none()) {
        if tree.parent(node).is_some_and(|p| only_child(p).is_some()) {
            continue;
        }
        let mut chain = vec![tree.label(node)];
        let mut below = only_child(node);
        while let Some(n) = below.filter(|&n| tree.preterminal(n).is_none()) {
            chain.push(tree.label(n));
            below = only_child(n);
        }
        let hull = tree.hull(node);
        found.push((hull.start as usize, hull.end as usize, chain));
    }
    found
}

/// A tree as numbers: the tag of every word, and every span of its binary form, label 0 included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) tags: Vec<Label>,
    pub(crate) spans: Vec<Labelled>,
}

/// All labels and tags, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inventory {
    labels: Vec<String>,
    tags: Vec<String>,
    label_numbers: FxHashMap<String, Label>,
    tag_numbers: FxHashMap<String, Label>,
    /// The constituents of each label, without repetition, by numbers of their own.
    parts: Vec<Vec<Label>>,
    part_count: usize,
}

impl Inventory {
    /// The labels and tags of plain trees, the most frequent first. Chains of several constituents seen less than
    /// `least` times are left out.
    pub(crate) fn of_trees<'a>(trees: impl IntoIterator<Item = &'a ConTree>, least: usize) -> Self {
        let mut labels: FxHashMap<String, usize> = FxHashMap::default();
        let mut tags: FxHashMap<String, usize> = FxHashMap::default();
        for tree in trees {
            for (.., chain) in chains(tree) {
                *labels.entry(chain.join(" ")).or_default() += 1;
                // Parts of rare chains must have a number, however rare they are by themselves.
                for label in chain {
                    labels.entry(label.to_string()).or_default();
                }
            }
            for tag in tree.words().filter_map(|w| tree.tag(w)) {
                *tags.entry(tag.to_string()).or_default() += 1;
            }
        }
        labels.retain(|chain, &mut count| count >= least || !chain.contains(' '));
        let ordered = |counts: FxHashMap<String, usize>| {
            let mut items: Vec<(String, usize)> = counts.into_iter().collect();
            items.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            items.into_iter().map(|(text, _)| text).take(usize::from(Label::MAX) - 1)
        };
        if tags.is_empty() {
            tags.insert("X".to_string(), 0);
        }
        let labels = std::iter::once(String::new()).chain(ordered(labels)).collect();
        Self::new(labels, ordered(tags).collect())
    }

    /// From the labels, the first of them empty, and the tags, in the order of their numbers.
    pub(crate) fn new(labels: Vec<String>, tags: Vec<String>) -> Self {
        let number = |items: &[String]| {
            (0..).zip(items).map(|(n, text)| (text.clone(), n)).collect::<FxHashMap<String, Label>>()
        };
        let (label_numbers, tag_numbers) = (number(&labels), number(&tags));
        let mut part_numbers: FxHashMap<&str, Label> = FxHashMap::default();
        let parts = labels.iter().map(|chain| {
            let mut parts: Vec<Label> = Vec::new();
            for part in chain.split(' ').filter(|l| !l.is_empty()) {
                let new = part_numbers.len() as Label;
                let part = *part_numbers.entry(part).or_insert(new);
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            parts
        });
        let parts = parts.collect();
        let part_count = part_numbers.len();
        Self { labels, tags, label_numbers, tag_numbers, parts, part_count }
    }

    /// The constituents of a label, by numbers below [`Inventory::part_count`].
    pub(crate) fn parts(&self, label: usize) -> &[Label] {
        &self.parts[label]
    }

    /// How many different constituents there are.
    pub(crate) fn part_count(&self) -> usize {
        self.part_count
    }

    pub(crate) fn labels(&self) -> &[String] {
        &self.labels
    }

    pub(crate) fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The constituents of a label, from the top.
    pub(crate) fn chain(&self, label: Label) -> impl Iterator<Item = &str> {
        self.labels[usize::from(label)].split(' ').filter(|l| !l.is_empty())
    }

    /// A plain tree as numbers. Of a chain that has none, the upper constituents that have one are kept; of a tag that has
    /// none, the first takes the place.
    pub(crate) fn encode(&self, tree: &ConTree) -> Encoded {
        let tag = |w| tree.tag(w).and_then(|t| self.tag_numbers.get(t)).copied().unwrap_or_default();
        let mut spans = Vec::with_capacity(2 * tree.len());
        for (start, end, chain) in chains(tree) {
            let known = (1..=chain.len()).rev().find_map(|n| self.label_numbers.get(&chain[..n].join(" ")));
            spans.push(Labelled { start, end, label: known.copied().unwrap_or(NONE) });
        }
        let below = spans.clone();
        complete(tree.len(), &below, &mut spans);
        Encoded { tags: tree.words().map(tag).collect(), spans }
    }

    /// The tree of labelled spans, which must nest; those with label 0 may be left out. Where nothing is over all words, a flat
    /// constituent with the label `top` is.
    pub(crate) fn tree(&self, forms: &[&str], tags: &[Label], spans: &[Labelled]) -> ConTree {
        let mut spans: Vec<Labelled> = spans.iter().copied().filter(|s| s.label != NONE).collect();
        spans.sort_by_key(|s| (s.start, usize::MAX - s.end));
        let mut builder = ConBuilder::default();
        let mut open = Vec::new();
        if forms.len() > 1 && spans.first().is_none_or(|s| s.end - s.start < forms.len()) {
            open.push((builder.node(FLAT, None), forms.len()));
        }
        let mut next = spans.into_iter().peekable();
        for (word, form) in forms.iter().enumerate() {
            while let Some(span) = next.next_if(|s| s.start == word) {
                for label in self.chain(span.label) {
                    let above = open.last().map(|&(node, _)| node);
                    open.push((builder.node(label, above), span.end));
                }
            }
            let tag = self.tags.get(usize::from(tags[word])).map_or("X", String::as_str);
            let tag = builder.node(tag, open.last().map(|&(node, _)| node));
            builder.word(form, tag);
            while open.last().is_some_and(|&(_, end)| end == word + 1) {
                open.pop();
            }
        }
        builder.finish().expect("nested spans are a tree")
    }
}

/// What stands over all words where the parser found nothing.
pub(crate) const FLAT: &str = "FRAG";

/// Adds the spans with label 0 of the binary form: bare words, and the rests of children.
fn complete(length: usize, constituents: &[Labelled], spans: &mut Vec<Labelled>) {
    // For every constituent, from the innermost: its children are the longest constituents found so far, or words.
    let mut by_length: Vec<&Labelled> = constituents.iter().collect();
    by_length.sort_by_key(|s| (s.end - s.start, s.start));
    // The end of the longest constituent so far that starts at each word.
    let mut reach: Vec<usize> = (1..=length).collect();
    let mut single = vec![false; length];
    for span in by_length {
        if span.end - span.start == 1 {
            single[span.start] = true;
            continue;
        }
        let mut at = reach[span.start];
        while at < span.end {
            if reach[at] < span.end {
                spans.push(Labelled { start: at, end: span.end, label: NONE });
            }
            at = reach[at];
        }
        reach[span.start] = span.end;
    }
    spans.extend((0..length).filter(|&w| !single[w]).map(|w| Labelled { start: w, end: w + 1, label: NONE }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::format::ReadTrees;
    use treeglot_tree::format::ptb::{BracketLayout, Reader};

    fn tree(text: &str) -> ConTree {
        Reader::new("t", text.as_bytes(), BracketLayout::Free).next_tree().unwrap().unwrap().unwrap()
    }

    #[test]
    fn the_binary_form_is_the_first_child_and_the_rest() {
        let tree =
            plain(&tree("(TOP (S (NP-SBJ (DT the) (JJ old) (NN man)) (VP (VBD slept)) (. .)))")).unwrap();
        let inventory = Inventory::of_trees([&tree], 1);
        let encoded = inventory.encode(&tree);
        let mut spans: Vec<(usize, usize, &str)> = encoded
            .spans
            .iter()
            .map(|s| (s.start, s.end, inventory.labels()[usize::from(s.label)].as_str()))
            .collect();
        spans.sort_unstable();
        let expected = [
            (0, 1, ""),
            (0, 3, "NP"),
            (0, 5, "S"),
            (1, 2, ""),
            (1, 3, ""),
            (2, 3, ""),
            (3, 4, "VP"),
            (3, 5, ""),
            (4, 5, ""),
        ];
        assert_eq!(spans, expected);
        let forms: Vec<&str> = tree.forms().collect();
        assert_eq!(inventory.tree(&forms, &encoded.tags, &encoded.spans), tree);
    }

    #[test]
    fn a_word_among_constituents_without_a_tag_is_refused() {
        assert_eq!(plain(&tree("(S (NP (NN dogs)) bark)")), Err(BadTree::NoTag));
        assert_eq!(plain(&tree("(S (-NONE- *))")), Err(BadTree::NoWords));
    }

    #[test]
    fn rare_chains_lose_their_lower_constituents() {
        let trees = [tree("(S (VP (VB go)))"), tree("(S (NP (PRP I)) (VP (VB go)))")];
        let inventory = Inventory::of_trees(&trees, 2);
        let encoded = inventory.encode(&trees[0]);
        assert_eq!(inventory.chain(encoded.spans[0].label).collect::<Vec<_>>(), ["S"]);
    }

    #[test]
    #[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
    fn real_trees_come_back_from_their_binary_form() {
        let folder = std::path::Path::new(env!("TREEGLOT_REAL_DATA"));
        for name in ["ptb/wsj-dev.mrg.gz", "ptb/wsj-test.mrg.gz", "gum/gum-dev.ptb.gz"] {
            let reader = Reader::open(folder.join(name), BracketLayout::Free).unwrap();
            let trees: Vec<ConTree> = reader.trees().filter_map(|t| plain(&t.unwrap()?).ok()).collect();
            let inventory = Inventory::of_trees(&trees, 1);
            println!("ran: {name}, {} trees", trees.len());
            for tree in &trees {
                let (forms, encoded) = (tree.forms().collect::<Vec<_>>(), inventory.encode(tree));
                // A binary tree over n words has 2n - 1 spans.
                assert_eq!(encoded.spans.len(), 2 * tree.len() - 1, "{tree:?}");
                assert_eq!(&inventory.tree(&forms, &encoded.tags, &encoded.spans), tree);
            }
        }
    }
}
