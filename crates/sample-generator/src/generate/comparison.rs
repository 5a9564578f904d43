//! Choosing comparisons and pairs of clauses.

use super::np::Use;
use super::{Generator, is_plain, is_voluntary};
use crate::features::Person;
use crate::syntax::{Adverbial, Body, Core, Det, Front, Kind, Np, Predicate, Sentence, Tense};

/// The manners that people are compared by.
const COMPARED: [&str; 6] = ["loud", "fast", "early", "late", "hard", "good"];

impl Generator {
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
        let conjunction = *self.rng.choose(&[("und", "and"), ("aber", "but")]);
        Sentence::Pair(Box::new(first), concept, conjunction, Box::new(second))
    }

    /// Two statements of several clauses.
    pub(super) fn long_pair(&mut self) -> Sentence {
        let halves = [self.long_half(), self.long_half()];
        match halves {
            [Sentence::Statement(first), Sentence::Statement(second)]
                if is_past(first.tense) && is_past(second.tense) =>
            {
                let conjunction = *self.rng.choose(&[("und", "and"), ("aber", "but")]);
                Sentence::Pair(Box::new(first), self.fresh(), conjunction, Box::new(second))
            }
            _ => self.long_pair(),
        }
    }

    fn long_half(&mut self) -> Sentence {
        match self.rng.below(5) {
            0 => self.complement_sentence(),
            1 => self.simple_sentence(),
            2 => self.infinitive_sentence(),
            _ => self.relative_sentence(),
        }
    }

    pub(super) fn comparison(&mut self) -> Sentence {
        match self.rng.below(4) {
            0 => self.compared_adjective(),
            1 => self.compared_adverb(),
            _ => self.compared_number(),
        }
    }

    fn compared_adjective(&mut self) -> Sentence {
        let nouns = self.nouns_of(&["per", "pet", "veh", "cloth", "furn", "read", "bldg", "room"]);
        let noun = *self.rng.choose(&nouns);
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
        let frame = self.frame(|f| {
            is_plain(f)
                && f.is_parallel()
                && f.roles.len() == 1
                && f.manners.iter().any(|m| COMPARED.contains(m))
        });
        let manner = frame.manners.iter().copied().find(|m| COMPARED.contains(m)).unwrap_or("good");
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
            self.nouns_of(&frame.roles[1].classes).iter().copied().filter(|n| !n.is_mass()).collect();
        let noun = *self.rng.choose(&nouns);
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

fn is_past(tense: Tense) -> bool {
    matches!(tense, Tense::Past | Tense::Perfect)
}
