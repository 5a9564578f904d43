//! Choosing clauses with the copula: qualities and professions.

use super::Generator;
use super::np::{Use, person_of};
use crate::features::{Gender, Person};
use crate::lexicon::{LEXICON, Noun};
use crate::syntax::{Clause, Core, Det, Kind, Negation, Np, Predicate, Sentence, Tense};

impl Generator {
    /// A clause with the copula.
    pub(super) fn copular_clause(&mut self, subject: Np, predicate: Predicate, tense: Tense) -> Clause {
        Clause { tense, ..Clause::new(self.fresh(), predicate, vec![Some(subject)]) }
    }

    pub(super) fn copular_sentence(&mut self) -> Sentence {
        if self.rng.chance(25) {
            return self.profession();
        }
        let nouns: Vec<_> = LEXICON.nouns.iter().filter(|n| !n.is_mass() && !n.is("many")).collect();
        let noun = *self.rng.choose(&nouns);
        let subject = if noun.is("per") && self.rng.chance(50) {
            self.participant(&["per"], Use::Subject, None)
        } else {
            self.common(noun, Use::Full, None)
        };
        let Some(predicate) = self.quality(&subject, noun) else { return self.simple_sentence() };
        let tense = if self.rng.chance(50) { Tense::Past } else { Tense::Present };
        let mut clause = self.copular_clause(subject, predicate, tense);
        if matches!(clause.predicate, Predicate::Adjective(..)) && self.rng.chance(20) && definite(&clause) {
            clause.negation = Some(Negation::Not(self.fresh()));
        }
        if tense == Tense::Past && self.rng.chance(35) {
            self.add_adverb(&mut clause, Kind::Time, "past");
            self.choose_front(&mut clause);
        }
        Sentence::Statement(clause)
    }

    /// What someone is: `Sie ist Ärztin.`
    fn profession(&mut self) -> Sentence {
        let subject = self.participant(&["kin"], Use::Subject, None);
        let subject = if self.rng.chance(50) { self.person_name() } else { subject };
        let sex = match person_of(&subject) {
            Some(Person::She) => Gender::Fem,
            Some(Person::He) => Gender::Masc,
            _ => return self.profession(),
        };
        let nouns: Vec<_> = self.nouns_of(&["prof"]).iter().copied().filter(|n| n.gender == sex).collect();
        let core = Core::Common(nouns[self.rng.below(nouns.len())], Some(Det::Profession));
        let predicate = Predicate::Noun(Box::new(Np::new(self.fresh(), core, false)));
        let tense = if self.rng.chance(30) { Tense::Past } else { Tense::Present };
        Sentence::Statement(self.copular_clause(subject, predicate, tense))
    }

    /// What one may say of something that is not described yet: an adjective.
    fn quality(&mut self, subject: &Np, noun: &Noun) -> Option<Predicate> {
        if !subject.adjectives.is_empty() {
            return None;
        }
        let noun = match subject.core {
            Core::Common(own, _) => own,
            _ => noun,
        };
        let adjective = self.adjective(noun, false)?;
        Some(Predicate::Adjective(self.fresh(), adjective, None))
    }
}

fn definite(clause: &Clause) -> bool {
    clause.participants.iter().flatten().all(Np::is_definite)
}
