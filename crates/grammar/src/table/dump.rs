//! A table as text, in the format of Moses' phrase, rule and reordering tables, sorted as `LC_ALL=C sort` sorts them.
//!
//! ```text
//! source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| links ||| c(t) c(s) c(s,t) ||| |||
//! ```
//!
//! Moses' hierarchical decoder matches variables by the second of their two labels and by the label of the target side;
//! on the source side it expects `X`. So a variable is `[X][LABEL]`, and a rule `... [X] ||| ... [LABEL] ||| ...`.
//! The structure of a target side is a property at the end of its line: `{{Heads 2 0}}`. Tree-shaped source sides, which Moses does not know, are in brackets as among instances ([`crate::notation`]).

use super::{RuleId, Rules, Table};
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::instance::{Instance, RuleLink};
use crate::sort::{Chunk, Record, Sorter};
use crate::spool::Scratch;
use crate::symbol::{Kind, Symbol};
use crate::{heads, notation, pattern};
use std::borrow::Cow;
use std::io::Write;
use treeglot_text::Output;

const CHUNK: usize = 1 << 22;
const SOURCE_LABEL: &str = "X";

/// Which of the two text tables is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dump {
    /// Rules with their scores, links and counts.
    Rules,
    /// Rules with their reordering scores.
    Reordering,
}

/// Writes a table as text; more than about `memory` bytes of lines are sorted in temporary files.
pub fn dump(table: &Table, what: Dump, memory: u64, scratch: &Scratch, out: &mut Output) -> Result<()> {
    let mut sorter = Sorter::new(usize::try_from(memory / 2).unwrap_or(usize::MAX), None, scratch);
    let mut chunk = Chunk::default();
    let mut writer = LineWriter::new(table);
    table.walk(|rules| -> Result<()> {
        writer.source(&rules);
        for rule in rules.ids() {
            chunk.push(writer.line(&rules, rule, what), &[]);
        }
        if chunk.size() > CHUNK {
            sorter.add(std::mem::take(&mut chunk))?;
        }
        Ok(())
    })?;
    sorter.add(chunk)?;
    let mut sorted = sorter.finish()?;
    let (mut stream, mut line) = (sorted.stream()?, Record::default());
    while stream.next(&mut line)? {
        line.key.push(b'\n');
        out.write_all(&line.key).map_err(|source| Error::Text(out.error(source)))?;
    }
    Ok(())
}

/// Writes rules as lines; owns the buffers.
pub struct LineWriter<'a> {
    table: &'a Table,
    source: Vec<u8>,
    line: Vec<u8>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    points: Vec<String>,
}

impl<'a> LineWriter<'a> {
    /// A writer of the rules of a table.
    pub fn new(table: &'a Table) -> Self {
        let (source, line, target) = (Vec::new(), Vec::new(), Vec::new());
        Self { table, source, line, target, links: Vec::new(), points: Vec::new() }
    }

    /// Prepares the source side of the lines that follow; returns its text.
    pub fn source(&mut self, rules: &Rules<'_>) -> &[u8] {
        self.source.clear();
        if pattern::parts(rules.source).is_some() {
            notation::write_source(rules.source, |symbol| written(self.table, symbol), &mut self.source);
            return &self.source;
        }
        for (k, &symbol) in rules.source.iter().enumerate() {
            if k > 0 {
                self.source.push(b' ');
            }
            write_symbol(self.table, symbol, SOURCE_LABEL, &mut self.source);
        }
        &self.source
    }

    /// The line of one rule, without its end.
    pub fn line(&mut self, rules: &Rules<'_>, rule: RuleId, what: Dump) -> &[u8] {
        self.line.clear();
        self.line.extend_from_slice(&self.source);
        self.line.extend_from_slice(b" ||| ");
        self.target(rules, rule);
        self.line.extend_from_slice(b" |||");
        match what {
            Dump::Rules => self.scores(rules, rule),
            Dump::Reordering => self.reordering(rule),
        }
        &self.line
    }

