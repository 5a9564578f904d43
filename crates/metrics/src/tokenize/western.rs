//! The rules of `mteval-v13a.pl` for Western languages: four substitutions, one after the other, each from left to
//! right without overlap. They look at ASCII only, so they work on bytes.

use memchr::{memchr_iter, memchr2_iter};

/// `13a`: entities back to characters, then [`split`].
pub fn tokenize_13a(text: &str) -> String {
    split(&with_spaces_at_the_ends(text))
}

fn with_spaces_at_the_ends(text: &str) -> String {
    if !text.contains(['&', '\n']) && !text.contains("<skipped>") {
        return format!(" {text} ");
    }
    let text = text.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    format!(" {} ", unescape(&text))
}

/// The four entities that the evaluation script knows, in its order (so `&amp;lt;` becomes `<`).
pub fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
}

/// Separates punctuation, periods and commas outside numbers, and dashes after digits.
pub fn split(text: &str) -> String {
    let text = dashes(after(before(punctuation(text.as_bytes()))));
    String::from_utf8(text).expect("only ASCII was inserted, beside ASCII")
}

/// ASCII punctuation except `'`, `,`, `-` and `.`.
const PUNCTUATION: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = matches!(b, b'{'..=b'~' | b'['..=b'`' | b'!'..=b'&' | b'('..=b'+' | b':'..=b'@' | b'/');
        byte += 1;
    }
    table
};

/// Puts spaces around ASCII punctuation.
pub fn punctuation(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 4 + 16);
    for &byte in text {
        if PUNCTUATION[usize::from(byte)] {
            out.extend([b' ', byte, b' ']);
        } else {
            out.push(byte);
        }
    }
    out
}

/// Text that is copied with insertions. A byte that belongs to one match cannot belong to another.
struct Copy<'a> {
    text: &'a [u8],
    out: Vec<u8>,
    /// How much of the text is copied, which is where the next match may begin.
    done: usize,
}

impl<'a> Copy<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, out: Vec::with_capacity(text.len() + 16), done: 0 }
    }

    /// Copies up to the sign at `at`, puts spaces around the sign, and copies on up to `end`.
    fn spaced(&mut self, at: usize, end: usize) {
        self.out.extend_from_slice(&self.text[self.done..at]);
        self.out.extend([b' ', self.text[at], b' ']);
        self.out.extend_from_slice(&self.text[at + 1..end]);
        self.done = end;
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.text[self.done..]);
        self.out
    }
}

/// Period and comma unless a digit comes before.
pub fn before(text: Vec<u8>) -> Vec<u8> {
    let mut copy = Copy::new(&text);
    for at in memchr2_iter(b'.', b',', &text) {
        if at > copy.done && !text[at - 1].is_ascii_digit() {
            copy.spaced(at, at + 1);
        }
    }
    if copy.done == 0 { text } else { copy.finish() }
}

/// Period and comma unless a digit comes after.
pub fn after(text: Vec<u8>) -> Vec<u8> {
    let mut copy = Copy::new(&text);
    for at in memchr2_iter(b'.', b',', &text) {
        if at >= copy.done && text.get(at + 1).is_some_and(|next| !next.is_ascii_digit()) {
            copy.spaced(at, at + 2);
        }
    }
    if copy.done == 0 { text } else { copy.finish() }
}

/// A dash that follows a digit.
pub fn dashes(text: Vec<u8>) -> Vec<u8> {
    let mut copy = Copy::new(&text);
    for at in memchr_iter(b'-', &text) {
        if at > copy.done && text[at - 1].is_ascii_digit() {
            copy.spaced(at, at + 1);
        }
    }
    if copy.done == 0 { text } else { copy.finish() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rewrites non-overlapping pairs of neighbours one by one, as a regular expression does.
    fn pairs(text: &str, is_pair: impl Fn(char, char) -> bool, spaced_first: bool) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut out = String::new();
        let mut at = 0;
        while at < chars.len() {
            match chars.get(at + 1) {
                Some(&second) if is_pair(chars[at], second) => {
                    let (first, second) = (chars[at], second);
                    let pair =
                        if spaced_first { [' ', first, ' ', second] } else { [first, ' ', second, ' '] };
                    out.extend(pair);
                    at += 2;
                }
                _ => {
                    out.push(chars[at]);
                    at += 1;
                }
            }
        }
        out
    }

    proptest! {
        #[test]
        fn every_step_rewrites_pairs_from_left_to_right_without_overlap(text in "[a5é.,\\- ]{0,12}") {
            let stop = |c: char| c == '.' || c == ',';
            let digit = |c: char| c.is_ascii_digit();
            let bytes = || text.clone().into_bytes();
            let expected = pairs(&text, |a, b| stop(b) && !digit(a), false);
            prop_assert_eq!(String::from_utf8(before(bytes())).unwrap(), expected);
            let expected = pairs(&text, |a, b| stop(a) && !digit(b), true);
            prop_assert_eq!(String::from_utf8(after(bytes())).unwrap(), expected);
            let expected = pairs(&text, |a, b| b == '-' && digit(a), false);
            prop_assert_eq!(String::from_utf8(dashes(bytes())).unwrap(), expected);
        }
    }
}
