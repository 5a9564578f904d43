//! Choosing sentences with adverbial clauses, whose two halves have something to do with each other.

use super::clause::Era;
use super::np::{Use, person_of};
use super::{Generator, is_plain, is_voluntary};
use crate::features::Person;
use crate::lexicon::{Adjective, Frame, LEXICON};
use crate::syntax::{
    Adverbial, Body, Clause, Core, Front, Kind, Modal, Negation, Np, Predicate, Sentence, Tense,
};

/// Conditions that keep people from doing things.
const HINDRANCES: [&str; 4] = ["müde", "krank", "nervös", "traurig"];
/// What makes things worth having.
const MERITS: [&str; 12] = [
    "schön",
    "billig",
    "interessant",
    "spannend",
    "neu",
    "praktisch",
    "frisch",
    "gut",
    "wichtig",
    "lustig",
    "modern",
    "süß",
];
/// What makes things not worth having.
const FAULTS: [&str; 8] = ["teuer", "langweilig", "alt", "hässlich", "schwer", "schwierig", "kalt", "lang"];
/// What makes things need care.
const DAMAGES: [&str; 4] = ["kaputt", "schmutzig", "alt", "hässlich"];
/// What one does with good things.
const GAINING: [&str; 8] = ["kaufen", "lesen", "essen", "trinken", "sehen", "probieren", "nehmen", "backen"];
/// What one does with damaged things.
const CARING: [&str; 6] = ["verkaufen", "putzen", "waschen", "reparieren", "streichen", "trocknen"];
/// What lasts for a while.
const LASTING: [&str; 9] =
    ["schlafen", "arbeiten", "kochen", "warten", "lesen", "putzen", "reparieren", "tanzen", "streichen"];

type Conjunction = (&'static str, &'static str);

impl Generator {
    /// Adds an adverbial clause, first or last.
    fn add_clause(&mut self, main: &mut Clause, (de, en): Conjunction, inner: Clause, first: usize) {
        let concept = self.fresh();
        let body = Body::Clause(de, en, Box::new(inner));
        if self.rng.chance(first) {
            main.front = Front::Adverbial(main.adverbials.len());
        }
        main.adverbials.push(Adverbial { concept, kind: Kind::Clause, body });
    }

    /// A pronoun that takes up a phrase, or somebody else if none does.
    fn again(&mut self, np: &Np) -> Np {
        match person_of(np) {
            Some(person) => self.pronoun(person),
            None => self.participant(&["per"], Use::Subject, None),
        }
    }

    /// A subject that a pronoun can take up.
    fn recallable(&mut self) -> Np {
        loop {
            let np = self.participant(&["per"], Use::Subject, None);
            if np.is_definite() && person_of(&np).is_some() {
                return np;
            }
        }
    }

    pub(super) fn adverbial_sentence(&mut self) -> Sentence {
        match self.rng.below(12) {
            0 | 1 => self.plan(),
            2 => self.hindrance(),
            3 | 4 => self.judgement(),
            5 => self.in_spite(),
            6 | 7 => self.sequence(),
            8 => self.meanwhile(),
            9 | 10 => self.condition(),
            _ => self.favour(),
        }
    }

