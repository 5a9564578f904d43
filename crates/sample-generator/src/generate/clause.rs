//! Choosing simple clauses: a verb, its participants, a time with tense and adverb, place, manner and negation.

use super::np::Use;
use super::{Generator, is_plain, is_voluntary};
use crate::features::{Case, Gender, Person};
use crate::lexicon::{Adverb, DeSlot, EnSlot, Frame, LEXICON};
use crate::syntax::{
    Adverbial, Body, Clause, Core, Det, Front, Kind, Modal, Negation, Np, Phrase, Predicate, Sentence, Tense,
};

/// When something happens; it decides tense and adverbs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Past,
    Now,
    Habit,
    Future,
    /// Done by now: `schon`, `already`.
    Done,
}

impl Generator {
    /// A clause without tense or adverbials; the subject is given or chosen.
    pub(super) fn bare_clause(&mut self, frame: &'static Frame, subject: Option<Np>) -> Clause {
        let concept = self.fresh();
        let subject_role = frame.en_role(EnSlot::Subject).unwrap_or(0);
        let subject = match subject {
            Some(np) => np,
            None => {
                let usage = if frame.is_parallel() { Use::Subject } else { Use::Object };
                self.participant(&frame.roles[subject_role].classes, usage, None)
            }
        };
        let mut participants: Vec<Option<Np>> = vec![];
        for (role, slots) in frame.roles.iter().enumerate() {
            if role == subject_role {
                participants.push(None);
                continue;
            }
            let usage = match slots.de {
                DeSlot::Direction | DeSlot::Location => Use::Place,
                DeSlot::Prep("auf", Case::Dat) => Use::Place,
                DeSlot::Bare(Case::Nom) => Use::Full,
                _ => Use::Object,
            };
            let mut np = self.participant(&slots.classes, usage, Some(&subject));
            let pronoun_before = participants.iter().flatten().any(Np::is_pronoun);
            if pronoun_before && np.is_pronoun() {
                np = self.participant(&slots.classes, Use::Full, Some(&subject));
            }
            participants.push(Some(np));
        }
        participants[subject_role] = Some(subject);
        let scrambled = self.rng.chance(50);
        Clause { scrambled, ..Clause::new(concept, Predicate::Verb(frame), participants) }
    }

    /// The eras that go with a clause's predicate.
    pub(super) fn era(&mut self, clause: &Clause) -> Era {
        let Predicate::Verb(frame) = clause.predicate else {
            return self.rng.weighted(&[(5, Era::Past), (5, Era::Now)]);
        };
        if frame.stative {
            return self.rng.weighted(&[(3, Era::Past), (6, Era::Now)]);
        }
        if !frame.voluntary {
            return self.rng.weighted(&[(6, Era::Past), (2, Era::Habit), (1, Era::Done)]);
        }
        self.rng.weighted(&[
            (45, Era::Past),
            (18, Era::Now),
            (15, Era::Habit),
            (15, Era::Future),
            (7, Era::Done),
        ])
    }

    /// Sets the tense for an era.
    pub(super) fn set_tense(&mut self, clause: &mut Clause, era: Era) {
        let agreement = clause.agreement_of(clause.de_subject());
        let third = agreement.is_none_or(|a| a.person == 3);
        let formal =
            clause.participants.iter().flatten().any(|n| matches!(n.core, Core::Pronoun(Person::Formal)));
        let short_past = match clause.predicate {
            Predicate::Verb(frame) => frame.stative || ["haben", "wissen"].contains(&frame.de.base),
            _ => true,
        };
        let stative = matches!(clause.predicate, Predicate::Verb(f) if f.stative);
        let copular = !matches!(clause.predicate, Predicate::Verb(_));
        clause.tense = match era {
            Era::Past if short_past || clause.modal.is_some() => Tense::Past,
            Era::Past if third && !formal && self.rng.chance(42) => Tense::Past,
            Era::Past => Tense::Perfect,
            Era::Now if stative || copular || clause.modal.is_some() || clause.passive => Tense::Present,
            Era::Now => Tense::Progressive,
            Era::Habit => Tense::Present,
            Era::Future if clause.modal.is_some() => Tense::Present,
            Era::Future => self.rng.weighted(&[(1, Tense::Future), (1, Tense::Planned)]),
            Era::Done => Tense::PresentPerfect,
        };
    }

    /// Adds an adverb of time, where the era needs one or may have one.
    pub(super) fn add_time(&mut self, clause: &mut Clause, era: Era) {
        let needed = era == Era::Habit || era == Era::Done || clause.tense == Tense::Planned;
        let rate = match era {
            Era::Past => 50,
            Era::Now if clause.tense == Tense::Progressive => 45,
            Era::Future => 60,
            _ => 0,
        };
        if !needed && !self.rng.chance(rate) {
            return;
        }
        let deliberate = matches!(clause.predicate, Predicate::Verb(frame) if frame.voluntary);
        let (kind, name) = match era {
            Era::Past => (Kind::Time, "past"),
            Era::Now => (Kind::Time, "now"),
            Era::Future => (Kind::Time, "future"),
            Era::Done => (Kind::Aspect, "perf"),
            Era::Habit if !deliberate || self.rng.chance(50) => (Kind::Middle, "freq"),
            Era::Habit => (Kind::Time, "habit"),
        };
        self.add_adverb(clause, kind, name);
    }

