//! Chart matching: which rules of a table's trie fit which spans of an input. Rules are found from left to right over
//! the trie, symbol by symbol (Chappelier & Rajman 1998), for one start position after the other from the end of the
//! input, so that whatever a variable may stand for is known when it is reached (Sennrich 2014, section 3).

mod fills;

use crate::estimates::Estimates;
use crate::forest::{Forest, NodeIx, RuleList};
use crate::guide::Guidance;
use crate::pairs::InputTrees;
use crate::{Model, Needs, Pair, TableRole};
use fills::{Fillings, Fills, Longer, NOTHING};
use rustc_hash::FxHashMap;
use treeglot_grammar::{RuleSink, Symbol, Table, TrieNode};
use treeglot_text::vocab::{Sym, Vocab};
use treeglot_tree::Span;

/// One table, and the input in its words.
pub struct MatchTable<'a> {
    /// Its rules.
    pub table: &'a Table,
    /// What it is for.
    pub role: TableRole,
    /// The input's words in the table's vocabulary; `None` for one it lacks.
    pub words: &'a [Option<Sym>],
    /// The labels of the model in the table's vocabulary, by the model's numbers; `None` for one it lacks.
    pub labels: &'a [Option<Sym>],
}

impl MatchTable<'_> {
    /// Where source sides go on from a node of the trie by a variable of this label.
    fn variable(&self, node: TrieNode, label: usize) -> Option<TrieNode> {
        self.table.child(node, Symbol::var(self.labels.get(label).copied().flatten()?))
    }
}

/// How much a forest may have of what rules of words and variables can build; 0 for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForestLimits {
    /// The most words a rule of a table may span. Glue has no limit.
    pub max_span: usize,
    /// How many ways to fill the variables of a source side are kept for each span that it covers: the best, by the estimates of what
    /// fills them.
    pub fills: usize,
    /// How many hyperarcs of a node are kept: the best, by the estimates of their best rule and of what fills its variables.
    pub hyperarcs: usize,
}

impl ForestLimits {
    /// Whether what fits in the span is kept whatever it is worth.
    pub fn keeps_all(&self) -> bool {
        self.fills == 0 && self.hyperarcs == 0
    }
}

/// What a forest is made of.
#[derive(Clone, Copy)]
pub struct ForestInput<'a> {
    /// The tables, each with the input in its words.
    pub tables: &'a [MatchTable<'a>],
    /// How many words the input has.
    pub length: usize,
    /// How much of it.
    pub limits: ForestLimits,
    /// The trees of the input, of which a model may need some.
    pub trees: &'a InputTrees,
    /// What is known of the translation.
    pub guidance: &'a Guidance,
}

/// The label of unknown words and of what glue joins.
pub const PIECE: u32 = 0;

/// The model of a grammar that was made elsewhere: its rules are applied, none are extracted.
pub struct MadeElsewhere;

impl Model for MadeElsewhere {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn extract(&self, _: &Pair<'_>, _: &mut Vocab, _: &mut dyn RuleSink) {}
}

/// Finds rules; owns the buffers of a thread.
#[derive(Default)]
pub struct Chart {
    states: Vec<State>,
    steps: Vec<Step>,
    fills: Fills,
    /// The last state of those that end at each position; linked by [`State::before`].
    ending: Vec<u32>,
    /// By source side that ends in a variable, where its row of `reached` begins.
    rows: FxHashMap<(u32, TrieNode), u32>,
    /// The state of such a source side at each end; [`NONE`] for none.
    reached: Vec<u32>,
    /// The node of each label over each span from one start; 0 for none, else its number + 1.
    cells: Vec<u32>,
    lists: FxHashMap<(u32, TrieNode), u32>,
    candidates: Vec<Candidate>,
    tails: Vec<NodeIx>,
    length: usize,
    longest: usize,
    labels: usize,
    most_fills: usize,
    most_hyperarcs: usize,
    /// The tables before this one are left out.
    first_table: usize,
    /// Spans with given translations, by number.
    given: Vec<(Span, u32)>,
    /// Words that are not copied, because something is given for them.
    bound: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// A source side matched up to some position, with all ways to fill its variables that were kept.
#[derive(Debug, Clone)]
struct State {
    table: u32,
    node: TrieNode,
    /// Those ways, as soon as they were chosen from what the steps lead to.
    fills: Fillings,
    /// The last step that leads to it, if its last symbol is a variable; linked by [`Step::before`].
    steps: u32,
    /// The state before it that ends at the same position.
    before: u32,
}

/// A state lengthened by a variable.
#[derive(Debug, Clone, Copy)]
struct Step {
    from: u32,
    tail: NodeIx,
    /// The step before it that leads to the same state.
    before: u32,
}

/// A hyperarc that may be added.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    estimate: f32,
    list: u32,
    fill: u32,
}

impl Chart {
    /// Fills the forest with what the tables' rules, unknown words and glue can build, within the limits; its goal is the whole
    /// sentence.
    pub fn fill(&mut self, input: &ForestInput<'_>, estimates: &mut dyn Estimates, forest: &mut Forest) {
        forest.clear();
        self.pieces(input, estimates, forest);
        self.glue(input.length, forest);
    }

