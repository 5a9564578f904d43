//! What all models that translate a tree put into a forest beside their rules: bilingual phrases, copied words, the
//! pseudo rule that joins parts in the order in which they stand (Meng et al. 2013, section 4), and the ends of the
//! sentence.
//!
//! The first table has the rules, those of that role phrases; the model's own has both where there are none. A table of constituents
//! is that of another tree of the input ([`crate::cons2str`]). Hierarchical tables, which come last, are a back-off: what they build over the words of a subtree stands beside what the tree's rules build, so that a wrong
//! tree costs no coverage; and what the tree's rules build over a span may stand for their variables ([`weave`]).

use crate::TableRole;
use crate::chart::{Chart, ForestInput, MatchTable};
use crate::estimates::Estimates;
use crate::forest::{Forest, NodeIx, RuleList, position_of_variable};
use crate::guide::Guidance;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use treeglot_grammar::{Symbol, TrieNode};
use treeglot_text::vocab::Sym;
use treeglot_tree::Span;

/// Neighbouring parts that are built as one, beside those that are built one by one.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The first of the parts, and the one after the last.
    pub parts: (usize, usize),
    /// What was built.
    pub built: NodeIx,
    /// The variable of the rules that it can stand for.
    pub variable: Option<Symbol>,
}

/// Lays the forest of one input out. Spans count words in the order of the trees.
pub struct ForestBuilder<'a> {
    tables: &'a [MatchTable<'a>],
    /// The tables that have phrases.
    phrases: Vec<usize>,
    /// What hierarchical rules build, where there are any.
    backoff: Option<&'a mut Chart>,
    estimates: &'a mut dyn Estimates,
    /// What they build over the whole sentence, piece by piece.
    glued: Option<NodeIx>,
    /// By position in the tree, the position in the input.
    order: Vec<u32>,
    guidance: &'a Guidance,
    /// What rules of constituents build over spans of several words, where they stand beside those of other trees.
    constituents: FxHashMap<Span, Vec<NodeIx>>,
    lists: FxHashMap<(u32, TrieNode), u32>,
    join: u32,
    pseudo: u32,
    /// The forest.
    pub forest: &'a mut Forest,
}

