//! From sentences to roles: embeddings, two bidirectional LSTM layers, projection; and back, with gradients.

use super::input::{Encoded, FIRST_WORD, ROOT, Token, UNKNOWN};
use super::net::{Net, share};
use crate::nn::{
    Block, LstmTrace, Mat, Packing, Product, add_rows, leaky, leaky_slope, matmul, simd, sum_rows,
};
use crate::rng::Rng;

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
pub(super) struct Trace {
    pub(super) packing: Packing,
    reversed: Vec<usize>,
    /// Tokens as they entered (a dropped word is unknown), and the parts of them that did, by packed row.
    tokens: Vec<(usize, Token, [bool; 5])>,
    layers: [LayerTrace; 2],
    /// The last layer's outputs, a row a word, sentence by sentence.
    out: Vec<f32>,
    out_mask: Vec<f32>,
    /// The roles of all words, sentence by sentence, and what scaled them.
    pub(super) roles: Vec<f32>,
    role_mask: Vec<f32>,
    /// The first row of each sentence in `out` and `roles`.
    pub(super) starts: Vec<usize>,
}

#[derive(Default)]
struct LayerTrace {
    /// Inputs after dropout, packed, and the same with each sentence reversed.
    inputs: [Vec<f32>; 2],
    mask: Vec<f32>,
    recurrent: [Vec<f32>; 2],
    traces: [LstmTrace; 2],
}

/// One scale a sentence and unit: 0 where dropped.
fn masks(drop: &mut Option<Drop<'_>>, rate: impl Fn(&Dropout) -> f32, size: usize, out: &mut Vec<f32>) {
    out.clear();
    if let Some(drop) = drop {
        let rate = rate(&drop.rates);
        out.resize_with(size, || if drop.rng.unit() < rate { 0.0 } else { 1.0 / (1.0 - rate) });
    }
}

fn gather(from: &[f32], rows: &[usize], cols: usize, to: &mut Vec<f32>) {
    to.clear();
    for &row in rows {
        to.extend_from_slice(&from[row * cols..(row + 1) * cols]);
    }
}

/// Scales the rows of each sentence by the sentence's mask; an empty mask changes nothing.
fn scale(rows: &mut [f32], cols: usize, sentence_of: impl Fn(usize) -> usize, masks: &[f32]) {
    if masks.is_empty() {
        return;
    }
    for (row, values) in rows.chunks_exact_mut(cols).enumerate() {
        let sentence = sentence_of(row);
        let mask = &masks[sentence * cols..(sentence + 1) * cols];
        values.iter_mut().zip(mask).for_each(|(v, m)| *v *= m);
    }
}

impl Net {
    /// Runs a batch, the longest sentence first; `drop` only in training.
    pub(super) fn encode(&self, batch: &[&Encoded], mut drop: Option<Drop<'_>>, trace: &mut Trace) {
        let lengths: Vec<usize> = batch.iter().map(|s| s.tokens.len()).collect();
        trace.packing = Packing::new(&lengths);
        trace.reversed = trace.packing.reversed();
        self.embed_batch(batch, &mut drop, trace);
        let (h, rows, n) = (self.shape.hidden, trace.packing.rows(), batch.len());
        let by_row = sentence_by_row(&trace.packing);
        for layer in 0..2 {
            let LayerTrace { inputs, mask, recurrent, traces } = &mut trace.layers[layer];
            let cols = inputs[0].len() / rows;
            masks(&mut drop, |d| d.units, n * cols, mask);
            scale(&mut inputs[0], cols, |row| by_row[row], mask);
            let [forward, backward] = inputs;
            gather(forward, &trace.reversed, cols, backward);
            for side in 0..2 {
                masks(&mut drop, |d| d.recurrent, n * h, &mut recurrent[side]);
                let recurrent = Some(&recurrent[side][..]).filter(|r| !r.is_empty());
                let (blocks, trace_of) = (&self.blocks.lstm[layer][side], &mut traces[side]);
                let inputs = if side == 0 { &*forward } else { &*backward };
                blocks.forward(&self.values, inputs, &trace.packing, recurrent, trace_of);
            }
            if layer == 0 {
                let [first, second] = &mut trace.layers;
                join(&first.traces, &trace.reversed, h, &mut second.inputs[0]);
            }
        }
        self.project(&mut drop, trace);
    }

