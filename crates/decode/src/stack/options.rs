//! The translation options of one sentence: for each span that a table knows, its best phrases; for each word without
//! any, its copy.

use super::phrases::{Choice, Models, Phrase, Phrases};
use super::table::PhraseTable;
use crate::guide::{Guide, UnknownWords};
use std::ops::Range;
use treeglot_grammar::Symbol;
use treeglot_models::{Binding, Guidance};
use treeglot_tree::Span;

/// A source span with its options, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanOptions {
    /// The first word.
    pub start: u32,
    /// The position behind the last word.
    pub end: u32,
    first: u32,
    count: u32,
}

impl SpanOptions {
    /// The numbers of its options.
    pub fn options(self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

/// The options of a sentence.
#[derive(Debug, Default)]
pub struct Options {
    words: u32,
    spans: Vec<SpanOptions>,
    /// Where the spans from each position begin in `spans`; one more for the end.
    starts: Vec<u32>,
    options: Vec<Choosable>,
}

/// An option: what the search reads of its phrase over and over, in one place.
#[derive(Debug, Clone, Copy)]
pub struct Choosable {
    /// The phrase.
    pub phrase: u32,
    /// All it scores by itself.
    pub score: f32,
    /// What lexicalised reordering adds to it, by orientation.
    pub backward: [f32; 3],
    /// What it adds to the next phrase.
    pub forward: [u32; 4],
}

/// Takes out the options that what is given does not allow.
fn bind(
    found: &mut Vec<(u32, u32, u32)>,
    guidance: &Guidance,
    guide: &Guide,
    phrases: &Phrases,
    models: &Models<'_>,
) {
    for (given, words) in guidance.given.iter().zip(&guide.given).filter(|(given, _)| given.binds()) {
        found.retain(|&(start, end, phrase)| {
            let span = Span::new(start, end);
            let text = phrases.words(phrase).iter().map(|&word| models.vocab().text(word));
            let constrained = given.binding == Binding::Constraint && span.covers(given.span);
            !given.overlaps(span) || constrained && words.is_within(text, models.vocab())
        });
    }
}

impl Options {
    /// Collects the options of a sentence. Phrases have at most `longest` source words.
    pub fn fill<T: PhraseTable>(
        &mut self,
        words: &[&str],
        (tables, longest): (&[T], usize),
        choice: Choice<'_>,
        (guidance, unknown): (&Guidance, UnknownWords),
        phrases: &mut Phrases,
        models: &mut Models<'_>,
    ) {
        let mut found = Vec::new();
        for (number, table) in tables.iter().enumerate() {
            let known = |word: &&str| table.vocab().get(word).map(Symbol::word);
            let symbols: Vec<Option<Symbol>> = words.iter().map(known).collect();
            for start in 0..words.len() {
                let mut node = table.root();
                for (at, symbol) in symbols[start..].iter().enumerate().take(longest) {
                    let Some(next) = symbol.and_then(|symbol| table.child(node, symbol)) else { break };
                    node = next;
                    let read = symbols[start..start + at + 1].iter().flatten();
                    for phrase in phrases.of_node((number as u32, table), (node, read), choice, models) {
                        found.push((start as u32, (start + at + 1) as u32, phrase));
                    }
                }
            }
        }
        let mut guide = Guide::default();
        guide.read(words.iter().copied(), guidance, unknown, |word| models.local(word));
        bind(&mut found, guidance, &guide, phrases, models);
        for (number, given) in (0..).zip(&guidance.given) {
            for option in phrases.given(number, &guide.given[number as usize], choice, models) {
                found.push((given.span.start, given.span.end, option));
            }
        }
        self.copy_unknown(&guide, &mut found, (choice, guidance), phrases, models);
        self.arrange(words.len() as u32, &mut found, phrases);
    }

    /// Adds a copy of each word that has no option of its own.
    fn copy_unknown(
        &mut self,
        guide: &Guide,
        found: &mut Vec<(u32, u32, u32)>,
        (choice, guidance): (Choice<'_>, &Guidance),
        phrases: &mut Phrases,
        models: &mut Models<'_>,
    ) {
        let mut known: Vec<bool> =
            (0..guide.copies.len() as u32).map(|at| guidance.binding_at(at).is_some()).collect();
        for &(start, end, _) in found.iter().filter(|(start, end, _)| start + 1 == *end) {
            known[start as usize] = end > start;
        }
        for (at, &word) in guide.copies.iter().enumerate().filter(|(at, _)| !known[*at]) {
            found.push((at as u32, at as u32 + 1, phrases.unknown(word, choice, models)));
        }
    }

    /// Sorts options by span and, within a span, by score.
    fn arrange(&mut self, words: u32, found: &mut [(u32, u32, u32)], phrases: &Phrases) {
        found.sort_by(|a, b| {
            let score = |option: &(u32, u32, u32)| phrases.get(option.2).score;
            (a.0, a.1).cmp(&(b.0, b.1)).then(score(b).total_cmp(&score(a))).then(a.2.cmp(&b.2))
        });
        self.words = words;
        self.spans.clear();
        self.options.clear();
        self.starts.clear();
        for &(start, end, phrase) in &*found {
            match self.spans.last_mut() {
                Some(span) if (span.start, span.end) == (start, end) => span.count += 1,
                _ => {
                    self.starts.resize(start as usize + 1, self.spans.len() as u32);
                    self.spans.push(SpanOptions { start, end, first: self.options.len() as u32, count: 1 });
                }
            }
            let Phrase { score, backward, forward, .. } = *phrases.get(phrase);
            self.options.push(Choosable { phrase, score, backward, forward });
        }
        self.starts.resize(words as usize + 1, self.spans.len() as u32);
    }

    /// Adds to the score of each option, and sorts those of each span anew. Gives the former number of each.
    pub fn add_scores(&mut self, added: &[f32]) -> Vec<u32> {
        self.options.iter_mut().zip(added).for_each(|(option, added)| option.score += added);
        let mut order: Vec<u32> = (0..self.options.len() as u32).collect();
        for span in &self.spans {
            let score = |&option: &u32| self.options[option as usize].score;
            let options = &mut order[span.first as usize..(span.first + span.count) as usize];
            options.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        }
        self.options = order.iter().map(|&option| self.options[option as usize]).collect();
        order
    }

    /// The phrase and the first source word of each option.
    pub fn placed_phrases(&self) -> impl Iterator<Item = (u32, Range<u32>)> {
        let of_span = |&span: &SpanOptions| span.options().map(move |option| (option, span.start..span.end));
        self.spans.iter().flat_map(of_span).map(|(option, span)| (self.get(option).phrase, span))
    }

    /// How many source words there are.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// The spans that begin at a position, the shortest first.
    pub fn from(&self, start: u32) -> &[SpanOptions] {
        let [first, end] = [start, start + 1].map(|at| self.starts[at as usize] as usize);
        &self.spans[first..end]
    }

    /// An option.
    #[inline]
    pub fn get(&self, option: u32) -> &Choosable {
        &self.options[option as usize]
    }

    /// The span of an option.
    pub fn span_of(&self, option: u32) -> Span {
        let at = self.spans.partition_point(|span| span.first <= option) - 1;
        Span::new(self.spans[at].start, self.spans[at].end)
    }
}
