//! Choosing sentences of more than one clause.

use super::clause::{Era, is_unambiguous};
use super::np::{Use, person_of};
use super::{Generator, is_plain, is_voluntary, takes};
use crate::features::{Case, Person};
use crate::lexicon::{Adjective, Complement, DeSlot, Frame, LEXICON};
use crate::syntax::{
    Adverbial, Body, Clause, Core, Det, Embedded, EmbeddedKind, Front, Kind, Modal, Negation, Np, Predicate,
    Sentence, Tense,
};

/// Moods that explain what someone does.
const MOODS: [&str; 7] = ["müde", "krank", "neugierig", "nervös", "glücklich", "traurig", "geduldig"];

impl Generator {
    /// Adds an adverbial clause, first or last.
    fn add_clause(&mut self, main: &mut Clause, (de, en): (&'static str, &'static str), inner: Clause) {
        let concept = self.fresh();
        let body = Body::Clause(de, en, Box::new(inner));
        if self.rng.chance(45) {
            main.front = Front::Adverbial(main.adverbials.len());
        }
        main.adverbials.push(Adverbial { concept, kind: Kind::Clause, body });
    }

    /// A pronoun that takes up a phrase, or somebody else if none does.
    fn again(&mut self, np: Option<&Np>) -> Np {
        match np.and_then(person_of) {
            Some(person) => self.pronoun(person),
            None => self.participant(&["per"], Use::Subject, None),
        }
    }

    pub(super) fn adverbial_sentence(&mut self) -> Sentence {
        match self.rng.below(10) {
            0..=3 => self.reason(),
            4 | 5 => self.after_or_before(),
            6 => self.meanwhile(),
            7 | 8 => self.condition(),
            _ => self.goal(),
        }
    }

    /// `weil`, `da`, `obwohl`.
    fn reason(&mut self) -> Sentence {
        let frame = self.frame(|f| is_voluntary(f) && f.is_parallel());
        let subject = loop {
            let np = self.participant(&["per"], Use::Subject, None);
            if person_of(&np).is_some() {
                break np;
            }
        };
        let past = self.rng.chance(65) || frame.stative;
        let era = if past { Era::Past } else { Era::Now };
        let mut main = self.simple_clause(frame, Some(subject.clone()), Some(era));
        let inner = self.reason_clause(&main, &subject, frame, past);
        let conjunction = match self.rng.below(10) {
            0..=4 => ("weil", "because"),
            5 => ("da", "since"),
            _ => ("obwohl", "although"),
        };
        if past && self.rng.chance(30) {
            self.add_adverb(&mut main, Kind::Time, "past");
        }
        if conjunction.0 != "obwohl"
            && self.rng.chance(20)
            && main.adverbials.is_empty()
            && frame.de.fixed.is_empty()
        {
            self.negate(&mut main);
        }
        self.add_clause(&mut main, conjunction, inner);
        Sentence::Statement(main)
    }

