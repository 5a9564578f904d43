//! From sentences to roles: embeddings, bidirectional LSTM layers, projection; and back, with gradients.

use super::input::{Encoded, FIRST_WORD, ROOT, Token, UNKNOWN};
use super::{Encoder, share};
use crate::nn::Rng;
use crate::nn::{
    BiTrace, Block, Mat, Packing, Product, RecurrentMasks, add_rows, draw_mask, gather_rows, leaky,
    leaky_slope, matmul, scale_rows, simd, sum_rows, zeros,
};

/// How much is dropped in training, and how often each word of the lexicon was seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dropout {
    /// The share of input parts (word, n-grams, tags) left out.
    pub(crate) parts: f32,
    /// The share of units of a layer left out, the same for all words of a sentence.
    pub(crate) units: f32,
    /// The share of units left out on the way from one word to the next.
    pub(crate) recurrent: f32,
}

/// What drops out while one batch passes.
pub(super) struct Drop<'a> {
    pub(super) rates: Dropout,
    pub(super) counts: &'a [u32],
    pub(super) rng: &'a mut Rng,
}

/// All that one batch leaves on its way, kept between batches for its buffers.
#[derive(Default)]
pub(crate) struct Trace {
    packing: Packing,
    /// Tokens as they entered (a dropped word is unknown), and the parts of them that did, by packed row.
    tokens: Vec<(usize, Token, [bool; 5])>,
    layers: Vec<LayerTrace>,
    /// The last layer's outputs, a row a word, sentence by sentence.
    out: Vec<f32>,
    out_mask: Vec<f32>,
    /// The roles of all words, sentence by sentence, and what scaled them.
    pub(crate) roles: Vec<f32>,
    role_mask: Vec<f32>,
    /// The first row of each sentence in `out` and `roles`.
    pub(crate) starts: Vec<usize>,
}

#[derive(Default)]
struct LayerTrace {
    /// Inputs after dropout, packed.
    inputs: Vec<f32>,
    mask: Vec<f32>,
    recurrent: RecurrentMasks,
    trace: BiTrace,
}

/// Draws a mask in training; an empty one else.
fn masks(drop: &mut Option<Drop<'_>>, rate: impl Fn(&Dropout) -> f32, size: usize, out: &mut Vec<f32>) {
    match drop {
        Some(drop) => draw_mask(drop.rng, rate(&drop.rates), size, out),
        None => out.clear(),
    }
}

impl Encoder {
    /// Runs a batch, the longest sentence first; `drop` only in training.
    pub(super) fn encode(
        &self,
        values: &[f32],
        batch: &[&Encoded],
        mut drop: Option<Drop<'_>>,
        trace: &mut Trace,
    ) {
        let lengths: Vec<usize> = batch.iter().map(|s| s.tokens.len()).collect();
        trace.packing = Packing::new(&lengths);
        trace.layers.resize_with(self.layers.len(), LayerTrace::default);
        self.embed_batch(values, batch, &mut drop, trace);
        let (h, rows, n) = (self.shape.hidden, trace.packing.rows(), batch.len());
        let by_row = trace.packing.sentences_by_row();
        for (number, layer) in self.layers.iter().enumerate() {
            let LayerTrace { inputs, mask, recurrent, trace: of_layer } = &mut trace.layers[number];
            let cols = inputs.len() / rows;
            masks(&mut drop, |d| d.units, n * cols, mask);
            scale_rows(inputs, cols, &by_row, mask);
            recurrent.iter_mut().for_each(|mask| masks(&mut drop, |d| d.recurrent, n * h, mask));
            layer.forward(values, inputs, &trace.packing, recurrent, of_layer);
            let (done, next) = trace.layers.split_at_mut(number + 1);
            if let Some(next) = next.first_mut() {
                next.inputs.clone_from(&done[number].trace.out);
            }
        }
        self.project(values, &mut drop, trace);
    }

    fn embed_batch(
        &self,
        values: &[f32],
        batch: &[&Encoded],
        drop: &mut Option<Drop<'_>>,
        trace: &mut Trace,
    ) {
        let (rows, cols) = (trace.packing.rows(), self.shape.inputs());
        let x = &mut trace.layers[0].inputs;
        zeros(x, rows * cols);
        let nothing = Token { word: UNKNOWN, ngrams: (0, 0), tags: [0; 3] };
        trace.tokens.clear();
        trace.tokens.resize(rows, (0, nothing, [true; 5]));
        for (s, sentence) in batch.iter().enumerate() {
            for (w, token) in sentence.tokens.iter().enumerate() {
                let (mut token, mut parts) = (*token, [true; 5]);
                if let Some(drop) = drop {
                    drop_parts(drop, &mut token, &mut parts);
                }
                let row = trace.packing.row(s, w);
                self.embed(values, sentence, &token, parts, &mut x[row * cols..(row + 1) * cols]);
                trace.tokens[row] = (s, token, parts);
            }
        }
    }

