//! Choosing participants: nouns of fitting classes with determiners and adjectives that go with them.

use super::Generator;
use crate::features::{Case, Gender, Person};
use crate::lexicon::{Adjective, LEXICON, Name, Noun};
use crate::syntax::{Core, Det, Np, Phrase};

/// What a participant does, as far as its choice is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Subject,
    Object,
    /// No pronoun: it is to be fronted, or made heavy.
    Full,
    /// A place.
    Place,
}

const NUMBERS: [(&str, &str); 4] = [("zwei", "two"), ("drei", "three"), ("vier", "four"), ("fünf", "five")];

/// Classes of nouns that one counts.
const COUNTED: [&str; 11] =
    ["per", "animal", "fruit", "baked", "read", "write", "plant", "wash", "thought", "fault", "cloth"];

impl Generator {
    /// A participant of one of the classes. `owner` is whose things they may be.
    pub(super) fn participant(&mut self, classes: &[&'static str], usage: Use, owner: Option<&Np>) -> Np {
        if classes == ["it"] {
            return self.pronoun(Person::Thing(Gender::Neut));
        }
        if classes.contains(&"city") && self.rng.chance(if classes.len() == 1 { 100 } else { 35 }) {
            return self.city();
        }
        let anyone = classes.contains(&"per");
        if anyone && usage == Use::Subject && self.rng.chance(38) {
            return self.subject_pronoun();
        }
        if anyone && usage == Use::Subject && self.rng.chance(3) {
            return Np::new(self.fresh(), Core::Someone, false);
        }
        if anyone && usage == Use::Object && self.rng.chance(25) {
            return self.object_pronoun(owner);
        }
        if anyone && self.rng.chance(16) {
            return self.person_name();
        }
        let nouns = self.nouns_of(classes);
        let noun = *self.rng.choose(&nouns);
        let mut np = self.common(noun, usage, owner);
        if noun.is("kin") && usage != Use::Object && self.rng.chance(15) {
            let other = self.person_name();
            let concept = self.fresh();
            np = Np::new(concept, Core::And(Box::new(np), Box::new(other)), true);
        }
        np
    }

    pub(super) fn pronoun(&mut self, person: Person) -> Np {
        Np::new(self.fresh(), Core::Pronoun(person), person.de_agreement().plural)
    }

    fn subject_pronoun(&mut self) -> Np {
        let person = self.rng.weighted(&[
            (18, Person::I),
            (8, Person::Thou),
            (24, Person::He),
            (24, Person::She),
            (14, Person::We),
            (3, Person::YouAll),
            (10, Person::They),
        ]);
        self.pronoun(person)
    }

    /// A pronoun for someone else than the subject.
    fn object_pronoun(&mut self, subject: Option<&Np>) -> Np {
        let group = |p: Person| match p {
            Person::I | Person::We => 1,
            Person::Thou | Person::YouAll | Person::Formal => 2,
            Person::He => 3,
            Person::She => 4,
            Person::They => 5,
            Person::Thing(_) => 6,
        };
        let taken = subject.and_then(person_of).map(group);
        let all =
            [Person::I, Person::Thou, Person::He, Person::She, Person::We, Person::YouAll, Person::They];
        let free: Vec<Person> = all.into_iter().filter(|&p| Some(group(p)) != taken).collect();
        let person = *self.rng.choose(&free);
        self.pronoun(person)
    }

    pub(super) fn person_name(&mut self) -> Np {
        let names: Vec<&'static Name> = LEXICON.names.iter().filter(|n| n.sex.is_some()).collect();
        let name = *self.rng.choose(&names);
        Np::new(self.fresh(), Core::Name(name), false)
    }

    fn city(&mut self) -> Np {
        let names: Vec<&'static Name> = LEXICON.names.iter().filter(|n| n.sex.is_none()).collect();
        let name = *self.rng.choose(&names);
        Np::new(self.fresh(), Core::Name(name), false)
    }

    /// A phrase around a noun.
    pub(super) fn common(&mut self, noun: &'static Noun, usage: Use, owner: Option<&Np>) -> Np {
        let (det, plural) = self.det(noun, usage, owner);
        let mut np = Np::new(self.fresh(), Core::Common(noun, det), plural);
        let rate = if matches!(det, Some(Det::Number(..) | Det::Every)) { 8 } else { 22 };
        self.describe(&mut np, noun, rate);
        if det == Some(Det::Definite) {
            self.modify(&mut np, noun, usage);
        }
        np
    }

    /// Now and then says whose or which one it is.
    fn modify(&mut self, np: &mut Np, noun: &Noun, usage: Use) {
        let owned = ["cloth", "veh", "lose", "gift", "bldg", "pet", "fix"].iter().any(|c| noun.is(c));
        if owned && usage != Use::Place && self.rng.chance(16) {
            let people = self.nouns_of(&["prof", "rel", "kin"]);
            let owner = *self.rng.choose(&people);
            let det = if owner.is("kin") { Det::Possessive(Person::I) } else { Det::Definite };
            let named = self.rng.chance(35);
            let mut whose = match named {
                true => self.person_name(),
                false => Np::new(self.fresh(), Core::Common(owner, Some(det)), false),
            };
            while matches!(whose.core, Core::Name(n) if n.de.contains(' ') || n.de.ends_with(['s', 'x'])) {
                whose = self.person_name();
            }
            if matches!(whose.core, Core::Name(_)) {
                np.adjectives.clear();
                np.core = Core::Common(
                    match np.core {
                        Core::Common(noun, _) => noun,
                        _ => return,
                    },
                    None,
                );
            }
            np.genitive = Some(Box::new(whose));
        } else if noun.is("adult") && self.rng.chance(7) {
            let (de, en, case, inner) = if self.rng.chance(50) {
                let hats = self.nouns_of(&["head", "Mantel", "Jacke"]);
                let hat = *self.rng.choose(&hats);
                ("mit", "with", Case::Dat, self.plain(hat, Det::Definite, false))
            } else {
                ("aus", "from", Case::Dat, self.city())
            };
            let concept = self.fresh();
            np.phrase = Some(Box::new(Phrase { concept, de: (de, case), en, np: inner }));
        }
    }

    /// A phrase of determiner and noun, perhaps with an adjective.
    pub(super) fn plain(&mut self, noun: &'static Noun, det: Det, plural: bool) -> Np {
        let mut np = Np::new(self.fresh(), Core::Common(noun, Some(det)), plural);
        self.describe(&mut np, noun, 30);
        np
    }

    /// Now and then adds an adjective.
    fn describe(&mut self, np: &mut Np, noun: &Noun, percent: usize) {
        if !self.rng.chance(percent) {
            return;
        }
        if let Some(adjective) = self.adjective(noun, false) {
            np.adjectives.push((self.fresh(), adjective));
        }
    }

    /// An adjective that goes with a noun; one that can be compared, if asked.
    pub(super) fn adjective(&mut self, noun: &Noun, compared: bool) -> Option<&'static Adjective> {
        let fits = |a: &&Adjective| {
            a.classes.iter().any(|c| noun.is(c)) && (!compared || a.de_comparative.is_some())
        };
        let adjectives: Vec<&'static Adjective> = LEXICON.adjectives.iter().filter(fits).collect();
        if adjectives.is_empty() { None } else { Some(*self.rng.choose(&adjectives)) }
    }

