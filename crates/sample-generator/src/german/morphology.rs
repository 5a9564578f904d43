//! German declension: nouns, adjectives, determiners and pronouns.

use crate::features::{Case, Gender, Person};
use crate::lexicon::{Declension, Noun};

/// Which endings an adjective takes, decided by the determiner before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Series {
    /// No determiner, or one without endings.
    Strong,
    /// After `ein` and its kin.
    Mixed,
    /// After `der` and its kin.
    Weak,
}

fn column(gender: Gender, plural: bool) -> usize {
    match (plural, gender) {
        (true, _) => 3,
        (_, Gender::Masc) => 0,
        (_, Gender::Fem) => 1,
        (_, Gender::Neut) => 2,
    }
}

fn row(case: Case) -> usize {
    match case {
        Case::Nom => 0,
        Case::Acc => 1,
        Case::Dat => 2,
        Case::Gen => 3,
    }
}

/// By case, then masculine, feminine, neuter, plural.
type Table = [[&'static str; 4]; 4];

const STRONG: Table =
    [["er", "e", "es", "e"], ["en", "e", "es", "e"], ["em", "er", "em", "en"], ["es", "er", "es", "er"]];
const EIN: Table =
    [["", "e", "", "e"], ["en", "e", "", "e"], ["em", "er", "em", "en"], ["es", "er", "es", "er"]];
const WEAK: Table = [["e", "e", "e", "en"], ["en", "e", "e", "en"], ["en"; 4], ["en"; 4]];
const MIXED: Table = [["er", "e", "es", "en"], ["en", "e", "es", "en"], ["en"; 4], ["en"; 4]];
const ARTICLE: Table = [
    ["der", "die", "das", "die"],
    ["den", "die", "das", "die"],
    ["dem", "der", "dem", "den"],
    ["des", "der", "des", "der"],
];
const RELATIVE: Table = [
    ["der", "die", "das", "die"],
    ["den", "die", "das", "die"],
    ["dem", "der", "dem", "denen"],
    ["dessen", "deren", "dessen", "deren"],
];

fn cell(table: &Table, case: Case, gender: Gender, plural: bool) -> &'static str {
    table[row(case)][column(gender, plural)]
}

/// The definite article.
pub(crate) fn article(case: Case, gender: Gender, plural: bool) -> &'static str {
    cell(&ARTICLE, case, gender, plural)
}

/// The relative pronoun.
pub(crate) fn relative(case: Case, gender: Gender, plural: bool) -> &'static str {
    cell(&RELATIVE, case, gender, plural)
}

/// A determiner declined like `dieser`.
pub(crate) fn der_word(stem: &str, case: Case, gender: Gender, plural: bool) -> String {
    format!("{stem}{}", cell(&STRONG, case, gender, plural))
}

/// A determiner declined like `ein`.
pub(crate) fn ein_word(stem: &str, case: Case, gender: Gender, plural: bool) -> String {
    let ending = cell(&EIN, case, gender, plural);
    match stem {
        "euer" if !ending.is_empty() => format!("eur{ending}"),
        _ => format!("{stem}{ending}"),
    }
}

/// An adjective before its noun.
pub(crate) fn adjective(stem: &str, series: Series, case: Case, gender: Gender, plural: bool) -> String {
    let ending = match series {
        Series::Strong if case == Case::Gen && !plural && gender != Gender::Fem => "en",
        Series::Strong => cell(&STRONG, case, gender, plural),
        Series::Mixed => cell(&MIXED, case, gender, plural),
        Series::Weak => cell(&WEAK, case, gender, plural),
    };
    format!("{}{ending}", stem.strip_suffix('e').filter(|_| stem.ends_with('e')).unwrap_or(stem))
}

/// A noun.
pub(crate) fn noun(noun: &Noun, case: Case, plural: bool) -> String {
    if plural {
        let form = noun.de_plural.unwrap_or(noun.de);
        let ending = if case == Case::Dat && !form.ends_with(['n', 's']) { "n" } else { "" };
        return format!("{form}{ending}");
    }
    match noun.declension {
        Declension::Weak(ending) if case != Case::Nom => format!("{}{ending}", noun.de),
        Declension::Strong(ending) if case == Case::Gen => format!("{}{ending}", noun.de),
        _ => noun.de.to_owned(),
    }
}

/// The stem of a possessive.
pub(crate) fn possessive(person: Person) -> &'static str {
    match person {
        Person::I => "mein",
        Person::Thou => "dein",
        Person::He | Person::Thing(Gender::Masc | Gender::Neut) => "sein",
        Person::She | Person::They | Person::Thing(Gender::Fem) => "ihr",
        Person::We => "unser",
        Person::YouAll => "euer",
        Person::Formal => "Ihr",
    }
}

