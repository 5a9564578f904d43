//! Writing a table: source sides come in the order of their codes, each followed by its rules, best first. Those of one
//! length are put aside together, so that they are numbered as the trie's nodes are. What grows with the number of rules lies in
//! temporary files and columns; distinct links and the distinct values of one column are in memory.

use super::book::{BookWriter, write_ids};
use super::columns::{Ascending, Common, Marks, Split, width, write_packed};
use super::meta::{MAX_SCORES, Meta, tags};
use super::sides::Targets;
use super::{AS_SOURCE, KIND, VERSION};
use crate::code;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::instance::RuleLink;
use crate::spool::{Scratch, Spool};
use rustc_hash::FxHashMap;
use std::io;
use std::path::Path;
use treeglot_text::column::{Column, ColumnWriter};
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
    rules: u32,
    links: LinkBook,
}

/// The nodes of one depth, from left to right, and the source sides that end there with their rules.
struct Level {
    nodes: ColumnWriter<Node>,
    sources: ColumnWriter<Source>,
    /// Of each rule: target side, links, count, scores and reordering scores.
    rules: Option<Spool>,
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Node {
    symbol: u32,
    /// How many nodes of the next level are left of its children.
    children: u32,
    /// Whether a source side ends there.
    ends: u32,
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Source {
    count: f32,
    rules: u32,
}

#[derive(Default)]
struct LinkBook {
    index: FxHashMap<Box<[RuleLink]>, u32>,
    ends: Vec<u32>,
    pairs: Vec<RuleLink>,
    times: Vec<u32>,
}

impl Level {
    fn new(scratch: &Scratch) -> Self {
        Self { nodes: scratch.space().writer(), sources: scratch.space().writer(), rules: None }
    }
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
        let mut root = Level::new(scratch);
        root.nodes.push(Node { symbol: 0, children: 0, ends: 0 })?;
        Ok(Self {
            meta: Meta { model: model.to_string(), score_names, reordering, notes },
            bits,
            scratch: scratch.clone(),
            levels: vec![root],
            last: Vec::new(),
            numbers: Vec::new(),
            rules: 0,
            links: LinkBook::default(),
        })
    }

    /// Begins the rules of a source side, given by its code. Codes come in ascending order.
    pub fn source(&mut self, source: &[u8], count: f32) -> Result<()> {
        self.numbers.clear();
        self.numbers.extend(code::Symbols(source).map(code::number));
        debug_assert!(self.last < self.numbers, "source sides come in order");
        let shared = self.last.iter().zip(&self.numbers).take_while(|(a, b)| a == b).count();
        for (depth, &number) in self.numbers.iter().enumerate().skip(shared) {
            let below = self.levels.get(depth + 2).map_or(0, |level| level.nodes.len());
            if self.levels.len() == depth + 1 {
                self.levels.push(Level::new(&self.scratch));
            }
            let node = Node { symbol: number, children: below as u32, ends: 0 };
            self.levels[depth + 1].nodes.push(node)?;
        }
        std::mem::swap(&mut self.last, &mut self.numbers);
        let level = &mut self.levels[self.last.len()];
        if let Some(node) = level.nodes.last_mut() {
            node.ends = 1;
        }
        Ok(level.sources.push(Source { count, rules: 0 })?)
    }

    /// Appends a rule of the source side begun last.
    pub fn rule(&mut self, entry: Entry<'_>) -> Result<()> {
        self.rules = self.rules.checked_add(1).ok_or(Error::TooManyRules)?;
        let level = &mut self.levels[self.last.len()];
        if let Some(source) = level.sources.last_mut() {
            source.rules += 1;
        }
        let rules = match &mut level.rules {
            Some(rules) => rules,
            none => none.insert(self.scratch.spool()?),
        };
        rules.push(entry.target)?;
        rules.push(self.links.number(entry.links))?;
        rules.push(entry.count.to_bits())?;
        for k in 0..self.meta.score_names.len() {
            rules.bytes(bytemuck::bytes_of(entry.scores.get(k).unwrap_or(&Decimal::ZERO)))?;
        }
        match self.meta.reordering {
            true => rules.bytes(bytemuck::bytes_of(&entry.reordering)),
            false => Ok(()),
        }
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
    pub fn finish(self, path: &Path, vocab: &Vocab, targets: Targets) -> Result<()> {
        let Self { meta, bits, scratch, levels, links, .. } = self;
        let mut out = MappedWriter::create(path, KIND, VERSION, &sections(&meta))?;
        meta.write(&mut out)?;
        vocab.write_sections(&mut out)?;
        let mut columns = Columns::new(&meta, &scratch)?;
        let mut nodes = Vec::with_capacity(levels.len());
        for level in levels {
            columns.take(&level.sources.finish()?, level.rules)?;
            nodes.push(level.nodes.finish()?);
        }
        write_trie(&nodes, &mut out)?;
        drop(nodes);
        columns.write(bits, &links, targets, &mut out)?;
        Ok(out.finish()?)
    }
}

fn sections(meta: &Meta) -> Vec<Tag> {
    let mut sections = vec![tags::META];
    sections.extend(vocab::SECTIONS);
    sections.extend([tags::SYMBOLS, tags::CHILDREN, tags::SOURCES, tags::FIRST_RULES, tags::SOURCE_COUNTS]);
    sections.extend([tags::TARGET_BLOCKS, tags::TARGET_CODES, tags::TARGET_COUNTS, tags::TARGETS]);
    sections.extend([tags::LINKS, tags::LINK_ENDS, tags::LINK_PAIRS, tags::JOINT_COUNTS]);
    sections.extend((0..meta.score_names.len()).map(tags::score));
    if meta.reordering {
        sections.extend([tags::REORDERING, tags::REORDERING_BOOK]);
    }
    sections
}

/// What source sides and rules have, in their order in the file.
struct Columns {
    first_rules: ColumnWriter<u32>,
    source_counts: BookWriter<u32>,
    rules: u32,
    targets: ColumnWriter<u32>,
    links: ColumnWriter<u32>,
    joint_counts: BookWriter<u32>,
    scores: Vec<BookWriter<Decimal>>,
    reordering: Option<BookWriter<[Decimal; 6]>>,
}

impl Columns {
    fn new(meta: &Meta, scratch: &Scratch) -> Result<Self> {
        let space = scratch.space();
        Ok(Self {
            first_rules: space.writer(),
            source_counts: BookWriter::new(scratch)?,
            rules: 0,
            targets: space.writer(),
            links: space.writer(),
            joint_counts: BookWriter::new(scratch)?,
            scores: meta.score_names.iter().map(|_| BookWriter::new(scratch)).collect::<Result<_>>()?,
            reordering: meta.reordering.then(|| BookWriter::new(scratch)).transpose()?,
        })
    }

    /// Takes what ends at one level.
    fn take(&mut self, sources: &[Source], rules: Option<Spool>) -> Result<()> {
        let reader = rules.map(Spool::read).transpose()?;
        let (first, scores) = (self.rules, self.scores.len());
        for source in sources.iter() {
            self.first_rules.push(self.rules)?;
            self.source_counts.push(source.count.to_bits())?;
            self.rules += source.rules;
        }
        let Some(mut rows) = reader.filter(|_| self.rules > first) else { return Ok(()) };
        let mut row = vec![0u32; 3 + scores + if self.reordering.is_some() { 6 } else { 0 }];
        for source in sources.iter().flat_map(|source| std::iter::repeat_n(source, source.rules as usize)) {
            rows.fill(bytemuck::cast_slice_mut(&mut row))?;
            self.targets.push(row[0])?;
            self.links.push(row[1])?;
            // A count of one is frequent, whatever its source side has.
            let same = row[2] == source.count.to_bits() && source.count != 1.0;
            self.joint_counts.push(if same { AS_SOURCE.to_bits() } else { row[2] })?;
            for (column, &score) in self.scores.iter_mut().zip(&row[3..]) {
                column.push(bytemuck::cast(score))?;
            }
            if let (Some(column), Some(scores)) = (&mut self.reordering, row[3 + scores..].first_chunk()) {
                column.push(bytemuck::cast::<[u32; 6], _>(*scores))?;
            }
        }
        Ok(())
    }

    fn write(
        mut self,
        bits: Option<u32>,
        links: &LinkBook,
        targets: Targets,
        out: &mut MappedWriter,
    ) -> Result<()> {
        self.first_rules.push(self.rules)?;
        let first = self.first_rules.finish()?;
        let starts = first.iter().copied().map(Ok);
        out.stream(tags::FIRST_RULES, |out| Ascending::write(out, first.len(), starts))?;
        drop(first);
        self.source_counts.write(out, tags::SOURCE_COUNTS)?;
        targets.write(out, &self.targets.finish()?)?;
        write_ids(out, tags::LINKS, &self.links.finish()?, &links.times)?;
        write_packed(out, tags::LINK_ENDS, &links.ends)?;
        out.section(tags::LINK_PAIRS, &links.pairs)?;
        self.joint_counts.write(out, tags::JOINT_COUNTS)?;
        for (k, column) in self.scores.into_iter().enumerate() {
            match bits {
                Some(bits) => column.write_quantized(bits, out, tags::score(k))?,
                None => column.write(out, tags::score(k))?,
            }
        }
        match self.reordering {
            Some(column) => column.write_wide(out, tags::REORDERING, tags::REORDERING_BOOK),
            None => Ok(()),
        }
    }
}

impl LinkBook {
    fn number(&mut self, links: &[RuleLink]) -> u32 {
        let id = match self.index.get(links) {
            Some(&id) => id,
            None => {
                let id = self.ends.len() as u32;
                self.pairs.extend_from_slice(links);
                self.ends.push(self.pairs.len() as u32);
                self.times.push(0);
                self.index.insert(links.into(), id);
                id
            }
        };
        self.times[id as usize] += 1;
        id
    }
}

fn write_trie(levels: &[Column<Node>], out: &mut MappedWriter) -> Result<()> {
    let all = || levels.iter().flat_map(|level| level.iter());
    let nodes = levels.iter().map(|level| level.len()).sum();
    write_symbols(nodes, || all().map(|node| node.symbol), out)?;
    let mut next = 0;
    let children = levels.iter().flat_map(|level| {
        next += level.len() as u32;
        level.iter().map(move |node| next + node.children)
    });
    let children = children.chain([nodes as u32]).map(Ok);
    out.stream(tags::CHILDREN, |out| Ascending::write(out, nodes + 1, children))?;
    Ok(out.stream(tags::SOURCES, |out| Marks::write(out, nodes, all().map(|node| node.ends == 1)))?)
}

fn write_symbols<I: Iterator<Item = u32>>(
    nodes: usize,
    symbols: impl Fn() -> I,
    out: &mut MappedWriter,
) -> Result<()> {
    let (mut times, mut largest) = (FxHashMap::<u32, u32>::default(), 0);
    for symbol in symbols() {
        *times.entry(symbol).or_insert(0) += 1;
        largest = largest.max(symbol);
    }
    let rare_width = width(largest);
    let common = Common::choose(times.into_iter().collect(), 1, |_| rare_width);
    let listed = common.listed.first().copied();
    let place = |symbol| match listed {
        Some(listed) if listed == symbol => 0,
        Some(_) => 1 + u64::from(symbol),
        None => u64::from(symbol),
    };
    let places = || symbols().map(place);
    let write = |out: &mut dyn io::Write| Split::write(out, &common, (nodes, rare_width), places);
    Ok(out.stream(tags::SYMBOLS, |out| write(out))?)
}
