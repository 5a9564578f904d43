//! From paths of hypotheses to derivations: every feature worked out anew from the tables, the language models and the
//! positions, independent of what the search summed up. Paths of a list go the same ways for the most part: what an arc contributes
//! after another is worked out once, for the words before matter no further than the hypothesis between the two remembers.

use super::hypotheses::{Hypotheses, NONE};
use super::joint::push;
use super::lexical::LexicalOptions;
use super::operations::{OperationOptions, Position};
use super::options::Options;
use super::phrases::{Models, Phrases};
use super::table::PhraseTable;
use crate::derivation::{Applied, Derivation, NewStep, kept};
use crate::features::{Features, Joint, RuleView, affiliate};
use crate::guide::GivenWords;
use crate::vocab::SentenceVocab;
use rustc_hash::FxHashMap;
use std::f32::consts::LN_10;
use std::ops::Range;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_joint::{BEGIN, HISTORY, Word};
use treeglot_lm::State;
use treeglot_lm::special::EOS;
use treeglot_models::Guidance;
use treeglot_text::vocab::Sym;
use treeglot_tree::Span;

/// A phrase of a path: what was applied, where, and its words.
#[derive(Debug, Clone, Copy)]
struct Placed<'a> {
    applied: Applied,
    span: Span,
    words: &'a [Sym],
}

/// What a sentence's derivations are read off, and what they are worked out from.
pub struct Sources<'a, 's, T> {
    /// The tables.
    pub tables: &'a [T],
    /// The features and their weights.
    pub features: &'a Features,
    /// The words of the sentence.
    pub line: &'a [String],
    /// What was given for the sentence.
    pub guidance: &'a Guidance,
    /// What the search found.
    pub hypotheses: &'a Hypotheses,
    /// The options it chose from.
    pub options: &'a Options,
    /// Their phrases.
    pub phrases: &'a Phrases,
    /// The words and language models.
    pub models: &'a mut Models<'s>,
    /// The joint model, at the sentence.
    pub joint: Option<&'a mut Joint<'s>>,
    /// The lexical translation model, at the sentence.
    pub lexical: Option<&'a LexicalOptions<'s>>,
    /// The operation sequence model, at the sentence.
    pub operations: Option<&'a mut OperationOptions<'s>>,
}

/// Writes derivations of a sentence.
pub struct Deriver<'a, 's, T> {
    from: Sources<'a, 's, T>,
    /// The numbers of steps that were worked out, by the arc before and their own.
    known: FxHashMap<(u32, u32), u32>,
    steps: Vec<Filled>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    values: Vec<f32>,
    sparse: Vec<(u32, f32)>,
    /// The states of the language models after each step.
    states: Vec<State>,
}

/// A step with what it contributes, and what the next one needs to know.
#[derive(Clone)]
struct Filled {
    applied: Applied,
    span: Span,
    target: Range<usize>,
    links: Range<usize>,
    values: Range<usize>,
    sparse: Range<usize>,
    last_words: [Word; HISTORY],
    position: Option<Position>,
}

impl<'a, 's, T: PhraseTable> Deriver<'a, 's, T> {
    /// Nothing is worked out yet.
    pub fn new(from: Sources<'a, 's, T>) -> Self {
        Self {
            from,
            known: FxHashMap::default(),
            steps: Vec::new(),
            target: Vec::new(),
            links: Vec::new(),
            values: Vec::new(),
            sparse: Vec::new(),
            states: Vec::new(),
        }
    }

