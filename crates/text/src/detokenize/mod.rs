//! Tokens back to text: the last step of the data's path. What the tokeniser cut is joined again; where the tokens do
//! not tell whether there was a space (`5 %`, `« oui »`, a lone quote), the language's majority decides.

mod join;
mod quotes;

use crate::tokenize::{Language, LanguageError, unescape};
use crate::truecase;
use join::Joiner;

/// What a detokeniser does besides joining tokens.
#[derive(Debug, Clone)]
pub struct Options {
    /// Write Moses' entities as characters.
    pub unescape: bool,
    /// Start each sentence with a capital, as text that was truecased needs it.
    pub recase: bool,
}

impl Default for Options {
    /// What undoes the tokeniser's defaults.
    fn default() -> Self {
        Self { unescape: true, recase: false }
    }
}

/// Joins tokens of one language to text. Read-only: threads share it, each with a [`Worker`].
#[derive(Debug)]
pub struct Detokenizer {
    language: &'static Language,
    options: Options,
}

impl Detokenizer {
    /// A detokeniser for the language of a code such as `de`.
    pub fn new(language: &str, options: Options) -> Result<Self, LanguageError> {
        Ok(Self { language: Language::find(language)?, options })
    }

    /// The language.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// A worker for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker { detokenizer: self, cased: String::new(), plain: String::new() }
    }
}

/// Detokenises lines, one at a time, with its own buffers.
#[derive(Debug)]
pub struct Worker<'d> {
    detokenizer: &'d Detokenizer,
    cased: String,
    plain: String,
}

impl Worker<'_> {
    /// Appends the text of a line of tokens to `out`.
    pub fn detokenize(&mut self, line: &str, out: &mut String) {
        let Self { detokenizer, cased, plain } = self;
        let mut line = line;
        if detokenizer.options.recase {
            cased.clear();
            truecase::recase(line, cased);
            line = cased;
        }
        if detokenizer.options.unescape && line.contains('&') {
            plain.clear();
            unescape(line, plain);
            line = plain;
        }
        let tokens: Vec<&str> = line.split_whitespace().collect();
        Joiner::new(detokenizer.language, &tokens).write(out);
    }
}

#[cfg(test)]
mod tests;
