//! One way to write a thing: composed characters, small letters, plain punctuation. Applied to a line before it is cut
//! into tokens (small letters: after), when the user asks for it.

mod punctuation;

pub use punctuation::punctuation;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Appends `text` with its characters composed (Unicode NFC): `e` + `´` and `é` become the same bytes.
pub fn nfc(text: &str, out: &mut String) {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        out.push_str(text);
    } else {
        out.extend(text.nfc());
    }
}

/// Appends `text` in small letters by Unicode's full mapping, the final sigma of Greek included.
pub fn lowercase(text: &str, out: &mut String) {
    if text.contains('Σ') {
        out.push_str(&text.to_lowercase());
        return;
    }
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn composed_and_decomposed_letters_become_equal() {
        let mut out = String::new();
        nfc("cafe\u{301} Straße", &mut out);
        assert_eq!(out, "café Straße");
    }

    #[test]
    fn small_letters_follow_unicode() {
        let mut out = String::new();
        lowercase("ÄRGER Ὀδυσσεύς ΟΔΟΣ Łódź", &mut out);
        assert_eq!(out, "ärger ὀδυσσεύς οδος łódź");
    }

    proptest! {
        #[test]
        fn lowercase_agrees_with_the_standard_library(s in "\\PC{0,40}") {
            let mut out = String::new();
            lowercase(&s, &mut out);
            prop_assert_eq!(out, s.to_lowercase());
        }
    }
}
