//! Counting rule instances in bounded memory: batches are encoded over all cores as records of source side, target
//! side, links and orientation, sorted, and equal ones added up. Words get their numbers in the order of the batches,
//! and counts are whole multiples of 2^-32, so that sums are exact: the result is the same whatever the number of
//! threads, the memory, or how the instances were split.

use crate::code;
use crate::decimal::Decimal;
use crate::error::Result;
use crate::instance::{Batch, Instance, MAX_ORIGINS, Orientation, RuleLink};
use crate::sort::{Chunk, Join, Sorted, Sorter, push_varint, take_varint};
use crate::spool::Scratch;
use crate::symbol::Symbol;
use rayon::prelude::*;
use treeglot_text::interrupt;
use treeglot_text::vocab::{Sym, Vocab};

const FRACTION: u32 = 32;
const MOST: u64 = u64::MAX >> 1;

/// How often something was seen, in multiples of 2^-32; at most 2^31.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Count(u64);

impl Count {
    /// The nearest count; above 0 if `value` is.
    pub fn new(value: f64) -> Self {
        let scaled = (value * (1u64 << FRACTION) as f64).round();
        Self((scaled as u64).clamp(u64::from(value > 0.0), MOST))
    }

    /// Its value.
    pub fn value(self) -> f64 {
        self.0 as f64 / (1u64 << FRACTION) as f64
    }

    /// Its value in single precision.
    pub fn single(self) -> f32 {
        self.value() as f32
    }

    /// Its value to six digits, as tables store and Moses prints it: thirds that add up to 2 are 2.
    pub fn rounded(self) -> f32 {
        let whole = self.0 & ((1 << FRACTION) - 1) == 0 && self.0 >> FRACTION < 1_000_000;
        if whole { self.single() } else { Decimal::new(self.value()).value() as f32 }
    }

    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0).min(MOST);
    }

    /// Appends it to `out`: whole counts take one byte mostly.
    pub fn write(self, out: &mut Vec<u8>) {
        let fraction = self.0 & ((1 << FRACTION) - 1);
        push_varint(if fraction == 0 { self.0 >> FRACTION << 1 } else { self.0 << 1 | 1 }, out);
    }

    /// Takes it from the front of `bytes`.
    pub fn read(bytes: &mut &[u8]) -> Self {
        let value = take_varint(bytes);
        Self(if value & 1 == 0 { (value >> 1).min(MOST >> FRACTION) << FRACTION } else { value >> 1 })
    }
}

/// Adds up the counts of equal records.
pub(crate) const ADD: Join = |sum, other| {
    let mut count = Count::read(&mut &sum[..]);
    count.add(Count::read(&mut &*other));
    sum.clear();
    count.write(sum);
};

/// A counted instance as it is stored: sides are codes without their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coded<'a> {
    /// The source side.
    pub source: &'a [u8],
    /// The target side.
    pub target: &'a [u8],
    /// Links between words, sorted.
    pub links: &'a [RuleLink],
    /// Orientation to the phrase before and to the phrase after.
    pub orientation: Option<[Orientation; 2]>,
    /// Which of several sources it comes from.
    pub origin: u8,
}

/// How many values the orientations have, none included: a key's last byte has them and the origin.
const ORIENTED: u8 = 10;
const ORIENTATIONS: [Orientation; 3] = [Orientation::Monotone, Orientation::Swap, Orientation::Discontinuous];

impl<'a> Coded<'a> {
    /// Reads a record's key; `None` if it is none.
    pub fn read(key: &'a [u8]) -> Option<Self> {
        let after_source = code::Symbols(key).after();
        let source = &key[..key.len().checked_sub(after_source.len() + 1)?];
        let after_target = code::Symbols(after_source).after();
        let target = &after_source[..after_source.len().checked_sub(after_target.len() + 1)?];
        let (&last, links) = after_target.split_last()?;
        let links = bytemuck::try_cast_slice(links).ok()?;
        let origin = last / ORIENTED;
        let orientation = match (last % ORIENTED).checked_sub(1) {
            None => None,
            Some(both) => {
                Some([*ORIENTATIONS.get(usize::from(both / 3))?, ORIENTATIONS[usize::from(both % 3)]])
            }
        };
        Some(Self { source, target, links, orientation, origin })
    }
}

/// Appends the key of an instance whose symbols are mapped by `symbol`.
fn write_key(instance: &Instance<'_>, symbol: impl Fn(Symbol) -> Symbol, key: &mut Vec<u8>) {
    instance.source.iter().for_each(|&s| code::push(symbol(s), key));
    key.push(code::END);
    instance.target.iter().for_each(|&s| code::push(symbol(s), key));
    key.push(code::END);
    key.extend_from_slice(bytemuck::cast_slice(instance.links));
    let oriented = instance.orientation.map_or(0, |[before, after]| 1 + 3 * before as u8 + after as u8);
    key.push(instance.origin * ORIENTED + oriented);
}

