//! What rules and bilingual phrases can build for constituency trees: the nodes of all parses of the input from the words
//! up; at each, every fragment below it that the trie of the table knows. A node is also translated by phrases over its
//! words, and by the pseudo rule. An input without a tree is translated by phrases in the order of the source.

use super::parses::{Below, Constituent, pack};
use super::{Brackets, FragmentOptions};
use crate::builder::{Builds, ForestBuilder, weave};
use crate::chart::{Chart, ForestInput};
use crate::forest::{Forest, NodeIx};
use crate::packed::Parses;
use treeglot_grammar::pattern::FRAGMENT;
use treeglot_grammar::{Symbol, Table, TrieNode};
use treeglot_text::vocab::Sym;
use treeglot_tree::{Span, WordIx};

/// Fills the forest of an input.
pub fn fill(options: &FragmentOptions, input: &ForestInput<'_>, chart: &mut Chart, forest: &mut Forest) {
    let parses = pack(&input.trees.cons, input.length, options.binarize);
    let (false, Some(rules)) = (parses.nodes().is_empty(), input.tables.first()) else {
        return chart.fill(input, forest);
    };
    let nodes = parses.nodes();
    let mut builder = Builder {
        labels: nodes.iter().map(|node| rules.table.vocab().get(&node.key.label)).collect(),
        parses: &parses,
        rules: rules.table,
        words: rules.words,
        max_height: options.max_height,
        built: vec![None; nodes.len()],
        forest_builder: ForestBuilder::new(input, (0..input.length as u32).collect(), chart, forest),
    };
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_by_key(|&number| nodes[number as usize].key.height);
    let order: Vec<(Span, u32)> =
        order.into_iter().map(|number| (nodes[number as usize].key.span, number)).collect();
    weave(&mut builder, &order);
    let roots: Vec<(NodeIx, f32)> = parses.roots().map(|(root, share)| (builder.node(root), share)).collect();
    builder.forest_builder.finish(&roots);
}

struct Builder<'a> {
    parses: &'a Parses<Constituent, Vec<Below>>,
    /// The labels of the nodes in the vocabulary of the rules.
    labels: Vec<Option<Sym>>,
    rules: &'a Table,
    words: &'a [Option<Sym>],
    max_height: usize,
    built: Vec<Option<NodeIx>>,
    forest_builder: ForestBuilder<'a>,
}

impl<'a> Builds<'a> for Builder<'a> {
    fn forest_builder(&mut self) -> &mut ForestBuilder<'a> {
        &mut self.forest_builder
    }

    fn build(&mut self, subtree: u32) -> Option<NodeIx> {
        let built = Some(self.constituent(subtree));
        self.built[subtree as usize] = built;
        built
    }
}

impl Builder<'_> {
    fn node(&self, number: u32) -> NodeIx {
        self.built[number as usize].expect("what has fewer words or stands lower is built before")
    }

    fn constituent(&mut self, number: u32) -> NodeIx {
        let packed = &self.parses.nodes()[number as usize];
        let span = packed.key.span;
        let mut joined = Vec::new();
        for (arc, share) in packed.arcs() {
            match self.parts(arc)[..] {
                [] => {}
                [only] => joined.push((Joined::One(only), share)),
                ref parts => joined.push((Joined::Chain(self.forest_builder.chain(parts, &[])), share)),
            }
        }
        let mut matcher = Matcher { builder: self, tails: Vec::new(), share: 0.0, found: Vec::new() };
        matcher.top(number);
        for (trie, tails, share) in matcher.found {
            self.forest_builder.edge(0, trie, tails);
            self.forest_builder.forest.share(share);
        }
        self.forest_builder.phrases(span);
        self.forest_builder.back_off(span);
        for (joined, share) in joined {
            match joined {
                Joined::One(only) => self.forest_builder.same(only, share),
                Joined::Chain(steps) => self.forest_builder.pseudo(steps, share),
            }
        }
        if packed.arcs().any(|(arc, _)| matches!(arc[..], [Below::Word(_)])) {
            self.forest_builder.copy(span.start);
        }
        self.forest_builder.named(span, &packed.key.label)
    }

    /// What was built of the parts of a node; none of a tag, which has a word.
    fn parts(&mut self, arc: &[Below]) -> Vec<NodeIx> {
        if let [Below::Word(_)] = arc {
            return Vec::new();
        }
        let part = |below: &Below| match *below {
            Below::Node(number) => self.node(number),
            Below::Word(word) => {
                self.forest_builder.phrases(Span::of(word));
                self.forest_builder.copy(word.0);
                self.forest_builder.forest.node(Span::of(word), 0)
            }
        };
        arc.iter().map(part).collect()
    }
}

