//! The abstract syntax both languages are written from: clauses of participants and adverbials, without order or
//! inflection. Every piece has a [`Concept`]; words of the two languages with a concept in common are linked.

use crate::features::{Agreement, Case, Gender, Person};
use crate::lexicon::{Adjective, Adverb, Frame, Infinitive, Name, Noun};

/// A piece of meaning. Pieces that are written in several words have parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Concept(pub u32);

impl Concept {
    /// How many parts a concept may have.
    pub const PARTS: u32 = 8;
    /// The part of a clause's concept that is its tense auxiliary.
    pub const AUXILIARY: u32 = 6;
    /// The part of a clause's concept that is its passive auxiliary.
    pub const PASSIVE: u32 = 7;
    /// The part of a clause's concept that marks it as subordinate: a conjunction, `zu` or `to`.
    pub const MARK: u32 = 5;
    /// The part of a clause's concept that is the comma between it and the next.
    pub const COMMA: u32 = 4;

    /// One of its parts; part 0 is the concept itself.
    pub fn part(self, part: u32) -> Self {
        debug_assert!(part < Self::PARTS);
        Self(self.0 + part)
    }
}

/// Determiners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Det {
    Definite,
    Indefinite,
    /// `kein`, `not a`.
    No,
    /// What someone is by profession: no article in German, `a` in English.
    Profession,
    Demonstrative,
    Possessive(Person),
    Which,
    /// `was für ein`, in German apart from its noun.
    WhatKind,
    Every,
    Some,
    Many,
    All,
    /// `mehr ... als`.
    More,
    /// German and English numeral.
    Number(&'static str, &'static str),
    /// The relative `dessen`, `deren`: gender and number of the owner.
    Whose(Gender, bool),
}

/// What a noun phrase is built on.
#[derive(Debug, Clone)]
pub(crate) enum Core {
    Common(&'static Noun, Option<Det>),
    Pronoun(Person),
    Name(&'static Name),
    Who,
    What,
    Someone,
    /// A relative pronoun: gender and number of its noun, and whether it is a person.
    Relative(Gender, bool, bool),
    /// Two phrases joined by `und`.
    And(Box<Np>, Box<Np>),
}

/// A noun phrase. Its concept's part 1 is the determiner, part 2 the genitive or comparative marker.
#[derive(Debug, Clone)]
pub(crate) struct Np {
    pub concept: Concept,
    pub core: Core,
    pub plural: bool,
    pub adjectives: Vec<(Concept, &'static Adjective)>,
    pub genitive: Option<Box<Np>>,
    pub phrase: Option<Box<Phrase>>,
    pub relative: Option<Box<Relative>>,
    /// What [`Det::More`] compares with.
    pub than: Option<Box<Np>>,
}

impl Np {
    /// A phrase with nothing but its core.
    pub fn new(concept: Concept, core: Core, plural: bool) -> Self {
        Self {
            concept,
            core,
            plural,
            adjectives: vec![],
            genitive: None,
            phrase: None,
            relative: None,
            than: None,
        }
    }

    /// The determiner of a common noun.
    pub fn det(&self) -> Option<Det> {
        match self.core {
            Core::Common(_, det) => det,
            _ => None,
        }
    }

    /// Whether it asks.
    pub fn is_wh(&self) -> bool {
        matches!(self.core, Core::Who | Core::What) || matches!(self.det(), Some(Det::Which | Det::WhatKind))
    }

    /// Whether it opens a relative clause.
    pub fn is_relative(&self) -> bool {
        matches!(self.core, Core::Relative(..)) || matches!(self.det(), Some(Det::Whose(..)))
    }

    /// Whether it is a personal pronoun, and so light.
    pub fn is_pronoun(&self) -> bool {
        matches!(self.core, Core::Pronoun(_))
    }

    /// Whether it refers to something known, which German places before adverbs.
    pub fn is_definite(&self) -> bool {
        match &self.core {
            Core::Common(_, det) => matches!(
                det,
                Some(Det::Definite | Det::Demonstrative | Det::Possessive(_) | Det::All | Det::Whose(..))
            ),
            Core::Someone | Core::Who | Core::What => false,
            Core::And(first, _) => first.is_definite(),
            Core::Pronoun(_) | Core::Name(_) | Core::Relative(..) => true,
        }
    }

    /// What a German verb agrees with.
    pub fn de_agreement(&self) -> Agreement {
        match self.core {
            Core::Pronoun(person) => person.de_agreement(),
            _ => Agreement { person: 3, plural: self.plural },
        }
    }

    /// What an English verb agrees with.
    pub fn en_agreement(&self) -> Agreement {
        match self.core {
            Core::Pronoun(person) => person.en_agreement(),
            _ => Agreement { person: 3, plural: self.plural },
        }
    }

    /// Whether a clause hangs from it, so that English keeps it at the end.
    pub fn is_heavy(&self) -> bool {
        self.relative.is_some() || self.than.is_some()
    }
}

/// A noun phrase with a preposition; the concept is the preposition's.
#[derive(Debug, Clone)]
pub(crate) struct Phrase {
    pub concept: Concept,
    pub de: (&'static str, Case),
    pub en: &'static str,
    pub np: Np,
}

/// A relative clause: one participant of the clause is, or has, the relative pronoun.
#[derive(Debug, Clone)]
pub(crate) struct Relative {
    pub clause: Clause,
    /// Whether German places it after the verb, apart from its noun.
    pub extraposed: bool,
}

/// Tenses, by what the two languages use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Tense {
    /// `liest`, `reads`.
    Present,
    /// `liest`, `is reading`.
    Progressive,
    /// `las`, `read`.
    Past,
    /// `las`, `was reading`.
    PastProgressive,
    /// `hat gelesen`, `read`.
    Perfect,
    /// `hat gelesen`, `has read`.
    PresentPerfect,
    /// `hatte gelesen`, `had read`.
    Pluperfect,
    /// `wird lesen`, `will read`.
    Future,
    /// `liest` with a future time, `will read`.
    Planned,
}

/// Modal verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Modal {
    /// `können`, `can`.
    Can,
    /// `müssen`, `have to`.
    Must,
    /// `wollen`, `want to`.
    Want,
    /// `dürfen`, `be allowed to`.
    May,
    /// `sollen`, `should`.
    Should,
    /// `möchte`, `would like to`.
    WouldLike,
}

/// What is said of the subject.
#[derive(Debug, Clone)]
pub(crate) enum Predicate {
    Verb(&'static Frame),
    /// With the copula; compared with something or not.
    Adjective(Concept, &'static Adjective, Option<Box<Np>>),
    /// With the copula: a profession.
    Noun(Box<Np>),
}

/// Negation: `nicht` has a place of its own, `kein` is the determiner with this concept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Negation {
    Not(Concept),
    No(Concept),
}

/// What German puts before the finite verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    Subject,
    /// A participant, by role.
    Role(usize),
    /// A participant of the infinitive complement, by its role there.
    Inner(usize),
    Adverbial(usize),
}

/// A clause. The parts of its concept are named in [`Concept`].
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub concept: Concept,
    pub predicate: Predicate,
    /// One for each role of the frame; the subject alone with a copula. `None` for a subject that is not said and
    /// an agent left out.
    pub participants: Vec<Option<Np>>,
    pub tense: Tense,
    pub modal: Option<(Concept, Modal)>,
    pub passive: bool,
    pub negation: Option<Negation>,
    pub adverbials: Vec<Adverbial>,
    pub complement: Option<Box<Embedded>>,
    pub front: Front,
    /// Whether German places light pronouns before a full subject, and a definite object before adverbs.
    pub scrambled: bool,
}

impl Clause {
    /// A plain clause of the present, its subject first.
    pub fn new(concept: Concept, predicate: Predicate, participants: Vec<Option<Np>>) -> Self {
        Self {
            concept,
            predicate,
            participants,
            tense: Tense::Present,
            modal: None,
            passive: false,
            negation: None,
            adverbials: vec![],
            complement: None,
            front: Front::Subject,
            scrambled: false,
        }
    }
}

/// A clause as complement.
#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    pub clause: Clause,
    pub kind: EmbeddedKind,
}

