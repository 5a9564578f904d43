//! The network that scores labels of spans: vectors of a word's features are added, two layers of recurrent networks in
//! both directions read the sentence, and a span's vector is made of the states at its two ends, as in the parsers of Cross
//! and Huang (2016) and Stern, Andreas and Klein (2017). A word's tag is read off the first layer.

use super::chart::span_count;
use super::features::{ABSENT, PER_WORD};
use super::lstm::{Layer, Reading, Rows, States, Weights};
use super::matrix::Lay::Straight;
use super::matrix::{add_bias, add_product, zeros};
use super::shape::{DIRECTIONS, LAYERS, LayerPlaces, Places, Shape};
use crate::rng::Rng;

/// A network: its sizes and its weights, which may lie in a mapped file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network<'a> {
    pub(crate) shape: Shape,
    pub(crate) places: &'a Places,
    /// The vectors of features, by number.
    pub(crate) embeddings: &'a [f32],
    /// All other weights.
    pub(crate) dense: &'a [f32],
}

impl<'a> Network<'a> {
    pub(crate) fn layer(&self, places: &LayerPlaces) -> Weights<'a> {
        Weights {
            input: &self.dense[places.input.clone()],
            state: &self.dense[places.state.clone()],
            bias: &self.dense[places.bias.clone()],
        }
    }
}

/// What training hides at random: the share of each vector's numbers, one choice for all words of a sentence.
#[derive(Debug)]
pub(crate) struct Dropout<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) input: f32,
    pub(crate) state: f32,
}

/// What a pass over a batch of sentences leaves; the buffers are used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    pub(crate) rows: Rows,
    /// Each layer's input, masks applied; then what the last layer gives.
    pub(crate) inputs: [Vec<f32>; LAYERS + 1],
    /// The masks of `inputs`, empty outside training; one row a sentence.
    pub(crate) masks: [Vec<f32>; LAYERS + 1],
    pub(crate) states: [[States; DIRECTIONS]; LAYERS],
    /// The states on both sides of each gap between words, ends of sentences included.
    pub(crate) gaps: Vec<f32>,
    pub(crate) left: Vec<f32>,
    pub(crate) right: Vec<f32>,
    pub(crate) tags: Vec<f32>,
}

pub(crate) const READINGS: [Reading; DIRECTIONS] = [Reading::Forward, Reading::Backward];

impl Pass {
    /// Runs the network up to the two ends of spans. `features` are those of all words, sentence after sentence, the longest
    /// sentence first.
    pub(crate) fn encode(
        &mut self,
        network: &Network<'_>,
        lengths: Vec<usize>,
        features: &[u32],
        mut dropout: Option<&mut Dropout<'_>>,
    ) {
        let Shape { embedding, hidden, .. } = network.shape;
        self.rows = Rows::new(lengths);
        self.embed(network, features);
        self.drop(0, embedding, dropout.as_deref_mut());
        for layer in 0..LAYERS {
            let inputs = network.shape.layer_inputs(layer);
            for ((states, places), reading) in
                self.states[layer].iter_mut().zip(&network.places.layers[layer]).zip(READINGS)
            {
                let weights = network.layer(places);
                let (x, rows) = (&self.inputs[layer][..], &self.rows);
                states.forward(&Layer { weights, x, inputs, size: hidden, rows, reading });
            }
            self.join(layer, hidden);
            self.drop(layer + 1, DIRECTIONS * hidden, dropout.as_deref_mut());
        }
        self.score_tags(network);
        self.project(network);
    }

    fn embed(&mut self, network: &Network<'_>, features: &[u32]) {
        let size = network.shape.embedding;
        let x = &mut self.inputs[0];
        zeros(x, self.rows.count() * size);
        for (row, numbers) in x.chunks_exact_mut(size).zip(features.chunks_exact(PER_WORD)) {
            for &number in numbers.iter().filter(|&&n| n != ABSENT) {
                let vector = &network.embeddings[number as usize * size..(number as usize + 1) * size];
                row.iter_mut().zip(vector).for_each(|(r, v)| *r += v);
            }
        }
    }