/// What builds the subtrees of trees, one after the other.
pub trait Builds {
    /// Builds the subtree of this number; all subtrees within its words were built before, those of the same words as far as they
    /// come before it. `built` is what was built over the same span so far, and gets what the variables of hierarchical rules may stand
    /// for: not what has only some of the words of its span.
    fn build(&mut self, forest: &mut ForestBuilder<'_>, subtree: u32, built: &mut Vec<NodeIx>);
}

/// Has all subtrees built, given in any order but for those of the same span, together with what hierarchical rules build: the
/// variables of these may stand for subtrees as well, and subtrees for what the rules build.
pub fn weave(builds: &mut impl Builds, forest: &mut ForestBuilder<'_>, subtrees: &[(Span, u32)]) {
    let mut subtrees = subtrees.to_vec();
    subtrees.sort_by_key(|(span, _)| (Reverse(span.start), span.end));
    let mut subtrees = subtrees.into_iter().peekable();
    let length = forest.order.len() as u32;
    for start in (0..length).rev() {
        forest.begin_at(start);
        // Past what rules may span there is nothing but subtrees, and the whole sentence: lines may be very long.
        let last = forest.last(start);
        let mut end = start;
        loop {
            let by_rules = (end < last).then_some(end + 1);
            let by_subtree = subtrees.peek().map(|(next, _)| *next).filter(|next| next.start == start);
            let whole = (start == 0 && end < length).then_some(length);
            let ends = [by_rules, by_subtree.map(|next| next.end), whole];
            let Some(next) = ends.into_iter().flatten().min() else { break };
            end = next;
            let span = Span::new(start, end);
            forest.complete(span);
            let mut built = Vec::new();
            while let Some((_, subtree)) = subtrees.next_if(|&(next, _)| next == span) {
                builds.build(forest, subtree, &mut built);
            }
            forest.go_on(span, &built);
        }
    }
}

/// Joins the pieces of a chart from left to right; what covers all words, if they can be covered by more than one piece.
fn glue(chart: &Chart, length: u32, forest: &mut Forest) -> Option<NodeIx> {
    let join = forest.list(RuleList::Glue);
    let mut reached: Vec<Option<NodeIx>> = vec![None];
    for end in 1..=length {
        let first = (end as usize).saturating_sub(chart.longest()).max(1) as u32;
        let steps: Vec<[NodeIx; 2]> = (first..end)
            .filter_map(|start| Some([reached[start as usize]?, chart.piece(Span::new(start, end))?]))
            .collect();
        let alone = chart.piece(Span::new(0, end)).filter(|_| end < length);
        for &step in &steps {
            forest.edge(join, step);
        }
        if let (Some(piece), false) = (alone, steps.is_empty()) {
            let same = forest.list(RuleList::Same);
            forest.edge(same, [piece]);
        }
        reached.push(if steps.is_empty() { alone } else { Some(forest.node(Span::new(0, end), 0)) });
    }
    reached.pop().flatten()
}

impl<'a> ForestBuilder<'a> {
    /// An empty forest for an input whose words the tree has in this order.
    pub fn new(
        input: &ForestInput<'a>,
        order: Vec<u32>,
        estimates: &'a mut dyn Estimates,
        chart: &'a mut Chart,
        forest: &'a mut Forest,
    ) -> Self {
        forest.clear();
        let tables = input.tables;
        let moved = (0..).zip(&order).any(|(new, &old)| new != old);
        if moved {
            forest.set_order(order.iter().copied());
        }
        let is_hierarchical = |table: &&MatchTable<'_>| table.role == TableRole::Hierarchical;
        let others = tables.iter().rev().take_while(is_hierarchical).count();
        let end = tables.len() - others;
        let mut backoff = None;
        if others > 0 && !moved {
            chart.begin(input, end);
            backoff = Some(chart);
        }
        let has_phrases = |&number: &usize| tables[number].role == TableRole::Phrases;
        let mut phrases: Vec<usize> = (0..end).filter(has_phrases).collect();
        if phrases.is_empty() {
            phrases.push(0);
        }
        let (join, pseudo) = (forest.list(RuleList::Join), forest.list(RuleList::Glue));
        let (lists, constituents, guidance) = (FxHashMap::default(), FxHashMap::default(), input.guidance);
        Self {
            tables,
            phrases,
            backoff,
            estimates,
            glued: None,
            order,
            guidance,
            constituents,
            lists,
            join,
            pseudo,
            forest,
        }
    }

    fn begin_at(&mut self, start: u32) {
        if let Some(chart) = &mut self.backoff {
            chart.begin_at(self.tables, start as usize);
        }
    }

    /// How far what hierarchical rules build from `start` on may reach.
    fn last(&self, start: u32) -> u32 {
        self.backoff.as_ref().map_or(start, |chart| chart.last(start as usize) as u32)
    }

    /// Builds what hierarchical rules can over a span; for the whole sentence also piece by piece.
    fn complete(&mut self, span: Span) {
        let Some(chart) = &mut self.backoff else { return };
        if span.end as usize <= chart.last(span.start as usize) {
            chart.complete(self.tables, span, self.estimates, self.forest);
        }
        if span.len() == self.order.len() {
            self.glued = glue(chart, span.end, self.forest);
        }
    }

    /// Lets rules go on from a span, over which these parts of the tree were built.
    fn go_on(&mut self, span: Span, built: &[NodeIx]) {
        let Some(chart) = &mut self.backoff else { return };
        if span.end as usize > chart.last(span.start as usize) {
            return;
        }
        if !built.is_empty() && span.len() < self.order.len() {
            for node in chart.piece(span).into_iter().chain(built.iter().copied()) {
                let same = self.forest.list(RuleList::Same);
                self.forest.edge(same, [node]);
            }
            let all = self.forest.node(span, 0);
            chart.replace_piece(span, all);
        }
        chart.go_on(self.tables, span.start as usize, span.end as usize, self.forest);
    }

