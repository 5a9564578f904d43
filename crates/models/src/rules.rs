//! Rules of one pair of sentences: how a phrase pair and the phrase pairs cut out of it become symbols, and how the
//! rules of a pair are brought together before they go on. Shared by all models whose rules have variables `X`.

use crate::matrix::{Matrix, SpanPair};
use crate::pair::Pair;
use crate::str2dep::{Structures, push_marks};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use treeglot_grammar::{Instance, RuleLink, RuleSink, Symbol, heads};
use treeglot_text::vocab::Vocab;
use treeglot_tree::Span;

/// The one category of hierarchical rules.
pub const CATEGORY: &str = "X";

/// The most symbols on a side of a rule: links count positions in a byte.
const MAX_SIDE: usize = 255;

/// The rules of one pair. Equal rules (links included) become one whose count is the sum, at the place of the first.
///
/// Rules are added phrase by phrase, because a phrase may share a count of one among its rules (Chiang 2007,
/// section 3.4).
pub struct Rules<'a> {
    pair: &'a Pair<'a>,
    matrix: &'a Matrix<'a>,
    structures: Option<&'a Structures<'a>>,
    label: Symbol,
    variable: Symbol,
    arena: Arena,
    /// The rules of the phrase at hand, equal ones as often as they came.
    pending: Vec<u32>,
    draft: Draft,
}

/// Rules end to end, with an index to find equal ones.
#[derive(Default)]
struct Arena {
    symbols: Vec<Symbol>,
    links: Vec<RuleLink>,
    rules: Vec<Stored>,
    index: HashTable<u32>,
}

#[derive(Clone, Copy)]
struct Stored {
    hash: u64,
    start: u32,
    source_end: u32,
    target_end: u32,
    links_start: u32,
    links_end: u32,
    count: f32,
}

/// The rule being made, and what it is made with.
#[derive(Default)]
struct Draft {
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    by_source: Vec<Span>,
    by_target: Vec<(Span, u8)>,
    /// Where each target word of the phrase stands in the rule.
    positions: Vec<u8>,
}

impl<'a> Rules<'a> {
    /// No rules yet, of `pair`, whose words are numbers of `vocab`.
    pub fn new(pair: &'a Pair<'a>, matrix: &'a Matrix<'a>, vocab: &mut Vocab) -> Self {
        let category = vocab.intern(CATEGORY);
        Self {
            pair,
            matrix,
            structures: None,
            label: Symbol::label(category),
            variable: Symbol::var(category),
            arena: Arena::default(),
            pending: Vec::new(),
            draft: Draft::default(),
        }
    }

    /// The same, with the structure that the target tree gives each target side.
    pub fn with_structures(mut self, structures: &'a Structures<'a>) -> Self {
        self.structures = Some(structures);
        self
    }

    /// The rules of another form of the same pair (other order, other links) from here on.
    pub fn switch(&mut self, pair: &'a Pair<'a>, matrix: &'a Matrix<'a>) {
        self.pair = pair;
        self.matrix = matrix;
    }

    /// Adds the rule over `phrase` with variables for `holes`, which are consistent, lie in it and do not overlap.
    /// A rule too long for the notation is left out.
    pub fn add(&mut self, phrase: SpanPair, holes: &[SpanPair]) {
        if !self.draft.fill(phrase, holes, self.pair, self.matrix, (self.variable, self.label)) {
            return;
        }
        if let Some(structures) = self.structures {
            if self.draft.target.len() > heads::MAX_SYMBOLS {
                return;
            }
            push_marks(structures, phrase.target, &self.draft.by_target, &mut self.draft.target);
        }
        let rule = self.arena.find_or_insert(&self.draft);
        self.pending.push(rule);
    }

    /// Counts the rules added since the last call: each once, or all together once.
    pub fn end_phrase(&mut self, fractional: bool) {
        let count = if fractional { 1.0 / self.pending.len() as f32 } else { 1.0 };
        for rule in self.pending.drain(..) {
            self.arena.rules[rule as usize].count += count;
        }
    }

    /// Hands all rules on, in the order in which they came.
    pub fn hand_on(&self, sink: &mut dyn RuleSink) {
        for rule in &self.arena.rules {
            let (source, target, links) = self.arena.parts(rule);
            sink.rule(Instance { source, target, links, count: rule.count, orientation: None, origin: 0 });
        }
    }
}

impl Draft {
    /// Writes the rule; `false` if a side is too long.
    fn fill(
        &mut self,
        phrase: SpanPair,
        holes: &[SpanPair],
        pair: &Pair<'_>,
        matrix: &Matrix<'_>,
        (variable, label): (Symbol, Symbol),
    ) -> bool {
        let removed =
            |side: fn(&SpanPair) -> Span| -> usize { holes.iter().map(|h| side(h).len() - 1).sum() };
        let source_len = phrase.source.len() - removed(|hole| hole.source) + 1;
        let target_len = phrase.target.len() - removed(|hole| hole.target);
        if source_len > MAX_SIDE || target_len > MAX_SIDE {
            return false;
        }
        self.number(holes);
        self.fill_target(phrase.target, pair.target);
        self.fill_source(phrase, pair.source, matrix, variable);
        self.source.push(label);
        true
    }

    /// Sorts the holes by source, which numbers them, and by target.
    fn number(&mut self, holes: &[SpanPair]) {
        self.by_source.clear();
        self.by_source.extend(holes.iter().map(|hole| hole.source));
        self.by_source.sort_unstable();
        self.by_target.clear();
        for hole in holes {
            let number = self.by_source.iter().position(|&source| source == hole.source);
            self.by_target.push((hole.target, number.unwrap_or_default() as u8));
        }
        self.by_target.sort_unstable();
    }

