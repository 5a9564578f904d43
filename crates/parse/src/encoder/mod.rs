//! What the networks of both dependency parsers share: vectors of a word, of its character n-grams and of its tags go
//! through bidirectional LSTM layers (Kiperwasser and Goldberg 2016), and a projection gives every word its *roles*, the
//! columns from which a parser takes its decisions.

mod input;
mod pass;
mod train;

pub(crate) use input::{Encoded, Lexicon};
pub(crate) use pass::{Dropout, Trace};
pub(crate) use train::{Example, Network, Schedule, train};

#[cfg(test)]
pub(crate) use train::check_gradient;

use crate::nn::Rng;
use crate::nn::{BiLstm, Block, Layout};
use input::{ROOT_TAG, Token};
use serde::{Deserialize, Serialize};

/// The sizes of an encoder's layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EncoderShape {
    pub(crate) words: usize,
    pub(crate) word_size: usize,
    pub(crate) buckets: usize,
    pub(crate) ngram_size: usize,
    /// How many tags each layer of the tagger has.
    pub(crate) tags: [usize; 3],
    pub(crate) tag_size: usize,
    /// LSTM layers, and units of one direction of a layer.
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
}

/// No size of a layer is larger, no table, and no stack of layers.
const MOST_UNITS: usize = 1 << 12;
const MOST_ROWS: usize = 1 << 24;
const MOST_LAYERS: usize = 8;

impl EncoderShape {
    /// Whether the sizes can be those of a network at all.
    pub(crate) fn is_sane(&self) -> bool {
        let tables = [self.words, self.buckets, self.tags[0], self.tags[1], self.tags[2]];
        are_units(&[self.word_size, self.ngram_size, self.tag_size, self.hidden])
            && tables.iter().all(|t| (1..=MOST_ROWS).contains(t))
            && (1..=MOST_LAYERS).contains(&self.layers)
    }

    fn inputs(&self) -> usize {
        self.word_size + self.ngram_size + 3 * self.tag_size
    }
}

/// Whether all can be sizes of layers.
pub(crate) fn are_units(sizes: &[usize]) -> bool {
    sizes.iter().all(|s| (1..=MOST_UNITS).contains(s))
}

/// The columns that a projection gives every word, of which the first `rectified` pass the rectifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns {
    pub(crate) all: usize,
    pub(crate) rectified: usize,
}

/// Where an encoder's matrices are among the parameters of a network: the embeddings come first of all.
#[derive(Debug, Clone)]
pub(crate) struct Encoder {
    pub(crate) shape: EncoderShape,
    pub(crate) columns: Columns,
    word: Block,
    ngram: Block,
    tags: [Block; 3],
    layers: Vec<BiLstm>,
    project: Block,
    project_bias: Block,
}

impl Encoder {
    pub(crate) fn new(shape: &EncoderShape, columns: Columns, layout: &mut Layout) -> Self {
        let word = layout.block(shape.words, shape.word_size);
        let ngram = layout.block(shape.buckets, shape.ngram_size);
        // One row more than tags: the root's.
        let tags = shape.tags.map(|n| layout.block(n + 1, shape.tag_size));
        let h = shape.hidden;
        let mut layer = |number: usize| {
            let inputs = if number == 0 { shape.inputs() } else { 2 * h };
            BiLstm::new(layout, inputs, h)
        };
        let layers = (0..shape.layers).map(&mut layer).collect();
        let project = layout.block(2 * h, columns.all);
        let project_bias = layout.block(1, columns.all);
        Self { shape: shape.clone(), columns, word, ngram, tags, layers, project, project_bias }
    }

    /// Random parameters.
    pub(crate) fn init(&self, values: &mut [f32], rng: &mut Rng) {
        let spread = |size: usize| (3.0 / size as f32).sqrt();
        self.word.init(values, spread(self.shape.word_size) * 0.5, rng);
        self.ngram.init(values, spread(self.shape.ngram_size) * 0.5, rng);
        for tags in &self.tags {
            tags.init(values, spread(self.shape.tag_size), rng);
        }
        self.layers.iter().for_each(|layer| layer.init(values, rng));
        self.project.glorot(values, rng);
    }

    /// All parameters from the first layer to the end of `layout`, as one block: all but the embeddings.
    pub(crate) fn dense(&self, layout: &Layout) -> Block {
        let start = self.tags[2].end();
        Block { start, rows: 1, cols: layout.length - start }
    }

    /// Writes the input vector of a token: word, mean of n-grams, tags.
    fn embed(&self, values: &[f32], sentence: &Encoded, token: &Token, parts: [bool; 5], out: &mut [f32]) {
        let (word, rest) = out.split_at_mut(self.shape.word_size);
        let (ngram, rest) = rest.split_at_mut(self.shape.ngram_size);
        if parts[0] {
            word.copy_from_slice(self.word.row(values, token.word as usize));
        }
        if parts[1] {
            let ngrams = &sentence.ngrams[token.ngrams.0 as usize..token.ngrams.1 as usize];
            let share = share(ngrams.len());
            for &bucket in ngrams {
                let row = self.ngram.row(values, bucket as usize);
                ngram.iter_mut().zip(row).for_each(|(n, r)| *n += share * r);
            }
        }
        for (layer, out) in rest.chunks_exact_mut(self.shape.tag_size).enumerate() {
            if parts[2 + layer] {
                out.copy_from_slice(self.tags[layer].row(values, self.tag_row(token, layer)));
            }
        }
    }

    /// The row of a token's tag; a tag beyond the table, as the root's, has the last.
    fn tag_row(&self, token: &Token, layer: usize) -> usize {
        let tags = self.shape.tags[layer];
        if token.tags[layer] == ROOT_TAG { tags } else { usize::from(token.tags[layer]).min(tags) }
    }
}

/// The weight of one n-gram among `n`: between a sum and a mean, so that long words are not drowned.
fn share(n: usize) -> f32 {
    1.0 / (n.max(1) as f32).sqrt()
}