    pub(super) fn add_adverb(&mut self, clause: &mut Clause, kind: Kind, name: &str) {
        let mut adverbs: Vec<&'static Adverb> = LEXICON.adverbs_of(name);
        let any_time = match clause.predicate {
            Predicate::Verb(frame) => frame.any_time,
            _ => true,
        };
        if any_time {
            adverbs.extend(LEXICON.adverbs_of(&format!("{name}-long")));
        }
        let adverb = *self.rng.choose(&adverbs);
        let concept = self.fresh();
        clause.adverbials.push(Adverbial { concept, kind, body: Body::Adverb(adverb) });
    }

    /// Adds negation, or else perhaps place and manner.
    pub(super) fn add_details(&mut self, clause: &mut Clause, negatable: bool) {
        let Predicate::Verb(frame) = clause.predicate else { return };
        let aspect = clause.has(Kind::Aspect) || clause.has(Kind::Middle);
        if negatable && !aspect && frame.de.fixed.is_empty() && self.rng.chance(12) {
            self.negate(clause);
            return;
        }
        if !frame.manners.is_empty() && self.rng.chance(22) && !clause.passive && !clause.has(Kind::Aspect) {
            let manner = *self.rng.choose(&frame.manners);
            let indefinite = clause.participants.iter().flatten().any(|n| !n.is_definite());
            if !indefinite {
                self.add_adverb(clause, Kind::Manner, manner);
                return;
            }
        }
        if !frame.places.is_empty() && self.rng.chance(32) {
            self.add_place(clause, frame);
        }
    }

    fn add_place(&mut self, clause: &mut Clause, frame: &'static Frame) {
        let np = self.participant(&frame.places, Use::Place, None);
        let Core::Common(noun, _) = np.core else { return };
        let Some(place) = noun.place else { return };
        let phrase =
            Phrase { concept: self.fresh(), de: (place.location.0, Case::Dat), en: place.location.1, np };
        let concept = self.fresh();
        clause.adverbials.push(Adverbial {
            concept,
            kind: Kind::Place,
            body: Body::Phrase(Box::new(phrase)),
        });
    }

    /// Negates with `kein` where an indefinite object allows it, else with `nicht`.
    pub(super) fn negate(&mut self, clause: &mut Clause) {
        let Predicate::Verb(frame) = clause.predicate else { return };
        let object = frame.de_object().filter(|_| !clause.passive && frame.is_parallel());
        if let Some(np) = object.and_then(|r| clause.participants[r].as_mut()) {
            if let Core::Common(noun, det @ (None | Some(Det::Indefinite))) = np.core {
                debug_assert!(det.is_none_or(|d| d == Det::Indefinite));
                np.core = Core::Common(noun, Some(Det::No));
                clause.negation = Some(Negation::No(np.concept.part(1)));
                return;
            }
            if matches!(np.det(), Some(Det::Many | Det::Some | Det::Number(..) | Det::All)) {
                return;
            }
        }
        let quantified = |np: &Np| {
            matches!(np.det(), Some(Det::Every | Det::All | Det::Many | Det::Some | Det::Indefinite))
        };
        if clause.participants.iter().flatten().any(quantified) {
            return;
        }
        clause.negation = Some(Negation::Not(self.fresh()));
    }

    /// A finished simple clause for a verb.
    pub(super) fn simple_clause(
        &mut self,
        frame: &'static Frame,
        subject: Option<Np>,
        era: Option<Era>,
    ) -> Clause {
        let mut clause = self.bare_clause(frame, subject);
        let era = era.unwrap_or_else(|| self.era(&clause));
        self.set_tense(&mut clause, era);
        clause
    }

    pub(super) fn simple_sentence(&mut self) -> Sentence {
        let frame = self.frame(|f| is_plain(f) || f.roles[0].classes == ["it"]);
        let mut clause = self.bare_clause(frame, None);
        let era = self.era(&clause);
        self.set_tense(&mut clause, era);
        self.add_time(&mut clause, era);
        self.add_details(&mut clause, true);
        self.add_stance(&mut clause);
        self.choose_front(&mut clause);
        Sentence::Statement(clause)
    }