    /// Appends the target side with the rule's label.
    fn target(&mut self, rules: &Rules<'_>, rule: RuleId) {
        let source = rules.source;
        self.table.target(rule, rules.node.variables(), &mut self.target);
        if pattern::parts(source).is_some() {
            let (target, links) = (&self.target[..], &[][..]);
            let instance = Instance { source, target, links, count: 0.0, orientation: None, origin: 0 };
            return notation::write_target(&instance, |symbol| written(self.table, symbol), &mut self.line);
        }
        for (k, &symbol) in heads::split(&self.target).0.iter().enumerate() {
            if k > 0 {
                self.line.push(b' ');
            }
            let symbol = match symbol.kind() {
                Kind::Ref(k) => {
                    variables(source).nth(usize::from(k)).map_or(symbol, |(_, variable)| variable)
                }
                _ => symbol,
            };
            write_symbol(self.table, symbol, SOURCE_LABEL, &mut self.line);
        }
        if let Some(label) = label(source) {
            self.line.push(b' ');
            let text = text(self.table, label);
            write_symbol(self.table, label, text, &mut self.line);
        }
    }

    fn scores(&mut self, rules: &Rules<'_>, rule: RuleId) {
        for k in 0..self.table.score_names().len() {
            put(&mut self.line, format_args!(" {}", self.table.probability(rule, k)));
        }
        self.line.extend_from_slice(b" |||");
        self.links(rules.source, rule);
        let counts = self.table.rule_counts(rule, rules.count);
        let [target, source, joint] =
            [counts.target, counts.source, counts.joint].map(|count| Decimal::new(f64::from(count)));
        put(&mut self.line, format_args!(" ||| {target} {source} {joint} ||| |||"));
        if let Some(structure) = heads::split(&self.target).1 {
            self.line.push(b' ');
            heads::write(structure, &mut self.line);
        }
    }

    /// Appends links: those of a phrase by target position, those of a rule as sorted text, as Moses has them.
    fn links(&mut self, source: &[Symbol], rule: RuleId) {
        self.table.links(rule, &mut self.links);
        if label(source).is_none() {
            self.links.sort_unstable_by_key(|link| (link.tgt, link.src));
            for link in &self.links {
                put(&mut self.line, format_args!(" {}-{}", link.src, link.tgt));
            }
            return;
        }
        for (k, &symbol) in self.target.iter().enumerate() {
            if let Kind::Ref(number) = symbol.kind()
                && let Some((at, _)) = variables(source).nth(usize::from(number))
            {
                self.links.push(RuleLink::new(at as u8, k as u8));
            }
        }
        self.points.clear();
        self.points.extend(self.links.iter().map(|link| format!("{}-{}", link.src, link.tgt)));
        self.points.sort_unstable();
        for point in &self.points {
            put(&mut self.line, format_args!(" {point}"));
        }
    }

    fn reordering(&mut self, rule: RuleId) {
        for score in self.table.reordering_probabilities(rule).into_iter().flatten() {
            put(&mut self.line, format_args!(" {score}"));
        }
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("memory takes every byte");
}

fn label(source: &[Symbol]) -> Option<Symbol> {
    source.last().copied().filter(|last| matches!(last.kind(), Kind::Label(_)))
}

fn variables(source: &[Symbol]) -> impl Iterator<Item = (usize, Symbol)> {
    source.iter().copied().enumerate().filter(|(_, symbol)| symbol.is_var())
}

/// The text of a word or label; empty for marks, and for a symbol that a damaged file invented.
pub fn text(table: &Table, symbol: Symbol) -> &str {
    match symbol.kind() {
        Kind::Word(sym) | Kind::Var(sym) | Kind::Label(sym) => table.vocab().word(sym).unwrap_or_default(),
        Kind::Ref(_) | Kind::Mark(_) => "",
    }
}

/// The same as it is written: words that would read as notation with entities.
fn written(table: &Table, symbol: Symbol) -> Cow<'_, str> {
    match symbol.is_word() {
        true => notation::escape(text(table, symbol)),
        false => Cow::Borrowed(text(table, symbol)),
    }
}

fn write_symbol(table: &Table, symbol: Symbol, label: &str, out: &mut Vec<u8>) {
    let text = text(table, symbol);
    match symbol.kind() {
        Kind::Var(_) => put(out, format_args!("[{label}][{text}]")),
        Kind::Label(_) => put(out, format_args!("[{label}]")),
        Kind::Mark(sign) => put(out, format_args!("{}", char::from(sign))),
        _ => out.extend_from_slice(written(table, symbol).as_bytes()),
    }
}
