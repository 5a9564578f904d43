//! Choosing relative clauses, beside their noun or after the verb.

use super::clause::Era;
use super::np::Use;
use super::{Generator, is_plain};
use crate::lexicon::{DeSlot, EnSlot, Frame, LEXICON, Noun};
use crate::syntax::{Clause, Core, Det, Front, Kind, Np, Predicate, Relative, Sentence, Tense};

impl Generator {
    /// A relative clause about a noun, if a verb fits.
    fn relative(&mut self, np: &Np, above: &str) -> Option<Relative> {
        let Core::Common(noun, _) = np.core else { return None };
        if noun.is("per") && self.rng.chance(12) {
            return Some(self.whose_relative(noun, np.plural));
        }
        let contrary = |f: &Frame| f.de.base == above || f.de.base == "verpassen";
        let fits =
            |f: &&'static Frame| is_plain(f) && !contrary(f) && f.relative_roles(noun).next().is_some();
        let frames: Vec<&'static Frame> = LEXICON.frames.iter().filter(fits).collect();
        if frames.is_empty() {
            return None;
        }
        let frame = *self.rng.choose(&frames);
        let roles: Vec<usize> = frame.relative_roles(noun).collect();
        let role = *self.rng.choose(&roles);
        let gap = Np::new(self.fresh(), Core::Relative(noun.gender, np.plural, noun.is("per")), np.plural);
        let english_subject = frame.en_role(EnSlot::Subject) == Some(role);
        let mut clause = match english_subject {
            true => self.bare_clause(frame, Some(gap)),
            false => {
                let subject_role = frame.en_role(EnSlot::Subject).unwrap_or(0);
                let subject = self.participant(&frame.roles[subject_role].classes, Use::Subject, None);
                let mut clause = self.bare_clause(frame, Some(subject));
                clause.participants[role] = Some(gap);
                clause
            }
        };
        clause.front = Front::Role(role);
        self.finish_relative(&mut clause);
        Some(Relative { clause, extraposed: false })
    }

    /// `deren Hund`, `dessen Tochter`.
    fn whose_relative(&mut self, noun: &Noun, plural: bool) -> Relative {
        let frame = self.frame(|f| is_plain(f) && f.is_parallel() && f.roles[0].classes.contains(&"per"));
        let relatives = self.nouns_of(&["kin"]);
        let relative = *self.rng.choose(&relatives);
        let core = Core::Common(relative, Some(Det::Whose(noun.gender, plural)));
        let owned = Np::new(self.fresh(), core, false);
        let mut clause = self.bare_clause(frame, Some(owned));
        clause.front = Front::Role(frame.de_subject());
        self.finish_relative(&mut clause);
        Relative { clause, extraposed: false }
    }

    fn finish_relative(&mut self, clause: &mut Clause) {
        let era = match clause.predicate {
            Predicate::Verb(frame) if frame.stative => Era::Now,
            _ => Era::Past,
        };
        self.set_tense(clause, era);
        if clause.tense != Tense::Present && self.rng.chance(22) {
            self.add_time(clause, era);
        }
    }

    pub(super) fn relative_sentence(&mut self) -> Sentence {
        if self.rng.chance(22) {
            return self.relative_on_subject();
        }
        let frame =
            self.frame(|f| is_plain(f) && f.is_parallel() && f.roles.len() > 1 && heavy_role(f).is_some());
        let Some(role) = heavy_role(frame) else { return self.simple_sentence() };
        let mut clause = self.bare_clause(frame, None);
        let calm = frame.stative || !frame.voluntary;
        let era = if frame.stative {
            Era::Now
        } else {
            self.rng.weighted(&[
                (7, Era::Past),
                (2 * usize::from(!calm), Era::Future),
                (usize::from(!calm), Era::Now),
            ])
        };
        self.set_tense(&mut clause, era);
        if clause.tense == Tense::Planned {
            clause.tense = Tense::Future;
        }
        let Some(np) = self.heavy_np(&frame.roles[role].classes, frame.de.base) else {
            return self.relative_sentence();
        };
        let bracket = frame.de.prefix.is_some() || matches!(clause.tense, Tense::Perfect | Tense::Future);
        let mut np = np;
        if let Some(relative) = np.relative.as_mut() {
            relative.extraposed = bracket && self.rng.chance(85);
        }
        let timed = np.relative.as_ref().is_some_and(|r| r.clause.has(Kind::Time));
        clause.participants[role] = Some(np);
        if era == Era::Past && !timed && self.rng.chance(40) {
            self.add_time(&mut clause, era);
            if !clause.adverbials.is_empty() && self.rng.chance(50) {
                clause.front = Front::Adverbial(0);
            }
        }
        Sentence::Statement(clause)
    }