    pub(super) fn modal_sentence(&mut self) -> Sentence {
        let frame = self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel());
        let subject = self.participant(&["per"], Use::Subject, None);
        let mut clause = self.bare_clause(frame, Some(subject));
        let modal = self.modal();
        clause.modal = Some((self.fresh(), modal));
        let past = !matches!(modal, Modal::Should | Modal::WouldLike) && self.rng.chance(45);
        let era = if past { Era::Past } else { Era::Future };
        self.set_tense(&mut clause, era);
        self.add_time(&mut clause, era);
        self.add_details(&mut clause, !matches!(modal, Modal::WouldLike));
        self.choose_front(&mut clause);
        Sentence::Statement(clause)
    }

    pub(super) fn modal(&mut self) -> Modal {
        self.rng.weighted(&[
            (4, Modal::Can),
            (4, Modal::Must),
            (4, Modal::Want),
            (2, Modal::May),
            (3, Modal::Should),
            (3, Modal::WouldLike),
        ])
    }

    pub(super) fn passive_sentence(&mut self) -> Sentence {
        let clause = self.passive_clause();
        let mut clause = clause;
        self.choose_front(&mut clause);
        Sentence::Statement(clause)
    }

    pub(super) fn passive_clause(&mut self) -> Clause {
        let frame = self.frame(|f| {
            is_plain(f) && f.passive && f.de_object().is_some() && f.is_parallel() && f.de.reflexive.is_none()
        });
        let agent = self.participant(&frame.roles[frame.de_subject()].classes, Use::Full, None);
        let mut clause = self.bare_clause(frame, Some(agent));
        clause.passive = true;
        let object = frame.de_object().unwrap_or(0);
        let known = |np: &Np| np.is_definite() && !np.is_pronoun();
        for _ in 0..8 {
            if clause.participants[object].as_ref().is_some_and(known) {
                break;
            }
            clause.participants[object] =
                Some(self.participant(&frame.roles[object].classes, Use::Full, None));
        }
        if self.rng.chance(50) {
            clause.participants[frame.de_subject()] = None;
        }
        let era = self.rng.weighted(&[(6, Era::Past), (2, Era::Future), (1, Era::Habit)]);
        if era == Era::Future && self.rng.chance(60) {
            let modal = self.rng.weighted(&[(1, Modal::Must), (1, Modal::Should), (1, Modal::Can)]);
            clause.modal = Some((self.fresh(), modal));
        }
        self.set_tense(&mut clause, era);
        if clause.tense == Tense::Planned {
            clause.tense = Tense::Future;
        }
        self.add_time(&mut clause, era);
        self.add_details(&mut clause, false);
        clause
    }

    pub(super) fn add_stance(&mut self, clause: &mut Clause) {
        if clause.tense == Tense::PresentPerfect || clause.has(Kind::Middle) || !self.rng.chance(9) {
            return;
        }
        let (name, kind) = self.rng.weighted(&[
            (5, ("stance", Kind::Stance(true))),
            (1, ("open", Kind::Stance(false))),
            (1, ("mid", Kind::Middle)),
        ]);
        self.add_adverb(clause, kind, name);
    }

    /// Chooses what German puts first.
    pub(super) fn choose_front(&mut self, clause: &mut Clause) {
        let adverbial = clause.adverbials.iter().position(|a| matches!(a.kind, Kind::Time | Kind::Stance(_)));
        let place = clause.adverbials.iter().position(|a| a.kind == Kind::Place);
        let object = self.frontable(clause);
        let choice = |at: Option<usize>| usize::from(at.is_some());
        clause.front = self.rng.weighted(&[
            (50, Front::Subject),
            (38 * choice(adverbial), Front::Adverbial(adverbial.unwrap_or(0))),
            (7 * choice(place), Front::Adverbial(place.unwrap_or(0))),
            (16 * choice(object), Front::Role(object.unwrap_or(0))),
        ]);
    }

    /// An object that German can put first without being taken for the subject.
    fn frontable(&mut self, clause: &Clause) -> Option<usize> {
        let Predicate::Verb(frame) = clause.predicate else { return None };
        let subject = clause.participants[clause.de_subject()].as_ref()?;
        let roles = (0..frame.roles.len()).filter(|&role| {
            let Some(np) = &clause.participants[role] else { return false };
            role != clause.de_subject()
                && role != frame.de_subject()
                && !np.is_pronoun()
                && np.is_definite()
                && is_unambiguous(subject, np, frame.roles[role].de)
        });
        let roles: Vec<usize> = roles.collect();
        if roles.is_empty() { None } else { Some(*self.rng.choose(&roles)) }
    }
}

/// Whether a fronted phrase cannot be read as the subject.
pub(super) fn is_unambiguous(subject: &Np, object: &Np, slot: DeSlot) -> bool {
    let clear_subject = matches!(
        subject.core,
        Core::Pronoun(Person::I | Person::Thou | Person::He | Person::We | Person::YouAll)
    );
    let clear_object = match object.core {
        Core::Common(noun, _) => noun.gender == Gender::Masc && !object.plural,
        _ => false,
    };
    !matches!(slot, DeSlot::Bare(_)) || clear_subject || clear_object
}
