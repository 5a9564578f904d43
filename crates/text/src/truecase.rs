//! Truecasing: words that are written with a capital only because they start a sentence get the case they have inside
//! sentences, so that `The` and `the` are one word to the models. The model and the decisions are those of Moses'
//! `train-truecaser.perl` and `truecase.perl`, and its model files are read and written.

use crate::error::{Error, Result};
use crate::lines::Lines;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Signs after which a sentence starts.
fn ends_sentence(token: &str) -> bool {
    matches!(token, "." | ":" | "?" | "!")
}

/// Signs that may stand before the first word of a sentence.
fn delays_start(token: &str) -> bool {
    matches!(token, "(" | "[" | "\"" | "'" | "&apos;" | "&quot;" | "&#91;" | "&#93;")
}

/// Counts in which case words occur inside sentences.
#[derive(Debug, Default)]
pub struct Trainer {
    forms: BTreeMap<String, FxHashMap<Box<str>, u64>>,
}

impl Trainer {
    /// Counts the words of one line of tokens, except the first of each sentence.
    pub fn add(&mut self, line: &str) {
        let mut starts = true;
        let mut last = "";
        for token in line.split_whitespace().skip_while(|token| delays_start(token)) {
            let first = starts || ends_sentence(last);
            starts = false;
            last = token;
            let has_case = token.chars().any(|c| c.is_lowercase() || c.is_uppercase());
            if first || !has_case {
                continue;
            }
            let forms = self.forms.entry(token.to_lowercase()).or_default();
            match forms.get_mut(token) {
                Some(count) => *count += 1,
                None => _ = forms.insert(token.into(), 1),
            }
        }
    }

    /// Writes the model: a line for each word, `Form (count/all) OtherForm (count) ...`, the most frequent form
    /// first; of equally frequent forms the one in small letters.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        for forms in self.forms.values() {
            let mut forms: Vec<(&str, u64)> = forms.iter().map(|(form, &count)| (&**form, count)).collect();
            forms.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(b.0.cmp(a.0)));
            let total: u64 = forms.iter().map(|(_, count)| count).sum();
            line.clear();
            for (i, (form, count)) in forms.iter().enumerate() {
                let written = match i {
                    0 => write!(line, "{form} ({count}/{total})"),
                    _ => write!(line, " {form} ({count})"),
                };
                written.expect("a string takes all that is written to it");
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    /// The model.
    pub fn finish(&self) -> Truecaser {
        let mut model = Truecaser::default();
        for (lower, forms) in &self.forms {
            let best = forms.iter().max_by(|a, b| a.1.cmp(b.1).then(a.0.cmp(b.0)));
            if let Some((best, _)) = best {
                model.best.insert(lower.as_str().into(), best.clone());
            }
            model.known.extend(forms.keys().cloned());
        }
        model
    }
}

/// A truecasing model: the most frequent form of each word, and all forms seen. Read-only and shared by threads.
#[derive(Debug, Default)]
pub struct Truecaser {
    best: FxHashMap<Box<str>, Box<str>>,
    known: FxHashSet<Box<str>>,
}

impl Truecaser {
    /// Reads a model file, Moses' own or one that [`Trainer::write`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Lines::open(path)?)
    }

    /// Reads a model from lines.
    pub fn read<R: BufRead>(mut lines: Lines<R>) -> Result<Self> {
        let mut model = Self::default();
        loop {
            let Some(line) = lines.next_line()? else { return Ok(model) };
            if let Err(bad) = model.add(line) {
                let message = format!(
                    "expected a count in brackets, found `{bad}`; lines of a truecasing model are `Form (count/all) OtherForm (count) ...`"
                );
                return Err(Error::Malformed { place: lines.place(), message });
            }
        }
    }

    /// Adds one line of a model file; the error is the field that should have been a count.
    fn add<'l>(&mut self, line: &'l str) -> std::result::Result<(), &'l str> {
        let mut fields = line.split_whitespace();
        let mut first = true;
        while let Some(form) = fields.next() {
            match fields.next() {
                Some(count) if !count.starts_with('(') || !count.ends_with(')') => return Err(count),
                _ => {}
            }
            if first {
                self.best.insert(form.to_lowercase().into(), form.into());
            }
            first = false;
            self.known.insert(form.into());
        }
        Ok(())
    }

    /// Appends a line of tokens in their true case. The first word of a sentence gets its most frequent form; another
    /// word keeps its form if that was seen in training, and gets the most frequent one if not. What follows a `|`
    /// (Moses' factors) stays as it is.
    pub fn truecase(&self, line: &str, out: &mut String) {
        let mut starts = true;
        for (i, token) in line.split_whitespace().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            let end = token.find('|').filter(|&at| at > 0).unwrap_or(token.len());
            let (word, factors) = token.split_at(end);
            out.push_str(self.form(word, starts));
            out.push_str(factors);
            starts = ends_sentence(word) || starts && delays_start(word);
        }
    }

    /// Whether a word was seen inside of sentences, in whatever case.
    pub fn knows(&self, word: &str) -> bool {
        self.known.contains(word) || self.best.contains_key(word.to_lowercase().as_str())
    }

    fn form<'w>(&'w self, word: &'w str, starts: bool) -> &'w str {
        if !starts && self.known.contains(word) {
            return word;
        }
        self.best.get(word.to_lowercase().as_str()).map_or(word, |best| best)
    }
}

