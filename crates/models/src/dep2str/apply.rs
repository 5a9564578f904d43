//! What rules and bilingual phrases can build for an input (Meng et al. 2013, section 4): the subtrees of all its parses from
//! the words up; at each, every choice of phrasal nodes that fits, matched part by part along the trie of the table.
//!
//! A head, a subtree and a phrasal node are translated by phrases over their words; a subtree by its rules as well, and by
//! the pseudo rule. An input without a tree is translated by phrases in the order of the source.

use super::labelled::Phrasal;
use super::parses::{Part as Below, Relation, Subtree, pack};
use super::{HeadOptions, Phrases};
use crate::builder::{Builds, ForestBuilder, Run, weave};
use crate::chart::{Chart, ForestInput};
use crate::cons2str::Beside;
use crate::estimates::Estimates;
use crate::forest::{Forest, NodeIx};
use crate::packed::Parses;
use rustc_hash::FxHashMap;
use treeglot_grammar::pattern::{HEADLESS, MAX_PARTS};
use treeglot_grammar::{Symbol, Table, TrieNode};
use treeglot_text::vocab::Sym;
use treeglot_tree::{Span, WordIx};

/// Fills the forest of an input.
pub fn fill(
    options: &HeadOptions,
    phrasal: bool,
    input: &ForestInput<'_>,
    estimates: &mut dyn Estimates,
    chart: &mut Chart,
    forest: &mut Forest,
) {
    let packed = pack(input.trees, input.length, phrasal, options);
    let (false, Some(rules)) = (packed.order.is_empty(), input.tables.first()) else {
        return chart.fill(input, estimates, forest);
    };
    let parses = &packed.parses;
    let mut builder = Builder {
        parses,
        rules: rules.table,
        all_phrases: options.phrases == Phrases::All,
        nested: options.nested,
        heads: FxHashMap::default(),
        runs: FxHashMap::default(),
        subtrees: vec![None; parses.nodes().len()],
    };
    let mut forest_builder = ForestBuilder::new(input, packed.order, estimates, chart, forest);
    let subtrees: Vec<(Span, u32)> =
        (0..).zip(parses.nodes()).map(|(number, subtree)| (subtree.key.span, number)).collect();
    let constituents = Beside::packed(options.binarize, input, &forest_builder);
    match &constituents {
        None => weave(&mut builder, &mut forest_builder, &subtrees),
        Some(constituents) => constituents.weave(&mut builder, &mut forest_builder, &subtrees, input),
    }
    let roots: Vec<(NodeIx, f32)> =
        parses.roots().map(|(root, share)| (builder.subtree(root), share)).collect();
    forest_builder.finish(&roots);
}

struct Builder<'a> {
    parses: &'a Parses<Subtree, Relation>,
    rules: &'a Table,
    all_phrases: bool,
    nested: bool,
    /// What was built of heads alone, by tag.
    heads: FxHashMap<(WordIx, &'a str), NodeIx>,
    /// What phrases build of neighbouring parts, by label; none where they build nothing.
    runs: FxHashMap<(Span, &'a str), Option<NodeIx>>,
    subtrees: Vec<Option<NodeIx>>,
}

impl Builds for Builder<'_> {
    fn build(&mut self, forest: &mut ForestBuilder<'_>, subtree: u32, built: &mut Vec<NodeIx>) {
        let node = self.subtree_of_parses(forest, subtree);
        self.subtrees[subtree as usize] = Some(node);
        built.push(node);
    }
}

impl<'a> Builder<'a> {
    fn subtree(&self, number: u32) -> NodeIx {
        self.subtrees[number as usize].expect("dependents are built before their heads")
    }

    /// Builds a subtree by each of its hyperarcs.
    fn subtree_of_parses(&mut self, forest: &mut ForestBuilder<'_>, number: u32) -> NodeIx {
        let packed = &self.parses.nodes()[number as usize];
        let Subtree { span, root, ref tag } = packed.key;
        let head = self.head(forest, root, tag);
        if packed.key.is_leaf() {
            return head;
        }
        let mut built = Vec::new();
        for (relation, share) in packed.arcs() {
            let parts: Vec<Part> =
                relation.parts.iter().map(|part| self.part(forest, *part, &packed.key, head)).collect();
            let runs = self.runs(forest, relation, &parts);
            let chain = forest.chain(&units(&parts), &runs);
            built.push((self.rules_of(&parts, &runs), chain, share));
        }
        for (found, _, share) in &mut built {
            for (trie, tails) in std::mem::take(found) {
                forest.edge(0, trie, tails);
                forest.forest.share(*share);
            }
        }
        forest.beside(span, true);
        for (_, chain, share) in built {
            forest.pseudo(chain, share);
        }
        forest.named(span, tag)
    }

