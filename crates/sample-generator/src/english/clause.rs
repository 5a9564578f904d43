//! English clauses.

use super::English;
use super::assemble::Verbs;
use super::np::Nominal;
use super::verbs::{Job, Link, chain};
use crate::draft::{Con, Tok, Word};
use crate::features::Agreement;
use crate::lexicon::EnSlot;
use crate::syntax::{Clause, Concept, Np, Predicate};

/// The forms a clause can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Main,
    Question,
    Order,
    /// A verb phrase that shares the subject of the clause before it.
    SharedSubject(Agreement),
    Subordinate(&'static str),
    Relative,
    IndirectQuestion,
    /// `to` and infinitive, or the `-ing` form if the first is true; after `in order` if the second is.
    Infinitive(bool, bool),
}

/// A clause in English.
pub(super) struct Built {
    pub head: Tok,
    pub con: Con,
    /// A question word that goes to the front of the higher clause.
    pub raised: Option<Con>,
}

/// A clause while its pieces are gathered.
pub(super) struct Fields {
    /// What the subject and adverbials depend on.
    pub top: Tok,
    /// What objects depend on.
    pub content: Tok,
    pub subject: Option<Con>,
    /// A question word or relative pronoun.
    pub front: Option<Con>,
    /// Adverbials before the subject.
    pub opening: Vec<Con>,
    /// Adverbs in the middle.
    pub middle: Vec<Con>,
    pub objects: Vec<Con>,
    pub manner: Vec<Con>,
    pub place: Vec<Con>,
    pub time: Vec<Con>,
    pub clauses: Vec<Con>,
}

impl English {
    /// A clause in a form.
    pub(super) fn clause(&mut self, clause: &Clause, form: Form) -> Built {
        let inverts = form == Form::Question && !clause.subject_asks();
        let agreement = match form {
            Form::SharedSubject(agreement) => agreement,
            _ => clause.en_agreement(),
        };
        let links = chain(clause, form, inverts);
        let (toks, predicate) = self.verbs(clause, &links, agreement);
        let content = predicate.as_ref().map_or(toks[toks.len() - 1], |p| p.head);
        let top = links.iter().position(|l| l.job == Job::Governor).map_or(content, |at| toks[at]);
        self.attach_verbs(&links, &toks, content);
        let mut fields = Fields {
            top,
            content,
            subject: None,
            front: None,
            opening: vec![],
            middle: vec![],
            objects: vec![],
            manner: vec![],
            place: vec![],
            time: vec![],
            clauses: vec![],
        };
        let rest = self.participants(clause, form, &mut fields);
        for (at, adverbial) in clause.adverbials.iter().enumerate() {
            self.adverbial(at, adverbial, clause, form, &mut fields);
        }
        let raised = match &clause.complement {
            Some(embedded) => self.complement(embedded, rest, &mut fields),
            None => None,
        };
        let raised_here = if matches!(form, Form::Infinitive(..)) { fields.front.take() } else { None };
        if form == Form::Question {
            fields.front = fields.front.or(raised);
        }
        let negation = clause.negation_concept().filter(|_| links[0].lemma != "cannot");
        if let Some(concept) = negation {
            let word = Word::new("not", "not", "PART", "RB").means(concept).feats("Polarity=Neg");
            let not = self.draft.dependent(word, fields.top, "advmod");
            fields.middle.insert(0, not);
        }
        let verbs = Verbs::new(&links, &toks, predicate);
        let con = self.assemble(clause, form, inverts, verbs, fields);
        Built { head: top, con, raised: raised_here }
    }

