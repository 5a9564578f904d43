//! One direction of an LSTM layer over a batch of sentences, forwards and backwards through time.
//!
//! Sentences of a batch are packed by time: all first words, then all second words of the sentences that have one, and
//! so on, the longest sentence first. The rows of a time step are then contiguous, and so are those of the same sentences
//! one step before, so that a step is one matrix product.

use super::{Block, Layout, Mat, Product, Rng, add_rows, matmul, simd, sum_rows, zeros};
use treeglot_nn::{sigmoid, tanh};

/// Where the words of a batch stand when packed by time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packing {
    /// The first row of each time step; one more than steps.
    offsets: Vec<usize>,
    lengths: Vec<usize>,
    /// For each row the row of the same sentence's word as far from the other end.
    reversed: Vec<usize>,
}

impl Packing {
    /// Packs sentences of these lengths, which must not grow.
    pub(crate) fn new(lengths: &[usize]) -> Self {
        assert!(lengths.is_sorted_by(|a, b| a >= b), "the longest sentence comes first");
        let mut offsets = vec![0];
        for t in 0..lengths.first().copied().unwrap_or(0) {
            let running = lengths.partition_point(|&l| l > t);
            offsets.push(offsets[t] + running);
        }
        let mut packing = Self { offsets, lengths: lengths.to_vec(), reversed: Vec::new() };
        packing.reversed.resize(packing.rows(), 0);
        for (sentence, &length) in lengths.iter().enumerate() {
            for word in 0..length {
                packing.reversed[packing.offsets[word] + sentence] = packing.row(sentence, length - 1 - word);
            }
        }
        packing
    }

    pub(crate) fn rows(&self) -> usize {
        *self.offsets.last().expect("there is one offset more than steps")
    }

    pub(crate) fn steps(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The row of a word.
    pub(crate) fn row(&self, sentence: usize, word: usize) -> usize {
        self.offsets[word] + sentence
    }

    fn running(&self, step: usize) -> usize {
        self.offsets[step + 1] - self.offsets[step]
    }

    /// For each row the row of the same sentence's word as far from the other end.
    pub(crate) fn reversed(&self) -> &[usize] {
        &self.reversed
    }

    /// The sentence of each row.
    pub(crate) fn sentences_by_row(&self) -> Vec<usize> {
        let mut sentences = vec![0; self.rows()];
        for (sentence, &length) in self.lengths.iter().enumerate() {
            (0..length).for_each(|word| sentences[self.row(sentence, word)] = sentence);
        }
        sentences
    }

    /// The row of each word, sentence after sentence.
    pub(crate) fn rows_in_order(&self) -> Vec<usize> {
        let words = |(sentence, &length)| (0..length).map(move |word| self.row(sentence, word));
        self.lengths.iter().enumerate().flat_map(words).collect()
    }
}

/// The parameters of one direction: input, recurrent, bias. Gates stand in the order input, forget, new, output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LstmBlocks {
    pub(crate) input: Block,
    pub(crate) recurrent: Block,
    pub(crate) bias: Block,
}

/// What the forward pass leaves for the backward pass.
#[derive(Debug, Default)]
pub(crate) struct LstmTrace {
    gates: Vec<f32>,
    cells: Vec<f32>,
    squashed: Vec<f32>,
    /// The output of the step before, as it entered the step (masked by dropout).
    before: Vec<f32>,
    /// The outputs, a row a word.
    pub(crate) out: Vec<f32>,
}

impl LstmBlocks {
    pub(crate) fn new(layout: &mut Layout, inputs: usize, hidden: usize) -> Self {
        Self {
            input: layout.block(inputs, 4 * hidden),
            recurrent: layout.block(hidden, 4 * hidden),
            bias: layout.block(1, 4 * hidden),
        }
    }

    pub(crate) fn init(&self, values: &mut [f32], rng: &mut Rng) {
        self.input.glorot(values, rng);
        self.recurrent.glorot(values, rng);
        let hidden = self.hidden();
        let bias = self.bias.slice_mut(values);
        bias.fill(0.0);
        // A forget gate that starts open keeps early gradients alive.
        bias[hidden..2 * hidden].fill(1.0);
    }

    pub(super) fn hidden(&self) -> usize {
        self.recurrent.rows
    }

