//! Rule instances as text, in Moses' notation: `source ||| target ||| links ||| count`. Words stand for themselves, a
//! variable is `[X][X]` and the label that the rule builds is a last `[X]` on both sides:
//!
//! ```text
//! [X][X] house [X] ||| casa [X][X] [X] ||| 1-0 0-1 ||| 1
//! ```
//!
//! A phrase pair has no label; its orientations to the phrases before and after it are a fifth field, which Moses'
//! `score` passes over:
//!
//! ```text
//! das haus ||| the house ||| 0-0 1-1 ||| 1 ||| mono other
//! ```
//!
//! The links of a variable tell which target variable stands for which source variable.

use crate::error::{Error, Result};
use crate::instance::{Batch, Instance, Orientation, RuleLink, RuleSink};
use crate::symbol::{Kind, Symbol};
use std::borrow::Cow;
use std::io::Write;
use treeglot_text::{Place, vocab::Vocab};

/// A word as it may stand in a rule: words that would read as notation (`|||`, `[X]`) are written with the entities
/// of Moses' tokeniser, all others stay as they are.
pub fn escape(word: &str) -> Cow<'_, str> {
    let bracketed = word.starts_with('[') && word.ends_with(']');
    if !bracketed && !word.contains("|||") {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.replace('|', "&#124;").replace('[', "&#91;").replace(']', "&#93;"))
}

/// Appends all instances of a batch, a line each.
pub fn write_batch(batch: &Batch, out: &mut Vec<u8>) {
    let table = Texts::new(batch);
    batch.instances().for_each(|instance| write_line(&instance, |symbol| table.text(symbol), out));
}

/// Appends the orientations of a batch as Moses' `extract.o` has them: `source ||| target ||| mono other`.
pub fn write_orientations(batch: &Batch, out: &mut Vec<u8>) {
    let table = Texts::new(batch);
    for instance in batch.instances() {
        let Some(orientation) = instance.orientation else { continue };
        write_source(instance.source, |symbol| table.text(symbol), out);
        out.extend_from_slice(b" ||| ");
        write_target(&instance, |symbol| table.text(symbol), out);
        out.extend_from_slice(b" ||| ");
        write_orientation(orientation, out);
        out.push(b'\n');
    }
}

/// The texts of a batch's words, each looked up once.
struct Texts<'a>(Vec<&'a str>);

impl<'a> Texts<'a> {
    fn new(batch: &'a Batch) -> Self {
        Self(batch.vocab.words().collect())
    }

    fn text(&self, symbol: Symbol) -> &'a str {
        match symbol.kind() {
            Kind::Word(sym) | Kind::Var(sym) | Kind::Label(sym) => self.0[sym.ix()],
            _ => "",
        }
    }
}

/// Appends one instance as a line. `words` gives the text of words and labels.
pub fn write_line<'v>(instance: &Instance<'_>, words: impl Fn(Symbol) -> &'v str + Copy, out: &mut Vec<u8>) {
    write_source(instance.source, words, out);
    out.extend_from_slice(b" ||| ");
    write_target(instance, words, out);
    out.extend_from_slice(b" ||| ");
    write_links(instance, out);
    out.extend_from_slice(b" ||| ");
    write_count(instance.count, out);
    if let Some(orientation) = instance.orientation {
        out.extend_from_slice(b" ||| ");
        write_orientation(orientation, out);
    }
    out.push(b'\n');
}

fn write_orientation([previous, next]: [Orientation; 2], out: &mut Vec<u8>) {
    out.extend_from_slice(previous.name().as_bytes());
    out.push(b' ');
    out.extend_from_slice(next.name().as_bytes());
}