    /// Now and then gives the last object of a clause a relative clause; after the verb, if the verb comes last.
    pub(super) fn make_heavy(&mut self, clause: &mut Clause, percent: usize) {
        let Predicate::Verb(frame) = clause.predicate else { return };
        let Some(role) = heavy_role(frame).filter(|_| !clause.passive && clause.negation.is_none()) else {
            return;
        };
        let asked = clause.participants[role].as_ref().is_none_or(Np::is_wh);
        if asked || !clause.adverbials.is_empty() || !self.rng.chance(percent) {
            return;
        }
        if let Some(mut np) = self.heavy_np(&frame.roles[role].classes, frame.de.base) {
            if let Some(relative) = np.relative.as_mut() {
                relative.extraposed = self.rng.chance(85);
            }
            clause.participants[role] = Some(np);
        }
    }

    /// A noun with a relative clause.
    fn heavy_np(&mut self, classes: &[&'static str], above: &str) -> Option<Np> {
        for _ in 0..20 {
            let mut np = self.participant(classes, Use::Full, None);
            let plain = np.genitive.is_none() && np.phrase.is_none();
            let fits = matches!(
                np.det(),
                Some(Det::Definite | Det::Indefinite | Det::Some | Det::Many | Det::Number(..))
            );
            if plain && fits {
                np.adjectives.clear();
                if let Some(relative) = self.relative(&np, above) {
                    np.relative = Some(Box::new(relative));
                    return Some(np);
                }
            }
        }
        None
    }

    /// A relative clause on the subject: beside it, or after the verb if the subject is new.
    fn relative_on_subject(&mut self) -> Sentence {
        let frame = self.frame(|f| is_plain(f) && f.is_parallel() && f.roles.len() <= 2);
        let Some(mut np) = self.heavy_np(&frame.roles[0].classes, frame.de.base) else {
            return self.simple_sentence();
        };
        let alone = frame.roles.len() == 1;
        let mut clause = self.bare_clause(frame, Some(Np::new(np.concept, np.core.clone(), np.plural)));
        if let Some(relative) = np.relative.as_mut() {
            let new = matches!(np.core, Core::Common(_, Some(Det::Indefinite | Det::Some | Det::Number(..))));
            relative.extraposed = alone && frame.de.fixed.is_empty() && new && self.rng.chance(80);
        }
        let timed = np.relative.as_ref().is_some_and(|r| r.clause.has(Kind::Time));
        clause.participants[frame.de_subject()] = Some(np);
        let era = self.era(&clause);
        let era = if matches!(era, Era::Past | Era::Now) { era } else { Era::Past };
        self.set_tense(&mut clause, era);
        if alone && !timed && era == Era::Past {
            self.add_time(&mut clause, era);
        }
        Sentence::Statement(clause)
    }
}

/// The role whose phrase may get a relative clause: the last object.
fn heavy_role(frame: &Frame) -> Option<usize> {
    let object = |slot: DeSlot| !matches!(slot, DeSlot::Direction | DeSlot::Location);
    (1..frame.roles.len()).rev().find(|&r| object(frame.roles[r].de) && r != frame.de_subject())
}

impl Frame {
    /// The roles that a noun can have in a relative clause.
    fn relative_roles(&self, noun: &Noun) -> impl Iterator<Item = usize> {
        let fits = self
            .roles
            .iter()
            .map(|r| !matches!(r.de, DeSlot::Direction) && r.classes.iter().any(|c| noun.is(c)));
        let fits: Vec<bool> = fits.collect();
        (0..fits.len()).filter(move |&r| fits[r])
    }
}
