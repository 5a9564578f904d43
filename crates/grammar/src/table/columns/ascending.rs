//! Numbers of which none is smaller than the one before: a block of 64 stores its first, and how far each is from that in as
//! many bits as the last one needs.
//!
//! The number of values (8 bytes), the words of all blocks (as many of 8 bytes as a value has bits), and a directory: of
//! each block its first value and the number of its first word (4 bytes each), and where words end. It is the last part of its
//! section.

use super::packed::{number_at, width};
use super::{Bytes, Parts, Section, write_number};
use std::io::{self, Write};
use treeglot_text::Result;

const BLOCK: usize = 64;
const ENTRY: usize = 8;

/// Numbers in ascending order.
#[derive(Debug, Clone)]
pub struct Ascending {
    /// The words and the directory.
    bytes: Bytes,
    directory: usize,
    len: usize,
}

impl Section for Ascending {
    fn read(parts: &mut Parts<'_>) -> Result<Self> {
        let len = parts.number()?;
        let bytes = parts.bytes(None)?;
        let entries = len.div_ceil(BLOCK).checked_add(1).and_then(|entries| entries.checked_mul(ENTRY));
        let directory = entries.and_then(|length| bytes.all().len().checked_sub(length));
        Ok(Self { directory: directory.ok_or_else(|| parts.cut_off())?, bytes, len })
    }
}

impl Ascending {
    /// Writes `len` values.
    pub fn write(
        out: &mut (impl Write + ?Sized),
        len: usize,
        values: impl Iterator<Item = io::Result<u32>>,
    ) -> io::Result<()> {
        write_number(out, len)?;
        let (mut directory, mut words) = (Vec::new(), 0u32);
        let mut block: Vec<u32> = Vec::with_capacity(BLOCK);
        let mut entry = |first: u32, words: u32| {
            directory.extend_from_slice(&first.to_le_bytes());
            directory.extend_from_slice(&words.to_le_bytes());
        };
        let mut end = |block: &mut Vec<u32>| {
            let (first, last) = (block[0], block[block.len() - 1]);
            entry(first, words);
            words += write_block(out, block, width(last - first))?;
            block.clear();
            io::Result::Ok(words)
        };
        let mut last = 0;
        for value in values {
            block.push(value?);
            if block.len() == BLOCK {
                last = end(&mut block)?;
            }
        }
        if !block.is_empty() {
            last = end(&mut block)?;
        }
        entry(0, last);
        out.write_all(&directory)
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Value `i`; 0 beyond the end.
    #[inline]
    pub fn get(&self, i: usize) -> u32 {
        self.range(i).0
    }

    /// Values `i` and `i` + 1; 0 beyond the end.
    #[inline]
    pub fn range(&self, i: usize) -> (u32, u32) {
        let bytes = self.bytes.all();
        let Some((first, at, width)) = self.block(bytes, i / BLOCK).filter(|_| i < self.len) else {
            return (0, 0);
        };
        let value = |row: usize| {
            let bit = u64::from(at) * 64 + row as u64 * u64::from(width);
            first.wrapping_add(number_at(bytes, bit, width))
        };
        let row = i % BLOCK;
        let next = match i + 1 {
            next if next >= self.len => 0,
            _ if row + 1 < BLOCK => value(row + 1),
            next => self.block(bytes, next / BLOCK).map_or(0, |(first, ..)| first),
        };
        (value(row), next)
    }

    /// A block's first value, its first word, and the width of its values.
    #[inline]
    fn block(&self, bytes: &[u8], block: usize) -> Option<(u32, u32, u32)> {
        let entry = bytes.get(self.directory + block * ENTRY..)?.first_chunk::<{ ENTRY + ENTRY }>()?;
        let number = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
        let (first, at) = (number(0), number(4));
        Some((first, at, number(12).wrapping_sub(at).min(u32::BITS)))
    }
}

/// Writes how far the values are from their first as so many words as each has bits; returns how many.
fn write_block(out: &mut (impl Write + ?Sized), values: &[u32], width: u32) -> io::Result<u32> {
    let mut words = [0u64; u32::BITS as usize + 1];
    for (row, value) in values.iter().enumerate() {
        let (bit, rest) = (row * width as usize, u128::from(value - values[0]));
        let shifted = rest << (bit % 64);
        words[bit / 64] |= shifted as u64;
        words[bit / 64 + 1] |= (shifted >> 64) as u64;
    }
    out.write_all(bytemuck::cast_slice(&words[..width as usize]))?;
    Ok(width)
}