    /// The words of the tables and of the sentence.
    pub fn vocab(&self) -> &SentenceVocab<'s> {
        self.from.models.vocab()
    }

    /// Writes the derivation of a path of arcs in target order.
    pub fn derive(&mut self, path: &[u32], derivation: &mut Derivation) {
        derivation.clear();
        let (mut before, mut last) = (NONE, None);
        for (at, &arc) in path.iter().enumerate() {
            let number = match self.known.get(&(before, arc)) {
                Some(&known) => known,
                None => self.fill((before, last), arc, at + 1 == path.len()),
            };
            let filled = &self.steps[number as usize];
            let step = NewStep {
                label: 0,
                applied: filled.applied,
                span: filled.span,
                parent: None,
                target: &self.target[filled.target.clone()],
                links: &self.links[filled.links.clone()],
                features: &self.values[filled.values.clone()],
                sparse: &self.sparse[filled.sparse.clone()],
            };
            derivation.push(step, self.from.features.weights());
            (before, last) = (arc, Some(number));
        }
    }

    /// Works out what an arc contributes after another; the number of that.
    fn fill(&mut self, (arc_before, before): (u32, Option<u32>), arc: u32, last: bool) -> u32 {
        let phrase = self.placed(arc);
        let before = before.map(|step| (step as usize, self.steps[step as usize].clone()));
        let mut values = vec![0.0; self.from.features.set().len()];
        let target: Vec<Symbol> = phrase.words.iter().map(|&word| Symbol::word(word)).collect();
        let (mut links, mut sparse) = (Vec::new(), Vec::new());
        self.own(&phrase, &target, &mut links, (&mut values, &mut sparse));
        self.moved(before.as_ref().map(|(_, before)| before), &phrase, &mut values);
        self.spoken(phrase.words, before.as_ref().map(|&(step, _)| step), last, &mut values);
        if let (Some(lexical), Some(at)) = (self.from.lexical, self.from.features.lexical()) {
            let span = phrase.span.start..phrase.span.end;
            values[at] = lexical.value(span, phrase.applied, (&target, &links), self.from.models);
        }
        let mut position = match &before {
            Some((_, before)) => before.position,
            None => self.from.operations.as_ref().map(|operations| operations.first()),
        };
        self.operated(&phrase, &mut position, last, &mut values);
        let mut last_words = before.map_or([BEGIN; HISTORY], |(_, before)| before.last_words);
        self.joined((&phrase, &target, &links), &mut last_words, last, &mut values);
        let number = self.steps.len() as u32;
        self.steps.push(Filled {
            applied: phrase.applied,
            span: phrase.span,
            target: kept(&mut self.target, &target),
            links: kept(&mut self.links, &links),
            values: kept(&mut self.values, &values),
            sparse: kept(&mut self.sparse, &sparse),
            last_words,
            position,
        });
        self.known.insert((arc_before, arc), number);
        number
    }

    /// The phrase of an arc.
    fn placed(&self, arc: u32) -> Placed<'a> {
        let Sources { hypotheses, options, phrases, .. } = self.from;
        let option = hypotheses.arc(arc).option;
        let phrase = options.get(option).phrase;
        let (applied, words) = (phrases.get(phrase).applied, phrases.words(phrase));
        Placed { applied, span: options.span_of(option), words }
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
                self.from.tables[table as usize].scores(rule, &mut scores);
                self.from.tables[table as usize].links(rule, links);
            }
            Applied::Given { given, choice, .. } => {
                let given = &self.from.guidance.given[given as usize];
                self.from.features.given_scores(given.choices[choice as usize].log_prob, &mut scores);
                links.extend(GivenWords::new(given, |_| Sym(0)).links(choice));
            }
            _ => links.extend((!target.is_empty()).then(|| RuleLink::new(0, 0))),
        }
        let source = self.source(phrase);
        let view = RuleView { applied: phrase.applied, source: &source, target, links, parse: 0.0 };
        self.from.features.values(&view, &scores, values);
        self.from.features.sparse_values(&view, sparse);
    }

    /// The source words of a phrase of a table, if a feature asks for them.
    fn source(&self, phrase: &Placed<'_>) -> Vec<Symbol> {
        let Applied::Rule { table, .. } = phrase.applied else { return Vec::new() };
        if !self.from.features.reads_source() {
            return Vec::new();
        }
        let (number, vocab) = (table as usize, self.from.models.vocab());
        let word = |word: &String| Some(vocab.of_table(number, self.from.tables[number].vocab().get(word)?));
        let span = phrase.span.start as usize..phrase.span.end as usize;
        self.from.line[span].iter().filter_map(word).map(Symbol::word).collect()
    }

    /// The features of where it stands.
    fn moved(&self, before: Option<&Filled>, phrase: &Placed<'_>, values: &mut [f32]) {
        let end = before.map_or(0, |before| before.span.end);
        values[self.from.features.distortion()] = -(end.abs_diff(phrase.span.start) as f32);
        let orientation = match before {
            _ if phrase.span.start == end => 0,
            Some(before) if before.span.start == phrase.span.end => 1,
            _ => 2,
        };
        let reordering = &mut values[self.from.features.reordering()];
        if let Some(scores) = self.reordering(phrase.applied) {
            reordering[orientation] = scores[orientation];
        }
        if let Some(scores) = before.and_then(|before| self.reordering(before.applied)) {
            reordering[3 + orientation] = scores[3 + orientation];
        }
    }

    fn reordering(&self, applied: Applied) -> Option<[f32; 6]> {
        match applied {
            Applied::Rule { table, rule } => self.from.tables[table as usize].reordering(rule),
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
        let (Some(operations), Some(at)) =
            (self.from.operations.as_deref_mut(), self.from.features.operations())
        else {
            return;
        };
        let Some(from) = *position else { return };
        let span = phrase.span.start as usize..phrase.span.end as usize;
        let source: Vec<&str> = self.from.line[span].iter().map(String::as_str).collect();
        let target = (phrase.words, self.from.tables);
        let (value, after) =
            operations.value((phrase.applied, phrase.span.start), &source, target, self.from.models, from);
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
        let (Some(joint), Some(at)) = (self.from.joint.as_deref_mut(), self.from.features.joint()) else {
            return;
        };
        // As in the search: whatever is not of a table is affiliated with its first word.
        let links = if matches!(phrase.applied, Applied::Rule { .. }) { links } else { &[] };
        let mut affiliated = Vec::new();
        affiliate(target, links, &mut affiliated);
        for (&word, &source) in phrase.words.iter().zip(&affiliated) {
            let place = (phrase.span.start + u32::from(source)).min(u32::from(u16::MAX)) as u16;
            let word = joint.number(word, self.from.models.vocab());
            values[at] += joint.score(place, *before, word);
            push(before, word);
        }
        if last {
            values[at] += joint.end(*before);
        }
    }

    /// The probabilities of its words after those of a step, and of the sentence's end after the last; keeps the states after it.
    fn spoken(&mut self, words: &[Sym], before: Option<usize>, last: bool, values: &mut [f32]) {
        let lms = self.from.models.len();
        for lm in 0..lms {
            let mut symbols: Vec<Sym> = words.iter().map(|&word| self.from.models.symbol(lm, word)).collect();
            symbols.extend(last.then_some(EOS));
            let mut sum = 0.0;
            let scorer = self.from.models.tables(lm).scorer();
            let state = before.map_or_else(|| scorer.begin(), |step| self.states[step * lms + lm]);
            let after = scorer.score_many(&state, symbols.into_iter(), |scored| sum += scored.prob);
            self.states.push(after);
            values[self.from.features.lms().start + lm] = sum * LN_10;
        }
    }
}
