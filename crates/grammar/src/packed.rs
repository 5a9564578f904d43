//! Columns of small numbers in a mapped file, each as wide as its largest value: random access by one unaligned read.
//!
//! A section holds the width and the number of values (8 bytes each), the bits, and 8 bytes more, so that every value
//! can be read as part of a whole `u64`.

use std::io::{self, Write};
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag, View};

const HEAD: usize = 16;
const TAIL: usize = 8;

/// How many bits the values up to `largest` need.
pub fn width(largest: u32) -> u32 {
    32 - largest.leading_zeros()
}

/// Writes a column as the next section.
pub fn write(
    out: &mut MappedWriter,
    tag: Tag,
    width: u32,
    len: usize,
    values: impl Iterator<Item = io::Result<u32>>,
) -> treeglot_text::Result<()> {
    out.stream(tag, |out| {
        out.write_all(&u64::from(width).to_le_bytes())?;
        out.write_all(&(len as u64).to_le_bytes())?;
        let (mut pending, mut bits) = (0u64, 0u32);
        let mut buffer = Vec::with_capacity(1 << 16);
        for value in values {
            pending |= u64::from(value?) << bits;
            bits += width;
            if bits >= 32 {
                buffer.extend_from_slice(&(pending as u32).to_le_bytes());
                pending >>= 32;
                bits -= 32;
            }
            if buffer.len() >= (1 << 16) - 4 {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        let left = (pending as u32).to_le_bytes();
        buffer.extend_from_slice(&left[..bits.div_ceil(8) as usize]);
        buffer.extend_from_slice(&[0; TAIL]);
        out.write_all(&buffer)
    })
}

/// A column of a mapped file.
#[derive(Debug, Clone)]
pub struct Packed {
    bytes: View<u8>,
    width: u32,
    len: usize,
}

impl Packed {
    /// Opens a section; checks that all its values are there.
    pub fn open(file: &MappedFile, tag: Tag) -> treeglot_text::Result<Self> {
        let bytes: View<u8> = file.view(tag)?;
        let number =
            |at: usize| bytes.get(at..at + 8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or([0; 8])));
        let (Some(width), Some(len)) = (number(0), number(8)) else {
            return Err(file.corrupt("a column is cut off".to_string()));
        };
        let needed = len.checked_mul(width).map(|bits| bits.div_ceil(8) + (HEAD + TAIL) as u64);
        if width > 32 || needed != Some(bytes.len() as u64) {
            return Err(file.corrupt("a column does not have the length it tells".to_string()));
        }
        Ok(Self { width: width as u32, len: len as usize, bytes })
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The values, ready to be read.
    #[inline]
    pub fn values(&self) -> Values<'_> {
        Values { bytes: &self.bytes[HEAD..], width: self.width, len: self.len }
    }

    /// Value `i`; 0 beyond the end.
    #[inline]
    pub fn get(&self, i: usize) -> u32 {
        self.values().get(i)
    }
}

/// The values of a column.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    bytes: &'a [u8],
    width: u32,
    len: usize,
}

impl Values<'_> {
    /// Value `i`; 0 beyond the end.
    #[inline]
    pub fn get(self, i: usize) -> u32 {
        if i >= self.len {
            return 0;
        }
        let bit = i as u64 * u64::from(self.width);
        let at = (bit / 8) as usize;
        let Some(word) = self.bytes.get(at..).and_then(<[u8]>::first_chunk) else { return 0 };
        (u64::from_le_bytes(*word) >> (bit % 8)) as u32 & ((1u64 << self.width) - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_column_gives_back_its_values(values in proptest::collection::vec(any::<u32>(), 0..100), shift in 0u32..32) {
            let values: Vec<u32> = values.into_iter().map(|v| v >> shift).collect();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("column");
            let tag = Tag::new("numbers");
            let mut out = MappedWriter::create(&path, Tag::new("test"), 1, &[tag]).unwrap();
            let bits = width(values.iter().copied().max().unwrap_or(0));
            write(&mut out, tag, bits, values.len(), values.iter().copied().map(Ok)).unwrap();
            out.finish().unwrap();
            let column = Packed::open(&MappedFile::open(&path, Tag::new("test"), 1).unwrap(), tag).unwrap();
            prop_assert_eq!(column.len(), values.len());
            prop_assert_eq!((0..values.len()).map(|i| column.get(i)).collect::<Vec<_>>(), values);
            prop_assert_eq!(column.get(column.len()), 0);
        }
    }
}
