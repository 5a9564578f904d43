//! The tokenisers of BLEU and NIST, as sacreBLEU has them: scores are only comparable between papers when the text is
//! cut in the same way, so each quirk of the originals is kept.

#[cfg(feature = "clap")]
pub(crate) mod arguments;
mod international;
mod sentencepiece;
mod tercom;
mod western;

pub use sentencepiece::Model as SentencePiece;
pub use tercom::Tercom;

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use treeglot_text::tokenize::Script;

/// How text is cut into the tokens that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Tokenizer {
    /// As `mteval-v13a.pl`: the default of papers
    #[default]
    #[serde(rename = "13a")]
    #[cfg_attr(feature = "clap", value(name = "13a"))]
    V13a,
    /// At spaces only
    #[serde(rename = "none")]
    None,
    /// As `mteval-v14.pl`: punctuation and symbols of all scripts
    #[serde(rename = "intl")]
    #[cfg_attr(feature = "clap", value(name = "intl"))]
    International,
    /// Every character is a token
    #[serde(rename = "char")]
    #[cfg_attr(feature = "clap", value(name = "char"))]
    Character,
    /// Chinese characters are tokens, the rest is cut as by 13a
    #[serde(rename = "zh")]
    #[cfg_attr(feature = "clap", value(name = "zh"))]
    Chinese,
    /// The pieces of the SentencePiece model of FLORES-101, whose file the user gives
    #[serde(rename = "flores101")]
    #[cfg_attr(feature = "clap", value(name = "flores101"))]
    Flores101,
    /// The pieces of that of FLORES-200
    #[serde(rename = "flores200")]
    #[cfg_attr(feature = "clap", value(name = "flores200"))]
    Flores200,
    /// The pieces of a model that was read; what `flores101` and `flores200` become
    #[serde(skip)]
    #[cfg_attr(feature = "clap", value(skip))]
    Pieces(Pieces),
}

/// A SentencePiece model, and what signatures call it. It is read once and kept as long as the program runs, so that a tokeniser
/// can be copied like any other setting.
#[derive(Debug, Clone, Copy)]
pub struct Pieces {
    name: &'static str,
    model: &'static SentencePiece,
}

impl PartialEq for Pieces {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && std::ptr::eq(self.model, other.model)
    }
}

impl Eq for Pieces {}

impl Tokenizer {
    /// The tokeniser with the model that it needs; an error if that is missing, or nobody needs it.
    pub fn with_model(self, model: Option<&Path>) -> Result<Self, Error> {
        let needs = matches!(self, Self::Flores101 | Self::Flores200);
        match model {
            Some(file) if needs => {
                let model: &'static SentencePiece = Box::leak(Box::new(SentencePiece::open(file)?));
                Ok(Self::Pieces(Pieces { name: self.name(), model }))
            }
            None if needs => Err(Error::NoModel(self.name())),
            Some(_) => {
                Err(Error::Setting("`spm-model` is for `tokenize` flores101 and flores200".to_string()))
            }
            None => Ok(self),
        }
    }

    /// The one that fits text, by the script of most of its letters.
    pub fn of_text<'t>(lines: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts = [
            (Script::Spaced, 0),
            (Script::Chinese, 0),
            (Script::Japanese, 0),
            (Script::SoutheastAsian, 0),
            (Script::Tibetan, 0),
        ];
        for c in lines.into_iter().flat_map(str::chars).filter(|c| c.is_alphabetic()) {
            let script = match c {
                '\u{3041}'..='\u{30ff}' => Script::Japanese,
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
                    Script::Chinese
                }
                '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
                    Script::SoutheastAsian
                }
                '\u{f00}'..='\u{fff}' => Script::Tibetan,
                _ => Script::Spaced,
            };
            // A sign of the other scripts says about what three letters do.
            let share = if script == Script::Spaced { 1 } else { 3 };
            counts.iter_mut().filter(|(known, _)| *known == script).for_each(|(_, count)| *count += share);
        }
        // Japanese is written with Chinese characters too, but never without its own.
        let [_, (_, chinese), (_, japanese), ..] = counts;
        if japanese * 10 > chinese {
            (counts[1].1, counts[2].1) = (0, chinese + japanese);
        }
        Self::of_script(
            counts
                .into_iter()
                .rev()
                .max_by_key(|(_, count)| *count)
                .map_or(Script::Spaced, |(script, _)| script),
        )
    }

    /// The one that fits text of a script, where nobody chose one.
    pub fn of_script(script: Script) -> Self {
        match script {
            Script::Spaced => Self::V13a,
            Script::Chinese => Self::Chinese,
            Script::Japanese | Script::SoutheastAsian | Script::Tibetan => Self::Character,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::V13a => "13a",
            Self::International => "intl",
            Self::Character => "char",
            Self::Chinese => "zh",
            Self::Flores101 => "flores101",
            Self::Flores200 => "flores200",
            Self::Pieces(pieces) => pieces.name,
        }
    }

    /// The text with spaces between tokens; [`tokens`] reads them.
    pub fn tokenize(self, text: &str) -> String {
        match self {
            Self::None => text.to_string(),
            Self::V13a => western::tokenize_13a(text),
            Self::International => international::tokenize(text),
            Self::Character => spaced(text, |_| true),
            // Without its model, which settings refuse, text is cut at spaces.
            Self::Flores101 | Self::Flores200 => text.to_string(),
            Self::Pieces(pieces) => pieces.model.tokenize(text),
            Self::Chinese => {
                let text = text.trim_matches(is_space);
                western::split(&spaced(text, is_chinese))
            }
        }
    }
}

