//! Tables from text: Moses' phrase and rule tables, its reordering tables and glue grammars. Lines come in any order;
//! they are sorted past `memory` in temporary files, and the distinct target sides are held in memory.

use super::{Entry, TableBuilder, Targets};
use crate::code;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::instance::RuleLink;
use crate::notation::{bracketed, unescape};
use crate::sort::{Chunk, Record, Sorter, push_varint, take_varint};
use crate::spool::Scratch;
use crate::symbol::{Kind, Symbol};
use crate::{heads, notation};
use rustc_hash::FxHashMap;
use std::path::Path;
use treeglot_text::vocab::Vocab;
use treeglot_text::{Input, Lines, Place};

const CHUNK: usize = 1 << 22;
const ANY_LABEL: &str = "X";
const RULE: u8 = 0;
const REORDERING: u8 = 1;

/// What an imported table says about itself, and how much memory importing may take.
#[derive(Debug, Clone, Default)]
pub struct Import {
    /// The model.
    pub model: String,
    /// About how many bytes may be used for sorting.
    pub memory: u64,
}

/// Writes a text table, and the reordering scores of a second one, as a table file; returns the number of rules.
pub fn import(
    rules: Input,
    reordering: Option<Input>,
    options: &Import,
    scratch: &Scratch,
    path: &Path,
) -> Result<usize> {
    let limit = usize::try_from(options.memory / 2).unwrap_or(usize::MAX);
    let mut reader = Reader { sorter: Sorter::new(limit, None, scratch), ..Reader::new(scratch) };
    let (name, has_reordering) = (rules.name.clone(), reordering.is_some());
    reader.read(rules, RULE)?;
    let columns = reader.columns;
    if let Some(reordering) = reordering {
        reader.read(reordering, REORDERING)?;
    }
    let Reader { mut sorter, chunk, vocab, .. } = reader;
    sorter.add(chunk)?;
    let names = score_names(columns);
    let builder = TableBuilder::new(None, &options.model, &names, has_reordering, Vec::new(), scratch)?;
    let targets = Targets::new(scratch)?;
    let mut writer = Writer { builder, targets, index: FxHashMap::default(), vocab, name, has_reordering };
    let mut sorted = sorter.finish()?;
    let (mut stream, mut record) = (sorted.stream()?, Record::default());
    let (mut source, mut rules) = (Vec::new(), Vec::new());
    while stream.next(&mut record)? {
        let after = code::Symbols(&record.key).after();
        let this = &record.key[..record.key.len() - after.len() - 1];
        if this != source {
            writer.source(&source, &mut rules)?;
            source.clear();
            source.extend_from_slice(this);
        }
        let target = &after[..after.len() - code::Symbols(after).after().len() - 1];
        writer.take(target, &record.payload, columns, &mut rules)?;
    }
    writer.source(&source, &mut rules)?;
    let written = writer.builder.len();
    writer.builder.finish(path, &writer.vocab, writer.targets)?;
    Ok(written)
}

fn score_names(columns: usize) -> Vec<String> {
    if columns == 4 {
        return ["p(s|t)", "lex(s|t)", "p(t|s)", "lex(t|s)"].map(String::from).to_vec();
    }
    (1..=columns).map(|k| format!("score{k}")).collect()
}

/// Reads lines into records of source side and target side.
struct Reader {
    vocab: Vocab,
    sorter: Sorter,
    chunk: Chunk,
    columns: usize,
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    key: Vec<u8>,
    payload: Vec<u8>,
}

impl Reader {
    fn new(scratch: &Scratch) -> Self {
        Self {
            vocab: Vocab::default(),
            sorter: Sorter::new(0, None, scratch),
            chunk: Chunk::default(),
            columns: 0,
            source: Vec::new(),
            target: Vec::new(),
            links: Vec::new(),
            key: Vec::new(),
            payload: Vec::new(),
        }
    }

