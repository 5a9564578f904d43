//! Writing a table: source sides come in the order of their codes, each followed by its rules, best first. What grows
//! with the number of rules is put aside in temporary files; the trie, distinct links and distinct values are in memory.

use super::columns::{BookWriter, MAX_SCORES, Meta, tags};
use super::{KIND, VERSION};
use crate::code;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::instance::RuleLink;
use crate::packed;
use crate::spool::{Scratch, Spool, SpoolReader};
use rustc_hash::FxHashMap;
use std::path::Path;
use treeglot_text::mapped::{MappedWriter, Tag};
use treeglot_text::vocab::{self, Vocab};

/// A rule to be written.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The number of its target side in the [`Targets`] given at the end.
    pub target: u32,
    /// Links between words, sorted.
    pub links: &'a [RuleLink],
    /// How often it was seen.
    pub count: f32,
    /// One score a name.
    pub scores: &'a [Decimal],
    /// Reordering scores, for a table that has them.
    pub reordering: [Decimal; 6],
}

/// Writes a table file.
pub struct TableBuilder {
    meta: Meta,
    levels: Vec<Level>,
    last: Vec<u32>,
    sources: u32,
    first_rules: Spool,
    source_counts: BookWriter<f32, u32>,
    rules: u32,
    targets: Spool,
    links: LinkBook,
    joint_counts: BookWriter<f32, u32>,
    scores: Vec<BookWriter<Decimal, Decimal>>,
    reordering: BookWriter<[Decimal; 6], [Decimal; 6]>,
}

/// The nodes of one depth, from left to right.
#[derive(Default)]
struct Level {
    symbols: Vec<u32>,
    /// For each node, how many nodes of the next level are left of its children.
    children: Vec<u32>,
    /// For each node, the source side that ends there plus 1.
    sources: Vec<u32>,
}

struct LinkBook {
    index: FxHashMap<Box<[RuleLink]>, u32>,
    ends: Vec<u32>,
    pairs: Vec<RuleLink>,
    ids: Spool,
}

impl TableBuilder {
    /// A table of rules with these scores. `notes` are names and values for whoever looks at the file.
    pub fn new(
        model: &str,
        score_names: &[String],
        reordering: bool,
        notes: Vec<(String, String)>,
        scratch: &Scratch,
    ) -> Result<Self> {
        let score_names: Vec<String> = score_names.iter().take(MAX_SCORES).cloned().collect();
        let scores = score_names.iter().map(|_| BookWriter::new(scratch)).collect::<Result<_>>()?;
        let links = LinkBook {
            index: FxHashMap::default(),
            ends: Vec::new(),
            pairs: Vec::new(),
            ids: scratch.spool()?,
        };
        let mut root = Level::default();
        root.add(0, 0);
        Ok(Self {
            meta: Meta { model: model.to_string(), score_names, reordering, notes },
            levels: vec![root],
            last: Vec::new(),
            sources: 0,
            first_rules: scratch.spool()?,
            source_counts: BookWriter::new(scratch)?,
            rules: 0,
            targets: scratch.spool()?,
            links,
            joint_counts: BookWriter::new(scratch)?,
            scores,
            reordering: BookWriter::new(scratch)?,
        })
    }

    /// Begins the rules of a source side, given by its code. Codes come in ascending order.
    pub fn source(&mut self, source: &[u8], count: f32) -> Result<()> {
        let numbers: Vec<u32> = code::Symbols(source).map(code::number).collect();
        debug_assert!(self.last < numbers, "source sides come in order");
        let shared = self.last.iter().zip(&numbers).take_while(|(a, b)| a == b).count();
        for (depth, &number) in numbers.iter().enumerate().skip(shared) {
            let below = self.levels.get(depth + 2).map_or(0, |level| level.symbols.len());
            if self.levels.len() == depth + 1 {
                self.levels.push(Level::default());
            }
            self.levels[depth + 1].add(number, below as u32);
        }
        self.sources += 1;
        if let Some(source) = self.levels[numbers.len()].sources.last_mut() {
            *source = self.sources;
        }
        self.last = numbers;
        self.first_rules.push(self.rules)?;
        self.source_counts.push(count.to_bits(), count)
    }

