//! German clauses: front field, finite verb, middle field, verbs at the end, and what comes after them.

use super::German;
use super::field::{self, Item, Origin, Rank};
use crate::draft::{Con, Tok, Word};
use crate::features::{Agreement, Person};
use crate::syntax::{Clause, Concept, Front};

/// The forms a clause can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// Verb second.
    Main,
    /// Verb second after a question word, else verb first.
    Question,
    /// Verb first, with `bitte` if it has a concept.
    Order(Person, Option<Concept>),
    /// Verb second without a subject, after `und`.
    SharedSubject(Agreement),
    /// Verb last after a conjunction.
    Subordinate(&'static str),
    /// Verb last after a relative pronoun.
    Relative,
    /// Verb last after a question word.
    IndirectQuestion,
    /// `zu` and infinitive, whose understood subject has this agreement; with `um` or not.
    Infinitive(Agreement, bool),
}

impl Form {
    /// Whether the finite verb stands at the end.
    pub fn is_verb_last(self) -> bool {
        matches!(self, Self::Subordinate(_) | Self::Relative | Self::IndirectQuestion | Self::Infinitive(..))
    }
}

/// A clause in German.
pub(super) struct Built {
    pub head: Tok,
    pub parts: Vec<Con>,
    /// A participant of the infinitive that goes to the front of the higher clause.
    pub raised: Option<Con>,
}

/// A clause while its pieces are gathered.
pub(super) struct Fields {
    pub head: Tok,
    pub middle: Vec<Item>,
    /// What follows the verbs.
    pub after: Vec<Con>,
    pub front: Vec<Con>,
    /// The role of the subject, if it is said.
    pub subject: Option<usize>,
}

impl German {
    /// A clause in a form.
    pub(super) fn clause(&mut self, clause: &Clause, form: Form) -> Built {
        let agreement = match form {
            Form::Infinitive(agreement, _) => agreement,
            Form::Order(person, _) => person.de_agreement(),
            Form::SharedSubject(agreement) => agreement,
            _ => clause.subject_agreement(),
        };
        let complex = self.complex(clause, form, agreement);
        let head = complex.head;
        let mut fields = Fields { head, middle: vec![], after: vec![], front: vec![], subject: None };
        self.participants(clause, &mut fields);
        let fixed = self.verb_words(clause, form, agreement, &mut fields);
        self.negation(clause, &mut fields);
        for (at, adverbial) in clause.adverbials.iter().enumerate() {
            self.adverbial(at, adverbial, clause, &mut fields);
        }
        if let Some(embedded) = &clause.complement {
            self.complement(embedded, fixed, clause, form, agreement, &mut fields);
        }
        if let Some(predicate) = complex.predicate {
            fields.middle.push(Item { rank: Rank::Direction, origin: Origin::Other, con: predicate });
        }
        fields.after.extend(complex.comparison);
        fields.middle.sort_by_key(|i| i.rank);
        let raised = match (form, clause.front) {
            (Form::Infinitive(..), Front::Role(role)) => field::take(&mut fields.middle, Origin::Role(role)),
            _ => None,
        };
        if fields.front.is_empty() && !matches!(form, Form::Infinitive(..)) {
            let front = take_front(clause, form, &mut fields);
            fields.front.extend(front);
        }
        let verbs = Verbs { finite: complex.finite, prefix: complex.prefix, inner: complex.inner };
        let parts = self.assemble(clause, form, fields, verbs);
        Built { head, parts, raised }
    }

    fn assemble(&mut self, clause: &Clause, form: Form, fields: Fields, verbs: Verbs) -> Vec<Con> {
        let Fields { head, middle, after, front, subject } = fields;
        let subject = subject.map(Origin::Role);
        let before = middle.iter().position(|i| Some(i.origin) == subject).map_or(0, |at| at + 1);
        let mut middle: Vec<Con> = middle.into_iter().map(|i| i.con).collect();
        let rest = middle.split_off(before);
        let mut parts: Vec<Con> = vec![];
        match form {
            Form::Subordinate(conjunction) => {
                let concept = clause.concept.part(Concept::MARK);
                let word = Word::new(conjunction, conjunction, "SCONJ", "KOUS").means(concept);
                parts.push(self.draft.dependent(word, head, "mark"));
            }
            Form::Infinitive(_, true) => {
                let word = Word::new("um", "um", "SCONJ", "KOUI").means(clause.concept.part(3));
                parts.push(self.draft.dependent(word, head, "mark"));
            }
            _ => {}
        }
        parts.extend(front);
        let Verbs { mut finite, prefix, inner } = verbs;
        if !form.is_verb_last() {
            parts.extend(finite.take());
        }
        parts.append(&mut middle);
        if matches!(form, Form::Infinitive(..)) {
            parts.extend(rest);
            parts.extend(inner);
        } else {
            parts.extend(verb_phrase(rest, inner));
        }
        parts.extend(finite);
        parts.extend(prefix);
        parts.extend(after);
        parts
    }
}

/// What stands first: the topic, the question word or the relative pronoun.
fn take_front(clause: &Clause, form: Form, fields: &mut Fields) -> Option<Con> {
    let wanted = match clause.front {
        Front::Subject => fields.subject.map(Origin::Role),
        Front::Role(role) => Some(Origin::Role(role)),
        Front::Adverbial(at) => Some(Origin::Adverbial(at)),
        Front::Inner(_) => None,
    };
    let fronts = match form {
        Form::Main | Form::Relative | Form::IndirectQuestion => true,
        Form::Question => clause.asks(),
        _ => false,
    };
    wanted.filter(|_| fronts).and_then(|origin| field::take(&mut fields.middle, origin))
}

/// The verbs of a clause by place.
struct Verbs {
    finite: Option<Con>,
    prefix: Option<Con>,
    inner: Vec<Con>,
}

/// The rest of the middle field with the verbs at the end: nested phrases, or no phrase if there are no such verbs.
fn verb_phrase(rest: Vec<Con>, inner: Vec<Con>) -> Vec<Con> {
    if inner.is_empty() {
        return rest;
    }
    let mut parts = rest;
    for verb in inner {
        parts.push(verb);
        parts = vec![Con::node("VP", parts).role("OC")];
    }
    parts
}
