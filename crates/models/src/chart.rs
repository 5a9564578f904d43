//! Chart matching: which rules of a table's trie fit which spans of an input. Rules are found from left to right over
//! the trie, symbol by symbol (Chappelier & Rajman 1998), for one start position after the other from the end of the
//! input, so that whatever a variable may stand for is known when it is reached (Sennrich 2014, section 3).

use crate::forest::{Forest, NodeIx, RuleList};
use crate::guide::Guidance;
use crate::pairs::InputTrees;
use crate::{Model, Needs, Pair, TableRole};
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

/// What a forest is made of.
#[derive(Clone, Copy)]
pub struct ForestInput<'a> {
    /// The tables, each with the input in its words.
    pub tables: &'a [MatchTable<'a>],
    /// How many words the input has.
    pub length: usize,
    /// The most words a rule of a table may span; 0 for no limit. Glue has none.
    pub max_span: usize,
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
    items: Vec<Item>,
    /// The last item of those that end at each position; linked by [`Item::before`].
    ending: Vec<u32>,
    /// The node of each label over each span from one start; 0 for none, else its number + 1.
    cells: Vec<u32>,
    lists: FxHashMap<(u32, TrieNode), u32>,
    tails: Vec<NodeIx>,
    length: usize,
    longest: usize,
    labels: usize,
    /// The tables before this one are left out.
    first_table: usize,
    /// Spans with given translations, by number.
    given: Vec<(Span, u32)>,
    /// Words that are not copied, because something is given for them.
    bound: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// A source side matched up to some position.
#[derive(Debug, Clone, Copy)]
struct Item {
    table: u32,
    node: TrieNode,
    /// The item that this one lengthens.
    shorter: u32,
    /// What its last variable stands for; [`NONE`] if its last symbol is a word.
    tail: u32,
    /// The item before it that ends at the same position.
    before: u32,
}

impl Chart {
    /// Fills the forest with all that the tables' rules, unknown words and glue can build; its goal is the whole sentence.
    pub fn fill(&mut self, input: &ForestInput<'_>, forest: &mut Forest) {
        forest.clear();
        self.pieces(input, 0, forest);
        self.glue(input.length, forest);
    }

    /// Adds what the rules of the tables from `first` on can build, and unknown words, but no glue.
    pub fn pieces(&mut self, input: &ForestInput<'_>, first: usize, forest: &mut Forest) {
        self.begin(input, first);
        for start in (0..input.length).rev() {
            self.begin_at(input.tables, start);
            for end in start + 1..=self.last(start) {
                self.complete(input.tables, Span::new(start as u32, end as u32), forest);
                self.go_on(input.tables, start, end);
            }
        }
    }

    /// Makes ready for an input whose spans are matched one by one: from each start, the last one first, by
    /// [`Chart::begin_at`], and from there to each end, the nearest first, by [`Chart::complete`] and [`Chart::go_on`].
    pub fn begin(&mut self, input: &ForestInput<'_>, first: usize) {
        let ForestInput { tables, length, max_span, .. } = *input;
        self.first_table = first;
        self.lists.clear();
        self.length = length;
        self.labels = tables.iter().map(|table| table.labels.len()).max().unwrap_or(1).max(1);
        let given = input.guidance.given.iter().map(|given| given.span.len()).max().unwrap_or(0);
        self.longest = if max_span == 0 { length } else { max_span.max(given).min(length) };
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
        let cell = self.cell(PIECE as usize, span.start as usize, span.end as usize);
        self.cells.get(cell)?.checked_sub(1).map(NodeIx)
    }

    /// Puts another node in the place of the piece over a span: what variables stand for from now on.
    pub fn replace_piece(&mut self, span: Span, node: NodeIx) {
        let cell = self.cell(PIECE as usize, span.start as usize, span.end as usize);
        self.cells[cell] = node.0 + 1;
    }

