//! The German verb complex: which words it has, and which of them is the content word that heads the clause.

use super::German;
use super::clause::Form;
use super::verb::{self, Finite};
use crate::draft::{Con, Tok, Word};
use crate::features::{Agreement, Case, Person, number_ud};
use crate::lexicon::Frame;
use crate::syntax::{Clause, Concept, Predicate, Tense};

/// The verbs of a clause, by their places.
pub(super) struct Complex {
    /// The content word.
    pub head: Tok,
    /// The finite verb, unless the clause is an infinitive.
    pub finite: Option<Con>,
    /// The separated prefix.
    pub prefix: Option<Con>,
    /// The other verbs in their order at the end of the clause.
    pub inner: Vec<Con>,
    /// The adjective or noun of a copula.
    pub predicate: Option<Con>,
    /// A comparison that belongs to the adjective.
    pub comparison: Option<Con>,
}

/// The features of a finite verb.
fn finite_feats(agreement: Agreement, finite: Finite) -> String {
    let tense = if finite == Finite::Past { "Past" } else { "Pres" };
    format!(
        "Mood=Ind|Number={}|Person={}|Tense={tense}|VerbForm=Fin",
        number_ud(agreement.plural),
        agreement.person
    )
}

impl German {
    /// The verbs of a clause in a form, agreeing with the subject.
    pub(super) fn complex(&mut self, clause: &Clause, form: Form, agreement: Agreement) -> Complex {
        match &clause.predicate {
            Predicate::Verb(frame) => match form {
                Form::Infinitive(..) => self.infinitive(clause, frame),
                Form::Order(person, _) => self.order(clause, frame, person),
                _ => self.verbal(clause, frame, form.is_verb_last(), agreement),
            },
            Predicate::Adjective(concept, adjective, than) => {
                let (form, degree) = match than {
                    Some(_) => (adjective.de_comparative.unwrap_or(adjective.de), "Degree=Cmp"),
                    None => (adjective.de, "Degree=Pos"),
                };
                let word = Word::new(form, adjective.de, "ADJ", "ADJD").means(*concept).feats(degree);
                let head = self.draft.word(word);
                let comparison = than.as_ref().map(|t| self.than(t, head));
                let con = Con::node("AP", vec![Con::Word(head)]).role("PD");
                let copula = self.copula(clause, head, agreement);
                Complex { comparison, ..copular(head, copula, con) }
            }
            Predicate::Noun(np) => {
                let np = self.np(np, Case::Nom);
                let copula = self.copula(clause, np.head, agreement);
                copular(np.head, copula, np.con.role("PD"))
            }
        }
    }

    fn copula(&mut self, clause: &Clause, head: Tok, agreement: Agreement) -> Con {
        let finite = finite_of(clause.tense);
        let word = Word::new(&verb::finite("sein", finite, agreement), "sein", "AUX", "VAFIN");
        let word = word.means(clause.concept).helps(clause.concept.part(Concept::AUXILIARY));
        self.draft.dependent(word.feats(finite_feats(agreement, finite)), head, "cop")
    }

    fn verbal(&mut self, clause: &Clause, frame: &Frame, last: bool, agreement: Agreement) -> Complex {
        let concept = clause.concept;
        let auxiliary = concept.part(Concept::AUXILIARY);
        let passive = concept.part(Concept::PASSIVE);
        let perfect = matches!(clause.tense, Tense::Perfect | Tense::PresentPerfect | Tense::Pluperfect);
        let future = clause.tense == Tense::Future;
        if clause.modal.is_none() && !clause.passive && !perfect && !future {
            return self.simple(clause, frame, last, agreement);
        }
        let head = self.content(frame, concept, clause.passive || (perfect && clause.modal.is_none()));
        let mut inner = vec![Con::Word(head)];
        let finite = finite_of(clause.tense);
        let (lemma, relation, stands_for) = match (clause.modal, clause.passive) {
            (Some((modal_concept, modal)), _) => (verb::modal(modal), "aux", modal_concept),
            (None, true) if perfect => ("sein", "aux", auxiliary),
            (None, true) if future => ("werden", "aux", auxiliary),
            (None, true) => ("werden", "aux:pass", passive),
            (None, false) if future => ("werden", "aux", auxiliary),
            (None, false) if verb::takes_sein(&frame.de) => ("sein", "aux", auxiliary),
            (None, false) => ("haben", "aux", auxiliary),
        };
        if clause.passive && (clause.modal.is_some() || perfect || future) {
            let participle = perfect && clause.modal.is_none();
            let (form, xpos, feats) = match participle {
                true => ("worden", "VAPP", "VerbForm=Part"),
                false => ("werden", "VAINF", "VerbForm=Inf"),
            };
            let word = Word::new(form, "werden", "AUX", xpos).means(passive).feats(feats);
            inner.push(self.draft.dependent(word, head, "aux:pass"));
        }
        let xpos = if clause.modal.is_some() { "VMFIN" } else { "VAFIN" };
        let mut word =
            Word::new(&verb::finite(lemma, finite, agreement), lemma, "AUX", xpos).means(stands_for);
        if stands_for == passive {
            word = word.helps(auxiliary);
        }
        let finite = self.draft.dependent(word.feats(finite_feats(agreement, finite)), head, relation);
        Complex { head, finite: Some(finite), prefix: None, inner, predicate: None, comparison: None }
    }