    /// Appends a rule of the source side begun last.
    pub fn rule(&mut self, entry: Entry<'_>) -> Result<()> {
        self.rules = self.rules.checked_add(1).ok_or(Error::TooManyRules)?;
        self.targets.push(entry.target)?;
        self.links.push(entry.links)?;
        self.joint_counts.push(entry.count.to_bits(), entry.count)?;
        for (column, &score) in self.scores.iter_mut().zip(entry.scores) {
            column.push(score, score)?;
        }
        if self.meta.reordering {
            self.reordering.push(entry.reordering, entry.reordering)?;
        }
        Ok(())
    }

    /// How many rules it has so far.
    pub fn len(&self) -> usize {
        self.rules as usize
    }

    /// Whether it has no rules yet.
    pub fn is_empty(&self) -> bool {
        self.rules == 0
    }

    /// Writes the file. `vocab` has the words and labels of all symbols.
    pub fn finish(mut self, path: &Path, vocab: &Vocab, targets: Targets) -> Result<()> {
        self.first_rules.push(self.rules)?;
        let mut out = MappedWriter::create(path, KIND, VERSION, &self.sections())?;
        self.meta.write(&mut out)?;
        vocab.write_sections(&mut out)?;
        write_trie(&self.levels, self.sources, &mut out)?;
        let (sources, rules) = (self.sources as usize, self.rules as usize);
        let first = self.first_rules.read()?.numbers(sources + 1).collect::<std::io::Result<Vec<_>>>();
        let first = first.map_err(|source| targets.scratch.error(source))?;
        packed::write(
            &mut out,
            tags::FIRST_RULES,
            packed::width(self.rules),
            sources + 1,
            first.into_iter().map(Ok),
        )?;
        self.source_counts.write(&mut out, tags::SOURCE_COUNTS, tags::SOURCE_COUNTS_BOOK)?;
        let renumbered = targets.write(&mut out, self.targets.read()?, rules)?;
        write_numbers(&mut out, tags::TARGETS, &renumbered)?;
        self.links.write(&mut out, rules)?;
        self.joint_counts.write(&mut out, tags::JOINT_COUNTS, tags::JOINT_COUNTS_BOOK)?;
        for (k, column) in self.scores.into_iter().enumerate() {
            let (ids, book) = tags::score(k);
            column.write(&mut out, ids, book)?;
        }
        if self.meta.reordering {
            self.reordering.write(&mut out, tags::REORDERING, tags::REORDERING_BOOK)?;
        }
        Ok(out.finish()?)
    }

    fn sections(&self) -> Vec<Tag> {
        let mut sections = vec![tags::META];
        sections.extend(vocab::SECTIONS);
        sections.extend([tags::SYMBOLS, tags::CHILDREN, tags::SOURCES, tags::FIRST_RULES]);
        sections.extend([tags::SOURCE_COUNTS, tags::SOURCE_COUNTS_BOOK]);
        sections.extend([
            tags::TARGET_ENDS,
            tags::TARGET_CODES,
            tags::TARGET_COUNTS,
            tags::TARGET_COUNTS_BOOK,
        ]);
        sections.extend([tags::TARGETS, tags::LINKS, tags::LINK_ENDS, tags::LINK_PAIRS]);
        sections.extend([tags::JOINT_COUNTS, tags::JOINT_COUNTS_BOOK]);
        for k in 0..self.scores.len() {
            let (ids, book) = tags::score(k);
            sections.extend([ids, book]);
        }
        if self.meta.reordering {
            sections.extend([tags::REORDERING, tags::REORDERING_BOOK]);
        }
        sections
    }
}

impl Level {
    fn add(&mut self, symbol: u32, below: u32) {
        self.symbols.push(symbol);
        self.children.push(below);
        self.sources.push(0);
    }
}

impl LinkBook {
    fn push(&mut self, links: &[RuleLink]) -> Result<()> {
        let id = match self.index.get(links) {
            Some(&id) => id,
            None => {
                let id = self.ends.len() as u32;
                self.pairs.extend_from_slice(links);
                self.ends.push(self.pairs.len() as u32);
                self.index.insert(links.into(), id);
                id
            }
        };
        self.ids.push(id)
    }

    fn write(self, out: &mut MappedWriter, rules: usize) -> Result<()> {
        let width = packed::width(self.ends.len().saturating_sub(1) as u32);
        packed::write(out, tags::LINKS, width, rules, self.ids.read()?.numbers(rules))?;
        write_numbers(out, tags::LINK_ENDS, &self.ends)?;
        Ok(out.section(tags::LINK_PAIRS, &self.pairs)?)
    }
}