    fn project(&self, values: &[f32], drop: &mut Option<Drop<'_>>, trace: &mut Trace) {
        let (h, packing) = (self.shape.hidden, &trace.packing);
        let (rows, columns) = (packing.rows(), self.columns.all);
        gather_rows(&trace.layers[self.layers.len() - 1].trace.out, &packing.rows_in_order(), &mut trace.out);
        trace.starts.clear();
        trace.starts.extend(packing.lengths().iter().scan(0, |next, length| {
            *next += length;
            Some(*next - length)
        }));
        let by_row = sentence_in_order(packing);
        let n = packing.lengths().len();
        masks(drop, |d| d.units, n * 2 * h, &mut trace.out_mask);
        scale_rows(&mut trace.out, 2 * h, &by_row, &trace.out_mask);
        zeros(&mut trace.roles, rows * columns);
        let out = Mat::new(&trace.out, rows, 2 * h);
        matmul(&mut trace.roles, out, self.project.of(values), Product::Plain, false);
        add_rows(&mut trace.roles, self.project_bias.slice(values));
        let rectified = self.columns.rectified;
        simd(|| {
            for row in trace.roles.chunks_exact_mut(columns) {
                row[..rectified].iter_mut().for_each(|v| *v = leaky(*v));
            }
        });
        masks(drop, |d| d.units, n * columns, &mut trace.role_mask);
        scale_rows(&mut trace.roles, columns, &by_row, &trace.role_mask);
    }

    /// Adds the gradients of all parameters below the roles, given that of the roles (which is used up); notes the rows
    /// of embeddings that have one in `touched`.
    pub(super) fn gradient(
        &self,
        values: &[f32],
        batch: &[&Encoded],
        trace: &mut Trace,
        d_roles: &mut [f32],
        gradient: &mut [f32],
        touched: &mut Vec<Block>,
    ) {
        let (h, columns, rows) = (self.shape.hidden, self.columns.all, trace.packing.rows());
        let by_row = sentence_in_order(&trace.packing);
        let rectified = self.columns.rectified;
        simd(|| {
            for (d, row) in d_roles.chunks_exact_mut(columns).zip(trace.roles.chunks_exact(columns)) {
                d[..rectified].iter_mut().zip(row).for_each(|(d, v)| *d *= leaky_slope(*v));
            }
        });
        scale_rows(d_roles, columns, &by_row, &trace.role_mask);
        let out = Mat::new(&trace.out, rows, 2 * h);
        let d = Mat::new(d_roles, rows, columns);
        matmul(self.project.slice_mut(gradient), out, d, Product::LeftTransposed, true);
        sum_rows(d_roles, self.project_bias.slice_mut(gradient));
        let mut d_out = vec![0.0; rows * 2 * h];
        let d = Mat::new(d_roles, rows, columns);
        matmul(&mut d_out, d, self.project.of(values), Product::RightTransposed, false);
        scale_rows(&mut d_out, 2 * h, &by_row, &trace.out_mask);
        let mut d_packed = vec![0.0; rows * 2 * h];
        for (d, row) in d_out.chunks_exact(2 * h).zip(trace.packing.rows_in_order()) {
            d_packed[row * 2 * h..(row + 1) * 2 * h].copy_from_slice(d);
        }
        let by_row = trace.packing.sentences_by_row();
        let mut d_inputs = d_packed;
        for (layer, of_layer) in self.layers.iter().zip(&mut trace.layers).rev() {
            let LayerTrace { inputs, mask, recurrent, trace: done } = of_layer;
            let both = (values, &mut *gradient);
            d_inputs = layer.backward(both, inputs, &trace.packing, recurrent, done, &d_inputs);
            scale_rows(&mut d_inputs, inputs.len() / rows, &by_row, mask);
        }
        self.embedding_gradient(batch, trace, &d_inputs, gradient, touched);
    }

    fn embedding_gradient(
        &self,
        batch: &[&Encoded],
        trace: &Trace,
        d_inputs: &[f32],
        gradient: &mut [f32],
        touched: &mut Vec<Block>,
    ) {
        let shape = &self.shape;
        let mut add = |block: &Block, row: usize, scale: f32, d: &[f32]| {
            let to = block.row_mut(gradient, row);
            to.iter_mut().zip(d).for_each(|(t, d)| *t += scale * d);
            touched.push(Block { start: block.start + row * block.cols, rows: 1, cols: block.cols });
        };
        for ((s, token, parts), d) in trace.tokens.iter().zip(d_inputs.chunks_exact(shape.inputs())) {
            let (word, rest) = d.split_at(shape.word_size);
            let (ngram, rest) = rest.split_at(shape.ngram_size);
            if parts[0] {
                add(&self.word, token.word as usize, 1.0, word);
            }
            let ngrams = &batch[*s].ngrams[token.ngrams.0 as usize..token.ngrams.1 as usize];
            for &bucket in ngrams.iter().filter(|_| parts[1]) {
                add(&self.ngram, bucket as usize, share(ngrams.len()), ngram);
            }
            for (layer, d) in rest.chunks_exact(shape.tag_size).enumerate().filter(|l| parts[2 + l.0]) {
                add(&self.tags[layer], self.tag_row(token, layer), 1.0, d);
            }
        }
    }
}

fn drop_parts(drop: &mut Drop<'_>, token: &mut Token, parts: &mut [bool; 5]) {
    if token.word == ROOT {
        return;
    }
    if token.word >= FIRST_WORD {
        let count = drop.counts[token.word as usize] as f32;
        if drop.rng.unit() < 0.25 / (0.25 + count) {
            token.word = UNKNOWN;
        }
    }
    parts.iter_mut().for_each(|part| *part = drop.rng.unit() >= drop.rates.parts);
}

fn sentence_in_order(packing: &Packing) -> Vec<usize> {
    packing.lengths().iter().enumerate().flat_map(|(s, &length)| std::iter::repeat_n(s, length)).collect()
}
