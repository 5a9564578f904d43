//! The first step of scoring: instances in the order of their source sides become rows of rules, put aside, and records
//! of target sides, to be sorted. Blocks of whole source sides are worked on over all cores.

use super::links::Links;
use super::reordering_scores;
use crate::code;
use crate::count::{Coded, Count};
use crate::decimal::Decimal;
use crate::discount::CountsOfCounts;
use crate::error::Result;
use crate::heads;
use crate::instance::RuleLink;
use crate::significance::{self, Significance};
use crate::sort::{Chunk, Record, Sorted, Sorter, push_varint, take_varint};
use crate::spool::{Scratch, Spool};
use crate::symbol::{Kind, Symbol};
use crate::word_probabilities::WordProbabilities;
use rayon::prelude::*;
use treeglot_text::interrupt;

/// How many bytes of records a block has.
const BLOCK: usize = 1 << 20;

/// What the first step found.
pub struct Gathered {
    /// The rows of each source side: length, then what [`read_source`] reads.
    pub rows: Spool,
    /// By target side: the number and count of each rule.
    pub targets: Sorted,
    pub counts_of_counts: CountsOfCounts,
    pub sources: usize,
    pub rules: usize,
}

/// What rules are scored with.
pub struct Context {
    pub words: Option<WordProbabilities>,
    pub significance: Option<Significance>,
    /// What is added to each orientation's count.
    pub smoothing: f64,
    pub layout: RowLayout,
}

/// What rows have that not all have.
#[derive(Debug, Clone, Copy)]
pub struct RowLayout {
    pub oriented: bool,
    /// Whether it is told where rules come from.
    pub origins: bool,
    /// Whether rules that differ in their structure only are one.
    pub one_structure: bool,
}

/// Goes over all instances.
pub fn gather(records: &mut Sorted, context: &Context, memory: u64, scratch: &Scratch) -> Result<Gathered> {
    let limit = usize::try_from(memory / 4).unwrap_or(usize::MAX);
    let mut rows = scratch.spool()?;
    let mut targets = Sorter::new(limit, None, scratch);
    let mut counts_of_counts = CountsOfCounts::default();
    let (mut sources, mut rules) = (0, 0);
    let mut blocks = Blocks { stream: records.stream()?, next: Record::default(), ended: false };
    blocks.ended = !blocks.stream.next(&mut blocks.next)?;
    loop {
        let window = (0..4 * rayon::current_num_threads()).map(|_| blocks.block());
        let window: Vec<Chunk> = window.collect::<Result<_>>()?;
        let worked: Vec<Block> = window
            .par_iter()
            .map(|chunk| {
                interrupt::check();
                Block::new(chunk, context)
            })
            .collect();
        for mut block in worked {
            rows.bytes(&block.rows)?;
            block.targets.payloads_mut(|payload| number_rule(payload, rules as u32));
            targets.add(block.targets)?;
            counts_of_counts.merge(&block.counts_of_counts);
            sources += block.sources;
            rules += block.rules;
        }
        if blocks.ended {
            break;
        }
    }
    Ok(Gathered { rows, targets: targets.finish()?, counts_of_counts, sources, rules })
}

fn number_rule(payload: &mut [u8], before: u32) {
    if let Some(number) = payload.first_chunk_mut() {
        *number = (u32::from_le_bytes(*number) + before).to_le_bytes();
    }
}

/// Cuts the instances into blocks of whole source sides.
struct Blocks<'a> {
    stream: crate::sort::Stream<'a>,
    /// The record after the last block.
    next: Record,
    ended: bool,
}

impl Blocks<'_> {
    fn block(&mut self) -> Result<Chunk> {
        let mut block = Chunk::default();
        let mut source: Vec<u8> = Vec::new();
        while !self.ended {
            if block.size() >= BLOCK && !self.next.key.starts_with(&source) {
                break;
            }
            if !self.next.key.starts_with(&source) || source.is_empty() {
                let after = code::Symbols(&self.next.key).after().len();
                source.clear();
                source.extend_from_slice(&self.next.key[..self.next.key.len() - after]);
            }
            block.push(&self.next.key, &self.next.payload);
            self.ended = !self.stream.next(&mut self.next)?;
        }
        Ok(block)
    }
}

/// What one block gave.
#[derive(Default)]
struct Block {
    rows: Vec<u8>,
    targets: Chunk,
    counts_of_counts: CountsOfCounts,
    sources: usize,
    rules: usize,
}

