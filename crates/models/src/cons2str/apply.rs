//! What rules and bilingual phrases can build for a constituency tree: its nodes from the words up; at each, every
//! fragment below it that the trie of the table knows. A node is also translated by phrases over its words, and by the
//! pseudo rule. An input without a tree is translated by phrases in the order of the source.

use super::{Brackets, FragmentOptions, Next, label};
use crate::chart::{Chart, ForestInput};
use crate::forest::{Forest, NodeIx};
use crate::layout::Layout;
use treeglot_grammar::pattern::FRAGMENT;
use treeglot_grammar::{Symbol, Table, TrieNode};
use treeglot_text::vocab::Sym;
use treeglot_tree::{Child, ConTree, NodeId, Span};

/// Fills the forest of an input.
pub fn fill(options: &FragmentOptions, input: &ForestInput<'_>, chart: &mut Chart, forest: &mut Forest) {
    let tree = input.trees.con.as_ref().filter(|tree| tree.len() == input.length && tree.is_continuous());
    let (Some(tree), Some(rules)) = (tree, input.tables.first()) else {
        return chart.fill(input, forest);
    };
    let tree = options.binarize.apply(tree);
    let order = (0..input.length as u32).collect();
    let mut layout = Layout::new(input, order, chart, forest);
    let labels: Vec<Option<Sym>> =
        tree.nodes().map(|node| rules.table.vocab().get(label(&tree, node))).collect();
    let mut built: Vec<Option<NodeIx>> = vec![None; tree.node_count()];
    for node in tree.nodes().rev() {
        let parts = children(&tree, node, &built, &mut layout);
        let chain = if parts.len() > 1 { layout.chain(&parts, &[]) } else { Vec::new() };
        let mut matcher = Matcher {
            rules: rules.table,
            labels: &labels,
            words: rules.words,
            tree: &tree,
            built: &built,
            max_height: options.max_height,
            tails: Vec::new(),
            found: Vec::new(),
        };
        matcher.top(node);
        for (trie, tails) in matcher.found {
            layout.edge(0, trie, tails);
        }
        layout.phrases(tree.hull(node));
        layout.back_off(tree.hull(node));
        layout.pseudo(chain);
        if let [only] = parts[..] {
            layout.same(only);
        }
        if let Some(word) = tree.preterminal(node) {
            layout.copy(word.0);
        }
        built[node.ix()] = Some(layout.named(tree.hull(node), label(&tree, node)));
    }
    if let Some(root) = built[tree.root().ix()] {
        layout.finish(root);
    }
}

/// What a node's children are translated by; nothing for a word's tag, which is translated as a whole.
fn children(tree: &ConTree, node: NodeId, built: &[Option<NodeIx>], layout: &mut Layout<'_>) -> Vec<NodeIx> {
    if tree.preterminal(node).is_some() {
        return Vec::new();
    }
    let mut parts: Vec<NodeIx> = Vec::new();
    for child in tree.children(node) {
        match *child {
            Child::Node(child) => parts.extend(built[child.ix()]),
            Child::Word(word) => {
                layout.phrases(Span::of(word));
                layout.copy(word.0);
                parts.push(layout.forest.node(Span::of(word), 0));
            }
        }
    }
    parts
}

/// Walks the trie of the rules along the fragments below one node.
struct Matcher<'a> {
    rules: &'a Table,
    /// The labels of the tree's nodes in the vocabulary of the rules.
    labels: &'a [Option<Sym>],
    words: &'a [Option<Sym>],
    tree: &'a ConTree,
    built: &'a [Option<NodeIx>],
    max_height: usize,
    tails: Vec<NodeIx>,
    /// Where fragments that fit end, and what their variables stand for.
    found: Vec<(TrieNode, Vec<NodeIx>)>,
}

impl Matcher<'_> {
    fn top(&mut self, node: NodeId) {
        let mut pending = Vec::new();
        let mut brackets = Brackets::default();
        self.expand(node, 0, &mut pending, &mut brackets);
        self.walk(pending, brackets, self.rules.root());
    }

    fn expand(&self, node: NodeId, depth: usize, pending: &mut Vec<Next>, brackets: &mut Brackets) {
        brackets.open(label(self.tree, node));
        pending.push(Next::Close);
        pending.extend(self.tree.children(node).iter().rev().map(|child| match *child {
            Child::Node(child) => Next::Node(child, depth + 1),
            Child::Word(word) => Next::Word(word),
        }));
    }

    fn walk(&mut self, mut pending: Vec<Next>, mut brackets: Brackets, trie: TrieNode) {
        loop {
            match pending.pop() {
                None => return self.end(&brackets, trie),
                Some(Next::Close) => brackets.close(),
                Some(Next::Word(word)) => {
                    let symbol = self.words[word.ix()].map(Symbol::word);
                    let Some(next) = symbol.and_then(|symbol| self.rules.child(trie, symbol)) else { return };
                    brackets.part();
                    return self.walk(pending, brackets, next);
                }
                Some(Next::Node(node, depth)) => {
                    if depth < self.max_height {
                        let (mut deeper, mut opened) = (pending.clone(), brackets.clone());
                        self.expand(node, depth, &mut deeper, &mut opened);
                        self.walk(deeper, opened, trie);
                    }
                    let symbol = self.labels[node.ix()].map(Symbol::var);
                    let next = symbol.and_then(|symbol| self.rules.child(trie, symbol));
                    let Some((next, tail)) = next.zip(self.built[node.ix()]) else { return };
                    brackets.part();
                    self.tails.push(tail);
                    self.walk(pending, brackets, next);
                    self.tails.pop();
                    return;
                }
            }
        }
    }

    fn end(&mut self, brackets: &Brackets, trie: TrieNode) {
        let label = self.rules.vocab().get(&brackets.0).map(Symbol::label);
        let shape = label.and_then(|label| self.rules.child(trie, label));
        if let Some(end) = shape.and_then(|node| self.rules.child(node, Symbol::mark(FRAGMENT))) {
            self.found.push((end, self.tails.clone()));
        }
    }
}