    fn act(&mut self, fits: impl Fn(&Frame) -> bool) -> &'static Frame {
        self.frame(|f| is_voluntary(f) && !f.stative && f.is_parallel() && fits(f))
    }

    /// Goes somewhere because of something to do there.
    fn plan(&mut self) -> Sentence {
        let frame = self.act(|f| f.preparatory);
        let subject = self.recallable();
        let past = self.rng.chance(65);
        let era = if past { Era::Past } else { Era::Future };
        let again = self.again(&subject);
        let mut main = self.simple_clause(frame, Some(subject), Some(era));
        self.add_time(&mut main, era);
        let task = self.act(|f| !f.preparatory);
        let mut inner = self.bare_clause(task, Some(again));
        let modal = self.rng.weighted(&[(3, Modal::Must), (4, Modal::Want), (2, Modal::WouldLike)]);
        let modal = if past && modal == Modal::WouldLike { Modal::Want } else { modal };
        inner.modal = Some((self.fresh(), modal));
        inner.tense = if past { Tense::Past } else { Tense::Present };
        self.make_heavy(&mut inner, 15);
        let conjunction = *self.rng.choose(&[("weil", "because"), ("weil", "because"), ("da", "since")]);
        self.add_clause(&mut main, conjunction, inner, 40);
        Sentence::Statement(main)
    }

    /// Cannot do something, being tired or ill.
    fn hindrance(&mut self) -> Sentence {
        let frame = self.act(|f| f.de.fixed.is_empty());
        let subject = self.recallable();
        let again = self.again(&subject);
        let mut main = self.bare_clause(frame, Some(subject));
        let modal = self.rng.weighted(&[(2, Modal::Can), (1, Modal::Want)]);
        main.modal = Some((self.fresh(), modal));
        main.tense = Tense::Past;
        self.negate(&mut main);
        if main.negation.is_none() {
            return self.plan();
        }
        let inner = self.state(again, true);
        self.add_clause(&mut main, ("weil", "because"), inner, 50);
        Sentence::Statement(main)
    }

    /// How someone is: tired, ill, hungry.
    fn state(&mut self, subject: Np, past: bool) -> Clause {
        let tense = if past { Tense::Past } else { Tense::Present };
        if self.rng.chance(35) {
            let has = |f: &Frame| is_plain(f) && f.de.base == "haben" && f.roles[0].classes == ["per"];
            let frame = self.frame(|f| has(f) && f.en.rest.words[0].lemma != "right");
            let mut clause = self.bare_clause(frame, Some(subject));
            clause.tense = tense;
            return clause;
        }
        let adjective = self.adjective_of(&HINDRANCES);
        let predicate = Predicate::Adjective(self.fresh(), adjective, None);
        self.copular_clause(subject, predicate, tense)
    }

    fn adjective_of(&mut self, names: &[&str]) -> &'static Adjective {
        let fits = |a: &&Adjective| names.contains(&a.de);
        let adjectives: Vec<&'static Adjective> = LEXICON.adjectives.iter().filter(fits).collect();
        adjectives[self.rng.below(adjectives.len())]
    }

    /// Does something with a thing for its merits, its faults, or in spite of them.
    fn judgement(&mut self) -> Sentence {
        let thing = |f: &Frame| f.roles.len() == 2 && f.de_object() == Some(1);
        let caring = self.rng.chance(40);
        let group: &[&str] = if caring { &CARING } else { &GAINING };
        let frame = self.act(|f| thing(f) && group.contains(&f.de.base));
        let (conjunction, qualities): (Conjunction, &[&str]) = match (caring, self.rng.chance(50)) {
            (true, _) => (("weil", "because"), &DAMAGES),
            (false, true) => (("weil", "because"), &MERITS),
            (false, false) => (("obwohl", "although"), &FAULTS),
        };
        let mut main = self.simple_clause(frame, None, Some(Era::Past));
        for _ in 0..20 {
            let object = self.participant(&frame.roles[1].classes, Use::Full, main.participants[0].as_ref());
            let Core::Common(noun, _) = object.core else { continue };
            let fits = |a: &&Adjective| {
                qualities.contains(&a.de)
                    && a.classes.iter().any(|c| noun.is(c))
                    && object.adjectives.iter().all(|(_, other)| other.de != a.de)
            };
            let adjectives: Vec<&'static Adjective> = LEXICON.adjectives.iter().filter(fits).collect();
            let Some(person) = person_of(&object).filter(|_| object.is_definite() && !adjectives.is_empty())
            else {
                continue;
            };
            main.participants[1] = Some(object);
            let pronoun = self.pronoun(person);
            let predicate =
                Predicate::Adjective(self.fresh(), adjectives[self.rng.below(adjectives.len())], None);
            let inner = self.copular_clause(pronoun, predicate, Tense::Past);
            self.add_clause(&mut main, conjunction, inner, 0);
            return Sentence::Statement(main);
        }
        self.in_spite()
    }

    /// Does something although it rains or one is tired.
    fn in_spite(&mut self) -> Sentence {
        let frame = self.act(|f| f.de.base != "schlafen");
        let subject = self.recallable();
        let again = self.again(&subject);
        let past = self.rng.chance(75);
        let era = if past { Era::Past } else { Era::Now };
        let mut main = self.simple_clause(frame, Some(subject), Some(era));
        let inner = if self.rng.chance(35) { self.weather(past) } else { self.state(again, past) };
        self.make_heavy(&mut main, 12);
        self.add_clause(&mut main, ("obwohl", "although"), inner, 55);
        Sentence::Statement(main)
    }

    fn weather(&mut self, past: bool) -> Clause {
        let frame = self.frame(|f| f.roles[0].classes == ["it"]);
        let mut clause = self.bare_clause(frame, None);
        clause.tense = if past { Tense::PastProgressive } else { Tense::Progressive };
        clause
    }

    /// `nachdem`, `bevor`, `als`.
    fn sequence(&mut self) -> Sentence {
        let frame = self.act(|_| true);
        let subject = self.recallable();
        let again = self.again(&subject);
        let mut main = self.simple_clause(frame, Some(subject), Some(Era::Past));
        let conjunction = *self.rng.choose(&[("nachdem", "after"), ("bevor", "before"), ("als", "when")]);
        let same = conjunction.0 != "als" && self.rng.chance(75);
        let base = frame.de.base;
        let mut inner = if same {
            let event = self.act(|f| f.de.base != base);
            self.bare_clause(event, Some(again))
        } else {
            let event = self.frame(|f| is_plain(f) && f.cue && f.de.base != base);
            let someone = self.known(&event.roles[0].classes);
            self.bare_clause(event, Some(someone))
        };
        let third = inner.agreement_of(inner.de_subject()).is_none_or(|a| a.person == 3);
        inner.tense = match conjunction.0 {
            "nachdem" => Tense::Pluperfect,
            _ if third => Tense::Past,
            _ => Tense::Perfect,
        };
        self.make_heavy(&mut inner, 15);
        self.add_clause(&mut main, conjunction, inner, 45);
        Sentence::Statement(main)
    }

    /// `während` with something that lasts.
    fn meanwhile(&mut self) -> Sentence {
        let lasting = self.act(|f| LASTING.contains(&f.de.base) && f.de.prefix.is_none());
        let subject = self.known(&["per"]);
        let mut inner = self.bare_clause(lasting, Some(subject));
        inner.tense = Tense::PastProgressive;
        let base = lasting.de.base;
        let frame = self.act(|f| f.de.base != base);
        let mut main = self.simple_clause(frame, None, Some(Era::Past));
        self.add_clause(&mut main, ("während", "while"), inner, 50);
        Sentence::Statement(main)
    }

    /// `wenn`, `sobald` with what will happen then.
    fn condition(&mut self) -> Sentence {
        let inner = self.occasion();
        let known = inner.participants[inner.de_subject()].as_ref().and_then(person_of);
        let known = known.filter(|p| !matches!(p, Person::Thing(_)));
        let base = match inner.predicate {
            Predicate::Verb(frame) => frame.de.base,
            _ => "",
        };
        let tired = matches!(inner.predicate, Predicate::Adjective(..)) || base == "haben";
        let frame = self.act(|f| f.de.base != base && (!tired || f.roles.len() == 1));
        let same = if tired { 100 } else { 40 };
        let subject = known.filter(|_| self.rng.chance(same)).map(|person| self.pronoun(person));
        let mut main = self.bare_clause(frame, subject);
        let event = matches!(inner.predicate, Predicate::Verb(f) if f.cue);
        let conjunction =
            if event && self.rng.chance(50) { ("sobald", "as soon as") } else { ("wenn", "if") };
        main.tense = if self.rng.chance(50) { Tense::Future } else { Tense::Planned };
        if tired || self.rng.chance(25) {
            let modal = self.rng.weighted(&[(1, Modal::Can), (1, Modal::Must), (1, Modal::Should)]);
            main.modal = Some((self.fresh(), modal));
            main.tense = Tense::Present;
        }
        self.make_heavy(&mut main, 10);
        self.add_clause(&mut main, conjunction, inner, 75);
        Sentence::Statement(main)
    }

    /// Something to react to, in the present.
    fn occasion(&mut self) -> Clause {
        match self.rng.below(4) {
            0 => {
                let mut clause = self.weather(false);
                clause.tense = Tense::Present;
                clause
            }
            1 => {
                let subject = self.recallable();
                self.state(subject, false)
            }
            _ => {
                let frame = self.frame(|f| is_plain(f) && f.cue);
                let subject = self.known(&frame.roles[0].classes);
                let mut clause = self.bare_clause(frame, Some(subject));
                if self.rng.chance(20) {
                    clause.negation = Some(Negation::Not(self.fresh()));
                }
                clause
            }
        }
    }

    /// Helps someone, so that they can rest or go.
    fn favour(&mut self) -> Sentence {
        const FAVOURS: [&str; 4] = ["helfen", "leihen", "bringen", "passen"];
        let frame = self.act(|f| {
            FAVOURS.contains(&f.de.base) && f.roles.len() > 1 && f.roles[1].classes.contains(&"per")
        });
        let mut main = self.simple_clause(frame, None, Some(Era::Past));
        let someone = self.known(&["per"]);
        let Some(person) = person_of(&someone) else { return self.favour() };
        main.participants[1] = Some(someone);
        let goal = self.act(|f| f.preparatory || (f.roles.len() == 1 && !f.places.is_empty()));
        let again = self.pronoun(person);
        let mut inner = self.bare_clause(goal, Some(again));
        inner.modal = Some((self.fresh(), Modal::Can));
        inner.tense = Tense::Past;
        self.add_clause(&mut main, ("damit", "so that"), inner, 0);
        Sentence::Statement(main)
    }

    /// `um ... zu`.
    pub(super) fn purpose_sentence(&mut self) -> Sentence {
        let frame = self.act(|f| f.preparatory);
        let era = self.rng.weighted(&[(6, Era::Past), (2, Era::Now), (2, Era::Future)]);
        let mut main = self.simple_clause(frame, None, Some(era));
        if main.tense == Tense::Planned {
            main.tense = Tense::Future;
        }
        let subject = main.participants[frame.de_subject()].clone();
        let mut inner = self.infinitive(subject.as_ref(), |f| !f.preparatory);
        self.make_heavy(&mut inner, 20);
        let concept = self.fresh();
        if self.rng.chance(30) {
            main.front = Front::Adverbial(0);
        }
        main.adverbials.push(Adverbial { concept, kind: Kind::Clause, body: Body::Purpose(Box::new(inner)) });
        Sentence::Statement(main)
    }
}