/// Appends a count with six significant digits, as C's `%g` writes it.
pub fn write_count(count: f32, out: &mut Vec<u8>) {
    const POWERS: [u64; 10] =
        [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
    if count.fract() == 0.0 && (0.0..1e6).contains(&count) {
        return write_integer(count as u32, out);
    }
    let value = f64::from(count);
    // The product of 24 bits and 5^9 has at most 45: it is exact, and so is rounding it.
    let fits = |&decimals: &usize| value * POWERS[decimals] as f64 >= 1e5;
    let decimals = (0..POWERS.len()).find(fits).filter(|_| (1e-4..999_999.5).contains(&value));
    let Some(decimals) = decimals else { return write_exponent(value, out) };
    let digits = (value * POWERS[decimals] as f64).round_ties_even() as u64;
    write_integer((digits / POWERS[decimals]) as u32, out);
    let mut rest = digits % POWERS[decimals];
    if rest == 0 {
        return;
    }
    out.push(b'.');
    for power in POWERS[..decimals].iter().rev() {
        out.push(b'0' + (rest / power) as u8);
        rest %= power;
        if rest == 0 {
            return;
        }
    }
}

/// `1.5e-05`: numbers that are written with an exponent.
fn write_exponent(value: f64, out: &mut Vec<u8>) {
    let text = format!("{value:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    write!(out, "{digits}e{sign}{exponent:0>2}").expect("memory takes every byte");
}

fn write_integer(mut number: u32, out: &mut Vec<u8>) {
    if number < 10 {
        return out.push(b'0' + number as u8);
    }
    let start = out.len();
    while number > 0 {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
    }
    out[start..].reverse();
}

/// Appends a source side.
pub fn write_source<'v>(source: &[Symbol], words: impl Fn(Symbol) -> &'v str, out: &mut Vec<u8>) {
    for (k, &symbol) in source.iter().enumerate() {
        if k > 0 {
            out.push(b' ');
        }
        match symbol.kind() {
            Kind::Var(_) => bracket_twice(words(symbol), out),
            Kind::Label(_) => bracket(words(symbol), out),
            _ => out.extend_from_slice(words(symbol).as_bytes()),
        }
    }
}

/// Appends a target side, with the label of the source side where it has one.
pub fn write_target<'v>(instance: &Instance<'_>, words: impl Fn(Symbol) -> &'v str, out: &mut Vec<u8>) {
    for (k, &symbol) in instance.target.iter().enumerate() {
        if k > 0 {
            out.push(b' ');
        }
        match symbol.kind() {
            Kind::Ref(k) => {
                bracket_twice(variable(instance.source, k).map_or("X", |(_, var)| words(var)), out);
            }
            _ => out.extend_from_slice(words(symbol).as_bytes()),
        }
    }
    if let Some(&label) = instance.source.last().filter(|last| matches!(last.kind(), Kind::Label(_))) {
        out.push(b' ');
        bracket(words(label), out);
    }
}

/// Appends the links by target position: those of words, then those of variables, as Moses orders them.
pub fn write_links(instance: &Instance<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    let mut write = |src: u32, tgt: u32| {
        if out.len() > start {
            out.push(b' ');
        }
        write_integer(src, out);
        out.push(b'-');
        write_integer(tgt, out);
    };
    for target in 0..instance.target.len() {
        for link in instance.links.iter().filter(|link| usize::from(link.tgt) == target) {
            write(u32::from(link.src), u32::from(link.tgt));
        }
    }
    for (target, symbol) in instance.target.iter().enumerate() {
        if let Kind::Ref(k) = symbol.kind()
            && let Some((source, _)) = variable(instance.source, k)
        {
            write(source as u32, target as u32);
        }
    }
}

/// The position and symbol of source variable `k`.
fn variable(source: &[Symbol], k: u8) -> Option<(usize, Symbol)> {
    source.iter().copied().enumerate().filter(|(_, symbol)| symbol.is_var()).nth(usize::from(k))
}

fn bracket(label: &str, out: &mut Vec<u8>) {
    out.push(b'[');
    out.extend_from_slice(label.as_bytes());
    out.push(b']');
}

