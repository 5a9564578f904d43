//! Where the matrices of a network stand among its parameters.

use crate::{Mat, Rng};

/// A matrix among the parameters of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Block {
    /// Where its values begin.
    pub start: usize,
    /// How many rows it has.
    pub rows: usize,
    /// How many columns.
    pub cols: usize,
}

impl Block {
    /// It as a matrix to read.
    pub fn of<'a>(&self, values: &'a [f32]) -> Mat<'a> {
        Mat { values: &values[self.start..self.end()], rows: self.rows, cols: self.cols }
    }

    /// Its values, row by row.
    pub fn slice<'a>(&self, values: &'a [f32]) -> &'a [f32] {
        &values[self.start..self.end()]
    }

    /// Its values, to change.
    pub fn slice_mut<'a>(&self, values: &'a mut [f32]) -> &'a mut [f32] {
        &mut values[self.start..self.end()]
    }

    /// One of its rows.
    pub fn row<'a>(&self, values: &'a [f32], row: usize) -> &'a [f32] {
        &values[self.start + row * self.cols..self.start + (row + 1) * self.cols]
    }

    /// One of its rows, to change.
    pub fn row_mut<'a>(&self, values: &'a mut [f32], row: usize) -> &'a mut [f32] {
        &mut values[self.start + row * self.cols..self.start + (row + 1) * self.cols]
    }

    /// Where its values end.
    pub fn end(&self) -> usize {
        self.start + self.rows * self.cols
    }

    /// Random values of the given spread.
    pub fn init(&self, values: &mut [f32], scale: f32, rng: &mut Rng) {
        self.slice_mut(values).fill_with(|| rng.around(scale));
    }

    /// Random values by Glorot and Bengio (2010).
    pub fn glorot(&self, values: &mut [f32], rng: &mut Rng) {
        self.init(values, (6.0 / (self.rows + self.cols) as f32).sqrt(), rng);
    }
}

/// Lays out blocks one after the other.
#[derive(Debug, Default)]
pub struct Layout {
    /// How many values there are so far.
    pub length: usize,
}

impl Layout {
    /// The next matrix.
    pub fn block(&mut self, rows: usize, cols: usize) -> Block {
        let block = Block { start: self.length, rows, cols };
        self.length = block.end();
        block
    }
}
