//! The tokeniser of TER: that of Tercom as sacreBLEU rewrote it. By default it only lower-cases.

use super::western::{after, before, dashes, punctuation, unescape};
use super::{is_space, spaced};

/// The options of Tercom's normaliser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tercom {
    /// Cut punctuation from words and turn entities into characters.
    pub normalized: bool,
    /// Remove punctuation.
    pub no_punct: bool,
    /// Let `normalized` also cut Chinese and Japanese characters, and `no_punct` remove their punctuation.
    pub asian: bool,
    /// Keep case.
    pub cased: bool,
}

impl Tercom {
    /// The text with spaces between tokens.
    pub fn tokenize(self, text: &str) -> String {
        let text = text.trim_end_matches(is_space);
        let mut text = if self.cased { text.to_string() } else { text.to_lowercase() };
        if text.is_empty() {
            return text;
        }
        if self.normalized {
            text = normalize(&text);
            if self.asian {
                text = spaced(&text, |c| is_asian(c) || is_asian_punctuation(c));
            }
        }
        if self.no_punct {
            text.retain(|c| !matches!(c, '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')'));
            if self.asian {
                text.retain(|c| !is_asian_punctuation(c));
            }
        }
        text
    }
}

fn normalize(text: &str) -> String {
    let text = unescape(&text.replace("\n-", "").replace('\n', " "));
    let text = utf8(punctuation(format!(" {text} ").as_bytes())).replace("'s ", " 's ");
    utf8(dashes(after(before(text.into_bytes()))))
}

fn utf8(text: Vec<u8>) -> String {
    String::from_utf8(text).expect("only ASCII was inserted, beside ASCII")
}

fn is_asian(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2eff}'
        | '\u{31c0}'..='\u{31ef}'
        | '\u{3200}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}')
}

fn is_asian_punctuation(c: char) -> bool {
    matches!(c,
        '\u{3001}' | '\u{3002}'
        | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301f}'
        | '\u{30fb}'
        | '\u{ff01}' | '\u{ff02}' | '\u{ff08}' | '\u{ff09}' | '\u{ff0c}' | '\u{ff0e}'
        | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}'
        | '\u{ff61}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenize::tokens;

    fn cut(options: Tercom, text: &str) -> String {
        tokens(&options.tokenize(text)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_case_is_changed_by_default() {
        assert_eq!(cut(Tercom::default(), "Hello, World! "), "hello, world!");
        assert_eq!(cut(Tercom { cased: true, ..Tercom::default() }, "Hello"), "Hello");
    }

    #[test]
    fn normalisation_cuts_punctuation_and_possessives() {
        let options = Tercom { normalized: true, ..Tercom::default() };
        assert_eq!(
            cut(options, "The cat's \"3.5\" mice, &amp; it's 4-5."),
            "the cat 's \" 3.5 \" mice , & it 's 4 - 5 ."
        );
        let options = Tercom { no_punct: true, ..options };
        assert_eq!(cut(options, "Well, (yes)!"), "well yes");
    }

    #[test]
    fn chinese_is_cut_only_when_asked() {
        let options = Tercom { normalized: true, asian: true, ..Tercom::default() };
        assert_eq!(cut(options, "我有书。"), "我 有 书 。");
        assert_eq!(cut(Tercom { asian: false, ..options }, "我有书。"), "我有书。");
        assert_eq!(cut(Tercom { no_punct: true, ..options }, "我有书。"), "我 有 书");
    }
}
