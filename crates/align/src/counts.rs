//! Expected links by slot, summed in the order of the corpus. Where the sums do not fit in memory, what is to be added is
//! written down, part of the slots by part, and added up at the end in the same order: the sums are the same to the bit.

use crate::error::Result;
use bytemuck::{Pod, Zeroable};
use treeglot_text::column::{BATCH, Column, ColumnWriter, MemoryBudget};

/// Sums that are being made.
pub struct LinkCounts {
    space: MemoryBudget,
    slots: usize,
    sums: Sums,
}

enum Sums {
    Memory(Vec<f32>),
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
        let most = space.beside(size_of::<f32>());
        let parts = || (0..slots.div_ceil(most)).map(|_| space.writer()).collect();
        let sums = if slots <= most { Sums::Memory(vec![0.0; slots]) } else { Sums::Parts(most, parts()) };
        Self { space: space.clone(), slots, sums }
    }

    /// Adds links.
    pub fn add(&mut self, addends: &[(u32, f32)]) -> Result<()> {
        match &mut self.sums {
            Sums::Memory(sums) => addends.iter().for_each(|&(slot, links)| sums[slot as usize] += links),
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
            Sums::Memory(sums) => return Ok(sums.into()),
            Sums::Parts(run, parts) => (run, parts),
        };
        let mut out = self.space.writer();
        for (part, addends) in parts.into_iter().enumerate() {
            let first = part * run;
            let mut sums = vec![0f32; run.min(self.slots - first)];
            for batch in addends.finish()?.chunks(BATCH) {
                batch.iter().for_each(|addend| sums[addend.slot as usize - first] += addend.links);
                self.space.trim();
            }
            out.extend(&sums)?;
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
