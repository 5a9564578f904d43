//! From the options of a path to a derivation: every feature worked out anew from the tables, the language models and the
//! positions, independent of what the search summed up.

use super::joint::push;
use super::lexical::LexicalOptions;
use super::operations::{OperationOptions, Position};
use super::phrases::Models;
use super::table::PhraseTable;
use crate::derivation::{Applied, Derivation, NewStep};
use crate::features::{Features, Joint, RuleView, affiliate};
use crate::guide::GivenWords;
use std::f32::consts::LN_10;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_joint::{BEGIN, HISTORY, Word};
use treeglot_lm::State;
use treeglot_lm::special::EOS;
use treeglot_models::Guidance;
use treeglot_text::vocab::Sym;
use treeglot_tree::Span;

/// A phrase of a path: what was applied, where, and its words.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// What was applied.
    pub applied: Applied,
    /// The source words.
    pub span: Span,
    /// The target words.
    pub words: &'a [Sym],
}

/// Writes derivations of a system.
pub struct Deriver<'a, 's, T> {
    /// The tables.
    pub tables: &'a [T],
    /// The features and their weights.
    pub features: &'a Features,
    /// The words of the sentence.
    pub line: &'a [String],
    /// What was given for the sentence.
    pub guidance: &'a Guidance,
    /// The words and language models.
    pub models: &'a mut Models<'s>,
    /// The joint model, at the sentence.
    pub joint: Option<&'a mut Joint<'s>>,
    /// The lexical translation model, at the sentence.
    pub lexical: Option<&'a LexicalOptions<'s>>,
    /// The operation sequence model, at the sentence.
    pub operations: Option<&'a mut OperationOptions<'s>>,
}