    /// Begins to match the rules from `start` on.
    pub fn begin_at(&mut self, tables: &[MatchTable<'_>], start: usize) {
        let last = self.last(start);
        self.items.clear();
        self.ending.clear();
        self.ending.resize(last - start + 1, NONE);
        for (number, table) in tables.iter().enumerate().skip(self.first_table) {
            let root = Item {
                table: number as u32,
                node: table.table.root(),
                shorter: NONE,
                tail: NONE,
                before: NONE,
            };
            self.items.push(root);
            self.lengthen(tables, self.items.len() as u32 - 1, start, start, last);
        }
    }

    /// Goes on with what was matched up to `end`.
    pub fn go_on(&mut self, tables: &[MatchTable<'_>], start: usize, end: usize) {
        let last = self.last(start);
        if end >= last {
            return;
        }
        self.start_with_variable(tables, start, end);
        let mut item = self.ending[end - start];
        while item != NONE {
            self.lengthen(tables, item, start, end, last);
            item = self.items[item as usize].before;
        }
    }

    /// Turns the items that cover a span into hyperarcs and adds the nodes they build.
    pub fn complete(&mut self, tables: &[MatchTable<'_>], span: Span, forest: &mut Forest) {
        let (start, end) = (span.start as usize, span.end as usize);
        let mut built = false;
        for label in 0..self.labels {
            let mut at = self.ending[end - start];
            while at != NONE {
                let item = self.items[at as usize];
                if let Some(node) = rules_of(&tables[item.table as usize], item.node, label) {
                    self.add_edge(at, RuleList::Table { table: item.table, node }, forest);
                }
                at = item.before;
            }
            for &(_, number) in
                self.given.iter().filter(|(given, _)| label == PIECE as usize && *given == span)
            {
                let list = forest.list(RuleList::Given(number));
                forest.edge(list, []);
            }
            let unknown = !self.bound[start]
                && span.len() == 1
                && label == self.labels - 1
                && !built
                && !forest.is_open();
            if unknown {
                let list = forest.list(RuleList::Copy(span.start));
                forest.edge(list, []);
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

    fn add_edge(&mut self, item: u32, list: RuleList, forest: &mut Forest) {
        let RuleList::Table { table, node } = list else { return };
        self.tails.clear();
        let mut at = item;
        while at != NONE {
            let item = self.items[at as usize];
            if item.tail != NONE {
                self.tails.push(NodeIx(item.tail));
            }
            at = item.shorter;
        }
        let list = *self.lists.entry((table, node)).or_insert_with(|| forest.list(list));
        forest.edge(list, self.tails.iter().rev().copied());
    }

    /// Adds the items that begin with what was just built over `start..end`.
    fn start_with_variable(&mut self, tables: &[MatchTable<'_>], start: usize, end: usize) {
        for label in 0..self.labels {
            let found = self.cells[self.cell(label, start, end)];
            if found == 0 {
                continue;
            }
            for (number, table) in tables.iter().enumerate().skip(self.first_table) {
                let symbol = table.labels.get(label).copied().flatten().map(Symbol::var);
                if let Some(node) = symbol.and_then(|symbol| table.table.child(table.table.root(), symbol)) {
                    self.push(number as u32, node, NONE, found - 1, end - start);
                }
            }
        }
    }

    /// Lengthens an item that ends at `end` by the next word, and by a variable over each span after it.
    fn lengthen(&mut self, tables: &[MatchTable<'_>], at: u32, start: usize, end: usize, last: usize) {
        let item = self.items[at as usize];
        let table = &tables[item.table as usize];
        if end >= last || !table.table.has_children(item.node) {
            return;
        }
        let word = table.words[end].and_then(|word| table.table.child(item.node, Symbol::word(word)));
        if let Some(node) = word {
            self.push(item.table, node, at, NONE, end + 1 - start);
        }
        if end == start {
            return;
        }
        for label in 0..self.labels {
            let symbol = table.labels.get(label).copied().flatten().map(Symbol::var);
            let Some(node) = symbol.and_then(|symbol| table.table.child(item.node, symbol)) else { continue };
            for stop in end + 1..=last {
                let found = self.cells[self.cell(label, end, stop)];
                if found != 0 {
                    self.push(item.table, node, at, found - 1, stop - start);
                }
            }
        }
    }

    fn push(&mut self, table: u32, node: TrieNode, shorter: u32, tail: u32, length: usize) {
        let before = std::mem::replace(&mut self.ending[length], self.items.len() as u32);
        self.items.push(Item { table, node, shorter, tail, before });
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

/// The trie node of the rules that build `label` from an item's source side. Rules without a label build pieces.
fn rules_of(table: &MatchTable<'_>, node: TrieNode, label: usize) -> Option<TrieNode> {
    let labelled = table.labels.get(label).copied().flatten().map(Symbol::label);
    let found = labelled.and_then(|symbol| table.table.child(node, symbol));
    let plain = (label == PIECE as usize).then_some(node);
    found.or(plain).filter(|&node| table.table.rules(node).len() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UNGUIDED;
    use std::path::Path;
    use treeglot_grammar::Scratch;
    use treeglot_grammar::table::{Import, import};
    use treeglot_text::Input;

    fn table(folder: &Path, rules: &str) -> Table {
        std::fs::write(folder.join("rules"), rules).unwrap();
        let options = Import { model: String::new(), memory: 1 << 20 };
        let input = Input::open(folder.join("rules")).unwrap();
        import(input, None, &options, &Scratch::new(None), &folder.join("table")).unwrap();
        Table::open(folder.join("table")).unwrap()
    }

    /// The nodes of a sentence's forest as `label start-end: edges`, glue left out.
    fn nodes(rules: &str, sentence: &str, labels: &[&str], max_span: usize) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let table = table(folder.path(), rules);
        let words: Vec<Option<Sym>> = sentence.split(' ').map(|word| table.vocab().get(word)).collect();
        let known: Vec<Option<Sym>> = labels.iter().map(|label| table.vocab().get(label)).collect();
        let tables = [MatchTable { table: &table, role: TableRole::Model, words: &words, labels: &known }];
        let mut forest = Forest::default();
        let input = ForestInput {
            tables: &tables,
            length: words.len(),
            max_span,
            trees: &InputTrees::default(),
            guidance: UNGUIDED,
        };
        Chart::default().fill(&input, &mut forest);
        let own = forest.nodes().iter().enumerate().filter(|(_, node)| (node.label as usize) < labels.len());
        own.map(|(at, node)| {
            let edges = forest.edges_of(NodeIx(at as u32)).len();
            format!("{} {}-{}: {edges}", labels[node.label as usize], node.span.start, node.span.end)
        })
        .collect()
    }

    #[test]
    fn variables_take_every_span_that_was_built() {
        let rules = "a [X] ||| A [X] ||| 0.5 ||| 0-0\n[X][X] b [X][X] [X] ||| [X][X] B [X][X] [X] ||| 1 ||| 0-0 1-1 2-2\n";
        let all = nodes(rules, "a b a b a", &["X"], 0);
        assert_eq!(
            all,
            ["X 4-5: 1", "X 3-4: 1", "X 2-3: 1", "X 2-5: 1", "X 1-2: 1", "X 0-1: 1", "X 0-3: 1", "X 0-5: 2"]
        );
        let short = nodes(rules, "a b a b a", &["X"], 3);
        assert!(short.contains(&"X 0-3: 1".to_string()) && !short.contains(&"X 0-5: 2".to_string()));
    }

    #[test]
    fn a_variable_takes_its_label_only() {
        let rules = "a [Y] ||| A [Y] ||| 1 ||| 0-0\na [X] ||| A [X] ||| 1 ||| 0-0\nc [X] ||| C [X] ||| 1 ||| 0-0\n\
[Y][Y] b [X] ||| [Y][Y] B [X] ||| 1 ||| 0-0 1-1\n";
        let found = nodes(rules, "a b c b", &["X", "Y"], 0);
        assert_eq!(found, ["X 3-4: 1", "X 2-3: 1", "X 1-2: 1", "X 0-1: 1", "Y 0-1: 1", "X 0-2: 1"]);
    }

    #[test]
    fn words_of_no_rule_are_copied_and_an_empty_input_has_a_goal() {
        let rules = "a [X] ||| A [X] ||| 1 ||| 0-0\n";
        assert_eq!(nodes(rules, "a z", &["X"], 0), ["X 1-2: 1", "X 0-1: 1"]);
        let mut forest = Forest::default();
        Chart::default().fill(
            &ForestInput {
                tables: &[],
                length: 0,
                max_span: 20,
                trees: &InputTrees::default(),
                guidance: UNGUIDED,
            },
            &mut forest,
        );
        assert_eq!(forest.nodes().len(), 2);
    }
}
