//! A layer that reads in both directions: two LSTMs over packed rows, the second over every sentence reversed, their
//! outputs side by side.

use super::lstm::{LstmBlocks, LstmTrace, Packing};
use super::{Layout, gather_rows};
use crate::nn::Rng;

/// The parameters of both directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BiLstm {
    directions: [LstmBlocks; 2],
}

/// What the forward pass leaves for the backward pass.
#[derive(Debug, Default)]
pub(crate) struct BiTrace {
    /// The inputs with every sentence reversed.
    reversed: Vec<f32>,
    directions: [LstmTrace; 2],
    /// The outputs of both directions side by side, a row a word.
    pub(crate) out: Vec<f32>,
}

/// What scales the recurrent input of each direction, a row a sentence; nothing where it is empty.
pub(crate) type RecurrentMasks = [Vec<f32>; 2];

impl BiLstm {
    pub(crate) fn new(layout: &mut Layout, inputs: usize, hidden: usize) -> Self {
        let mut direction = || LstmBlocks::new(layout, inputs, hidden);
        Self { directions: [direction(), direction()] }
    }

    pub(crate) fn init(&self, values: &mut [f32], rng: &mut Rng) {
        self.directions.iter().for_each(|direction| direction.init(values, rng));
    }

    fn hidden(&self) -> usize {
        self.directions[0].hidden()
    }

    /// Runs over packed inputs.
    pub(crate) fn forward(
        &self,
        values: &[f32],
        inputs: &[f32],
        packing: &Packing,
        masks: &RecurrentMasks,
        trace: &mut BiTrace,
    ) {
        let BiTrace { reversed, directions: [forward, backward], out } = trace;
        let h = self.hidden();
        gather_rows(inputs, packing.reversed(), reversed);
        self.directions[0].forward(values, inputs, packing, mask(&masks[0]), forward);
        self.directions[1].forward(values, reversed, packing, mask(&masks[1]), backward);
        out.clear();
        for (row, &other) in packing.reversed().iter().enumerate() {
            out.extend_from_slice(&forward.out[row * h..(row + 1) * h]);
            out.extend_from_slice(&backward.out[other * h..(other + 1) * h]);
        }
    }

    /// Adds the gradient of the parameters to `gradient`, and gives that of the inputs, given that of the outputs.
    pub(crate) fn backward(
        &self,
        (values, gradient): (&[f32], &mut [f32]),
        inputs: &[f32],
        packing: &Packing,
        masks: &RecurrentMasks,
        trace: &mut BiTrace,
        d_out: &[f32],
    ) -> Vec<f32> {
        let h = self.hidden();
        let mut d_inputs = [vec![0.0; inputs.len()], vec![0.0; inputs.len()]];
        for (side, d_inputs) in d_inputs.iter_mut().enumerate() {
            let mut d_side = Vec::with_capacity(packing.rows() * h);
            for (row, &other) in packing.reversed().iter().enumerate() {
                let from = if side == 0 { row } else { other };
                d_side.extend_from_slice(&d_out[(2 * from + side) * h..][..h]);
            }
            let inputs = if side == 0 { inputs } else { &trace.reversed };
            self.directions[side].backward(
                (values, gradient),
                (inputs, d_inputs),
                packing,
                mask(&masks[side]),
                &mut trace.directions[side],
                &mut d_side,
            );
        }
        let [mut forward, backward] = d_inputs;
        let cols = inputs.len() / packing.rows().max(1);
        for (d, &other) in forward.chunks_exact_mut(cols).zip(packing.reversed()) {
            d.iter_mut().zip(&backward[other * cols..]).for_each(|(d, b)| *d += b);
        }
        forward
    }
}

fn mask(values: &[f32]) -> Option<&[f32]> {
    Some(values).filter(|values| !values.is_empty())
}