    /// A determiner that goes with a noun, and its number.
    fn det(&mut self, noun: &Noun, usage: Use, owner: Option<&Np>) -> (Option<Det>, bool) {
        let whose = self.whose(owner);
        if noun.is("kin") {
            return (Some(Det::Possessive(whose)), !noun.is("one") && self.rng.chance(12));
        }
        if noun.is("own") {
            return (Some(Det::Possessive(whose)), false);
        }
        if noun.is_mass() {
            let bare = usage == Use::Object && !noun.is("cookmeal");
            let det = self.rng.weighted(&[(if bare { 6 } else { 0 }, None), (4, Some(Det::Definite))]);
            return (det, false);
        }
        if noun.is("many") {
            let det = self.rng.weighted(&[
                (if usage == Use::Object { 3 } else { 0 }, None),
                (4, Some(Det::Definite)),
                (1, Some(Det::Demonstrative)),
                (2, Some(if noun.is("cloth") { Det::Possessive(whose) } else { Det::Some })),
                (1, Some(Det::All)),
            ]);
            return (det, true);
        }
        if usage == Use::Place {
            return (Some(self.rng.weighted(&[(9, Det::Definite), (1, Det::Demonstrative)])), false);
        }
        if noun.place.is_some() {
            let det = self.rng.weighted(&[(8, Det::Definite), (1, Det::Demonstrative), (1, Det::Indefinite)]);
            return (Some(det), false);
        }
        let singular = noun.is("one");
        let counted = COUNTED.iter().any(|c| noun.is(c));
        if !singular && !counted && self.rng.chance(9) {
            let det = self.rng.weighted(&[(3, Det::Definite), (1, Det::Demonstrative)]);
            return (Some(det), true);
        }
        if !singular && counted && self.rng.chance(20) {
            let number = *self.rng.choose(&NUMBERS);
            let det = self.rng.weighted(&[
                (8, Det::Definite),
                (3, Det::Demonstrative),
                (3, Det::Many),
                (3, Det::Some),
                (2, Det::All),
                (3, Det::Number(number.0, number.1)),
            ]);
            return (Some(det), true);
        }
        let personal = ["rel", "pet", "cloth", "veh", "lose", "lend", "bldg"].iter().any(|c| noun.is(c));
        let det = self.rng.weighted(&[
            (if noun.is("rel") { 3 } else { 10 }, Det::Definite),
            (if usage == Use::Subject { 2 } else { 5 }, Det::Indefinite),
            (2, Det::Demonstrative),
            (if personal { 5 } else { 0 }, Det::Possessive(whose)),
            (usize::from(noun.is("each")), Det::Every),
        ]);
        (Some(det), false)
    }

    /// Whose something is: mostly the subject's.
    fn whose(&mut self, owner: Option<&Np>) -> Person {
        let free = self.rng.weighted(&[
            (4, Person::I),
            (3, Person::We),
            (2, Person::He),
            (2, Person::She),
            (1, Person::Thou),
        ]);
        match owner.and_then(person_of) {
            Some(Person::Thing(_)) | None => free,
            Some(person) if self.rng.chance(85) => person,
            // A second `sein` or `ihr` would be taken for the subject's.
            Some(_) => self.rng.weighted(&[(3, Person::I), (2, Person::We)]),
        }
    }
}

/// Who a phrase speaks of, as a pronoun that takes it up would.
pub(super) fn person_of(np: &Np) -> Option<Person> {
    match &np.core {
        Core::Pronoun(person) => Some(*person),
        Core::Name(name) => match name.sex? {
            Gender::Fem => Some(Person::She),
            _ => Some(Person::He),
        },
        Core::Common(noun, _) if np.plural && (noun.is("per") || noun.is("animal")) => Some(Person::They),
        Core::Common(noun, _) if noun.is("per") => match noun.gender {
            Gender::Masc => Some(Person::He),
            Gender::Fem => Some(Person::She),
            Gender::Neut => None,
        },
        Core::Common(noun, _) if np.plural && !noun.is("per") => Some(Person::They),
        Core::Common(noun, _) => Some(Person::Thing(noun.gender)),
        Core::And(..) => Some(Person::They),
        _ => None,
    }
}
