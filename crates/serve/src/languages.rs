//! Languages: what they are called, and which of those served a text is in.

use crate::systems::Opened;
use isolang::Language;
use std::collections::BTreeMap;
use std::sync::Arc;
use treeglot_lm::special::UNK;
use treeglot_pipeline::text_path::TextPath;

/// How much of a text is looked at.
const LOOKED_AT: usize = 2_000;

/// A language that a text may be in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Guess {
    pub language: String,
    /// From 0 to 100.
    pub confidence: f64,
}

/// The languages of all systems, the likeliest of a text first. A word that a system's rules have but its target language model
/// lacks is one of the source language; one that the language model has is likely one of the target language, but may be one of
/// both.
pub(crate) fn detect(systems: &[Arc<Opened>], text: &str) -> Vec<Guess> {
    let text: String = text.chars().take(LOOKED_AT).collect();
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for system in systems {
        let [source, target] = &system.languages;
        let evidence = system_evidence(system, &text);
        for (language, share) in [(source, evidence[0]), (target, evidence[1])] {
            let known = shares.entry(language).or_default();
            *known = known.max(share);
        }
    }
    let guess = |(language, share): (&str, f64)| Guess {
        language: language.to_string(),
        confidence: (share * 1000.0).round() / 10.0,
    };
    let mut guesses: Vec<Guess> = shares.into_iter().map(guess).collect();
    guesses.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    guesses
}

/// The shares of the words of a text that speak for the source and for the target language of a system.
fn system_evidence(system: &Opened, text: &str) -> [f64; 2] {
    let in_rules = |word: &str| system.tables.iter().any(|table| table.vocab().get(word).is_some());
    let in_lm = |word: &str| system.lms.iter().any(|lm| lm.symbol(word) != UNK);
    let of_source = |word: &str| match (in_rules(word), in_lm(word)) {
        (true, false) => 1.0,
        (true, true) => 0.5,
        (false, _) => 0.0,
    };
    let of_target = |word: &str| if in_lm(word) { 1.0 } else { 0.0 };
    let paths = system.text.as_ref();
    [share(paths.map(|[path, _]| path), text, of_source), share(paths.map(|[_, path]| path), text, of_target)]
}

/// The average of a value over the words of a text that have letters.
fn share(path: Option<&TextPath>, text: &str, value: impl Fn(&str) -> f64) -> f64 {
    let mut words = String::new();
    for line in text.lines() {
        match path {
            Some(path) => path.worker().words(line, &mut words),
            None => words.push_str(line),
        }
        words.push(' ');
    }
    let values: Vec<f64> =
        words.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).map(value).collect();
    values.iter().sum::<f64>() / (values.len().max(1)) as f64
}

/// The English name of a language; its code if it has none.
pub(crate) fn name(code: &str) -> &str {
    let primary = code.split(['-', '_']).next().unwrap_or(code);
    let known = Language::from_639_1(primary).or_else(|| Language::from_639_3(primary));
    // What stands in brackets tells languages apart that nobody confuses, as `Greek (1453-)`.
    known.map_or(code, |language| language.to_name()).split(" (").next().unwrap_or(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_names_and_unknown_ones_keep_their_code() {
        assert_eq!(
            [name("de"), name("pt-BR"), name("hsb"), name("xx")],
            ["German", "Portuguese", "Upper Sorbian", "xx"]
        );
    }
}