    /// Runs over packed inputs. `mask`, a row a sentence, scales the recurrent input.
    pub(crate) fn forward(
        &self,
        values: &[f32],
        inputs: &[f32],
        packing: &Packing,
        mask: Option<&[f32]>,
        trace: &mut LstmTrace,
    ) {
        let (h, rows) = (self.hidden(), packing.rows());
        for buffer in [&mut trace.cells, &mut trace.squashed, &mut trace.before, &mut trace.out] {
            zeros(buffer, rows * h);
        }
        zeros(&mut trace.gates, rows * 4 * h);
        let inputs = Mat::new(inputs, rows, self.input.rows);
        matmul(&mut trace.gates, inputs, self.input.of(values), Product::Plain, false);
        add_rows(&mut trace.gates, self.bias.slice(values));
        for step in 0..packing.steps() {
            let (start, running) = (packing.offsets[step], packing.running(step));
            if step > 0 {
                let last = packing.offsets[step - 1] * h;
                let before = &mut trace.before[start * h..(start + running) * h];
                before.copy_from_slice(&trace.out[last..last + running * h]);
                if let Some(mask) = mask {
                    before.iter_mut().zip(mask).for_each(|(b, m)| *b *= m);
                }
                let gates = &mut trace.gates[start * 4 * h..(start + running) * 4 * h];
                let before = Mat::new(before, running, h);
                matmul(gates, before, self.recurrent.of(values), Product::Plain, true);
            }
            let last = step.checked_sub(1).map(|s| packing.offsets[s]);
            trace.activate(h, start, running, last);
        }
    }

    /// Adds the gradient of the parameters to `gradient` and sets `d_inputs`, given that of the outputs.
    pub(crate) fn backward(
        &self,
        (values, gradient): (&[f32], &mut [f32]),
        (inputs, d_inputs): (&[f32], &mut [f32]),
        packing: &Packing,
        mask: Option<&[f32]>,
        trace: &mut LstmTrace,
        d_out: &mut [f32],
    ) {
        let (h, rows) = (self.hidden(), packing.rows());
        let sentences = packing.lengths.len();
        let mut d_cells = vec![0.0; sentences * h];
        let mut d_before = vec![0.0; sentences * h];
        for step in (0..packing.steps()).rev() {
            let (start, running) = (packing.offsets[step], packing.running(step));
            let last = step.checked_sub(1).map(|s| packing.offsets[s]);
            trace.unwind(h, (start, running, last), &d_out[start * h..(start + running) * h], &mut d_cells);
            let Some(last) = last else { break };
            let gates = Mat::new(&trace.gates[start * 4 * h..(start + running) * 4 * h], running, 4 * h);
            let d_before = &mut d_before[..running * h];
            matmul(d_before, gates, self.recurrent.of(values), Product::RightTransposed, false);
            if let Some(mask) = mask {
                d_before.iter_mut().zip(mask).for_each(|(d, m)| *d *= m);
            }
            let before = &mut d_out[last * h..(last + running) * h];
            before.iter_mut().zip(d_before).for_each(|(d, b)| *d += *b);
        }
        let d_gates = Mat::new(&trace.gates, rows, 4 * h);
        let before = Mat::new(&trace.before, rows, h);
        let inputs = Mat::new(inputs, rows, self.input.rows);
        matmul(self.recurrent.slice_mut(gradient), before, d_gates, Product::LeftTransposed, true);
        matmul(self.input.slice_mut(gradient), inputs, d_gates, Product::LeftTransposed, true);
        sum_rows(&trace.gates, self.bias.slice_mut(gradient));
        matmul(d_inputs, d_gates, self.input.of(values), Product::RightTransposed, false);
    }
}

impl LstmTrace {
    /// From summed inputs of the gates to cells and outputs, for the rows of one step.
    fn activate(&mut self, h: usize, start: usize, running: usize, last: Option<usize>) {
        for row in start..start + running {
            let (done, cells) = self.cells.split_at_mut(row * h);
            let none = [0.0; 0];
            let before = last.map_or(&none[..], |last| {
                let from = (last + row - start) * h;
                &done[from..from + h]
            });
            let gates = &mut self.gates[row * 4 * h..(row + 1) * 4 * h];
            let (cells, squashed) = (&mut cells[..h], &mut self.squashed[row * h..(row + 1) * h]);
            let out = &mut self.out[row * h..(row + 1) * h];
            simd(|| {
                let (input, rest) = gates.split_at_mut(h);
                let (forget, rest) = rest.split_at_mut(h);
                let (new, output) = rest.split_at_mut(h);
                for j in 0..h {
                    input[j] = sigmoid(input[j]);
                    new[j] = tanh(new[j]);
                    output[j] = sigmoid(output[j]);
                    forget[j] = sigmoid(forget[j]);
                    cells[j] = input[j] * new[j];
                }
                for (j, b) in before.iter().enumerate() {
                    cells[j] += forget[j] * b;
                }
                for j in 0..h {
                    squashed[j] = tanh(cells[j]);
                    out[j] = output[j] * squashed[j];
                }
            });
        }
    }

