//! Expected links by slot, summed as whole multiples of 2^-32: in whatever order, the sums are the same to the bit. Where they do not
//! fit in memory, what is to be added is written down, part of the slots by part, and added up at the end.

use crate::error::Result;
use bytemuck::{Pod, Zeroable};
use treeglot_text::column::{BATCH, Column, ColumnWriter, MemoryBudget};

const ONE: f64 = (1u64 << 32) as f64;

/// An expected count as a whole multiple of 2^-32; what is below one, or below nothing, is nothing.
#[inline]
pub fn whole(count: f64) -> u64 {
    (count * ONE) as u64
}

/// The value of a sum.
#[inline]
pub fn double(sum: u64) -> f64 {
    sum as f64 / ONE
}

/// The value of a sum in single precision.
#[inline]
pub fn single(sum: u64) -> f32 {
    double(sum) as f32
}

/// Sums that are being made.
pub struct LinkCounts {
    space: MemoryBudget,
    slots: usize,
    sums: Sums,
}

enum Sums {
    Memory(Vec<u64>),
    /// What to add to each run of so many slots.
    Parts(usize, Vec<ColumnWriter<Addend>>),
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Addend {
    slot: u32,
    links: f32,
}

impl LinkCounts {
    /// No links yet for any of `slots`.
    pub fn none(slots: usize, space: &MemoryBudget) -> Self {
        let most = space.beside(size_of::<u64>());
        let parts = || (0..slots.div_ceil(most)).map(|_| space.writer()).collect();
        let sums = if slots <= most { Sums::Memory(vec![0; slots]) } else { Sums::Parts(most, parts()) };
        Self { space: space.clone(), slots, sums }
    }

    /// Adds links.
    pub fn add(&mut self, addends: &[(u32, f32)]) -> Result<()> {
        match &mut self.sums {
            Sums::Memory(sums) => {
                addends.iter().for_each(|&(slot, links)| sums[slot as usize] += whole(links.into()));
            }
            Sums::Parts(run, parts) => {
                for &(slot, links) in addends {
                    parts[slot as usize / *run].push(Addend { slot, links })?;
                }
            }
        }
        Ok(())
    }

    /// The sums by slot.
    pub fn finish(self) -> Result<Column<f32>> {
        let (run, parts) = match self.sums {
            Sums::Memory(sums) => return Ok(sums.into_iter().map(single).collect::<Vec<f32>>().into()),
            Sums::Parts(run, parts) => (run, parts),
        };
        let mut out = self.space.writer();
        for (part, addends) in parts.into_iter().enumerate() {
            let first = part * run;
            let mut sums = vec![0; run.min(self.slots - first)];
            for batch in addends.finish()?.chunks(BATCH) {
                let add = |addend: &Addend| sums[addend.slot as usize - first] += whole(addend.links.into());
                batch.iter().for_each(add);
                self.space.trim();
            }
            sums.chunks(BATCH).try_for_each(|sums| {
                out.extend(&sums.iter().map(|&sum| single(sum)).collect::<Vec<f32>>())
            })?;
        }
        Ok(out.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_the_same_to_the_bit_in_memory_and_on_disk(
            addends in prop::collection::vec((0u32..40_000, 0.0f32..1.0), 0..4000),
        ) {
            let sums = [MemoryBudget::unlimited(), MemoryBudget::new(0)].map(|space| {
                let mut counts = LinkCounts::none(40_000, &space);
                addends.chunks(7).for_each(|some| counts.add(some).unwrap());
                counts.finish().unwrap().iter().map(|sum| sum.to_bits()).collect::<Vec<u32>>()
            });
            prop_assert_eq!(&sums[0], &sums[1]);
        }
    }
}
