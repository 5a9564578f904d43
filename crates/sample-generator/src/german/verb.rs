//! German conjugation.

use crate::features::Agreement;
use crate::lexicon::{DeVerb, LEXICON, Strong};
use crate::syntax::Modal;

/// The finite tenses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finite {
    Present,
    Past,
}

/// Index of a form in a table of six.
fn form_of(agreement: Agreement) -> usize {
    usize::from(agreement.person) - 1 + if agreement.plural { 3 } else { 0 }
}

/// Verbs whose forms follow no rule.
fn table(infinitive: &str, finite: Finite) -> Option<[&'static str; 6]> {
    use Finite::{Past, Present};
    Some(match (infinitive, finite) {
        ("sein", Present) => ["bin", "bist", "ist", "sind", "seid", "sind"],
        ("sein", Past) => ["war", "warst", "war", "waren", "wart", "waren"],
        ("haben", Present) => ["habe", "hast", "hat", "haben", "habt", "haben"],
        ("haben", Past) => ["hatte", "hattest", "hatte", "hatten", "hattet", "hatten"],
        ("werden", Present) => ["werde", "wirst", "wird", "werden", "werdet", "werden"],
        ("werden", Past) => ["wurde", "wurdest", "wurde", "wurden", "wurdet", "wurden"],
        ("wissen", Present) => ["weiß", "weißt", "weiß", "wissen", "wisst", "wissen"],
        ("wissen", Past) => ["wusste", "wusstest", "wusste", "wussten", "wusstet", "wussten"],
        ("können", Present) => ["kann", "kannst", "kann", "können", "könnt", "können"],
        ("müssen", Present) => ["muss", "musst", "muss", "müssen", "müsst", "müssen"],
        ("wollen", Present) => ["will", "willst", "will", "wollen", "wollt", "wollen"],
        ("dürfen", Present) => ["darf", "darfst", "darf", "dürfen", "dürft", "dürfen"],
        ("sollen", Present) => ["soll", "sollst", "soll", "sollen", "sollt", "sollen"],
        ("mögen", Present) => ["möchte", "möchtest", "möchte", "möchten", "möchtet", "möchten"],
        ("können", Past) => ["konnte", "konntest", "konnte", "konnten", "konntet", "konnten"],
        ("müssen", Past) => ["musste", "musstest", "musste", "mussten", "musstet", "mussten"],
        ("wollen", Past) => ["wollte", "wolltest", "wollte", "wollten", "wolltet", "wollten"],
        ("sollen", Past) => ["sollte", "solltest", "sollte", "sollten", "solltet", "sollten"],
        ("dürfen", Past) => ["durfte", "durftest", "durfte", "durften", "durftet", "durften"],
        _ => return None,
    })
}

/// The infinitive of a modal.
pub(crate) fn modal(modal: Modal) -> &'static str {
    match modal {
        Modal::Can => "können",
        Modal::Must => "müssen",
        Modal::Want => "wollen",
        Modal::May => "dürfen",
        Modal::Should => "sollen",
        Modal::WouldLike => "mögen",
    }
}

fn strong(infinitive: &str) -> Option<&'static Strong> {
    LEXICON.strong.get(infinitive)
}

fn stem(infinitive: &str) -> &str {
    let stem = infinitive.strip_suffix('n').unwrap_or(infinitive);
    stem.strip_suffix('e').unwrap_or(stem)
}

/// Whether an ending that starts with a consonant needs an `e` before it: `wartet`, `öffnet`.
fn needs_e(stem: &str) -> bool {
    let mut letters = stem.chars().rev();
    match (letters.next(), letters.next()) {
        (Some('t' | 'd'), _) => true,
        (Some('m' | 'n'), Some(before)) => !"aeiouäöülrmnh".contains(before),
        _ => false,
    }
}

fn present(infinitive: &str, form: usize) -> String {
    let stem = stem(infinitive);
    let e = if needs_e(stem) { "e" } else { "" };
    let sibilant = |s: &str| s.ends_with(['s', 'ß', 'z', 'x']);
    match (form, strong(infinitive)) {
        (0, _) => match infinitive.strip_suffix("eln") {
            Some(short) => format!("{short}le"),
            None => format!("{stem}e"),
        },
        (1, Some(Strong { du: Some(du), .. })) => (*du).to_owned(),
        (1, Some(verb)) => {
            let base = verb.er.strip_suffix('t').unwrap_or(verb.er);
            if sibilant(base) { format!("{base}t") } else { format!("{base}st") }
        }
        (2, Some(verb)) => verb.er.to_owned(),
        (1, None) if sibilant(stem) => format!("{stem}t"),
        (1, None) => format!("{stem}{e}st"),
        (2 | 4, _) => format!("{stem}{e}t"),
        _ => infinitive.to_owned(),
    }
}

fn past(infinitive: &str, form: usize) -> String {
    let base = match strong(infinitive) {
        Some(verb) => verb.past.to_owned(),
        None => {
            let stem = stem(infinitive);
            format!("{stem}{}te", if needs_e(stem) { "e" } else { "" })
        }
    };
    let weak = base.ends_with('e');
    match form {
        1 if base.ends_with(['s', 'ß']) => format!("{base}est"),
        1 => format!("{base}st"),
        3 | 5 if weak => format!("{base}n"),
        3 | 5 => format!("{base}en"),
        4 if base.ends_with(['t', 'd']) => format!("{base}et"),
        4 => format!("{base}t"),
        _ => base,
    }
}

/// A finite form of a verb without its separable prefix.
pub(crate) fn finite(infinitive: &str, finite: Finite, agreement: Agreement) -> String {
    let form = form_of(agreement);
    match (table(infinitive, finite), finite) {
        (Some(forms), _) => forms[form].to_owned(),
        (None, Finite::Present) => present(infinitive, form),
        (None, Finite::Past) => past(infinitive, form),
    }
}

