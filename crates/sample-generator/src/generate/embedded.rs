//! Choosing sentences with complement clauses and infinitives, some of whose objects stand in the higher clause.

use super::clause::{Era, is_unambiguous};
use super::np::{Use, person_of};
use super::{Generator, is_plain, is_voluntary, takes};
use crate::features::Case;
use crate::lexicon::{Complement, DeSlot, Frame};
use crate::syntax::{
    Clause, Core, Embedded, EmbeddedKind, Front, Kind, Modal, Negation, Np, Predicate, Sentence, Tense,
};

impl Generator {
    pub(super) fn complement_sentence(&mut self) -> Sentence {
        let frame = self.frame(|f| takes(f, |c| !matches!(c, Complement::Infinitive(_))));
        let mut main = self.bare_clause(frame, None);
        let kind = match frame.complement {
            Some(Complement::That) => EmbeddedKind::That,
            Some(Complement::Whether) => EmbeddedKind::Whether,
            _ => EmbeddedKind::Question,
        };
        let past = self.rng.chance(50) || (kind == EmbeddedKind::Question && frame.de.base != "wissen");
        let era = if past { Era::Past } else { Era::Now };
        self.set_tense(&mut main, era);
        if main.tense == Tense::Progressive {
            main.tense = Tense::Present;
        }
        let unknowing = frame.de.base == "wissen" && kind != EmbeddedKind::That;
        if unknowing && (kind == EmbeddedKind::Whether || self.rng.chance(70)) {
            main.negation = Some(Negation::Not(self.fresh()));
        }
        let clause = match kind {
            EmbeddedKind::Question => self.asked_inside(past),
            _ => self.reported(past),
        };
        let mut clause = clause;
        if frame.de.base == "hoffen" {
            clause.modal = clause.modal.map(|(concept, _)| (concept, Modal::Can));
        }
        if !clause.has(Kind::Time) {
            self.make_heavy(&mut clause, 14);
        }
        main.complement = Some(Box::new(Embedded { clause, kind }));
        if self.rng.chance(15) && past && frame.de.base != "wissen" && !frame.stative {
            self.add_adverb(&mut main, Kind::Time, "past");
            main.front = Front::Adverbial(0);
        }
        Sentence::Statement(main)
    }

    /// What is said or thought, at the same time, before or later.
    fn reported(&mut self, past: bool) -> Clause {
        if self.rng.chance(18) {
            let mut clause = self.passive_clause();
            clause.adverbials.clear();
            clause.front = Front::Subject;
            clause.tense = match clause.modal {
                Some(_) if past => Tense::Past,
                Some(_) => Tense::Present,
                None if past => Tense::Pluperfect,
                None => Tense::Perfect,
            };
            if past && matches!(clause.modal, Some((_, Modal::Should))) {
                clause.modal = Some((self.fresh(), Modal::Must));
            }
            return clause;
        }
        let frame = self.frame(is_plain);
        let mut clause = self.bare_clause(frame, None);
        if past {
            clause.tense =
                if frame.stative || !frame.is_parallel() { Tense::Past } else { Tense::Pluperfect };
            if frame.voluntary && !frame.stative && self.rng.chance(40) {
                let modal = self.rng.weighted(&[(1, Modal::Can), (1, Modal::Must), (1, Modal::Want)]);
                clause.modal = Some((self.fresh(), modal));
                clause.tense = Tense::Past;
            }
            return clause;
        }
        let era = self.era(&clause);
        self.set_tense(&mut clause, era);
        if frame.voluntary && !frame.stative && self.rng.chance(30) {
            let modal = self.modal();
            clause.modal = Some((self.fresh(), modal));
            clause.tense = Tense::Present;
        } else {
            self.add_time(&mut clause, era);
        }
        if !clause.has(Kind::Time) {
            self.add_details(&mut clause, true);
        }
        clause
    }

    /// A clause after a question word.
    fn asked_inside(&mut self, past: bool) -> Clause {
        let frame = self.frame(|f| is_plain(f) && !f.stative && f.is_parallel() && f.voluntary);
        let subject = self.known(&frame.roles[frame.de_subject()].classes);
        let mut clause = self.bare_clause(frame, Some(subject));
        clause.tense = if past { Tense::Pluperfect } else { Tense::Perfect };
        let word = self.rng.weighted(&[
            (2, ("wann", "when", Kind::Time)),
            (4, ("warum", "why", Kind::Time)),
            (2, ("wo", "where", Kind::Place)),
            (4, ("", "", Kind::Time)),
        ]);
        match (word.0, frame.de_object()) {
            ("wo", _) if frame.places.is_empty() => self.ask(&mut clause, ("warum", "why", Kind::Time)),
            ("", Some(role)) => {
                clause.scrambled = false;
                self.ask_for(&mut clause, frame, role);
            }
            ("", None) => {
                clause.participants[frame.de_subject()] = Some(Np::new(self.fresh(), Core::Who, false));
            }
            _ => self.ask(&mut clause, word),
        }
        clause
    }

