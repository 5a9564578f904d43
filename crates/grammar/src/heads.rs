//! Target sides with a structure: for each symbol the one it depends on (Shen et al. 2008, section 2). The symbols come
//! first, as in any rule, so that positions, links and lexical weights are those of any rule; then follows a mark for
//! each symbol, the position of its head plus 1 or [`OUTSIDE`], and [`ILL`] if what the rule was read off is not well-formed:
//!
//! | target side | marks |
//! |---|---|
//! | `the red house` | 3 3 0 |
//! | `sees X0` (what X0 stands for depends on *sees*) | 0 1 |
//! | `with a` (both depend on the same word outside) | 0 0 |
//!
//! As text they are a property of the rule, as Moses has them: `{{Heads 3 3 0}}`.

use crate::code;
use crate::symbol::{Kind, Symbol};
use std::io::Write;

/// The mark of a symbol whose head is not in the rule.
pub const OUTSIDE: u8 = 0;

/// The last mark of a rule whose phrase, or what one of its variables stood for, is no well-formed structure.
pub const ILL: u8 = u8::MAX;

/// The most symbols of a target side with a structure.
pub const MAX_SYMBOLS: usize = 120;

const OPEN: &str = "{{Heads ";
const CLOSE: &str = "}}";
const ILL_WORD: &str = "ill";

/// The structure of a target side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heads<'a>(&'a [Symbol]);

/// The symbols of a target side, and its structure if it has one.
pub fn split(target: &[Symbol]) -> (&[Symbol], Option<Heads<'_>>) {
    let symbols = target.iter().take_while(|symbol| !matches!(symbol.kind(), Kind::Mark(_))).count();
    let (symbols, marks) = target.split_at(symbols);
    (symbols, (!marks.is_empty()).then_some(Heads(marks)))
}

impl Heads<'_> {
    /// The mark of a symbol: the position of its head plus 1, or [`OUTSIDE`].
    pub fn of(&self, symbol: usize) -> u8 {
        match self.0.get(symbol).map(|mark| mark.kind()) {
            Some(Kind::Mark(head)) => head,
            _ => OUTSIDE,
        }
    }

    /// Whether the rule was read off what is not well-formed.
    pub fn is_ill(&self) -> bool {
        self.0.last() == Some(&Symbol::mark(ILL))
    }

    /// All marks, in order, without [`ILL`].
    pub fn marks(&self) -> impl Iterator<Item = u8> {
        let count = self.0.len() - usize::from(self.is_ill());
        (0..count).map(|symbol| self.of(symbol))
    }
}

/// How many bytes of a target side's code are of its symbols, without the marks behind them.
pub(crate) fn symbols_length(target: &[u8]) -> usize {
    let mut symbols = code::Symbols(target);
    loop {
        let before = target.len() - symbols.0.len();
        match symbols.next().map(|symbol| symbol.kind()) {
            None | Some(Kind::Mark(_)) => return before,
            Some(_) => {}
        }
    }
}

/// Appends the structure of a target side as a property: `{{Heads 3 3 0}}`.
pub fn write(heads: Heads<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(OPEN.trim_ascii_end().as_bytes());
    for head in heads.marks() {
        write!(out, " {head}").expect("memory takes every byte");
    }
    if heads.is_ill() {
        out.push(b' ');
        out.extend_from_slice(ILL_WORD.as_bytes());
    }
    out.extend_from_slice(CLOSE.as_bytes());
}

/// Reads the property from what follows the other fields of a rule, if it is there, and appends the marks to the
/// symbols of a target side.
pub fn read(fields: &str, target: &mut Vec<Symbol>) -> Result<(), String> {
    let Some((_, rest)) = fields.split_once(OPEN) else { return Ok(()) };
    let (text, _) = rest.split_once(CLOSE).ok_or("`{{Heads` is not closed by `}}`")?;
    let symbols = target.len();
    let mut heads: Vec<u8> = Vec::with_capacity(symbols);
    let mut ill = false;
    for token in text.split_ascii_whitespace() {
        if ill || token == ILL_WORD {
            ill = token == ILL_WORD;
            continue;
        }
        let head = token.parse().ok().filter(|&head: &u8| usize::from(head) <= symbols);
        heads.push(
            head.ok_or_else(|| format!("`{token}` is no head of {symbols} symbols: they count from 1"))?,
        );
    }
    if heads.len() != symbols {
        return Err(format!("{} heads, but {symbols} symbols", heads.len()));
    }
    if symbols > MAX_SYMBOLS {
        return Err(format!("a target side with heads has at most {MAX_SYMBOLS} symbols"));
    }
    if let Some(at) = (0..symbols).find(|&at| is_circular(&heads, at)) {
        return Err(format!("the heads lead from symbol {} back to it", at + 1));
    }
    target.extend(heads.into_iter().map(Symbol::mark));
    target.extend(ill.then(|| Symbol::mark(ILL)));
    Ok(())
}

fn is_circular(heads: &[u8], start: usize) -> bool {
    let mut at = start;
    for _ in 0..heads.len() {
        match usize::from(heads[at]).checked_sub(1) {
            None => return false,
            Some(head) if head == start => return true,
            Some(head) => at = head,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_text::vocab::Sym;

    fn words(count: u32) -> Vec<Symbol> {
        (0..count).map(|word| Symbol::word(Sym(word))).collect()
    }

    fn round_trip(text: &str, symbols: u32) -> Result<String, String> {
        let mut target = words(symbols);
        read(text, &mut target)?;
        let (found, heads) = split(&target);
        assert_eq!(found, words(symbols));
        let mut out = Vec::new();
        heads.into_iter().for_each(|heads| write(heads, &mut out));
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn heads_come_back_as_they_were_written() {
        for text in ["{{Heads 3 3 0}}", "{{Heads 0 0 0}}", "{{Heads 2 0 2 ill}}"] {
            assert_eq!(round_trip(text, 3).unwrap(), text);
        }
        assert_eq!(round_trip("{{Tree [X]}}", 3).unwrap(), "");
    }

    #[test]
    fn heads_that_cannot_be_are_told() {
        for (text, why) in [
            ("{{Heads 0 1", "not closed"),
            ("{{Heads 0}}", "1 heads, but 2 symbols"),
            ("{{Heads 0 3}}", "`3` is no head"),
            ("{{Heads 2 1}}", "lead from symbol 1 back"),
            ("{{Heads 1 0}}", "lead from symbol 1 back"),
        ] {
            let error = round_trip(text, 2).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_target_side_without_marks_has_no_structure() {
        assert_eq!(split(&words(2)), (&words(2)[..], None));
        let mut target = words(1);
        target.extend([Symbol::mark(0), Symbol::mark(ILL)]);
        let heads = split(&target).1.unwrap();
        assert!(heads.is_ill() && heads.marks().eq([OUTSIDE]));
    }
}
