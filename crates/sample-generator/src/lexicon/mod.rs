//! The bilingual lexicon: nouns, adjectives, names, adverbs and verb frames, read from the files of `data/`, whose
//! heads explain their columns.

mod frame;
mod read;
mod unit;

pub(crate) use frame::{Complement, DeSlot, DeVerb, EnSlot, Frame, Infinitive};
pub(crate) use unit::Unit;

use crate::features::Gender;
use std::collections::HashMap;
use std::sync::LazyLock;

/// How a noun forms its oblique cases in the singular.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declension {
    /// Only the genitive has an ending, which may be empty.
    Strong(&'static str),
    /// All cases but the nominative have this ending.
    Weak(&'static str),
}

/// The prepositions a place is used with, German and English.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Where: with the dative.
    pub location: (&'static str, &'static str),
    /// Where to: with the accusative, or the dative after `zu`.
    pub direction: (&'static str, &'static str),
}

/// A noun in both languages.
#[derive(Debug)]
pub(crate) struct Noun {
    pub de: &'static str,
    pub gender: Gender,
    pub de_plural: Option<&'static str>,
    pub declension: Declension,
    pub en: &'static str,
    pub en_plural: String,
    pub classes: Vec<&'static str>,
    pub place: Option<Place>,
}

impl Noun {
    /// Whether it belongs to a class; a class with a capital letter is the noun of that name alone.
    pub fn is(&self, class: &str) -> bool {
        self.de == class || self.classes.contains(&class)
    }

    /// Whether it names a substance and so takes no indefinite article and no plural.
    pub fn is_mass(&self) -> bool {
        self.de_plural.is_none()
    }
}

/// An adjective in both languages.
#[derive(Debug)]
pub(crate) struct Adjective {
    pub de: &'static str,
    pub de_stem: &'static str,
    pub de_comparative: Option<&'static str>,
    pub en: &'static str,
    /// The words of the English comparative.
    pub en_comparative: Option<String>,
    pub classes: Vec<&'static str>,
}

/// A proper name in both languages.
#[derive(Debug)]
pub(crate) struct Name {
    pub de: &'static str,
    pub en: &'static str,
    /// `None` for a city.
    pub sex: Option<Gender>,
}

/// An adverb or adverbial expression in both languages, of one or more words.
#[derive(Debug)]
pub(crate) struct Adverb {
    pub kind: &'static str,
    pub de: Unit,
    pub en: Unit,
}

/// The principal parts of a strong German verb.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strong {
    pub er: &'static str,
    pub past: &'static str,
    pub participle: &'static str,
    pub sein: bool,
    /// The du-form, where the er-form does not tell it.
    pub du: Option<&'static str>,
    /// Whether the imperative has the vowel of the er-form.
    pub imperative_as_er: bool,
}

/// The forms of an irregular English verb.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Irregular {
    pub past: &'static str,
    pub participle: &'static str,
    pub ing: Option<&'static str>,
}

/// All that `data/` holds.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub nouns: Vec<Noun>,
    pub adjectives: Vec<Adjective>,
    pub names: Vec<Name>,
    pub adverbs: Vec<Adverb>,
    pub frames: Vec<Frame>,
    pub strong: HashMap<&'static str, Strong>,
    pub irregular: HashMap<&'static str, Irregular>,
}

/// The embedded lexicon.
pub(crate) static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::embedded().expect("the embedded lexicon is well-formed, as tests check"));

impl Lexicon {
    /// The nouns of any of the classes.
    pub fn nouns_of(&'static self, classes: &[&str]) -> Vec<&'static Noun> {
        self.nouns.iter().filter(|n| classes.iter().any(|c| n.is(c))).collect()
    }

    /// The adverbs of a kind.
    pub fn adverbs_of(&'static self, kind: &str) -> Vec<&'static Adverb> {
        self.adverbs.iter().filter(|a| a.kind == kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_that_a_frame_or_adjective_asks_for_has_a_noun() {
        let roles =
            LEXICON.frames.iter().flat_map(|f| f.roles.iter().flat_map(|r| r.classes.iter().copied()));
        let places = LEXICON.frames.iter().flat_map(|f| f.places.iter().copied());
        let adjectives = LEXICON.adjectives.iter().flat_map(|a| a.classes.iter().copied());
        for class in roles.chain(places).chain(adjectives).filter(|c| !["city", "it"].contains(c)) {
            assert!(LEXICON.nouns.iter().any(|n| n.is(class)), "no noun of class {class}");
        }
    }

    #[test]
    fn every_manner_that_a_frame_asks_for_has_an_adverb() {
        for manner in LEXICON.frames.iter().flat_map(|f| f.manners.iter().copied()) {
            assert!(LEXICON.adverbs.iter().any(|a| a.kind == manner), "no adverb of kind {manner}");
        }
    }

    #[test]
    fn every_place_of_a_frame_has_its_prepositions() {
        for frame in &LEXICON.frames {
            let directional =
                frame.roles.iter().filter(|r| matches!(r.de, DeSlot::Direction | DeSlot::Location));
            let classes =
                directional.flat_map(|r| r.classes.iter().copied()).chain(frame.places.iter().copied());
            for class in classes.filter(|&c| c != "city") {
                let noun = LEXICON.nouns.iter().find(|n| n.is(class) && n.place.is_none());
                assert!(noun.is_none(), "{class}: {noun:?} has no prepositions");
            }
        }
    }
}
