//! Lists of terms: what certain words are to be translated by. A file has a term a line, `source<TAB>target`, and may have rules in
//! a third column, separated by commas.

use crate::error::Result;
use crate::text_path::TextWorker;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Error as TextError, Lines};
use treeglot_tree::Span;

/// A term as its file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    source: String,
    target: String,
    /// The source words must be written as here.
    same_case: bool,
    /// The translation is never changed, not even at the begin of a sentence.
    exact: bool,
    /// The last source word may have an ending.
    any_ending: bool,
}

/// A list of terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    entries: Arc<Vec<Entry>>,
}

/// So many letters may follow a word whose ending does not matter.
const LONGEST_ENDING: usize = 3;

impl Terms {
    /// Reads a list.
    pub fn read(path: &Path) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut entries = Vec::new();
        while let Some(line) = lines.next_line()? {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            match entry(line) {
                Ok(entry) => entries.push(entry),
                Err(message) => return Err(TextError::Malformed { place: lines.place(), message }.into()),
            }
        }
        Ok(Self { entries: Arc::new(entries) })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The terms in the words that models see.
    pub(super) fn in_words(&self, text: &mut Option<[TextWorker<'_>; 2]>) -> TermWords {
        let mut words = TermWords::default();
        for (number, entry) in self.entries.iter().enumerate() {
            let (mut source, mut target) = (String::new(), String::new());
            match text {
                Some([from, to]) => {
                    from.tokens(&entry.source, &mut source);
                    to.tokens(&entry.target, &mut target);
                }
                None => (source, target) = (entry.source.clone(), entry.target.clone()),
            }
            let source: Vec<String> = source.split_whitespace().map(str::to_string).collect();
            let Some(first) = source.first() else { continue };
            words.by_first.entry(first.to_lowercase()).or_default().push(words.terms.len() as u32);
            let Entry { same_case, exact, any_ending, .. } = *entry;
            if any_ending && source.len() == 1 {
                words.prefixes.push(words.terms.len() as u32);
            }
            let target = if exact { entry.target.clone() } else { target };
            let lower = source.iter().map(|word| word.to_lowercase()).collect();
            words.terms.push(Term { source, lower, target, same_case, exact, any_ending, line: number });
        }
        words
    }
}

/// A line of a list.
fn entry(line: &str) -> std::result::Result<Entry, String> {
    let mut fields = line.split('\t');
    let mut next = || fields.next().map(str::trim).filter(|field| !field.is_empty());
    let (Some(source), Some(target)) = (next(), next()) else {
        return Err("a term is `source<TAB>target`, with rules in a third column if need be".to_string());
    };
    let mut entry = Entry {
        source: source.to_string(),
        target: target.to_string(),
        same_case: false,
        exact: false,
        any_ending: false,
    };
    for rule in next().unwrap_or_default().split(',').map(str::trim).filter(|rule| !rule.is_empty()) {
        match rule {
            "case" => entry.same_case = true,
            "exact" => entry.exact = true,
            "ending" => entry.any_ending = true,
            _ => {
                return Err(format!("`{rule}` is no rule of a term: there are `case`, `exact` and `ending`"));
            }
        }
    }
    Ok(entry)
}

/// Terms as words; owned by a thread.
#[derive(Debug, Default)]
pub(super) struct TermWords {
    terms: Vec<Term>,
    by_first: FxHashMap<String, Vec<u32>>,
    /// Terms of one word with any ending, which their first word does not find.
    prefixes: Vec<u32>,
}

#[derive(Debug)]
struct Term {
    source: Vec<String>,
    lower: Vec<String>,
    target: String,
    same_case: bool,
    exact: bool,
    any_ending: bool,
    line: usize,
}

/// A term that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundTerm<'t> {
    /// The words it is for.
    pub span: Span,
    /// Its translation: words, or text if it is exact.
    pub target: &'t str,
    /// Whether the translation is never changed.
    pub exact: bool,
}

impl TermWords {
    /// The terms in a sentence, from left to right, of several that begin at a word the longest, of equally long ones the first.
    pub fn find(&self, words: &[&str]) -> Vec<FoundTerm<'_>> {
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let (mut found, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let named = self.by_first.get(&lower[at]).map_or(&[][..], Vec::as_slice);
            let possible = named.iter().chain(&self.prefixes).map(|&number| &self.terms[number as usize]);
            let fitting = possible.filter(|term| term.fits(&words[at..], &lower[at..]));
            let best = fitting.max_by_key(|term| (term.source.len(), std::cmp::Reverse(term.line)));
            let Some(term) = best else {
                at += 1;
                continue;
            };
            let end = at + term.source.len();
            let span = Span::new(at as u32, end as u32);
            found.push(FoundTerm { span, target: &term.target, exact: term.exact });
            at = end;
        }
        found
    }
}

impl Term {
    fn fits(&self, words: &[&str], lower: &[String]) -> bool {
        let count = self.source.len();
        if words.len() < count {
            return false;
        }
        (0..count).all(|k| {
            let (own, word) = match self.same_case {
                true => (self.source[k].as_str(), words[k]),
                false => (self.lower[k].as_str(), lower[k].as_str()),
            };
            let ending = word.strip_prefix(own).filter(|_| self.any_ending && k + 1 == count);
            own == word
                || ending.is_some_and(|ending| {
                    ending.chars().count() <= LONGEST_ENDING && ending.chars().all(char::is_alphabetic)
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Result<Terms> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Terms::read(file.path())
    }

    #[test]
    fn the_longest_term_is_found_in_any_case_unless_it_says_otherwise() {
        let list = "# a list\nHaus\tbuilding\nHaus am See\tlake house\nBank\tbank\tcase\n\nVertrag\tcontract\tending, exact\n";
        let words = terms(list).unwrap().in_words(&mut None);
        let found = |line: &str| -> Vec<String> {
            let words_of: Vec<&str> = line.split(' ').collect();
            words.find(&words_of).iter().map(|term| format!("{:?} {}", term.span, term.target)).collect()
        };
        assert_eq!(found("das haus am See").len(), 1);
        assert!(found("das haus am See")[0].ends_with("lake house"));
        assert_eq!(found("bank Bank").len(), 1);
        assert_eq!(found("Vertrages Vertragspartner").len(), 1);
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = terms("a\tb\nc\n").unwrap_err().to_string();
        assert!(error.contains(":2") && error.contains("source<TAB>target"), "{error}");
        let error = terms("a\tb\tloud\n").unwrap_err().to_string();
        assert!(error.contains("`loud` is no rule"), "{error}");
    }
}
