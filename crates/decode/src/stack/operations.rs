//! An operation sequence model in stack search: the steps of each option, and beside the other contexts of hypotheses the last
//! operations, the source words that are generated and where the last one stands.

use super::context::Context;
use super::coverage::Coverage;
use super::options::Options;
use super::phrases::{Models, Phrases};
use super::table::PhraseTable;
use crate::derivation::Applied;
use crate::operations::{Generated, Move, Step, go, script};
use rustc_hash::FxHashMap;
use std::f32::consts::LN_10;
use std::ops::Range;
use treeglot_grammar::RuleLink;
use treeglot_lm::special::EOS;
use treeglot_lm::{AnyTables, Lm, State};
use treeglot_text::vocab::Sym;

/// Past so many steps all are forgotten at the begin of a sentence.
const KEPT: usize = 1 << 20;

impl Generated for Coverage {
    fn has(&self, position: u32) -> bool {
        self.covers(position)
    }

    fn end(&self) -> u32 {
        Coverage::end(*self)
    }
}

/// Where a hypothesis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The source words that are generated.
    generated: Coverage,
    /// The position behind the one generated last.
    at: u32,
    /// The operations before.
    before: State,
}

/// An operation sequence model with its weight.
struct Model<'s> {
    lm: &'s Lm,
    tables: AnyTables<'s>,
    weight: f32,
    moves: Vec<Sym>,
}

impl Model<'_> {
    fn score(&self, sum: &mut f32, before: &mut State, operation: Sym) {
        let (scored, after) = self.tables.score(before, operation);
        *sum += scored.prob * LN_10;
        *before = after;
    }

    /// The score of the steps of a phrase that begins at a source position, and where they lead.
    fn walk(&self, steps: &[Step<Sym>], start: u32, from: Position) -> (f32, Position) {
        let (mut sum, mut here) = (0.0, from);
        for step in steps {
            if let Some(source) = step.source {
                let to = start + source;
                let before = &mut here.before;
                go(here.at, to, &here.generated, |how| {
                    self.score(&mut sum, before, self.moves[how.number()]);
                });
                here.generated = here.generated.with(to, to + 1);
                here.at = to + 1;
            }
            self.score(&mut sum, &mut here.before, step.operation);
        }
        (sum, here)
    }
}

/// An operation sequence model with the options of a sentence; owned by a thread.
pub struct OperationOptions<'s> {
    model: Model<'s>,
    /// The steps of phrases, and where those of each rule are.
    steps: Vec<Step<Sym>>,
    known: FxHashMap<(u32, u32), Range<u32>>,
    /// Of each option its steps, its first source word and its score by itself.
    options: Vec<(Range<u32>, u32, f32)>,
    /// Where hypotheses are, with the number of the context that another feature knows it by.
    contexts: Vec<(u32, Position)>,
    numbers: FxHashMap<(u32, Position), u32>,
}

