//! The distinct target sides: each as how many symbols it has from the one before, and the code of the others. Every
//! eighth is whole, so that one is found by reading at most eight.
//!
//! A side begins with a byte: the shared symbols in its upper half, the length of the code in its lower half, or 15 there if two
//! bytes with the length follow.

use super::book::BookWriter;
use super::columns::{Ascending, Packed, Section, width};
use super::meta::tags;
use crate::code::{self, Symbols};
use crate::error::{Error, Result};
use crate::spool::{Scratch, Spool};
use crate::symbol::Symbol;
use treeglot_text::column::{Column, ColumnWriter};
use treeglot_text::mapped::{MappedFile, MappedWriter, View};

const BLOCK: usize = 8;
/// The most that half a byte tells.
const MOST: usize = 15;

/// The target sides of a mapped file.
#[derive(Debug, Clone)]
pub struct Sides {
    blocks: Ascending,
    codes: View<u8>,
}

impl Sides {
    pub fn open(file: &MappedFile) -> Result<Self> {
        Ok(Self {
            blocks: Ascending::open(file, tags::TARGET_BLOCKS)?,
            codes: file.view(tags::TARGET_CODES)?,
        })
    }

    /// Whether it may have `len` sides.
    pub fn fits(&self, len: usize) -> bool {
        self.blocks.len() == len.div_ceil(BLOCK)
    }

    /// Appends the symbols of side `i` to `out`, which is empty; in a damaged file, any symbols.
    #[inline]
    pub fn read(&self, i: u32, out: &mut Vec<Symbol>) {
        let i = i as usize;
        if i / BLOCK >= self.blocks.len() {
            return;
        }
        let mut rest = self.codes.get(self.blocks.get(i / BLOCK) as usize..).unwrap_or_default();
        let mut sides: [(usize, &[u8]); BLOCK] = [(0, &[]); BLOCK];
        let sides = &mut sides[..=i % BLOCK];
        for side in sides.iter_mut() {
            let Some((&head, after)) = rest.split_first() else { return };
            let (length, after) = match usize::from(head) % (MOST + 1) {
                MOST => match after.split_first_chunk() {
                    Some((length, after)) => (usize::from(u16::from_le_bytes(*length)), after),
                    None => return,
                },
                length => (length, after),
            };
            let Some((code, after)) = after.split_at_checked(length) else { return };
            *side = (usize::from(head) / (MOST + 1), code);
            rest = after;
        }
        // What a side gives is what all later ones share.
        let mut shared = usize::MAX;
        let mut given = [0; BLOCK];
        for (given, side) in given[..sides.len()].iter_mut().zip(&*sides).rev() {
            *given = shared.saturating_sub(side.0);
            shared = shared.min(side.0);
        }
        for (&given, side) in given.iter().zip(&*sides) {
            out.extend(Symbols(side.1).take(given));
        }
    }
}

/// The distinct target sides of a table, numbered as they come; those that no rule uses are left out of the file.
pub struct Targets {
    codes: Spool,
    counts: ColumnWriter<f32>,
    scratch: Scratch,
}

impl Targets {
    /// None yet.
    pub fn new(scratch: &Scratch) -> Result<Self> {
        Ok(Self { codes: scratch.spool()?, counts: scratch.space().writer(), scratch: scratch.clone() })
    }

    /// Appends a target side, given by its code without an end, that was seen `count` times. Returns its number.
    pub fn push(&mut self, target: &[u8], count: f32) -> Result<u32> {
        let length = u16::try_from(target.len()).expect("a side has at most 255 symbols of 5 bytes");
        self.codes.bytes(&length.to_le_bytes())?;
        self.codes.bytes(target)?;
        self.counts.push(count)?;
        u32::try_from(self.counts.len() - 1).map_err(|_| Error::TooManyRules)
    }