    fn read(&mut self, input: Input, kind: u8) -> Result<()> {
        let mut lines = Lines::new(input.name, input.reader);
        let mut columns = None;
        loop {
            let place = Place::new(lines.name().clone(), lines.line() + 1);
            let Some(line) = lines.next_line()? else { break };
            let bad = |why: String| Error::BadInstance { place: place.clone(), why };
            let found = self.line(line, kind).map_err(bad)?;
            let expected = if kind == REORDERING { 6 } else { *columns.get_or_insert(found) };
            if found != expected || found > super::meta::MAX_SCORES {
                return Err(bad(format!("{found} scores, but {expected} are expected")));
            }
            if self.chunk.size() > CHUNK {
                self.sorter.add(std::mem::take(&mut self.chunk))?;
            }
        }
        if kind == RULE {
            self.columns = columns.unwrap_or(0);
        }
        Ok(())
    }

    /// Reads one line; returns how many scores it has.
    fn line(&mut self, line: &str, kind: u8) -> std::result::Result<usize, String> {
        let mut fields = line.split("|||");
        let (Some(source), Some(target), Some(scores)) = (fields.next(), fields.next(), fields.next()) else {
            return Err("expected `source ||| target ||| scores`".into());
        };
        self.sides(source, target)?;
        self.links(fields.next().unwrap_or_default())?;
        let counts = fields.next().unwrap_or_default();
        fields.try_for_each(|properties| heads::read(properties, &mut self.target))?;
        self.key.clear();
        code::push_all(&self.source, &mut self.key);
        self.key.push(code::END);
        code::push_all(&self.target, &mut self.key);
        self.key.push(code::END);
        self.payload.clear();
        self.payload.push(kind);
        let mut columns = 0;
        for text in scores.split_ascii_whitespace() {
            let score = text.parse::<f64>().ok().filter(|score| score.is_finite() && *score >= 0.0);
            let score =
                score.ok_or_else(|| format!("`{text}` is no score: expected a number of 0 or more"))?;
            self.payload.extend_from_slice(bytemuck::bytes_of(&Decimal::new(score)));
            columns += 1;
        }
        for count in read_counts(counts)? {
            self.payload.extend_from_slice(&count.to_le_bytes());
        }
        push_varint(self.links.len() as u64, &mut self.payload);
        self.payload.extend_from_slice(bytemuck::cast_slice(&self.links));
        self.chunk.push(&self.key, &self.payload);
        Ok(columns)
    }

    /// Reads both sides. A label is that of the target side, where Moses keeps it, unless only the source side has one
    /// that says something.
    fn sides(&mut self, source: &str, target: &str) -> std::result::Result<(), String> {
        self.source.clear();
        self.target.clear();
        let [mut source_label, mut target_label] = [None, None];
        for token in source.split_ascii_whitespace() {
            match bracketed(token) {
                Some((label, Some(other))) => {
                    self.source.push(Symbol::var(self.vocab.intern(either(label, other)?)));
                }
                Some((label, None)) => source_label = Some(label),
                None => self.source.push(Symbol::word(self.vocab.intern(&unescape(token)))),
            }
        }
        for token in target.split_ascii_whitespace() {
            match bracketed(token) {
                Some((_, Some(_))) => self.target.push(Symbol::reference(u8::MAX)),
                Some((label, None)) => target_label = Some(label),
                None => self.target.push(Symbol::word(self.vocab.intern(&unescape(token)))),
            }
        }
        if self.source.is_empty() || self.target.is_empty() {
            return Err("a rule needs words on both sides".into());
        }
        if let Some(label) = source_label.or(target_label) {
            let label = either(label, target_label.unwrap_or(label))?;
            self.source.push(Symbol::label(self.vocab.intern(label)));
        }
        if self.source.len().max(self.target.len()) > usize::from(u8::MAX) {
            return Err("a side of a rule has at most 255 symbols".into());
        }
        Ok(())
    }

    /// Reads links; those of variables number the target side's variables. Without any, they are in order.
    fn links(&mut self, text: &str) -> std::result::Result<(), String> {
        notation::read_links(text, &self.source, &mut self.target, &mut self.links)?;
        self.number_variables()
    }

