//! Columns of values of which many rows have the same. The frequent ones are in a list; a row with another has its place among
//! the rare ones, which ascend, or where nearly every row has one of its own, the value itself.

use super::columns::{Ascending, Common, MOST, Parts, Section, Split, Value, width, write_number};
use super::quantize::quantize;
use crate::decimal::Decimal;
use crate::error::Result;
use crate::spool::{Scratch, Spool};
use bytemuck::Pod;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::io::{self, Write};
use std::marker::PhantomData;
use treeglot_text::column::{Column, MemoryBudget};
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};

/// A value of 32 bits that is stored as a number; small numbers and equal differences take few bits.
pub trait Number: Copy + Eq + Hash + Pod {
    fn number(self) -> u32;
}

impl Number for u32 {
    fn number(self) -> u32 {
        self
    }
}

impl Number for Decimal {
    fn number(self) -> u32 {
        self.ordered()
    }
}

/// A column of numbers.
#[derive(Debug, Clone)]
pub struct Book {
    rows: Split,
    /// What rare numbers that are stored themselves begin from.
    from: u32,
    rare: Ascending,
}

impl Book {
    pub fn open(file: &MappedFile, tag: Tag) -> Result<Self> {
        let mut parts = Parts::open(file, tag)?;
        let (rows, from) = (Split::read(&mut parts)?, parts.number()? as u32);
        let book = Self { rows, from, rare: Ascending::read(&mut parts)? };
        parts.end()?;
        Ok(book)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of a row; beyond the end, or in a damaged file, any number.
    #[inline]
    pub fn get(&self, row: u32) -> u32 {
        match self.rows.find(row as usize) {
            Value::Listed(at) => self.rows.list().get(at as usize).copied().unwrap_or(0),
            Value::Rare(at) => self.rare(at),
        }
    }

    #[inline]
    fn rare(&self, at: u32) -> u32 {
        if self.rare.len() == 0 { self.from.wrapping_add(at) } else { self.rare.get(at as usize) }
    }
}

/// A column of scores.
#[derive(Debug, Clone)]
pub struct Scores {
    book: Book,
    /// The logarithms of the frequent ones.
    logarithms: Vec<f32>,
}

impl Scores {
    pub fn open(file: &MappedFile, tag: Tag) -> Result<Self> {
        let book = Book::open(file, tag)?;
        let logarithms = book.rows.list().iter().map(|&number| Decimal::from_ordered(number).ln()).collect();
        Ok(Self { logarithms, book })
    }

    pub fn len(&self) -> usize {
        self.book.len()
    }

    /// The score of a row.
    pub fn get(&self, row: u32) -> Decimal {
        Decimal::from_ordered(self.book.get(row))
    }

    /// Its natural logarithm.
    #[inline]
    pub fn ln(&self, row: u32) -> f32 {
        match self.book.rows.find(row as usize) {
            Value::Listed(at) => self.logarithms.get(at as usize).copied().unwrap_or(0.0),
            Value::Rare(at) => Decimal::from_ordered(self.book.rare(at)).ln(),
        }
    }
}

/// A column of values of any size, of which there are few.
#[derive(Debug, Clone)]
pub struct WideBook<T: Pod> {
    rows: Split,
    values: View<T>,
}

impl<T: Pod> WideBook<T> {
    pub fn open(file: &MappedFile, rows: Tag, values: Tag) -> Result<Self> {
        Ok(Self { rows: Split::open(file, rows)?, values: file.view(values)? })
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The value of a row; zero beyond the end, or in a damaged file.
    #[inline]
    pub fn get(&self, row: u32) -> T {
        self.values.get(self.rows.get(row as usize) as usize).copied().unwrap_or_else(T::zeroed)
    }
}

/// A column being written: its values are put aside, and distinct ones numbered at the end, one column after the other, so
/// that only one index is in use at a time.
pub struct BookWriter<T> {
    rows: Spool,
    len: usize,
    scratch: Scratch,
    values: PhantomData<T>,
}

/// The distinct values of a column in order of first appearance, how many rows have each, and the number of each row's.
struct Numbered<T> {
    values: Vec<T>,
    times: Vec<u32>,
    ids: Column<u32>,
}

impl<T: Pod + Hash + Eq> BookWriter<T> {
    pub fn new(scratch: &Scratch) -> Result<Self> {
        Ok(Self { rows: scratch.spool()?, len: 0, scratch: scratch.clone(), values: PhantomData })
    }

    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<()> {
        self.len += 1;
        self.rows.bytes(bytemuck::bytes_of(&value))
    }

    fn number(self) -> Result<Numbered<T>> {
        let (mut index, mut values, mut times) = (FxHashMap::default(), Vec::new(), Vec::new());
        let (mut rows, mut ids) = (self.rows.read()?, self.scratch.space().writer());
        let mut value = T::zeroed();
        for _ in 0..self.len {
            rows.fill(bytemuck::bytes_of_mut(&mut value))?;
            let id = *index.entry(value).or_insert_with(|| {
                values.push(value);
                times.push(0);
                values.len() as u32 - 1
            });
            times[id as usize] += 1;
            ids.push(id)?;
        }
        Ok(Numbered { values, times, ids: ids.finish()? })
    }

