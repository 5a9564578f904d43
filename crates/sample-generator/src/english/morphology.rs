//! English inflection.

use crate::features::{Agreement, Person};
use crate::lexicon::LEXICON;

fn is_vowel(c: char) -> bool {
    "aeiou".contains(c)
}

fn with_s(word: &str) -> String {
    let mut letters = word.chars().rev();
    let (last, before) = (letters.next(), letters.next());
    match (last, before) {
        (Some('y'), Some(b)) if !is_vowel(b) => format!("{}ies", &word[..word.len() - 1]),
        (Some('s' | 'x' | 'z'), _) => format!("{word}es"),
        (Some('h'), Some('s' | 'c')) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// The regular plural of a noun, the last of its words.
pub(crate) fn plural(noun: &str) -> String {
    with_s(noun)
}

/// The indefinite article before a word.
pub(crate) fn article(next: &str) -> &'static str {
    let vowel = next.chars().next().is_some_and(|c| is_vowel(c.to_ascii_lowercase()));
    let exception = ["uni", "use", "eu", "one"].iter().any(|p| next.starts_with(p));
    let silent = ["hour", "honest"].iter().any(|p| next.starts_with(p));
    if (vowel && !exception) || silent { "an" } else { "a" }
}

/// The present tense.
pub(crate) fn present(lemma: &str, agreement: Agreement) -> String {
    let third = agreement.person == 3 && !agreement.plural;
    match lemma {
        "be" => be(agreement).to_owned(),
        "have" if third => "has".to_owned(),
        "do" | "go" if third => format!("{lemma}es"),
        _ if third => with_s(lemma),
        _ => lemma.to_owned(),
    }
}

fn be(agreement: Agreement) -> &'static str {
    match (agreement.person, agreement.plural) {
        (1, false) => "am",
        (3, false) => "is",
        _ => "are",
    }
}

fn with_ed(lemma: &str) -> String {
    let mut letters = lemma.chars().rev();
    match (letters.next(), letters.next()) {
        (Some('e'), _) => format!("{lemma}d"),
        (Some('y'), Some(b)) if !is_vowel(b) => format!("{}ied", &lemma[..lemma.len() - 1]),
        _ => format!("{lemma}ed"),
    }
}

/// The past tense.
pub(crate) fn past(lemma: &str, agreement: Agreement) -> String {
    if lemma == "be" && (agreement.plural || agreement.person == 2) {
        return "were".to_owned();
    }
    LEXICON.irregular.get(lemma).map_or_else(|| with_ed(lemma), |v| v.past.to_owned())
}

/// The past participle.
pub(crate) fn participle(lemma: &str) -> String {
    LEXICON.irregular.get(lemma).map_or_else(|| with_ed(lemma), |v| v.participle.to_owned())
}

/// The `-ing` form.
pub(crate) fn ing(lemma: &str) -> String {
    if let Some(ing) = LEXICON.irregular.get(lemma).and_then(|v| v.ing) {
        return ing.to_owned();
    }
    match lemma.strip_suffix('e') {
        Some(stem) if !lemma.ends_with("ee") => format!("{stem}ing"),
        _ if lemma == "lie" => "lying".to_owned(),
        _ => format!("{lemma}ing"),
    }
}

/// A personal pronoun, as subject or object.
pub(crate) fn pronoun(person: Person, subject: bool) -> &'static str {
    let [nominative, objective] = match person {
        Person::I => ["I", "me"],
        Person::Thou | Person::YouAll | Person::Formal => ["you", "you"],
        Person::He => ["he", "him"],
        Person::She => ["she", "her"],
        Person::Thing(_) => ["it", "it"],
        Person::We => ["we", "us"],
        Person::They => ["they", "them"],
    };
    if subject { nominative } else { objective }
}

/// A possessive.
pub(crate) fn possessive(person: Person) -> &'static str {
    match person {
        Person::I => "my",
        Person::Thou | Person::YouAll | Person::Formal => "your",
        Person::He => "his",
        Person::She => "her",
        Person::Thing(_) => "its",
        Person::We => "our",
        Person::They => "their",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEY: Agreement = Agreement { person: 3, plural: true };

    #[test]
    fn plurals_follow_the_last_letters() {
        let plurals = ["book", "bus", "church", "city", "boy", "train station"].map(plural);
        assert_eq!(plurals, ["books", "buses", "churches", "cities", "boys", "train stations"]);
    }

    #[test]
    fn verbs_inflect_by_rule_and_by_list() {
        let third = ["buy", "watch", "try", "have", "go", "be"].map(|v| present(v, Agreement::THIRD));
        assert_eq!(third, ["buys", "watches", "tries", "has", "goes", "is"]);
        assert_eq!(
            ["visit", "love", "try", "buy"].map(|v| past(v, THEY)),
            ["visited", "loved", "tried", "bought"]
        );
        assert_eq!([past("be", THEY), past("be", Agreement::THIRD)], ["were", "was"]);
        assert_eq!(["write", "see", "run", "lie"].map(ing), ["writing", "seeing", "running", "lying"]);
        assert_eq!(["write", "hope"].map(participle), ["written", "hoped"]);
    }

    #[test]
    fn the_article_follows_the_sound() {
        let words = ["apple", "book", "honest", "university", "old", "hour", "expensive"];
        assert_eq!(words.map(article), ["an", "a", "an", "a", "an", "an", "an"]);
    }
}