    /// Adds what the rules of the tables can build, and unknown words, but no glue.
    fn pieces(&mut self, input: &ForestInput<'_>, estimates: &mut dyn Estimates, forest: &mut Forest) {
        self.begin(input, 0);
        for start in (0..input.length).rev() {
            self.begin_at(input.tables, start);
            for end in start + 1..=self.last(start) {
                self.complete(input.tables, Span::new(start as u32, end as u32), estimates, forest);
                self.go_on(input.tables, start, end, forest);
            }
        }
    }

    /// Makes ready for an input whose spans are matched one by one: from each start, the last one first, by
    /// [`Chart::begin_at`], and from there to each end, the nearest first, by [`Chart::complete`] and [`Chart::go_on`].
    pub fn begin(&mut self, input: &ForestInput<'_>, first: usize) {
        let ForestInput { tables, length, limits, .. } = *input;
        let or_all = |limit: usize| if limit == 0 { usize::MAX } else { limit };
        self.first_table = first;
        self.lists.clear();
        self.length = length;
        self.labels = tables.iter().map(|table| table.labels.len()).max().unwrap_or(1).max(1);
        (self.most_fills, self.most_hyperarcs) = (or_all(limits.fills), or_all(limits.hyperarcs));
        let given = input.guidance.given.iter().map(|given| given.span.len()).max().unwrap_or(0);
        self.longest = or_all(limits.max_span).max(given).min(length);
        self.given.clear();
        self.given.extend((0..).zip(&input.guidance.given).map(|(number, given)| (given.span, number)));
        self.bound.clear();
        self.bound.extend((0..length as u32).map(|at| input.guidance.binding_at(at).is_some()));
        self.cells.clear();
        self.cells.resize(length * self.longest * self.labels, 0);
    }

    /// The last position that a rule from `start` on may reach.
    pub fn last(&self, start: usize) -> usize {
        (start + self.longest).min(self.length)
    }

    /// The most words that a rule may span.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The piece over a span, if one was built.
    pub fn piece(&self, span: Span) -> Option<NodeIx> {
        if span.is_empty() || span.len() > self.longest {
            return None;
        }
        self.built(PIECE as usize, span.start as usize, span.end as usize)
    }

    /// Puts another node in the place of the piece over a span: what variables stand for from now on.
    pub fn replace_piece(&mut self, span: Span, node: NodeIx) {
        let cell = self.cell(PIECE as usize, span.start as usize, span.end as usize);
        self.cells[cell] = node.0 + 1;
    }