    /// Adds what hierarchical rules build over a span to the node that comes next; for the whole sentence also what they
    /// build piece by piece, so that whatever they can translate can be translated here.
    pub fn back_off(&mut self, span: Span) {
        let Some(chart) = &self.backoff else { return };
        let whole = span.len() == self.order.len();
        for built in chart.piece(span).into_iter().chain(self.glued.filter(|_| whole)) {
            let list = self.forest.list(RuleList::Backoff);
            self.forest.edge(list, [built]);
        }
    }

    /// A word of the tree in the vocabulary of a table.
    pub fn word(&self, table: usize, at: u32) -> Option<Sym> {
        self.tables[table].words[self.order[at as usize] as usize]
    }

    /// Adds a hyperarc by the rules at a node of a table's trie.
    pub fn edge(&mut self, table: u32, node: TrieNode, tails: impl IntoIterator<Item = NodeIx>) {
        let Self { forest, estimates, backoff, .. } = self;
        let list = RuleList::Table { table, node };
        // Estimates matter where what they are for may stand for variables of hierarchical rules.
        let mut estimate = |list| if backoff.is_some() { estimates.best_of(list) } else { 0.0 };
        let new = || forest.estimated_list(list, estimate(list));
        let list = *self.lists.entry((table, node)).or_insert_with(new);
        self.forest.edge(list, tails);
    }

    /// The same for a source side whose symbols stand at these positions.
    pub fn edge_at(&mut self, table: u32, node: TrieNode, tails: Vec<NodeIx>, positions: Vec<u32>) {
        self.edge(table, node, tails);
        self.forest.set_positions(positions);
    }

    /// Adds the node of the hyperarcs since the last one, under a name.
    pub fn named(&mut self, span: Span, label: &str) -> NodeIx {
        let label = self.forest.name(label);
        self.forest.node(span, label)
    }

    /// Adds the phrases over a span to the node that comes next.
    pub fn phrases(&mut self, span: Span) {
        for at in 0..self.phrases.len() {
            let number = self.phrases[at];
            let table = self.tables[number].table;
            let step = |node: TrieNode, at: u32| table.child(node, Symbol::word(self.word(number, at)?));
            let end = (span.start..span.end).try_fold(table.root(), step);
            if let Some(node) = end.filter(|&node| table.rules(node).len() > 0) {
                self.edge(number as u32, node, []);
            }
        }
        self.given(span);
    }

    /// Adds the translations given for a span to the node that comes next. Those that bind a single word stand with its copy.
    fn given(&mut self, span: Span) {
        if self.guidance.given.is_empty() {
            return;
        }
        let place = |at: u32| self.order[at as usize];
        let (first, last) =
            ((span.start..span.end).map(place).min(), (span.start..span.end).map(place).max());
        let (Some(first), Some(last)) = (first, last) else { return };
        if (last + 1 - first) as usize != span.len() {
            return;
        }
        let guidance = self.guidance;
        for (number, given) in guidance.given_over(Span::new(first, last + 1)) {
            if span.len() > 1 || !given.binds() {
                let list = self.forest.list(RuleList::Given(number));
                self.forest.edge(list, []);
            }
        }
    }

    /// Tells what rules of constituents build over a span.
    pub fn set_constituents(&mut self, span: Span, nodes: Vec<NodeIx>) {
        self.constituents.insert(span, nodes);
    }

    /// Adds what builds a span beside the rules of its own tree to the node that comes next: constituents where there are any, which
    /// have all else with them, or phrases and, if asked for, hierarchical rules.
    pub fn beside(&mut self, span: Span, backs_off: bool) {
        match self.constituents.get(&span) {
            Some(constituents) => {
                for node in constituents.clone() {
                    self.same(node, 0.0);
                }
            }
            None => {
                self.phrases(span);
                if backs_off {
                    self.back_off(span);
                }
            }
        }
    }