    /// Replaces the gates of one step by the gradient of their inputs; `d_cells` goes from this step to the one before.
    fn unwind(
        &mut self,
        h: usize,
        (start, running, last): (usize, usize, Option<usize>),
        d_out: &[f32],
        d_cells: &mut [f32],
    ) {
        for (sentence, row) in (start..start + running).enumerate() {
            let gates = &mut self.gates[row * 4 * h..(row + 1) * 4 * h];
            let squashed = &self.squashed[row * h..(row + 1) * h];
            let before = last.map(|last| &self.cells[(last + sentence) * h..(last + sentence + 1) * h]);
            let d_out = &d_out[sentence * h..(sentence + 1) * h];
            let d_cells = &mut d_cells[sentence * h..(sentence + 1) * h];
            simd(|| {
                let (input, rest) = gates.split_at_mut(h);
                let (forget, rest) = rest.split_at_mut(h);
                let (new, output) = rest.split_at_mut(h);
                for j in 0..h {
                    let (i, f, g, o) = (input[j], forget[j], new[j], output[j]);
                    let d = d_cells[j] + d_out[j] * o * (1.0 - squashed[j] * squashed[j]);
                    input[j] = d * g * i * (1.0 - i);
                    new[j] = d * i * (1.0 - g * g);
                    output[j] = d_out[j] * squashed[j] * o * (1.0 - o);
                    forget[j] = d * f * (1.0 - f);
                    d_cells[j] = d * f;
                }
                match before {
                    Some(before) => forget.iter_mut().zip(before).for_each(|(f, b)| *f *= b),
                    None => forget.fill(0.0),
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of all outputs, each weighted by its place.
    fn loss(blocks: &LstmBlocks, values: &[f32], inputs: &[f32], packing: &Packing) -> f64 {
        let mut trace = LstmTrace::default();
        blocks.forward(values, inputs, packing, None, &mut trace);
        trace.out.iter().enumerate().map(|(i, o)| f64::from(*o) * (i % 7) as f64).sum()
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let packing = Packing::new(&[4, 3, 1]);
        let mut layout = Layout::default();
        let blocks = LstmBlocks::new(&mut layout, 3, 5);
        let mut rng = Rng::new(3);
        let mut values = vec![0.0; layout.length];
        blocks.init(&mut values, &mut rng);
        let mut inputs: Vec<f32> = (0..packing.rows() * 3).map(|_| rng.around(1.0)).collect();
        let mut trace = LstmTrace::default();
        blocks.forward(&values, &inputs, &packing, None, &mut trace);
        let mut d_out: Vec<f32> = (0..packing.rows() * 5).map(|i| (i % 7) as f32).collect();
        let mut gradient = vec![0.0; layout.length];
        let mut d_inputs = vec![0.0; inputs.len()];
        blocks.backward(
            (&values, &mut gradient),
            (&inputs, &mut d_inputs),
            &packing,
            None,
            &mut trace,
            &mut d_out,
        );
        let near = |slope: f64, gradient: f32| {
            assert!((slope - f64::from(gradient)).abs() < 0.02 * (1.0 + slope.abs()), "{slope} {gradient}");
        };
        for at in (0..values.len()).step_by(3) {
            let kept = values[at];
            let mut of = |v: f32| {
                values[at] = v;
                loss(&blocks, &values, &inputs, &packing)
            };
            let slope = (of(kept + 0.01) - of(kept - 0.01)) / 0.02;
            values[at] = kept;
            near(slope, gradient[at]);
        }
        for at in 0..inputs.len() {
            let kept = inputs[at];
            let mut of = |v: f32| {
                inputs[at] = v;
                loss(&blocks, &values, &inputs, &packing)
            };
            let slope = (of(kept + 0.01) - of(kept - 0.01)) / 0.02;
            inputs[at] = kept;
            near(slope, d_inputs[at]);
        }
    }
}
