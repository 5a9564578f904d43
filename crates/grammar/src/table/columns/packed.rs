//! Numbers each as wide as the largest: random access by one unaligned read.
//!
//! The width and the number of values (8 bytes each), the bits, and 8 bytes more, so that every value can be read as part
//! of a whole `u64`.

use super::{Bytes, Parts, Section, write_number};
use std::io::{self, Write};
use treeglot_text::Result;

const TAIL: usize = 8;

/// How many bits the values up to `largest` need.
pub fn width(largest: u32) -> u32 {
    32 - largest.leading_zeros()
}

/// Puts numbers of some bits one after the other.
struct Bits<'a, W: ?Sized> {
    out: &'a mut W,
    pending: u64,
    bits: u32,
    buffer: Vec<u8>,
}

const BUFFER: usize = 1 << 16;

impl<W: Write + ?Sized> Bits<'_, W> {
    fn push(&mut self, value: u32, width: u32) -> io::Result<()> {
        self.pending |= u64::from(value) << self.bits;
        self.bits += width;
        if self.bits >= 32 {
            self.buffer.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.bits -= 32;
        }
        if self.buffer.len() >= BUFFER - 4 {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        let left = (self.pending as u32).to_le_bytes();
        self.buffer.extend_from_slice(&left[..self.bits.div_ceil(8) as usize]);
        self.buffer.extend_from_slice(&[0; TAIL]);
        self.out.write_all(&self.buffer)
    }
}

/// Numbers of one width.
#[derive(Debug, Clone)]
pub struct Packed {
    bytes: Bytes,
    width: u32,
    len: usize,
}

impl Section for Packed {
    fn read(parts: &mut Parts<'_>) -> Result<Self> {
        let (width, len) = (parts.number()?, parts.number()?);
        // Of numbers without bits there may be any number: rows are counted in 32 bits.
        let fits = width <= 32 && u32::try_from(len).is_ok();
        let bits = len.checked_mul(width).filter(|_| fits).ok_or_else(|| parts.cut_off())?;
        Ok(Self { bytes: parts.bytes(Some(bits.div_ceil(8) + TAIL))?, width: width as u32, len })
    }
}

impl Packed {
    /// Writes `len` values of at most `width` bits.
    pub fn write(
        out: &mut (impl Write + ?Sized),
        width: u32,
        len: usize,
        values: impl Iterator<Item = io::Result<u32>>,
    ) -> io::Result<()> {
        write_number(out, width as usize)?;
        write_number(out, len)?;
        let mut bits = Bits { out, pending: 0, bits: 0, buffer: Vec::with_capacity(BUFFER) };
        for value in values {
            bits.push(value?, width)?;
        }
        bits.finish()
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The values, ready to be read.
    #[inline]
    pub fn values(&self) -> Values<'_> {
        Values { bytes: self.bytes.all(), width: self.width, len: self.len }
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
        number_at(self.bytes, i as u64 * u64::from(self.width), self.width)
    }
}

/// The number of `width` bits that begins at a bit; 0 where no whole `u64` can be read.
#[inline]
pub fn number_at(bytes: &[u8], bit: u64, width: u32) -> u32 {
    let at = (bit / 8) as usize;
    let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { return 0 };
    (u64::from_le_bytes(*word) >> (bit % 8)) as u32 & ((1u64 << width) - 1) as u32
}
