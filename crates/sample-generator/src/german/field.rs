//! The German middle field: what stands between the finite verb (or the conjunction) and the verbs at the end, and in
//! which order: light pronouns, subject, time, dative, definite accusative, negation, place, the rest.

use crate::draft::Con;
use crate::features::Case;
use crate::lexicon::DeSlot;
use crate::syntax::{Kind, Np};

/// Where an item of the middle field stands; earlier variants come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    EarlySubject,
    AccusativePronoun,
    DativePronoun,
    Subject,
    Scrambled,
    Time,
    Dative,
    Accusative,
    Aspect,
    Negation,
    Place,
    Indefinite,
    Manner,
    Fixed,
    Prepositional,
    Direction,
    Infinitive,
}

/// What an item comes from, so that it can be fronted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Role(usize),
    Adverbial(usize),
    Other,
}

/// An item of the middle field.
pub(super) struct Item {
    pub rank: Rank,
    pub origin: Origin,
    pub con: Con,
}

/// The rank of the subject: a full one may let pronouns pass.
pub(super) fn subject_rank(np: &Np, scrambled: bool, ambiguous: bool) -> Rank {
    let late = scrambled || !np.is_definite();
    if late && !ambiguous && !np.is_pronoun() { Rank::Subject } else { Rank::EarlySubject }
}

/// The rank of a participant that is not the subject.
pub(super) fn role_rank(slot: DeSlot, np: &Np, scrambled: bool) -> Rank {
    match slot {
        DeSlot::Bare(Case::Acc) if np.is_pronoun() => Rank::AccusativePronoun,
        DeSlot::Bare(Case::Dat) if np.is_pronoun() => Rank::DativePronoun,
        DeSlot::Bare(Case::Dat) => Rank::Dative,
        DeSlot::Bare(_) if np.is_definite() && scrambled => Rank::Scrambled,
        DeSlot::Bare(_) if np.is_definite() => Rank::Accusative,
        DeSlot::Bare(_) => Rank::Indefinite,
        DeSlot::Prep(..) => Rank::Prepositional,
        DeSlot::Direction | DeSlot::Location => Rank::Direction,
    }
}

/// The rank of an adverbial.
pub(super) fn adverbial_rank(kind: Kind) -> Rank {
    match kind {
        Kind::Time | Kind::Middle | Kind::Stance(_) => Rank::Time,
        Kind::Aspect => Rank::Aspect,
        Kind::Place => Rank::Place,
        Kind::Manner | Kind::Clause => Rank::Manner,
    }
}

/// Takes an item out.
pub(super) fn take(items: &mut Vec<Item>, origin: Origin) -> Option<Con> {
    let at = items.iter().position(|i| i.origin == origin)?;
    Some(items.remove(at).con)
}
