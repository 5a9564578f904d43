//! A long short-term memory over the words of several sentences, in one direction, with its derivatives.
//!
//! Words are rows, sentence after sentence, the longest sentence first, so that at every step the sentences that
//! still go on are the first ones, and the step is one matrix product.

use super::matrix::Lay::{Straight, Transposed};
use super::matrix::{Packed, add_bias, add_product, add_rows, sigmoid, tanh, vectorized, zeros};

/// Where the sentences of a batch begin among the rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    lengths: Vec<usize>,
    starts: Vec<usize>,
    count: usize,
}

impl Rows {
    /// For sentences of these lengths, which must not increase.
    pub(crate) fn new(lengths: Vec<usize>) -> Self {
        debug_assert!(lengths.is_sorted_by(|a, b| a >= b), "the longest sentence comes first");
        let mut count = 0;
        let mut starts = Vec::with_capacity(lengths.len());
        for length in &lengths {
            starts.push(count);
            count += length;
        }
        Self { lengths, starts, count }
    }

    /// How many rows there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn sentences(&self) -> usize {
        self.lengths.len()
    }

    pub(crate) fn length(&self, sentence: usize) -> usize {
        self.lengths[sentence]
    }

    pub(crate) fn start(&self, sentence: usize) -> usize {
        self.starts[sentence]
    }

    fn steps(&self) -> usize {
        self.lengths.first().copied().unwrap_or(0)
    }

    /// How many sentences have more than `step` words.
    fn active(&self, step: usize) -> usize {
        self.lengths.partition_point(|&length| length > step)
    }
}

/// Which way the words are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Forward,
    Backward,
}

impl Reading {
    fn row(self, rows: &Rows, sentence: usize, step: usize) -> usize {
        match self {
            Self::Forward => rows.starts[sentence] + step,
            Self::Backward => rows.starts[sentence] + rows.lengths[sentence] - 1 - step,
        }
    }

    /// The row of a step and that of the step before.
    fn rows(self, rows: &Rows, sentence: usize, step: usize) -> (usize, Option<usize>) {
        let before = step.checked_sub(1).map(|before| self.row(rows, sentence, before));
        (self.row(rows, sentence, step), before)
    }
}

/// The weights: from the input and from the state to the four gates (input, forget, output, candidate), and biases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'a> {
    pub(crate) input: &'a [f32],
    pub(crate) state: &'a [f32],
    pub(crate) bias: &'a [f32],
}

/// The derivatives by the weights.
#[derive(Debug)]
pub(crate) struct Gradients<'a> {
    pub(crate) input: &'a mut [f32],
    pub(crate) state: &'a mut [f32],
    pub(crate) bias: &'a mut [f32],
}

/// What a pass goes over: the rows of `x`, each of `inputs` numbers, which give `size` numbers a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer<'a> {
    pub(crate) weights: Weights<'a>,
    pub(crate) x: &'a [f32],
    pub(crate) inputs: usize,
    pub(crate) size: usize,
    pub(crate) rows: &'a Rows,
    pub(crate) reading: Reading,
}

/// What a pass over a batch leaves, by rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct States {
    /// The four gates, after their functions; in the backward pass, their derivatives.
    gates: Vec<f32>,
    cells: Vec<f32>,
    /// The output.
    pub(crate) hidden: Vec<f32>,
    gathered: Vec<f32>,
    step: Vec<f32>,
    carried_cells: Vec<f32>,
    packed: Packed,
}

impl States {
    /// Runs over the rows.
    pub(crate) fn forward(&mut self, layer: &Layer<'_>) {
        let Layer { weights, x, inputs, size, rows, reading } = *layer;
        let wide = 4 * size;
        zeros(&mut self.gates, rows.count * wide);
        zeros(&mut self.cells, rows.count * size);
        zeros(&mut self.hidden, rows.count * size);
        add_bias(&mut self.gates, weights.bias);
        add_product((x, Straight), (weights.input, Straight), &mut self.gates, [rows.count, inputs, wide]);
        self.packed.pack(weights.state, Straight, size, wide);
        for step in 0..rows.steps() {
            let active = rows.active(step);
            zeros(&mut self.step, active * wide);
            if step > 0 {
                self.gathered.clear();
                for sentence in 0..active {
                    let row = reading.row(rows, sentence, step - 1);
                    self.gathered.extend_from_slice(&self.hidden[row * size..(row + 1) * size]);
                }
                self.packed.add_product(&self.gathered, Straight, active, &mut self.step);
            }
            vectorized(|| {
                for sentence in 0..active {
                    let (row, before) = reading.rows(rows, sentence, step);
                    self.cell(row, before, sentence, size);
                }
            });
        }
    }

