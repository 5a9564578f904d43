//! Classes of words, on which jumps may depend (Och & Ney 2003, section 2.1.1): a noun's successor lies elsewhere than
//! an adjective's. Read before training; the labels of mkcls, Brown clusters or part-of-speech tags all serve.

use crate::corpus::Words;
use crate::error::Result;
use std::io::BufRead;
use treeglot_text::{Error as TextError, Lines, Place};

/// The most classes a side may have: each has a table of jumps of its own.
pub const MAX_CLASSES: usize = 1000;

/// The class of each word of one side.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The labels; the first, empty one is that of the words not listed.
    labels: Words,
    /// By word; words beyond the end are not listed.
    of: Vec<u16>,
}

impl Default for Classes {
    fn default() -> Self {
        let mut labels = Words::default();
        labels.intern("");
        Self { labels, of: Vec::new() }
    }
}

impl Classes {
    /// Reads lines of a word and its class, as mkcls writes them. Words that are not among `words` are passed over.
    pub fn read<R: BufRead>(lines: &mut Lines<R>, words: &Words) -> Result<Self> {
        let mut classes = Self::default();
        while let Some(line) = lines.next_line()? {
            let wrong = classes.add(line, words).err();
            if let Some(message) = wrong {
                return Err(lines.malformed(message).into());
            }
        }
        if classes.len() == 1 && !words.is_empty() {
            let message = "no word of the text is listed here: classes must be of the same tokens".into();
            return Err(TextError::Malformed { place: Place::new(lines.name().clone(), 0), message }.into());
        }
        Ok(classes)
    }

    fn add(&mut self, line: &str, words: &Words) -> std::result::Result<(), String> {
        let mut fields = line.split_ascii_whitespace();
        let (Some(word), Some(label), None) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("expected a word and its class, but found `{line}`"));
        };
        let Some(id) = words.id(word) else { return Ok(()) };
        let before = self.of(id);
        if before != 0 && self.label(before) != label {
            return Err(format!("`{word}` has the class `{}` already: list it once", self.label(before)));
        }
        self.set(id, label).ok_or_else(|| format!("more than {MAX_CLASSES} classes: use fewer"))
    }

    /// How many classes there are, that of the words not listed included.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no class: never, for the words not listed have one.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The class of a word.
    pub fn of(&self, word: u32) -> u16 {
        self.of.get(word as usize).copied().unwrap_or(0)
    }

    /// Whether the first `words` words are not all of one class: if they are, it says nothing.
    pub fn tell_apart(&self, words: usize) -> bool {
        (0..words as u32).any(|word| self.of(word) != self.of(0))
    }

    /// The label of a class.
    pub fn label(&self, class: u16) -> &str {
        self.labels.text(u32::from(class))
    }

    /// The listed words, with their classes.
    pub fn listed(&self) -> impl Iterator<Item = (u32, u16)> {
        (0..).zip(self.of.iter().copied()).filter(|&(_, class)| class != 0)
    }

    /// The class of this label, new or not; `None` if there are too many.
    pub(crate) fn class(&mut self, label: &str) -> Option<u16> {
        if self.labels.id(label).is_none() && self.len() > MAX_CLASSES {
            return None;
        }
        u16::try_from(self.labels.intern(label)).ok()
    }

    /// Gives a word its class; `None` if there are too many.
    pub(crate) fn set(&mut self, word: u32, label: &str) -> Option<()> {
        let class = self.class(label)?;
        let word = word as usize;
        self.of.resize(self.of.len().max(word + 1), 0);
        self.of[word] = class;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Classes> {
        let mut words = Words::default();
        ["the", "old", "house"].iter().for_each(|word| {
            words.intern(word);
        });
        Classes::read(&mut Lines::new("classes", text.as_bytes()), &words)
    }

    #[test]
    fn words_not_listed_share_a_class() {
        let classes = read("house\tNN\nunknown XX\nthe DT\n").unwrap();
        assert_eq!([0, 1, 2, 3].map(|word| classes.label(classes.of(word))), ["DT", "", "NN", ""]);
        assert_eq!(classes.len(), 3, "a class of none of the words needs no table");
    }

    #[test]
    fn a_bad_line_is_named() {
        let errors = ["the", "the DT x", "", "house VB"].map(|line| {
            let text = format!("house NN\n{line}\n");
            read(&text).unwrap_err().to_string()
        });
        assert!(errors.iter().all(|error| error.starts_with("classes:2: ")), "{errors:?}");
        assert!(errors[3].contains("`house` has the class `NN` already"), "{}", errors[3]);
    }

    #[test]
    fn classes_of_other_words_are_an_error() {
        let error = read("maison N\n").unwrap_err().to_string();
        assert!(error.starts_with("classes: no word of the text is listed"), "{error}");
    }

    #[test]
    fn too_many_classes_are_an_error() {
        let mut classes = Classes::default();
        assert!((0..MAX_CLASSES).all(|k| classes.set(k as u32, &format!("c{k}")).is_some()));
        assert!(classes.set(0, "one more").is_none());
        assert!(classes.set(0, "c7").is_some());
    }
}
