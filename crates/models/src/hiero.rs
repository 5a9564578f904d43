//! `hiero`: hierarchical phrases (Chiang 2007, section 3): initial phrase pairs, and rules made from them by putting a
//! variable in place of smaller ones.

use crate::error::{Error, Result};
use crate::matrix::{Matrix, SpanPair};
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::rules::Rules;
use crate::spans::{SpanLimits, span_pairs};
use crate::{Model, TableRole};
use serde::{Deserialize, Serialize};
use treeglot_grammar::RuleSink;
use treeglot_text::vocab::Vocab;

/// Whose limits to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Chiang 2007, section 3.2
    #[default]
    Chiang,
    /// The defaults of Moses' extract-rules: holes of two source words and more, loose ends
    Moses,
}

/// The options of [`Hiero`]: a preset, and what differs from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HieroOptions {
    /// Whose limits to start from
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", value_enum, default_value_t))]
    pub preset: Preset,

    /// The most words on either side of an initial phrase [default: 10]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_span: Option<u32>,

    /// The most symbols on the source side of a rule [default: 5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_symbols_source: Option<u32>,

    /// The most symbols on the target side of a rule [default: no limit]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_symbols_target: Option<u32>,

    /// The most variables of a rule [default: 2]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_nonterm: Option<u32>,

    /// The least source words that a variable stands for [default: 1, moses 2]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub min_hole_source: Option<u32>,

    /// The least target words that a variable stands for [default: 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub min_hole_target: Option<u32>,

    /// The least words that a rule keeps on each side [default: 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub min_words: Option<u32>,

    /// Let phrases begin and end with words that have no links [default: no, moses yes]
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    pub loose: Option<bool>,

    /// Let variables stand side by side in the source [default: no]
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    pub adjacent_source: Option<bool>,

    /// Let variables stand side by side in the target [default: yes]
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    pub adjacent_target: Option<bool>,

    /// Make rules without any linked word, too [default: no]
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    pub unlinked: Option<bool>,

    /// Share a count of one among the rules of an initial phrase, instead of counting each once [default: yes; constrained: no]
    #[cfg_attr(feature = "clap", arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true"))]
    pub fractional: Option<bool>,
}

/// The limits that options and their preset come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    spans: SpanLimits,
    max_symbols_source: u32,
    max_symbols_target: u32,
    max_nonterm: usize,
    min_hole_source: u32,
    min_hole_target: u32,
    min_words: u32,
    adjacent_source: bool,
    adjacent_target: bool,
    unlinked: bool,
    fractional: bool,
}

impl Limits {
    /// The limits of `options` for a model that shares counts by default or not.
    pub fn new(options: &HieroOptions, fractional: bool) -> std::result::Result<Self, String> {
        let moses = options.preset == Preset::Moses;
        let limits = Self {
            spans: SpanLimits {
                max_words: options.max_span.unwrap_or(10),
                loose: options.loose.unwrap_or(moses),
            },
            max_symbols_source: options.max_symbols_source.unwrap_or(5),
            max_symbols_target: options.max_symbols_target.unwrap_or(u32::MAX),
            max_nonterm: options.max_nonterm.unwrap_or(2) as usize,
            min_hole_source: options.min_hole_source.unwrap_or(if moses { 2 } else { 1 }),
            min_hole_target: options.min_hole_target.unwrap_or(1),
            min_words: options.min_words.unwrap_or(1),
            adjacent_source: options.adjacent_source.unwrap_or(false),
            adjacent_target: options.adjacent_target.unwrap_or(true),
            unlinked: options.unlinked.unwrap_or(false),
            fractional: options.fractional.unwrap_or(fractional),
        };
        if !(1..=254).contains(&limits.spans.max_words) {
            return Err("`max-span` must be from 1 to 254".to_string());
        }
        if limits.max_symbols_source == 0 || limits.max_symbols_target == 0 {
            return Err("`max-symbols-source` and `max-symbols-target` must be at least 1".to_string());
        }
        Ok(limits)
    }

