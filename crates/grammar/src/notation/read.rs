//! Instances read from Moses' notation.

use super::tree::{self, Notation};
use crate::error::{Error, Result};
use crate::instance::{Instance, Orientation, RuleLink, RuleSink};
use crate::symbol::{Kind, Symbol};
use treeglot_text::{Place, vocab::Vocab};

/// Reads instances line by line; owns the buffers of a thread.
#[derive(Debug, Default)]
pub struct Parser {
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
}

impl Parser {
    /// Reads one line and hands its rule on. The count may be missing (Moses' `extract` leaves it out) and is 1 then;
    /// a fifth field that is no two orientations is passed over, for Moses has other things there.
    pub fn line(
        &mut self,
        line: &str,
        place: &Place,
        vocab: &mut Vocab,
        sink: &mut impl RuleSink,
    ) -> Result<()> {
        let bad = |why: String| Error::BadInstance { place: place.clone(), why };
        let mut fields = Fields { rest: Some(line) };
        let (Some(source), Some(target), Some(links)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(bad("expected `source ||| target ||| links ||| count`".into()));
        };
        let (count_text, last) = (fields.next(), fields.next());
        match last.and_then(|name| Notation::from_name(name.trim_ascii())) {
            Some(notation) => {
                tree::read_pattern(source, notation, vocab, &mut self.source).map_err(bad)?;
                tree::read_pattern_target(target, notation, vocab, &mut self.target);
                if self.target.len() > usize::from(u8::MAX) {
                    return Err(bad("a side of more than 255 symbols".into()));
                }
            }
            None => {
                self.side(source, vocab, true).map_err(bad)?;
                self.side(target, vocab, false).map_err(bad)?;
            }
        }
        if self.source.is_empty() || self.target.is_empty() {
            return Err(bad("a rule needs words on both sides".into()));
        }
        self.read_links(links).map_err(bad)?;
        let count = match count_text.map(str::trim) {
            None | Some("") => 1.0,
            Some(text) => {
                count(text).ok_or_else(|| bad(format!("`{text}` is no count: expected a number above 0")))?
            }
        };
        let orientation = last.and_then(orientation);
        let (source, target, links) = (&self.source[..], &self.target[..], &self.links[..]);
        sink.rule(Instance { source, target, links, count, orientation });
        Ok(())
    }

    fn side(&mut self, text: &str, vocab: &mut Vocab, is_source: bool) -> std::result::Result<(), String> {
        let symbols = if is_source { &mut self.source } else { &mut self.target };
        symbols.clear();
        for token in text.split_ascii_whitespace() {
            let symbol = match bracketed(token) {
                None => Symbol::word(vocab.intern(token)),
                Some((source, Some(_))) if is_source => Symbol::var(vocab.intern(source)),
                Some((_, Some(_))) => Symbol::reference(u8::MAX),
                Some((label, None)) => Symbol::label(vocab.intern(label)),
            };
            symbols.push(symbol);
        }
        if symbols.len() > usize::from(u8::MAX) {
            return Err(format!("a side of {} symbols; at most 255 are possible", symbols.len()));
        }
        let last = symbols.len().saturating_sub(1);
        if let Some(at) = symbols.iter().position(|symbol| matches!(symbol.kind(), Kind::Label(_)))
            && at != last
        {
            return Err(
                "a label `[X]` stands before the end of its side: variables are written `[X][X]`".into()
            );
        }
        if !is_source && matches!(symbols.last().map(|symbol| symbol.kind()), Some(Kind::Label(_))) {
            symbols.pop();
        }
        Ok(())
    }

    /// Reads the links and numbers the target's variables by those that join variables.
    fn read_links(&mut self, text: &str) -> std::result::Result<(), String> {
        self.links.clear();
        for item in text.split_ascii_whitespace() {
            let link =
                item.split_once('-').and_then(|(src, tgt)| Some((src.parse().ok()?, tgt.parse().ok()?)));
            let (src, tgt): (u8, u8) = link.ok_or_else(|| format!("`{item}` is no link: expected `0-0`"))?;
            let (Some(&source), Some(&target)) =
                (self.source.get(usize::from(src)), self.target.get(usize::from(tgt)))
            else {
                return Err(format!("link `{item}` points outside its rule"));
            };
            match (source.is_var(), matches!(target.kind(), Kind::Ref(_))) {
                (false, false) => self.links.push(RuleLink::new(src, tgt)),
                (true, true) => {
                    let number =
                        self.source[..usize::from(src)].iter().filter(|symbol| symbol.is_var()).count();
                    self.target[usize::from(tgt)] = Symbol::reference(number as u8);
                }
                _ => return Err(format!("link `{item}` joins a word and a variable")),
            }
        }
        self.links.sort_unstable();
        self.links.dedup();
        let vars = self.source.iter().filter(|symbol| symbol.is_var()).count();
        let mut seen = [false; 256];
        let mut refs = 0;
        for target in &self.target {
            if let Kind::Ref(k) = target.kind() {
                refs += 1;
                if usize::from(k) >= vars || std::mem::replace(&mut seen[usize::from(k)], true) {
                    return Err("each variable needs one link to its partner".into());
                }
            }
        }
        if refs == vars {
            Ok(())
        } else {
            Err(format!("{vars} variables in the source side, {refs} in the target side"))
        }
    }
}

/// The fields of a line. A separator stands by itself: `|||` within a label is part of it.
struct Fields<'a> {
    rest: Option<&'a str>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        let mut from = 0;
        while let Some(at) = rest[from..].find("|||").map(|at| from + at) {
            let before = at.checked_sub(1).and_then(|before| rest.as_bytes().get(before));
            if space(before) && space(rest.as_bytes().get(at + 3)) {
                self.rest = Some(&rest[at + 3..]);
                return Some(&rest[..at]);
            }
            from = at + 1;
        }
        self.rest.take()
    }
}

/// `[X]` as `(X, None)`, `[X][Y]` as `(X, Some(Y))`.
fn bracketed(token: &str) -> Option<(&str, Option<&str>)> {
    let inner = token.strip_prefix('[')?.strip_suffix(']')?;
    match inner.split_once("][") {
        Some((source, target)) => Some((source, Some(target))),
        None if inner.is_empty() => None,
        None => Some((inner, None)),
    }
}

fn orientation(text: &str) -> Option<[Orientation; 2]> {
    let mut names = text.split_ascii_whitespace().map(Orientation::from_name);
    match (names.next(), names.next(), names.next()) {
        (Some(previous), Some(next), None) => Some([previous?, next?]),
        _ => None,
    }
}

fn count(text: &str) -> Option<f32> {
    text.split_ascii_whitespace().next()?.parse().ok().filter(|count: &f32| count.is_finite() && *count > 0.0)
}
