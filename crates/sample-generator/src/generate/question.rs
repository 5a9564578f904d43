//! Choosing questions and orders.

use super::clause::Era;
use super::np::Use;
use super::{Generator, is_plain, is_voluntary};
use crate::features::{Case, Gender, Person};
use crate::lexicon::{DeSlot, Frame};
use crate::syntax::{Adverbial, Body, Clause, Core, Det, Front, Kind, Np, Sentence, Tense};

impl Generator {
    /// A subject one asks about: someone present or known.
    fn asked_subject(&mut self, classes: &[&'static str]) -> Np {
        if classes.contains(&"per") && self.rng.chance(60) {
            let person = self.rng.weighted(&[
                (4, Person::Thou),
                (2, Person::YouAll),
                (3, Person::Formal),
                (3, Person::He),
                (3, Person::She),
                (2, Person::They),
            ]);
            return self.pronoun(person);
        }
        self.known(classes)
    }

    /// A definite participant that is no pronoun.
    pub(super) fn known(&mut self, classes: &[&'static str]) -> Np {
        loop {
            let np = self.participant(classes, Use::Full, None);
            if np.is_definite() && np.phrase.is_none() {
                return np;
            }
        }
    }

    fn asked_clause(&mut self, fits: impl Fn(&Frame) -> bool) -> (Clause, &'static Frame, Era) {
        let frame = self.frame(|f| is_plain(f) && f.is_parallel() && fits(f));
        let subject = self.asked_subject(&frame.roles[frame.de_subject()].classes);
        let mut clause = self.bare_clause(frame, Some(subject));
        let mut era = self.era(&clause);
        if matches!(era, Era::Habit | Era::Done) {
            era = Era::Past;
        }
        self.set_tense(&mut clause, era);
        if clause.tense == Tense::Past && !frame.stative {
            clause.tense = Tense::Perfect;
        }
        if clause.tense == Tense::Planned {
            clause.tense = Tense::Future;
        }
        if frame.voluntary && !frame.stative && era != Era::Past && self.rng.chance(35) {
            let modal = self.modal();
            clause.modal = Some((self.fresh(), modal));
            clause.tense = Tense::Present;
            era = Era::Future;
        }
        (clause, frame, era)
    }

    pub(super) fn polar_question(&mut self) -> Sentence {
        let (mut clause, _, era) = self.asked_clause(|_| true);
        self.add_time(&mut clause, era);
        if self.rng.chance(50) {
            self.add_details(&mut clause, false);
        }
        Sentence::Question(clause)
    }

    pub(super) fn wh_question(&mut self) -> Sentence {
        match self.rng.below(10) {
            0 | 1 => self.who_question(),
            2 | 3 => self.adverb_question(),
            4 => self.raised_question(),
            _ => self.object_question(),
        }
    }

    fn who_question(&mut self) -> Sentence {
        let frame = self.frame(|f| {
            is_plain(f) && f.is_parallel() && !f.stative && f.roles[f.de_subject()].classes.contains(&"per")
        });
        let who = Np::new(self.fresh(), Core::Who, false);
        let mut clause = self.bare_clause(frame, Some(who));
        let era = self.rng.weighted(&[(6, Era::Past), (2, Era::Future)]);
        self.set_tense(&mut clause, era);
        clause.tense = if era == Era::Past { Tense::Perfect } else { Tense::Future };
        self.add_time(&mut clause, era);
        Sentence::Question(clause)
    }

    fn adverb_question(&mut self) -> Sentence {
        let word = self.rng.weighted(&[
            (3, ("wann", "when", Kind::Time)),
            (3, ("warum", "why", Kind::Time)),
            (3, ("wo", "where", Kind::Place)),
        ]);
        let (mut clause, _, _) = self.asked_clause(|f| {
            !f.stative && (word.0 != "wo" || !f.places.is_empty()) && (word.0 == "warum" || f.voluntary)
        });
        if word.0 == "wann" && clause.tense == Tense::Progressive {
            clause.tense = Tense::Future;
        }
        self.ask(&mut clause, word);
        Sentence::Question(clause)
    }

    pub(super) fn ask(&mut self, clause: &mut Clause, word: (&'static str, &'static str, Kind)) {
        let concept = self.fresh();
        clause.front = Front::Adverbial(clause.adverbials.len());
        clause.adverbials.push(Adverbial { concept, kind: word.2, body: Body::Question(word.0, word.1) });
    }

    fn object_question(&mut self) -> Sentence {
        let (mut clause, frame, era) = self.asked_clause(|f| !asked_roles(f).is_empty());
        let role = *self.rng.choose(&asked_roles(frame));
        self.ask_for(&mut clause, frame, role);
        if self.rng.chance(50) {
            self.add_time(&mut clause, era);
        }
        Sentence::Question(clause)
    }

    /// Makes a participant the one that is asked for.
    pub(super) fn ask_for(&mut self, clause: &mut Clause, frame: &'static Frame, role: usize) {
        clause.participants[role] = Some(self.wh(&frame.roles[role].classes, frame.roles[role].de));
        clause.front = Front::Role(role);
    }

    /// A question phrase for a role: who, what, which or what kind of.
    fn wh(&mut self, classes: &[&'static str], slot: DeSlot) -> Np {
        let concept = self.fresh();
        let nouns = self.nouns_of(classes);
        let noun = *self.rng.choose(&nouns);
        let clear = noun.gender == Gender::Masc;
        if noun.is("per") && (!clear || self.rng.chance(60)) {
            return Np::new(concept, Core::Who, false);
        }
        let thing = !noun.is("per") && !noun.is("animal");
        let kind = slot == DeSlot::Bare(Case::Acc) && thing && !noun.is_mass() && !noun.is("many");
        match self.rng.below(10) {
            0..=2 if thing && !classes.contains(&"per") => Np::new(concept, Core::What, false),
            3..=5 if kind => Np::new(concept, Core::Common(noun, Some(Det::WhatKind)), false),
            _ if noun.is("kin") || noun.is("own") => Np::new(concept, Core::Who, false),
            _ => {
                let plural = noun.is("many") || (!noun.is_mass() && !noun.is("one") && self.rng.chance(20));
                Np::new(concept, Core::Common(noun, Some(Det::Which)), plural)
            }
        }
    }

    /// A question for an object of an infinitive: `Was hat sie zu kaufen versucht?`
    fn raised_question(&mut self) -> Sentence {
        let Sentence::Statement(mut clause) = self.raised_object() else { return self.object_question() };
        let Front::Inner(role) = clause.front else { return self.object_question() };
        let Some(embedded) = clause.complement.as_mut() else { return self.object_question() };
        let crate::syntax::Predicate::Verb(frame) = embedded.clause.predicate else {
            return self.object_question();
        };
        embedded.clause.participants[role] = None;
        let asked = self.wh(&frame.roles[role].classes, frame.roles[role].de);
        let split = asked.det() == Some(Det::WhatKind);
        embedded.clause.scrambled = false;
        let asked = match (split, asked.core) {
            (true, Core::Common(noun, _)) => {
                Np::new(asked.concept, Core::Common(noun, Some(Det::Which)), false)
            }
            (_, core) => Np { core, ..Np::new(asked.concept, Core::What, asked.plural) },
        };
        embedded.clause.participants[role] = Some(asked);
        clause.adverbials.clear();
        if clause.tense == Tense::Planned {
            clause.tense = Tense::Future;
        }
        Sentence::Question(clause)
    }

    pub(super) fn order(&mut self) -> Sentence {
        let person = self.rng.weighted(&[(5, Person::Thou), (2, Person::YouAll), (4, Person::Formal)]);
        let frame = self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel());
        let someone = self.pronoun(person);
        let mut clause = self.bare_clause(frame, Some(someone));
        let subject = clause.de_subject();
        clause.participants[subject] = None;
        let please = self.rng.chance(45).then(|| self.fresh());
        if please.is_none() && self.rng.chance(25) && frame.de.fixed.is_empty() {
            self.negate(&mut clause);
        } else if self.rng.chance(30) {
            self.add_details(&mut clause, false);
        }
        Sentence::Order(clause, person, please)
    }
}

/// The roles one would ask for: the objects.
fn asked_roles(frame: &Frame) -> Vec<usize> {
    let object = |slot: DeSlot| matches!(slot, DeSlot::Bare(Case::Acc | Case::Dat) | DeSlot::Prep(..));
    (0..frame.roles.len()).filter(|&role| object(frame.roles[role].de)).collect()
}
