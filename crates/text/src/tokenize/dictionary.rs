//! Tokens of Chinese and Japanese, which write no spaces between words: runs of their characters are cut with a
//! dictionary, each of their signs is a token, and runs of anything else (Latin words, numbers, addresses) are cut by
//! the rules for languages with spaces, so that `3.5` and `e-mail` stay whole.

use super::chars::{Class, is_cjk};
use super::japanese::Japanese;
use super::spaced::{Buffers, Spaced};
use jieba_rs::Jieba;
use std::fmt;

/// A dictionary with the search that cuts a run of characters into its words.
pub(crate) enum Dictionary {
    /// Jieba's dictionary; words it does not have are guessed by its hidden Markov model.
    Chinese(Box<Jieba>),
    /// ICU's dictionary and the closed classes of the language.
    Japanese(Box<Japanese>),
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chinese(_) => "Chinese",
            Self::Japanese(_) => "Japanese",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Sign,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => Self::Other,
            _ if !is_cjk(c) || c.is_whitespace() => Self::Other,
            _ if Class::of(c).is_word() => Self::Word,
            _ => Self::Sign,
        }
    }
}

impl Dictionary {
    pub(crate) fn chinese() -> Self {
        Self::Chinese(Box::new(Jieba::new()))
    }

    pub(crate) fn japanese() -> Self {
        Self::Japanese(Box::new(Japanese::new()))
    }

    /// Appends the tokens of `line`, separated by single spaces.
    pub(crate) fn tokenize(&self, line: &str, spaced: &Spaced, buffers: &mut Buffers, out: &mut String) {
        let start = out.len();
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let kind = Kind::of(first);
            let end = match kind {
                Kind::Sign => rest.find(|c| c != first),
                _ => rest.find(|c| Kind::of(c) != kind),
            };
            let (run, tail) = rest.split_at(end.unwrap_or(rest.len()));
            rest = tail;
            match kind {
                Kind::Word => self.words(run, |word| push(word, start, out)),
                Kind::Sign => push(run, start, out),
                Kind::Other if run.trim().is_empty() => {}
                Kind::Other => {
                    push("", start, out);
                    spaced.tokenize(run, buffers, out);
                }
            }
        }
    }

    fn words(&self, run: &str, mut each: impl FnMut(&str)) {
        match self {
            Self::Chinese(jieba) => jieba.cut(run, true).into_iter().for_each(|token| each(token.word)),
            Self::Japanese(japanese) => japanese.words(run, each),
        }
    }
}

fn push(token: &str, start: usize, out: &mut String) {
    if out.len() > start {
        out.push(' ');
    }
    out.push_str(token);
}