    /// The limits of initial phrases.
    pub fn spans(&self) -> SpanLimits {
        self.spans
    }

    /// Whether a phrase shares a count of one among its rules.
    pub fn fractional(&self) -> bool {
        self.fractional
    }
}

/// Which rules are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Initial phrases and rules made from them.
    All,
    /// Initial phrases alone.
    Initial,
    /// Rules with variables alone.
    Hierarchical,
}

/// The hierarchical phrase-based model.
#[derive(Debug, Clone)]
pub struct Hiero {
    limits: Limits,
}

impl Registered for Hiero {
    const NAME: &'static str = "hiero";
    const ABOUT: &'static str = "Hierarchical phrases (Chiang 2007): rules with variables, without trees";
    const ROLE: Option<TableRole> = Some(TableRole::Hierarchical);
    type Options = HieroOptions;

    fn new(options: HieroOptions) -> Result<Self> {
        let limits =
            Limits::new(&options, true).map_err(|why| Error::BadOptions { model: Self::NAME, why })?;
        Ok(Self { limits })
    }
}

impl Model for Hiero {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, sink: &mut dyn RuleSink) {
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let mut rules = Rules::new(pair, &matrix, vocab);
        add_rules(&matrix, &self.limits, Which::All, &mut rules);
        rules.hand_on(sink);
    }
}

/// Adds the rules of a pair with these links, by length and place of the target phrase, as Moses orders them.
pub fn add_rules(matrix: &Matrix<'_>, limits: &Limits, which: Which, rules: &mut Rules<'_>) {
    let phrases = span_pairs(matrix, limits.spans);
    add_rules_among(&phrases, matrix, limits, which, rules);
}

/// The same from some of the phrases that there are, in the order of [`span_pairs`].
pub fn add_rules_among(
    phrases: &[SpanPair],
    matrix: &Matrix<'_>,
    limits: &Limits,
    which: Which,
    rules: &mut Rules<'_>,
) {
    let mut by_length: Vec<SpanPair> = phrases.to_vec();
    by_length.sort_by_key(|phrase| phrase.target.len());
    let mut poker = Poker { matrix, limits, inside: Vec::new(), holes: Vec::new() };
    for phrase in by_length {
        let symbols = (phrase.source.len() as u32, phrase.target.len() as u32);
        let short = symbols.0 <= limits.max_symbols_source && symbols.1 <= limits.max_symbols_target;
        if short && which != Which::Hierarchical {
            rules.add(phrase, &[]);
        }
        if which != Which::Initial && limits.max_nonterm > 0 {
            poker.list_holes(phrase, phrases);
            poker.poke(phrase, 0, symbols, rules);
        }
        rules.end_phrase(limits.fractional);
    }
}

/// Pokes holes into a phrase.
struct Poker<'a> {
    matrix: &'a Matrix<'a>,
    limits: &'a Limits,
    /// The phrases that may become holes, by place in the target.
    inside: Vec<SpanPair>,
    holes: Vec<SpanPair>,
}