/// The parts of a node in the order of the source.
enum Joined {
    One(NodeIx),
    /// The last steps of a chain.
    Chain(Vec<[NodeIx; 2]>),
}

/// What comes next in a fragment, the first of it last.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// A node, so many levels below the top.
    Node(u32, usize),
    Word(WordIx),
    Close,
}

/// Walks the trie of the rules along the fragments below one node.
struct Matcher<'a, 'b> {
    builder: &'a Builder<'b>,
    tails: Vec<NodeIx>,
    /// The share of the hyperarcs taken so far.
    share: f32,
    /// Where fragments that fit end, what their variables stand for, and the share of their hyperarcs in the parses.
    found: Vec<(TrieNode, Vec<NodeIx>, f32)>,
}

impl Matcher<'_, '_> {
    fn top(&mut self, number: u32) {
        self.expand(number, 0, &[], &Brackets::default(), self.builder.rules.root());
    }

    /// Goes on below a node by each of its hyperarcs.
    fn expand(&mut self, number: u32, depth: usize, pending: &[Next], brackets: &Brackets, trie: TrieNode) {
        let packed = &self.builder.parses.nodes()[number as usize];
        let before = self.share;
        for (arc, share) in packed.arcs() {
            let mut opened = brackets.clone();
            opened.open(&packed.key.label);
            let mut deeper = pending.to_vec();
            deeper.push(Next::Close);
            deeper.extend(arc.iter().rev().map(|below| match *below {
                Below::Node(number) => Next::Node(number, depth + 1),
                Below::Word(word) => Next::Word(word),
            }));
            self.share = before + share;
            self.walk(deeper, opened, trie);
        }
        self.share = before;
    }

    fn walk(&mut self, mut pending: Vec<Next>, mut brackets: Brackets, trie: TrieNode) {
        let builder = self.builder;
        loop {
            match pending.pop() {
                None => return self.end(&brackets, trie),
                Some(Next::Close) => brackets.close(),
                Some(Next::Word(word)) => {
                    let symbol = builder.words[word.ix()].map(Symbol::word);
                    let Some(next) = symbol.and_then(|symbol| builder.rules.child(trie, symbol)) else {
                        return;
                    };
                    brackets.part();
                    return self.walk(pending, brackets, next);
                }
                Some(Next::Node(number, depth)) => {
                    if depth < builder.max_height {
                        self.expand(number, depth, &pending, &brackets, trie);
                    }
                    let symbol = builder.labels[number as usize].map(Symbol::var);
                    let Some(next) = symbol.and_then(|symbol| builder.rules.child(trie, symbol)) else {
                        return;
                    };
                    brackets.part();
                    self.tails.push(builder.node(number));
                    self.walk(pending, brackets, next);
                    self.tails.pop();
                    return;
                }
            }
        }
    }

    fn end(&mut self, brackets: &Brackets, trie: TrieNode) {
        let rules = self.builder.rules;
        let label = rules.vocab().get(&brackets.0).map(Symbol::label);
        let shape = label.and_then(|label| rules.child(trie, label));
        if let Some(end) = shape.and_then(|node| rules.child(node, Symbol::mark(FRAGMENT))) {
            self.found.push((end, self.tails.clone(), self.share));
        }
    }
}