impl<T: PhraseTable> Deriver<'_, '_, T> {
    /// The derivation of phrases in target order.
    pub fn derive<'p>(&mut self, phrases: impl ExactSizeIterator<Item = Placed<'p>>) -> Derivation {
        let mut derivation = Derivation::default();
        let mut states: Vec<State> =
            (0..self.models.len()).map(|lm| self.models.tables(lm).scorer().begin()).collect();
        let mut before: Option<Placed<'p>> = None;
        let mut last_words = [BEGIN; HISTORY];
        let (mut values, mut target, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let mut sparse = Vec::new();
        let mut position = self.operations.as_ref().map(|operations| operations.first());
        let count = phrases.len();
        for (number, phrase) in phrases.enumerate() {
            values.clear();
            values.resize(self.features.set().len(), 0.0);
            target.clear();
            target.extend(phrase.words.iter().map(|&word| Symbol::word(word)));
            self.own(&phrase, &target, &mut links, (&mut values, &mut sparse));
            self.moved(before.as_ref(), &phrase, &mut values);
            self.spoken(phrase.words, &mut states, number + 1 == count, &mut values);
            if let (Some(lexical), Some(at)) = (self.lexical, self.features.lexical()) {
                values[at] = lexical.value(
                    phrase.span.start..phrase.span.end,
                    phrase.applied,
                    (&target, &links),
                    self.models,
                );
            }
            self.operated(&phrase, &mut position, number + 1 == count, &mut values);
            self.joined((&phrase, &target, &links), &mut last_words, number + 1 == count, &mut values);
            let step = NewStep {
                label: 0,
                applied: phrase.applied,
                span: phrase.span,
                parent: None,
                target: &target,
                links: &links,
                features: &values,
                sparse: &sparse,
            };
            derivation.push(step, self.features.weights());
            before = Some(phrase);
        }
        derivation
    }

    /// The features of the rule by itself, and its links.
    fn own(
        &self,
        phrase: &Placed<'_>,
        target: &[Symbol],
        links: &mut Vec<RuleLink>,
        (values, sparse): (&mut [f32], &mut Vec<(u32, f32)>),
    ) {
        links.clear();
        let mut scores = Vec::new();
        match phrase.applied {
            Applied::Rule { table, rule } => {
                self.tables[table as usize].scores(rule, &mut scores);
                self.tables[table as usize].links(rule, links);
            }
            Applied::Given { given, choice, .. } => {
                let given = &self.guidance.given[given as usize];
                self.features.given_scores(given.choices[choice as usize].log_prob, &mut scores);
                links.extend(GivenWords::new(given, |_| Sym(0)).links(choice));
            }
            _ => links.extend((!target.is_empty()).then(|| RuleLink::new(0, 0))),
        }
        let source = self.source(phrase);
        let view = RuleView { applied: phrase.applied, source: &source, target, links, parse: 0.0 };
        self.features.values(&view, &scores, values);
        self.features.sparse_values(&view, sparse);
    }

    /// The source words of a phrase of a table, if a feature asks for them.
    fn source(&self, phrase: &Placed<'_>) -> Vec<Symbol> {
        let Applied::Rule { table, .. } = phrase.applied else { return Vec::new() };
        if !self.features.reads_source() {
            return Vec::new();
        }
        let (number, vocab) = (table as usize, self.models.vocab());
        let word = |word: &String| Some(vocab.of_table(number, self.tables[number].vocab().get(word)?));
        let span = phrase.span.start as usize..phrase.span.end as usize;
        self.line[span].iter().filter_map(word).map(Symbol::word).collect()
    }

    /// The features of where it stands.
    fn moved(&self, before: Option<&Placed<'_>>, phrase: &Placed<'_>, values: &mut [f32]) {
        let end = before.map_or(0, |before| before.span.end);
        values[self.features.distortion()] = -(end.abs_diff(phrase.span.start) as f32);
        let orientation = match before {
            _ if phrase.span.start == end => 0,
            Some(before) if before.span.start == phrase.span.end => 1,
            _ => 2,
        };
        let reordering = &mut values[self.features.reordering()];
        if let Some(scores) = self.reordering(phrase) {
            reordering[orientation] = scores[orientation];
        }
        if let Some(scores) = before.and_then(|before| self.reordering(before)) {
            reordering[3 + orientation] = scores[3 + orientation];
        }
    }

    fn reordering(&self, phrase: &Placed<'_>) -> Option<[f32; 6]> {
        match phrase.applied {
            Applied::Rule { table, rule } => self.tables[table as usize].reordering(rule),
            _ => None,
        }
    }

    /// The probability of its operations behind those before, and of the sentence's end after the last.
    fn operated(
        &mut self,
        phrase: &Placed<'_>,
        position: &mut Option<Position>,
        last: bool,
        values: &mut [f32],
    ) {
        let (Some(operations), Some(at)) = (self.operations.as_deref_mut(), self.features.operations())
        else {
            return;
        };
        let Some(from) = *position else { return };
        let span = phrase.span.start as usize..phrase.span.end as usize;
        let source: Vec<&str> = self.line[span].iter().map(String::as_str).collect();
        let target = (phrase.words, self.tables);
        let (value, after) =
            operations.value((phrase.applied, phrase.span.start), &source, target, self.models, from);
        values[at] = value + if last { operations.end(after) } else { 0.0 };
        *position = Some(after);
    }

    /// The joint model's probabilities of its words, and of the sentence's end after the last.
    fn joined(
        &mut self,
        (phrase, target, links): (&Placed<'_>, &[Symbol], &[RuleLink]),
        before: &mut [Word; HISTORY],
        last: bool,
        values: &mut [f32],
    ) {
        let (Some(joint), Some(at)) = (self.joint.as_deref_mut(), self.features.joint()) else { return };
        // As in the search: whatever is not of a table is affiliated with its first word.
        let links = if matches!(phrase.applied, Applied::Rule { .. }) { links } else { &[] };
        let mut affiliated = Vec::new();
        affiliate(target, links, &mut affiliated);
        for (&word, &source) in phrase.words.iter().zip(&affiliated) {
            let place = (phrase.span.start + u32::from(source)).min(u32::from(u16::MAX)) as u16;
            let word = joint.number(word, self.models.vocab());
            values[at] += joint.score(place, *before, word);
            push(before, word);
        }
        if last {
            values[at] += joint.end(*before);
        }
    }

    /// The probabilities of its words after those before, and of the sentence's end after the last.
    fn spoken(&mut self, words: &[Sym], states: &mut [State], last: bool, values: &mut [f32]) {
        for (lm, state) in states.iter_mut().enumerate() {
            let mut symbols: Vec<Sym> = words.iter().map(|&word| self.models.symbol(lm, word)).collect();
            symbols.extend(last.then_some(EOS));
            let mut sum = 0.0;
            let scorer = self.models.tables(lm).scorer();
            *state = scorer.score_many(state, symbols.into_iter(), |scored| sum += scored.prob);
            values[self.features.lms().start + lm] = sum * LN_10;
        }
    }
}