/// Counts instances.
pub struct Counter {
    vocab: Vocab,
    sorter: Sorter,
    oriented: bool,
    origins: u8,
    /// Where instances come from, whatever they say themselves.
    origin: Option<u8>,
}

impl Counter {
    /// A counter that holds about `memory` bytes of instances before it writes them to temporary files.
    pub fn new(memory: u64, scratch: &Scratch) -> Self {
        let limit = usize::try_from(memory).unwrap_or(usize::MAX);
        Self {
            vocab: Vocab::default(),
            sorter: Sorter::new(limit, Some(ADD), scratch),
            oriented: false,
            origins: 1,
            origin: None,
        }
    }

    /// Says that all instances from here on come from this source, or, without one, from whichever they say.
    pub fn set_origin(&mut self, origin: Option<u8>) {
        self.origin = origin.map(|origin| origin.min(MAX_ORIGINS - 1));
    }

    /// The source that instances come from, whatever they say themselves.
    pub(crate) fn origin(&self) -> Option<u8> {
        self.origin
    }

    /// Counts the instances of some batches, each with its count times `weight`.
    pub fn add(&mut self, batches: &[Batch], weight: f64) -> Result<()> {
        let maps: Vec<Vec<Sym>> = batches.iter().map(|batch| self.numbers(batch.vocab.words())).collect();
        let origin = self.origin;
        let chunks: Vec<(Chunk, Marks)> = batches
            .par_iter()
            .zip(&maps)
            .map(|(batch, map)| {
                interrupt::check();
                encode(batch, map, weight, origin)
            })
            .collect();
        let marks = chunks.iter().fold(Marks::default(), |all, (_, marks)| all.with(*marks));
        self.add_records(chunks.into_iter().map(|(chunk, _)| chunk).collect(), marks)
    }

    /// The numbers of some words, new for new ones.
    pub(crate) fn numbers<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Vec<Sym> {
        words.map(|word| self.vocab.intern(word)).collect()
    }

    /// Takes records whose keys are of this counter's numbers.
    pub(crate) fn add_records(&mut self, records: Vec<Chunk>, marks: Marks) -> Result<()> {
        self.oriented |= marks.oriented;
        self.origins = self.origins.max(marks.origins);
        records.into_iter().try_for_each(|chunk| self.sorter.add(chunk))
    }

    /// Ends counting.
    pub fn finish(self) -> Result<Counted> {
        let Self { vocab, sorter, oriented, origins, .. } = self;
        Ok(Counted { vocab, records: sorter.finish()?, oriented, origins })
    }
}

/// What some records have beside their sides.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    /// Whether any has orientations.
    pub oriented: bool,
    /// One more than the highest source.
    pub origins: u8,
}

impl Marks {
    fn with(self, other: Self) -> Self {
        Self { oriented: self.oriented | other.oriented, origins: self.origins.max(other.origins) }
    }
}

/// Sets the source in a record's key.
pub(crate) fn set_key_origin(key: &mut [u8], origin: u8) {
    if let Some(last) = key.last_mut() {
        *last = *last % ORIENTED + origin * ORIENTED;
    }
}

fn encode(batch: &Batch, map: &[Sym], weight: f64, origin: Option<u8>) -> (Chunk, Marks) {
    let (mut chunk, mut marks) = (Chunk::default(), Marks::default());
    let (mut key, mut payload) = (Vec::new(), Vec::new());
    for mut instance in batch.instances() {
        instance.origin = origin.unwrap_or(instance.origin);
        key.clear();
        write_key(&instance, |symbol| symbol.map(|sym| map[sym.ix()]), &mut key);
        payload.clear();
        Count::new(f64::from(instance.count) * weight).write(&mut payload);
        chunk.push(&key, &payload);
        let oriented = instance.orientation.is_some();
        marks = marks.with(Marks { oriented, origins: instance.origin + 1 });
    }
    (chunk, marks)
}

/// Distinct instances with their counts, in order.
pub struct Counted {
    /// The words and labels.
    pub vocab: Vocab,
    /// Records of [`Coded`] and [`Count`].
    pub(crate) records: Sorted,
    /// Whether any instance has orientations.
    pub oriented: bool,
    /// How many sources the instances come from.
    pub origins: u8,
}

impl Counted {
    /// Hands on every distinct instance with its count.
    pub fn for_each(&mut self, mut take: impl FnMut(Coded<'_>, Count)) -> Result<()> {
        let mut record = crate::sort::Record::default();
        let mut stream = self.records.stream()?;
        while stream.next(&mut record)? {
            let coded = Coded::read(&record.key).expect("keys are written by this module");
            take(coded, Count::read(&mut &record.payload[..]));
        }
        Ok(())
    }
}