    /// Begins to match the rules from `start` on.
    pub fn begin_at(&mut self, tables: &[MatchTable<'_>], start: usize) {
        let last = self.last(start);
        self.states.clear();
        self.steps.clear();
        self.rows.clear();
        self.reached.clear();
        self.ending.clear();
        self.ending.resize(last - start + 1, NONE);
        self.fills.clear();
        for (number, table) in tables.iter().enumerate().skip(self.first_table) {
            self.lengthen_by_word(table, number as u32, table.table.root(), NOTHING, start, start);
        }
    }

    /// Goes on with what was matched up to `end`.
    pub fn go_on(&mut self, tables: &[MatchTable<'_>], start: usize, end: usize, forest: &Forest) {
        let last = self.last(start);
        if end >= last {
            return;
        }
        self.start_with_variable(tables, start, end, forest);
        let mut at = self.ending[end - start];
        while at != NONE {
            let State { table: number, node, ref fills, before, .. } = self.states[at as usize];
            let (table, fills) = (&tables[number as usize], fills.clone());
            if table.table.has_children(node) {
                self.lengthen_by_word(table, number, node, fills, start, end);
                self.lengthen_by_variable(table, at, start, end);
            }
            at = before;
        }
    }

    /// Turns the states that cover a span into hyperarcs, of which the best are kept, and adds the nodes they build.
    pub fn complete(
        &mut self,
        tables: &[MatchTable<'_>],
        span: Span,
        estimates: &mut dyn Estimates,
        forest: &mut Forest,
    ) {
        let (start, end) = (span.start as usize, span.end as usize);
        self.settle(end - start, forest);
        let mut built = false;
        for label in 0..self.labels {
            self.add_edges(tables, label, self.ending[end - start], estimates, forest);
            for &(_, number) in
                self.given.iter().filter(|(given, _)| label == PIECE as usize && *given == span)
            {
                add_single(RuleList::Given(number), estimates, forest);
            }
            let unknown = !self.bound[start]
                && span.len() == 1
                && label == self.labels - 1
                && !built
                && !forest.is_open();
            if unknown {
                add_single(RuleList::Copy(span.start), estimates, forest);
            }
            if forest.is_open() {
                built = true;
                let label = if unknown { PIECE } else { label as u32 };
                let node = forest.node(span, label);
                let cell = self.cell(label as usize, start, end);
                self.cells[cell] = node.0 + 1;
            }
        }
    }

    /// Chooses the ways to fill the variables of the states that end after so many words.
    fn settle(&mut self, length: usize, forest: &Forest) {
        let mut at = self.ending[length];
        while at != NONE {
            let State { steps: first, before, .. } = self.states[at as usize];
            if first != NONE {
                let known = |step: u32| (step != NONE).then(|| self.steps[step as usize]);
                let steps = std::iter::successors(known(first), |step| known(step.before));
                let longer = steps.map(|step| Longer {
                    before: self.states[step.from as usize].fills.clone(),
                    tail: step.tail,
                    estimate: forest.estimate(step.tail),
                });
                let fills = self.fills.lengthen(longer, self.most_fills);
                self.states[at as usize].fills = fills;
            }
            at = before;
        }
    }

    /// Adds hyperarcs of the node of this label, by the states from the last one on.
    fn add_edges(
        &mut self,
        tables: &[MatchTable<'_>],
        label: usize,
        last: u32,
        estimates: &mut dyn Estimates,
        forest: &mut Forest,
    ) {
        self.candidates.clear();
        let mut at = last;
        while at != NONE {
            let State { table, node, ref fills, before, .. } = self.states[at as usize];
            if let Some(node) = rules_of(&tables[table as usize], node, label) {
                let rule_list = RuleList::Table { table, node };
                let add = || forest.estimated_list(rule_list, estimates.best_of(rule_list));
                let list = *self.lists.entry((table, node)).or_insert_with(add);
                let best = forest.estimate_of_list(list);
                self.candidates.extend(fills.clone().map(|fill| Candidate {
                    estimate: best + self.fills.get(fill).estimate,
                    list,
                    fill,
                }));
            }
            at = before;
        }
        if self.candidates.len() > self.most_hyperarcs {
            let best_first = |a: &Candidate, b: &Candidate| {
                b.estimate.total_cmp(&a.estimate).then((a.list, a.fill).cmp(&(b.list, b.fill)))
            };
            self.candidates.select_nth_unstable_by(self.most_hyperarcs, best_first);
            self.candidates.truncate(self.most_hyperarcs);
            self.candidates.sort_unstable_by(best_first);
        }
        for candidate in &self.candidates {
            self.tails.clear();
            self.tails.extend(self.fills.tails(candidate.fill));
            forest.edge(candidate.list, self.tails.iter().rev().copied());
        }
    }

    /// Adds the states that begin with what was just built over `start..end`.
    fn start_with_variable(&mut self, tables: &[MatchTable<'_>], start: usize, end: usize, forest: &Forest) {
        for label in 0..self.labels {
            let Some(tail) = self.built(label, start, end) else { continue };
            for (number, table) in tables.iter().enumerate().skip(self.first_table) {
                let Some(node) = table.variable(table.table.root(), label) else { continue };
                let longer = Longer { before: NOTHING, tail, estimate: forest.estimate(tail) };
                let fills = self.fills.lengthen(std::iter::once(longer), self.most_fills);
                self.push(number as u32, node, fills, end - start);
            }
        }
    }

    /// Adds the state that comes from one that ends at `end` by the next word.
    fn lengthen_by_word(
        &mut self,
        table: &MatchTable<'_>,
        number: u32,
        node: TrieNode,
        fills: Fillings,
        start: usize,
        end: usize,
    ) {
        let word = table.words[end].map(Symbol::word);
        if let Some(node) = word.and_then(|word| table.table.child(node, word)) {
            self.push(number, node, fills, end + 1 - start);
        }
    }

    /// Lengthens a state that ends at `end` by a variable over each span after it.
    fn lengthen_by_variable(&mut self, table: &MatchTable<'_>, from: u32, start: usize, end: usize) {
        let State { table: number, node, .. } = self.states[from as usize];
        let last = self.last(start);
        for label in 0..self.labels {
            let Some(node) = table.variable(node, label) else { continue };
            let next = self.reached.len() as u32;
            let row = *self.rows.entry((number, node)).or_insert(next) as usize;
            if row == next as usize {
                self.reached.resize(row + last - start + 1, NONE);
            }
            for stop in end + 1..=last {
                let Some(tail) = self.built(label, end, stop) else { continue };
                let length = stop - start;
                if self.reached[row + length] == NONE {
                    self.reached[row + length] = self.states.len() as u32;
                    self.push(number, node, 0..0, length);
                }
                let state = &mut self.states[self.reached[row + length] as usize];
                let before = std::mem::replace(&mut state.steps, self.steps.len() as u32);
                self.steps.push(Step { from, tail, before });
            }
        }
    }

    fn push(&mut self, table: u32, node: TrieNode, fills: Fillings, length: usize) {
        let before = std::mem::replace(&mut self.ending[length], self.states.len() as u32);
        self.states.push(State { table, node, fills, steps: NONE, before });
    }

    /// What was built with a label over a span.
    fn built(&self, label: usize, start: usize, end: usize) -> Option<NodeIx> {
        self.cells.get(self.cell(label, start, end))?.checked_sub(1).map(NodeIx)
    }

    fn cell(&self, label: usize, start: usize, end: usize) -> usize {
        (start * self.longest + (end - start - 1)) * self.labels + label
    }

    /// Joins pieces from left to right: `S` to `<s>`, `S X` and `S </s>`.
    fn glue(&mut self, length: usize, forest: &mut Forest) {
        let glue = self.labels as u32;
        let (begin, join, end) =
            (forest.list(RuleList::Begin), forest.list(RuleList::Glue), forest.list(RuleList::End));
        let first_join = forest.list(RuleList::First);
        forest.edge(begin, []);
        let mut joined = vec![forest.node(Span::new(0, 0), glue)];
        for stop in 1..=length {
            let earliest = stop.saturating_sub(self.longest);
            for (start, &before) in joined.iter().enumerate().skip(earliest) {
                let first = self.cell(0, start, stop);
                for &piece in self.cells[first..first + self.labels].iter().filter(|&&piece| piece != 0) {
                    let list = if start == 0 { first_join } else { join };
                    forest.edge(list, [before, NodeIx(piece - 1)]);
                }
            }
            joined.push(forest.node(Span::new(0, stop as u32), glue));
        }
        forest.edge(end, [joined[length]]);
        forest.node(Span::new(0, length as u32), glue + 1);
    }
}

/// Adds a hyperarc by a list that nothing was built for.
fn add_single(list: RuleList, estimates: &mut dyn Estimates, forest: &mut Forest) {
    let list = forest.estimated_list(list, estimates.best_of(list));
    forest.edge(list, []);
}

/// The trie node of the rules that build `label` from an item's source side. Rules without a label build pieces.
fn rules_of(table: &MatchTable<'_>, node: TrieNode, label: usize) -> Option<TrieNode> {
    let labelled = table.labels.get(label).copied().flatten().map(Symbol::label);
    let found = labelled.and_then(|symbol| table.table.child(node, symbol));
    let plain = (label == PIECE as usize).then_some(node);
    found.or(plain).filter(|&node| table.table.rules(node).len() > 0)
}

#[cfg(test)]
mod tests;
