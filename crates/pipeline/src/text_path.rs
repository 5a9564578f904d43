//! Between raw text and the words that models see: tokenising and casing on the way in, putting words together again on
//! the way out. Training and translation use the same code, so that a model meets the words it learnt.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use treeglot_text::bitext::Skipped;
use treeglot_text::detokenize::{self, Detokenizer};
use treeglot_text::filter_lines;
use treeglot_text::tokenize::{self, Tokenizer};
use treeglot_text::truecase::{Trainer, Truecaser, recase_translation};
use treeglot_text::{Lines, Output, normalize};

/// What is done to the text of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TextSettings {
    /// The language.
    pub language: String,
    /// Text is raw: cut it into words, and put output together again.
    pub tokenize: bool,
    /// The first word of a sentence gets its usual form, and a capital in output.
    pub truecase: bool,
    /// Everything is written in lower case.
    pub lowercase: bool,
}

/// From the text of one language to words and back. Read-only: threads share it, each with a [`TextWorker`].
pub struct TextPath {
    tokenizer: Option<Tokenizer>,
    detokenizer: Option<Detokenizer>,
    truecaser: Option<Truecaser>,
    settings: TextSettings,
}

/// A thread's buffers.
pub struct TextWorker<'s> {
    path: &'s TextPath,
    tokenizer: Option<tokenize::Worker<'s>>,
    detokenizer: Option<detokenize::Worker<'s>>,
    tokens: String,
    lower: String,
}

impl TextPath {
    /// The path with a truecasing model where the settings ask for one; while that is being trained, there
    /// is none yet.
    pub fn new(settings: &TextSettings, truecaser: Option<Truecaser>) -> Result<Self> {
        let unknown = |error: tokenize::LanguageError| Error::Invalid(error.to_string());
        let language = &settings.language;
        let (mut tokenizer, mut detokenizer) = (None, None);
        if settings.tokenize {
            let cut = tokenize::Options { escape: false, nfc: true, ..tokenize::Options::default() };
            let join = detokenize::Options { unescape: false, recase: false };
            tokenizer = Some(Tokenizer::new(language, cut).map_err(unknown)?);
            detokenizer = Some(Detokenizer::new(language, join).map_err(unknown)?);
        }
        Ok(Self { tokenizer, detokenizer, truecaser, settings: settings.clone() })
    }

    /// Whether text is raw, and cut into words here.
    pub fn cuts_words(&self) -> bool {
        self.settings.tokenize
    }

    /// A worker for one thread.
    pub fn worker(&self) -> TextWorker<'_> {
        TextWorker {
            path: self,
            tokenizer: self.tokenizer.as_ref().map(Tokenizer::worker),
            detokenizer: self.detokenizer.as_ref().map(Detokenizer::worker),
            tokens: String::new(),
            lower: String::new(),
        }
    }

    /// The words of these lines, as models see them.
    pub fn words(&self) -> impl FnMut(&str) -> String + '_ {
        let mut worker = self.worker();
        move |line| {
            let mut words = String::new();
            worker.words(line, &mut words);
            words
        }
    }

    /// Writes the words of each line of a file. With `skip_bad`, lines that cannot be read become empty ones, which are
    /// counted.
    pub fn words_of(&self, from: &Path, to: &Path, threads: usize, skip_bad: bool) -> Result<Skipped> {
        let mut out = Output::create(to)?;
        let worker = || {
            let mut worker = self.worker();
            move |line: &str, out: &mut String| worker.words(line, out)
        };
        let mut workers: Vec<_> = (0..threads.max(1)).map(|_| worker()).collect();
        let skipped = filter_lines(&mut Lines::open(from)?, &mut out, &mut workers, skip_bad)?;
        out.finish()?;
        Ok(skipped)
    }
}

