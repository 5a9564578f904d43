//! Putting an English clause together: the order of its fields, and the phrases of the Penn Treebank around them.

use super::English;
use super::clause::{Fields, Form};
use super::np::Nominal;
use super::verbs::{Job, Link};
use crate::draft::{Con, Tok, Word};
use crate::syntax::{Clause, Concept};

/// The verbs of a clause in their order, and the predicate of a copula.
pub(super) struct Verbs {
    pub words: Vec<(Job, Tok)>,
    pub predicate: Option<Nominal>,
}

impl Verbs {
    /// Joins the words of a chain with their jobs.
    pub fn new(links: &[Link], toks: &[Tok], predicate: Option<Nominal>) -> Self {
        Self { words: links.iter().zip(toks).map(|(l, &t)| (l.job, t)).collect(), predicate }
    }

    /// Whether the first verb is no full verb, so that `not` and adverbs follow it.
    fn is_helped(&self) -> bool {
        matches!(self.words[0].0, Job::Auxiliary | Job::PassiveAuxiliary | Job::Copula)
    }
}

impl English {
    /// The whole clause. `inverts`: the finite verb goes before the subject.
    pub(super) fn assemble(
        &mut self,
        clause: &Clause,
        form: Form,
        inverts: bool,
        verbs: Verbs,
        mut fields: Fields,
    ) -> Con {
        let top = fields.top;
        let front = fields.front.take();
        let mut parts = std::mem::take(&mut fields.opening);
        let inner = if inverts { inverted(verbs, fields) } else { straight(verbs, fields) };
        let asks = form == Form::Question;
        let label = match (front, asks) {
            (Some(front), _) => {
                let label = if asks { "SQ" } else { "S" };
                parts.extend([front, Con::node(label, inner)]);
                if asks { "SBARQ" } else { "SBAR" }
            }
            (None, _) => {
                parts.extend(inner);
                if asks { "SQ" } else { "S" }
            }
        };
        match form {
            Form::Subordinate(conjunction) => {
                let mut outer = self.conjunction(conjunction, clause.concept.part(Concept::MARK), top);
                outer.push(Con::node(label, parts));
                Con::node("SBAR", outer)
            }
            Form::SharedSubject(_) | Form::Infinitive(_, true) if parts.len() == 1 => parts.remove(0),
            _ => Con::node(label, parts),
        }
    }

    fn conjunction(&mut self, form: &str, concept: Concept, head: Tok) -> Vec<Con> {
        let mut words = form.split(' ');
        let first = words.next().unwrap_or(form);
        let tag = if first == "when" { "WRB" } else { "IN" };
        let tok = self.draft.word(Word::new(first, first, "SCONJ", tag).means(concept));
        self.draft.attach(tok, head, "mark");
        let rest = words.map(|word| {
            self.draft.dependent(Word::new(word, word, "SCONJ", "IN").helps(concept), tok, "fixed")
        });
        std::iter::once(Con::Word(tok)).chain(rest).collect()
    }
}

/// Finite verb, subject, the rest.
fn inverted(mut verbs: Verbs, mut fields: Fields) -> Vec<Con> {
    let (_, first) = verbs.words.remove(0);
    let mut inner = vec![Con::Word(first)];
    inner.extend(fields.subject.take());
    inner.append(&mut fields.middle);
    let tail = tail(verbs.predicate, fields);
    match verbs.words.is_empty() {
        true => inner.extend(tail),
        false => inner.push(verb_phrase(&verbs.words, vec![], tail)),
    }
    inner
}

/// Subject, verbs, the rest.
fn straight(verbs: Verbs, mut fields: Fields) -> Vec<Con> {
    let middle = std::mem::take(&mut fields.middle);
    let (before, after) = if verbs.is_helped() { (vec![], middle) } else { (middle, vec![]) };
    let mut inner: Vec<Con> = fields.subject.take().into_iter().chain(before).collect();
    let tail = tail(verbs.predicate, fields);
    inner.push(verb_phrase(&verbs.words, after, tail));
    inner
}

/// What follows the verbs.
fn tail(predicate: Option<Nominal>, fields: Fields) -> Vec<Con> {
    let Fields { objects, manner, place, time, clauses, .. } = fields;
    let mut tail = match predicate {
        Some(Nominal { con: Con::Node("ADJP", _, mut parts), .. }) => {
            parts.extend(objects);
            vec![Con::node("ADJP", parts)]
        }
        Some(Nominal { con, .. }) => vec![con],
        None => objects,
    };
    tail.extend([manner, place, time, clauses].into_iter().flatten());
    tail
}

/// Nests a chain: each helper over the rest, `to` and what follows as a clause of its own.
fn verb_phrase(words: &[(Job, Tok)], middle: Vec<Con>, tail: Vec<Con>) -> Con {
    let Some((&(job, tok), rest)) = words.split_first() else { return Con::node("VP", tail) };
    let mut parts = vec![Con::Word(tok)];
    parts.extend(middle);
    match job {
        Job::Main | Job::Copula => parts.extend(tail),
        Job::Governor => parts.push(Con::node("S", vec![verb_phrase(rest, vec![], tail)])),
        Job::Auxiliary | Job::PassiveAuxiliary | Job::To => parts.push(verb_phrase(rest, vec![], tail)),
        Job::Purpose => {
            let also = rest.iter().take_while(|w| w.0 == Job::Purpose).count();
            parts.extend(rest[..also].iter().map(|w| Con::Word(w.1)));
            parts.push(Con::node("S", vec![verb_phrase(&rest[also..], vec![], tail)]));
            return Con::node("SBAR", parts);
        }
    }
    Con::node("VP", parts)
}