/// A personal pronoun; the genitive is not used and gives the dative.
pub(crate) fn pronoun(person: Person, case: Case) -> &'static str {
    let [nominative, accusative, dative] = match person {
        Person::I => ["ich", "mich", "mir"],
        Person::Thou => ["du", "dich", "dir"],
        Person::He | Person::Thing(Gender::Masc) => ["er", "ihn", "ihm"],
        Person::She | Person::Thing(Gender::Fem) => ["sie", "sie", "ihr"],
        Person::Thing(Gender::Neut) => ["es", "es", "ihm"],
        Person::We => ["wir", "uns", "uns"],
        Person::YouAll => ["ihr", "euch", "euch"],
        Person::They => ["sie", "sie", "ihnen"],
        Person::Formal => ["Sie", "Sie", "Ihnen"],
    };
    match case {
        Case::Nom => nominative,
        Case::Acc => accusative,
        Case::Dat | Case::Gen => dative,
    }
}

/// The contraction of a preposition with the definite article, if there is one in good style.
pub(crate) fn contraction(preposition: &str, article: &str) -> Option<&'static str> {
    Some(match (preposition, article) {
        ("in", "dem") => "im",
        ("in", "das") => "ins",
        ("an", "dem") => "am",
        ("an", "das") => "ans",
        ("zu", "dem") => "zum",
        ("zu", "der") => "zur",
        ("von", "dem") => "vom",
        ("bei", "dem") => "beim",
        _ => return None,
    })
}

/// What stands for preposition and `was`: `worauf`, `womit`.
pub(crate) fn wo_form(preposition: &str) -> String {
    let joint = if preposition.starts_with(['a', 'u', 'ü', 'i']) { "r" } else { "" };
    format!("wo{joint}{preposition}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::LEXICON;

    const CASES: [Case; 4] = [Case::Nom, Case::Acc, Case::Dat, Case::Gen];

    fn find(de: &str) -> &'static Noun {
        LEXICON.nouns.iter().find(|n| n.de == de).unwrap()
    }

    fn declined(de: &str, plural: bool) -> [String; 4] {
        CASES.map(|c| noun(find(de), c, plural))
    }

    #[test]
    fn nouns_decline_strong_weak_and_in_the_dative_plural() {
        assert_eq!(declined("Kind", false), ["Kind", "Kind", "Kind", "Kindes"]);
        assert_eq!(declined("Kind", true), ["Kinder", "Kinder", "Kindern", "Kinder"]);
        assert_eq!(declined("Student", false), ["Student", "Studenten", "Studenten", "Studenten"]);
        assert_eq!(declined("Nachbar", false), ["Nachbar", "Nachbarn", "Nachbarn", "Nachbarn"]);
        assert_eq!(declined("Frau", true), ["Frauen"; 4]);
        assert_eq!(declined("Auto", true), ["Autos"; 4]);
    }

    #[test]
    fn adjectives_take_the_endings_of_their_series() {
        let masc = |series| CASES.map(|c| adjective("alt", series, c, Gender::Masc, false));
        assert_eq!(masc(Series::Strong), ["alter", "alten", "altem", "alten"]);
        assert_eq!(masc(Series::Mixed), ["alter", "alten", "alten", "alten"]);
        assert_eq!(masc(Series::Weak), ["alte", "alten", "alten", "alten"]);
        let fem = |series| CASES.map(|c| adjective("alt", series, c, Gender::Fem, false));
        assert_eq!(fem(Series::Strong), ["alte", "alte", "alter", "alter"]);
        assert_eq!(fem(Series::Mixed), ["alte", "alte", "alten", "alten"]);
        assert_eq!(fem(Series::Weak), ["alte", "alte", "alten", "alten"]);
        let neut = |series| CASES.map(|c| adjective("alt", series, c, Gender::Neut, false));
        assert_eq!(neut(Series::Strong), ["altes", "altes", "altem", "alten"]);
        assert_eq!(neut(Series::Mixed), ["altes", "altes", "alten", "alten"]);
        assert_eq!(neut(Series::Weak), ["alte", "alte", "alten", "alten"]);
        let plural = |series| CASES.map(|c| adjective("alt", series, c, Gender::Neut, true));
        assert_eq!(plural(Series::Strong), ["alte", "alte", "alten", "alter"]);
        assert_eq!(plural(Series::Mixed), ["alten"; 4]);
        assert_eq!(plural(Series::Weak), ["alten"; 4]);
    }

    #[test]
    fn determiners_decline_like_der_or_like_ein() {
        let dieser = CASES.map(|c| der_word("dies", c, Gender::Masc, false));
        assert_eq!(dieser, ["dieser", "diesen", "diesem", "dieses"]);
        let kein = CASES.map(|c| ein_word("kein", c, Gender::Neut, false));
        assert_eq!(kein, ["kein", "kein", "keinem", "keines"]);
        let euer = CASES.map(|c| ein_word("euer", c, Gender::Masc, false));
        assert_eq!(euer, ["euer", "euren", "eurem", "eures"]);
        assert_eq!(CASES.map(|c| article(c, Gender::Fem, false)), ["die", "die", "der", "der"]);
        assert_eq!(CASES.map(|c| relative(c, Gender::Fem, true)), ["die", "die", "denen", "deren"]);
    }

    #[test]
    fn prepositions_contract_and_join() {
        assert_eq!(contraction("in", "dem"), Some("im"));
        assert_eq!(contraction("auf", "dem"), None);
        assert_eq!(
            ["auf", "über", "mit", "für", "von"].map(wo_form),
            ["worauf", "worüber", "womit", "wofür", "wovon"]
        );
    }
}