/// Appends a line of tokens with a capital at the start of each sentence: what undoes truecasing for a reader.
pub fn recase(line: &str, out: &mut String) {
    let mut starts = true;
    for (i, token) in line.split_whitespace().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        let mut rest = token.chars();
        match rest.next() {
            Some(first) if starts => {
                out.extend(first.to_uppercase());
                out.push_str(rest.as_str());
            }
            _ => out.push_str(token),
        }
        starts = ends_sentence(token) || starts && delays_start(token);
    }
}

/// Signs that quote what follows or what stands before.
fn is_quote(token: &str) -> bool {
    matches!(
        token,
        "\"" | "'"
            | "''"
            | "``"
            | "&quot;"
            | "&apos;"
            | "\u{201c}"
            | "\u{201d}"
            | "\u{201e}"
            | "\u{ab}"
            | "\u{bb}"
            | "\u{2018}"
            | "\u{2019}"
            | "\u{201a}"
    )
}

/// Appends a line of tokens, which is a translation of a source line, with the capitals that a reader expects: at the begin of each
/// sentence, also in quotes, but not after a colon without a quote, and after a closed quote only if the source has one there. A
/// word that begins with a capital inside of a sentence, but was seen by the model of its language only at the begin of sentences,
/// gets a small letter, unless a word of the source with a capital looks like it.
pub fn recase_translation(line: &str, source: &str, truecaser: Option<&Truecaser>, out: &mut String) {
    let source: Vec<&str> = source.split_whitespace().collect();
    let has_capital = |word: &str| word.starts_with(char::is_uppercase);
    let resumes = source.windows(3).any(|w| ends_sentence(w[0]) && is_quote(w[1]) && has_capital(w[2]));
    let (mut starts, mut quoted, mut before) = (true, 0usize, "");
    for (i, token) in line.split_whitespace().enumerate() {
        out.push_str(if i > 0 { " " } else { "" });
        if is_quote(token) {
            // A quote that follows the end of a sentence within quotes closes them.
            let closes = quoted % 2 == 1;
            quoted += 1;
            starts = match (closes, before) {
                (true, _) => starts && resumes,
                (false, ":") => true,
                (false, _) => starts,
            };
            out.push_str(token);
        } else {
            match (starts, seen_only_at_the_begin(token, truecaser, &source)) {
                (true, _) => change_first(token, |c| c.to_uppercase().collect(), out),
                (false, true) => change_first(token, |c| c.to_lowercase().collect(), out),
                _ => out.push_str(token),
            }
            starts = matches!(token, "." | "?" | "!") || starts && delays_start(token);
        }
        before = token;
    }
}

fn change_first(token: &str, change: impl Fn(char) -> String, out: &mut String) {
    let mut rest = token.chars();
    if let Some(first) = rest.next() {
        out.push_str(&change(first));
        out.push_str(rest.as_str());
    }
}

