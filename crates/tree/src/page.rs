//! What all pages have in common (reports, the viewer of aligned trees, the server's page): one style sheet and one set of
//! drawings, both plain text that a page embeds or a server sends, and trees as the drawings read them.

use crate::con::ConTree;
use crate::parse::DepParse;
use serde::Serialize;

/// The style sheet.
pub const STYLE: &str = include_str!("../page/style.css");

/// The drawings, as a script: trees, links, derivations, matrices and bars from plain data.
pub const DRAWINGS: &str = include_str!("../page/drawings.js");

/// A tree as the drawings read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Drawing {
    /// Arcs over words.
    Dependencies {
        /// The words.
        words: Vec<String>,
        /// The position of each word's head, from 0; none for a root.
        heads: Vec<Option<u32>>,
        /// The relation of each word to its head; may be empty.
        labels: Vec<String>,
        /// The tag of each word; may be empty.
        tags: Vec<String>,
    },
    /// Nodes over words.
    Constituents {
        /// The words.
        words: Vec<String>,
        /// The labels of the nodes, in pre-order.
        labels: Vec<String>,
        /// The parent of each node; -1 for the root.
        parents: Vec<i64>,
        /// The node that each word hangs from.
        leaves: Vec<u32>,
    },
}

impl From<&DepParse> for Drawing {
    fn from(parse: &DepParse) -> Self {
        Self::Dependencies {
            words: parse.forms().map(str::to_string).collect(),
            heads: parse.words().map(|word| parse.raw_head(word)?.checked_sub(1)).collect(),
            labels: parse.words().map(|word| parse.deprel(word).to_string()).collect(),
            tags: parse.words().map(|word| parse.tag(word).to_string()).collect(),
        }
    }
}

impl From<&ConTree> for Drawing {
    fn from(tree: &ConTree) -> Self {
        Self::Constituents {
            words: tree.forms().map(str::to_string).collect(),
            labels: tree.nodes().map(|node| tree.label(node).to_string()).collect(),
            parents: tree
                .nodes()
                .map(|node| tree.parent(node).map_or(-1, |parent| i64::from(parent.0)))
                .collect(),
            leaves: tree.words().map(|word| tree.parent_of_word(word).0).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConBuilder;

    #[test]
    fn drawings_have_heads_and_parents_by_position() {
        let mut parse = DepParse::new(0);
        parse.push_word("das", "DET", Some(2), "det");
        parse.push_word("Haus", "NOUN", Some(0), "root");
        let Drawing::Dependencies { heads, labels, .. } = Drawing::from(&parse) else {
            panic!("other trees")
        };
        assert_eq!((heads, labels), (vec![Some(1), None], vec!["det".to_string(), "root".to_string()]));
        let mut tree = ConBuilder::default();
        let top = tree.node("NP", None);
        let below = tree.node("ART", Some(top));
        tree.word("das", below);
        tree.word("Haus", top);
        let Drawing::Constituents { parents, leaves, .. } = Drawing::from(&tree.finish().unwrap()) else {
            panic!("other trees")
        };
        assert_eq!((parents, leaves), (vec![-1, 0], vec![1, 0]));
    }
}
