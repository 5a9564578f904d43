//! Which rows are marked, and how many marked ones come before a row.
//!
//! The number of rows (8 bytes), then blocks of 20 bytes: how many marks come before the block, and its 128 rows' bits.

use super::{Bytes, Parts, Section, write_number};
use std::io::{self, Write};
use treeglot_text::Result;

const ROWS: usize = 128;
const BLOCK: usize = 4 + ROWS / 8;

/// Rows of which some are marked.
#[derive(Debug, Clone)]
pub struct Marks {
    bytes: Bytes,
    len: usize,
}

impl Section for Marks {
    fn read(parts: &mut Parts<'_>) -> Result<Self> {
        let len = parts.number()?;
        let length = len.div_ceil(ROWS).checked_mul(BLOCK).ok_or_else(|| parts.cut_off())?;
        Ok(Self { bytes: parts.bytes(Some(length))?, len })
    }
}

impl Marks {
    /// Writes whether each row is marked.
    pub fn write(
        out: &mut (impl Write + ?Sized),
        len: usize,
        marks: impl Iterator<Item = bool>,
    ) -> io::Result<()> {
        write_number(out, len)?;
        let (mut before, mut bits, mut rows) = (0u32, 0u128, 0);
        let mut block = |bits: u128| {
            let mut bytes = [0; BLOCK];
            bytes[..4].copy_from_slice(&before.to_le_bytes());
            bytes[4..].copy_from_slice(&bits.to_le_bytes());
            before += bits.count_ones();
            out.write_all(&bytes)
        };
        for mark in marks {
            bits |= u128::from(mark) << rows;
            rows += 1;
            if rows == ROWS {
                block(bits)?;
                (bits, rows) = (0, 0);
            }
        }
        if rows > 0 { block(bits) } else { Ok(()) }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether row `i` is marked, and how many marked rows come before it; beyond the end there are no marks.
    #[inline]
    pub fn find(&self, i: usize) -> (bool, u32) {
        let block = self.bytes.all().get(i / ROWS * BLOCK..).and_then(<[u8]>::first_chunk::<BLOCK>);
        let Some(block) = block.filter(|_| i < self.len) else { return (false, 0) };
        let [b0, b1, b2, b3, bits @ ..] = *block;
        let (low, high) = bits.split_at(size_of::<u64>());
        let [low, high] =
            [low, high].map(|half| half.first_chunk().map_or(0, |bits| u64::from_le_bytes(*bits)));
        let (word, passed) = if i % ROWS < 64 { (low, 0) } else { (high, low.count_ones()) };
        let before = passed + (word & ((1 << (i % 64)) - 1)).count_ones();
        (word >> (i % 64) & 1 == 1, u32::from_le_bytes([b0, b1, b2, b3]).wrapping_add(before))
    }

    /// The how-manieth marked row this is, from 0, if it is marked.
    #[inline]
    pub fn get(&self, i: usize) -> Option<u32> {
        let (marked, before) = self.find(i);
        marked.then_some(before)
    }
}
