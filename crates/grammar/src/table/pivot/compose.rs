//! One rule from the source to the pivot, and all rules from its pivot side to the target.

use super::{Columns, SCORES};
use crate::code;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::instance::RuleLink;
use crate::sort::{Chunk, push_varint, take_varint};
use crate::symbol::{Kind, Symbol};
use crate::table::{RuleId, Rules, Table, TrieNode};
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

/// What two rules make, or what all with the same sides make together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Made {
    pub scores: [f64; SCORES.len()],
    /// Monotone, swap, discontinuous, to the phrase before and to the one after.
    pub reordering: [f64; 6],
    pub source_count: f32,
    pub target_count: f32,
    pub links: Vec<RuleLink>,
}

impl Made {
    pub fn push(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(bytemuck::cast_slice(&self.scores));
        out.extend_from_slice(bytemuck::cast_slice(&self.reordering));
        out.extend_from_slice(bytemuck::cast_slice(&[self.source_count, self.target_count]));
        push_varint(self.links.len() as u64, out);
        out.extend_from_slice(bytemuck::cast_slice(&self.links));
    }

    /// What [`Made::push`] wrote.
    pub fn take(mut bytes: &[u8]) -> Self {
        let mut numbers = [0.0f64; SCORES.len() + 6];
        let mut counts = [0.0f32; 2];
        for number in &mut numbers {
            let (own, rest) = bytes.split_at(8);
            (*number, bytes) = (bytemuck::pod_read_unaligned(own), rest);
        }
        for count in &mut counts {
            let (own, rest) = bytes.split_at(4);
            (*count, bytes) = (bytemuck::pod_read_unaligned(own), rest);
        }
        let links = take_varint(&mut bytes) as usize;
        let links = bytemuck::cast_slice(&bytes[..links * size_of::<RuleLink>()]).to_vec();
        let (scores, reordering) = numbers.split_at(SCORES.len());
        Self {
            scores: std::array::from_fn(|k| scores[k]),
            reordering: std::array::from_fn(|k| reordering[k]),
            source_count: counts[0],
            target_count: counts[1],
            links,
        }
    }
}

/// Joins rules of two tables; the symbols of what it makes are those of a vocabulary of its own.
pub(super) struct Composer<'t> {
    tables: [&'t Table; 2],
    columns: [Columns; 2],
    pub vocab: Vocab,
    /// Source, target and pivot side, and [`Made`].
    pub chunk: Chunk,
    /// By symbol of the first table's vocabulary and of the second's: those here, once they are known.
    symbols: [Vec<Option<Sym>>; 2],
    pivot: Vec<Symbol>,
    target: Vec<Symbol>,
    links: [Vec<RuleLink>; 2],
    key: Vec<u8>,
    payload: Vec<u8>,
}

impl<'t> Composer<'t> {
    pub fn new(first: &'t Table, second: &'t Table, columns: [Columns; 2]) -> Self {
        Self {
            tables: [first, second],
            columns,
            vocab: Vocab::default(),
            chunk: Chunk::default(),
            symbols: [first, second].map(|table| vec![None; table.vocab().len()]),
            pivot: Vec::new(),
            target: Vec::new(),
            links: [Vec::new(), Vec::new()],
            key: Vec::new(),
            payload: Vec::new(),
        }
    }

    /// Adds what a rule of the first table makes with all rules of the second that go on from it; whether there are any.
    pub fn compose(&mut self, rules: &Rules<'_>, rule: RuleId) -> Result<bool> {
        let [first, second] = self.tables;
        let mut pivot = std::mem::take(&mut self.pivot);
        first.target(rule, rules.node.variables(), &mut pivot);
        let ends = ends(second, first.vocab(), rules.source, &pivot)?;
        let mut any = false;
        for end in ends {
            for next in second.rules(end) {
                self.push(rules, (rule, &pivot), (next, end.variables()))?;
                any = true;
            }
        }
        self.pivot = pivot;
        Ok(any)
    }