    /// Builds a head alone.
    fn head(&mut self, forest: &mut ForestBuilder<'_>, word: WordIx, tag: &'a str) -> NodeIx {
        if let Some(&known) = self.heads.get(&(word, tag)) {
            return known;
        }
        forest.phrases(Span::of(word));
        forest.copy(word.0);
        let built = forest.named(Span::of(word), tag);
        self.heads.insert((word, tag), built);
        built
    }

    /// A part of the relation of a head.
    fn part(&self, forest: &ForestBuilder<'_>, part: Below, head: &Subtree, built: NodeIx) -> Part {
        let (below, is_head, unit) = match part {
            Below::Head => (head, true, built),
            Below::Subtree(number) => {
                (&self.parses.nodes()[number as usize].key, false, self.subtree(number))
            }
        };
        Part {
            word: forest.word(0, below.root.0),
            tag: self.rules.vocab().get(&below.tag),
            span: if is_head { Span::of(below.root) } else { below.span },
            is_head,
            is_leaf: below.is_leaf(),
            unit,
        }
    }

    /// Where the rules that fit some parts lie in the trie, and what their variables stand for.
    fn rules_of(&self, parts: &[Part], runs: &[Run]) -> Vec<(TrieNode, Vec<NodeIx>)> {
        let (rules, tails, found) = (self.rules, Vec::new(), Vec::new());
        let mut matcher = Matcher { rules, parts, runs, tails, found };
        matcher.walk(0, 0, None, rules.root());
        matcher.found
    }

    /// What phrasal nodes are built of, and, if asked for, all other runs of parts that phrases translate.
    fn runs(&mut self, forest: &mut ForestBuilder<'_>, relation: &'a Relation, parts: &[Part]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut phrasal: Vec<&Phrasal> = relation.phrasal.iter().collect();
        phrasal.sort_by_key(|phrasal| phrasal.span.len());
        for phrasal in phrasal {
            let built = match self.nested {
                true => Some(self.nested(forest, phrasal, parts, &runs)),
                false => self.run(forest, phrasal.span, &phrasal.label),
            };
            let variable = self.rules.vocab().get(&phrasal.label).map(Symbol::var);
            runs.extend(built.map(|built| Run { parts: phrasal.parts, built, variable }));
        }
        if !self.all_phrases {
            return runs;
        }
        let all = (0..parts.len()).flat_map(|i| (i + 2..=parts.len()).map(move |j| (i, j)));
        for (i, j) in all.filter(|&(i, j)| j - i < parts.len()) {
            if !runs.iter().any(|run| run.parts == (i, j)) {
                let built = self.run(forest, parts[i].span.hull(parts[j - 1].span), "");
                runs.extend(built.map(|built| Run { parts: (i, j), built, variable: None }));
            }
        }
        runs
    }

    /// Builds a phrasal node as a subtree is built; `runs` has those inside it.
    fn nested(
        &self,
        forest: &mut ForestBuilder<'_>,
        phrasal: &Phrasal,
        parts: &[Part],
        runs: &[Run],
    ) -> NodeIx {
        let (start, end) = phrasal.parts;
        let inside = runs.iter().filter(|run| run.parts.0 >= start && run.parts.1 <= end);
        let inside = inside.filter(|run| run.parts != phrasal.parts);
        let runs: Vec<Run> =
            inside.map(|run| Run { parts: (run.parts.0 - start, run.parts.1 - start), ..*run }).collect();
        let parts = &parts[start..end];
        let chain = forest.chain(&units(parts), &runs);
        for (trie, tails) in self.rules_of(parts, &runs) {
            forest.edge(0, trie, tails);
        }
        forest.beside(phrasal.span, true);
        forest.pseudo(chain, 0.0);
        forest.named(phrasal.span, &phrasal.label)
    }

    /// What phrases, and of a phrasal node also hierarchical rules, build over a span, under a label.
    fn run(&mut self, forest: &mut ForestBuilder<'_>, span: Span, label: &'a str) -> Option<NodeIx> {
        if let Some(&known) = self.runs.get(&(span, label)) {
            return known;
        }
        forest.beside(span, !label.is_empty());
        let built = forest.forest.is_open().then(|| match label {
            "" => forest.forest.node(span, 0),
            label => forest.named(span, label),
        });
        self.runs.insert((span, label), built);
        built
    }
}

/// A part of the relation to be matched.
struct Part {
    word: Option<Sym>,
    tag: Option<Sym>,
    span: Span,
    is_head: bool,
    is_leaf: bool,
    unit: NodeIx,
}

/// What was built of parts.
fn units(parts: &[Part]) -> Vec<NodeIx> {
    parts.iter().map(|part| part.unit).collect()
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
            let mark = Symbol::mark(head.map_or(HEADLESS, |head| head.min(MAX_PARTS) as u8));
            if let Some(end) = rules.child(trie, mark) {
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