    /// An infinitive of something one decides to do.
    pub(super) fn infinitive(&mut self, owner: Option<&Np>, fits: impl Fn(&Frame) -> bool) -> Clause {
        let frame = self.frame(|f| is_voluntary(f) && f.is_parallel() && !f.stative && fits(f));
        let subject = match owner.and_then(person_of) {
            Some(person) => self.pronoun(person),
            None => self.participant(&["prof"], Use::Full, None),
        };
        let mut clause = self.bare_clause(frame, Some(subject));
        clause.participants[frame.de_subject()] = None;
        clause
    }

    pub(super) fn infinitive_sentence(&mut self) -> Sentence {
        let frame = self.frame(|f| takes(f, |c| matches!(c, Complement::Infinitive(_))));
        let mut main = self.bare_clause(frame, None);
        let Some(Complement::Infinitive(infinitive)) = frame.complement else {
            return Sentence::Statement(main);
        };
        let lasting = ["hoffen", "planen", "haben"].contains(&frame.de.base);
        let era = if lasting && self.rng.chance(50) { Era::Now } else { Era::Past };
        self.set_tense(&mut main, era);
        if main.tense == Tense::Progressive {
            main.tense = Tense::Present;
        }
        let controller = main.participants.get(infinitive.controller).cloned().flatten();
        let base = frame.de.base;
        let of_noun = infinitive.of_noun;
        let mut clause = self
            .infinitive(controller.as_ref(), |f| f.de.base != base && (!of_noun || f.de.fixed.is_empty()));
        self.make_heavy(&mut clause, 12);
        main.complement =
            Some(Box::new(Embedded { clause, kind: EmbeddedKind::Infinitive(infinitive, false) }));
        if self.rng.chance(35) {
            return self.embed(main);
        }
        if era == Era::Past && self.rng.chance(25) {
            self.add_adverb(&mut main, Kind::Time, "past");
            if self.rng.chance(60) {
                main.front = Front::Adverbial(0);
            }
        }
        Sentence::Statement(main)
    }

    /// Puts a clause below `weil` or `dass`, where its own verb comes last.
    fn embed(&mut self, mut inner: Clause) -> Sentence {
        inner.front = Front::Subject;
        inner.adverbials.clear();
        if inner.tense == Tense::Progressive {
            inner.tense = Tense::Present;
        }
        let past = matches!(inner.tense, Tense::Past | Tense::Perfect);
        let frame = self
            .frame(|f| takes(f, |c| c == Complement::That) && f.roles.len() == 1 && f.de.base != "fürchten");
        let mut main = self.bare_clause(frame, None);
        let era = if past && self.rng.chance(50) { Era::Past } else { Era::Now };
        self.set_tense(&mut main, era);
        if main.tense == Tense::Progressive {
            main.tense = Tense::Present;
        }
        if past && main.tense != Tense::Present && !matches!(inner.predicate, Predicate::Verb(f) if f.stative)
        {
            inner.tense = Tense::Pluperfect;
        }
        main.complement = Some(Box::new(Embedded { clause: inner, kind: EmbeddedKind::That }));
        Sentence::Statement(main)
    }

    /// An object of the infinitive in front of the higher clause: `Diesen Brief hat er zu schreiben vergessen.`
    pub(super) fn raised_object(&mut self) -> Sentence {
        let transparent = |c: Complement| matches!(c, Complement::Infinitive(i) if i.transparent);
        let frame = self.frame(|f| takes(f, transparent));
        let Some(Complement::Infinitive(infinitive)) = frame.complement else {
            return self.infinitive_sentence();
        };
        let mut main = self.bare_clause(frame, None);
        let era = self.rng.weighted(&[(6, Era::Past), (1, Era::Future)]);
        self.set_tense(&mut main, era);
        if main.tense == Tense::Planned {
            main.tense = Tense::Future;
        }
        let subject = main.participants[0].clone();
        let base = frame.de.base;
        let mut inner = self.infinitive(subject.as_ref(), |f| {
            f.de_object().is_some() && f.roles.len() == 2 && f.de.base != base
        });
        let Predicate::Verb(inner_frame) = inner.predicate else { return self.infinitive_sentence() };
        let Some(object) = inner_frame.de_object() else { return self.infinitive_sentence() };
        let fits = |np: &Np, subject: Option<&Np>| {
            np.is_definite()
                && !np.is_pronoun()
                && subject.is_some_and(|s| is_unambiguous(s, np, DeSlot::Bare(Case::Acc)))
        };
        for _ in 0..12 {
            if inner.participants[object].as_ref().is_some_and(|np| fits(np, subject.as_ref())) {
                break;
            }
            let np = self.participant(&inner_frame.roles[object].classes, Use::Full, subject.as_ref());
            inner.participants[object] = Some(np);
        }
        if !inner.participants[object].as_ref().is_some_and(|np| fits(np, subject.as_ref())) {
            return self.raised_object();
        }
        inner.front = Front::Role(object);
        main.front = Front::Inner(object);
        let enclosed = self.rng.chance(65);
        main.complement =
            Some(Box::new(Embedded { clause: inner, kind: EmbeddedKind::Infinitive(infinitive, enclosed) }));
        if self.rng.chance(25) && era == Era::Past {
            self.add_adverb(&mut main, Kind::Time, "past");
        }
        Sentence::Statement(main)
    }
}
