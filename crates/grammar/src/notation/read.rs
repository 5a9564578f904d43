//! Instances read from Moses' notation.

use super::tree::{self, Notation};
use super::write::ORIGIN;
use crate::error::{Error, Result};
use crate::heads;
use crate::instance::{Instance, MAX_ORIGINS, Orientation, RuleLink, RuleSink};
use crate::symbol::{Kind, Symbol};
use std::ops::Range;
use treeglot_text::{Place, vocab::Vocab};

/// Reads instances line by line; owns the buffers of a thread. All lines are read into one vocabulary.
#[derive(Default)]
pub struct Parser {
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    recent: Recent,
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
        let mut fields = Fields { line, next: Some(0) };
        let (Some(source), Some(target), Some(links)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(bad("expected `source ||| target ||| links ||| count`".into()));
        };
        let count_text = fields.next();
        let properties = fields.next.map_or("", |start| &line[start..]);
        let last = fields.next();
        let last = last.map(|field| &line[field]);
        match last.and_then(|name| Notation::from_name(name.trim_ascii())) {
            Some(notation) => {
                tree::read_pattern(&line[source], notation, vocab, &mut self.source).map_err(bad)?;
                tree::read_pattern_target(&line[target], notation, vocab, &mut self.target);
                if self.target.len() > usize::from(u8::MAX) {
                    return Err(bad("a side of more than 255 symbols".into()));
                }
            }
            None => {
                self.side(line, source, vocab, true).map_err(bad)?;
                self.side(line, target, vocab, false).map_err(bad)?;
            }
        }
        if self.source.is_empty() || self.target.is_empty() {
            return Err(bad("a rule needs words on both sides".into()));
        }
        self.read_links(&line[links]).map_err(bad)?;
        let count = match count_text.map(|field| line[field].trim()) {
            None | Some("" | "1") => 1.0,
            Some(text) => {
                count(text).ok_or_else(|| bad(format!("`{text}` is no count: expected a number above 0")))?
            }
        };
        let orientation = last.and_then(orientation);
        let origin = match memchr::memmem::find(properties.as_bytes(), b"{{") {
            None => 0,
            Some(_) => {
                heads::read(properties, &mut self.target).map_err(bad)?;
                origin(properties).map_err(bad)?
            }
        };
        let (source, target, links) = (&self.source[..], &self.target[..], &self.links[..]);
        sink.rule(Instance { source, target, links, count, orientation, origin });
        Ok(())
    }

    fn side(
        &mut self,
        line: &str,
        field: Range<usize>,
        vocab: &mut Vocab,
        is_source: bool,
    ) -> std::result::Result<(), String> {
        let Self { source, target, recent, .. } = self;
        let symbols = if is_source { source } else { target };
        symbols.clear();
        for token in tokens(line, field) {
            symbols.push(recent.symbol(line, token, is_source, |token| symbol(token, vocab, is_source)));
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

    fn read_links(&mut self, text: &str) -> std::result::Result<(), String> {
        read_links(text, &self.source, &mut self.target, &mut self.links)?;
        self.check_variables()
    }

    fn check_variables(&self) -> std::result::Result<(), String> {
        let vars = self.source.iter().filter(|symbol| symbol.is_var()).count();
        let mut seen = [0u64; 4];
        let mut refs = 0;
        for target in &self.target {
            if let Kind::Ref(k) = target.kind() {
                refs += 1;
                let (word, bit) = (usize::from(k / 64), 1 << (k % 64));
                if usize::from(k) >= vars || seen[word] & bit != 0 {
                    return Err("each variable needs one link to its partner".into());
                }
                seen[word] |= bit;
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
    line: &'a str,
    next: Option<usize>,
}

impl Iterator for Fields<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.next?;
        let rest = &self.line.as_bytes()[start..];
        let space = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        let alone = |at: usize| {
            space(at.checked_sub(1).and_then(|before| rest.get(before))) && space(rest.get(at + 3))
        };
        let end = memchr::memchr_iter(b'|', rest).find(|&at| rest[at..].starts_with(b"|||") && alone(at));
        self.next = end.map(|end| start + end + 3);
        Some(start..end.map_or(self.line.len(), |end| start + end))
    }
}

/// Where the tokens of a field lie.
fn tokens(line: &str, field: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = &line.as_bytes()[..field.end];
    let mut at = field.start;
    std::iter::from_fn(move || {
        while bytes.get(at)?.is_ascii_whitespace() {
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            at += 1;
        }
        Some(start..at)
    })
}

fn symbol(token: &str, vocab: &mut Vocab, is_source: bool) -> Symbol {
    match bracketed(token) {
        None => Symbol::word(vocab.intern(&super::unescape(token))),
        Some((source, Some(_))) if is_source => Symbol::var(vocab.intern(source)),
        Some((_, Some(_))) => Symbol::reference(u8::MAX),
        Some((label, None)) => Symbol::label(vocab.intern(label)),
    }
}

/// The symbols of short tokens seen lately: neighbouring rules have most of their words in common.
struct Recent(Box<[(u128, Symbol)]>);

impl Default for Recent {
    fn default() -> Self {
        Self(vec![(0, Symbol::reference(0)); Self::SLOTS].into())
    }
}

impl Recent {
    const SLOTS: usize = 1 << 11;
    /// The longest token that is remembered: a key has its bytes, its length and its side.
    const LONGEST: usize = 15;

    #[inline]
    fn symbol(
        &mut self,
        line: &str,
        token: Range<usize>,
        is_source: bool,
        make: impl FnOnce(&str) -> Symbol,
    ) -> Symbol {
        let length = token.len();
        let bytes = line.as_bytes().get(token.start..).and_then(<[u8]>::first_chunk);
        let (1..=Self::LONGEST, Some(bytes)) = (length, bytes) else { return make(&line[token]) };
        let text = u128::from_le_bytes(*bytes) & ((1 << (8 * length)) - 1);
        let key = text | (length as u128 | u128::from(is_source) << 7) << 120;
        let mixed = ((key >> 64) as u64 ^ (key as u64).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.0[(mixed >> 53) as usize];
        if slot.0 != key {
            *slot = (key, make(&line[token]));
        }
        slot.1
    }
}

/// Reads links, sorted and distinct; those that join variables number the target side's.
pub(crate) fn read_links(
    text: &str,
    source: &[Symbol],
    target: &mut [Symbol],
    links: &mut Vec<RuleLink>,
) -> std::result::Result<(), String> {
    links.clear();
    for token in tokens(text, 0..text.len()) {
        let item = &text[token];
        let (src, tgt) = link(item).ok_or_else(|| format!("`{item}` is no link: expected `0-0`"))?;
        let (Some(from), Some(to)) = (source.get(usize::from(src)), target.get_mut(usize::from(tgt))) else {
            return Err(format!("link `{item}` points outside its rule"));
        };
        match (from.is_var(), matches!(to.kind(), Kind::Ref(_))) {
            (false, false) => links.push(RuleLink::new(src, tgt)),
            (true, true) => {
                let before = source[..usize::from(src)].iter().filter(|symbol| symbol.is_var()).count();
                *to = Symbol::reference(before as u8);
            }
            _ => return Err(format!("link `{item}` joins a word and a variable")),
        }
    }
    links.sort_unstable();
    links.dedup();
    Ok(())
}

/// `3-14` as its numbers.
fn link(text: &str) -> Option<(u8, u8)> {
    if let &[src @ b'0'..=b'9', b'-', tgt @ b'0'..=b'9'] = text.as_bytes() {
        return Some((src - b'0', tgt - b'0'));
    }
    let (src, tgt) = text.split_once('-')?;
    Some((src.parse().ok()?, tgt.parse().ok()?))
}

/// `[X]` as `(X, None)`, `[X][Y]` as `(X, Some(Y))`.
pub(crate) fn bracketed(token: &str) -> Option<(&str, Option<&str>)> {
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

/// The source that an instance comes from, from 0; the first if it is not told.
fn origin(properties: &str) -> std::result::Result<u8, String> {
    let Some((_, rest)) = properties.split_once(ORIGIN) else { return Ok(0) };
    let number = rest.split("}}").next().unwrap_or_default();
    let origin = number.parse().ok().filter(|origin: &u8| (1..=MAX_ORIGINS).contains(origin));
    let bad = || format!("`{number}` is no source of instances: they count from 1 to {MAX_ORIGINS}");
    origin.map(|origin| origin - 1).ok_or_else(bad)
}

fn count(text: &str) -> Option<f32> {
    text.split_ascii_whitespace().next()?.parse().ok().filter(|count: &f32| count.is_finite() && *count > 0.0)
}
