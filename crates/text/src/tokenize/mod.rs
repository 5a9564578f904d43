//! Text to tokens: the first step of the data's path. Languages with spaces follow Moses' `tokenizer.perl` 1.1, so that
//! data and models of both tools can be mixed; words of scripts without blanks (Chinese, Japanese, Thai, Khmer, Lao, Burmese) are
//! found with dictionaries, and those of Tibetan are its syllables.
//!
//! What differs from Moses, on purpose:
//! - Combining marks and joiners stay with their letter; Moses makes tokens of them and tears decomposed text apart.
//! - The lists of abbreviations are our own. Where ours is longer (`Abs. 2`, `Avda. Artigas`, Czech initials), a period
//!   stays that Moses cuts off: one line in ten thousand of parliament speeches.
//! - In Aymara, Bribri, Guarani, Nahuatl, Quechua and Shipibo, whatever sign is typed for an apostrophe within a word becomes a plain
//!   one and is not cut off; in Aymara and Quechua also where blanks tear it from its consonant (`jach 'a`).
//! - No space is left at the end of a line.
//!
//! Older versions of Moses, and `sacremoses`, which follows them, do not cut the period off a line's last word when it is
//! an abbreviation; the current version and this one do.

mod apostrophe;
pub(crate) mod chars;
mod dictionary;
mod escape;
mod glottal;
#[cfg(feature = "segmenter")]
mod japanese;
mod language;
mod prefixes;
mod spaced;

pub use escape::{escape, unescape};
pub use language::{Apostrophe, Language, LanguageError, Script};
pub use prefixes::{Keeps, Prefixes};

use crate::normalize;
use dictionary::Dictionary;
use spaced::{Buffers, Spaced};

/// What a tokeniser does besides cutting words.
#[derive(Debug, Clone)]
pub struct Options {
    /// Cut at hyphens between letters: `low-cost` becomes `low @-@ cost`.
    pub split_hyphens: bool,
    /// Write Moses' special characters as entities, so that `|`, `<` and `[` in a text cannot be taken for markup.
    pub escape: bool,
    /// Compose characters first (Unicode NFC), so that equal words are equal bytes.
    pub nfc: bool,
    /// Write quotes, dashes and spaces before punctuation in one way first, as Moses' `normalize-punctuation.perl`.
    pub punctuation: bool,
    /// Write all tokens in small letters.
    pub lower: bool,
    /// Abbreviations to use in place of the language's own.
    pub prefixes: Option<Prefixes>,
}

impl Default for Options {
    /// Moses' defaults: entities, nothing else.
    fn default() -> Self {
        Self {
            split_hyphens: false,
            escape: true,
            nfc: false,
            punctuation: false,
            lower: false,
            prefixes: None,
        }
    }
}

/// Cuts lines of one language into tokens. Read-only: threads share it, each with a [`Worker`].
#[derive(Debug)]
pub struct Tokenizer {
    spaced: Spaced,
    dictionary: Option<Dictionary>,
    nfc: bool,
    punctuation: bool,
    lower: bool,
}

impl Tokenizer {
    /// A tokeniser for the language of a code such as `de`.
    pub fn new(language: &str, options: Options) -> Result<Self, LanguageError> {
        let language = Language::find(language)?;
        let Options { split_hyphens, escape, nfc, punctuation, lower, prefixes } = options;
        let prefixes = prefixes.unwrap_or_else(|| Prefixes::of(language));
        let dictionary = match language.script {
            Script::Spaced => None,
            Script::Chinese => Some(Dictionary::chinese()?),
            Script::Japanese => Some(Dictionary::japanese()?),
            Script::SoutheastAsian => Some(Dictionary::southeast_asian(language.name)?),
            Script::Tibetan => Some(Dictionary::tibetan()),
        };
        let spaced = Spaced { language, prefixes, split_hyphens, escape };
        Ok(Self { spaced, dictionary, nfc, punctuation, lower })
    }

    /// The language.
    pub fn language(&self) -> &'static Language {
        self.spaced.language
    }

    /// A worker for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            tokenizer: self,
            buffers: Buffers::default(),
            composed: String::new(),
            normal: String::new(),
            cased: String::new(),
        }
    }

    fn cut(&self, line: &str, buffers: &mut Buffers, out: &mut String) {
        match &self.dictionary {
            None => self.spaced.tokenize(line, buffers, out),
            Some(dictionary) => dictionary.tokenize(line, &self.spaced, buffers, out),
        }
    }
}

/// Tokenises lines, one at a time, with its own buffers.
#[derive(Debug)]
pub struct Worker<'t> {
    tokenizer: &'t Tokenizer,
    buffers: Buffers,
    composed: String,
    normal: String,
    cased: String,
}

impl Worker<'_> {
    /// Appends the tokens of `line` to `out`, separated by single spaces. Of the line's characters only white space
    /// and control characters are lost.
    pub fn tokenize(&mut self, line: &str, out: &mut String) {
        let Self { tokenizer, buffers, composed, normal, cased } = self;
        let mut line = line;
        if tokenizer.nfc {
            composed.clear();
            normalize::nfc(line, composed);
            line = composed;
        }
        if tokenizer.punctuation {
            normal.clear();
            normalize::punctuation(line, tokenizer.language(), normal);
            line = normal;
        }
        if !tokenizer.lower {
            return tokenizer.cut(line, buffers, out);
        }
        // Small letters come last: the rule for periods needs to see capitals.
        cased.clear();
        tokenizer.cut(line, buffers, cased);
        normalize::lowercase(cased, out);
    }
}

#[cfg(test)]
mod tests;
