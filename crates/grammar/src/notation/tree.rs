//! Tree-shaped patterns as text. A head and its dependents are written as Meng et al. (2013) do, dependents in brackets,
//! a fragment of a constituency tree as in the Penn Treebank, a unit of words and what hangs below it as a plain sequence;
//! variables are `x1:LABEL`, and `x1` on the target side. A last field tells which of them it is, for the words of any other
//! rule may look the same:
//!
//! ```text
//! (x1:NR) (x2:AD) launch (x3:NN) ||| x1 x2 launch x3 ||| 2-2 ||| 1 ||| hdr
//! (S x1:NP (VP (VBD saw) x2:NP)) ||| x1 sah x2 ||| 1-1 ||| 1 ||| tree
//! als x1:ich_in war ||| when x1 ||| 0-0 2-0 ||| 0.25 ||| mwu
//! ```

use crate::pattern::{FRAGMENT, HEADLESS, MAX_PARTS, Shape, UNIT};
use crate::symbol::{Kind, Symbol};
use std::borrow::Cow;
use std::io::Write;
use treeglot_text::vocab::Vocab;

/// What stands for a part in the brackets of a fragment.
pub const PART: &str = "#";

/// The kinds of patterns, as the last field names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// A head and its dependents.
    HeadDependents,
    /// A fragment of a constituency tree.
    Fragment,
    /// A unit and what hangs below it.
    Unit,
}

impl Notation {
    /// Its name in the last field.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeadDependents => "hdr",
            Self::Fragment => "tree",
            Self::Unit => "mwu",
        }
    }

    /// The notation of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::HeadDependents, Self::Fragment, Self::Unit]
            .into_iter()
            .find(|notation| notation.name() == name)
    }
}

impl From<Shape> for Notation {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Head(_) => Self::HeadDependents,
            Shape::Brackets(_) => Self::Fragment,
            Shape::Unit => Self::Unit,
        }
    }
}

/// Appends a pattern. `words` gives the text of words and labels.
pub fn write_pattern<'v>(
    (parts, shape): (&[Symbol], Shape),
    words: impl Fn(Symbol) -> Cow<'v, str>,
    out: &mut Vec<u8>,
) {
    let mut number = 0;
    let mut part = |symbol: Symbol, out: &mut Vec<u8>| match symbol.kind() {
        Kind::Var(_) => {
            number += 1;
            write!(out, "x{number}:{}", words(symbol)).expect("memory takes every byte");
        }
        _ => out.extend_from_slice(escape(&words(symbol), shape.into()).as_bytes()),
    };
    match shape {
        Shape::Unit => {
            for (k, &symbol) in parts.iter().enumerate() {
                out.extend_from_slice(if k > 0 { b" " } else { b"" });
                part(symbol, out);
            }
        }
        Shape::Head(head) => {
            for (k, &symbol) in parts.iter().enumerate() {
                out.extend_from_slice(if k > 0 { b" " } else { b"" });
                out.extend_from_slice(if k == usize::from(head) { b"" } else { b"(" });
                part(symbol, out);
                out.extend_from_slice(if k == usize::from(head) { b"" } else { b")" });
            }
        }
        Shape::Brackets(brackets) => {
            let mut parts = parts.iter();
            let text = words(Symbol::label(brackets));
            for (k, token) in text.split(' ').enumerate() {
                out.extend_from_slice(if k > 0 { b" " } else { b"" });
                match token.strip_prefix(PART).zip(parts.as_slice().first()) {
                    Some((closing, &symbol)) => {
                        parts.next();
                        part(symbol, out);
                        out.extend_from_slice(closing.as_bytes());
                    }
                    None => out.extend_from_slice(token.as_bytes()),
                }
            }
        }
    }
}

/// Appends the target side of a pattern.
pub fn write_pattern_target<'v>(
    target: &[Symbol],
    notation: Notation,
    words: impl Fn(Symbol) -> Cow<'v, str>,
    out: &mut Vec<u8>,
) {
    for (k, &symbol) in target.iter().enumerate() {
        out.extend_from_slice(if k > 0 { b" " } else { b"" });
        match symbol.kind() {
            Kind::Ref(k) => write!(out, "x{}", u32::from(k) + 1).expect("memory takes every byte"),
            _ => out.extend_from_slice(escape(&words(symbol), notation).as_bytes()),
        }
    }
}

/// Reads a pattern into symbols.
pub fn read_pattern(
    text: &str,
    notation: Notation,
    vocab: &mut Vocab,
    symbols: &mut Vec<Symbol>,
) -> Result<(), String> {
    symbols.clear();
    match notation {
        Notation::HeadDependents => read_head_dependents(text, vocab, symbols)?,
        Notation::Fragment => read_fragment(text, vocab, symbols)?,
        Notation::Unit => read_unit(text, vocab, symbols)?,
    }
    if symbols.len() > MAX_PARTS + 2 {
        return Err(format!("a pattern of more than {MAX_PARTS} parts"));
    }
    Ok(())
}

fn read_head_dependents(text: &str, vocab: &mut Vocab, symbols: &mut Vec<Symbol>) -> Result<(), String> {
    let (mut head, mut variables) = (None, 0);
    for token in text.split_ascii_whitespace() {
        let inner = token.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inner = inner.filter(|inner| !inner.is_empty());
        if inner.is_none() && head.replace(symbols.len()).is_some() {
            return Err("two heads: dependents are written in brackets, as `(x1:NN)`".into());
        }
        let part = inner.unwrap_or(token);
        symbols.push(read_part(part, Notation::HeadDependents, &mut variables, vocab)?);
    }
    if symbols.is_empty() {
        return Err("no head and no dependents".into());
    }
    let head = head.map_or(HEADLESS, |head| head.min(MAX_PARTS) as u8);
    symbols.push(Symbol::mark(head));
    Ok(())
}

