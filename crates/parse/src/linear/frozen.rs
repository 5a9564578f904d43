//! Frozen classifiers: an open-addressing table from feature to a row of (class, weight) cells, weights in 16 bits.

use super::Feature;
use bytemuck::{Pod, Zeroable};
use treeglot_text::mapped::Store;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Cell {
    class: u16,
    weight: i16,
}

/// A classifier for use: read-only, shared by threads.
#[derive(Debug, Clone)]
pub(crate) struct Linear {
    /// The high half of the feature's hash, then row + 1; 0 where empty. At most half full.
    slots: Store<u64>,
    /// `cells[starts[row]..starts[row + 1]]` are the cells of a row.
    starts: Store<u32>,
    cells: Store<Cell>,
    /// The worth of one unit of weight, and the number of classes.
    shape: Store<f32>,
}

/// How many sections a classifier takes in a file.
const SECTIONS_EACH: usize = 4;

const PARTS: [&str; SECTIONS_EACH] = ["slots", "starts", "cells", "shape"];

/// Features that are looked up together.
const TOGETHER: usize = 16;

/// Weights below this share of the largest are dropped.
const LEAST_SHARE: f32 = 1.0 / 3000.0;

impl Linear {
    /// Quantises rows of distinct features.
    pub(super) fn new(rows: Vec<(Feature, Vec<(u16, f32)>)>, classes: usize) -> Self {
        let largest = rows.iter().flat_map(|r| &r.1).fold(0f32, |most, w| most.max(w.1.abs()));
        let unit = (largest / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let (mut kept, mut starts, mut cells) = (Vec::new(), vec![0u32], Vec::new());
        for (feature, weights) in rows {
            let before = cells.len();
            let large = weights.iter().filter(|w| w.1.abs() > largest * LEAST_SHARE);
            cells.extend(large.map(|&(class, w)| Cell { class, weight: (w / unit).round() as i16 }));
            if cells.len() > before {
                kept.push(feature);
                starts.push(cells.len() as u32);
            }
        }
        let mut slots = vec![0u64; (2 * kept.len()).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for (row, &feature) in kept.iter().enumerate() {
            let mut at = feature as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = (feature >> 32 << 32) | (row as u64 + 1);
        }
        Self {
            slots: slots.into(),
            starts: starts.into(),
            cells: cells.into(),
            shape: vec![unit, classes as f32].into(),
        }
    }

    /// How many classes it tells apart.
    pub(crate) fn classes(&self) -> usize {
        self.shape[1] as usize
    }

    /// The cells of a feature, given the slot at which its search begins.
    fn row(&self, slots: &[u64], starts: &[u32], feature: Feature, first: u64) -> std::ops::Range<usize> {
        let mask = slots.len() - 1;
        let (mut at, mut slot) = (feature as usize & mask, first);
        for _ in 0..slots.len() {
            if slot == 0 {
                break;
            }
            if slot >> 32 == feature >> 32 {
                let row = (slot as u32).wrapping_sub(1) as usize;
                // A damaged file may name any row: `get` makes it an empty one.
                return match (starts.get(row), starts.get(row.wrapping_add(1))) {
                    (Some(&start), Some(&end)) => start as usize..end as usize,
                    _ => 0..0,
                };
            }
            at = (at + 1) & mask;
            slot = slots[at];
        }
        0..0
    }

    /// Adds the weights of `features` to `scores`, one score a class.
    pub(crate) fn score(&self, features: &[Feature], scores: &mut [f32]) {
        let (slots, starts, cells): (&[u64], &[u32], &[Cell]) = (&self.slots, &self.starts, &self.cells);
        let (unit, mask) = (self.shape[0], slots.len() - 1);
        // Nearly every lookup waits for memory. With the loads of several side by side, before any decision, they wait
        // together.
        for features in features.chunks(TOGETHER) {
            let mut first = [0; TOGETHER];
            first.iter_mut().zip(features).for_each(|(slot, &f)| *slot = slots[f as usize & mask]);
            let mut rows = [(0, 0); TOGETHER];
            for ((row, &feature), &first) in rows.iter_mut().zip(features).zip(&first) {
                let range = self.row(slots, starts, feature, first);
                *row = (range.start, range.end);
            }
            for &(start, end) in &rows[..features.len()] {
                for cell in cells.get(start..end).unwrap_or_default() {
                    if let Some(score) = scores.get_mut(cell.class as usize) {
                        *score += unit * f32::from(cell.weight);
                    }
                }
            }
        }
    }

    /// The names of its sections in a file; `prefix` (three bytes at most) tells several classifiers apart.
    pub(crate) fn tags(prefix: &str) -> [Tag; SECTIONS_EACH] {
        PARTS.map(|part| Tag::new(&format!("{prefix}{}", &part[..part.len().min(8 - prefix.len())])))
    }

    pub(crate) fn write(&self, prefix: &str, out: &mut MappedWriter) -> treeglot_text::Result<()> {
        let [slots, starts, cells, shape] = Self::tags(prefix);
        out.section(slots, &self.slots)?;
        out.section(starts, &self.starts)?;
        out.section(cells, &self.cells)?;
        out.section(shape, &self.shape)
    }

    /// The classifier in a file, which must tell `classes` apart.
    pub(crate) fn part_of(file: &MappedFile, prefix: &str, classes: usize) -> treeglot_text::Result<Self> {
        let [slots, starts, cells, shape] = Self::tags(prefix);
        let linear = Self {
            slots: Store::Mapped(file.view(slots)?),
            starts: Store::Mapped(file.view(starts)?),
            cells: Store::Mapped(file.view(cells)?),
            shape: Store::Mapped(file.view(shape)?),
        };
        if !linear.slots.len().is_power_of_two() || linear.shape.len() != 2 || linear.classes() != classes {
            return Err(file.corrupt(format!("the classifier `{prefix}` does not fit its classes")));
        }
        Ok(linear)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Perceptron, best, one};

    #[test]
    fn what_was_learnt_is_kept_by_freezing() {
        let mut learner = Perceptron::default();
        for round in 0..5 {
            for class in 0..7usize {
                let features = [one(1, class as u64), one(2, (class % 2) as u64)];
                let mut scores = [0.0; 7];
                learner.score(&features, &mut scores);
                let guess = best(&scores);
                if guess != class {
                    learner.add(&features, class, 1.0);
                    learner.add(&features, guess, -1.0);
                }
                learner.tick();
                assert!(round < 4 || guess == class);
            }
        }
        let frozen = learner.freeze(7);
        for class in 0..7usize {
            let mut scores = [0.0; 7];
            frozen.score(&[one(1, class as u64), one(2, (class % 2) as u64), one(3, 9)], &mut scores);
            assert_eq!(best(&scores), class);
        }
    }
}