    /// One step of one sentence: gates, cell and output.
    #[inline(always)]
    fn cell(&mut self, row: usize, before: Option<usize>, sentence: usize, size: usize) {
        let wide = 4 * size;
        let gates = &mut self.gates[row * wide..(row + 1) * wide];
        let added = &self.step[sentence * wide..(sentence + 1) * wide];
        gates.iter_mut().zip(added).for_each(|(g, a)| *g += a);
        let (sigmoids, candidates) = gates.split_at_mut(3 * size);
        sigmoids.iter_mut().for_each(|g| *g = sigmoid(*g));
        candidates.iter_mut().for_each(|g| *g = tanh(*g));
        let (input, rest) = sigmoids.split_at(size);
        let (forget, output) = rest.split_at(size);
        if let Some(before) = before {
            self.cells.copy_within(before * size..(before + 1) * size, row * size);
        }
        let cells = &mut self.cells[row * size..(row + 1) * size];
        let hidden = &mut self.hidden[row * size..(row + 1) * size];
        for i in 0..size {
            cells[i] = forget[i] * cells[i] + input[i] * candidates[i];
            hidden[i] = output[i] * tanh(cells[i]);
        }
    }

    /// From the derivatives by the output: adds those by the weights to `gradients` and those by `x` to `dx`.
    pub(crate) fn backward(
        &mut self,
        layer: &Layer<'_>,
        doutput: &[f32],
        gradients: &mut Gradients<'_>,
        dx: &mut [f32],
    ) {
        let Layer { weights, x, inputs, size, rows, reading } = *layer;
        let wide = 4 * size;
        zeros(&mut self.step, rows.sentences() * size);
        zeros(&mut self.carried_cells, rows.sentences() * size);
        self.packed.pack(weights.state, Transposed, wide, size);
        for step in (0..rows.steps()).rev() {
            let active = rows.active(step);
            vectorized(|| {
                for sentence in 0..active {
                    let (row, before) = reading.rows(rows, sentence, step);
                    self.cell_backward(row, before, sentence, size, doutput);
                }
            });
            self.gathered.clear();
            for sentence in 0..active {
                let row = reading.row(rows, sentence, step);
                self.gathered.extend_from_slice(&self.gates[row * wide..(row + 1) * wide]);
            }
            if step > 0 {
                self.step[..active * size].fill(0.0);
                self.packed.add_product(&self.gathered, Straight, active, &mut self.step);
            }
        }
        add_product((&self.gates, Straight), (weights.input, Transposed), dx, [rows.count, wide, inputs]);
        add_product((x, Transposed), (&self.gates, Straight), gradients.input, [inputs, rows.count, wide]);
        add_rows(&self.gates, gradients.bias);
        // The state before every row; at a sentence's first step it is zero.
        zeros(&mut self.gathered, rows.count * size);
        for sentence in 0..rows.sentences() {
            for step in 1..rows.lengths[sentence] {
                let (row, before) =
                    (reading.row(rows, sentence, step), reading.row(rows, sentence, step - 1));
                self.gathered[row * size..(row + 1) * size]
                    .copy_from_slice(&self.hidden[before * size..(before + 1) * size]);
            }
        }
        add_product(
            (&self.gathered, Transposed),
            (&self.gates, Straight),
            gradients.state,
            [size, rows.count, wide],
        );
    }

    /// Replaces the gates of a row by the derivatives before their functions, and carries that by the cell on.
    #[inline(always)]
    fn cell_backward(
        &mut self,
        row: usize,
        before: Option<usize>,
        sentence: usize,
        size: usize,
        doutput: &[f32],
    ) {
        let gates = &mut self.gates[row * 4 * size..(row + 1) * 4 * size];
        let (input, rest) = gates.split_at_mut(size);
        let (forget, rest) = rest.split_at_mut(size);
        let (output, candidate) = rest.split_at_mut(size);
        let cells = &self.cells[row * size..(row + 1) * size];
        let carried = &mut self.carried_cells[sentence * size..(sentence + 1) * size];
        let from_later = &self.step[sentence * size..(sentence + 1) * size];
        let doutput = &doutput[row * size..(row + 1) * size];
        let cells_before = before.map(|b| &self.cells[b * size..(b + 1) * size]);
        for i in 0..size {
            let dhidden = doutput[i] + from_later[i];
            let bent = tanh(cells[i]);
            let dcell = carried[i] + dhidden * output[i] * (1.0 - bent * bent);
            let cell_before = cells_before.map_or(0.0, |cells| cells[i]);
            let dinput = dcell * candidate[i] * input[i] * (1.0 - input[i]);
            let dforget = dcell * cell_before * forget[i] * (1.0 - forget[i]);
            let doutput = dhidden * bent * output[i] * (1.0 - output[i]);
            let dcandidate = dcell * input[i] * (1.0 - candidate[i] * candidate[i]);
            carried[i] = dcell * forget[i];
            (input[i], forget[i], output[i], candidate[i]) = (dinput, dforget, doutput, dcandidate);
        }
    }
}