    /// Writes those that rules use, and the target number of each rule in the file.
    pub fn write(self, out: &mut MappedWriter, of_rules: &Column<u32>) -> Result<()> {
        let Self { codes, counts, scratch } = self;
        let (counts, mut codes) = (counts.finish()?, codes.read()?);
        let mut used = Used::new(counts.len());
        of_rules.iter().for_each(|&target| used.mark(target));
        let used_len = used.rank();
        let mut kept = Kept::new(&scratch)?;
        let mut used_counts = BookWriter::new(&scratch)?;
        let mut code = Vec::new();
        for (target, &count) in (0..).zip(counts.iter()) {
            let mut length = [0; 2];
            codes.fill(&mut length)?;
            code.resize(usize::from(u16::from_le_bytes(length)), 0);
            codes.fill(&mut code)?;
            if used.has(target) {
                kept.push(&code)?;
                used_counts.push(count.to_bits())?;
            }
        }
        kept.write(out)?;
        used_counts.write(out, tags::TARGET_COUNTS)?;
        let width = width(used_len.saturating_sub(1));
        let numbers = of_rules.iter().map(|&target| Ok(used.number(target)));
        Ok(out.stream(tags::TARGETS, |out| Packed::write(out, width, of_rules.len(), numbers))?)
    }
}

/// Target sides being written.
struct Kept {
    codes: Spool,
    blocks: ColumnWriter<u32>,
    len: usize,
    end: u32,
    /// The numbers of the last side's symbols, and those of the next.
    last: Vec<u32>,
    next: Vec<u32>,
    bytes: Vec<u8>,
}

impl Kept {
    fn new(scratch: &Scratch) -> Result<Self> {
        let (codes, blocks) = (scratch.spool()?, scratch.space().writer());
        Ok(Self { codes, blocks, len: 0, end: 0, last: Vec::new(), next: Vec::new(), bytes: Vec::new() })
    }

    fn push(&mut self, target: &[u8]) -> Result<()> {
        self.next.clear();
        self.next.extend(Symbols(target).map(code::number));
        let mut shared = 0;
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(self.end)?;
        } else {
            shared = self.last.iter().zip(&self.next).take(MOST).take_while(|(a, b)| a == b).count();
        }
        self.bytes.clear();
        self.next[shared..].iter().for_each(|&number| code::push(code::symbol(number), &mut self.bytes));
        let (length, upper) = (self.bytes.len(), (shared * (MOST + 1)) as u8);
        if length < MOST {
            self.codes.bytes(&[upper + length as u8])?;
        } else {
            let [low, high] = (length as u16).to_le_bytes();
            self.codes.bytes(&[upper + MOST as u8, low, high])?;
        }
        self.codes.bytes(&self.bytes)?;
        let more = 1 + if length < MOST { 0 } else { 2 } + length as u32;
        self.end = self.end.checked_add(more).ok_or(Error::TooManyRules)?;
        self.len += 1;
        std::mem::swap(&mut self.last, &mut self.next);
        Ok(())
    }

    fn write(self, out: &mut MappedWriter) -> Result<()> {
        let (blocks, mut codes) = (self.blocks.finish()?, self.codes.read()?);
        let starts = blocks.iter().copied().map(Ok);
        out.stream(tags::TARGET_BLOCKS, |out| Ascending::write(out, blocks.len(), starts))?;
        Ok(out.stream(tags::TARGET_CODES, |out| codes.copy(out).map(drop))?)
    }
}

/// Which target sides rules use, and their numbers when all others are left out: a bit each, and a count for 64.
struct Used {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Used {
    fn new(len: usize) -> Self {
        Self { bits: vec![0; len.div_ceil(64)], before: Vec::new() }
    }

    fn mark(&mut self, target: u32) {
        self.bits[target as usize / 64] |= 1 << (target % 64);
    }

    fn has(&self, target: u32) -> bool {
        self.bits[target as usize / 64] >> (target % 64) & 1 == 1
    }

    /// Ends marking; returns how many there are.
    fn rank(&mut self) -> u32 {
        let mut sum = 0;
        for bits in &self.bits {
            self.before.push(sum);
            sum += bits.count_ones();
        }
        sum
    }

    fn number(&self, target: u32) -> u32 {
        let at = target as usize / 64;
        self.before[at] + (self.bits[at] & ((1 << (target % 64)) - 1)).count_ones()
    }
}
