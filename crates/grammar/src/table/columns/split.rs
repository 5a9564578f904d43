//! Numbers of which few are frequent: these are listed once, and a row has either the place of its number in the list or,
//! where it is marked, its rare number.
//!
//! How many numbers are in the list, and the list (8 and 4 bytes each); the marks; the rows that are not marked; those that
//! are. Without a list all rows are rare, without marks none is.

use super::packed::{Packed, width};
use super::{Marks, Parts, Section, write_number};
use std::io::{self, Write};
use treeglot_text::Result;

/// The most numbers that are worth listing.
pub const MOST: usize = 1 << 10;
/// What a mark takes, in 64ths of a bit.
const MARK: u64 = 80;

/// Which numbers are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Common {
    /// The numbers, the most frequent first.
    pub listed: Vec<u32>,
    /// How many rows have another.
    pub rare: usize,
}

impl Common {
    /// Chooses up to `most` numbers so that the column becomes smallest. `times` has each number and how many rows have it,
    /// `rare_width` tells how wide rare ones are if so many numbers are listed.
    pub fn choose(mut times: Vec<(u32, u32)>, most: usize, rare_width: impl Fn(usize) -> u32) -> Self {
        times.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let rows: u64 = times.iter().map(|&(_, times)| u64::from(times)).sum();
        let (mut best, mut least) = (0, rows * 64 * u64::from(rare_width(0)));
        let mut covered = 0;
        for (n, &(_, times)) in (1u32..).zip(&times).take(most) {
            covered += u64::from(times);
            let all = covered == rows;
            if !n.is_power_of_two() && !all {
                continue;
            }
            let marks = if all { 0 } else { MARK * rows };
            let listed = 64 * (covered * u64::from(width(n - 1)) + 32 * u64::from(n));
            let rare = 64 * (rows - covered) * u64::from(rare_width(n as usize));
            if marks + listed + rare < least {
                (best, least) = (n as usize, marks + listed + rare);
            }
        }
        times.truncate(best);
        let covered: u64 = times.iter().map(|&(_, times)| u64::from(times)).sum();
        Self {
            listed: times.into_iter().map(|(number, _)| number).collect(),
            rare: (rows - covered) as usize,
        }
    }
}

/// A row of a [`Split`] column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The place of its number in the list.
    Listed(u32),
    /// Its rare number.
    Rare(u32),
}

/// Numbers of which few are frequent.
#[derive(Debug, Clone)]
pub struct Split {
    list: Vec<u32>,
    marks: Marks,
    listed: Packed,
    rare: Packed,
}

impl Section for Split {
    fn read(parts: &mut Parts<'_>) -> Result<Self> {
        let length = parts.number()?;
        let bytes = parts.bytes(Some(length.checked_mul(4).ok_or_else(|| parts.cut_off())?))?;
        let list = bytes.all().chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        let (marks, listed, rare) = (Marks::read(parts)?, Packed::read(parts)?, Packed::read(parts)?);
        let split = Self { list, marks, listed, rare };
        if split.marks.len() != 0 && split.marks.len() != split.listed.len() + split.rare.len() {
            return Err(parts.cut_off());
        }
        Ok(split)
    }
}

impl Split {
    /// Writes a column of `len` rows. `places` has of each row the place of its number in the list, or the length of the list
    /// more than its rare number, of which none has more than `rare_width` bits.
    pub fn write<I: Iterator<Item = u64>>(
        out: &mut (impl Write + ?Sized),
        common: &Common,
        (len, rare_width): (usize, u32),
        places: impl Fn() -> I,
    ) -> io::Result<()> {
        let length = common.listed.len() as u64;
        write_number(out, common.listed.len())?;
        out.write_all(bytemuck::cast_slice(&common.listed))?;
        let mixed = length > 0 && common.rare > 0;
        Marks::write(out, if mixed { len } else { 0 }, places().filter(|_| mixed).map(|at| at >= length))?;
        let listed = places().filter(|&at| at < length).map(|at| Ok(at as u32));
        Packed::write(out, width(length.saturating_sub(1) as u32), len - common.rare, listed)?;
        let rare = places().filter(|&at| at >= length).map(|at| Ok((at - length) as u32));
        Packed::write(out, rare_width, common.rare, rare)
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.listed.len() + self.rare.len()
    }

    /// The frequent numbers.
    pub fn list(&self) -> &[u32] {
        &self.list
    }

    /// What row `i` has; beyond the end, something.
    #[inline]
    pub fn find(&self, i: usize) -> Value {
        if self.marks.len() == 0 {
            return match self.rare.len() {
                0 => Value::Listed(self.listed.get(i)),
                _ => Value::Rare(self.rare.get(i)),
            };
        }
        match self.marks.find(i) {
            (true, before) => Value::Rare(self.rare.get(before as usize)),
            (false, before) => Value::Listed(self.listed.get(i.wrapping_sub(before as usize))),
        }
    }

    /// The number of row `i`, where rare numbers are what they are; 0 beyond the end.
    #[inline]
    pub fn get(&self, i: usize) -> u32 {
        match self.find(i) {
            Value::Listed(at) => self.list.get(at as usize).copied().unwrap_or(0),
            Value::Rare(number) => number,
        }
    }

    /// The row between `low` and `high` that has a number, in a column that lists no more than one, if these rows ascend.
    #[inline]
    pub fn position(&self, (low, high): (u32, u32), wanted: u32) -> Option<u32> {
        let rare = self.rare.values();
        let search = |(mut low, mut high): (u32, u32)| {
            while low < high {
                let middle = low.midpoint(high);
                if rare.get(middle as usize) < wanted { low = middle + 1 } else { high = middle }
            }
            low
        };
        let is_wanted = |at: u32, end: u32| at < end && rare.get(at as usize) == wanted;
        let Some(&listed) = self.list.first() else {
            let at = search((low, high));
            return is_wanted(at, high).then_some(at);
        };
        if self.marks.len() == 0 {
            return (listed == wanted && low < high).then_some(low);
        }
        let (_, first) = self.marks.find(low as usize);
        let end = if high as usize == self.len() {
            self.rare.len() as u32
        } else {
            self.marks.find(high as usize).1
        };
        let at = search((first, end));
        let row = low.wrapping_add(at.wrapping_sub(first));
        if listed == wanted {
            return (row < high && !self.marks.find(row as usize).0).then_some(row);
        }
        let row =
            row.wrapping_add(u32::from(listed < wanted && high.wrapping_sub(low) > end.wrapping_sub(first)));
        (is_wanted(at, end) && row < high && self.marks.find(row as usize) == (true, at)).then_some(row)
    }
}