    fn number_variables(&mut self) -> std::result::Result<(), String> {
        let variables = self.source.iter().filter(|symbol| symbol.is_var()).count();
        let mut numbers: Vec<u8> = Vec::new();
        for symbol in &mut self.target {
            if *symbol == Symbol::reference(u8::MAX) {
                *symbol = Symbol::reference(numbers.len() as u8);
            }
            if let Kind::Ref(k) = symbol.kind() {
                numbers.push(k);
            }
        }
        numbers.sort_unstable();
        if numbers.iter().copied().eq(0..variables as u8) {
            Ok(())
        } else {
            Err("each variable needs one link to its partner".into())
        }
    }
}

/// The counts of the target side, the source side and both; 0 for those that a table does not tell.
fn read_counts(text: &str) -> std::result::Result<[f32; 3], String> {
    let mut counts = [0.0; 3];
    for (count, text) in counts.iter_mut().zip(text.split_ascii_whitespace()) {
        let number = text.parse::<f32>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        *count = number.ok_or_else(|| format!("`{text}` is no count: expected a number of 0 or more"))?;
    }
    Ok(counts)
}

/// The one of two labels that says something.
fn either<'a>(source: &'a str, target: &'a str) -> std::result::Result<&'a str, String> {
    match (source == ANY_LABEL, target == ANY_LABEL) {
        (true, _) => Ok(target),
        (false, true) => Ok(source),
        (false, false) if source == target => Ok(source),
        _ => Err(format!("labels `{source}` and `{target}` of one variable: a table keeps one label")),
    }
}

struct Rule {
    target: u32,
    scores: Vec<Decimal>,
    counts: [f32; 3],
    links: Vec<RuleLink>,
    reordering: Option<[Decimal; 6]>,
}

/// Writes sorted records.
struct Writer {
    builder: TableBuilder,
    targets: Targets,
    index: FxHashMap<Box<[u8]>, u32>,
    vocab: Vocab,
    name: std::sync::Arc<str>,
    has_reordering: bool,
}

impl Writer {
    fn take(&mut self, target: &[u8], payload: &[u8], columns: usize, rules: &mut Vec<Rule>) -> Result<()> {
        let kind = payload[0];
        let count = if kind == REORDERING { 6 } else { columns };
        let (scores, rest) = payload[1..].split_at(4 * count);
        let scores: Vec<Decimal> = scores.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        if kind == REORDERING {
            let number = self.index.get(target).copied();
            let same = rules.iter_mut().find(|rule| Some(rule.target) == number);
            if let (Some(rule), Some(scores)) = (same, scores.first_chunk()) {
                rule.reordering = Some(*scores);
            }
            return Ok(());
        }
        let (counts, mut rest) = rest.split_at(12);
        let counts: [f32; 3] = bytemuck::pod_read_unaligned(counts);
        let links = take_varint(&mut rest) as usize;
        let links = bytemuck::cast_slice(&rest[..links * size_of::<RuleLink>()]).to_vec();
        let target = match self.index.get(target) {
            Some(&id) => id,
            None => {
                let id = self.targets.push(target, counts[0])?;
                self.index.insert(target.into(), id);
                id
            }
        };
        rules.push(Rule { target, scores, counts, links, reordering: None });
        Ok(())
    }

    /// Writes the rules of one source side, highest p(t|s) first.
    fn source(&mut self, source: &[u8], rules: &mut Vec<Rule>) -> Result<()> {
        let Some(first) = rules.first() else { return Ok(()) };
        self.builder.source(source, first.counts[1])?;
        let by = if first.scores.len() > 2 { 2 } else { 0 };
        let score = |rule: &Rule| rule.scores.get(by).map_or(0.0, |score| score.value());
        rules.sort_by(|a, b| score(b).total_cmp(&score(a)));
        for rule in rules.drain(..) {
            let reordering = match (self.has_reordering, rule.reordering) {
                (true, None) => return Err(self.no_reordering(source)),
                (_, scores) => scores.unwrap_or([Decimal::ZERO; 6]),
            };
            let (target, links, count) = (rule.target, &rule.links[..], rule.counts[2]);
            self.builder.rule(Entry { target, links, count, scores: &rule.scores, reordering })?;
        }
        Ok(())
    }