impl TextWorker<'_> {
    /// Whether text is raw, and cut into words here.
    pub fn cuts_words(&self) -> bool {
        self.path.cuts_words()
    }

    /// Appends the words of a line, separated by blanks, in the case they are written in.
    pub fn tokens(&mut self, line: &str, out: &mut String) {
        let start = out.len();
        match &mut self.tokenizer {
            Some(tokenizer) => tokenizer.tokenize(line, out),
            None => line.split_ascii_whitespace().for_each(|word| {
                out.push_str(if out.len() == start { "" } else { " " });
                out.push_str(word);
            }),
        }
    }

    /// Appends the words of a line, separated by blanks, as models see them.
    pub fn words(&mut self, line: &str, out: &mut String) {
        let mut tokens = std::mem::take(&mut self.tokens);
        tokens.clear();
        self.tokens(line, &mut tokens);
        self.cased(&tokens, out);
        self.tokens = tokens;
    }

    /// Appends words in the case in which models see them.
    pub fn cased(&mut self, tokens: &str, out: &mut String) {
        let mut tokens = tokens;
        if self.path.settings.lowercase {
            self.lower.clear();
            normalize::lowercase(tokens, &mut self.lower);
            tokens = &self.lower;
        }
        match &self.path.truecaser {
            Some(truecaser) => truecaser.truecase(tokens, out),
            None => out.push_str(tokens),
        }
    }

    /// Appends the text that these words stand for, as people read it. `source` are the words it is a translation of, as they are
    /// written: a capital inside of a sentence that only the begin of training sentences had goes, unless it is a name of theirs.
    pub fn text(&mut self, words: &str, source: &str, out: &mut String) {
        self.tokens.clear();
        if self.path.settings.truecase {
            let nouns_are_small = !matches!(self.path.settings.language.as_str(), "de" | "lb");
            let truecaser = self.path.truecaser.as_ref().filter(|_| nouns_are_small);
            recase_translation(words, source, truecaser, &mut self.tokens);
        } else {
            self.tokens.push_str(words);
        }
        match &mut self.detokenizer {
            Some(detokenizer) => detokenizer.detokenize(&self.tokens, out),
            None => out.push_str(&self.tokens),
        }
    }
}

/// Trains a truecasing model from words, one sentence a line, and writes it.
pub fn train_truecaser(words: &Path, to: &Path) -> Result<()> {
    let mut trainer = Trainer::default();
    let mut lines = Lines::open(words)?;
    while let Some(line) = lines.next_line()? {
        trainer.add(line);
    }
    let mut out = Output::create(to)?;
    trainer.write(&mut out).map_err(|source| out.error(source))?;
    Ok(out.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(tokenize: bool, truecase: bool, lowercase: bool) -> TextSettings {
        TextSettings { language: "en".into(), tokenize, truecase, lowercase }
    }

    fn words(path: &TextPath, line: &str) -> String {
        let mut out = String::new();
        path.worker().words(line, &mut out);
        out
    }

    #[test]
    fn raw_text_comes_back_after_both_ways() {
        let dir = tempfile::tempdir().unwrap();
        let (text, model) = (dir.path().join("text"), dir.path().join("model"));
        std::fs::write(&text, "He sees the house .\nSee , the house is Peter 's .\nAnd the dog .\n").unwrap();
        train_truecaser(&text, &model).unwrap();
        let truecaser = Truecaser::open(&model).unwrap();
        let path = TextPath::new(&settings(true, true, false), Some(truecaser)).unwrap();
        let inside = words(&path, "The dog sees Peter's house [1].");
        assert_eq!(inside, "the dog sees Peter 's house [ 1 ] .");
        let mut out = String::new();
        path.worker().text(&inside, "", &mut out);
        assert_eq!(out, "The dog sees Peter's house [1].");
    }

    #[test]
    fn words_are_left_alone_where_nothing_is_asked() {
        let path = TextPath::new(&settings(false, false, false), None).unwrap();
        assert_eq!(words(&path, "  The &apos;  dog.\t"), "The &apos; dog.");
        let lower = TextPath::new(&settings(false, false, true), None).unwrap();
        assert_eq!(words(&lower, "The Dog."), "the dog.");
    }

    #[test]
    fn an_unknown_language_is_an_error_only_where_text_is_cut() {
        let mut unknown = settings(true, false, false);
        unknown.language = "xx".into();
        assert!(TextPath::new(&unknown, None).is_err());
        unknown.tokenize = false;
        assert!(TextPath::new(&unknown, None).is_ok());
    }
}