fn bracket_twice(label: &str, out: &mut Vec<u8>) {
    bracket(label, out);
    bracket(label, out);
}

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
        let mut fields = line.split("|||");
        let (Some(source), Some(target), Some(links)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(bad("expected `source ||| target ||| links ||| count`".into()));
        };
        self.side(source, vocab, true).map_err(bad)?;
        self.side(target, vocab, false).map_err(bad)?;
        if self.source.is_empty() || self.target.is_empty() {
            return Err(bad("a rule needs words on both sides".into()));
        }
        self.read_links(links).map_err(bad)?;
        let count = match fields.next().map(str::trim) {
            None | Some("") => 1.0,
            Some(text) => {
                count(text).ok_or_else(|| bad(format!("`{text}` is no count: expected a number above 0")))?
            }
        };
        let orientation = fields.next().and_then(orientation);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::Batch;

    fn round_trip(line: &str) -> String {
        let mut vocab = Vocab::default();
        let mut batch = Batch::default();
        Parser::default().line(line, &Place::new("rules", 3), &mut vocab, &mut batch).unwrap();
        batch.vocab = vocab;
        let mut out = Vec::new();
        write_batch(&batch, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rules_and_phrases_come_back_as_they_were_written() {
        for line in [
            "zwei junge ||| two young , ||| 0-0 1-1 ||| 1\n",
            "[X][X] house [X] ||| casa [X][X] [X] ||| 1-0 0-1 ||| 1\n",
            "[X][X] gab [X][X] [X] ||| [X][X] gave [X][X] [X] ||| 1-1 2-0 0-2 ||| 0.25\n",
            "das haus ||| the house ||| 0-0 1-1 ||| 1 ||| mono other\n",
        ] {
            assert_eq!(round_trip(line), line);
        }
    }

    #[test]
    fn a_missing_count_is_one_and_later_fields_are_left_alone() {
        assert_eq!(round_trip("a ||| b ||| 0-0"), "a ||| b ||| 0-0 ||| 1\n");
        assert_eq!(round_trip("a ||| b ||| 0-0 ||| 0.5 ||| "), "a ||| b ||| 0-0 ||| 0.5\n");
        assert_eq!(round_trip("a ||| b ||| 0-0 ||| 1 ||| 0.25 ||| {{Tree [X]}}"), "a ||| b ||| 0-0 ||| 1\n");
    }

    fn count_text(count: f32) -> String {
        let mut out = Vec::new();
        write_count(count, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn counts_have_six_significant_digits() {
        for (count, text) in [
            (1.0, "1"),
            (12.0, "12"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            (1.0 / 512.0, "0.00195312"),
            (1.0 / 3000.0, "0.000333333"),
            (10.25, "10.25"),
            (0.999_999_94, "1"),
            (123_456.79, "123457"),
            (1e6, "1e+06"),
            (0.000_015, "1.5e-05"),
        ] {
            assert_eq!(count_text(count), text);
        }
    }

    #[test]
    fn orientations_have_a_file_of_their_own_in_moses_format() {
        let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
        let line = "das haus ||| the house ||| 0-0 1-1 ||| 1 ||| swap other";
        Parser::default().line(line, &Place::new("rules", 1), &mut vocab, &mut batch).unwrap();
        batch.vocab = vocab;
        let mut out = Vec::new();
        write_orientations(&batch, &mut out);
        assert_eq!(out, b"das haus ||| the house ||| swap other\n");
    }

    proptest::proptest! {
        #[test]
        fn a_count_is_read_back_to_six_digits(count in 0.0001f32..999_999.0) {
            let read: f64 = count_text(count).parse().unwrap();
            let exact: f64 = format!("{count:.5e}").parse().unwrap();
            proptest::prop_assert_eq!(read, exact);
        }
    }

    #[test]
    fn what_is_no_rule_is_an_error_with_its_place() {
        for (line, why) in [
            ("a ||| b", "expected `source"),
            (" ||| b ||| ", "both sides"),
            ("a ||| b ||| 0-1", "outside"),
            ("a ||| b ||| 0:0", "no link"),
            ("[X][X] a [X] ||| b [X] ||| 1-0", "1 variables"),
            ("[X][X] a [X] ||| [X][X] b [X] ||| 1-1", "one link"),
            ("[X][X] a [X] ||| [X][X] b [X] ||| 0-1", "word and a variable"),
            ("a [X] b ||| c ||| 0-0", "before the end"),
            ("a ||| b ||| 0-0 ||| -1", "no count"),
        ] {
            let (mut vocab, mut batch) = (Vocab::default(), Batch::default());
            let error =
                Parser::default().line(line, &Place::new("rules", 3), &mut vocab, &mut batch).unwrap_err();
            assert!(
                error.to_string().starts_with("rules:3: ") && error.to_string().contains(why),
                "{line}: {error}"
            );
        }
    }

    #[test]
    fn words_that_read_as_notation_are_escaped() {
        assert_eq!(escape("[X]"), "&#91;X&#93;");
        assert_eq!(escape("|||"), "&#124;&#124;&#124;");
        assert_eq!(escape("["), "[");
        assert_eq!(escape("a|b"), "a|b");
    }
}
