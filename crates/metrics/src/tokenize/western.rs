//! The rules of `mteval-v13a.pl` for Western languages: four substitutions, one after the other, each from left to
//! right without overlap. They look at ASCII only, so they work on bytes.

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
    let text = dashes(&after(&before(&punctuation(text.as_bytes()))));
    String::from_utf8(text).expect("only ASCII was inserted, beside ASCII")
}

/// Spaces around ASCII punctuation except `'`, `,`, `-` and `.`.
pub fn punctuation(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 2);
    for &byte in text {
        if matches!(byte, b'{'..=b'~' | b'['..=b'`' | b' '..=b'&' | b'('..=b'+' | b':'..=b'@' | b'/') {
            out.extend([b' ', byte, b' ']);
        } else {
            out.push(byte);
        }
    }
    out
}

fn is_stop(byte: u8) -> bool {
    byte == b'.' || byte == b','
}

/// Rewrites each non-overlapping pair of neighbours that `is_pair`.
fn pairs(text: &[u8], is_pair: impl Fn(u8, u8) -> bool, rewrite: impl Fn(u8, u8) -> [u8; 4]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 4);
    let mut at = 0;
    while at < text.len() {
        match text.get(at + 1) {
            Some(&second) if is_pair(text[at], second) => {
                out.extend(rewrite(text[at], second));
                at += 2;
            }
            _ => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    out
}

/// Period and comma unless a digit comes before.
pub fn before(text: &[u8]) -> Vec<u8> {
    let is_pair = |a: u8, b: u8| is_stop(b) && !a.is_ascii_digit();
    pairs(text, is_pair, |a, b| [a, b' ', b, b' '])
}

/// Period and comma unless a digit comes after.
pub fn after(text: &[u8]) -> Vec<u8> {
    let is_pair = |a: u8, b: u8| is_stop(a) && !b.is_ascii_digit();
    pairs(text, is_pair, |a, b| [b' ', a, b' ', b])
}

/// A dash that follows a digit.
pub fn dashes(text: &[u8]) -> Vec<u8> {
    pairs(text, |a, b| b == b'-' && a.is_ascii_digit(), |a, b| [a, b' ', b, b' '])
}
