//! Abbreviations that keep their period: `Dr. Weber` stays two tokens, while the period of `the end. Weber` is cut off.

use super::language::Language;
use crate::error::{Error, Result};
use crate::lines::Lines;
use rustc_hash::FxHashMap;
use std::io::BufRead;
use std::path::Path;

/// When an abbreviation keeps its period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Whatever follows: `Dr.`
    Always,
    /// Only before a number: `No. 5`, but `No . Never`.
    BeforeNumber,
}

/// The abbreviations of a language.
///
/// The file format: words separated by white space, as many a line as one likes; `[always]` and `[before-number]` on
/// lines of their own say what the words below them are (always, until said otherwise); `#` starts a comment line.
/// Moses' files can be read too: one word a line, those before numbers marked `#NUMERIC_ONLY#`.
#[derive(Debug, Clone, Default)]
pub struct Prefixes {
    words: FxHashMap<Box<str>, Keeps>,
}

const COMMON: &str = include_str!("../../data/prefixes/common.txt");
const MOSES_MARK: &str = "#NUMERIC_ONLY#";

impl Prefixes {
    /// The built-in abbreviations of a language; for one without a list, those that many languages share.
    pub fn of(language: &Language) -> Self {
        let text = if language.abbreviations.is_empty() { COMMON } else { language.abbreviations };
        let lines = Lines::new(language.code, text.as_bytes());
        Self::read(lines).expect("the built-in lists are checked by a test")
    }

    /// Reads a file of abbreviations.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Lines::open(path)?)
    }

    /// Reads abbreviations from lines.
    pub fn read<R: BufRead>(mut lines: Lines<R>) -> Result<Self> {
        let mut words = FxHashMap::default();
        let mut section = Keeps::Always;
        while let Some(line) = lines.next_line()? {
            let line = line.trim();
            if line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                section = match line {
                    "[always]" => Keeps::Always,
                    "[before-number]" => Keeps::BeforeNumber,
                    other => {
                        let message =
                            format!("unknown section `{other}`; sections are [always] and [before-number]");
                        return Err(Error::Malformed { place: lines.place(), message });
                    }
                };
                continue;
            }
            let (line, keeps) = match line.strip_suffix(MOSES_MARK) {
                Some(rest) => (rest, Keeps::BeforeNumber),
                None => (line, section),
            };
            for word in line.split_whitespace() {
                words.insert(word.trim_end_matches('.').into(), keeps);
            }
        }
        Ok(Self { words })
    }

    /// Whether the word, given without its period, keeps it.
    pub fn get(&self, word: &str) -> Option<Keeps> {
        self.words.get(word).copied()
    }

    /// How many abbreviations there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_lists_can_be_read() {
        for language in Language::all() {
            assert!(Prefixes::of(language).len() > 20, "{}", language.code);
        }
    }

    #[test]
    fn sections_and_the_marks_of_moses_are_read() {
        let text = "# comment\nDr Prof.\n[before-number]\nNo\n[always]\npp #NUMERIC_ONLY#\nz.B\n";
        let prefixes = Prefixes::read(Lines::new("list", text.as_bytes())).unwrap();
        assert_eq!(prefixes.get("Prof"), Some(Keeps::Always));
        assert_eq!(prefixes.get("No"), Some(Keeps::BeforeNumber));
        assert_eq!(prefixes.get("pp"), Some(Keeps::BeforeNumber));
        assert_eq!(prefixes.get("z.B"), Some(Keeps::Always));
        assert_eq!(prefixes.get("comment"), None);
    }

    #[test]
    fn an_unknown_section_is_an_error_with_its_line() {
        let error = Prefixes::read(Lines::new("list", "Dr\n[titles]\n".as_bytes())).unwrap_err().to_string();
        assert_eq!(error, "list:2: unknown section `[titles]`; sections are [always] and [before-number]");
    }
}