/// The participle of a verb without its separable prefix.
fn bare_participle(infinitive: &str) -> String {
    const UNSTRESSED: [&str; 9] = ["be", "ge", "er", "ver", "zer", "ent", "emp", "unter", "über"];
    match infinitive {
        "haben" => return "gehabt".to_owned(),
        "sein" => return "gewesen".to_owned(),
        "wissen" => return "gewusst".to_owned(),
        _ => {}
    }
    if let Some(verb) = strong(infinitive) {
        return verb.participle.to_owned();
    }
    let stem = stem(infinitive);
    let e = if needs_e(stem) { "e" } else { "" };
    let prefixed =
        UNSTRESSED.iter().any(|p| stem.strip_prefix(p).is_some_and(|rest| rest.chars().count() > 2));
    let ge = if prefixed || infinitive.ends_with("ieren") { "" } else { "ge" };
    format!("{ge}{stem}{e}t")
}

/// The participle: `angerufen`.
pub(crate) fn participle(verb: &DeVerb) -> String {
    format!("{}{}", verb.prefix.unwrap_or(""), bare_participle(verb.base))
}

/// The infinitive: `anrufen`.
pub(crate) fn infinitive(verb: &DeVerb) -> String {
    format!("{}{}", verb.prefix.unwrap_or(""), verb.base)
}

/// Whether the perfect is formed with `sein`.
pub(crate) fn takes_sein(verb: &DeVerb) -> bool {
    verb.sein.unwrap_or_else(|| strong(verb.base).is_some_and(|v| v.sein))
}

/// The imperative towards `du`, without the separable prefix.
pub(crate) fn imperative(infinitive: &str) -> String {
    match strong(infinitive) {
        Some(verb) if verb.imperative_as_er => verb.er.strip_suffix('t').unwrap_or(verb.er).to_owned(),
        _ => {
            let stem = stem(infinitive);
            match infinitive.strip_suffix("eln") {
                Some(short) => format!("{short}le"),
                None if needs_e(stem)
                    || stem.ends_with('s')
                    || stem.ends_with("ig")
                    || stem.ends_with("er") =>
                {
                    format!("{stem}e")
                }
                None => stem.to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn six(infinitive: &str, tense: Finite) -> [String; 6] {
        [(1, false), (2, false), (3, false), (1, true), (2, true), (3, true)]
            .map(|(person, plural)| finite(infinitive, tense, Agreement { person, plural }))
    }

    #[test]
    fn present_forms_follow_stem_and_vowel() {
        let present = |verb| six(verb, Finite::Present);
        assert_eq!(present("kaufen"), ["kaufe", "kaufst", "kauft", "kaufen", "kauft", "kaufen"]);
        assert_eq!(present("warten"), ["warte", "wartest", "wartet", "warten", "wartet", "warten"]);
        assert_eq!(present("öffnen"), ["öffne", "öffnest", "öffnet", "öffnen", "öffnet", "öffnen"]);
        assert_eq!(present("lernen"), ["lerne", "lernst", "lernt", "lernen", "lernt", "lernen"]);
        assert_eq!(present("lesen"), ["lese", "liest", "liest", "lesen", "lest", "lesen"]);
        assert_eq!(present("fahren"), ["fahre", "fährst", "fährt", "fahren", "fahrt", "fahren"]);
        assert_eq!(present("halten"), ["halte", "hältst", "hält", "halten", "haltet", "halten"]);
        assert_eq!(present("putzen"), ["putze", "putzt", "putzt", "putzen", "putzt", "putzen"]);
        assert_eq!(present("zweifeln")[0..3], ["zweifle", "zweifelst", "zweifelt"]);
        assert_eq!(present("spielen")[0..2], ["spiele", "spielst"]);
        assert_eq!(present("finden"), ["finde", "findest", "findet", "finden", "findet", "finden"]);
    }

    #[test]
    fn past_forms_are_weak_or_strong() {
        let past = |verb| six(verb, Finite::Past);
        assert_eq!(past("kaufen")[0..4], ["kaufte", "kauftest", "kaufte", "kauften"]);
        assert_eq!(past("antworten")[2], "antwortete");
        assert_eq!(past("öffnen")[2], "öffnete");
        assert_eq!(past("gehen")[2..4], ["ging", "gingen"]);
        assert_eq!(past("kennen")[2..4], ["kannte", "kannten"]);
    }

    #[test]
    fn participles_take_ge_between_prefix_and_stem() {
        let verb = |prefix, base| DeVerb {
            prefix,
            base,
            reflexive: None,
            fixed: crate::lexicon::Unit::default(),
            sein: None,
        };
        assert_eq!(participle(&verb(Some("an"), "rufen")), "angerufen");
        assert_eq!(participle(&verb(Some("auf"), "machen")), "aufgemacht");
        assert_eq!(participle(&verb(Some("vor"), "bereiten")), "vorbereitet");
        assert_eq!(participle(&verb(None, "besuchen")), "besucht");
        assert_eq!(participle(&verb(None, "reparieren")), "repariert");
        assert_eq!(participle(&verb(None, "arbeiten")), "gearbeitet");
        assert_eq!(participle(&verb(None, "gehören")), "gehört");
        assert_eq!(participle(&verb(None, "unterrichten")), "unterrichtet");
    }

    #[test]
    fn imperatives_change_their_vowel_where_german_does() {
        let verbs = ["lesen", "geben", "fahren", "warten", "öffnen", "helfen", "spielen", "reisen"];
        assert_eq!(
            verbs.map(imperative),
            ["lies", "gib", "fahr", "warte", "öffne", "hilf", "spiel", "reise"]
        );
    }
}
