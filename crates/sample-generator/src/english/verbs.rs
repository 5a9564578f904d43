//! English verb chains: which auxiliaries a clause has, do-support, and modals that are full verbs with `to`.

use super::clause::Form;
use super::morphology as morph;
use crate::draft::{Concepts, Word};
use crate::features::Agreement;
use crate::lexicon::Frame;
use crate::syntax::{Clause, Concept, Modal, Negation, Predicate, Tense};

/// The form of a verb in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Present,
    Past,
    Base,
    Participle,
    Ing,
}

/// What a word does in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// Helps the next full verb.
    Auxiliary,
    /// Helps the next full verb to its passive.
    PassiveAuxiliary,
    /// A full verb that takes the next one with `to`.
    Governor,
    To,
    /// `in order`.
    Purpose,
    /// The content verb.
    Main,
    /// The copula of a predicate that is no verb.
    Copula,
}

/// A word of a chain.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub lemma: &'static str,
    pub shape: Shape,
    pub job: Job,
    pub concepts: Concepts,
}

/// A word that stands for a concept.
fn link(lemma: &'static str, shape: Shape, job: Job, concept: Concept) -> Link {
    Link { lemma, shape, job, concepts: Concepts { core: vec![concept], help: vec![] } }
}

/// A word that helps to express a concept.
fn helper(lemma: &'static str, shape: Shape, job: Job, concept: Concept) -> Link {
    Link { lemma, shape, job, concepts: Concepts { core: vec![], help: vec![concept] } }
}

impl Link {
    /// Adds a concept that it helps to express.
    fn helping(mut self, concept: Concept) -> Self {
        self.concepts.help.push(concept);
        self
    }

    /// The word itself.
    pub fn word(&self, agreement: Agreement) -> Word {
        let modal = ["will", "can", "cannot", "could", "should", "would"].contains(&self.lemma);
        let (form, xpos, feats) = match self.shape {
            _ if matches!(self.job, Job::To | Job::Purpose) || modal => {
                let tag = match (modal, self.lemma) {
                    (true, _) => "MD",
                    (_, "to") => "TO",
                    (_, "order") => "NN",
                    _ => "IN",
                };
                (self.lemma.to_owned(), tag, "")
            }
            Shape::Present => {
                let third = agreement.person == 3 && !agreement.plural;
                let tag = if third { "VBZ" } else { "VBP" };
                (morph::present(self.lemma, agreement), tag, "Mood=Ind|Tense=Pres|VerbForm=Fin")
            }
            Shape::Past => (morph::past(self.lemma, agreement), "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"),
            Shape::Base => (self.lemma.to_owned(), "VB", "VerbForm=Inf"),
            Shape::Participle => (morph::participle(self.lemma), "VBN", "Tense=Past|VerbForm=Part"),
            Shape::Ing => (morph::ing(self.lemma), "VBG", "VerbForm=Ger"),
        };
        let upos = match self.job {
            Job::Auxiliary | Job::PassiveAuxiliary | Job::Copula => "AUX",
            Job::Governor | Job::Main => "VERB",
            Job::To => "PART",
            Job::Purpose => "SCONJ",
        };
        let mut word = Word::new(&form, self.lemma, upos, xpos).feats(feats);
        word.concepts.clone_from(&self.concepts);
        word
    }
}

/// The chain of a clause. `inverts`: the finite verb goes before the subject.
pub(super) fn chain(clause: &Clause, form: Form, inverts: bool) -> Vec<Link> {
    let concept = clause.concept;
    let (lemma, job) = match clause.predicate {
        Predicate::Verb(Frame { en, .. }) if !en.is_copular() => (en.lemma, Job::Main),
        _ => ("be", Job::Copula),
    };
    match form {
        Form::Infinitive(gerund, purpose) => {
            let mark = concept.part(Concept::MARK);
            if gerund {
                return vec![link(lemma, Shape::Ing, job, concept).helping(mark)];
            }
            let um = concept.part(3);
            let mut links = match purpose {
                true => vec![
                    helper("in", Shape::Base, Job::Purpose, um),
                    link("order", Shape::Base, Job::Purpose, um),
                ],
                false => vec![],
            };
            links.push(link("to", Shape::Base, Job::To, mark));
            links.push(link(lemma, Shape::Base, job, concept));
            return links;
        }
        Form::Order => {
            let negated = clause.negation_concept().map(|_| dummy(Shape::Base));
            let order = link(lemma, Shape::Base, job, concept);
            return negated.into_iter().chain([order]).collect();
        }
        _ => {}
    }
    let mut links = tense_links(clause, lemma, job);
    if (clause.negation_concept().is_some() || inverts) && matches!(links[0].job, Job::Main | Job::Governor) {
        support(&mut links, clause);
    }
    if let (Some(not), "can", false) = (clause.negation_concept(), links[0].lemma, inverts) {
        links[0].lemma = "cannot";
        links[0].concepts.core.push(not);
    }
    links
}

