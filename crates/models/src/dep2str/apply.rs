//! What rules and bilingual phrases can build for an input (Meng et al. 2013, section 4): nodes in post-order; at each,
//! every choice of phrasal nodes that fits, matched part by part along the trie of the table.
//!
//! A head, a subtree and a phrasal node are translated by phrases over their words; a subtree by its rules as well, and by
//! the pseudo rule. An input without a tree is translated by phrases in the order of the source.

use super::labelled::Labelled;
use super::{HeadOptions, Phrases};
use crate::chart::{Chart, ForestInput};
use crate::forest::{Forest, NodeIx};
use crate::layout::{Layout, Run};
use treeglot_grammar::pattern::MAX_PARTS;
use treeglot_grammar::{Symbol, Table, TrieNode};
use treeglot_text::vocab::Sym;
use treeglot_tree::{Span, WordIx};

/// Fills the forest of an input.
pub fn fill(
    options: &HeadOptions,
    phrasal: bool,
    input: &ForestInput<'_>,
    chart: &mut Chart,
    forest: &mut Forest,
) {
    let tree = input.trees.dep.as_ref().filter(|tree| tree.len() == input.length);
    let (Some(tree), Some(rules)) = (tree, input.tables.first()) else {
        return chart.fill(input, forest);
    };
    let con = input.trees.con.as_ref().filter(|con| phrasal && con.len() == input.length);
    let con = con.map(|con| options.binarize.apply(con));
    let labelled = Labelled::new(tree, &input.trees.tags, con.as_deref(), options.non_projective);
    let order = labelled.order.order().iter().map(|word| word.0).collect();
    let mut builder = Builder {
        labelled: &labelled,
        rules: rules.table,
        all_phrases: options.phrases == Phrases::All,
        subtrees: vec![None; input.length],
        layout: Layout::new(input, order, chart, forest),
    };
    for &node in labelled.tree.preorder().iter().rev() {
        let built = builder.build(node);
        builder.subtrees[node.ix()] = Some(built);
    }
    let root = builder.subtree(labelled.tree.root());
    builder.layout.finish(root);
}

struct Builder<'a> {
    labelled: &'a Labelled,
    rules: &'a Table,
    all_phrases: bool,
    subtrees: Vec<Option<NodeIx>>,
    layout: Layout<'a>,
}

impl Builder<'_> {
    fn subtree(&self, node: WordIx) -> NodeIx {
        self.subtrees[node.ix()].expect("dependents are built before their heads")
    }

    /// Builds a head, the phrasal nodes of its relation, and its subtree.
    fn build(&mut self, node: WordIx) -> NodeIx {
        let (labelled, rules) = (self.labelled, self.rules);
        let tag = labelled.tag(node);
        self.layout.phrases(Span::of(node));
        self.layout.copy(node.0);
        let head = self.layout.named(Span::of(node), tag);
        let parts = labelled.parts(node);
        if parts.len() == 1 {
            return head;
        }
        let unit = |&part: &WordIx| if part == node { head } else { self.subtree(part) };
        let units: Vec<NodeIx> = parts.iter().map(unit).collect();
        let runs = self.runs(node, &parts);
        let chain = self.layout.chain(&units, &runs);
        let word = |&part: &WordIx| self.layout.word(0, part.0);
        let parts: Vec<Part> = (parts.iter().zip(&units))
            .map(|(part, &unit)| Part {
                word: word(part),
                tag: rules.vocab().get(labelled.tag(*part)),
                is_head: *part == node,
                is_leaf: labelled.tree.dependents(*part).is_empty(),
                unit,
            })
            .collect();
        let mut matcher = Matcher { rules, parts: &parts, runs: &runs, tails: Vec::new(), found: Vec::new() };
        matcher.walk(0, 0, None, rules.root());
        for (trie, tails) in matcher.found {
            self.layout.edge(0, trie, tails);
        }
        self.layout.phrases(labelled.span(node));
        self.layout.back_off(labelled.span(node));
        self.layout.pseudo(chain);
        self.layout.named(labelled.span(node), tag)
    }

    /// Phrasal nodes that phrases translate, and, if asked for, all other runs of parts that they do.
    fn runs(&mut self, node: WordIx, parts: &[WordIx]) -> Vec<Run> {
        let labelled = self.labelled;
        let mut runs: Vec<Run> = Vec::new();
        for phrasal in labelled.phrasal(node) {
            self.layout.phrases(phrasal.span);
            if self.layout.forest.is_open() {
                let variable = self.rules.vocab().get(&phrasal.label).map(Symbol::var);
                let built = self.layout.named(phrasal.span, &phrasal.label);
                runs.push(Run { parts: phrasal.parts, built, variable });
            }
        }
        if !self.all_phrases {
            return runs;
        }
        let span = |part: WordIx| if part == node { Span::of(part) } else { labelled.span(part) };
        let all = (0..parts.len()).flat_map(|i| (i + 2..=parts.len()).map(move |j| (i, j)));
        for (i, j) in all.filter(|&(i, j)| j - i < parts.len()) {
            if runs.iter().any(|run| run.parts == (i, j)) {
                continue;
            }
            let span = span(parts[i]).hull(span(parts[j - 1]));
            self.layout.phrases(span);
            if self.layout.forest.is_open() {
                let built = self.layout.forest.node(span, 0);
                runs.push(Run { parts: (i, j), built, variable: None });
            }
        }
        runs
    }
}

/// A part of the relation to be matched.
struct Part {
    word: Option<Sym>,
    tag: Option<Sym>,
    is_head: bool,
    is_leaf: bool,
    unit: NodeIx,
}

/// Walks the trie of the rules along the parts of one head-dependents relation.
struct Matcher<'a> {
    rules: &'a Table,
    parts: &'a [Part],
    runs: &'a [Run],
    tails: Vec<NodeIx>,
    /// Where patterns that fit end, and what their variables stand for.
    found: Vec<(TrieNode, Vec<NodeIx>)>,
}

impl Matcher<'_> {
    /// Goes on from part `at`, which is part `position` of the pattern; `head` is the position of the head if it was
    /// passed.
    fn walk(&mut self, at: usize, position: usize, head: Option<usize>, trie: TrieNode) {
        let rules = self.rules;
        let Some(part) = self.parts.get(at) else {
            let mark = head.filter(|&head| head < MAX_PARTS).map(|head| Symbol::mark(head as u8));
            if let Some(end) = mark.and_then(|mark| rules.child(trie, mark)) {
                self.found.push((end, self.tails.clone()));
            }
            return;
        };
        let (next_head, unit) = (if part.is_head { Some(position) } else { head }, part.unit);
        let word = part.word.filter(|_| part.is_head || part.is_leaf).map(Symbol::word);
        if let Some(next) = word.and_then(|word| rules.child(trie, word)) {
            self.walk(at + 1, position + 1, next_head, next);
        }
        let by_word = part.word.filter(|_| !part.is_head && part.word != part.tag);
        for label in [by_word, part.tag].into_iter().flatten() {
            if let Some(next) = rules.child(trie, Symbol::var(label)) {
                self.tails.push(unit);
                self.walk(at + 1, position + 1, next_head, next);
                self.tails.pop();
            }
        }
        for run in self.runs.iter().filter(|run| run.parts.0 == at) {
            if let Some(next) = run.variable.and_then(|variable| rules.child(trie, variable)) {
                let covers = self.parts[run.parts.0..run.parts.1].iter().any(|part| part.is_head);
                self.tails.push(run.built);
                self.walk(run.parts.1, position + 1, if covers { Some(position) } else { head }, next);
                self.tails.pop();
            }
        }
    }
}
