//! Columns of a table file: numbers found by their row without reading what lies before them, in few bits each.
//!
//! | column | for | bits a value |
//! |---|---|---|
//! | [`Packed`] | numbers without order | those of the largest |
//! | [`Ascending`] | where the parts of something begin | those of the step from its block's first value, and one |
//! | [`Marks`] | whether a row has something, and the how-manieth it is | 1.25 |
//! | [`Split`] | numbers of which few are frequent | 1.25, and those of the frequent or of the rare numbers |
//!
//! In a damaged file they give wrong numbers, 0 where there is none.

mod ascending;
mod marks;
mod packed;
mod split;
#[cfg(test)]
mod tests;

pub use ascending::Ascending;
pub use marks::Marks;
pub use packed::{Packed, width};
pub use split::{Common, MOST, Split, Value};

use std::io::{self, Write};
use std::ops::Range;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};
use treeglot_text::{Error, Result};

/// Reads the parts of a section, one after the other.
pub struct Parts<'a> {
    file: &'a MappedFile,
    view: View<u8>,
    at: usize,
}

/// Some bytes of a section.
#[derive(Debug, Clone)]
pub struct Bytes {
    view: View<u8>,
    range: Range<usize>,
}

impl<'a> Parts<'a> {
    /// The parts of a section from its begin.
    pub fn open(file: &'a MappedFile, tag: Tag) -> Result<Self> {
        Ok(Self { file, view: file.view(tag)?, at: 0 })
    }

    /// The next number.
    pub fn number(&mut self) -> Result<usize> {
        let bytes = self.bytes(Some(8))?;
        let number = bytes.all().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        usize::try_from(number).map_err(|_| self.cut_off())
    }

    /// The next bytes: so many, or all.
    pub fn bytes(&mut self, length: Option<usize>) -> Result<Bytes> {
        let end = length.map_or(Some(self.view.len()), |length| self.at.checked_add(length));
        let end = end.filter(|&end| end <= self.view.len()).ok_or_else(|| self.cut_off())?;
        let bytes = Bytes { view: self.view.clone(), range: self.at..end };
        self.at = end;
        Ok(bytes)
    }

    /// Checks that nothing is left.
    pub fn end(self) -> Result<()> {
        if self.at == self.view.len() { Ok(()) } else { Err(self.cut_off()) }
    }

    /// The error of a column that is not as long as it says.
    pub fn cut_off(&self) -> Error {
        self.file.corrupt("a column does not have the length it tells".to_string())
    }
}

impl Bytes {
    /// All of them.
    #[inline]
    pub fn all(&self) -> &[u8] {
        &self.view[self.range.clone()]
    }
}

/// Writes a number that [`Parts::number`] reads.
pub fn write_number(out: &mut (impl Write + ?Sized), number: usize) -> io::Result<()> {
    out.write_all(&(number as u64).to_le_bytes())
}

/// A column that is a section of its own.
pub trait Section: Sized {
    /// Reads it from the parts of a section.
    fn read(parts: &mut Parts<'_>) -> Result<Self>;

    /// Opens a section that is nothing else.
    fn open(file: &MappedFile, tag: Tag) -> Result<Self> {
        let mut parts = Parts::open(file, tag)?;
        let column = Self::read(&mut parts)?;
        parts.end()?;
        Ok(column)
    }
}

/// Writes numbers as a packed section.
pub fn write_packed(out: &mut MappedWriter, tag: Tag, values: &[u32]) -> Result<()> {
    let width = width(values.iter().copied().max().unwrap_or(0));
    out.stream(tag, |out| Packed::write(out, width, values.len(), values.iter().copied().map(Ok)))
}
