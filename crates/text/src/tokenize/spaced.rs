//! Tokens of languages that write spaces between words. The rules are those of Moses' `tokenizer.perl` (version 1.1),
//! written as one scan over the characters, the cuts at apostrophes, and one pass over the words for periods.

use super::apostrophe;
use super::chars::{Class, extends, is_junk};
use super::escape::escape;
use super::glottal;
use super::language::{Glottal, Language};
use super::prefixes::{Keeps, Prefixes};

/// The tokeniser's rules for one language.
#[derive(Debug)]
pub(crate) struct Spaced {
    pub(crate) language: &'static Language,
    pub(crate) prefixes: Prefixes,
    pub(crate) split_hyphens: bool,
    pub(crate) escape: bool,
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    text: String,
    spare: String,
    mended: String,
}

impl Spaced {
    /// Appends the tokens of `line`, separated by single spaces.
    pub(crate) fn tokenize(&self, line: &str, buffers: &mut Buffers, out: &mut String) {
        let Buffers { text, spare, mended } = buffers;
        let mut line = line;
        if self.language.glottal != Glottal::AsItIs && glottal::has_sign(line) {
            glottal::mend(self.language.glottal, line, mended);
            line = mended;
        }
        text.clear();
        if line.contains(is_junk) {
            spare.clear();
            spare.extend(line.chars().filter(|&c| !is_junk(c)));
            Scanner::new(self, spare.trim(), text).run();
        } else {
            Scanner::new(self, line.trim(), text).run();
        }
        if memchr::memchr(b'\'', text.as_bytes()).is_some() {
            apostrophe::cut(self.language.apostrophe, text, spare);
        }
        self.words(text, out);
    }

    /// Writes the words of `text`, with the periods cut off that are no part of them.
    fn words(&self, text: &str, out: &mut String) {
        let mut words = text.split(' ').filter(|w| !w.is_empty()).peekable();
        let start = out.len();
        while let Some(word) = words.next() {
            let (body, period, quote) = self.cut_end(word, words.peek().copied());
            for token in [body, period, quote] {
                if token.is_empty() {
                    continue;
                }
                if out.len() > start {
                    out.push(' ');
                }
                if self.escape { escape(token, out) } else { out.push_str(token) }
            }
        }
    }

    /// The word, and the period and closing quote at its end that are tokens of their own.
    fn cut_end<'w>(&self, word: &'w str, next: Option<&str>) -> (&'w str, &'w str, &'w str) {
        if next.is_none() && word.ends_with(".'") {
            let (body, end) = word.split_at(word.len() - 2);
            return (body, &end[..1], &end[1..]);
        }
        let Some(body) = word.strip_suffix('.') else { return (word, "", "") };
        if body.is_empty() || body.ends_with('.') || self.keeps_period(body, next) {
            return (word, "", "");
        }
        (body, ".", "")
    }

    fn keeps_period(&self, word: &str, next: Option<&str>) -> bool {
        let Some(next) = next.and_then(|n| n.chars().next()) else { return false };
        if next.is_lowercase() {
            return true;
        }
        match self.prefixes.get(word) {
            Some(Keeps::Always) => true,
            Some(Keeps::BeforeNumber) if next.is_ascii_digit() => true,
            _ => word.contains('.') && word.chars().any(|c| Class::of(c).is_alpha()),
        }
    }
}

/// The scan over the characters of one line: spaces around everything that is neither letter nor digit, except the
/// signs that later rules decide on (`.` `'` `` ` `` `-`) and commas inside numbers.
struct Scanner<'a> {
    rules: &'a Spaced,
    line: &'a str,
    /// Where the characters that are copied as they are begin.
    pending: usize,
    out: &'a mut String,
}

impl<'a> Scanner<'a> {
    fn new(rules: &'a Spaced, line: &'a str, out: &'a mut String) -> Self {
        Self { rules, line, pending: 0, out }
    }

    fn run(mut self) {
        let mut at = 0;
        let bytes = self.line.as_bytes();
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            at = self.step(at);
        }
        self.flush(at);
    }

    /// Handles the character at `at`, which is no ASCII letter or digit, and returns where the next one is.
    fn step(&mut self, at: usize) -> usize {
        let c =
            self.line[at..].chars().next().expect("the scan stops at character boundaries within the line");
        let end = at + c.len_utf8();
        match c {
            '.' => {
                let dots = self.line[at..].bytes().take_while(|&b| b == b'.').count();
                if dots == 1 { end } else { self.separate(at, at + dots) }
            }
            '\'' | '`' => end,
            ',' if self.joins_digits(at) => end,
            '-' if self.rules.split_hyphens && self.joins_words(at) => {
                self.flush(at);
                self.out.push_str(" @-@ ");
                self.pending = end;
                end
            }
            '-' => end,
            _ if Class::of(c).is_word() => end,
            _ if c.is_whitespace() => {
                self.flush(at);
                self.out.push(' ');
                self.pending = end;
                end
            }
            _ if self.rules.language.inner_sign == Some(c)
                && self.after(end).is_some_and(char::is_lowercase) =>
            {
                end
            }
            _ => {
                let marks: usize =
                    self.line[end..].chars().take_while(|&c| extends(c)).map(char::len_utf8).sum();
                self.separate(at, end + marks)
            }
        }
    }

    /// Makes a token of its own of what stands between `at` and `end`.
    fn separate(&mut self, at: usize, end: usize) -> usize {
        self.flush(at);
        self.out.push(' ');
        self.out.push_str(&self.line[at..end]);
        self.out.push(' ');
        self.pending = end;
        end
    }

    fn flush(&mut self, to: usize) {
        self.out.push_str(&self.line[self.pending..to]);
        self.pending = to;
    }

    fn before(&self, at: usize) -> Option<char> {
        self.line[..at].chars().next_back()
    }

    fn after(&self, end: usize) -> Option<char> {
        self.line[end..].chars().next()
    }

    /// Whether the comma at `at` is inside a number, as in `5,300`, or starts the line before one.
    fn joins_digits(&self, at: usize) -> bool {
        let is_number = |c| Class::of(c).is_number();
        self.before(at).is_none_or(is_number) && self.after(at + 1).is_some_and(is_number)
    }

    /// Whether the hyphen at `at` stands between letters or digits.
    fn joins_words(&self, at: usize) -> bool {
        let is_word = |c| Class::of(c).is_word();
        self.before(at).is_some_and(is_word) && self.after(at + 1).is_some_and(is_word)
    }
}
