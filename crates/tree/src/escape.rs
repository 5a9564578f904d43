//! Percent-escapes for text that goes into a label or a bracket and must come out again unchanged.

/// Appends `text` to `out`; each character for which `special` holds, and `%` itself, becomes `%XX` for every byte
/// of its UTF-8 form.
pub(crate) fn escape(text: &str, special: impl Fn(char) -> bool, out: &mut String) {
    for c in text.chars() {
        if c != '%' && !special(c) {
            out.push(c);
            continue;
        }
        let mut bytes = [0; 4];
        for byte in c.encode_utf8(&mut bytes).bytes() {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The text that was escaped; `None` if a `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
pub(crate) fn unescape(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_string());
    }
    let digit = |b: u8| char::from(b).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_special_characters_are_escaped() {
        let mut out = String::new();
        escape("a;b 5%\u{a0}ü", |c| c == ';' || c.is_whitespace(), &mut out);
        assert_eq!(out, "a%3Bb%205%25%C2%A0ü");
        assert_eq!(unescape(&out).unwrap(), "a;b 5%\u{a0}ü");
    }

    #[test]
    fn a_broken_escape_is_refused() {
        assert_eq!(
            [unescape("%"), unescape("%4"), unescape("%GG"), unescape("%FF")],
            [None, None, None, None]
        );
    }

    proptest! {
        #[test]
        fn what_is_escaped_comes_back(text in ".*") {
            let mut out = String::new();
            escape(&text, |c| !c.is_alphanumeric(), &mut out);
            prop_assert_eq!(unescape(&out), Some(text));
        }
    }
}