fn write_numbers(out: &mut MappedWriter, tag: Tag, values: &[u32]) -> Result<()> {
    let width = packed::width(values.iter().copied().max().unwrap_or(0));
    Ok(packed::write(out, tag, width, values.len(), values.iter().copied().map(Ok))?)
}

fn write_trie(levels: &[Level], sources: u32, out: &mut MappedWriter) -> Result<()> {
    let nodes: usize = levels.iter().map(|level| level.symbols.len()).sum();
    let symbols = || levels.iter().flat_map(|level| level.symbols.iter().copied());
    let width = packed::width(symbols().max().unwrap_or(0));
    packed::write(out, tags::SYMBOLS, width, nodes, symbols().map(Ok))?;
    let mut next = 0;
    let children = levels.iter().flat_map(|level| {
        next += level.symbols.len() as u32;
        level.children.iter().map(move |&below| next + below)
    });
    let children = children.chain([nodes as u32]).map(Ok);
    packed::write(out, tags::CHILDREN, packed::width(nodes as u32), nodes + 1, children)?;
    let ends_here = levels.iter().flat_map(|level| level.sources.iter().copied()).map(Ok);
    Ok(packed::write(out, tags::SOURCES, packed::width(sources), nodes, ends_here)?)
}

/// The distinct target sides of a table, numbered as they come; those that no rule uses are left out of the file.
pub struct Targets {
    codes: Spool,
    counts: Vec<f32>,
    scratch: Scratch,
}

impl Targets {
    /// None yet.
    pub fn new(scratch: &Scratch) -> Result<Self> {
        Ok(Self { codes: scratch.spool()?, counts: Vec::new(), scratch: scratch.clone() })
    }

    /// Appends a target side, given by its code without an end, that was seen `count` times. Returns its number.
    pub fn push(&mut self, target: &[u8], count: f32) -> Result<u32> {
        let length = u16::try_from(target.len()).expect("a side has at most 255 symbols of 5 bytes");
        self.codes.bytes(&length.to_le_bytes())?;
        self.codes.bytes(target)?;
        self.counts.push(count);
        u32::try_from(self.counts.len() - 1).map_err(|_| Error::TooManyRules)
    }

    /// How often target side `id` was seen.
    pub fn count(&self, id: u32) -> f32 {
        self.counts[id as usize]
    }

    /// Writes those that rules use; returns the target number of each rule in the file.
    fn write(self, out: &mut MappedWriter, mut of_rules: SpoolReader, rules: usize) -> Result<Vec<u32>> {
        const UNUSED: u32 = u32::MAX;
        let Self { codes, counts, scratch } = self;
        let of_rules = of_rules.numbers(rules).collect::<std::io::Result<Vec<u32>>>();
        let mut of_rules = of_rules.map_err(|source| scratch.error(source))?;
        let mut number = vec![UNUSED; counts.len()];
        for &target in &of_rules {
            number[target as usize] = 0;
        }
        let used = number.iter_mut().filter(|number| **number != UNUSED);
        used.zip(0..).for_each(|(number, next)| *number = next);
        for target in &mut of_rules {
            *target = number[*target as usize];
        }
        let mut codes = codes.read()?;
        let (mut ends, mut bytes) = (Vec::new(), Vec::new());
        let mut used_counts = BookWriter::new(&scratch)?;
        for (&number, &count) in number.iter().zip(&counts) {
            let (mut length, at) = ([0; 2], bytes.len());
            codes.fill(&mut length)?;
            bytes.resize(at + usize::from(u16::from_le_bytes(length)), 0);
            codes.fill(&mut bytes[at..])?;
            if number == UNUSED {
                bytes.truncate(at);
                continue;
            }
            ends.push(u32::try_from(bytes.len()).map_err(|_| Error::TooManyRules)?);
            used_counts.push(count.to_bits(), count)?;
        }
        write_numbers(out, tags::TARGET_ENDS, &ends)?;
        out.section(tags::TARGET_CODES, &bytes)?;
        used_counts.write(out, tags::TARGET_COUNTS, tags::TARGET_COUNTS_BOOK)?;
        Ok(of_rules)
    }
}