impl Poker<'_> {
    fn list_holes(&mut self, phrase: SpanPair, phrases: &[SpanPair]) {
        let first = phrases.partition_point(|p| p.target.start < phrase.target.start);
        let last = phrases.partition_point(|p| p.target.start < phrase.target.end);
        let (min_source, min_target) = (self.limits.min_hole_source, self.limits.min_hole_target);
        self.inside.clear();
        self.inside.extend(phrases[first..last].iter().filter(|hole| {
            phrase.covers(**hole)
                && hole.target != phrase.target
                && hole.source.len() >= min_source as usize
                && hole.target.len() >= min_target as usize
        }));
    }

    /// Adds the rules with one hole more than there are, each followed by those with still more. `words` are how many
    /// each side has left; holes are tried from number `from` on.
    fn poke(&mut self, phrase: SpanPair, from: usize, words: (u32, u32), rules: &mut Rules<'_>) {
        let limits = self.limits;
        let variables = self.holes.len() as u32 + 1;
        for number in from..self.inside.len() {
            let hole = self.inside[number];
            if self.clashes(hole) {
                continue;
            }
            let left = (words.0 - hole.source.len() as u32, words.1 - hole.target.len() as u32);
            let fits = left.0 + variables <= limits.max_symbols_source
                && left.1.saturating_add(variables) <= limits.max_symbols_target;
            let last = self.holes.len() + 1 == limits.max_nonterm;
            if (last && !fits) || left.0.min(left.1) < limits.min_words {
                continue;
            }
            self.holes.push(hole);
            if limits.unlinked || self.keeps_a_link(phrase) {
                if fits {
                    rules.add(phrase, &self.holes);
                }
                if !last {
                    let start = hole.target.end + u32::from(!limits.adjacent_target);
                    let skip = self.inside[number..].partition_point(|next| next.target.start < start);
                    self.poke(phrase, number + skip, left, rules);
                }
            }
            self.holes.pop();
        }
    }

    /// Whether a hole overlaps in the source with one there is, or touches it where that is not allowed.
    fn clashes(&self, hole: SpanPair) -> bool {
        let gap = u32::from(!self.limits.adjacent_source);
        let apart = |a: SpanPair, b: SpanPair| a.source.end + gap <= b.source.start;
        self.holes.iter().any(|&other| !apart(other, hole) && !apart(hole, other))
    }

    fn keeps_a_link(&self, phrase: SpanPair) -> bool {
        let in_holes: u32 = self.holes.iter().map(|hole| self.matrix.linked_in_target(hole.target)).sum();
        self.matrix.linked_in_target(phrase.target) > in_holes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Sentences, rules_of};
    use proptest::prelude::*;
    use treeglot_align::Link;
    use treeglot_tree::Span;

    #[test]
    fn rules_of_figure_2() {
        let mut pair = Sentences::new("white house", "casa blanca", "0-1 1-0");
        let model = Hiero::new(HieroOptions::default()).unwrap();
        let mut rules = rules_of(&pair.extract(&model));
        rules.sort();
        assert_eq!(
            rules,
            [
                "X0 house -> casa X0",
                "house -> casa",
                "white -> blanca",
                "white X0 -> X0 blanca",
                "white house -> casa blanca",
            ]
        );
    }

    #[test]
    fn a_phrase_shares_one_count_among_its_rules() {
        let mut pair = Sentences::new("white house", "casa blanca", "0-1 1-0");
        let count_of = |fractional, pair: &mut Sentences| -> Vec<String> {
            let options = HieroOptions { fractional: Some(fractional), ..HieroOptions::default() };
            let lines = pair.extract(&Hiero::new(options).unwrap());
            lines.iter().map(|line| line.rsplit(' ').next().unwrap().to_string()).collect()
        };
        assert_eq!(count_of(true, &mut pair), ["1", "1", "0.333333", "0.333333", "0.333333"]);
        assert_eq!(count_of(false, &mut pair), ["1"; 5]);
    }

    #[test]
    fn loose_ends_and_larger_holes_are_those_of_moses() {
        let mut pair = Sentences::new("a b c", "x y", "0-0 2-1");
        let moses = HieroOptions { preset: Preset::Moses, ..HieroOptions::default() };
        let rules = rules_of(&pair.extract(&Hiero::new(moses).unwrap()));
        assert!(rules.contains(&"X0 c -> X0 y".to_string()) && rules.contains(&"a X0 -> x X0".to_string()));
        assert!(!rules.contains(&"X0 b c -> X0 y".to_string()));
        let rules = rules_of(&pair.extract(&Hiero::new(HieroOptions::default()).unwrap()));
        assert_eq!(rules, ["a -> x", "c -> y", "a b c -> x y", "X0 b c -> X0 y", "a b X0 -> x X0"]);
    }

    /// All rules by trying every set of span pairs as holes.
    fn brute_force(
        links: &[Link],
        source: u32,
        target: u32,
        limits: &Limits,
    ) -> Vec<(SpanPair, Vec<SpanPair>)> {
        let spans = |len: u32| (0..len).flat_map(move |a| (a + 1..=len).map(move |b| Span::new(a, b)));
        let inside = |span: Span, word: u32| span.start <= word && word < span.end;
        let linked = |s: u32, t: u32| links.iter().any(|l| l.src == s) && links.iter().any(|l| l.tgt == t);
        let mut phrases = Vec::new();
        for (source, target) in spans(source).flat_map(|s| spans(target).map(move |t| (s, t))) {
            let crossing = links.iter().any(|l| inside(source, l.src) != inside(target, l.tgt));
            let any = links.iter().any(|l| inside(source, l.src));
            let tight = linked(source.start, target.start) && linked(source.end - 1, target.end - 1);
            let short = source.len().max(target.len()) <= limits.spans.max_words as usize;
            if any && !crossing && short && (limits.spans.loose || tight) {
                phrases.push(SpanPair { source, target });
            }
        }
        let mut sets = vec![Vec::new()];
        for (k, &a) in phrases.iter().enumerate() {
            sets.push(vec![a]);
            sets.extend(phrases[..k].iter().map(|&b| vec![b, a]));
        }
        let mut rules = Vec::new();
        for (&phrase, holes) in phrases.iter().flat_map(|p| sets.iter().map(move |s| (p, s))) {
            if allowed(phrase, holes, links, limits) {
                rules.push((phrase, holes.clone()));
            }
        }
        rules
    }

    /// Chiang's restrictions, each as it is worded.
    fn allowed(phrase: SpanPair, holes: &[SpanPair], links: &[Link], limits: &Limits) -> bool {
        let in_hole_s = |w: u32| holes.iter().any(|h| h.source.start <= w && w < h.source.end);
        let in_hole_t = |w: u32| holes.iter().any(|h| h.target.start <= w && w < h.target.end);
        let source_words = (phrase.source.start..phrase.source.end).filter(|&w| !in_hole_s(w)).count();
        let target_words = (phrase.target.start..phrase.target.end).filter(|&w| !in_hole_t(w)).count();
        let apart = |a: Span, b: Span, gap: u32| a.end + gap <= b.start || b.end + gap <= a.start;
        let gap = u32::from(!limits.adjacent_source);
        let disjoint = holes.iter().enumerate().all(|(k, a)| {
            holes[..k].iter().all(|b| apart(a.source, b.source, gap) && apart(a.target, b.target, 0))
        });
        let large = holes.iter().all(|h| {
            h.source.len() >= limits.min_hole_source as usize
                && phrase.covers(*h)
                && h.target != phrase.target
        });
        let word_link = links.iter().any(|l| {
            (phrase.source.start..phrase.source.end).contains(&l.src)
                && !in_hole_s(l.src)
                && !in_hole_t(l.tgt)
        });
        disjoint
            && large
            && source_words + holes.len() <= limits.max_symbols_source as usize
            && source_words.min(target_words) >= 1
            && word_link
    }

    proptest! {
        #[test]
        fn exactly_the_rules_that_the_definition_allows(
            (source, target) in (1u32..6, 1u32..6),
            cells in prop::collection::vec((0u32..6, 0u32..6), 1..7),
            moses: bool,
            adjacent: bool,
        ) {
            let mut links: Vec<Link> = cells.iter().map(|&(s, t)| Link::new(s % source, t % target)).collect();
            links.sort_unstable();
            links.dedup();
            let preset = if moses { Preset::Moses } else { Preset::Chiang };
            let options = HieroOptions {
                preset,
                max_span: Some(4),
                max_symbols_source: Some(3),
                adjacent_source: Some(adjacent),
                fractional: Some(false),
                ..HieroOptions::default()
            };
            let limits = Limits::new(&options, true).unwrap();
            let mut pair = Sentences::numbered(source, target, &links);
            let found = pair.extract(&Hiero { limits });
            let expected = pair.lines_of(&brute_force(&links, source, target, &limits));
            let sorted = |mut lines: Vec<String>| { lines.sort(); lines };
            prop_assert_eq!(sorted(found), sorted(expected));
        }
    }
}