    fn push(
        &mut self,
        rules: &Rules<'_>,
        (rule, pivot): (RuleId, &[Symbol]),
        (next, variables): (RuleId, u8),
    ) -> Result<()> {
        let [first, second] = self.tables;
        let mut target = std::mem::take(&mut self.target);
        second.target(next, variables, &mut target);
        self.key.clear();
        for &symbol in rules.source {
            let own = self.own(0, symbol)?;
            code::push(own, &mut self.key);
        }
        self.key.push(code::END);
        // The variables of the pivot side, in its order, are these of the source side.
        let numbers: Vec<u8> = pivot.iter().filter_map(|symbol| reference(*symbol)).collect();
        for &symbol in &target {
            let own = match reference(symbol) {
                Some(k) => Symbol::reference(numbers.get(usize::from(k)).copied().unwrap_or(k)),
                None => self.own(1, symbol)?,
            };
            code::push(own, &mut self.key);
        }
        self.key.push(code::END);
        self.target = target;
        for &symbol in pivot {
            code::push(symbol, &mut self.key);
        }
        self.key.push(code::END);
        let scores = self.scores(rule, next);
        let [of_first, of_second] = &mut self.links;
        first.links(rule, of_first);
        second.links(next, of_second);
        let counts = second.rule_counts(next, 0.0);
        let made = Made {
            scores,
            reordering: reordering(first, rule, second, next),
            source_count: rules.count,
            target_count: counts.target,
            links: over(of_first, of_second),
        };
        self.payload.clear();
        made.push(&mut self.payload);
        self.chunk.push(&self.key, &self.payload);
        Ok(())
    }

    fn scores(&self, rule: RuleId, next: RuleId) -> [f64; SCORES.len()] {
        let [first, second] = self.tables;
        let [of_first, of_second] = &self.columns;
        std::array::from_fn(|k| {
            first.probability(rule, of_first[k]).value() * second.probability(next, of_second[k]).value()
        })
    }

    /// A symbol of the first or second table as it is here.
    fn own(&mut self, table: usize, symbol: Symbol) -> Result<Symbol> {
        let (sym, make): (Sym, fn(Sym) -> Symbol) = match symbol.kind() {
            Kind::Word(sym) => (sym, Symbol::word),
            Kind::Var(sym) => (sym, Symbol::var),
            Kind::Label(sym) => (sym, Symbol::label),
            Kind::Ref(_) | Kind::Mark(_) => return Err(structured()),
        };
        let known = self.symbols[table].get(sym.ix()).copied().flatten();
        let own = match known {
            Some(own) => own,
            None => {
                let own = self.vocab.intern(self.tables[table].vocab().word(sym).unwrap_or_default());
                if let Some(place) = self.symbols[table].get_mut(sym.ix()) {
                    *place = Some(own);
                }
                own
            }
        };
        Ok(make(own))
    }
}

fn structured() -> Error {
    Error::Setting(
        "tables of rules with trees cannot be joined: only those of phrases and of hierarchical rules".into(),
    )
}

fn reference(symbol: Symbol) -> Option<u8> {
    match symbol.kind() {
        Kind::Ref(k) => Some(k),
        _ => None,
    }
}

/// Where a pivot side ends among the source sides of the second table: without a label, and with the one that the rule builds.
fn ends(second: &Table, words: &MappedVocab, source: &[Symbol], pivot: &[Symbol]) -> Result<Vec<TrieNode>> {
    let named = |sym: Sym| words.word(sym).and_then(|word| second.vocab().get(word));
    let variables: Vec<Sym> = source
        .iter()
        .filter_map(|symbol| match symbol.kind() {
            Kind::Var(label) => Some(label),
            _ => None,
        })
        .collect();
    let mut node = second.root();
    for &symbol in pivot {
        let next = match symbol.kind() {
            Kind::Word(sym) => named(sym).map(Symbol::word),
            Kind::Ref(k) => variables.get(usize::from(k)).and_then(|label| named(*label)).map(Symbol::var),
            _ => return Err(structured()),
        };
        let Some(child) = next.and_then(|symbol| second.child(node, symbol)) else { return Ok(Vec::new()) };
        node = child;
    }
    let label = source.last().and_then(|symbol| match symbol.kind() {
        Kind::Label(label) => named(label),
        _ => None,
    });
    let labelled = label.and_then(|label| second.child(node, Symbol::label(label)));
    Ok([node].into_iter().chain(labelled).collect())
}

/// Links from the source to the target over words of the pivot side.
fn over(first: &[RuleLink], second: &[RuleLink]) -> Vec<RuleLink> {
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (a, b)));
    let mut links: Vec<RuleLink> =
        pairs.filter(|(a, b)| a.tgt == b.src).map(|(a, b)| RuleLink::new(a.src, b.tgt)).collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// Where a phrase goes after two steps, each monotone, swapped or neither: two swaps are none.
fn reordering(first: &Table, rule: RuleId, second: &Table, next: RuleId) -> [f64; 6] {
    let (Some(a), Some(b)) = (first.reordering_probabilities(rule), second.reordering_probabilities(next))
    else {
        return [0.0; 6];
    };
    let [a, b] = [a, b].map(|scores| scores.map(Decimal::value));
    let mut both = [0.0; 6];
    for at in [0, 3] {
        both[at] = a[at] * b[at] + a[at + 1] * b[at + 1];
        both[at + 1] = a[at] * b[at + 1] + a[at + 1] * b[at];
        both[at + 2] = (1.0 - both[at] - both[at + 1]).max(0.0);
    }
    both
}