    /// Puts the two directions of a layer side by side.
    fn join(&mut self, layer: usize, hidden: usize) {
        let joined = &mut self.inputs[layer + 1];
        joined.clear();
        let [forward, backward] = &self.states[layer];
        for (f, b) in forward.hidden.chunks_exact(hidden).zip(backward.hidden.chunks_exact(hidden)) {
            joined.extend_from_slice(f);
            joined.extend_from_slice(b);
        }
    }

    fn drop(&mut self, place: usize, size: usize, dropout: Option<&mut Dropout<'_>>) {
        let mask = &mut self.masks[place];
        mask.clear();
        let Some(dropout) = dropout else { return };
        let rate = if place == 0 { dropout.input } else { dropout.state };
        let kept = 1.0 / (1.0 - rate);
        let drawn =
            (0..self.rows.sentences() * size).map(|_| if dropout.rng.unit() < rate { 0.0 } else { kept });
        mask.extend(drawn);
        apply_mask(&self.rows, mask, size, &mut self.inputs[place]);
    }

    fn score_tags(&mut self, network: &Network<'_>) {
        let Shape { tags, hidden, .. } = network.shape;
        zeros(&mut self.tags, self.rows.count() * tags);
        add_bias(&mut self.tags, &network.dense[network.places.tag_bias.clone()]);
        let weights = &network.dense[network.places.tag.clone()];
        add_product(
            (&self.inputs[1], Straight),
            (weights, Straight),
            &mut self.tags,
            [self.rows.count(), DIRECTIONS * hidden, tags],
        );
    }

    /// The row of a sentence's first gap: every sentence has one gap more than words.
    pub(crate) fn first_gap(&self, sentence: usize) -> usize {
        self.rows.start(sentence) + sentence
    }

    /// The parts of span vectors that come of their two ends.
    fn project(&mut self, network: &Network<'_>) {
        let Shape { hidden, span, .. } = network.shape;
        let (both, count) = (DIRECTIONS * hidden, self.rows.count() + self.rows.sentences());
        zeros(&mut self.gaps, count * both);
        for sentence in 0..self.rows.sentences() {
            let gap = self.first_gap(sentence);
            for word in 0..self.rows.length(sentence) {
                let row = &self.inputs[LAYERS][(self.rows.start(sentence) + word) * both..][..both];
                // The forward state has read up to the word, so it belongs to the gap after it.
                self.gaps[(gap + word + 1) * both..][..hidden].copy_from_slice(&row[..hidden]);
                self.gaps[(gap + word) * both + hidden..][..hidden].copy_from_slice(&row[hidden..]);
            }
        }
        zeros(&mut self.left, count * span);
        zeros(&mut self.right, count * span);
        add_bias(&mut self.left, &network.dense[network.places.span_bias.clone()]);
        for (weights, out) in
            [(&network.places.left, &mut self.left), (&network.places.right, &mut self.right)]
        {
            add_product(
                (&self.gaps, Straight),
                (&network.dense[weights.clone()], Straight),
                out,
                [count, both, span],
            );
        }
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
        let Shape { span, labels, .. } = network.shape;
        let (length, gap) = (self.rows.length(sentence), self.first_gap(sentence));
        vectors.clear();
        vectors.reserve(span_count(length) * span);
        for start in 0..length {
            let left = &self.left[(gap + start) * span..][..span];
            for end in start + 1..=length {
                let right = &self.right[(gap + end) * span..][..span];
                vectors.extend(left.iter().zip(right).map(|(l, r)| (l + r).max(0.0)));
            }
        }
        add_bias(scores, &network.dense[network.places.label_bias.clone()]);
        let weights = &network.dense[network.places.label.clone()];
        add_product((vectors, Straight), (weights, Straight), scores, [span_count(length), span, labels]);
    }
}

/// Multiplies every row by the mask of its sentence.
pub(crate) fn apply_mask(rows: &Rows, mask: &[f32], size: usize, values: &mut [f32]) {
    if mask.is_empty() {
        return;
    }
    for sentence in 0..rows.sentences() {
        let mask = &mask[sentence * size..(sentence + 1) * size];
        let start = rows.start(sentence) * size;
        for row in values[start..start + rows.length(sentence) * size].chunks_exact_mut(size) {
            row.iter_mut().zip(mask).for_each(|(r, m)| *r *= m);
        }
    }
}
