//! The network's shape and parameters.
//!
//! Vectors of the word, of its character n-grams and of its tags go through two bidirectional LSTM layers
//! (Kiperwasser and Goldberg 2016); a projection gives every word its roles: as head and dependent of an arc (Dozat and
//! Manning 2017), as head, last and next sibling of a sequence of dependents, as head and dependent of a relation.

use super::input::{Encoded, ROOT_TAG, Token};
use crate::nn::{Block, Layout, LstmBlocks};
use crate::rng::Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use treeglot_text::mapped::Store;

/// The sizes of all layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    pub(crate) words: usize,
    pub(crate) word_size: usize,
    pub(crate) buckets: usize,
    pub(crate) ngram_size: usize,
    /// How many tags each layer of the tagger has.
    pub(crate) tags: [usize; 3],
    pub(crate) tag_size: usize,
    /// Units of one direction of a layer.
    pub(crate) hidden: usize,
    pub(crate) arc: usize,
    pub(crate) sibling: usize,
    pub(crate) label: usize,
    pub(crate) labels: usize,
}

/// The roles of a word, as columns of the projection.
#[derive(Debug, Clone)]
pub(super) struct Roles {
    pub(super) arc_head: Range<usize>,
    pub(super) arc_dep: Range<usize>,
    /// A head that takes dependents to its left, or to its right.
    pub(super) sib_head: [Range<usize>; 2],
    pub(super) sib_last: Range<usize>,
    pub(super) sib_next: Range<usize>,
    pub(super) label_head: Range<usize>,
    pub(super) label_dep: Range<usize>,
}

impl Roles {
    fn new(shape: &Shape) -> Self {
        let mut at = 0;
        let mut next = |size: usize| {
            at += size;
            at - size..at
        };
        let (arc, sib, label) = (shape.arc, shape.sibling, shape.label);
        Self {
            arc_head: next(arc),
            arc_dep: next(arc),
            sib_head: [next(sib), next(sib)],
            sib_last: next(sib),
            sib_next: next(sib),
            label_head: next(label),
            label_dep: next(label),
        }
    }

    pub(super) fn columns(&self) -> usize {
        self.label_dep.end
    }

    /// The columns that pass the rectifier; the others are summed first.
    pub(super) fn rectified(&self) -> usize {
        self.label_head.start
    }
}

/// Where each matrix is among the parameters.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    pub(super) word: Block,
    pub(super) ngram: Block,
    pub(super) tags: [Block; 3],
    pub(super) lstm: [[LstmBlocks; 2]; 2],
    pub(super) project: Block,
    pub(super) project_bias: Block,
    pub(super) arc: Block,
    pub(super) arc_bias: Block,
    /// What stands for the last sibling before the first, and for the next after the last; a row a side.
    pub(super) sib_first: Block,
    pub(super) sib_end: Block,
    pub(super) label_bias: Block,
    pub(super) label: Block,
    pub(super) label_out: Block,
    /// All but the embeddings, as one.
    pub(super) dense: Block,
    pub(super) length: usize,
}

/// No size of a layer, and no table, is larger.
const LARGEST: usize = 1 << 24;

impl Shape {
    /// Whether the sizes can be those of a network at all.
    pub(crate) fn is_sane(&self) -> bool {
        let sizes =
            [self.word_size, self.ngram_size, self.tag_size, self.hidden, self.arc, self.sibling, self.label];
        let tables = [self.words, self.buckets, self.labels, self.tags[0], self.tags[1], self.tags[2]];
        sizes.iter().all(|s| (1..=1 << 12).contains(s)) && tables.iter().all(|t| (1..=LARGEST).contains(t))
    }

    pub(super) fn inputs(&self) -> usize {
        self.word_size + self.ngram_size + 3 * self.tag_size
    }

    pub(super) fn roles(&self) -> Roles {
        Roles::new(self)
    }