    fn embed_batch(&self, batch: &[&Encoded], drop: &mut Option<Drop<'_>>, trace: &mut Trace) {
        let (rows, cols) = (trace.packing.rows(), self.shape.inputs());
        let x = &mut trace.layers[0].inputs[0];
        x.clear();
        x.resize(rows * cols, 0.0);
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
                self.embed(sentence, &token, parts, &mut x[row * cols..(row + 1) * cols]);
                trace.tokens[row] = (s, token, parts);
            }
        }
    }

    fn project(&self, drop: &mut Option<Drop<'_>>, trace: &mut Trace) {
        let (h, packing) = (self.shape.hidden, &trace.packing);
        let (rows, columns) = (packing.rows(), self.roles.columns());
        let mut packed = Vec::new();
        join(&trace.layers[1].traces, &trace.reversed, h, &mut packed);
        trace.starts.clear();
        trace.out.clear();
        let mut by_row = Vec::with_capacity(rows);
        for (s, &length) in packing.lengths().iter().enumerate() {
            trace.starts.push(by_row.len());
            for w in 0..length {
                let row = packing.row(s, w);
                trace.out.extend_from_slice(&packed[row * 2 * h..(row + 1) * 2 * h]);
                by_row.push(s);
            }
        }
        let n = packing.lengths().len();
        masks(drop, |d| d.units, n * 2 * h, &mut trace.out_mask);
        scale(&mut trace.out, 2 * h, |row| by_row[row], &trace.out_mask);
        trace.roles.clear();
        trace.roles.resize(rows * columns, 0.0);
        let out = Mat::new(&trace.out, rows, 2 * h);
        matmul(&mut trace.roles, out, self.blocks.project.of(&self.values), Product::Plain, false);
        add_rows(&mut trace.roles, self.blocks.project_bias.slice(&self.values));
        let rectified = self.roles.rectified();
        simd(|| {
            for row in trace.roles.chunks_exact_mut(columns) {
                row[..rectified].iter_mut().for_each(|v| *v = leaky(*v));
            }
        });
        masks(drop, |d| d.units, n * columns, &mut trace.role_mask);
        scale(&mut trace.roles, columns, |row| by_row[row], &trace.role_mask);
    }

    /// Adds the gradients of all parameters below the roles, given that of the roles (which is used up); notes the rows
    /// of embeddings that have one in `touched`.
    pub(super) fn decode_gradient(
        &self,
        batch: &[&Encoded],
        trace: &mut Trace,
        d_roles: &mut [f32],
        gradient: &mut [f32],
        touched: &mut Vec<Block>,
    ) {
        let (h, columns, rows) = (self.shape.hidden, self.roles.columns(), trace.packing.rows());
        let by_row = sentence_in_order(&trace.packing);
        let rectified = self.roles.rectified();
        simd(|| {
            for (d, row) in d_roles.chunks_exact_mut(columns).zip(trace.roles.chunks_exact(columns)) {
                d[..rectified].iter_mut().zip(row).for_each(|(d, v)| *d *= leaky_slope(*v));
            }
        });
        scale(d_roles, columns, |row| by_row[row], &trace.role_mask);
        let out = Mat::new(&trace.out, rows, 2 * h);
        let d = Mat::new(d_roles, rows, columns);
        matmul(self.blocks.project.slice_mut(gradient), out, d, Product::LeftTransposed, true);
        sum_rows(d_roles, self.blocks.project_bias.slice_mut(gradient));
        let mut d_out = vec![0.0; rows * 2 * h];
        let d = Mat::new(d_roles, rows, columns);
        matmul(&mut d_out, d, self.blocks.project.of(&self.values), Product::RightTransposed, false);
        scale(&mut d_out, 2 * h, |row| by_row[row], &trace.out_mask);
        let mut d_packed = vec![0.0; rows * 2 * h];
        let mut at = 0;
        for (s, &length) in trace.packing.lengths().iter().enumerate() {
            for w in 0..length {
                let row = trace.packing.row(s, w) * 2 * h;
                d_packed[row..row + 2 * h].copy_from_slice(&d_out[at..at + 2 * h]);
                at += 2 * h;
            }
        }
        let d_inputs = self.layer_gradient(1, trace, &d_packed, gradient);
        let d_inputs = self.layer_gradient(0, trace, &d_inputs, gradient);
        self.embedding_gradient(batch, trace, &d_inputs, gradient, touched);
    }

    /// The gradient of a layer's packed inputs, given that of its packed outputs.
    fn layer_gradient(
        &self,
        layer: usize,
        trace: &mut Trace,
        d_out: &[f32],
        gradient: &mut [f32],
    ) -> Vec<f32> {
        let (h, packing) = (self.shape.hidden, &trace.packing);
        let rows = packing.rows();
        let by_row = sentence_by_row(packing);
        let LayerTrace { inputs, mask, recurrent, traces } = &mut trace.layers[layer];
        let cols = inputs[0].len() / rows;
        let mut d_inputs = [vec![0.0; rows * cols], vec![0.0; rows * cols]];
        for side in 0..2 {
            let mut d_side = vec![0.0; rows * h];
            for (row, d) in d_side.chunks_exact_mut(h).enumerate() {
                let from = if side == 0 { row } else { trace.reversed[row] };
                d.copy_from_slice(&d_out[from * 2 * h + side * h..from * 2 * h + (side + 1) * h]);
            }
            let recurrent = Some(&recurrent[side][..]).filter(|r| !r.is_empty());
            self.blocks.lstm[layer][side].backward(
                (&self.values, gradient),
                (&inputs[side], &mut d_inputs[side]),
                packing,
                recurrent,
                &mut traces[side],
                &mut d_side,
            );
        }
        let [mut forward, backward] = d_inputs;
        for (row, d) in forward.chunks_exact_mut(cols).enumerate() {
            let other = trace.reversed[row] * cols;
            d.iter_mut().zip(&backward[other..other + cols]).for_each(|(d, b)| *d += b);
        }
        scale(&mut forward, cols, |row| by_row[row], mask);
        forward
    }

    fn embedding_gradient(
        &self,
        batch: &[&Encoded],
        trace: &Trace,
        d_inputs: &[f32],
        gradient: &mut [f32],
        touched: &mut Vec<Block>,
    ) {
        let (shape, blocks) = (&self.shape, &self.blocks);
        let mut add = |block: &Block, row: usize, scale: f32, d: &[f32]| {
            let to = block.row_mut(gradient, row);
            to.iter_mut().zip(d).for_each(|(t, d)| *t += scale * d);
            touched.push(Block { start: block.start + row * block.cols, rows: 1, cols: block.cols });
        };
        for ((s, token, parts), d) in trace.tokens.iter().zip(d_inputs.chunks_exact(shape.inputs())) {
            let (word, rest) = d.split_at(shape.word_size);
            let (ngram, rest) = rest.split_at(shape.ngram_size);
            if parts[0] {
                add(&blocks.word, token.word as usize, 1.0, word);
            }
            let ngrams = &batch[*s].ngrams[token.ngrams.0 as usize..token.ngrams.1 as usize];
            for &bucket in ngrams.iter().filter(|_| parts[1]) {
                add(&blocks.ngram, bucket as usize, share(ngrams.len()), ngram);
            }
            for (layer, d) in rest.chunks_exact(shape.tag_size).enumerate().filter(|l| parts[2 + l.0]) {
                add(&blocks.tags[layer], self.tag_row(token, layer), 1.0, d);
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

/// Packed outputs of both directions side by side.
fn join(traces: &[LstmTrace; 2], reversed: &[usize], h: usize, out: &mut Vec<f32>) {
    out.clear();
    for (row, &other) in reversed.iter().enumerate() {
        out.extend_from_slice(&traces[0].out[row * h..(row + 1) * h]);
        out.extend_from_slice(&traces[1].out[other * h..(other + 1) * h]);
    }
}

fn sentence_by_row(packing: &Packing) -> Vec<usize> {
    let mut rows = vec![0; packing.rows()];
    for (s, &length) in packing.lengths().iter().enumerate() {
        (0..length).for_each(|w| rows[packing.row(s, w)] = s);
    }
    rows
}

fn sentence_in_order(packing: &Packing) -> Vec<usize> {
    packing.lengths().iter().enumerate().flat_map(|(s, &length)| std::iter::repeat_n(s, length)).collect()
}
