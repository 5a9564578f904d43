//! Tokens of languages that write no spaces between words: runs of their characters are cut with a dictionary, each of their signs is a token, and runs of anything else (Latin words, numbers, addresses) are cut by
//! the rules for languages with spaces, so that `3.5` and `e-mail` stay whole.

use super::chars::{self, Class};
use super::language::LanguageError;
use super::spaced::{Buffers, Spaced};
use std::fmt;

/// Cuts a run of characters into words, which it hands on.
type Cut = Box<dyn Fn(&str, &mut dyn FnMut(&str)) + Send + Sync>;

/// A dictionary with the search that cuts a run of characters into its words.
pub(crate) struct Dictionary {
    language: &'static str,
    /// Whether a character is of its script.
    is_own: fn(char) -> bool,
    cut: Cut,
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.language)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Sign,
    Other,
}

impl Kind {
    fn of(c: char, is_own: fn(char) -> bool) -> Self {
        match c {
            '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => Self::Other,
            _ if !is_own(c) || c.is_whitespace() => Self::Other,
            _ if Class::of(c).is_word() || is_tsheg(c) => Self::Word,
            _ => Self::Sign,
        }
    }
}

impl Dictionary {
    /// Jieba's dictionary; words it does not have are guessed by its hidden Markov model.
    #[cfg(feature = "chinese")]
    pub(crate) fn chinese() -> Result<Self, LanguageError> {
        let jieba = jieba_rs::Jieba::new();
        let cut: Cut = Box::new(move |run, each| {
            jieba.cut(run, true).into_iter().for_each(|token| each(token.word));
        });
        Ok(Self { language: "Chinese", is_own: chars::is_cjk, cut })
    }

    #[cfg(not(feature = "chinese"))]
    pub(crate) fn chinese() -> Result<Self, LanguageError> {
        Err(LanguageError::LeftOut { language: "Chinese", feature: "chinese" })
    }

    /// ICU's dictionary and the closed classes of the language.
    #[cfg(feature = "segmenter")]
    pub(crate) fn japanese() -> Result<Self, LanguageError> {
        let japanese = super::japanese::Japanese::new();
        let cut: Cut = Box::new(move |run, each| japanese.words(run, each));
        Ok(Self { language: "Japanese", is_own: chars::is_cjk, cut })
    }

    #[cfg(not(feature = "segmenter"))]
    pub(crate) fn japanese() -> Result<Self, LanguageError> {
        Err(LanguageError::LeftOut { language: "Japanese", feature: "segmenter" })
    }

    /// ICU's dictionaries of Thai, Khmer, Lao and Burmese.
    #[cfg(feature = "segmenter")]
    pub(crate) fn southeast_asian(language: &'static str) -> Result<Self, LanguageError> {
        use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};
        let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
        let cut: Cut = Box::new(move |run, each| {
            let mut start = 0;
            for end in segmenter.segment_str(run).filter(|&end| end > 0) {
                each(&run[start..end]);
                start = end;
            }
        });
        Ok(Self { language, is_own: chars::is_southeast_asian, cut })
    }

    #[cfg(not(feature = "segmenter"))]
    pub(crate) fn southeast_asian(language: &'static str) -> Result<Self, LanguageError> {
        Err(LanguageError::LeftOut { language, feature: "segmenter" })
    }

    /// No dictionary: each syllable ends with a sign, which stays with it.
    pub(crate) fn tibetan() -> Self {
        let cut: Cut = Box::new(|run, each| run.split_inclusive(is_tsheg).for_each(each));
        Self { language: "Tibetan", is_own: chars::is_tibetan, cut }
    }

    /// Appends the tokens of `line`, separated by single spaces.
    pub(crate) fn tokenize(&self, line: &str, spaced: &Spaced, buffers: &mut Buffers, out: &mut String) {
        let start = out.len();
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let kind = Kind::of(first, self.is_own);
            let end = match kind {
                Kind::Sign => rest.find(|c| c != first),
                _ => rest.find(|c| Kind::of(c, self.is_own) != kind),
            };
            let (run, tail) = rest.split_at(end.unwrap_or(rest.len()));
            rest = tail;
            match kind {
                Kind::Word => (self.cut)(run, &mut |word| push(word, start, out)),
                Kind::Sign => push(run, start, out),
                Kind::Other if run.trim().is_empty() => {}
                Kind::Other => {
                    push("", start, out);
                    spaced.tokenize(run, buffers, out);
                }
            }
        }
    }
}

/// The sign that ends a syllable of Tibetan.
fn is_tsheg(c: char) -> bool {
    matches!(c, '\u{0F0B}' | '\u{0F0C}')
}

fn push(token: &str, start: usize, out: &mut String) {
    if out.len() > start {
        out.push(' ');
    }
    out.push_str(token);
}
