//! What rules and bilingual phrases can build for constituency trees: the nodes of all parses of the input from the words
//! up; at each, every fragment below it that the trie of the table knows. A node is also translated by phrases over its
//! words, and by the pseudo rule. An input without a tree is translated by phrases in the order of the source.

use super::parses::{Below, Constituent, pack};
use super::{Brackets, FragmentOptions};
use crate::builder::{Builds, ForestBuilder, weave};
use crate::chart::{Chart, ForestInput, MatchTable};
use crate::estimates::Estimates;
use crate::forest::{Forest, NodeIx};
use crate::packed::Parses;
use treeglot_grammar::pattern::FRAGMENT;
use treeglot_grammar::{Symbol, Table, TrieNode};
use treeglot_text::vocab::Sym;
use treeglot_tree::{Span, WordIx};

/// Fills the forest of an input.
pub fn fill(
    options: &FragmentOptions,
    input: &ForestInput<'_>,
    estimates: &mut dyn Estimates,
    chart: &mut Chart,
    forest: &mut Forest,
) {
    let parses = pack(&input.trees.cons, input.length, options.binarize);
    let (false, Some(_)) = (parses.nodes().is_empty(), input.tables.first()) else {
        return chart.fill(input, estimates, forest);
    };
    let mut constituents = Constituents::new(&parses, options.max_height, 0, input);
    let mut builder = ForestBuilder::new(input, (0..input.length as u32).collect(), estimates, chart, forest);
    weave(&mut constituents, &mut builder, &subtrees(&parses));
    let roots: Vec<(NodeIx, f32)> =
        parses.roots().map(|(root, share)| (constituents.node(root), share)).collect();
    builder.finish(&roots);
}

/// The constituents of parses with their spans, in an order in which those of the same words can be built.
pub fn subtrees(parses: &Parses<Constituent, Vec<Below>>) -> Vec<(Span, u32)> {
    let nodes = parses.nodes();
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_by_key(|&number| nodes[number as usize].key.height);
    order.into_iter().map(|number| (nodes[number as usize].key.span, number)).collect()
}

/// Builds constituents.
pub struct Constituents<'a> {
    parses: &'a Parses<Constituent, Vec<Below>>,
    /// The labels of the nodes in the vocabulary of the rules.
    labels: Vec<Option<Sym>>,
    /// The number of the table.
    table: u32,
    rules: &'a Table,
    words: &'a [Option<Sym>],
    max_height: usize,
    built: Vec<Option<NodeIx>>,
}

impl Builds for Constituents<'_> {
    fn build(&mut self, forest: &mut ForestBuilder<'_>, subtree: u32, built: &mut Vec<NodeIx>) {
        let node = self.constituent(forest, subtree);
        self.replace(subtree, node);
        built.push(node);
    }
}

impl<'a> Constituents<'a> {
    /// Builds the constituents of parses by the rules of a table.
    pub fn new(
        parses: &'a Parses<Constituent, Vec<Below>>,
        max_height: usize,
        table: usize,
        input: &ForestInput<'a>,
    ) -> Self {
        let MatchTable { table: rules, words, .. } = input.tables[table];
        let labels = parses.nodes().iter().map(|node| rules.vocab().get(&node.key.label)).collect();
        let built = vec![None; parses.nodes().len()];
        Self { parses, labels, table: table as u32, rules, words, max_height, built }
    }

    /// Has variables stand for another node than what was built of a constituent.
    pub fn replace(&mut self, number: u32, node: NodeIx) {
        self.built[number as usize] = Some(node);
    }

    /// What was built of a constituent, or stands for it.
    pub fn built(&self, number: u32) -> Option<NodeIx> {
        self.built[number as usize]
    }

    fn node(&self, number: u32) -> NodeIx {
        self.built[number as usize].expect("what has fewer words or stands lower is built before")
    }

    fn constituent(&mut self, forest: &mut ForestBuilder<'_>, number: u32) -> NodeIx {
        let packed = &self.parses.nodes()[number as usize];
        let span = packed.key.span;
        let mut joined = Vec::new();
        for (arc, share) in packed.arcs() {
            match self.parts(forest, arc)[..] {
                [] => {}
                [only] => joined.push((Joined::One(only), share)),
                ref parts => joined.push((Joined::Chain(forest.chain(parts, &[])), share)),
            }
        }
        let mut matcher = Matcher { builder: self, tails: Vec::new(), share: 0.0, found: Vec::new() };
        matcher.top(number);
        for (trie, tails, share) in matcher.found {
            forest.edge(self.table, trie, tails);
            forest.forest.share(share);
        }
        forest.phrases(span);
        forest.back_off(span);
        for (joined, share) in joined {
            match joined {
                Joined::One(only) => forest.same(only, share),
                Joined::Chain(steps) => forest.pseudo(steps, share),
            }
        }
        if packed.arcs().any(|(arc, _)| matches!(arc[..], [Below::Word(_)])) {
            forest.copy(span.start);
        }
        forest.named(span, &packed.key.label)
    }

    /// What was built of the parts of a node; none of a tag, which has a word.
    fn parts(&self, forest: &mut ForestBuilder<'_>, arc: &[Below]) -> Vec<NodeIx> {
        if let [Below::Word(_)] = arc {
            return Vec::new();
        }
        let part = |below: &Below| match *below {
            Below::Node(number) => self.node(number),
            Below::Word(word) => {
                forest.phrases(Span::of(word));
                forest.copy(word.0);
                forest.forest.node(Span::of(word), 0)
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
    builder: &'a Constituents<'b>,
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
