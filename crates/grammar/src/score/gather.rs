//! The first step of scoring: instances in the order of their source sides become rows of rules, put aside, and records
//! of target sides, to be sorted. Blocks are worked on over all cores, or by other processes ([`crate::shard`]).

use super::links::Links;
use super::{ScoreInputs, ScoreSettings, reordering_scores};
use crate::code;
use crate::count::{Coded, Count, Counted};
use crate::decimal::Decimal;
use crate::discount::CountsOfCounts;
use crate::error::{Error, Result};
use crate::heads;
use crate::instance::RuleLink;
use crate::significance::{self, Significance};
use crate::sort::{Chunk, Record, Sorted, Sorter, push_varint, take_varint};
use crate::spool::{Scratch, Spool};
use crate::symbol::{Kind, Symbol};
use crate::word_probabilities::WordProbabilities;
use rayon::prelude::*;
use treeglot_text::interrupt;
use treeglot_text::vocab::Vocab;

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

impl Context {
    /// What these rules are scored with.
    pub fn new(counted: &mut Counted, settings: &ScoreSettings, inputs: &ScoreInputs) -> Result<Self> {
        let words = match &inputs.lex {
            None if settings.lexical => Some(WordProbabilities::estimate(counted)?),
            _ => None,
        };
        let context = Self::of_files(&counted.vocab, counted.oriented, settings, inputs)?;
        Ok(Self { words: words.or(context.words), ..context })
    }

    /// The same, but for lexical weights without lexical tables.
    pub fn of_files(
        vocab: &Vocab,
        oriented: bool,
        settings: &ScoreSettings,
        inputs: &ScoreInputs,
    ) -> Result<Self> {
        let lex = inputs.lex.as_ref().filter(|_| settings.lexical);
        let words = lex.map(|prefix| WordProbabilities::open(prefix, vocab)).transpose()?;
        let significance = match (settings.significance, &inputs.corpus) {
            (None, _) => None,
            (Some(threshold), Some([source, target])) => {
                Some(Significance::open(source, target, threshold, vocab)?)
            }
            (Some(_), None) => {
                return Err(Error::Setting("`significance` needs the sentences of both sides".to_string()));
            }
        };
        let smoothing = settings.reordering_smoothing;
        Ok(Self { words, significance, smoothing, layout: RowLayout::new(settings, oriented) })
    }
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

impl RowLayout {
    /// The layout that settings ask for.
    pub fn new(settings: &ScoreSettings, oriented: bool) -> Self {
        Self { oriented, origins: settings.origins, one_structure: settings.one_structure }
    }
}

/// Goes over all instances.
pub fn gather(records: &mut Sorted, context: &Context, memory: u64, scratch: &Scratch) -> Result<Gathered> {
    let mut gathering = Gathering::new(memory, scratch)?;
    let mut blocks = Blocks::new(records, context.layout.one_structure)?;
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
        worked.into_iter().try_for_each(|block| gathering.add(block))?;
        if blocks.ended {
            break;
        }
    }
    gathering.finish()
}

/// What the first step has found so far, of blocks in their order.
struct Gathering {
    rows: Spool,
    joiner: Joiner,
    targets: Sorter,
    counts_of_counts: CountsOfCounts,
    sources: usize,
    rules: usize,
}

impl Gathering {
    fn new(memory: u64, scratch: &Scratch) -> Result<Self> {
        let limit = usize::try_from(memory / 4).unwrap_or(usize::MAX);
        Ok(Self {
            rows: scratch.spool()?,
            joiner: Joiner::default(),
            targets: Sorter::new(limit, None, scratch),
            counts_of_counts: CountsOfCounts::default(),
            sources: 0,
            rules: 0,
        })
    }

    /// Takes the next block.
    fn add(&mut self, mut block: Block) -> Result<()> {
        block.number(u32::try_from(self.rules).map_err(|_| Error::TooManyRules)?)?;
        self.targets.add(block.targets)?;
        self.counts_of_counts.merge(&block.counts_of_counts);
        self.rules += block.rules;
        let Self { rows, joiner, sources, .. } = self;
        joiner.add(&block.rows, |source| {
            *sources += 1;
            rows.bytes(source)
        })
    }

    /// Ends taking blocks.
    fn finish(self) -> Result<Gathered> {
        let Self { mut rows, mut joiner, targets, counts_of_counts, mut sources, rules } = self;
        joiner.finish(|source| {
            sources += 1;
            rows.bytes(source)
        })?;
        Ok(Gathered { rows, targets: targets.finish()?, counts_of_counts, sources, rules })
    }
}

/// Puts the rows of source sides together that go on from one block to the next.
#[derive(Default)]
pub struct Joiner {
    /// The rows of the source side that came last, which the next block may go on with.
    last: Vec<u8>,
}

