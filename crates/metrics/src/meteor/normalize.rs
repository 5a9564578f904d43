//! METEOR's own tokeniser (its option `-norm`): Moses' rules of 2010 with lossy additions that let systems match in
//! spite of quotes, dashes and dots in abbreviations. Each step is a substitution from left to right without overlap,
//! so their order matters.

use treeglot_text::tokenize::{Apostrophe, Keeps, Prefixes};

/// What the tokeniser must know of a language.
#[derive(Debug, Clone)]
pub struct Normalizer {
    /// The abbreviations that keep their period.
    pub prefixes: Prefixes,
    /// Whether contractions are cut before or after the apostrophe.
    pub apostrophe: Apostrophe,
}

fn is_alpha(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z'
        | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ž'
        | '\u{400}'..='\u{527}'
        | '\u{a640}'..='\u{a66e}' | '\u{a67e}'..='\u{a697}'
        | '\u{1d00}'..='\u{1d7f}')
}

fn is_alnum(c: char) -> bool {
    c.is_ascii_digit() || is_alpha(c)
}

/// White space as Java's regular expressions have it.
fn is_java_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// What separates words when lines are cut.
fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn is_wide_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// The words of a line that needs no normalisation.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_separator).filter(|word| !word.is_empty())
}

impl Normalizer {
    /// The tokens of a line, separated by spaces.
    pub fn normalize(&self, line: &str) -> String {
        let text = separate(&format!(" {line} "));
        let text = escape_dots(&text);
        let text = commas(&text);
        let text = text.replace(['`', '‘', '’'], "'");
        let text = text.replace(['“', '”'], " \" ").replace("''", " \" ");
        let text = text.replace('–', "-").replace("--", "-");
        let before_dash = |c: char| is_alnum(c) || c == '.';
        let text = triples(&text, before_dash, '-', is_alnum, " ");
        let text = self.dots(&self.apostrophes(&text));
        let words: Vec<&str> = text.split(is_wide_space).filter(|word| !word.is_empty()).collect();
        unescape_dots(&words.join(" "))
    }

    fn apostrophes(&self, text: &str) -> String {
        let not_alpha = |c: char| !is_alpha(c);
        match self.apostrophe {
            Apostrophe::StartsWord => {
                let text = triples(text, not_alpha, '\'', not_alpha, " ' ");
                let text = triples(&text, |c| !is_alnum(c), '\'', is_alpha, " ' ");
                let text = triples(&text, is_alpha, '\'', not_alpha, " ' ");
                let text = triples(&text, is_alpha, '\'', is_alpha, " '");
                triples(&text, |c| c.is_ascii_digit(), '\'', |c| c == 's', " '")
            }
            Apostrophe::EndsWord => {
                let text = triples(text, not_alpha, '\'', not_alpha, " ' ");
                let text = triples(&text, not_alpha, '\'', is_alpha, " ' ");
                let text = triples(&text, is_alpha, '\'', not_alpha, " ' ");
                triples(&text, is_alpha, '\'', is_alpha, "' ")
            }
            Apostrophe::Alone | Apostrophe::Letter => text.replace('\'', " ' "),
        }
    }

    /// Cuts periods off words, but for abbreviations; those with inner periods lose them (`U.S.` becomes `US`).
    fn dots(&self, text: &str) -> String {
        let words: Vec<&str> = words(text).collect();
        let mut out = String::with_capacity(text.len() + 8);
        for (ix, &word) in words.iter().enumerate() {
            let next = words.get(ix + 1).and_then(|word| word.chars().next());
            match word.strip_suffix('.') {
                None | Some("") => out.push_str(word),
                Some(stem) if stem.contains('.') && stem.contains(is_alpha) => {
                    out.extend(word.chars().filter(|&c| c != '.'));
                }
                Some(stem) if self.keeps_period(stem, next) => out.push_str(word),
                Some(stem) => {
                    out.push_str(stem);
                    out.push_str(" .");
                }
            }
            out.push(' ');
        }
        out
    }

    fn keeps_period(&self, stem: &str, next: Option<char>) -> bool {
        let listed = self.prefixes.get(stem);
        listed == Some(Keeps::Always)
            || next.is_some_and(|c| c.is_ascii_lowercase())
            || (listed == Some(Keeps::BeforeNumber) && next.is_some_and(|c| c.is_ascii_digit()))
    }
}

/// Puts spaces around what is neither letter, digit nor a sign with rules of its own.
fn separate(text: &str) -> String {
    let own_rules = |c: char| matches!(c, '.' | '\'' | '`' | ',' | '-' | '‘' | '’');
    crate::tokenize::spaced(text, |c| !is_alnum(c) && !is_java_space(c) && !own_rules(c))
}

/// Commas, except within numbers.
fn commas(text: &str) -> String {
    let digit = |c: char| c.is_ascii_digit();
    let no_digit = |c: char| !c.is_ascii_digit();
    let text = triples(text, no_digit, ',', no_digit, " , ");
    let text = triples(&text, digit, ',', no_digit, " , ");
    triples(&text, no_digit, ',', digit, " , ")
}

/// Replaces `middle` by `by` between characters of two kinds. A neighbour belongs to one match only.
fn triples(
    text: &str,
    before: impl Fn(char) -> bool,
    middle: char,
    after: impl Fn(char) -> bool,
    by: &str,
) -> String {
    if !text.contains(middle) {
        return text.to_string();
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        if rest.len() > 2 && rest[1] == middle && before(rest[0]) && after(rest[2]) {
            out.push(rest[0]);
            out.push_str(by);
            out.push(rest[2]);
            at += 3;
        } else {
            out.push(rest[0]);
            at += 1;
        }
    }
    out
}

/// A run of dots as a word that no later rule touches: private characters, one a dot.
fn escape_dots(text: &str) -> String {
    if !text.contains("..") {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(start) = rest.find("..") {
        let run = rest[start..].bytes().take_while(|&byte| byte == b'.').count();
        out.push_str(&rest[..start]);
        out.push(' ');
        out.extend(std::iter::repeat_n(ESCAPED_DOT, run));
        out.push(' ');
        rest = &rest[start + run..];
    }
    out.push_str(rest);
    out
}

const ESCAPED_DOT: char = '\u{e000}';

fn unescape_dots(text: &str) -> String {
    text.replace(ESCAPED_DOT, ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_text::tokenize::Language;

    fn normalize(language: &str, line: &str) -> String {
        let language = Language::find(language).unwrap();
        let normalizer = Normalizer { prefixes: Prefixes::of(language), apostrophe: language.apostrophe };
        normalizer.normalize(line)
    }

    #[test]
    fn quotes_dashes_and_dotted_abbreviations_are_made_equal() {
        assert_eq!(
            normalize("en", "“Yes,” said the U.S.-based firm – well-known..."),
            "\" Yes , \" said the US based firm - well known ..."
        );
        assert_eq!(
            normalize("en", "the U.S. army, 1,000.5 men; ``so''"),
            "the US army , 1,000.5 men ; \" so \""
        );
    }

    #[test]
    fn contractions_are_cut_by_the_rules_of_the_language() {
        assert_eq!(
            normalize("en", "It isn't the 1990's dogs' Dr. Who's."),
            "It isn 't the 1990 's dogs ' Dr. Who 's ."
        );
        assert_eq!(normalize("fr", "l'homme d’abord"), "l' homme d' abord");
        assert_eq!(normalize("de", "Hans' Auto geht's"), "Hans ' Auto geht ' s");
    }
}