fn read_fragment(text: &str, vocab: &mut Vocab, symbols: &mut Vec<Symbol>) -> Result<(), String> {
    let (mut brackets, mut open, mut variables) = (String::new(), 0usize, 0);
    for token in text.split_ascii_whitespace() {
        if open == 0 && !brackets.is_empty() {
            return Err("more than one tree".into());
        }
        let space = if brackets.is_empty() { "" } else { " " };
        if token.len() > 1 && token.starts_with('(') {
            open += 1;
            brackets += space;
            brackets += token;
            continue;
        }
        let part = token.trim_end_matches(')');
        let closing = &token[part.len()..];
        open = open.checked_sub(closing.len()).ok_or("a bracket closes that none opens")?;
        symbols.push(read_part(part, Notation::Fragment, &mut variables, vocab)?);
        brackets += space;
        brackets += PART;
        brackets += closing;
    }
    if open > 0 || !brackets.starts_with('(') {
        return Err("the brackets of the tree do not match".into());
    }
    symbols.push(Symbol::label(vocab.intern(&brackets)));
    symbols.push(Symbol::mark(FRAGMENT));
    Ok(())
}

fn read_unit(text: &str, vocab: &mut Vocab, symbols: &mut Vec<Symbol>) -> Result<(), String> {
    let mut variables = 0;
    for token in text.split_ascii_whitespace() {
        symbols.push(read_part(token, Notation::Unit, &mut variables, vocab)?);
    }
    if symbols.iter().all(|symbol| symbol.is_var()) {
        return Err("a unit without words: variables are what hangs below its words".into());
    }
    symbols.push(Symbol::mark(UNIT));
    Ok(())
}

fn read_part(
    text: &str,
    notation: Notation,
    variables: &mut u32,
    vocab: &mut Vocab,
) -> Result<Symbol, String> {
    let Some((number, label)) = variable(text) else {
        return Ok(Symbol::word(vocab.intern(&super::unescape(&unescape(text, notation)))));
    };
    *variables += 1;
    if number != *variables || label.is_empty() {
        return Err(format!("`{text}`: expected variable `x{variables}:LABEL`, they count from the left"));
    }
    Ok(Symbol::var(vocab.intern(label)))
}

/// Reads the target side of a pattern into symbols.
pub fn read_pattern_target(text: &str, notation: Notation, vocab: &mut Vocab, symbols: &mut Vec<Symbol>) {
    symbols.clear();
    symbols.extend(text.split_ascii_whitespace().map(|token| match reference(token) {
        Some(k) => Symbol::reference(k),
        None => Symbol::word(vocab.intern(&super::unescape(&unescape(token, notation)))),
    }));
}

/// `x1:NN` as the number and the label.
fn variable(token: &str) -> Option<(u32, &str)> {
    let (number, label) = token.strip_prefix('x')?.split_once(':')?;
    Some((digits(number)?, label))
}

/// `x1` as 0.
fn reference(token: &str) -> Option<u8> {
    let number = digits(token.strip_prefix('x')?)?;
    u8::try_from(number.checked_sub(1)?).ok()
}

fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A word as it may stand in a pattern: words that would read as brackets or variables are written with entities.
fn escape(word: &str, notation: Notation) -> Cow<'_, str> {
    if !reads_otherwise(word, notation) {
        return Cow::Borrowed(word);
    }
    let brackets = word.replace('(', "&#40;").replace(')', "&#41;");
    Cow::Owned(match brackets.strip_prefix('x') {
        Some(rest) => format!("&#120;{rest}"),
        None => brackets,
    })
}

fn unescape(text: &str, notation: Notation) -> Cow<'_, str> {
    if !text.contains("&#") {
        return Cow::Borrowed(text);
    }
    let word = text.replace("&#40;", "(").replace("&#41;", ")").replace("&#120;", "x");
    if reads_otherwise(&word, notation) { Cow::Owned(word) } else { Cow::Borrowed(text) }
}

fn reads_otherwise(word: &str, notation: Notation) -> bool {
    let bracketed = match notation {
        Notation::HeadDependents => word.len() > 2 && word.starts_with('(') && word.ends_with(')'),
        Notation::Fragment => word.contains(['(', ')']),
        Notation::Unit => false,
    };
    bracketed || variable(word).is_some() || reference(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::parts;

    fn rewritten(text: &str) -> String {
        let (mut vocab, mut symbols, mut out) = (Vocab::default(), Vec::new(), Vec::new());
        read_pattern(text, Notation::HeadDependents, &mut vocab, &mut symbols).unwrap();
        let word = |symbol: Symbol| Cow::Borrowed(vocab.word(symbol.vocab().unwrap()));
        write_pattern(parts(&symbols).unwrap(), word, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dependents_are_read_back_with_their_head_or_without() {
        for text in ["(x1:NR) (x2:AD) launch (x3:NN)", "(x1:ART) (little)", "launch"] {
            assert_eq!(rewritten(text), text);
        }
    }

    #[test]
    fn two_heads_and_none_of_anything_are_refused() {
        let read = |text| {
            read_pattern(text, Notation::HeadDependents, &mut Vocab::default(), &mut Vec::new()).unwrap_err()
        };
        assert!(read("launch it").starts_with("two heads"));
        assert_eq!(read(""), "no head and no dependents");
    }
}