/// The kinds of embedded clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmbeddedKind {
    That,
    Whether,
    Question,
    /// An infinitive, and whether German encloses it before the higher verb.
    Infinitive(Infinitive, bool),
}

/// Where an adverbial belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Time,
    /// `oft`, `schon`: in English in the middle.
    Middle,
    /// `schon`, `nie`: in German after definite objects.
    Aspect,
    /// A comment: in English first, before a comma if true.
    Stance(bool),
    Place,
    Manner,
    Clause,
}

/// An adverbial.
#[derive(Debug, Clone)]
pub(crate) struct Adverbial {
    pub concept: Concept,
    pub kind: Kind,
    pub body: Body,
}

/// What an adverbial is made of.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Adverb(&'static Adverb),
    Phrase(Box<Phrase>),
    /// A question word, German and English.
    Question(&'static str, &'static str),
    /// A comparative adverb, German and English, and what it compares with.
    Compared(&'static str, &'static str, Box<Np>),
    /// A clause with a conjunction, German and English.
    Clause(&'static str, &'static str, Box<Clause>),
    /// `um ... zu`, `in order to`.
    Purpose(Box<Clause>),
}

impl Clause {
    /// The role of the German subject.
    pub fn de_subject(&self) -> usize {
        match self.predicate {
            Predicate::Verb(frame) if self.passive => frame.de_object().unwrap_or(0),
            Predicate::Verb(frame) => frame.de_subject(),
            _ => 0,
        }
    }

    /// Whether English must keep time adverbs away from the end, where they would join a clause.
    pub fn is_heavy(&self) -> bool {
        self.complement.is_some() || self.participants.iter().flatten().any(Np::is_heavy)
    }

    /// What opens it when it is subordinate: the relative pronoun or question word, else the conjunction or `to`. A
    /// German comma before it has no comma beside it in English and is linked to this.
    pub fn opener(&self) -> Concept {
        let opens = |np: &&Np| np.is_relative() || np.is_wh();
        let asks = |a: &&Adverbial| matches!(a.body, Body::Question(..));
        let np = self.participants.iter().flatten().find(opens);
        let np = np.map(|np| if np.det().is_some() { np.concept.part(1) } else { np.concept });
        let question = || self.adverbials.iter().find(asks).map(|a| a.concept);
        np.or_else(question).unwrap_or(self.concept.part(Concept::MARK))
    }

    /// The controller's agreement for a reflexive in an infinitive below.
    pub fn agreement_of(&self, role: usize) -> Option<Agreement> {
        self.participants.get(role)?.as_ref().map(Np::de_agreement)
    }
}

/// A sentence.
#[derive(Debug, Clone)]
pub(crate) enum Sentence {
    Statement(Clause),
    /// A yes-no question, or one with a question word if the clause has one.
    Question(Clause),
    /// An order to someone.
    Order(Clause, Person, Option<Concept>),
    /// Two statements: concept and forms of the conjunction; the second shares the subject if it has none.
    Pair(Box<Clause>, Concept, (&'static str, &'static str), Box<Clause>),
}
