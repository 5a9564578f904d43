//! Reading the files of `data/`. They are part of the program, so an error names file and line for whoever edits them.

use super::frame::{Complement, DeSlot, DeVerb, EnSlot, EnVerb, Frame, Infinitive, Role};
use super::unit::Unit;
use super::{Adjective, Adverb, Declension, Irregular, Lexicon, Name, Noun, Place, Strong};
use crate::english::morphology::plural;
use crate::features::{Case, Gender};

/// A line of a data file that is not well-formed.
#[derive(Debug, thiserror::Error)]
#[error("data/{file}:{line}: cannot read `{text}`; the head of the file explains its columns")]
pub(crate) struct BadLine {
    file: &'static str,
    line: usize,
    text: &'static str,
}

/// Reads every line that is not a comment.
fn lines<T>(
    file: &'static str,
    text: &'static str,
    read: impl Fn(&'static str) -> Option<T>,
) -> Result<Vec<T>, BadLine> {
    let content = text.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#'));
    content.map(|(at, text)| read(text).ok_or(BadLine { file, line: at + 1, text })).collect()
}

impl Lexicon {
    /// Reads the files built into the program.
    pub fn embedded() -> Result<Self, BadLine> {
        Ok(Self {
            nouns: lines("nouns.txt", include_str!("../../data/nouns.txt"), noun)?,
            adjectives: lines("adjectives.txt", include_str!("../../data/adjectives.txt"), adjective)?,
            names: lines("names.txt", include_str!("../../data/names.txt"), name)?,
            adverbs: lines("adverbs.txt", include_str!("../../data/adverbs.txt"), adverb)?,
            frames: lines("frames.txt", include_str!("../../data/frames.txt"), frame)?,
            strong: lines("verbs.de.txt", include_str!("../../data/verbs.de.txt"), strong)?
                .into_iter()
                .collect(),
            irregular: lines("verbs.en.txt", include_str!("../../data/verbs.en.txt"), irregular)?
                .into_iter()
                .collect(),
        })
    }
}

fn columns<const N: usize>(line: &'static str) -> Option<[&'static str; N]> {
    let columns: Vec<&'static str> = line.split('|').collect();
    columns.try_into().ok()
}

fn gender(text: &str) -> Option<Gender> {
    match text {
        "m" => Some(Gender::Masc),
        "f" => Some(Gender::Fem),
        "n" => Some(Gender::Neut),
        _ => None,
    }
}

fn noun(line: &'static str) -> Option<Noun> {
    let (line, place) = match line.rsplit_once('|') {
        Some((rest, last)) if last.contains('>') => (rest, Some(place(last)?)),
        _ => (line, None),
    };
    let [de, sex, de_plural, ending, en, en_plural, classes] = columns(line)?;
    let declension = match ending.strip_prefix("w:") {
        Some(weak) => Declension::Weak(weak),
        None if ending == "." => Declension::Strong(""),
        None => Declension::Strong(ending),
    };
    Some(Noun {
        de,
        gender: gender(sex)?,
        de_plural: Some(de_plural).filter(|&p| p != "-"),
        declension,
        en,
        en_plural: if en_plural == "." { plural(en) } else { en_plural.to_owned() },
        classes: classes.split_whitespace().collect(),
        place,
    })
}

fn place(text: &'static str) -> Option<Place> {
    let (location, direction) = text.split_once('>')?;
    Some(Place { location: location.split_once(':')?, direction: direction.split_once(':')? })
}

fn adjective(line: &'static str) -> Option<Adjective> {
    let [de, stem, de_comparative, en, en_comparative, classes] = columns(line)?;
    let en_comparative = match en_comparative {
        "-" => None,
        "more" => Some(format!("more {en}")),
        "." if en.ends_with('e') => Some(format!("{en}r")),
        "." => Some(format!("{en}er")),
        other => Some(other.to_owned()),
    };
    Some(Adjective {
        de,
        de_stem: if stem == "." { de } else { stem },
        de_comparative: Some(de_comparative).filter(|&c| c != "-"),
        en,
        en_comparative,
        classes: classes.split_whitespace().collect(),
    })
}

fn name(line: &'static str) -> Option<Name> {
    let [de, en, sex] = columns(line)?;
    Some(Name { de, en, sex: if sex == "city" { None } else { Some(gender(sex)?) } })
}

fn adverb(line: &'static str) -> Option<Adverb> {
    let [kind, de, en] = columns(line)?;
    Some(Adverb { kind, de: Unit::read(de)?, en: Unit::read(en)? })
}

fn strong(line: &'static str) -> Option<(&'static str, Strong)> {
    let columns: Vec<&'static str> = line.split_whitespace().collect();
    let (&[infinitive, er, past, participle, auxiliary], rest) = columns.split_first_chunk()?;
    let imperative_as_er = rest.first() == Some(&"!");
    let du = rest.first().copied().filter(|&r| r != "!");
    Some((infinitive, Strong { er, past, participle, sein: auxiliary == "s", du, imperative_as_er }))
}

fn irregular(line: &'static str) -> Option<(&'static str, Irregular)> {
    let columns: Vec<&'static str> = line.split_whitespace().collect();
    let (&[lemma, past, participle], rest) = columns.split_first_chunk()?;
    Some((lemma, Irregular { past, participle, ing: rest.first().copied() }))
}

fn frame(line: &'static str) -> Option<Frame> {
    let (verbs, rest) = line.split_once(';')?;
    let (roles, properties) = rest.split_once(';')?;
    let (de, en) = verbs.split_once(" = ")?;
    let properties: Vec<&'static str> = properties.split_whitespace().collect();
    let value = |key: &str| properties.iter().find_map(|p| p.strip_prefix(key));
    let list = |key: &str| value(key).map(|v| v.split('|').collect()).unwrap_or_default();
    let frame = Frame {
        de: de_verb(de, value("aux=").map(|a| a == "s"))?,
        en: en_verb(en)?,
        roles: roles.split_whitespace().map(role).collect::<Option<_>>()?,
        complement: match value("comp=") {
            Some(kind) => Some(complement(kind, &properties)?),
            None => None,
        },
        voluntary: properties.contains(&"act"),
        preparatory: properties.contains(&"go"),
        any_time: properties.contains(&"long"),
        cue: properties.contains(&"cue"),
        stative: properties.contains(&"stat"),
        passive: !properties.contains(&"nopass"),
        manners: list("m="),
        places: list("l="),
    };
    frame.de_role(DeSlot::Bare(Case::Nom))?;
    frame.en_role(EnSlot::Subject)?;
    Some(frame)
}

/// Splits off the words in brackets.
fn bracketed(text: &'static str) -> Option<(&'static str, Unit)> {
    match text.split_once('[') {
        None => Some((text.trim(), Unit::default())),
        Some((before, unit)) => Some((before.trim(), Unit::read(unit.trim_end().strip_suffix(']')?)?)),
    }
}

fn de_verb(text: &'static str, sein: Option<bool>) -> Option<DeVerb> {
    let (verb, fixed) = bracketed(text)?;
    let (reflexive, verb) = match verb.split_once(' ') {
        Some(("sich", verb)) => (Some(Case::Acc), verb),
        Some(("sich.D", verb)) => (Some(Case::Dat), verb),
        Some(_) => return None,
        None => (None, verb),
    };
    let (prefix, base) = match verb.split_once('|') {
        Some((prefix, base)) => (Some(prefix), base),
        None => (None, verb),
    };
    Some(DeVerb { prefix, base, reflexive, fixed, sein })
}

fn en_verb(text: &'static str) -> Option<EnVerb> {
    let (verb, rest) = bracketed(text)?;
    match verb.split_once(" +") {
        Some((lemma, particle)) => Some(EnVerb { lemma, particle: Some(particle), rest }),
        None => Some(EnVerb { lemma: verb, particle: None, rest }),
    }
}

fn role(text: &'static str) -> Option<Role> {
    let (slots, classes) = text.split_once(':')?;
    let (de, en) = slots.split_once('=')?;
    let de = match de.split_once('+') {
        Some((preposition, case)) => DeSlot::Prep(preposition, self::case(case)?),
        None if de == "L" => DeSlot::Direction,
        None if de == "W" => DeSlot::Location,
        None => DeSlot::Bare(case(de)?),
    };
    let en = match en {
        "S" => EnSlot::Subject,
        "O" => EnSlot::Object,
        "I" => EnSlot::Indirect,
        "L" => EnSlot::Direction,
        "W" => EnSlot::Location,
        preposition => EnSlot::Prep(preposition),
    };
    Some(Role { de, en, classes: classes.split('|').collect() })
}

fn case(text: &str) -> Option<Case> {
    match text {
        "N" => Some(Case::Nom),
        "A" => Some(Case::Acc),
        "D" => Some(Case::Dat),
        _ => None,
    }
}

fn complement(text: &str, properties: &[&str]) -> Option<Complement> {
    let (kind, controller) = text.split_once('/').unwrap_or((text, "0"));
    match kind {
        "dass" => Some(Complement::That),
        "ob" => Some(Complement::Whether),
        "w" => Some(Complement::Question),
        "zu" | "ing" => Some(Complement::Infinitive(Infinitive {
            controller: controller.parse().ok()?,
            gerund: kind == "ing",
            of_noun: properties.contains(&"acl"),
            transparent: properties.contains(&"front"),
        })),
        _ => None,
    }
}
