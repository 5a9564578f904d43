//! Instances written in Moses' notation.

use super::escape;
use super::tree::{self, Notation};
use crate::instance::{Batch, Instance, Orientation};
use crate::symbol::{Kind, Symbol};
use crate::{heads, pattern};
use std::borrow::Cow;
use std::io::Write;

/// What begins the property that tells which of several sources an instance comes from, from 1; the first is not told.
pub(super) const ORIGIN: &str = "{{From ";

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

/// The texts of a batch's words and labels, each looked up once; words as they are written.
struct Texts<'a> {
    words: Vec<Cow<'a, str>>,
    labels: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn new(batch: &'a Batch) -> Self {
        Self { words: batch.vocab.words().map(escape).collect(), labels: batch.vocab.words().collect() }
    }

    fn text(&self, symbol: Symbol) -> Cow<'_, str> {
        Cow::Borrowed(match symbol.kind() {
            Kind::Word(sym) => &self.words[sym.ix()],
            Kind::Var(sym) | Kind::Label(sym) => self.labels[sym.ix()],
            _ => "",
        })
    }
}

/// Appends one instance as a line. `words` gives the text of labels, and of words as they are written ([`escape`]).
pub fn write_line<'v>(
    instance: &Instance<'_>,
    words: impl Fn(Symbol) -> Cow<'v, str> + Copy,
    out: &mut Vec<u8>,
) {
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
    if let Some((_, shape)) = pattern::parts(instance.source) {
        out.extend_from_slice(b" ||| ");
        out.extend_from_slice(Notation::from(shape).name().as_bytes());
    }
    write_properties(instance, out);
    out.push(b'\n');
}

/// Appends heads and origin as Moses writes properties of rules, in a field of their own.
fn write_properties(instance: &Instance<'_>, out: &mut Vec<u8>) {
    let structure = heads::split(instance.target).1;
    if structure.is_some() || instance.origin > 0 {
        out.extend_from_slice(b" |||");
    }
    if let Some(structure) = structure {
        out.push(b' ');
        heads::write(structure, out);
    }
    if instance.origin > 0 {
        out.extend_from_slice(b" ");
        out.extend_from_slice(ORIGIN.as_bytes());
        write_integer(u32::from(instance.origin) + 1, out);
        out.extend_from_slice(b"}}");
    }
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
pub fn write_source<'v>(source: &[Symbol], words: impl Fn(Symbol) -> Cow<'v, str>, out: &mut Vec<u8>) {
    if let Some(pattern) = pattern::parts(source) {
        return tree::write_pattern(pattern, words, out);
    }
    for (k, &symbol) in source.iter().enumerate() {
        if k > 0 {
            out.push(b' ');
        }
        match symbol.kind() {
            Kind::Var(_) => bracket_twice(&words(symbol), out),
            Kind::Label(_) => bracket(&words(symbol), out),
            _ => out.extend_from_slice(words(symbol).as_bytes()),
        }
    }
}

/// Appends a target side, with the label of the source side where it has one.
pub fn write_target<'v>(instance: &Instance<'_>, words: impl Fn(Symbol) -> Cow<'v, str>, out: &mut Vec<u8>) {
    if let Some((_, shape)) = pattern::parts(instance.source) {
        return tree::write_pattern_target(instance.target, shape.into(), words, out);
    }
    for (k, &symbol) in heads::split(instance.target).0.iter().enumerate() {
        if k > 0 {
            out.push(b' ');
        }
        match symbol.kind() {
            Kind::Ref(k) => {
                let label = variable(instance.source, k).map_or(Cow::Borrowed("X"), |(_, var)| words(var));
                bracket_twice(&label, out);
            }
            _ => out.extend_from_slice(words(symbol).as_bytes()),
        }
    }
    if let Some(&label) = instance.source.last().filter(|last| matches!(last.kind(), Kind::Label(_))) {
        out.push(b' ');
        bracket(&words(label), out);
    }
}

/// Appends the links by target position: those of words, then those of variables, as Moses orders them. Variables of
/// tree-shaped patterns have numbers and need no links.
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
    if pattern::parts(instance.source).is_some() {
        return;
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
