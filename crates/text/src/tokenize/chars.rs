//! Classes of characters as the tokeniser's rules need them. They follow the Unicode properties behind Moses'
//! `IsAlnum`, `IsAlpha` and `IsN`, and count the marks that extend a letter (combining accents, joiners) as part of it,
//! so that decomposed text is not torn apart.

use unicode_normalization::char::is_combining_mark;

/// What a character may be part of; several can hold at once (Roman numerals are letters and numbers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class(u8);

impl Class {
    const ALPHA: u8 = 1;
    const NUMBER: u8 = 2;
    const WORD: u8 = 4;

    /// The class of a character.
    pub(crate) fn of(c: char) -> Self {
        if c.is_ascii() {
            return ASCII[c as usize];
        }
        if c.is_alphabetic() {
            let number = if c.is_numeric() { Self::NUMBER } else { 0 };
            return Self(Self::ALPHA | Self::WORD | number);
        }
        if extends(c) {
            return Self(Self::ALPHA | Self::WORD);
        }
        if !c.is_numeric() {
            return Self(0);
        }
        if is_decimal_digit(c) { Self(Self::NUMBER | Self::WORD) } else { Self(Self::NUMBER) }
    }

    /// A letter.
    pub(crate) fn is_alpha(self) -> bool {
        self.0 & Self::ALPHA != 0
    }

    /// A digit or another number that may stand inside a token.
    pub(crate) fn is_number(self) -> bool {
        self.0 & (Self::NUMBER | Self::WORD) == Self::NUMBER | Self::WORD
    }

    /// A letter or digit: never cut off.
    pub(crate) fn is_word(self) -> bool {
        self.0 & Self::WORD != 0
    }
}

const ASCII: [Class; 128] = {
    let mut table = [Class(0); 128];
    let mut i = 0;
    while i < 128 {
        let c = i as u8;
        if c.is_ascii_alphabetic() {
            table[i] = Class(Class::ALPHA | Class::WORD);
        } else if c.is_ascii_digit() {
            table[i] = Class(Class::NUMBER | Class::WORD);
        }
        i += 1;
    }
    table
};

/// Whether the character only modifies the one before it.
pub(crate) fn extends(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || matches!(c, '\u{200C}' | '\u{200D}'))
}

/// Control characters that are no white space: noise, which the tokeniser drops as Moses does.
pub(crate) fn is_junk(c: char) -> bool {
    c < ' ' && !c.is_whitespace()
}

/// Characters written without spaces between words: Chinese characters, kana and the signs among them. Hangul is
/// written with spaces and does not belong here.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{2E80}'..='\u{312F}'
        | '\u{3190}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE4F}'
        | '\u{FF00}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Characters of Thai, Lao, Burmese and Khmer, which are written without spaces between words.
pub(crate) fn is_southeast_asian(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0E3E}'
        | '\u{0E40}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{19E0}'..='\u{19FF}'
        | '\u{A9E0}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AA7F}')
}

/// Characters of Tibetan.
pub(crate) fn is_tibetan(c: char) -> bool {
    ('\u{0F00}'..='\u{0FFF}').contains(&c)
}

/// Characters of any script that is written without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    is_cjk(c) || is_southeast_asian(c) || is_tibetan(c)
}

/// Whether the character is a decimal digit of any script (general category Nd), which come in runs of ten.
fn is_decimal_digit(c: char) -> bool {
    let c = c as u32;
    let run = ZEROS.partition_point(|&zero| zero <= c);
    run > 0 && c - ZEROS[run - 1] < 10
}

/// The zeros of all scripts, in order.
const ZEROS: &[u32] = &[
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30,
    0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0,
    0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2,
    0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950, 0x1FBF0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superscripts_and_fractions_are_numbers_but_not_word_parts() {
        for c in ['²', '½', '①'] {
            assert!(!Class::of(c).is_word(), "{c}");
        }
        for c in ['7', '٣', '९', '７'] {
            assert!(Class::of(c).is_number() && !Class::of(c).is_alpha(), "{c}");
        }
    }

    #[test]
    fn a_combining_accent_belongs_to_its_letter() {
        assert!(Class::of('\u{301}').is_word());
        assert!(extends('\u{301}') && !extends('e'));
    }

    #[test]
    fn roman_numerals_are_letters_and_numbers() {
        assert!(Class::of('Ⅷ').is_alpha() && Class::of('Ⅷ').is_number());
    }
}