    pub(super) fn blocks(&self) -> Blocks {
        let layout = &mut Layout::default();
        let word = layout.block(self.words, self.word_size);
        let ngram = layout.block(self.buckets, self.ngram_size);
        // One row more than tags: the root's.
        let tags = self.tags.map(|n| layout.block(n + 1, self.tag_size));
        let dense = layout.length;
        let (inputs, h) = (self.inputs(), self.hidden);
        let both = |layout: &mut Layout, inputs| {
            [LstmBlocks::new(layout, inputs, h), LstmBlocks::new(layout, inputs, h)]
        };
        let lstm = [both(layout, inputs), both(layout, 2 * h)];
        let columns = self.roles().columns();
        let project = layout.block(2 * h, columns);
        let project_bias = layout.block(1, columns);
        let arc = layout.block(self.arc, self.arc);
        let arc_bias = layout.block(1, self.arc);
        let sib_first = layout.block(2, self.sibling);
        let sib_end = layout.block(2, self.sibling);
        let label_bias = layout.block(1, self.label);
        let label = layout.block(self.label, self.labels);
        let label_out = layout.block(1, self.labels);
        let length = layout.length;
        let dense = Block { start: dense, rows: 1, cols: length - dense };
        Blocks {
            word,
            ngram,
            tags,
            lstm,
            project,
            project_bias,
            arc,
            arc_bias,
            sib_first,
            sib_end,
            label_bias,
            label,
            label_out,
            dense,
            length,
        }
    }
}

/// A network for use.
#[derive(Debug, Clone)]
pub(crate) struct Net {
    pub(crate) shape: Shape,
    pub(super) roles: Roles,
    pub(super) blocks: Blocks,
    pub(crate) values: Store<f32>,
}

impl Net {
    /// A network with these parameters; `None` if they are too few or too many for the shape.
    pub(crate) fn new(shape: Shape, values: Store<f32>) -> Option<Self> {
        let (roles, blocks) = (shape.roles(), shape.blocks());
        (values.len() == blocks.length).then_some(Self { shape, roles, blocks, values })
    }

    /// A network with random parameters.
    pub(super) fn random(shape: Shape, rng: &mut Rng) -> Self {
        let blocks = shape.blocks();
        let mut values = vec![0.0; blocks.length];
        let v = &mut values[..];
        blocks.word.init(v, (3.0 / shape.word_size as f32).sqrt() * 0.5, rng);
        blocks.ngram.init(v, (3.0 / shape.ngram_size as f32).sqrt() * 0.5, rng);
        for tags in &blocks.tags {
            tags.init(v, (3.0 / shape.tag_size as f32).sqrt(), rng);
        }
        for layer in blocks.lstm.iter().flatten() {
            layer.init(v, rng);
        }
        blocks.project.glorot(v, rng);
        blocks.arc.glorot(v, rng);
        let sibling = (3.0 / shape.sibling as f32).sqrt();
        blocks.sib_first.init(v, sibling, rng);
        blocks.sib_end.init(v, sibling, rng);
        blocks.label.glorot(v, rng);
        Self::new(shape, values.into()).expect("the parameters were made for the shape")
    }

    /// Writes the input vector of a token: word, mean of n-grams, tags.
    pub(super) fn embed(&self, sentence: &Encoded, token: &Token, parts: [bool; 5], out: &mut [f32]) {
        let values: &[f32] = &self.values;
        let (shape, blocks) = (&self.shape, &self.blocks);
        let (word, rest) = out.split_at_mut(shape.word_size);
        let (ngram, rest) = rest.split_at_mut(shape.ngram_size);
        if parts[0] {
            word.copy_from_slice(blocks.word.row(values, token.word as usize));
        }
        if parts[1] {
            let ngrams = &sentence.ngrams[token.ngrams.0 as usize..token.ngrams.1 as usize];
            let share = share(ngrams.len());
            for &bucket in ngrams {
                let row = blocks.ngram.row(values, bucket as usize);
                ngram.iter_mut().zip(row).for_each(|(n, r)| *n += share * r);
            }
        }
        for (layer, out) in rest.chunks_exact_mut(shape.tag_size).enumerate() {
            if parts[2 + layer] {
                out.copy_from_slice(blocks.tags[layer].row(values, self.tag_row(token, layer)));
            }
        }
    }

    /// The row of a token's tag; a tag beyond the table, as the root's, has the last.
    pub(super) fn tag_row(&self, token: &Token, layer: usize) -> usize {
        let tags = self.shape.tags[layer];
        if token.tags[layer] == ROOT_TAG { tags } else { usize::from(token.tags[layer]).min(tags) }
    }
}

/// The weight of one n-gram among `n`: between a sum and a mean, so that long words are not drowned.
pub(super) fn share(n: usize) -> f32 {
    1.0 / (n.max(1) as f32).sqrt()
}
