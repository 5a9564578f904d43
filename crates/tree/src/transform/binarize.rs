//! Constituency trees with at most two children a node, for parsers and chart models, and the exact way back.
//!
//! A node with more children is parted by intermediate nodes whose labels begin with `@` and, after `|`, name the
//! siblings that were parted off last: with horizontal Markov order 1, `NP → DT JJ NN NN` becomes
//! `(NP DT (@NP|DT JJ (@NP|JJ NN NN)))` from the left. With vertical order 2 the labels of constituents name the
//! parent too: `NP^S`. Characters of labels that mean something here (`@ ^ | %`) are written `%XX`.

use super::heads::{HeadRules, Heads};
use crate::con::{Child, ConBuilder, ConTree, Draft};
use crate::escape::{escape, unescape};
use crate::index::{NodeId, WordIx};

/// Which siblings stay together longest.
#[derive(Debug, Clone, Copy)]
pub enum Direction<'a> {
    /// The first ones: `((A B) C) D`.
    Left,
    /// The last ones: `A (B (C D))`.
    Right,
    /// The head, then its right, then its left siblings: `A ((H C) D)`.
    HeadOut(&'a HeadRules),
}

/// How much context the labels name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markov {
    /// How many siblings an intermediate label names; `None` for all that were parted off.
    pub horizontal: Option<usize>,
    /// How many labels of the chain of ancestors a label names, itself included: 1 for no annotation.
    pub vertical: usize,
}

impl Default for Markov {
    fn default() -> Self {
        Self { horizontal: Some(0), vertical: 1 }
    }
}

/// Makes a tree binary.
pub fn binarize(tree: &ConTree, direction: Direction<'_>, markov: Markov) -> ConTree {
    let heads = match direction {
        Direction::HeadOut(rules) => Some(Heads::find(tree, rules)),
        Direction::Left | Direction::Right => None,
    };
    let mut out = Copy::new(tree);
    for node in tree.nodes() {
        let label = node_label(tree, node, markov);
        let draft = out.node(node, &label);
        let head = match direction {
            Direction::Left => 0,
            Direction::Right => tree.children(node).len() - 1,
            Direction::HeadOut(_) => heads.as_ref().map_or(0, |h| h.child(node)),
        };
        part(tree, node, head, &label, markov, draft, &mut out);
    }
    out.finish()
}

/// Parts off the siblings left of the head, leftmost first, then those right of it, rightmost first, until two
/// children are left.
fn part(
    tree: &ConTree,
    node: NodeId,
    head: usize,
    label: &str,
    markov: Markov,
    draft: Draft,
    out: &mut Copy<'_>,
) {
    let children = tree.children(node);
    let (mut rest, mut parent) = (children, draft);
    let mut left = head;
    let mut parted: Vec<Child> = Vec::new();
    while rest.len() > 2 {
        let child = if left > 0 {
            left -= 1;
            let child = rest[0];
            rest = &rest[1..];
            child
        } else {
            let child = rest[rest.len() - 1];
            rest = &rest[..rest.len() - 1];
            child
        };
        out.hang(child, parent);
        parted.push(child);
        let context = markov.horizontal.unwrap_or(parted.len()).min(parted.len());
        let named = &parted[parted.len() - context..];
        parent = out.builder.node(&intermediate(tree, label, named), Some(parent));
    }
    for &child in rest {
        out.hang(child, parent);
    }
}

fn intermediate(tree: &ConTree, label: &str, siblings: &[Child]) -> String {
    let mut text = format!("@{label}");
    for sibling in siblings {
        text.push('|');
        if let Child::Node(n) = sibling {
            escape(tree.label(*n), is_special, &mut text);
        }
    }
    text
}

fn node_label(tree: &ConTree, node: NodeId, markov: Markov) -> String {
    let mut label = String::new();
    escape(tree.label(node), is_special, &mut label);
    if tree.preterminal(node).is_some() {
        return label;
    }
    let mut above = tree.parent(node);
    for _ in 1..markov.vertical {
        let Some(n) = above else { break };
        label.push('^');
        escape(tree.label(n), is_special, &mut label);
        above = tree.parent(n);
    }
    label
}

fn is_special(c: char) -> bool {
    matches!(c, '@' | '^' | '|')
}

/// Undoes [`binarize`]: intermediate nodes give their children to the node above, and labels lose their context.
/// Labels that `binarize` does not write are kept as they are.
pub fn unbinarize(tree: &ConTree) -> ConTree {
    let mut out = Copy::new(tree);
    for node in tree.nodes() {
        let label = tree.label(node);
        let above = tree.parent(node).and_then(|_| out.parents[node.ix()]);
        let draft = match above.filter(|_| label.starts_with('@')) {
            Some(above) => above,
            None => {
                let plain = label.split_once('^').map_or(label, |l| l.0);
                out.node(node, &unescape(plain).unwrap_or_else(|| label.to_string()))
            }
        };
        for &child in tree.children(node) {
            out.hang(child, draft);
        }
    }
    out.finish()
}

/// A copy of a tree with other nodes in between.
struct Copy<'a> {
    tree: &'a ConTree,
    builder: ConBuilder,
    /// The draft that each node hangs from, once its parent was copied.
    parents: Vec<Option<Draft>>,
    words: Vec<Option<Draft>>,
}

impl<'a> Copy<'a> {
    fn new(tree: &'a ConTree) -> Self {
        Self {
            tree,
            builder: ConBuilder::default(),
            parents: vec![None; tree.node_count()],
            words: vec![None; tree.len()],
        }
    }

    fn node(&mut self, node: NodeId, label: &str) -> Draft {
        let draft = self.builder.node(label, self.parents[node.ix()]);
        self.builder.set_edge(draft, self.tree.edge(node));
        draft
    }

    fn hang(&mut self, child: Child, parent: Draft) {
        match child {
            Child::Node(n) => self.parents[n.ix()] = Some(parent),
            Child::Word(WordIx(w)) => self.words[w as usize] = Some(parent),
        }
    }

    fn finish(mut self) -> ConTree {
        for w in self.tree.words() {
            let parent = self.words[w.ix()].expect("every word hangs from a node that was copied");
            let tree = self.tree;
            self.builder.word_with(tree.form(w), tree.lemma(w), tree.morph(w), parent);
        }
        self.builder.finish().expect("nodes in between leave a tree")
    }
}