    /// The content verb as participle or infinitive.
    fn content(&mut self, frame: &Frame, concept: Concept, participle: bool) -> Tok {
        let lemma = verb::infinitive(&frame.de);
        let have = frame.de.base == "haben";
        let (form, xpos, feats) = match participle {
            true => (verb::participle(&frame.de), if have { "VAPP" } else { "VVPP" }, "VerbForm=Part"),
            false => (lemma.clone(), if have { "VAINF" } else { "VVINF" }, "VerbForm=Inf"),
        };
        self.draft.word(Word::new(&form, &lemma, "VERB", xpos).means(concept).feats(feats))
    }

    fn simple(&mut self, clause: &Clause, frame: &Frame, last: bool, agreement: Agreement) -> Complex {
        let finite = finite_of(clause.tense);
        let form = verb::finite(frame.de.base, finite, agreement);
        let (joined, apart) = if last { (frame.de.prefix, None) } else { (None, frame.de.prefix) };
        let form = format!("{}{form}", joined.unwrap_or(""));
        let xpos = if frame.de.base == "haben" { "VAFIN" } else { "VVFIN" };
        let word = Word::new(&form, &verb::infinitive(&frame.de), "VERB", xpos).means(clause.concept);
        let word = word.helps(clause.concept.part(Concept::AUXILIARY));
        let head = self.draft.word(word.feats(finite_feats(agreement, finite)));
        let prefix = self.prefix(apart, clause.concept, head);
        let finite = Some(Con::Word(head));
        Complex { head, finite, prefix, inner: vec![], predicate: None, comparison: None }
    }

    fn prefix(&mut self, prefix: Option<&str>, concept: Concept, head: Tok) -> Option<Con> {
        let word = Word::new(prefix?, prefix?, "ADP", "PTKVZ").helps(concept);
        Some(self.draft.dependent(word, head, "compound:prt"))
    }

    fn infinitive(&mut self, clause: &Clause, frame: &Frame) -> Complex {
        let lemma = verb::infinitive(&frame.de);
        let zu = clause.concept.part(Concept::MARK);
        let (head, con) = match frame.de.prefix {
            Some(prefix) => {
                let form = format!("{prefix}zu{}", frame.de.base);
                let word = Word::new(&form, &lemma, "VERB", "VVIZU").means(clause.concept).helps(zu);
                let head = self.draft.word(word.feats("VerbForm=Inf"));
                (head, Con::Word(head))
            }
            None => {
                let head = self.content(frame, clause.concept, false);
                let word = Word::new("zu", "zu", "PART", "PTKZU").means(zu);
                let zu = self.draft.dependent(word, head, "mark");
                (head, Con::node("VZ", vec![zu, Con::Word(head)]))
            }
        };
        Complex { head, finite: None, prefix: None, inner: vec![con], predicate: None, comparison: None }
    }

    fn order(&mut self, clause: &Clause, frame: &Frame, person: Person) -> Complex {
        let form = match person {
            Person::Thou => verb::imperative(frame.de.base),
            other => verb::finite(frame.de.base, Finite::Present, other.de_agreement()),
        };
        let word = Word::new(&form, &verb::infinitive(&frame.de), "VERB", "VVIMP").means(clause.concept);
        let head = self.draft.word(word.feats("Mood=Imp|VerbForm=Fin"));
        let prefix = self.prefix(frame.de.prefix, clause.concept, head);
        let finite = Some(Con::Word(head));
        Complex { head, finite, prefix, inner: vec![], predicate: None, comparison: None }
    }
}

fn copular(head: Tok, copula: Con, predicate: Con) -> Complex {
    let (finite, predicate) = (Some(copula), Some(predicate));
    Complex { head, finite, prefix: None, inner: vec![], predicate, comparison: None }
}

/// The tense of the finite verb.
fn finite_of(tense: Tense) -> Finite {
    match tense {
        Tense::Past | Tense::PastProgressive | Tense::Pluperfect => Finite::Past,
        _ => Finite::Present,
    }
}