impl Block {
    fn new(chunk: &Chunk, context: &Context) -> Self {
        let coded = |(key, mut count): (_, &[u8])| {
            (Coded::read(key).expect("keys are written by the counter"), Count::read(&mut count))
        };
        let instances: Vec<(Coded<'_>, Count)> = chunk.records().map(coded).collect();
        let mut block = Self::default();
        let mut worker = Worker::new(context);
        for same_source in instances.chunk_by(|a, b| a.0.source == b.0.source) {
            worker.source(same_source, &mut block);
        }
        block
    }
}

/// Owns the buffers of a thread.
struct Worker<'a> {
    context: &'a Context,
    significance: Option<significance::Worker<'a>>,
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Links<'a>,
    rows: Vec<u8>,
    key: Vec<u8>,
    payload: Vec<u8>,
}

impl<'a> Worker<'a> {
    fn new(context: &'a Context) -> Self {
        Self {
            context,
            significance: context.significance.as_ref().map(Significance::worker),
            source: Vec::new(),
            target: Vec::new(),
            links: Links::default(),
            rows: Vec::new(),
            key: Vec::new(),
            payload: Vec::new(),
        }
    }

    /// Makes the rows of one source side.
    fn source(&mut self, instances: &[(Coded<'a>, Count)], block: &mut Block) {
        let Some((first, _)) = instances.first() else { return };
        self.source.clear();
        self.source.extend(code::Symbols(first.source));
        self.rows.clear();
        if let Some(significance) = &mut self.significance {
            significance.source(&self.source);
        }
        let (mut total, mut rules) = (Count::default(), 0u32);
        let mut structures: Vec<&[(Coded<'a>, Count)]> =
            instances.chunk_by(|a, b| a.0.target == b.0.target).collect();
        let one_structure = self.context.layout.one_structure;
        let symbols = |rule: &[(Coded<'a>, Count)]| -> &'a [u8] {
            let target = rule[0].0.target;
            if one_structure { &target[..heads::symbols_length(target)] } else { target }
        };
        if one_structure {
            structures.sort_by(|a, b| symbols(a).cmp(symbols(b)));
        }
        for rule in structures.chunk_by(|a, b| symbols(a) == symbols(b)) {
            total.add(self.rule(rule, block));
            rules += 1;
        }
        let start = block.rows.len();
        block.rows.extend_from_slice(&[0; 4]);
        push_varint(first.source.len() as u64, &mut block.rows);
        block.rows.extend_from_slice(first.source);
        push_varint(u64::from(rules), &mut block.rows);
        total.write(&mut block.rows);
        block.rows.extend_from_slice(&self.rows);
        let length = (block.rows.len() - start - 4) as u32;
        block.rows[start..start + 4].copy_from_slice(&length.to_le_bytes());
        block.sources += 1;
    }

    /// Makes the row of one rule, and the record of its target side; returns its count. Of several structures it has the one seen
    /// most often, the first of equals.
    fn rule(&mut self, structures: &[&[(Coded<'a>, Count)]], block: &mut Block) -> Count {
        let times = |structure: &[(Coded<'a>, Count)]| -> Count {
            structure.iter().fold(Count::default(), |mut sum, (_, count)| {
                sum.add(*count);
                sum
            })
        };
        let best = structures.iter().rev().max_by_key(|structure| times(structure));
        self.target.clear();
        self.target.extend(best.into_iter().flat_map(|structure| code::Symbols(structure[0].0.target)));
        self.links.clear();
        let mut count = Count::default();
        let mut orientations = [Count::default(); 6];
        let mut origins = 0;
        for &(instance, times) in structures.iter().copied().flatten() {
            count.add(times);
            self.links.add(instance.links, times);
            origins |= 1 << instance.origin;
            if let Some([before, after]) = instance.orientation {
                orientations[before as usize].add(times);
                orientations[3 + after as usize].add(times);
            }
        }
        block.counts_of_counts.add(count.single());
        let [direct, inverse] = self.links.best();
        let lexical = match &self.context.words {
            Some(words) => [
                words.target_given_source(&self.source, &self.target, direct),
                words.source_given_target(&self.source, &self.target, inverse),
            ],
            None => [1.0; 2],
        };
        let reordering = match self.context.layout.oriented {
            true => reordering_scores(&orientations, self.context.smoothing),
            false => [Decimal::ZERO; 6],
        };
        let dropped = self.significance.as_mut().is_some_and(|worker| !worker.keeps(&self.target));
        let row = Row { count, lexical: lexical.map(single), reordering, origins, dropped, links: direct };
        row.write(self.context.layout, &mut self.rows);
        self.target_record(count, block);
        count
    }

    /// The key is the target side as text shows it, where variables have labels but no numbers, and rules a label of
    /// their own: what is given in `p(s|t)`. The numbers of the variables follow, and the marks of a structure where it is not
    /// part of what is given.
    fn target_record(&mut self, count: Count, block: &mut Block) {
        self.key.clear();
        let (symbols, structure) = heads::split(&self.target);
        let apart = self.context.layout.one_structure;
        for &symbol in if apart { symbols } else { &self.target } {
            let symbol = match symbol.kind() {
                Kind::Ref(k) => {
                    let mut variables = self.source.iter().copied().filter(|symbol| symbol.is_var());
                    variables.nth(usize::from(k)).unwrap_or(symbol)
                }
                _ => symbol,
            };
            code::push(symbol, &mut self.key);
        }
        if let Some(&label) = self.source.last().filter(|last| matches!(last.kind(), Kind::Label(_))) {
            code::push(label, &mut self.key);
        }
        self.key.push(code::END);
        for &symbol in symbols {
            if let Kind::Ref(k) = symbol.kind() {
                self.key.push(k);
            }
        }
        if let Some(structure) = structure.filter(|_| apart) {
            self.key.extend(structure.marks());
            self.key.extend(structure.is_ill().then_some(heads::ILL));
        }
        self.payload.clear();
        self.payload.extend_from_slice(&(block.rules as u32).to_le_bytes());
        count.write(&mut self.payload);
        block.targets.push(&self.key, &self.payload);
        block.rules += 1;
    }
}

/// A weight as Moses has it, who prints a single-precision number, unless that is too small for one.
fn single(weight: f64) -> Decimal {
    let rounded = weight as f32;
    Decimal::new(if rounded.is_normal() { f64::from(rounded) } else { weight })
}

/// A source side whose rows follow.
pub struct SourceHead<'a> {
    pub code: &'a [u8],
    pub rules: u32,
    pub count: Count,
}

/// Reads a source side; returns it and its rows.
pub fn read_source(mut bytes: &[u8]) -> (SourceHead<'_>, &[u8]) {
    let length = take_varint(&mut bytes) as usize;
    let (code, mut bytes) = bytes.split_at(length);
    let rules = take_varint(&mut bytes) as u32;
    (SourceHead { code, rules, count: Count::read(&mut bytes) }, bytes)
}

/// What is known of a rule after the first step.
pub struct Row<'a> {
    pub count: Count,
    /// `lex(t|s)` and `lex(s|t)`.
    pub lexical: [Decimal; 2],
    pub reordering: [Decimal; 6],
    /// The sources it comes from, a bit each.
    pub origins: u32,
    /// Whether a filter dropped it.
    pub dropped: bool,
    pub links: &'a [RuleLink],
}

impl<'a> Row<'a> {
    fn write(&self, layout: RowLayout, out: &mut Vec<u8>) {
        self.count.write(out);
        out.extend_from_slice(bytemuck::bytes_of(&self.lexical));
        if layout.oriented {
            out.extend_from_slice(bytemuck::bytes_of(&self.reordering));
        }
        if layout.origins {
            push_varint(u64::from(self.origins), out);
        }
        push_varint((self.links.len() as u64) << 1 | u64::from(self.dropped), out);
        out.extend_from_slice(bytemuck::cast_slice(self.links));
    }

    /// Takes a row from the front of `bytes`.
    pub fn read(bytes: &mut &'a [u8], layout: RowLayout) -> Self {
        let count = Count::read(bytes);
        let mut take = |length: usize| {
            let (front, rest) = bytes.split_at(length);
            *bytes = rest;
            front
        };
        let lexical = bytemuck::pod_read_unaligned(take(size_of::<[Decimal; 2]>()));
        let reordering = match layout.oriented {
            true => bytemuck::pod_read_unaligned(take(size_of::<[Decimal; 6]>())),
            false => [Decimal::ZERO; 6],
        };
        let origins = if layout.origins { take_varint(bytes) as u32 } else { 0 };
        let head = take_varint(bytes);
        let (links, rest) = bytes.split_at((head >> 1) as usize * size_of::<RuleLink>());
        *bytes = rest;
        let (dropped, links) = (head & 1 == 1, bytemuck::cast_slice(links));
        Self { count, lexical, reordering, origins, dropped, links }
    }
}
