//! The network that scores labels of spans: vectors of a word's features are added, two layers of recurrent networks in
//! both directions read the sentence, and a span's vector is made of the states at its two ends, as in the parsers of Cross
//! and Huang (2016) and Stern, Andreas and Klein (2017). A word's tag is read off the first layer.

use super::chart::span_count;
use super::features::{ABSENT, PER_WORD};
use super::shape::{Blocks, LAYERS, Shape};
use crate::nn::Rng;
use crate::nn::{
    BiTrace, Mat, Packing, Product, RecurrentMasks, add_rows, draw_mask, matmul, scale_rows, zeros,
};

/// A network: its sizes and its parameters, which may lie in a mapped file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network<'a> {
    pub(crate) shape: Shape,
    pub(crate) blocks: &'a Blocks,
    pub(crate) values: &'a [f32],
}

/// What training hides at random: the share of each vector's numbers, one choice for all words of a sentence.
#[derive(Debug)]
pub(crate) struct Dropout<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) input: f32,
    pub(crate) state: f32,
}

/// Nothing is dropped between one word and the next.
pub(super) const NO_MASKS: RecurrentMasks = [Vec::new(), Vec::new()];

/// What a pass over a batch of sentences leaves; the buffers are used again for the next one. Words are rows in the order of
/// `packing`.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    pub(crate) packing: Packing,
    /// Each layer's input, masks applied; then what the last layer gives.
    pub(crate) inputs: [Vec<f32>; LAYERS + 1],
    /// The masks of `inputs`, empty outside training; one row a sentence.
    pub(crate) masks: [Vec<f32>; LAYERS + 1],
    pub(crate) layers: [BiTrace; LAYERS],
    /// The states on both sides of each gap between words, ends of sentences included, sentence after sentence.
    pub(crate) gaps: Vec<f32>,
    pub(crate) left: Vec<f32>,
    pub(crate) right: Vec<f32>,
    pub(crate) tags: Vec<f32>,
}

impl Pass {
    /// Runs the network up to the two ends of spans. `features` are those of all words, sentence after sentence, the longest
    /// sentence first.
    pub(crate) fn encode(
        &mut self,
        network: &Network<'_>,
        lengths: &[usize],
        features: &[u32],
        mut dropout: Option<&mut Dropout<'_>>,
    ) {
        let Network { shape, blocks, values } = *network;
        self.packing = Packing::new(lengths);
        self.embed(network, features);
        let sentences = self.packing.sentences_by_row();
        self.drop(0, shape.embedding, &sentences, dropout.as_deref_mut());
        for (number, layer) in blocks.layers.iter().enumerate() {
            let trace = &mut self.layers[number];
            layer.forward(values, &self.inputs[number], &self.packing, &NO_MASKS, trace);
            self.inputs[number + 1].clone_from(&trace.out);
            self.drop(number + 1, shape.both(), &sentences, dropout.as_deref_mut());
        }
        zeros(&mut self.tags, self.packing.rows() * shape.tags);
        let read = Mat::new(&self.inputs[1], self.packing.rows(), shape.both());
        matmul(&mut self.tags, read, blocks.tag.of(values), Product::Plain, false);
        add_rows(&mut self.tags, blocks.tag_bias.slice(values));
        self.project(network);
    }

    fn embed(&mut self, network: &Network<'_>, features: &[u32]) {
        let size = network.shape.embedding;
        let x = &mut self.inputs[0];
        zeros(x, self.packing.rows() * size);
        for (row, numbers) in self.packing.rows_in_order().into_iter().zip(features.chunks_exact(PER_WORD)) {
            let row = &mut x[row * size..(row + 1) * size];
            for &number in numbers.iter().filter(|&&n| n != ABSENT) {
                let vector = network.blocks.features.row(network.values, number as usize);
                row.iter_mut().zip(vector).for_each(|(r, v)| *r += v);
            }
        }
    }

    fn drop(&mut self, place: usize, size: usize, sentences: &[usize], dropout: Option<&mut Dropout<'_>>) {
        let mask = &mut self.masks[place];
        mask.clear();
        let Some(dropout) = dropout else { return };
        let rate = if place == 0 { dropout.input } else { dropout.state };
        draw_mask(dropout.rng, rate, self.packing.lengths().len() * size, mask);
        scale_rows(&mut self.inputs[place], size, sentences, mask);
    }

    /// The row of a sentence's first gap: every sentence has one gap more than words.
    pub(crate) fn first_gap(&self, sentence: usize) -> usize {
        self.packing.lengths()[..sentence].iter().sum::<usize>() + sentence
    }

    /// How many gaps there are.
    pub(crate) fn gap_count(&self) -> usize {
        self.packing.rows() + self.packing.lengths().len()
    }

    /// The parts of span vectors that come of their two ends.
    fn project(&mut self, network: &Network<'_>) {
        let Network { shape: Shape { hidden, span, .. }, blocks, values } = *network;
        let (both, count) = (2 * hidden, self.gap_count());
        zeros(&mut self.gaps, count * both);
        let mut gap = 0;
        for (sentence, &length) in self.packing.lengths().iter().enumerate() {
            for word in 0..length {
                let row = &self.inputs[LAYERS][self.packing.row(sentence, word) * both..][..both];
                // The forward state has read up to the word, so it belongs to the gap after it.
                self.gaps[(gap + word + 1) * both..][..hidden].copy_from_slice(&row[..hidden]);
                self.gaps[(gap + word) * both + hidden..][..hidden].copy_from_slice(&row[hidden..]);
            }
            gap += length + 1;
        }
        let gaps = Mat::new(&self.gaps, count, both);
        for (weights, out) in [(&blocks.left, &mut self.left), (&blocks.right, &mut self.right)] {
            zeros(out, count * span);
            matmul(out, gaps, weights.of(values), Product::Plain, false);
        }
        add_rows(&mut self.left, blocks.span_bias.slice(values));
    }

    /// The vectors of all spans of a sentence, in the order of their numbers, and the scores of their labels, which are added
    /// to `scores`.
    pub(crate) fn score_spans(
        &self,
        network: &Network<'_>,
        sentence: usize,
        vectors: &mut Vec<f32>,
        scores: &mut [f32],
    ) {
        let span = network.shape.span;
        let (length, gap) = (self.packing.lengths()[sentence], self.first_gap(sentence));
        vectors.clear();
        vectors.reserve(span_count(length) * span);
        for start in 0..length {
            let left = &self.left[(gap + start) * span..][..span];
            for end in start + 1..=length {
                let right = &self.right[(gap + end) * span..][..span];
                vectors.extend(left.iter().zip(right).map(|(l, r)| (l + r).max(0.0)));
            }
        }
        let vectors = Mat::new(vectors, span_count(length), span);
        matmul(scores, vectors, network.blocks.label.of(network.values), Product::Plain, true);
        add_rows(scores, network.blocks.label_bias.slice(network.values));
    }
}