impl<'s> OperationOptions<'s> {
    /// A model without a sentence.
    pub fn new(lm: &'s Lm, weight: f32) -> Self {
        let moves = Move::all().map(|how| lm.symbol(&how.name())).collect();
        Self {
            model: Model { lm, tables: lm.tables(), weight, moves },
            steps: Vec::new(),
            known: FxHashMap::default(),
            options: Vec::new(),
            contexts: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Begins a sentence whose options were collected, and adds to their scores. Once they are in their last order,
    /// [`OperationOptions::arrange`] has to see them.
    pub fn begin<T: PhraseTable>(
        &mut self,
        words: &[&str],
        options: &mut Options,
        (phrases, tables): (&Phrases, &[T]),
        models: &Models<'_>,
    ) {
        if self.steps.len() > KEPT {
            self.known.clear();
            self.steps.clear();
        }
        self.contexts.clear();
        self.numbers.clear();
        self.arrange(words, options, (phrases, tables), models);
        let added: Vec<f32> = self.options.iter().map(|(_, _, alone)| self.model.weight * alone).collect();
        options.add_scores(&added);
    }

    /// Finds the steps of all options.
    pub fn arrange<T: PhraseTable>(
        &mut self,
        words: &[&str],
        options: &Options,
        (phrases, tables): (&Phrases, &[T]),
        models: &Models<'_>,
    ) {
        self.options.clear();
        for (phrase, span) in options.placed_phrases() {
            let source = &words[span.start as usize..span.end as usize];
            let applied = phrases.get(phrase).applied;
            let steps = self.steps_of(applied, source, (phrases.words(phrase), tables), models);
            let generated = Coverage::before(span.start);
            let alone = Position { generated, at: span.start, before: State::default() };
            let of_steps = &self.steps[steps.start as usize..steps.end as usize];
            let (alone, _) = self.model.walk(of_steps, span.start, alone);
            self.options.push((steps, span.start, alone));
        }
    }

    /// The steps of a phrase with these source and target words.
    fn steps_of<T: PhraseTable>(
        &mut self,
        applied: Applied,
        source: &[&str],
        (target, tables): (&[Sym], &[T]),
        models: &Models<'_>,
    ) -> Range<u32> {
        let rule = match applied {
            Applied::Rule { table, rule } => Some((table, rule)),
            _ => None,
        };
        if let Some(known) = rule.and_then(|rule| self.known.get(&rule)) {
            return known.clone();
        }
        let mut links: Vec<RuleLink> = Vec::new();
        if let Some((table, rule)) = rule {
            tables[table as usize].links(rule, &mut links);
        }
        let within =
            |link: &RuleLink| usize::from(link.src) < source.len() && usize::from(link.tgt) < target.len();
        let mut pairs: Vec<(usize, usize)> =
            links.iter().filter(|link| within(link)).map(|link| (link.src.into(), link.tgt.into())).collect();
        if rule.is_none() && !target.is_empty() {
            // What is of no table translates as a whole.
            pairs.extend((0..source.len()).map(|at| (at, 0)).chain((0..target.len()).map(|at| (0, at))));
        }
        let target: Vec<&str> = target.iter().map(|&word| models.vocab().text(word)).collect();
        let first = self.steps.len() as u32;
        let looked_up =
            |step: Step| Step { source: step.source, operation: self.model.lm.symbol(&step.operation) };
        self.steps.extend(script(source, &target, &pairs).into_iter().map(looked_up));
        let range = first..self.steps.len() as u32;
        if let Some(rule) = rule {
            self.known.insert(rule, range.clone());
        }
        range
    }

    /// Where every sentence begins.
    pub fn first(&self) -> Position {
        Position { generated: Coverage::default(), at: 0, before: self.model.tables.scorer().begin() }
    }

    /// The value of a phrase of these words behind others, and where it leads.
    pub fn value<T: PhraseTable>(
        &mut self,
        (applied, start): (Applied, u32),
        source: &[&str],
        (target, tables): (&[Sym], &[T]),
        models: &Models<'_>,
        from: Position,
    ) -> (f32, Position) {
        let steps = self.steps_of(applied, source, (target, tables), models);
        self.model.walk(&self.steps[steps.start as usize..steps.end as usize], start, from)
    }

    /// The value of the sentence's end.
    pub fn end(&self, at: Position) -> f32 {
        self.model.tables.score(&at.before, EOS).0.prob * LN_10
    }

    fn number(&mut self, context: u32, at: Position) -> u32 {
        *self.numbers.entry((context, at)).or_insert_with(|| {
            self.contexts.push((context, at));
            self.contexts.len() as u32 - 1
        })
    }
}

/// Contexts with what an operation sequence model looks at.
pub struct WithOperations<'a, 's, C> {
    /// The other contexts.
    pub inner: C,
    /// The options of the sentence.
    pub options: &'a mut OperationOptions<'s>,
}

impl<C: Context> Context for WithOperations<'_, '_, C> {
    fn begin(&mut self) -> u32 {
        let inner = self.inner.begin();
        let first = self.options.first();
        self.options.number(inner, first)
    }

    fn extend(&mut self, context: u32, phrase: u32, option: u32) -> Option<(f32, u32)> {
        let (inner, from) = self.options.contexts[context as usize];
        let (change, inner) = self.inner.extend(inner, phrase, option)?;
        let (steps, start, alone) = &self.options.options[option as usize];
        let steps = &self.options.steps[steps.start as usize..steps.end as usize];
        let (score, after) = self.options.model.walk(steps, *start, from);
        let change = change + self.options.model.weight * (score - alone);
        Some((change, self.options.number(inner, after)))
    }

    fn finish(&mut self, context: u32) -> Option<f32> {
        let (inner, at) = self.options.contexts[context as usize];
        Some(self.inner.finish(inner)? + self.options.model.weight * self.options.end(at))
    }
}