/// A text, in lower case if that is wanted.
pub fn lowered(text: &str, lowercase: bool) -> Cow<'_, str> {
    if lowercase { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
}

/// What separates tokens: white space as Python's `split` has it, which includes four control characters.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The tokens of a tokenised text.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (token, space) = next_space(rest)?;
            rest = &rest[(token.len() + space).min(rest.len())..];
            if !token.is_empty() {
                return Some(token);
            }
        }
    })
}

/// What comes before the first space, and the length of that space; `None` at the end of the text.
fn next_space(text: &str) -> Option<(&str, usize)> {
    if text.is_empty() {
        return None;
    }
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            b'\t'..=b'\r' | 0x1c..=b' ' => return Some((&text[..at], 1)),
            // Only characters that begin with these bytes can be spaces beyond ASCII.
            0xc2 | 0xe1..=0xe3 => {
                if let Some(c) = text[at..].chars().next().filter(|&c| is_space(c)) {
                    return Some((&text[..at], c.len_utf8()));
                }
            }
            _ => {}
        }
    }
    Some((text, 0))
}

/// The text with spaces around the characters that are tokens of their own.
pub(crate) fn spaced(text: &str, is_token: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    for c in text.chars() {
        if is_token(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

/// The characters that sacreBLEU's `zh` separates. The first range comes from its `\u20000` and `\u2a6d6`, which Python
/// reads as characters of four digits and a fifth letter.
fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{2001}'..='\u{2a6d}'
        | '\u{2e80}'..='\u{2eff}'
        | '\u{2f00}'..='\u{2fdf}'
        | '\u{2ff0}'..='\u{303f}'
        | '\u{3100}'..='\u{312f}'
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31c0}'..='\u{31ef}'
        | '\u{3200}'..='\u{4db5}'
        | '\u{4e00}'..='\u{9fbb}'
        | '\u{f900}'..='\u{fa2d}'
        | '\u{fa30}'..='\u{fa6a}'
        | '\u{fa70}'..='\u{fad9}'
        | '\u{fe10}'..='\u{fe1f}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(tokenizer: Tokenizer, text: &str) -> String {
        tokens(&tokenizer.tokenize(text)).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #[test]
        fn tokens_are_what_stands_between_spaces(text in "[ab\u{85}\u{a0}é\u{1680}\u{2003}\u{3000}。\u{1f}\u{b} 😀]{0,12}") {
            let expected: Vec<&str> = text.split(is_space).filter(|token| !token.is_empty()).collect();
            prop_assert_eq!(tokens(&text).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn v13a_separates_ascii_punctuation_but_not_inside_numbers() {
        let cases = [
            ("He said: \"it's 1,000.50 $ (or 3-4%)\".", "He said : \" it's 1,000.50 $ ( or 3 - 4 % ) \" ."),
            ("e.g. well-known, a...b", "e . g . well-known , a . . . b"),
            ("&quot;R&amp;D&quot; &amp;lt;", "\" R & D \" <"),
            ("«Grüße», … – 5.", "«Grüße» , … – 5 ."),
            ("a<skipped>b", "ab"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(cut(Tokenizer::V13a, text), expected);
        }
    }

    #[test]
    fn international_separates_punctuation_and_symbols_of_all_scripts() {
        let cases = [
            ("«Grüße», … – 5.", "« Grüße » , … – 5."),
            ("3,5€ + x², „ja“", "3,5 € + x² , „ ja “"),
            ("१,२ ठीक।", "१,२ ठीक ।"),
        ];
        for (text, expected) in cases {
            assert_eq!(cut(Tokenizer::International, text), expected);
        }
    }

    #[test]
    fn the_script_of_a_text_tells_its_tokeniser() {
        let of = |text: &str| Tokenizer::of_text([text]).name();
        assert_eq!(["The cat, 2.", "Кот и пёс", "", "1 2"].map(of), ["13a"; 4]);
        assert_eq!(
            (of("我有一只iPhone"), of("猫がいる"), of("ผมรักคุณ"), of("བོད་སྐད")),
            ("zh", "char", "char", "char")
        );
    }

    #[test]
    fn models_are_asked_for_where_they_are_needed_and_only_there() {
        let error = |tokenizer: Tokenizer, model: Option<&str>| {
            tokenizer.with_model(model.map(Path::new)).unwrap_err().to_string()
        };
        let asked = "`tokenize` flores200 needs the SentencePiece model of that benchmark (`spm-model`)";
        assert_eq!(error(Tokenizer::Flores200, None), asked);
        assert!(error(Tokenizer::V13a, Some("m")).contains("is for `tokenize` flores101"));
        assert!(error(Tokenizer::Flores101, Some("/no/such")).contains("/no/such: cannot read"));
    }

    #[test]
    fn chinese_characters_are_tokens_and_so_are_typographic_quotes() {
        assert_eq!(
            cut(Tokenizer::Chinese, "我有“2.5”只iPhone，好吗？"),
            "我 有 “ 2.5 ” 只 iPhone ， 好 吗 ？"
        );
        assert_eq!(cut(Tokenizer::Character, "a b"), "a b");
    }
}
