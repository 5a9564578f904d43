//! Verb frames: what a German verb and its English counterpart ask of their participants.

use super::unit::Unit;
use crate::features::Case;

/// How German realises a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeSlot {
    /// A bare noun phrase.
    Bare(Case),
    /// A noun phrase with a fixed preposition.
    Prep(&'static str, Case),
    /// Where to: the preposition is the place's own.
    Direction,
    /// Where: the preposition is the place's own.
    Location,
}

/// How English realises a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EnSlot {
    Subject,
    Object,
    /// The first of two objects.
    Indirect,
    Prep(&'static str),
    Direction,
    Location,
}

/// A participant of a verb.
#[derive(Debug)]
pub(crate) struct Role {
    pub de: DeSlot,
    pub en: EnSlot,
    /// The classes of nouns that fit.
    pub classes: Vec<&'static str>,
}

/// The German side of a frame.
#[derive(Debug)]
pub(crate) struct DeVerb {
    pub prefix: Option<&'static str>,
    /// The infinitive without its separable prefix.
    pub base: &'static str,
    /// The case of an inherent reflexive pronoun.
    pub reflexive: Option<Case>,
    /// Words that belong to the verb, such as the noun of a light-verb construction.
    pub fixed: Unit,
    /// Whether the perfect takes `sein`, where the verb's own entry does not tell.
    pub sein: Option<bool>,
}

/// The English side of a frame.
#[derive(Debug)]
pub(crate) struct EnVerb {
    pub lemma: &'static str,
    pub particle: Option<&'static str>,
    pub rest: Unit,
}

impl EnVerb {
    /// Whether the verb is the copula and the rest its predicate, as in `be afraid`.
    pub fn is_copular(&self) -> bool {
        self.lemma == "be"
    }
}

/// What kind of clause a verb takes as its complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Complement {
    /// `dass`, `that`.
    That,
    /// `ob`, `whether`.
    Whether,
    /// A clause with a question word.
    Question,
    /// A `zu`-infinitive.
    Infinitive(Infinitive),
}

/// How an infinitive complement behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Infinitive {
    /// The role that is also the infinitive's subject.
    pub controller: usize,
    /// Whether English has the `-ing` form.
    pub gerund: bool,
    /// Whether it depends on the fixed noun of the verb.
    pub of_noun: bool,
    /// Whether German may front its object into the higher clause.
    pub transparent: bool,
}

/// A reading of a verb in both languages.
#[derive(Debug)]
pub(crate) struct Frame {
    pub de: DeVerb,
    pub en: EnVerb,
    pub roles: Vec<Role>,
    pub complement: Option<Complement>,
    /// One can decide to do it: it may be ordered, planned and wanted.
    pub voluntary: bool,
    /// One does it in order to do something else.
    pub preparatory: bool,
    /// It fits any time, not only a day.
    pub any_time: bool,
    /// Others react to it.
    pub cue: bool,
    /// It is a state: English has no progressive.
    pub stative: bool,
    pub passive: bool,
    /// Kinds of manner adverbs that fit.
    pub manners: Vec<&'static str>,
    /// Classes of places where it happens.
    pub places: Vec<&'static str>,
}

impl Frame {
    /// The role with a German realisation.
    pub fn de_role(&self, slot: DeSlot) -> Option<usize> {
        self.roles.iter().position(|r| r.de == slot)
    }

    /// The role with an English realisation.
    pub fn en_role(&self, slot: EnSlot) -> Option<usize> {
        self.roles.iter().position(|r| r.en == slot)
    }

    /// The role of the German subject.
    pub fn de_subject(&self) -> usize {
        self.de_role(DeSlot::Bare(Case::Nom)).expect("every frame has a nominative, as reading checks")
    }

    /// The role of the accusative object.
    pub fn de_object(&self) -> Option<usize> {
        self.de_role(DeSlot::Bare(Case::Acc))
    }

    /// Whether subject and object are the same participants in both languages.
    pub fn is_parallel(&self) -> bool {
        self.en_role(EnSlot::Subject) == Some(self.de_subject())
    }
}
