//! Where there is no space between two tokens. Each token says whether it clings to its left or its right neighbour;
//! a space is written where neither does.

use super::quotes::Quotes;
use crate::tokenize::chars::is_unspaced;
use crate::tokenize::{Language, Script};

/// To which side a token clings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cling {
    None,
    Left,
    Right,
    Both,
}

impl Cling {
    fn left(self) -> bool {
        matches!(self, Self::Left | Self::Both)
    }

    fn right(self) -> bool {
        matches!(self, Self::Right | Self::Both)
    }
}

/// Joins the tokens of one line.
pub(super) struct Joiner<'a> {
    language: &'static Language,
    tokens: &'a [&'a str],
}

impl<'a> Joiner<'a> {
    pub(super) fn new(language: &'static Language, tokens: &'a [&'a str]) -> Self {
        Self { language, tokens }
    }

    /// Appends the text.
    pub(super) fn write(&self, out: &mut String) {
        let mut quotes = Quotes::new(self.language, self.tokens);
        let mut clings_right = true;
        let mut after_quote = false;
        for (i, &token) in self.tokens.iter().enumerate() {
            let quote = quotes.cling(i);
            let cling = quote.unwrap_or_else(|| self.cling(i));
            let hyphenated = after_quote && i > 0 && is_hyphenated_tail(token);
            if !clings_right && !cling.left() && !hyphenated && !self.is_unspaced(i) {
                out.push(' ');
            }
            out.push_str(match token {
                "@-@" => "-",
                "@/@" => "/",
                other => other,
            });
            clings_right = cling.right();
            after_quote = quote == Some(Cling::Left) || token == ")";
        }
    }

    /// Whether scripts without spaces meet before token `i`.
    fn is_unspaced(&self, i: usize) -> bool {
        let (last, first) = (self.last_before(i), self.tokens[i].chars().next());
        let (Some(last), Some(first)) = (last, first) else { return false };
        match self.language.script {
            Script::Spaced => is_unspaced(last) && is_unspaced(first),
            _ => [last, first].into_iter().any(|c| is_unspaced(c) || matches!(c, '‐'..='‧')),
        }
    }

    fn cling(&self, i: usize) -> Cling {
        let token = self.tokens[i];
        let mut chars = token.chars();
        let Some(first) = chars.next() else { return Cling::None };
        if token.len() > 2 && token.starts_with('@') && token.ends_with('@') {
            return if matches!(token, "@-@" | "@/@") { Cling::Both } else { Cling::None };
        }
        if first.is_alphanumeric() {
            return if self.ends_entity(i) { Cling::Both } else { Cling::None };
        }
        if chars.next().is_none() {
            return self.cling_of_sign(i, first);
        }
        if token.chars().all(is_closing) { Cling::Left } else { Cling::None }
    }

    fn cling_of_sign(&self, i: usize, sign: char) -> Cling {
        let before_digit = self.first_after(i).is_some_and(|c| c.is_ascii_digit());
        let after_digit = self.last_before(i).is_some_and(|c| c.is_ascii_digit());
        match sign {
            ':' if before_digit && after_digit => Cling::Both,
            ':' if self.tokens.get(i + 1) == Some(&"/") && self.tokens.get(i + 2) == Some(&"/") => {
                Cling::Both
            }
            ';' if i > 1 && self.starts_entity(i - 2) => {
                if self.joins_letters(i - 2, i + 1) {
                    Cling::Both
                } else {
                    Cling::Left
                }
            }
            '?' | '!' | ':' | ';' | '%' if self.language.spaced_before(sign) && !self.follows_sign(i) => {
                Cling::None
            }
            '°' if after_digit && matches!(self.tokens.get(i + 1), Some(&("C" | "F"))) => Cling::Both,
            ',' | '.' | '?' | '!' | ':' | ';' | '%' | '‰' | ')' | ']' | '}' | '°' | '²' | '³' | '™' | '®'
            | '،' | '؛' | '؟' | '।' | '॥' | '۔' | '።' | '፣' | '։' => {
                self.cling_of_closing(i, sign)
            }
            '(' | '[' if self.is_code_before(i) => Cling::Both,
            '(' | '[' | '{' | '¿' | '¡' | '©' => Cling::Right,
            '#' if before_digit => Cling::Right,
            '$' | '£' | '¥' if before_digit => Cling::Right,
            '+' | '€' if before_digit && !after_digit => Cling::Right,
            '½' | '¼' | '¾' if after_digit => Cling::Left,
            '/' | '@' | '_' if self.is_between_words(i) || self.is_in_address(i) => Cling::Both,
            '&' if self.starts_entity(i) => {
                if self.joins_letters(i, i + 3) {
                    Cling::Both
                } else {
                    Cling::Right
                }
            }
            '&' if self.joins_letters(i, i + 1) => Cling::Both,
            _ => Cling::None,
        }
    }

    fn cling_of_closing(&self, i: usize, sign: char) -> Cling {
        let numbered = self.tokens.get(i + 1).is_some_and(|t| t.starts_with('0') && t.len() > 3);
        if sign == ')' && numbered && i > 2 && self.tokens[i - 2] == "(" { Cling::Both } else { Cling::Left }
    }

    /// Whether a bracket at `i` belongs to the code before it: `2001/0042(COD)`, `COM(2003)`, `Article 5(1)`.
    fn is_code_before(&self, i: usize) -> bool {
        if i == 0 {
            return false;
        }
        let (before, after) = (self.tokens[i - 1], self.tokens.get(i + 1).copied().unwrap_or_default());
        let numbered = before.ends_with(|c: char| c.is_ascii_digit());
        let label = after.len() > 1 && after.bytes().all(|b| b.is_ascii_uppercase());
        let digits = after.starts_with(|c: char| c.is_ascii_digit());
        let acronym = before.len() > 1 && before.bytes().all(|b| b.is_ascii_uppercase());
        let clause = self.language.code == "en" && (digits || after.len() == 1);
        numbered && (label || clause) || acronym && digits
    }

    /// Signs that follow each other (`?!`) are not spaced.
    fn follows_sign(&self, i: usize) -> bool {
        self.last_before(i).is_none_or(|c| matches!(c, '?' | '!' | '.' | '…'))
    }

    fn is_between_words(&self, i: usize) -> bool {
        self.last_before(i).is_some_and(char::is_alphanumeric)
            && self.first_after(i).is_some_and(char::is_alphanumeric)
    }

    /// The slashes of `http://`.
    fn is_in_address(&self, i: usize) -> bool {
        let has = |at: Option<usize>, sign: &str| at.is_some_and(|at| self.tokens.get(at) == Some(&sign));
        self.tokens[i] == "/"
            && (has(i.checked_sub(1), ":") && has(Some(i + 1), "/")
                || has(i.checked_sub(2), ":") && has(i.checked_sub(1), "/"))
    }

    /// Whether what stands before `i` ends with a single letter and what starts at `next` begins with one: the sign
    /// of `Q&A` and `Texas-A&M-Team` is set without spaces.
    fn joins_letters(&self, i: usize, next: usize) -> bool {
        let single =
            |part: Option<&str>| part.is_some_and(|p| p.len() == 1 && p.as_bytes()[0].is_ascii_uppercase());
        let before = self.tokens[..i].last().and_then(|t| t.rsplit('-').next());
        let after = self.tokens.get(next).and_then(|t| t.split('-').next());
        single(before) && single(after)
    }

    /// Text with entities of its own (`&amp;`), which the tokeniser has cut in three.
    fn starts_entity(&self, i: usize) -> bool {
        let tokens = &self.tokens[i..];
        tokens.len() > 2 && tokens[0] == "&" && is_entity_name(tokens[1]) && tokens[2] == ";"
    }

    fn ends_entity(&self, i: usize) -> bool {
        i > 0 && self.starts_entity(i - 1)
    }

    fn last_before(&self, i: usize) -> Option<char> {
        self.tokens[..i].last().and_then(|t| t.chars().next_back())
    }

    fn first_after(&self, i: usize) -> Option<char> {
        self.tokens.get(i + 1).and_then(|t| t.chars().next())
    }
}

fn is_entity_name(token: &str) -> bool {
    matches!(token, "amp" | "lt" | "gt" | "quot" | "apos" | "nbsp")
}

fn is_closing(c: char) -> bool {
    matches!(c, ',' | '.' | '?' | '!' | ':' | ';' | '%' | ')' | ']' | '}')
}

/// The second half of `„Stop“-Schild`.
fn is_hyphenated_tail(token: &str) -> bool {
    token.strip_prefix('-').is_some_and(|tail| tail.starts_with(char::is_alphabetic))
}