    fn reason_clause(&mut self, main: &Clause, subject: &Np, frame: &'static Frame, past: bool) -> Clause {
        let tense = if past { Tense::Past } else { Tense::Present };
        let again = self.again(Some(subject));
        let object = frame.de_object().and_then(|r| main.participants[r].clone());
        let thing = object.filter(|np| np.relative.is_none() && np.is_definite() && !np.is_pronoun());
        match self.rng.below(10) {
            0 | 1 => {
                let moods: Vec<&'static Adjective> =
                    LEXICON.adjectives.iter().filter(|a| MOODS.contains(&a.de)).collect();
                let mood = *self.rng.pick(&moods);
                let predicate = Predicate::Adjective(self.fresh(), mood, None);
                self.copular_clause(again, predicate, tense)
            }
            2 | 3 if thing.is_some() => {
                let thing = thing.expect("checked just now");
                let Core::Common(noun, _) = thing.core else { return self.weather(past) };
                let (Some(person), Some(adjective)) = (person_of(&thing), self.adjective(noun, false)) else {
                    return self.weather(past);
                };
                let pronoun = self.pronoun(person);
                let predicate = Predicate::Adjective(self.fresh(), adjective, None);
                self.copular_clause(pronoun, predicate, tense)
            }
            4 => self.weather(past),
            5 => {
                let frame = self
                    .frame(|f| is_plain(f) && f.de.base == "haben" && f.roles[0].classes.contains(&"per"));
                let mut clause = self.bare_clause(frame, Some(again));
                clause.tense = tense;
                clause
            }
            _ => {
                let frame = self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel());
                let mut clause = self.bare_clause(frame, Some(again));
                let modal = self.rng.weighted(&[(3, Modal::Must), (3, Modal::Want), (1, Modal::Can)]);
                clause.modal = Some((self.fresh(), modal));
                clause.tense = tense;
                clause
            }
        }
    }

    fn weather(&mut self, past: bool) -> Clause {
        let frame = self.frame(|f| f.roles[0].classes == ["it"]);
        let mut clause = self.bare_clause(frame, None);
        clause.tense = if past { Tense::Past } else { Tense::Progressive };
        clause
    }

    /// `nachdem`, `bevor`, `als`, `bis`.
    fn after_or_before(&mut self) -> Sentence {
        let frame = self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel());
        let mut main = self.simple_clause(frame, None, Some(Era::Past));
        let subject = main.participants[frame.de_subject()].clone();
        let conjunction = *self.rng.pick(&[("nachdem", "after"), ("bevor", "before"), ("als", "when")]);
        let event = self.frame(|f| {
            is_plain(f)
                && f.is_parallel()
                && !f.stative
                && (f.voluntary || f.de.prefix.is_some())
                && f.de.base != frame.de.base
        });
        let same = conjunction.0 != "als" && event.roles[0].classes.contains(&"per") && self.rng.chance(60);
        let inner_subject = match (same, subject.as_ref()) {
            (true, Some(np)) if person_of(np).is_some() => self.again(Some(np)),
            _ => self.participant(&event.roles[event.de_subject()].classes, Use::Full, None),
        };
        let mut inner = self.bare_clause(event, Some(inner_subject));
        let third = inner.agreement_of(inner.de_subject()).is_none_or(|a| a.person == 3);
        inner.tense = match conjunction.0 {
            "nachdem" => Tense::Pluperfect,
            _ if third => Tense::Past,
            _ => Tense::Perfect,
        };
        self.add_clause(&mut main, conjunction, inner);
        Sentence::Statement(main)
    }

    /// `während` with something that lasts.
    fn meanwhile(&mut self) -> Sentence {
        const LASTING: [&str; 9] = [
            "schlafen",
            "arbeiten",
            "kochen",
            "warten",
            "lesen",
            "putzen",
            "reparieren",
            "tanzen",
            "streichen",
        ];
        let lasting =
            self.frame(|f| is_voluntary(f) && LASTING.contains(&f.de.base) && f.de.prefix.is_none());
        let subject = self.participant(&["per"], Use::Full, None);
        let mut inner = self.bare_clause(lasting, Some(subject));
        inner.tense = Tense::PastProgressive;
        let frame =
            self.frame(|f| is_plain(f) && !f.stative && f.is_parallel() && f.de.base != lasting.de.base);
        let mut main = self.simple_clause(frame, None, Some(Era::Past));
        self.add_clause(&mut main, ("während", "while"), inner);
        Sentence::Statement(main)
    }

    /// `wenn`, `sobald` with what will happen then.
    fn condition(&mut self) -> Sentence {
        let event = self
            .frame(|f| (is_voluntary(f) && !f.stative && f.is_parallel()) || f.roles[0].classes == ["it"]);
        let mut inner = self.bare_clause(event, None);
        inner.tense = Tense::Present;
        let frame =
            self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel() && f.de.base != event.de.base);
        let subject = match self.rng.chance(50) {
            true => inner.participants[inner.de_subject()]
                .clone()
                .filter(|np| matches!(person_of(np), Some(p) if !matches!(p, Person::Thing(_)))),
            false => None,
        };
        let subject = subject.as_ref().map(|np| self.again(Some(np)));
        let mut main = self.bare_clause(frame, subject);
        let conjunction = if event.roles[0].classes == ["it"] {
            ("wenn", "if")
        } else {
            *self.rng.pick(&[("wenn", "if"), ("sobald", "as soon as")])
        };
        main.tense = if self.rng.chance(50) { Tense::Future } else { Tense::Planned };
        if self.rng.chance(25) {
            let modal = self.rng.weighted(&[(1, Modal::Can), (1, Modal::Must), (1, Modal::Should)]);
            main.modal = Some((self.fresh(), modal));
            main.tense = Tense::Present;
        }
        self.add_clause(&mut main, conjunction, inner);
        main.front =
            if self.rng.chance(75) { Front::Adverbial(main.adverbials.len() - 1) } else { Front::Subject };
        Sentence::Statement(main)
    }

    /// `damit` with what someone can do then.
    fn goal(&mut self) -> Sentence {
        let frame = self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel());
        let mut main = self.simple_clause(frame, None, Some(Era::Past));
        let goal =
            self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel() && f.de.base != frame.de.base);
        let subject = self.participant(&["per"], Use::Full, None);
        let mut inner = self.bare_clause(goal, Some(subject));
        inner.modal = Some((self.fresh(), Modal::Can));
        inner.tense = Tense::Past;
        self.add_clause(&mut main, ("damit", "so that"), inner);
        main.front = Front::Subject;
        Sentence::Statement(main)
    }

    pub(super) fn complement_sentence(&mut self) -> Sentence {
        let frame = self.frame(|f| takes(f, |c| !matches!(c, Complement::Infinitive(_))));
        let mut main = self.bare_clause(frame, None);
        let kind = match frame.complement {
            Some(Complement::That) => EmbeddedKind::That,
            Some(Complement::Whether) => EmbeddedKind::Whether,
            _ => EmbeddedKind::Question,
        };
        let past = self.rng.chance(50);
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
    fn infinitive(&mut self, owner: Option<&Np>, fits: impl Fn(&Frame) -> bool) -> Clause {
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
        let era = self.rng.weighted(&[(6, Era::Past), (2, Era::Now)]);
        self.set_tense(&mut main, era);
        let controller = main.participants.get(infinitive.controller).cloned().flatten();
        let base = frame.de.base;
        let clause = self.infinitive(controller.as_ref(), |f| f.de.base != base);
        main.complement =
            Some(Box::new(Embedded { clause, kind: EmbeddedKind::Infinitive(infinitive, false) }));
        if era == Era::Past && self.rng.chance(25) {
            self.add_adverb(&mut main, Kind::Time, "past");
            if self.rng.chance(60) {
                main.front = Front::Adverbial(0);
            }
        }
        if self.rng.chance(35) {
            return self.embed(main);
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
        let frame = self.frame(|f| takes(f, |c| c == Complement::That) && f.roles.len() == 1);
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
        let mut inner = self.infinitive(subject.as_ref(), |f| f.de_object().is_some() && f.de.base != base);
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

    /// `um ... zu`.
    pub(super) fn purpose_sentence(&mut self) -> Sentence {
        let frame = self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel());
        let mut main = self.simple_clause(frame, None, None);
        if main.tense == Tense::PresentPerfect {
            main.tense = Tense::Perfect;
        }
        if main.tense == Tense::Planned {
            main.tense = Tense::Future;
        }
        let subject = main.participants[frame.de_subject()].clone();
        let base = frame.de.base;
        let inner = self.infinitive(subject.as_ref(), |f| f.de.base != base);
        let concept = self.fresh();
        if self.rng.chance(30) {
            main.front = Front::Adverbial(0);
        }
        main.adverbials.push(Adverbial { concept, kind: Kind::Clause, body: Body::Purpose(Box::new(inner)) });
        Sentence::Statement(main)
    }

    /// Two clauses with `und` or `aber`.
    pub(super) fn pair(&mut self) -> Sentence {
        let frame = self.frame(|f| is_voluntary(f) && f.is_parallel() && !f.stative);
        let concept = self.fresh();
        let shared = self.rng.chance(60);
        let subject = loop {
            let np = self.participant(&["per"], Use::Subject, None);
            if np.de_agreement().person == 3 && !matches!(np.core, Core::Pronoun(Person::Formal)) {
                break np;
            }
        };
        let mut first = self.bare_clause(frame, Some(subject.clone()));
        first.tense = Tense::Past;
        let other =
            self.frame(|f| is_voluntary(f) && f.is_parallel() && !f.stative && f.de.base != frame.de.base);
        if shared {
            let mut second = self.bare_clause(other, Some(subject));
            second.participants[other.de_subject()] = None;
            second.tense = Tense::Past;
            return Sentence::Pair(Box::new(first), concept, ("und", "and"), Box::new(second));
        }
        let second_subject = self.participant(&["prof", "kin", "young"], Use::Full, None);
        let mut second = self.bare_clause(other, Some(second_subject));
        second.tense = Tense::Past;
        let conjunction = *self.rng.pick(&[("und", "and"), ("aber", "but")]);
        Sentence::Pair(Box::new(first), concept, conjunction, Box::new(second))
    }

    pub(super) fn comparison(&mut self) -> Sentence {
        match self.rng.below(4) {
            0 => self.compared_adjective(),
            1 => self.compared_adverb(),
            _ => self.compared_number(),
        }
    }

    fn compared_adjective(&mut self) -> Sentence {
        let nouns = LEXICON.nouns_of(&["per", "pet", "veh", "cloth", "furn", "read", "bldg", "room"]);
        let noun = *self.rng.pick(&nouns);
        let Some(adjective) = self.adjective(noun, true) else { return self.compared_number() };
        let class = noun.classes[0];
        let subject = self.known(&[class]);
        let than = self.known(&[class]);
        let concept = self.fresh();
        let tense = if self.rng.chance(30) { Tense::Past } else { Tense::Present };
        let predicate = Predicate::Adjective(concept, adjective, Some(Box::new(than)));
        Sentence::Statement(self.copular_clause(subject, predicate, tense))
    }

    fn compared_adverb(&mut self) -> Sentence {
        let frame =
            self.frame(|f| is_plain(f) && f.is_parallel() && f.roles.len() == 1 && !f.manners.is_empty());
        let manner = *self.rng.pick(&frame.manners);
        let (de, en) = match manner {
            "loud" => ("lauter", "louder"),
            "fast" => ("schneller", "faster"),
            "early" => ("früher", "earlier"),
            "late" => ("später", "later"),
            "hard" => ("länger", "longer"),
            _ => ("besser", "better"),
        };
        let subject = self.known(&frame.roles[0].classes);
        let than = self.known(&frame.roles[0].classes);
        let mut clause = self.bare_clause(frame, Some(subject));
        clause.tense = Tense::Perfect;
        let concept = self.fresh();
        let body = Body::Compared(de, en, Box::new(than));
        clause.adverbials.push(Adverbial { concept, kind: Kind::Manner, body });
        if self.rng.chance(40) {
            self.add_adverb(&mut clause, Kind::Time, "past");
            clause.front = Front::Adverbial(1);
        }
        Sentence::Statement(clause)
    }

    /// `mehr Bücher ... als`.
    fn compared_number(&mut self) -> Sentence {
        const COUNTED: [&str; 8] =
            ["kaufen", "lesen", "schreiben", "essen", "verkaufen", "finden", "lösen", "reparieren"];
        let frame = self.frame(|f| is_plain(f) && COUNTED.contains(&f.de.base) && f.roles.len() == 2);
        let subject = self.known(&["per"]);
        let than = self.known(&["per"]);
        let mut clause = self.bare_clause(frame, Some(subject));
        let nouns: Vec<_> =
            LEXICON.nouns_of(&frame.roles[1].classes).into_iter().filter(|n| !n.is_mass()).collect();
        let noun = *self.rng.pick(&nouns);
        let mut np = Np::new(self.fresh(), Core::Common(noun, Some(Det::More)), true);
        np.than = Some(Box::new(than));
        clause.participants[1] = Some(np);
        clause.tense = Tense::Perfect;
        if self.rng.chance(50) {
            self.add_adverb(&mut clause, Kind::Time, "past");
            if self.rng.chance(50) {
                clause.front = Front::Adverbial(0);
            }
        }
        Sentence::Statement(clause)
    }
}
