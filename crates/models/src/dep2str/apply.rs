//! What rules and bilingual phrases can build for an input (Meng et al. 2013, section 4): nodes in post-order; at each,
//! every choice of phrasal nodes that fits, matched part by part along the trie of the table.
//!
//! The first table has the rules, all others phrases; a single table may have both. A head, a subtree and a phrasal node
//! are translated by phrases over their words; a subtree by its rules as well, and by the pseudo rule: its parts in the
//! order in which they stand. An input without a tree is translated by phrases in the order of the source.

use super::labelled::Labelled;
use super::{HeadOptions, Phrases};
use crate::chart::{Chart, ForestInput, MatchTable};
use crate::forest::{Forest, NodeIx, RuleList};
use rustc_hash::FxHashMap;
use treeglot_grammar::pattern::MAX_PARTS;
use treeglot_grammar::{Symbol, TrieNode};
use treeglot_tree::{Span, WordIx};

/// Fills the forest of an input.
pub fn fill(
    options: &HeadOptions,
    phrasal: bool,
    input: &ForestInput<'_>,
    chart: &mut Chart,
    forest: &mut Forest,
) {
    let (Some(tree), Some(rules)) = (&input.trees.dep, input.tables.first()) else {
        return chart.fill(input, forest);
    };
    if tree.len() != input.length {
        return chart.fill(input, forest);
    }
    forest.clear();
    let con = input.trees.con.as_ref().filter(|con| phrasal && con.len() == input.length);
    let labelled = Labelled::new(tree, &input.trees.tags, con, options.non_projective);
    if !labelled.order.is_identity() {
        forest.set_order(labelled.order.order().iter().map(|word| word.0));
    }
    let mut filler = Filler {
        labelled: &labelled,
        rules,
        tables: input.tables,
        all_phrases: options.phrases == Phrases::All,
        subtrees: vec![None; input.length],
        lists: FxHashMap::default(),
        join: forest.list(RuleList::Join),
        pseudo: forest.list(RuleList::Glue),
        forest,
    };
    for &node in labelled.tree.preorder().iter().rev() {
        let built = filler.build(node);
        filler.subtrees[node.ix()] = built;
    }
    filler.finish();
}

/// A neighbouring run of parts that is built already.
struct Run {
    parts: (usize, usize),
    built: NodeIx,
    /// The label of a phrasal node in the vocabulary of the rules.
    label: Option<Symbol>,
}

struct Filler<'a> {
    labelled: &'a Labelled,
    rules: &'a MatchTable<'a>,
    tables: &'a [MatchTable<'a>],
    all_phrases: bool,
    subtrees: Vec<Option<NodeIx>>,
    lists: FxHashMap<(u32, TrieNode), u32>,
    join: u32,
    pseudo: u32,
    forest: &'a mut Forest,
}