    fn fill_target(&mut self, span: Span, words: &[Symbol]) {
        self.target.clear();
        self.positions.clear();
        let mut at = span.start;
        for &(hole, number) in &self.by_target {
            self.positions
                .extend(self.target.len() as u8..(self.target.len() as u32 + hole.start - at) as u8);
            self.target.extend_from_slice(&words[at as usize..hole.start as usize]);
            self.positions.resize(self.positions.len() + hole.len(), 0);
            self.target.push(Symbol::reference(number));
            at = hole.end;
        }
        self.positions.extend(self.target.len() as u8..(self.target.len() as u32 + span.end - at) as u8);
        self.target.extend_from_slice(&words[at as usize..span.end as usize]);
    }

    fn fill_source(&mut self, phrase: SpanPair, words: &[Symbol], matrix: &Matrix<'_>, variable: Symbol) {
        self.source.clear();
        self.links.clear();
        let mut at = phrase.source.start;
        for hole in 0..=self.by_source.len() {
            let end = self.by_source.get(hole).map_or(phrase.source.end, |hole| hole.start);
            for word in at..end {
                for link in matrix.of_source(word) {
                    let target = self.positions[(link.tgt - phrase.target.start) as usize];
                    self.links.push(RuleLink::new(self.source.len() as u8, target));
                }
                self.source.push(words[word as usize]);
            }
            if let Some(hole) = self.by_source.get(hole) {
                self.source.push(variable);
                at = hole.end;
            }
        }
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_usize(self.source.len());
        hasher.write(bytemuck::cast_slice(&self.source));
        hasher.write(bytemuck::cast_slice(&self.target));
        hasher.write(bytemuck::cast_slice(&self.links));
        hasher.finish()
    }
}

impl Arena {
    fn parts(&self, rule: &Stored) -> (&[Symbol], &[Symbol], &[RuleLink]) {
        (
            &self.symbols[rule.start as usize..rule.source_end as usize],
            &self.symbols[rule.source_end as usize..rule.target_end as usize],
            &self.links[rule.links_start as usize..rule.links_end as usize],
        )
    }

    fn find_or_insert(&mut self, draft: &Draft) -> u32 {
        let hash = draft.hash();
        let same = |&rule: &u32| {
            let rule = &self.rules[rule as usize];
            rule.hash == hash && self.parts(rule) == (&draft.source, &draft.target, &draft.links)
        };
        if let Some(&rule) = self.index.find(hash, same) {
            return rule;
        }
        let number = self.rules.len() as u32;
        let (start, links_start) = (self.symbols.len() as u32, self.links.len() as u32);
        self.symbols.extend_from_slice(&draft.source);
        let source_end = self.symbols.len() as u32;
        self.symbols.extend_from_slice(&draft.target);
        self.links.extend_from_slice(&draft.links);
        self.rules.push(Stored {
            hash,
            start,
            source_end,
            target_end: self.symbols.len() as u32,
            links_start,
            links_end: self.links.len() as u32,
            count: 0.0,
        });
        let Self { index, rules, .. } = self;
        index.insert_unique(hash, number, |&rule| rules[rule as usize].hash);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Sentences, lines};

    #[test]
    fn variables_are_numbered_by_the_source_side_and_links_follow_the_words() {
        let mut pair = Sentences::new(
            "er gab dem kind das buch",
            "he gave the book to the child",
            "0-0 1-1 2-4 2-5 3-6 4-2 5-3",
        );
        let span = |a, b| Span::new(a, b);
        let found = pair.with(|pair, vocab, batch| {
            let matrix = Matrix::new(pair.links, 6, 7);
            let mut rules = Rules::new(pair, &matrix, vocab);
            let phrase = SpanPair { source: span(0, 6), target: span(0, 7) };
            let object = SpanPair { source: span(4, 6), target: span(2, 4) };
            let dative = SpanPair { source: span(2, 4), target: span(4, 7) };
            rules.add(phrase, &[object, dative]);
            rules.add(phrase, &[dative]);
            rules.end_phrase(true);
            rules.add(phrase, &[dative]);
            rules.end_phrase(false);
            rules.hand_on(batch);
        });
        assert_eq!(
            lines(&found),
            [
                "er gab [X][X] [X][X] [X] ||| he gave [X][X] [X][X] [X] ||| 0-0 1-1 3-2 2-3 ||| 0.5",
                "er gab [X][X] das buch [X] ||| he gave the book [X][X] [X] ||| 0-0 1-1 3-2 4-3 2-4 ||| 1.5",
            ]
        );
    }

    #[test]
    fn a_rule_too_long_for_the_notation_is_left_out() {
        let words = vec!["a"; 300].join(" ");
        let links: Vec<String> = (0..300).map(|i| format!("{i}-{i}")).collect();
        let mut pair = Sentences::new(&words, &words, &links.join(" "));
        let whole = |n| SpanPair { source: Span::new(0, n), target: Span::new(0, n) };
        let found = pair.with(|pair, vocab, batch| {
            let matrix = Matrix::new(pair.links, 300, 300);
            let mut rules = Rules::new(pair, &matrix, vocab);
            rules.add(whole(300), &[]);
            rules.add(whole(300), &[whole(50)]);
            rules.end_phrase(true);
            rules.hand_on(batch);
        });
        assert_eq!(found.len(), 1);
    }
}