    /// A node for whatever any of these builds over their span.
    pub fn any_of(&mut self, nodes: &[NodeIx]) -> NodeIx {
        nodes.iter().for_each(|&node| self.same(node, 0.0));
        self.forest.node(self.span_of(nodes[0]), 0)
    }

    /// Whether spans count words in the order in which the input has them.
    pub fn in_order(&self) -> bool {
        self.forest.order().is_empty()
    }

    /// Adds a copy of a word to the node that comes next, if nothing else builds it.
    pub fn copy(&mut self, at: u32) {
        let place = self.order[at as usize];
        let guidance = self.guidance;
        if let Some((number, given)) = guidance.binding_at(place) {
            let anchored = given.anchor == place;
            let list = self.forest.list(if anchored { RuleList::Given(number) } else { RuleList::Silent });
            self.forest.edge(list, []);
            if anchored && self.forest.order().is_empty() {
                self.forest.set_positions(given.span.start..given.span.end);
            }
            return;
        }
        if !self.forest.is_open() {
            let copy = self.forest.list(RuleList::Copy(self.order[at as usize]));
            self.forest.edge(copy, []);
        }
    }

    /// Joins parts and runs of parts from left to right, but for the last step: see [`ForestBuilder::pseudo`].
    pub fn chain(&mut self, parts: &[NodeIx], runs: &[Run]) -> Vec<[NodeIx; 2]> {
        let start = self.span_of(parts[0]).start;
        let mut reached: Vec<Vec<NodeIx>> = vec![Vec::new(); parts.len() + 1];
        reached[1].push(parts[0]);
        for end in 2..=parts.len() {
            let mut steps: Vec<[NodeIx; 2]> = Vec::new();
            steps.extend(reached[end - 1].iter().map(|&before| [before, parts[end - 1]]));
            for run in runs.iter().filter(|run| run.parts.1 == end) {
                steps.extend(reached[run.parts.0].iter().map(|&before| [before, run.built]));
            }
            if end == parts.len() {
                return steps;
            }
            for &step in &steps {
                self.side_by_side(self.join, step);
            }
            let span = Span::new(start, self.span_of(parts[end - 1]).end);
            reached[end].push(self.forest.node(span, 0));
            reached[end].extend(runs.iter().filter(|run| run.parts == (0, end)).map(|run| run.built));
        }
        Vec::new()
    }

    /// Adds the pseudo rule to the node that comes next: the last steps of a chain, with a share of the parses.
    pub fn pseudo(&mut self, steps: Vec<[NodeIx; 2]>, share: f32) {
        for step in steps {
            self.side_by_side(self.pseudo, step);
            self.forest.share(share);
        }
    }

    fn side_by_side(&mut self, list: u32, step: [NodeIx; 2]) {
        self.forest.edge(list, step);
        self.forest.set_positions([0, 1].map(position_of_variable));
    }

    /// Adds what another node builds to the node that comes next, with a share of the parses.
    pub fn same(&mut self, other: NodeIx, share: f32) {
        let same = self.forest.list(RuleList::Same);
        self.forest.edge(same, [other]);
        self.forest.share(share);
    }

    /// The span of a node.
    pub fn span_of(&self, node: NodeIx) -> Span {
        self.forest.nodes()[node.ix()].span
    }

    /// Puts the begin and the end of the sentence around the whole: the roots of its parses, each with its share of them.
    pub fn finish(mut self, roots: &[(NodeIx, f32)]) {
        let root = match *roots {
            [] => return,
            [(root, _)] => root,
            [(first, _), ..] => {
                roots.iter().for_each(|&(root, share)| self.same(root, share));
                self.forest.node(self.span_of(first), 0)
            }
        };
        let whole = self.span_of(root);
        let (begin, end) = (self.forest.list(RuleList::Begin), self.forest.list(RuleList::End));
        self.forest.edge(begin, []);
        let before = self.forest.node(Span::new(0, 0), 0);
        self.forest.edge(self.join, [before, root]);
        let all = self.forest.node(whole, 0);
        self.forest.edge(end, [all]);
        self.forest.node(whole, 0);
    }
}