impl Filler<'_> {
    /// Builds a head, the phrasal nodes of its relation, and its subtree.
    fn build(&mut self, node: WordIx) -> Option<NodeIx> {
        let head = self.head(node);
        let parts = self.labelled.parts(node);
        if parts.len() == 1 {
            return Some(head);
        }
        let unit = |part: &WordIx| if *part == node { Some(head) } else { self.subtrees[part.ix()] };
        let units: Vec<NodeIx> = parts.iter().map(unit).collect::<Option<_>>()?;
        let runs = self.runs(node, &parts);
        let chain = self.chain(&units, &runs);
        let mut matcher = Matcher {
            labelled: self.labelled,
            rules: self.rules,
            node,
            parts: &parts,
            units: &units,
            runs: &runs,
            tails: Vec::new(),
            found: Vec::new(),
        };
        matcher.walk(0, 0, None, self.rules.table.root());
        for (trie, tails) in matcher.found {
            let list = self.list(0, trie);
            self.forest.edge(list, tails);
        }
        self.phrases(self.labelled.span(node));
        for (before, run) in chain {
            self.forest.edge(self.pseudo, [before, run]);
        }
        Some(self.named(self.labelled.span(node), self.labelled.tag(node)))
    }

    fn named(&mut self, span: Span, label: &str) -> NodeIx {
        let label = self.forest.name(label);
        self.forest.node(span, label)
    }

    fn list(&mut self, table: u32, node: TrieNode) -> u32 {
        let forest = &mut *self.forest;
        *self.lists.entry((table, node)).or_insert_with(|| forest.list(RuleList::Table { table, node }))
    }

    /// A word by itself; one that no phrase has is copied.
    fn head(&mut self, node: WordIx) -> NodeIx {
        let span = Span::of(node);
        self.phrases(span);
        if !self.forest.is_open() {
            let copy = self.forest.list(RuleList::Copy(self.labelled.order.old_position(node).0));
            self.forest.edge(copy, []);
        }
        self.named(span, self.labelled.tag(node))
    }

    /// Adds the phrases over a span to the node that comes next.
    fn phrases(&mut self, span: Span) {
        let first = usize::from(self.tables.len() > 1);
        for number in first..self.tables.len() {
            let MatchTable { table, words, .. } = &self.tables[number];
            let step = |node: TrieNode, word: WordIx| {
                let word = words[self.labelled.order.old_position(word).ix()]?;
                table.child(node, Symbol::word(word))
            };
            let end = span.words().try_fold(table.root(), step);
            if let Some(node) = end.filter(|&node| table.rules(node).len() > 0) {
                let list = self.list(number as u32, node);
                self.forest.edge(list, []);
            }
        }
    }

    /// Phrasal nodes that phrases translate, and, if asked for, all other runs of parts that they do.
    fn runs(&mut self, node: WordIx, parts: &[WordIx]) -> Vec<Run> {
        let labelled = self.labelled;
        let mut runs = Vec::new();
        for phrasal in labelled.phrasal(node) {
            self.phrases(phrasal.span);
            if self.forest.is_open() {
                let label = self.rules.table.vocab().get(&phrasal.label).map(Symbol::var);
                let built = self.named(phrasal.span, &phrasal.label);
                runs.push(Run { parts: phrasal.parts, built, label });
            }
        }
        if !self.all_phrases {
            return runs;
        }
        let spans: Vec<Span> = parts.iter().map(|&part| part_span(labelled, node, part)).collect();
        let pairs = (0..parts.len()).flat_map(|i| (i + 2..=parts.len()).map(move |j| (i, j)));
        for (i, j) in pairs.filter(|&(i, j)| j - i < parts.len()) {
            if runs.iter().any(|run| run.parts == (i, j)) {
                continue;
            }
            let span = Span::new(spans[i].start, spans[j - 1].end);
            self.phrases(span);
            if self.forest.is_open() {
                let built = self.forest.node(span, 0);
                runs.push(Run { parts: (i, j), built, label: None });
            }
        }
        runs
    }

    /// Joins parts and runs from left to right; the last joins, which make up the pseudo rule.
    fn chain(&mut self, units: &[NodeIx], runs: &[Run]) -> Vec<(NodeIx, NodeIx)> {
        let start = self.span_of(units[0]).start;
        let mut reached: Vec<Vec<NodeIx>> = vec![Vec::new(); units.len() + 1];
        reached[1].push(units[0]);
        for end in 2..=units.len() {
            let mut steps: Vec<(NodeIx, NodeIx)> = Vec::new();
            steps.extend(reached[end - 1].iter().map(|&before| (before, units[end - 1])));
            for run in runs.iter().filter(|run| run.parts.1 == end) {
                steps.extend(reached[run.parts.0].iter().map(|&before| (before, run.built)));
            }
            if end == units.len() {
                return steps;
            }
            for &(before, next) in &steps {
                self.forest.edge(self.join, [before, next]);
            }
            let span = Span::new(start, self.span_of(units[end - 1]).end);
            reached[end].push(self.forest.node(span, 0));
            reached[end].extend(runs.iter().filter(|run| run.parts == (0, end)).map(|run| run.built));
        }
        Vec::new()
    }

    fn span_of(&self, node: NodeIx) -> Span {
        self.forest.nodes()[node.ix()].span
    }

    /// Puts the begin and the end of the sentence around the root's subtree.
    fn finish(&mut self) {
        let Some(root) = self.subtrees[self.labelled.tree.root().ix()] else { return };
        let whole = Span::new(0, self.labelled.tree.len() as u32);
        let (begin, end) = (self.forest.list(RuleList::Begin), self.forest.list(RuleList::End));
        self.forest.edge(begin, []);
        let before = self.forest.node(Span::new(0, 0), 0);
        self.forest.edge(self.join, [before, root]);
        let all = self.forest.node(whole, 0);
        self.forest.edge(end, [all]);
        self.forest.node(whole, 0);
    }
}

fn part_span(labelled: &Labelled, node: WordIx, part: WordIx) -> Span {
    if part == node { Span::of(part) } else { labelled.span(part) }
}

/// Walks the trie of the rules along the parts of one head-dependents relation.
struct Matcher<'a> {
    labelled: &'a Labelled,
    rules: &'a MatchTable<'a>,
    node: WordIx,
    parts: &'a [WordIx],
    units: &'a [NodeIx],
    runs: &'a [Run],
    tails: Vec<NodeIx>,
    /// Where patterns that fit end, and what their variables stand for.
    found: Vec<(TrieNode, Vec<NodeIx>)>,
}

impl Matcher<'_> {
    /// Goes on from part `at`, which is part `position` of the pattern; `head` is the position of the head if it was
    /// passed.
    fn walk(&mut self, at: usize, position: usize, head: Option<usize>, trie: TrieNode) {
        let table = self.rules.table;
        if at == self.parts.len() {
            let mark = head.filter(|&head| head < MAX_PARTS).map(|head| Symbol::mark(head as u8));
            if let Some(end) = mark.and_then(|mark| table.child(trie, mark)) {
                self.found.push((end, self.tails.clone()));
            }
            return;
        }
        let part = self.parts[at];
        let is_head = part == self.node;
        let next_head = if is_head { Some(position) } else { head };
        let word = self.rules.words[self.labelled.order.old_position(part).ix()];
        let leaf = self.labelled.tree.dependents(part).is_empty();
        if let Some(next) = word.filter(|_| is_head || leaf).and_then(|w| table.child(trie, Symbol::word(w)))
        {
            self.walk(at + 1, position + 1, next_head, next);
        }
        let tag = table.vocab().get(self.labelled.tag(part));
        let by_word = word.filter(|_| !is_head && word != tag);
        for label in [by_word, tag].into_iter().flatten() {
            if let Some(next) = table.child(trie, Symbol::var(label)) {
                self.tails.push(self.units[at]);
                self.walk(at + 1, position + 1, next_head, next);
                self.tails.pop();
            }
        }
        for run in self.runs.iter().filter(|run| run.parts.0 == at) {
            if let Some(next) = run.label.and_then(|label| table.child(trie, label)) {
                let covers = self.parts[run.parts.0..run.parts.1].contains(&self.node);
                self.tails.push(run.built);
                self.walk(run.parts.1, position + 1, if covers { Some(position) } else { head }, next);
                self.tails.pop();
            }
        }
    }
}
