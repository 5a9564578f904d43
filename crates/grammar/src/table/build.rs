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
use treeglot_text::column::ColumnWriter;
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
    /// How many bits a score may take, if fewer than it needs.
    bits: Option<u32>,
    scratch: Scratch,
    levels: Vec<Level>,
    /// The source side begun last, and the one being begun.
    last: Vec<u32>,
    numbers: Vec<u32>,
    sources: u32,
    first_rules: Spool,
    source_counts: BookWriter<u32>,
    rules: u32,
    targets: Spool,
    links: LinkBook,
    joint_counts: BookWriter<u32>,
    scores: Vec<BookWriter<Decimal>>,
    reordering: BookWriter<[Decimal; 6]>,
}

/// The nodes of one depth, from left to right.
type Level = ColumnWriter<Node>;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Node {
    symbol: u32,
    /// How many nodes of the next level are left of its children.
    children: u32,
    /// The source side that ends there plus 1.
    source: u32,
}

struct LinkBook {
    index: FxHashMap<Box<[RuleLink]>, u32>,
    ends: Vec<u32>,
    pairs: Vec<RuleLink>,
    ids: Spool,
}

impl TableBuilder {
    /// A table of rules with these scores, each with at most 2^`bits` distinct values. `notes` are names and values for whoever
    /// looks at the file.
    pub fn new(
        bits: Option<u32>,
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
        let mut root = scratch.space().writer();
        root.push(Node { symbol: 0, children: 0, source: 0 })?;
        Ok(Self {
            meta: Meta { model: model.to_string(), score_names, reordering, notes },
            bits,
            scratch: scratch.clone(),
            levels: vec![root],
            last: Vec::new(),
            numbers: Vec::new(),
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
        self.numbers.clear();
        self.numbers.extend(code::Symbols(source).map(code::number));
        debug_assert!(self.last < self.numbers, "source sides come in order");
        let shared = self.last.iter().zip(&self.numbers).take_while(|(a, b)| a == b).count();
        for (depth, &number) in self.numbers.iter().enumerate().skip(shared) {
            let below = self.levels.get(depth + 2).map_or(0, Level::len);
            if self.levels.len() == depth + 1 {
                self.levels.push(self.scratch.space().writer());
            }
            self.levels[depth + 1].push(Node { symbol: number, children: below as u32, source: 0 })?;
        }
        self.sources += 1;
        if let Some(node) = self.levels[self.numbers.len()].last_mut() {
            node.source = self.sources;
        }
        std::mem::swap(&mut self.last, &mut self.numbers);
        self.first_rules.push(self.rules)?;
        self.source_counts.push(count.to_bits())
    }

    /// Appends a rule of the source side begun last.
    pub fn rule(&mut self, entry: Entry<'_>) -> Result<()> {
        self.rules = self.rules.checked_add(1).ok_or(Error::TooManyRules)?;
        self.targets.push(entry.target)?;
        self.links.push(entry.links)?;
        self.joint_counts.push(entry.count.to_bits())?;
        for (column, &score) in self.scores.iter_mut().zip(entry.scores) {
            column.push(score)?;
        }
        if self.meta.reordering {
            self.reordering.push(entry.reordering)?;
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
        write_trie(self.levels, self.sources, &mut out)?;
        let (sources, rules) = (self.sources as usize, self.rules as usize);
        let (width, mut first) = (packed::width(self.rules), self.first_rules.read()?);
        packed::write(&mut out, tags::FIRST_RULES, width, sources + 1, first.numbers(sources + 1))?;
        self.source_counts.write(&mut out, tags::SOURCE_COUNTS, tags::SOURCE_COUNTS_BOOK)?;
        targets.write(&mut out, self.targets.read()?, rules)?;
        self.links.write(&mut out, rules)?;
        self.joint_counts.write(&mut out, tags::JOINT_COUNTS, tags::JOINT_COUNTS_BOOK)?;
        for (k, column) in self.scores.into_iter().enumerate() {
            let (ids, book) = tags::score(k);
            match self.bits {
                Some(bits) => column.write_quantized(bits, &mut out, ids, book)?,
                None => column.write(&mut out, ids, book)?,
            }
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

fn write_trie(levels: Vec<Level>, sources: u32, out: &mut MappedWriter) -> Result<()> {
    let levels = levels.into_iter().map(Level::finish).collect::<treeglot_text::Result<Vec<_>>>()?;
    let nodes: usize = levels.iter().map(|level| level.len()).sum();
    let all = || levels.iter().flat_map(|level| level.iter());
    let width = packed::width(all().map(|node| node.symbol).max().unwrap_or(0));
    packed::write(out, tags::SYMBOLS, width, nodes, all().map(|node| Ok(node.symbol)))?;
    let mut next = 0;
    let children = levels.iter().flat_map(|level| {
        next += level.len() as u32;
        level.iter().map(move |node| next + node.children)
    });
    let children = children.chain([nodes as u32]).map(Ok);
    packed::write(out, tags::CHILDREN, packed::width(nodes as u32), nodes + 1, children)?;
    let ends_here = all().map(|node| Ok(node.source));
    Ok(packed::write(out, tags::SOURCES, packed::width(sources), nodes, ends_here)?)
}

/// The distinct target sides of a table, numbered as they come; those that no rule uses are left out of the file.
pub struct Targets {
    codes: Spool,
    counts: ColumnWriter<f32>,
    scratch: Scratch,
}

impl Targets {
    /// None yet.
    pub fn new(scratch: &Scratch) -> Result<Self> {
        Ok(Self { codes: scratch.spool()?, counts: scratch.space().writer(), scratch: scratch.clone() })
    }

    /// Appends a target side, given by its code without an end, that was seen `count` times. Returns its number.
    pub fn push(&mut self, target: &[u8], count: f32) -> Result<u32> {
        let length = u16::try_from(target.len()).expect("a side has at most 255 symbols of 5 bytes");
        self.codes.bytes(&length.to_le_bytes())?;
        self.codes.bytes(target)?;
        self.counts.push(count)?;
        u32::try_from(self.counts.len() - 1).map_err(|_| Error::TooManyRules)
    }

    /// Writes those that rules use, and the target number of each rule in the file.
    fn write(self, out: &mut MappedWriter, mut of_rules: SpoolReader, rules: usize) -> Result<()> {
        let Self { codes, counts, scratch } = self;
        let (counts, mut codes) = (counts.finish()?, codes.read()?);
        let mut used = Used::new(counts.len());
        for target in of_rules.numbers(rules) {
            used.mark(target.map_err(|source| scratch.error(source))?);
        }
        let used_len = used.rank();
        let (mut ends, mut kept) = (scratch.space().writer(), scratch.spool()?);
        let (mut end, mut code) = (0u32, Vec::new());
        let mut used_counts = BookWriter::new(&scratch)?;
        for (target, &count) in (0..).zip(counts.iter()) {
            let mut length = [0; 2];
            codes.fill(&mut length)?;
            code.resize(usize::from(u16::from_le_bytes(length)), 0);
            codes.fill(&mut code)?;
            if used.has(target) {
                kept.bytes(&code)?;
                end = end.checked_add(code.len() as u32).ok_or(Error::TooManyRules)?;
                ends.push(end)?;
                used_counts.push(count.to_bits())?;
            }
        }
        let (ends, mut kept) = (ends.finish()?, kept.read()?);
        write_numbers(out, tags::TARGET_ENDS, &ends)?;
        out.stream(tags::TARGET_CODES, |out| kept.copy(out).map(drop))?;
        used_counts.write(out, tags::TARGET_COUNTS, tags::TARGET_COUNTS_BOOK)?;
        let (width, mut of_rules) = (packed::width(used_len.saturating_sub(1)), of_rules.again()?);
        let numbers = of_rules.numbers(rules).map(|target| target.map(|target| used.number(target)));
        Ok(packed::write(out, tags::TARGETS, width, rules, numbers)?)
    }
}

/// Which target sides rules use, and their numbers when all others are left out: a bit each, and a count for 64.
struct Used {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Used {
    fn new(len: usize) -> Self {
        Self { bits: vec![0; len.div_ceil(64)], before: Vec::new() }
    }

    fn mark(&mut self, target: u32) {
        self.bits[target as usize / 64] |= 1 << (target % 64);
    }

    fn has(&self, target: u32) -> bool {
        self.bits[target as usize / 64] >> (target % 64) & 1 == 1
    }

    /// Ends marking; returns how many there are.
    fn rank(&mut self) -> u32 {
        let mut sum = 0;
        for bits in &self.bits {
            self.before.push(sum);
            sum += bits.count_ones();
        }
        sum
    }

    fn number(&self, target: u32) -> u32 {
        let at = target as usize / 64;
        self.before[at] + (self.bits[at] & ((1 << (target % 64)) - 1)).count_ones()
    }
}
