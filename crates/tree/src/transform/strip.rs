//! Plain trees from annotated ones: without traces, function tags and the unlabelled outer bracket, as parsers and
//! extractors want them.

use crate::con::{Child, ConBuilder, ConTree, Draft};
use crate::index::NodeId;

/// What to drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strip {
    /// Words tagged `-NONE-`, and constituents left without words.
    pub empty: bool,
    /// Functions and indices in labels (`NP-SBJ-1` becomes `NP`), and edge labels.
    pub functions: bool,
    /// An unlabelled node above the tree.
    pub top: bool,
}

impl Strip {
    /// Everything that can be dropped.
    pub const ALL: Self = Self { empty: true, functions: true, top: true };

    /// Applies it to a tree; `None` if no word is left.
    pub fn apply(self, tree: &ConTree) -> Option<ConTree> {
        let kept: Vec<bool> = tree.words().map(|w| !self.empty || tree.tag(w) != Some("-NONE-")).collect();
        let mut words_left = vec![0usize; tree.node_count()];
        for node in tree.nodes().rev() {
            let count = tree.children(node).iter().map(|c| match *c {
                Child::Word(w) => usize::from(kept[w.ix()]),
                Child::Node(n) => words_left[n.ix()],
            });
            words_left[node.ix()] = count.sum();
        }
        let mut builder = ConBuilder::default();
        let mut drafts: Vec<Option<Draft>> = vec![None; tree.node_count()];
        for node in tree.nodes().filter(|n| words_left[n.ix()] > 0) {
            if self.top && node == tree.root() && is_unlabelled_top(tree, node) {
                continue;
            }
            let parent = tree.parent(node).and_then(|p| drafts[p.ix()]);
            let label = tree.label(node);
            let draft = builder.node(if self.functions { category(label) } else { label }, parent);
            if !self.functions {
                builder.set_edge(draft, tree.edge(node));
            }
            drafts[node.ix()] = Some(draft);
        }
        for word in tree.words().filter(|w| kept[w.ix()]) {
            let parent = drafts[tree.parent_of_word(word).ix()];
            let parent = parent.expect("a node that keeps a word was copied");
            builder.word_with(tree.form(word), tree.lemma(word), tree.morph(word), parent);
        }
        builder.finish().ok()
    }
}

fn is_unlabelled_top(tree: &ConTree, node: NodeId) -> bool {
    tree.label(node).is_empty() && matches!(tree.children(node), [Child::Node(_)])
}

/// A label without functions and indices: what stands before the first `-` or `=`, but the tags `-NONE-` and
/// `-LRB-`, which begin with one, are whole.
pub fn category(label: &str) -> &str {
    let end = label.char_indices().skip(1).find(|(_, c)| matches!(c, '-' | '=')).map(|(at, _)| at);
    match end {
        Some(end) if !label.starts_with('-') => &label[..end],
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ReadTrees;
    use crate::format::ptb::{BracketLayout, Reader, write};

    fn stripped(text: &str) -> Option<String> {
        let tree =
            Reader::new("t", text.as_bytes(), BracketLayout::Free).next_tree().unwrap().unwrap().unwrap();
        Strip::ALL.apply(&tree).map(|t| {
            let mut out = Vec::new();
            write(&t, &mut out).unwrap();
            String::from_utf8(out).unwrap().trim_end().to_string()
        })
    }

    #[test]
    fn traces_functions_and_the_outer_bracket_go() {
        let text = "( (S (NP-SBJ-1 (NNS dogs)) (VP (VBD were) (VP (VBN seen) (NP (-NONE- *-1)))) (. .)))";
        let plain = "(S (NP (NNS dogs)) (VP (VBD were) (VP (VBN seen))) (. .))";
        assert_eq!(stripped(text).as_deref(), Some(plain));
        assert_eq!(stripped("(S (-NONE- *))"), None);
    }

    #[test]
    fn a_category_is_what_stands_before_functions() {
        for (label, expected) in [
            ("NP-SBJ-1", "NP"),
            ("NP=2", "NP"),
            ("-LRB-", "-LRB-"),
            ("-NONE-", "-NONE-"),
            ("S", "S"),
            ("", ""),
        ] {
            assert_eq!(category(label), expected);
        }
    }
}
