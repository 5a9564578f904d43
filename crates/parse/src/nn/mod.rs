//! The little that a small network needs: matrix products (by `gemm`), LSTM layers with their gradients, and Adam.
//! Matrices are row-major slices; parameters of a network live in one array, in which a [`Block`] is one matrix.

mod adam;
mod bilstm;
mod lstm;
mod mask;
mod math;
mod matrix;

pub(crate) use adam::{Adam, Rate};
pub(crate) use bilstm::{BiLstm, BiTrace, RecurrentMasks};
pub(crate) use lstm::Packing;
pub(crate) use mask::{draw_mask, scale_rows};
pub(crate) use math::{cross_entropy, exp, finite, leaky, leaky_slope, log_softmax, simd};
pub(crate) use matrix::{Mat, Product, add_rows, gather_rows, matmul, sum_rows, zeros};

use crate::rng::Rng;

/// A matrix among the parameters of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

impl Block {
    pub(crate) fn of<'a>(&self, values: &'a [f32]) -> Mat<'a> {
        Mat { values: &values[self.start..self.end()], rows: self.rows, cols: self.cols }
    }

    pub(crate) fn slice<'a>(&self, values: &'a [f32]) -> &'a [f32] {
        &values[self.start..self.end()]
    }

    pub(crate) fn slice_mut<'a>(&self, values: &'a mut [f32]) -> &'a mut [f32] {
        &mut values[self.start..self.end()]
    }

    pub(crate) fn row<'a>(&self, values: &'a [f32], row: usize) -> &'a [f32] {
        &values[self.start + row * self.cols..self.start + (row + 1) * self.cols]
    }

    pub(crate) fn row_mut<'a>(&self, values: &'a mut [f32], row: usize) -> &'a mut [f32] {
        &mut values[self.start + row * self.cols..self.start + (row + 1) * self.cols]
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.rows * self.cols
    }

    /// Random values of the given spread.
    pub(crate) fn init(&self, values: &mut [f32], scale: f32, rng: &mut Rng) {
        self.slice_mut(values).fill_with(|| rng.around(scale));
    }

    /// Random values by Glorot and Bengio (2010).
    pub(crate) fn glorot(&self, values: &mut [f32], rng: &mut Rng) {
        self.init(values, (6.0 / (self.rows + self.cols) as f32).sqrt(), rng);
    }
}

/// Lays out blocks one after the other.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) length: usize,
}

impl Layout {
    pub(crate) fn block(&mut self, rows: usize, cols: usize) -> Block {
        let block = Block { start: self.length, rows, cols };
        self.length = block.end();
        block
    }
}
