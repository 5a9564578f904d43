//! What rules and bilingual phrases can build for an input (Meng et al. 2013, section 4): the subtrees of all its parses from
//! the words up; at each, every choice of phrasal nodes that fits, matched part by part along the trie of the table.
//!
//! A head, a subtree and a phrasal node are translated by phrases over their words; a subtree by its rules as well, and by
//! the pseudo rule. An input without a tree is translated by phrases in the order of the source.

use super::parses::{Part as Below, Relation, Subtree, pack};
use super::{HeadOptions, Phrases};
use crate::chart::{Chart, ForestInput};
use crate::forest::{Forest, NodeIx};
use crate::layout::{Layout, Run};
use crate::packed::Parses;
use rustc_hash::FxHashMap;
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
    let packed = pack(input.trees, input.length, phrasal, options);
    let (false, Some(rules)) = (packed.order.is_empty(), input.tables.first()) else {
        return chart.fill(input, forest);
    };
    let parses = &packed.parses;
    let mut builder = Builder {
        parses,
        rules: rules.table,
        all_phrases: options.phrases == Phrases::All,
        heads: FxHashMap::default(),
        runs: FxHashMap::default(),
        subtrees: vec![None; parses.nodes().len()],
        layout: Layout::new(input, packed.order, chart, forest),
    };
    let mut order: Vec<u32> = (0..parses.nodes().len() as u32).collect();
    order.sort_by_key(|&number| parses.nodes()[number as usize].key.span.len());
    for number in order {
        builder.subtrees[number as usize] = Some(builder.build(number));
    }
    let roots: Vec<(NodeIx, f32)> =
        parses.roots().map(|(root, share)| (builder.subtree(root), share)).collect();
    builder.layout.finish(&roots);
}

struct Builder<'a> {
    parses: &'a Parses<Subtree, Relation>,
    rules: &'a Table,
    all_phrases: bool,
    /// What was built of heads alone, by tag.
    heads: FxHashMap<(WordIx, &'a str), NodeIx>,
    /// What phrases build of neighbouring parts, by label; none where they build nothing.
    runs: FxHashMap<(Span, &'a str), Option<NodeIx>>,
    subtrees: Vec<Option<NodeIx>>,
    layout: Layout<'a>,
}

impl<'a> Builder<'a> {
    fn subtree(&self, number: u32) -> NodeIx {
        self.subtrees[number as usize].expect("dependents are built before their heads")
    }

    /// Builds a subtree in all ways in which parses have it.
    fn build(&mut self, number: u32) -> NodeIx {
        let packed = &self.parses.nodes()[number as usize];
        let Subtree { span, root, ref tag } = packed.key;
        let head = self.head(root, tag);
        if packed.key.is_leaf() {
            return head;
        }
        let mut built = Vec::new();
        for (relation, share) in packed.ways() {
            let runs = self.runs(relation, root);
            let units: Vec<NodeIx> = relation.parts.iter().map(|part| self.unit(*part, head)).collect();
            let chain = self.layout.chain(&units, &runs);
            built.push((self.rules_of(relation, &packed.key, &units, &runs), chain, share));
        }
        for (found, _, share) in &mut built {
            for (trie, tails) in std::mem::take(found) {
                self.layout.edge(0, trie, tails);
                self.layout.forest.share(*share);
            }
        }
        self.layout.phrases(span);
        self.layout.back_off(span);
        for (_, chain, share) in built {
            self.layout.pseudo(chain, share);
        }
        self.layout.named(span, tag)
    }

    /// Builds a head alone.
    fn head(&mut self, word: WordIx, tag: &'a str) -> NodeIx {
        if let Some(&known) = self.heads.get(&(word, tag)) {
            return known;
        }
        self.layout.phrases(Span::of(word));
        self.layout.copy(word.0);
        let built = self.layout.named(Span::of(word), tag);
        self.heads.insert((word, tag), built);
        built
    }

    fn unit(&self, part: Below, head: NodeIx) -> NodeIx {
        match part {
            Below::Head => head,
            Below::Subtree(number) => self.subtree(number),
        }
    }

    /// Where the rules that fit a relation lie in the trie, and what their variables stand for.
    fn rules_of(
        &self,
        relation: &Relation,
        key: &Subtree,
        units: &[NodeIx],
        runs: &[Run],
    ) -> Vec<(TrieNode, Vec<NodeIx>)> {
        let part = |(part, &unit): (&Below, &NodeIx)| {
            let (below, is_head) = match *part {
                Below::Head => (key, true),
                Below::Subtree(number) => (&self.parses.nodes()[number as usize].key, false),
            };
            Part {
                word: self.layout.word(0, below.root.0),
                tag: self.rules.vocab().get(&below.tag),
                is_head,
                is_leaf: below.is_leaf(),
                unit,
            }
        };
        let parts: Vec<Part> = relation.parts.iter().zip(units).map(part).collect();
        let (rules, tails, found) = (self.rules, Vec::new(), Vec::new());
        let mut matcher = Matcher { rules, parts: &parts, runs, tails, found };
        matcher.walk(0, 0, None, rules.root());
        matcher.found
    }

    /// Phrasal nodes that phrases translate, and, if asked for, all other runs of parts that they do.
    fn runs(&mut self, relation: &'a Relation, root: WordIx) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for phrasal in &relation.phrasal {
            if let Some(built) = self.run(phrasal.span, &phrasal.label) {
                let variable = self.rules.vocab().get(&phrasal.label).map(Symbol::var);
                runs.push(Run { parts: phrasal.parts, built, variable });
            }
        }
        if !self.all_phrases {
            return runs;
        }
        let parts = &relation.parts;
        let span = |part: Below| match part {
            Below::Head => Span::of(root),
            Below::Subtree(number) => self.parses.nodes()[number as usize].key.span,
        };
        let spans: Vec<Span> = parts.iter().map(|&part| span(part)).collect();
        let all = (0..parts.len()).flat_map(|i| (i + 2..=parts.len()).map(move |j| (i, j)));
        for (i, j) in all.filter(|&(i, j)| j - i < parts.len()) {
            if !runs.iter().any(|run| run.parts == (i, j)) {
                let built = self.run(spans[i].hull(spans[j - 1]), "");
                runs.extend(built.map(|built| Run { parts: (i, j), built, variable: None }));
            }
        }
        runs
    }

    /// What phrases build over a span, under a label.
    fn run(&mut self, span: Span, label: &'a str) -> Option<NodeIx> {
        if let Some(&known) = self.runs.get(&(span, label)) {
            return known;
        }
        self.layout.phrases(span);
        let built = self.layout.forest.is_open().then(|| match label {
            "" => self.layout.forest.node(span, 0),
            label => self.layout.named(span, label),
        });
        self.runs.insert((span, label), built);
        built
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