impl Joiner {
    /// Takes the rows of the next block, and hands on those of each source side that is complete.
    pub fn add(&mut self, mut rows: &[u8], mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if let Some(joined) = join_sources(&self.last, rows) {
            rows = &rows[entry_length(rows)..];
            self.last = joined;
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.finish(&mut take)?;
        loop {
            let (source, rest) = rows.split_at(entry_length(rows));
            if rest.is_empty() {
                self.last.extend_from_slice(source);
                return Ok(());
            }
            take(source)?;
            rows = rest;
        }
    }

    /// Hands on what is left.
    pub fn finish(&mut self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if !self.last.is_empty() {
            take(&self.last)?;
        }
        self.last.clear();
        Ok(())
    }
}

/// The first and the last source side of the rows of a block; none twice.
pub fn edges(rows: &[u8]) -> Vec<SourceHead<'_>> {
    let (mut rest, mut found) = (rows, Vec::new());
    while !rest.is_empty() {
        let (source, after) = rest.split_at(entry_length(rest));
        if found.is_empty() || after.is_empty() {
            found.push(read_source(&source[4..]).0);
        }
        rest = after;
    }
    found
}

/// How long the rows of the first source side are, with their length.
fn entry_length(rows: &[u8]) -> usize {
    let length = rows.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize);
    (4 + length).min(rows.len())
}

/// The rows of a source side whose rules are in two blocks, if it is the same.
fn join_sources(last: &[u8], next: &[u8]) -> Option<Vec<u8>> {
    let (a, first) = read_source(last.get(4..)?);
    let (b, second) = read_source(next.get(4..entry_length(next))?);
    if a.code != b.code {
        return None;
    }
    let (mut count, mut joined) = (a.count, vec![0; 4]);
    count.add(b.count);
    write_head(&SourceHead { code: a.code, rules: a.rules + b.rules, count }, &mut joined);
    joined.extend_from_slice(first);
    joined.extend_from_slice(second);
    set_length(&mut joined, 0);
    Some(joined)
}

fn write_head(head: &SourceHead<'_>, out: &mut Vec<u8>) {
    push_varint(head.code.len() as u64, out);
    out.extend_from_slice(head.code);
    push_varint(u64::from(head.rules), out);
    head.count.write(out);
}

/// Writes how long the rows are that begin at `start`.
fn set_length(rows: &mut [u8], start: usize) {
    let length = (rows.len() - start - 4) as u32;
    rows[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn number_rule(payload: &mut [u8], before: u32) {
    if let Some(number) = payload.first_chunk_mut() {
        *number = (u32::from_le_bytes(*number) + before).to_le_bytes();
    }
}

/// Cuts the instances into blocks, whose first and last source sides may go on in other blocks.
pub struct Blocks<'a> {
    stream: crate::sort::Stream<'a>,
    /// The record after the last block.
    next: Record,
    pub ended: bool,
    /// Whether all rules of a source side must be seen together.
    whole_sources: bool,
}

impl<'a> Blocks<'a> {
    /// The blocks of all records.
    pub fn new(records: &'a mut Sorted, whole_sources: bool) -> Result<Self> {
        let mut blocks =
            Self { stream: records.stream()?, next: Record::default(), ended: false, whole_sources };
        blocks.ended = !blocks.stream.next(&mut blocks.next)?;
        Ok(blocks)
    }

    /// The next block; none has records after the end.
    pub fn block(&mut self) -> Result<Chunk> {
        let mut block = Chunk::default();
        let mut rule: Vec<u8> = Vec::new();
        while !self.ended {
            let same = !rule.is_empty() && self.next.key.starts_with(&rule);
            if block.size() >= BLOCK && !same {
                break;
            }
            if !same {
                let whole = cut_at(&self.next.key, self.whole_sources);
                rule.clear();
                rule.extend_from_slice(whole);
            }
            block.push(&self.next.key, &self.next.payload);
            self.ended = !self.stream.next(&mut self.next)?;
        }
        Ok(block)
    }
}

/// What of a key must not be divided: its source side, and its target side unless all rules of a source side are seen together.
pub fn cut_at(key: &[u8], whole_sources: bool) -> &[u8] {
    let after_source = code::Symbols(key).after();
    let after = if whole_sources { after_source } else { code::Symbols(after_source).after() };
    &key[..key.len() - after.len()]
}

/// What one block gave.
#[derive(Default)]
pub struct Block {
    pub rows: Vec<u8>,
    /// By target side: the number and count of each rule, numbered from 0 in each block.
    pub targets: Chunk,
    pub counts_of_counts: CountsOfCounts,
    pub rules: usize,
}

impl Block {
    /// Numbers its rules from `first` on.
    pub fn number(&mut self, first: u32) -> Result<()> {
        let most = u32::try_from(self.rules).ok().and_then(|rules| first.checked_add(rules));
        most.ok_or(Error::TooManyRules)?;
        self.targets.payloads_mut(|payload| number_rule(payload, first));
        Ok(())
    }

    /// Works on a block.
    pub fn new(chunk: &Chunk, context: &Context) -> Self {
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
        write_head(&SourceHead { code: first.source, rules, count: total }, &mut block.rows);
        block.rows.extend_from_slice(&self.rows);
        set_length(&mut block.rows, start);
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