    /// Writes it as a [`WideBook`].
    pub fn write_wide(self, out: &mut MappedWriter, rows: Tag, values: Tag) -> Result<()> {
        let Numbered { values: book, times, ids } = self.number()?;
        write_ids(out, rows, &ids, &times)?;
        Ok(out.section(values, &book)?)
    }
}

/// Writes numbers up to that of `times`, which tells how many rows have each.
pub fn write_ids(out: &mut MappedWriter, tag: Tag, ids: &[u32], times: &[u32]) -> Result<()> {
    let rare_width = width(times.len().saturating_sub(1) as u32);
    let common = Common::choose((0..).zip(times.iter().copied()).collect(), MOST, |_| rare_width);
    let length = common.listed.len() as u64;
    let mut places: Vec<u64> = (0..times.len() as u64).map(|id| length + id).collect();
    (0..).zip(&common.listed).for_each(|(at, &id)| places[id as usize] = at);
    let places = || ids.iter().map(|&id| places[id as usize]);
    Ok(out.stream(tag, |out| Split::write(out, &common, (ids.len(), rare_width), places))?)
}

impl<T: Number> BookWriter<T> {
    /// Writes it as a [`Book`].
    pub fn write(self, out: &mut MappedWriter, tag: Tag) -> Result<()> {
        let space = self.scratch.space().clone();
        self.number()?.write(&space, out, tag)
    }
}

/// How the rare numbers of a column are stored.
struct Rare {
    from: u32,
    width: u32,
    /// Those that rows have the place of, in ascending order; none if rows have the numbers themselves.
    book: Vec<u32>,
}

impl Rare {
    /// Chooses what takes less for so many rows.
    fn choose(mut numbers: Vec<u32>, rows: usize) -> Self {
        let (from, last) = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
        let placed = width(numbers.len().saturating_sub(1) as u32);
        let own = width(last - from);
        let step = width(((last - from) as usize / numbers.len().max(1)) as u32) as usize + STEP_BITS;
        if rows * own as usize <= rows * placed as usize + numbers.len() * step {
            numbers.clear();
            return Self { from, width: own, book: numbers };
        }
        Self { from, width: placed, book: numbers }
    }
}

/// About how much wider a step from the first value of a block of ascending numbers is than one from the value before.
const STEP_BITS: usize = 7;

impl<T: Number> Numbered<T> {
    fn write(self, space: &MemoryBudget, out: &mut MappedWriter, tag: Tag) -> Result<()> {
        let Self { values, times, ids } = self;
        let number = |id: u32| values[id as usize].number();
        let rare_width = |listed: usize| width(values.len().saturating_sub(listed + 1) as u32);
        let mut common = Common::choose((0..).zip(times).collect(), MOST, rare_width);
        const NONE: u32 = u32::MAX;
        let mut places = vec![NONE; values.len()];
        (0..).zip(&common.listed).for_each(|(at, &id)| places[id as usize] = at);
        let mut ascending: Vec<u32> =
            (0..values.len() as u32).filter(|&id| places[id as usize] == NONE).collect();
        ascending.sort_unstable_by_key(|&id| number(id));
        let rare = Rare::choose(ascending.iter().map(|&id| number(id)).collect(), common.rare);
        let length = common.listed.len() as u32;
        for (place, &id) in (0..).zip(&ascending) {
            places[id as usize] = length + if rare.book.is_empty() { number(id) - rare.from } else { place };
        }
        common.listed.iter_mut().for_each(|id| *id = number(*id));
        drop((values, ascending));
        let rows = ids.map(space, |id| places[id as usize])?;
        let write = |out: &mut dyn Write| -> io::Result<()> {
            let places = || rows.iter().map(|&place| u64::from(place));
            Split::write(out, &common, (rows.len(), rare.width), places)?;
            write_number(out, rare.from as usize)?;
            Ascending::write(out, rare.book.len(), rare.book.iter().copied().map(Ok))
        };
        Ok(out.stream(tag, |out| write(out))?)
    }
}

impl BookWriter<Decimal> {
    /// Writes it with at most 2^`bits` distinct values.
    pub fn write_quantized(self, bits: u32, out: &mut MappedWriter, tag: Tag) -> Result<()> {
        let space = self.scratch.space().clone();
        let column = self.number()?;
        let most = 1 << bits.min(u32::BITS - 1);
        if column.values.len() <= most {
            return column.write(&space, out, tag);
        }
        let (values, numbers) = quantize(&column.values, &column.times, most);
        let mut times = vec![0; values.len()];
        (0..).zip(&column.times).for_each(|(id, more): (usize, &u32)| times[numbers[id] as usize] += more);
        let ids = column.ids.map(&space, |id| numbers[id as usize])?;
        Numbered { values, times, ids }.write(&space, out, tag)
    }
}