    /// The words of the chain, and the predicate of a copula.
    fn verbs(
        &mut self,
        clause: &Clause,
        links: &[Link],
        agreement: Agreement,
    ) -> (Vec<Tok>, Option<Nominal>) {
        let toks: Vec<Tok> = links.iter().map(|l| self.draft.word(l.word(agreement))).collect();
        let predicate = match &clause.predicate {
            Predicate::Verb(frame) if frame.en.is_copular() => {
                let (head, parts) = self.draft.unit(&frame.en.rest, clause.concept, true);
                Some(Nominal { head, con: Con::node("ADJP", parts) })
            }
            Predicate::Verb(_) => None,
            Predicate::Adjective(concept, adjective, than) => Some(match than {
                None => {
                    let word = Word::new(adjective.en, adjective.en, "ADJ", "JJ").means(*concept);
                    let head = self.draft.word(word.feats("Degree=Pos"));
                    Nominal { head, con: Con::node("ADJP", vec![Con::Word(head)]) }
                }
                Some(than) => {
                    self.compared(adjective.en_comparative.as_deref(), adjective.en, *concept, than)
                }
            }),
            Predicate::Noun(np) => Some(self.np(np, false)),
        };
        (toks, predicate)
    }

    fn compared(&mut self, form: Option<&str>, lemma: &str, concept: Concept, than: &Np) -> Nominal {
        let form = form.unwrap_or(lemma);
        let (more, last) = form.split_once(' ').map_or((None, form), |(more, last)| (Some(more), last));
        let tag = if more.is_some() { "JJ" } else { "JJR" };
        let head = self.draft.word(Word::new(last, lemma, "ADJ", tag).means(concept).feats("Degree=Cmp"));
        let mut parts = vec![];
        if let Some(more) = more {
            let word = Word::new(more, more, "ADV", "RBR").helps(concept);
            parts.push(self.draft.dependent(word, head, "advmod"));
        }
        let than = self.pp("than", than.concept.part(2), than);
        self.draft.attach(than.head, head, "obl");
        parts.extend([Con::Word(head), than.con]);
        Nominal { head, con: Con::node("ADJP", parts) }
    }

    /// Attaches each helper to the next full verb, and the content verb to its governor.
    fn attach_verbs(&mut self, links: &[Link], toks: &[Tok], content: Tok) {
        let mut governor = None;
        let mut helpers: Vec<(Tok, &'static str)> = vec![];
        for (link, &tok) in links.iter().zip(toks) {
            match link.job {
                Job::Auxiliary => helpers.push((tok, "aux")),
                Job::PassiveAuxiliary => helpers.push((tok, "aux:pass")),
                Job::Purpose if !helpers.is_empty() => self.draft.attach(tok, helpers[0].0, "fixed"),
                Job::To | Job::Purpose => helpers.push((tok, "mark")),
                Job::Copula => helpers.push((tok, "cop")),
                Job::Governor => {
                    helpers.drain(..).for_each(|(helper, relation)| self.draft.attach(helper, tok, relation));
                    governor = Some(tok);
                }
                Job::Main => {}
            }
        }
        helpers.into_iter().for_each(|(helper, relation)| self.draft.attach(helper, content, relation));
        if let Some(governor) = governor {
            self.draft.attach(content, governor, "xcomp");
        }
    }
}

impl Clause {
    /// The role of the English subject.
    pub(crate) fn en_subject(&self) -> usize {
        match self.predicate {
            Predicate::Verb(frame) if self.passive => frame.en_role(EnSlot::Object).unwrap_or(0),
            Predicate::Verb(frame) => frame.en_role(EnSlot::Subject).unwrap_or(0),
            _ => 0,
        }
    }

    /// What the English verb agrees with.
    pub(crate) fn en_agreement(&self) -> Agreement {
        let subject = self.participants.get(self.en_subject()).and_then(Option::as_ref);
        subject.map_or(Agreement::THIRD, Np::en_agreement)
    }

    /// Whether the subject itself asks, so that nothing is inverted.
    fn subject_asks(&self) -> bool {
        self.participants.get(self.en_subject()).and_then(Option::as_ref).is_some_and(Np::is_wh)
    }

    /// Whether English puts a participant first: a question word or relative pronoun.
    pub(super) fn fronts_in_english(&self, np: &Np, form: Form) -> bool {
        match form {
            Form::Question | Form::IndirectQuestion | Form::Infinitive(..) => np.is_wh(),
            Form::Relative => np.is_relative(),
            _ => false,
        }
    }
}
