//! Multi-word tokens: which tokens of raw text stand for several words, and for which (`du` for `de le`, `im` for
//! `in dem`, `don't` for `do n't`), learnt from a treebank.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use treeglot_tree::DepParse;
use treeglot_tree::Note;

/// The multi-word tokens of a parse: which words, from 0, and the token's form.
pub(crate) fn multiword_tokens(parse: &DepParse) -> impl Iterator<Item = (Range<usize>, &str)> {
    parse.notes().filter(|n| n.0 == Note::Multiword).filter_map(|(_, line, before)| {
        let mut columns = line.split('\t');
        let (_, last) = columns.next()?.split_once('-')?;
        Some((before..last.parse().ok()?, columns.next()?))
    })
}

/// What a treebank says of multi-word tokens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Multiword {
    /// Tokens in lower case, and their words.
    tokens: BTreeMap<String, Vec<String>>,
    /// Ends that are split off from any token, as `n't`.
    ends: BTreeMap<String, ()>,
}

/// An end must have been split off this often, and this much more often than not.
const LEAST_SEEN: usize = 3;
const LEAST_SHARE: f32 = 0.9;

#[derive(Default)]
struct Seen {
    whole: usize,
    splits: BTreeMap<Vec<String>, usize>,
}

impl Multiword {
    /// Learns from the tokens of a treebank.
    pub(crate) fn learn(parses: &[DepParse]) -> Self {
        let mut seen = BTreeMap::<String, Seen>::new();
        for parse in parses {
            let mut next = 0;
            for (words, form) in multiword_tokens(parse) {
                for w in next..words.start {
                    seen.entry(parse.form(w.into()).to_lowercase()).or_default().whole += 1;
                }
                let lower = |w: usize| parse.form(w.into()).to_lowercase();
                let split: Vec<String> = words.clone().filter(|&w| w < parse.len()).map(lower).collect();
                *seen.entry(form.to_lowercase()).or_default().splits.entry(split).or_default() += 1;
                next = words.end;
            }
            for w in next..parse.len() {
                seen.entry(parse.form(w.into()).to_lowercase()).or_default().whole += 1;
            }
        }
        Self { tokens: tokens(&seen), ends: ends(&seen) }
    }

    /// For a treebank without multi-word tokens: the contractions that it has cut off from words, as `n't` and `'s`.
    pub(crate) fn of_contractions<'a>(forms: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = BTreeMap::<String, usize>::new();
        for form in forms.filter(|form| is_contraction(form)) {
            *counts.entry(form.to_lowercase()).or_default() += 1;
        }
        let ends = counts.into_iter().filter(|c| c.1 >= LEAST_SEEN).map(|c| (c.0, ())).collect();
        Self { tokens: BTreeMap::new(), ends }
    }

    /// The words of a token, in the token's case; `None` if it is one word.
    pub(crate) fn split(&self, token: &str) -> Option<Vec<String>> {
        let lower = token.to_lowercase();
        if let Some(words) = self.tokens.get(&lower) {
            // The token's own characters where the words are its parts, else its first letter's case.
            return Some(cut(token, &lower, words).unwrap_or_else(|| capitalised(token, words)));
        }
        let starts = lower.char_indices().map(|c| c.0).skip(1);
        let at = starts.into_iter().find(|&at| self.ends.contains_key(&lower[at..]))?;
        let words = [lower[..at].to_string(), lower[at..].to_string()];
        cut(token, &lower, &words)
    }
}

/// Letters with an apostrophe before the last of them.
fn is_contraction(form: &str) -> bool {
    let letters = form.chars().filter(|c| c.is_alphabetic()).count();
    letters > 0
        && form.chars().all(|c| c.is_alphabetic() || c == '\'')
        && (form.starts_with('\'') || form.to_lowercase() == "n't")
        && !form.ends_with('\'')
        && form.chars().count() == letters + 1
}

/// The parts of a token that correspond to words which together are the token.
fn cut(token: &str, lower: &str, words: &[String]) -> Option<Vec<String>> {
    if words.concat() != lower || token.len() != lower.len() {
        return None;
    }
    let mut at = 0;
    let mut parts = Vec::with_capacity(words.len());
    for word in words {
        parts.push(token.get(at..at + word.len())?.to_string());
        at += word.len();
    }
    Some(parts)
}

fn capitalised(token: &str, words: &[String]) -> Vec<String> {
    let upper = token.chars().next().is_some_and(char::is_uppercase);
    let first = |word: &String| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
    };
    words
        .iter()
        .enumerate()
        .map(|(i, word)| if i == 0 && upper { first(word) } else { word.clone() })
        .collect()
}

fn tokens(seen: &BTreeMap<String, Seen>) -> BTreeMap<String, Vec<String>> {
    let mut tokens = BTreeMap::new();
    for (form, seen) in seen {
        let split = seen.splits.values().sum::<usize>();
        let best = seen.splits.iter().max_by_key(|s| s.1);
        if let Some((words, _)) = best.filter(|_| split > seen.whole) {
            tokens.insert(form.clone(), words.clone());
        }
    }
    tokens
}

fn ends(seen: &BTreeMap<String, Seen>) -> BTreeMap<String, ()> {
    let mut split = FxHashMap::<&str, usize>::default();
    for (form, seen) in seen {
        for (words, &count) in &seen.splits {
            if let [first, last] = &words[..]
                && form.len() == first.len() + last.len()
                && form.ends_with(last.as_str())
            {
                *split.entry(last).or_default() += count;
            }
        }
    }
    let enough = |end: &str, count: usize| {
        let whole = seen.iter().filter(|(form, _)| form.len() > end.len() && form.ends_with(end));
        let whole: usize = whole.map(|(_, seen)| seen.whole).sum();
        count >= LEAST_SEEN && count as f32 >= LEAST_SHARE * (count + whole) as f32
    };
    split.into_iter().filter(|&(end, count)| enough(end, count)).map(|e| (e.0.to_string(), ())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::format::{ReadTrees, conllu};

    fn learnt(sentences: &[&[(&str, &[&str])]]) -> Multiword {
        let mut text = String::new();
        for sentence in sentences {
            let mut id = 1;
            for (form, words) in *sentence {
                if words.len() > 1 {
                    text += &format!("{}-{}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n", id, id + words.len() - 1);
                }
                for word in *words {
                    text += &format!("{id}\t{word}\t_\t_\t_\t_\t0\troot\t_\t_\n");
                    id += 1;
                }
            }
            text += "\n";
        }
        let parses =
            conllu::Reader::new("t", text.as_bytes()).trees().map(Result::unwrap).collect::<Vec<_>>();
        Multiword::learn(&parses)
    }

    fn words(list: &[&str]) -> Option<Vec<String>> {
        Some(list.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_contraction_is_replaced_by_its_words() {
        let multiword = learnt(&[&[("du", &["de", "le"]), ("chat", &["chat"])]]);
        assert_eq!(multiword.split("du"), words(&["de", "le"]));
        assert_eq!(multiword.split("Du"), words(&["De", "le"]));
        assert_eq!(multiword.split("chat"), None);
    }

    #[test]
    fn an_end_that_is_always_split_off_is_split_off_new_tokens() {
        let multiword = learnt(&[
            &[("don't", &["do", "n't"]), ("can't", &["ca", "n't"]), ("I", &["I"])],
            &[("isn't", &["is", "n't"]), ("ant", &["ant"])],
        ]);
        assert_eq!(multiword.split("Wouldn't"), words(&["Would", "n't"]));
        assert_eq!(multiword.split("Don't"), words(&["Do", "n't"]));
        assert_eq!(multiword.split("want"), None);
    }
}
