//! Frozen classifiers: an open-addressing table from feature to a row of (class, weight) cells, weights in 16 bits.

use super::Feature;
use crate::nn::simd;
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
    /// The high half of the feature's hash, then where its row begins; 0 where empty. At most half full.
    slots: Store<u64>,
    /// Rows of cells. A row begins with a cell that has the number of the others as its class; before the first row is one
    /// cell that no row has.
    cells: Store<Cell>,
    classes: usize,
}

/// How many sections a classifier takes in a file.
const SECTIONS_EACH: usize = 2;

const PARTS: [&str; SECTIONS_EACH] = ["slots", "cells"];

/// Features that are looked up together.
const TOGETHER: usize = 16;

/// Weights below this share of the largest are dropped.
const LEAST_SHARE: f32 = 1.0 / 3000.0;

impl Linear {
    /// Quantises rows of distinct features.
    pub(super) fn new(rows: Vec<(Feature, Vec<(u16, f32)>)>, classes: usize) -> Self {
        let largest = rows.iter().flat_map(|r| &r.1).fold(0f32, |most, w| most.max(w.1.abs()));
        let unit = (largest / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let (mut kept, mut cells) = (Vec::new(), vec![Cell { class: 0, weight: 0 }]);
        for (feature, weights) in rows {
            let start = cells.len();
            cells.push(Cell { class: 0, weight: 0 });
            let large = weights.iter().filter(|w| w.1.abs() > largest * LEAST_SHARE);
            cells.extend(large.map(|&(class, w)| Cell { class, weight: (w / unit).round() as i16 }));
            cells[start].class = (cells.len() - start - 1) as u16;
            if cells[start].class == 0 {
                cells.pop();
            } else {
                kept.push((feature, start as u64));
            }
        }
        let mut slots = vec![0u64; (2 * kept.len()).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for (feature, start) in kept {
            let mut at = feature as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = (feature >> 32 << 32) | start;
        }
        Self { slots: slots.into(), cells: cells.into(), classes }
    }

    /// Where the row of a feature begins, given the slot at which its search begins; 0 if it has none.
    fn row(slots: &[u64], feature: Feature, first: u64) -> usize {
        let mask = slots.len() - 1;
        let (mut at, mut slot) = (feature as usize & mask, first);
        for _ in 0..slots.len() {
            if slot == 0 {
                break;
            }
            if slot >> 32 == feature >> 32 {
                return slot as u32 as usize;
            }
            at = (at + 1) & mask;
            slot = slots[at];
        }
        0
    }

    /// The class with the highest sum of the weights of `features`; the first of equals.
    pub(crate) fn decide(&self, features: &[Feature], scores: &mut Vec<i32>) -> u16 {
        scores.clear();
        scores.resize(self.classes.max(1), 0);
        self.score(features, scores);
        let most = simd(|| scores.iter().fold(i32::MIN, |most, &score| most.max(score)));
        scores.iter().position(|&score| score == most).unwrap_or(0) as u16
    }

    /// Adds the weights of `features` to `scores`, one score a class.
    fn score(&self, features: &[Feature], scores: &mut [i32]) {
        let (slots, cells): (&[u64], &[Cell]) = (&self.slots, &self.cells);
        let mask = slots.len() - 1;
        // Nearly every lookup waits for memory. With the loads of several side by side, before any decision, they wait
        // together.
        for features in features.chunks(TOGETHER) {
            let mut first = [0; TOGETHER];
            first.iter_mut().zip(features).for_each(|(slot, &f)| *slot = slots[f as usize & mask]);
            let mut rows = [0; TOGETHER];
            for ((row, &feature), &first) in rows.iter_mut().zip(features).zip(&first) {
                *row = Self::row(slots, feature, first);
            }
            // A damaged file may name any row: `get` makes it an empty one.
            let lengths = rows.map(|row| cells.get(row).map_or(0, |cell| usize::from(cell.class)));
            for (row, length) in rows.into_iter().zip(lengths) {
                for cell in cells.get(row + 1..row + 1 + length).unwrap_or_default() {
                    if let Some(score) = scores.get_mut(usize::from(cell.class)) {
                        *score += i32::from(cell.weight);
                    }
                }
            }
        }
    }

    /// The names of its sections in a file; `prefix` (three bytes at most) tells several classifiers apart.
    pub(crate) fn tags(prefix: &str) -> [Tag; SECTIONS_EACH] {
        PARTS.map(|part| Tag::new(&format!("{prefix}{part}")))
    }

    pub(crate) fn write(&self, prefix: &str, out: &mut MappedWriter) -> treeglot_text::Result<()> {
        let [slots, cells] = Self::tags(prefix);
        out.section(slots, &self.slots)?;
        out.section(cells, &self.cells)
    }

    /// The classifier in a file, which tells `classes` apart.
    pub(crate) fn part_of(file: &MappedFile, prefix: &str, classes: usize) -> treeglot_text::Result<Self> {
        let [slots, cells] = Self::tags(prefix);
        let (slots, cells) = (Store::Mapped(file.view(slots)?), Store::Mapped(file.view(cells)?));
        let linear = Self { slots, cells, classes };
        if !linear.slots.len().is_power_of_two() {
            return Err(file.corrupt(format!("the classifier `{prefix}` has no table")));
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
            let features = [one(1, class as u64), one(2, (class % 2) as u64), one(3, 9)];
            assert_eq!(usize::from(frozen.decide(&features, &mut Vec::new())), class);
        }
    }
}