/// Whether a word has its capital only from the begin of training sentences.
fn seen_only_at_the_begin(token: &str, truecaser: Option<&Truecaser>, source: &[&str]) -> bool {
    let Some(truecaser) = truecaser else { return false };
    let mut letters = token.chars();
    let capital = letters.next().is_some_and(char::is_uppercase);
    if !capital || token.chars().count() < 2 || !letters.all(char::is_lowercase) || truecaser.knows(token) {
        return false;
    }
    let first = |word: &str| word.chars().next();
    let shared = |other: &str| token.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    !source.iter().any(|other| first(other) == first(token) && 2 * shared(other) >= token.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trained(lines: &[&str]) -> Trainer {
        let mut trainer = Trainer::default();
        lines.iter().for_each(|line| trainer.add(line));
        trainer
    }

    #[test]
    fn capitals_stand_where_a_reader_expects_them() {
        let model = trained(&["he sees the dog .", "and he sleeps here ."]).finish();
        let cased = |line: &str, source: &str| {
            let mut out = String::new();
            recase_translation(line, source, Some(&model), &mut out);
            out
        };
        assert_eq!(cased("he sleeps with Unfortunately the dog", ""), "He sleeps with unfortunately the dog");
        assert_eq!(cased("he sees Munich", "er sieht M\u{fc}nchen"), "He sees munich");
        assert_eq!(cased("he sees Berlin", "er sieht Berlin"), "He sees Berlin");
        assert_eq!(
            cased("he says : \" the dog sleeps ! \" he sees it .", ""),
            "He says : \" The dog sleeps ! \" he sees it ."
        );
        let source = "Er sagt : \" Schlaf ! \" Dann geht er .";
        assert_eq!(
            cased("he says : \" sleep ! \" then he goes .", source),
            "He says : \" Sleep ! \" Then he goes ."
        );
        assert_eq!(cased("he sees this : the dog . and sleeps", ""), "He sees this : the dog . And sleeps");
    }

    fn truecased(model: &Truecaser, line: &str) -> String {
        let mut out = String::new();
        model.truecase(line, &mut out);
        out
    }

    fn recased(line: &str) -> String {
        let mut out = String::new();
        recase(line, &mut out);
        out
    }

    const TEXT: &[&str] = &[
        "The bank lends money to Anna .",
        "Anna saw the river . The river saw Anna .",
        "Yesterday the NATO met ; the Nato agreed , the NATO left .",
    ];

    #[test]
    fn the_first_word_of_a_sentence_gets_its_usual_case() {
        let model = trained(TEXT).finish();
        assert_eq!(
            truecased(&model, "The bank . Anna left . \" The end"),
            "the bank . Anna left . \" the end"
        );
    }

    #[test]
    fn inside_a_sentence_a_form_that_was_seen_stays() {
        let model = trained(TEXT).finish();
        assert_eq!(
            truecased(&model, "the Nato and the NATO and the nato"),
            "the Nato and the NATO and the NATO"
        );
    }

    #[test]
    fn unknown_words_and_factors_stay() {
        let model = trained(TEXT).finish();
        assert_eq!(truecased(&model, "Zorro|NNP The|DT | x"), "Zorro|NNP the|DT | x");
    }

    #[test]
    fn the_first_words_of_sentences_do_not_count() {
        let mut model = Vec::new();
        trained(&["\" House rules : House is big . House"]).write(&mut model).unwrap();
        assert_eq!(String::from_utf8(model).unwrap(), "big (1/1)\nis (1/1)\nrules (1/1)\n");
    }

    #[test]
    fn a_written_model_is_read_back() {
        let trainer = trained(TEXT);
        let mut file = Vec::new();
        trainer.write(&mut file).unwrap();
        assert!(String::from_utf8_lossy(&file).contains("NATO (2/3) Nato (1)\n"));
        let read = Truecaser::read(Lines::new("model", file.as_slice())).unwrap();
        let model = trainer.finish();
        assert_eq!((read.best, read.known), (model.best, model.known));
    }

    #[test]
    fn a_file_that_is_no_model_is_an_error_with_its_line() {
        let text = "the (3/3)\nThis is plain text .\n";
        let error = Truecaser::read(Lines::new("model", text.as_bytes())).unwrap_err().to_string();
        assert!(error.starts_with("model:2: expected a count in brackets, found `is`"), "{error}");
    }

    #[test]
    fn recasing_gives_each_sentence_a_capital() {
        assert_eq!(recased("( the end . &quot; élan ! and so"), "( The end . &quot; Élan ! And so");
    }

    proptest! {
        #[test]
        fn truecasing_changes_nothing_but_case(line in "[a-cA-C.:!()\"éÉ ]{0,40}") {
            let model = trained(&[line.as_str(), "x b C aB É ."]).finish();
            let plain = line.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(truecased(&model, &line).to_lowercase(), plain.to_lowercase());
        }

        #[test]
        fn truecasing_twice_is_truecasing_once(line in "[a-cA-C.:!()\"éÉ ]{0,40}") {
            let model = trained(&[line.as_str(), "x b C aB É ."]).finish();
            let once = truecased(&model, &line);
            prop_assert_eq!(truecased(&model, &once), once);
        }
    }
}