fn tense_links(clause: &Clause, lemma: &'static str, job: Job) -> Vec<Link> {
    let concept = clause.concept;
    let auxiliary = concept.part(Concept::AUXILIARY);
    let (mut links, last, free) = match clause.modal {
        Some((modal_concept, modal)) => {
            (modal_links(modal, clause.tense == Tense::Past, modal_concept), Shape::Base, false)
        }
        None => match clause.tense {
            Tense::Present => (vec![], Shape::Present, true),
            Tense::Past | Tense::Perfect => (vec![], Shape::Past, true),
            Tense::Progressive => {
                (vec![link("be", Shape::Present, Job::Auxiliary, auxiliary)], Shape::Ing, false)
            }
            Tense::PastProgressive => {
                (vec![link("be", Shape::Past, Job::Auxiliary, auxiliary)], Shape::Ing, false)
            }
            Tense::PresentPerfect => {
                (vec![link("have", Shape::Present, Job::Auxiliary, auxiliary)], Shape::Participle, false)
            }
            Tense::Pluperfect => {
                (vec![link("have", Shape::Past, Job::Auxiliary, auxiliary)], Shape::Participle, false)
            }
            Tense::Future | Tense::Planned => {
                (vec![link("will", Shape::Present, Job::Auxiliary, auxiliary)], Shape::Base, false)
            }
        },
    };
    let with_tense = |link: Link| if free { link.helping(auxiliary) } else { link };
    if clause.passive {
        let passive = concept.part(Concept::PASSIVE);
        links.push(with_tense(link("be", last, Job::PassiveAuxiliary, passive)));
        links.push(link(lemma, Shape::Participle, job, concept));
    } else {
        links.push(with_tense(link(lemma, last, job, concept)));
    }
    links
}

fn modal_links(modal: Modal, past: bool, concept: Concept) -> Vec<Link> {
    let finite = if past { Shape::Past } else { Shape::Present };
    let auxiliary = |lemma| link(lemma, Shape::Base, Job::Auxiliary, concept);
    let to = helper("to", Shape::Base, Job::To, concept);
    let governor = |lemma, shape| link(lemma, shape, Job::Governor, concept);
    match modal {
        Modal::Can if past => vec![auxiliary("could")],
        Modal::Can => vec![auxiliary("can")],
        Modal::Should => vec![auxiliary("should")],
        Modal::Must => vec![governor("have", finite), to],
        Modal::Want => vec![governor("want", finite), to],
        Modal::WouldLike => {
            vec![helper("would", Shape::Base, Job::Auxiliary, concept), governor("like", Shape::Base), to]
        }
        Modal::May => {
            let be = helper("be", finite, Job::PassiveAuxiliary, concept);
            vec![be, governor("allow", Shape::Participle), to]
        }
    }
}

/// `do`, which means nothing by itself.
fn dummy(shape: Shape) -> Link {
    Link { lemma: "do", shape, job: Job::Auxiliary, concepts: Concepts::default() }
}

/// Adds `do` before a full verb. It is linked only to a German auxiliary.
fn support(links: &mut Vec<Link>, clause: &Clause) {
    let auxiliary = clause.concept.part(Concept::AUXILIARY);
    let mut first = dummy(links[0].shape);
    links[0].shape = Shape::Base;
    if clause.tense == Tense::Perfect {
        links[0].concepts.help.retain(|&c| c != auxiliary);
        first.concepts.core.push(auxiliary);
    }
    links.insert(0, first);
}

impl Clause {
    /// The concept of its negation, which English always writes as `not`.
    pub(crate) fn negation_concept(&self) -> Option<Concept> {
        match self.negation {
            Some(Negation::Not(concept) | Negation::No(concept)) => Some(concept),
            None => None,
        }
    }
}