    fn no_reordering(&self, source: &[u8]) -> Error {
        let words = code::Symbols(source).filter_map(|symbol| match symbol.kind() {
            Kind::Word(sym) => Some(self.vocab.word(sym)),
            _ => None,
        });
        let source: Vec<&str> = words.collect();
        let why = format!("a rule of `{}` has no line in the reordering table", source.join(" "));
        Error::BadInstance { place: Place::new(self.name.clone(), 0), why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Dump, Table, dump};
    use treeglot_text::Output;

    fn input(text: &'static str) -> Input {
        Input { name: "moses".into(), reader: Box::new(text.as_bytes()) }
    }

    fn round_trip(text: &'static str, reordering: Option<&'static str>, what: Dump) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("table"), folder.path().join("text"));
        let scratch = Scratch::new(None);
        import(input(text), reordering.map(input), &Import::default(), &scratch, &path)?;
        let mut output = Output::create(&out).unwrap();
        dump(&Table::open(&path)?, what, 1 << 20, &scratch, &mut output)?;
        output.finish().unwrap();
        Ok(std::fs::read_to_string(out).unwrap())
    }

    #[test]
    fn a_table_of_moses_comes_back_as_it_was() {
        for text in [
            "! ||| ! ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||\n\
             &apos; s ||| &apos;s ||| 0.111111 0.0023068 0.666667 0.833333 ||| 0-0 1-0 ||| 18 3 2 ||| |||\n\
             &apos; s ||| terrible &apos;s ||| 1 0.0023068 0.333333 1.5e-17 ||| 0-1 1-1 ||| 1 3 1 ||| |||\n",
            "[X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 1 2 3 4 ||| 0-2 1-1 2-0 ||| 18 3.25 2 ||| |||\n",
            "<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 0 0 ||| |||\n\
             [X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 0 0 ||| |||\n",
            "der [X][X] [X] ||| the [X][X] [X] ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| ||| {{Heads 0 0}}\n\
             der [X][X] [X] ||| the [X][X] [X] ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| ||| {{Heads 2 0}}\n",
        ] {
            assert_eq!(round_trip(text, None, Dump::Rules).unwrap(), text);
        }
    }

    #[test]
    fn reordering_scores_join_their_rules() {
        let rules = "a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\na ||| c ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n";
        let reordering = "a ||| b ||| 0.6 0.2 0.2 0.6 0.2 0.2\na ||| c ||| 0.1 0.2 0.7 0.5 0.25 0.25\n";
        assert_eq!(round_trip(rules, Some(reordering), Dump::Reordering).unwrap(), reordering);
        let error = round_trip(rules, Some("a ||| b ||| 1 1 1 1 1 1\n"), Dump::Reordering).unwrap_err();
        assert_eq!(error.to_string(), "moses: a rule of `a` has no line in the reordering table");
    }

    #[test]
    fn what_is_no_table_is_an_error_with_its_line() {
        for (text, why) in [
            ("a ||| b\n", "moses:1: expected `source ||| target ||| scores`"),
            ("a ||| b ||| 1\na ||| c ||| 1 2\n", "moses:2: 2 scores, but 1 are expected"),
            ("a ||| b ||| x\n", "moses:1: `x` is no score: expected a number of 0 or more"),
            ("a ||| b ||| inf\n", "moses:1: `inf` is no score: expected a number of 0 or more"),
            ("a ||| b ||| 1 ||| ||| 1 x 1\n", "moses:1: `x` is no count: expected a number of 0 or more"),
            ("a ||| b ||| 1 ||| ||| 1 1 -1\n", "moses:1: `-1` is no count: expected a number of 0 or more"),
            ("a ||| b ||| 1 ||| ||| nan 1 1\n", "moses:1: `nan` is no count: expected a number of 0 or more"),
            ("a ||| b ||| 1 ||| 0-1\n", "moses:1: link `0-1` points outside its rule"),
            (
                "[X][X] a [X] ||| b [X] ||| 1 ||| 1-0\n",
                "moses:1: each variable needs one link to its partner",
            ),
            (
                "[A][B] a [X] ||| [A][B] b [X] ||| 1 ||| 0-0\n",
                "moses:1: labels `A` and `B` of one variable: a table keeps one label",
            ),
        ] {
            assert_eq!(round_trip(text, None, Dump::Rules).unwrap_err().to_string(), why);
        }
    }
}
