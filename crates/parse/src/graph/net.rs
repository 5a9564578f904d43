//! The network's shape and parameters.
//!
//! The encoder's projection gives every word its roles: as head and dependent of an arc (Dozat and Manning 2017), as head,
//! last and next sibling of a sequence of dependents, as head and dependent of a relation.

use super::loss::batch_loss;
use crate::dependency::Gold;
use crate::encoder::{Columns, Encoder, EncoderShape, Network, Trace, are_units};
use crate::nn::Rng;
use crate::nn::{Block, Layout};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use treeglot_text::mapped::Store;

/// The sizes of all layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    pub(crate) encoder: EncoderShape,
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

    /// How many columns they take.
    pub(super) fn width(&self) -> usize {
        self.label_dep.end
    }
}

/// Where each matrix is among the parameters.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    pub(super) arc: Block,
    pub(super) arc_bias: Block,
    /// What stands for the last sibling before the first, and for the next after the last; a row a side.
    pub(super) sib_first: Block,
    pub(super) sib_end: Block,
    pub(super) label_bias: Block,
    pub(super) label: Block,
    pub(super) label_out: Block,
    /// All but the embeddings, as one.
    dense: Block,
}

impl Shape {
    /// Whether the sizes can be those of a network at all.
    pub(crate) fn is_sane(&self) -> bool {
        self.encoder.is_sane() && are_units(&[self.arc, self.sibling, self.label])
    }

    fn blocks(&self, encoder: &Encoder, layout: &mut Layout) -> Blocks {
        let arc = layout.block(self.arc, self.arc);
        let arc_bias = layout.block(1, self.arc);
        let sib_first = layout.block(2, self.sibling);
        let sib_end = layout.block(2, self.sibling);
        let label_bias = layout.block(1, self.label);
        let label = layout.block(self.label, self.labels);
        let label_out = layout.block(1, self.labels);
        let dense = encoder.dense(layout);
        Blocks { arc, arc_bias, sib_first, sib_end, label_bias, label, label_out, dense }
    }
}

/// A network for use.
#[derive(Debug, Clone)]
pub(crate) struct Net {
    pub(crate) shape: Shape,
    pub(super) roles: Roles,
    encoder: Encoder,
    pub(super) blocks: Blocks,
    pub(crate) values: Store<f32>,
}

impl Net {
    /// A network with these parameters; `None` if they are too few or too many for the shape.
    pub(crate) fn new(shape: Shape, values: Store<f32>) -> Option<Self> {
        let (net, length) = Self::laid_out(shape, values);
        (net.values.len() == length).then_some(net)
    }

    /// The network, and how many parameters it should have.
    fn laid_out(shape: Shape, values: Store<f32>) -> (Self, usize) {
        let mut layout = Layout::default();
        let roles = Roles::new(&shape);
        // The roles of labels are summed before they are rectified.
        let columns = Columns { all: roles.width(), rectified: roles.label_head.start };
        let encoder = Encoder::new(&shape.encoder, columns, &mut layout);
        let blocks = shape.blocks(&encoder, &mut layout);
        (Self { shape, roles, encoder, blocks, values }, layout.length)
    }

    /// A network with random parameters.
    pub(crate) fn random(shape: Shape, rng: &mut Rng) -> Self {
        let (mut net, length) = Self::laid_out(shape, Vec::new().into());
        let mut values = vec![0.0; length];
        let (v, blocks) = (&mut values[..], &net.blocks);
        net.encoder.init(v, rng);
        blocks.arc.glorot(v, rng);
        let sibling = (3.0 / net.shape.sibling as f32).sqrt();
        blocks.sib_first.init(v, sibling, rng);
        blocks.sib_end.init(v, sibling, rng);
        blocks.label.glorot(v, rng);
        net.values = values.into();
        net
    }
}

impl Network for Net {
    type Gold = Gold;

    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn values(&self) -> &[f32] {
        &self.values
    }

    fn values_mut(&mut self) -> &mut Store<f32> {
        &mut self.values
    }

    fn dense(&self) -> Block {
        self.blocks.dense
    }

    fn loss(&self, trace: &Trace, gold: &[&Gold], d_roles: &mut [f32], gradient: &mut [f32]) -> f32 {
        batch_loss(self, trace, gold, d_roles, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::{Dropout, Encoded, Example, Lexicon, Schedule, check_gradient, train};
    use treeglot_text::vocab::Vocab;

    fn sentence(heads: &[u32], lexicon: &Lexicon) -> Example<Gold> {
        let forms: Vec<String> =
            (0..heads.len()).map(|i| format!("w{}x", (i * 7 + heads.len()) % 5)).collect();
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let tags = std::array::from_fn(|layer| (0..heads.len()).map(|i| ((i + layer) % 3) as u16).collect());
        let encoded = Encoded::new(&forms, &tags, lexicon, 50);
        let labels = (0..heads.len()).map(|i| (i % 4) as u16).collect();
        Example { encoded, gold: Gold { heads: heads.to_vec(), labels } }
    }

    fn small() -> (Shape, Vec<Example<Gold>>, Lexicon) {
        let mut vocab = Vocab::default();
        for word in ["w0x", "w1x", "w2x"] {
            vocab.intern(word);
        }
        let lexicon = Lexicon::Growing(vocab);
        let encoder = EncoderShape {
            words: lexicon.rows(),
            word_size: 4,
            buckets: 50,
            ngram_size: 3,
            tags: [3, 3, 3],
            tag_size: 2,
            layers: 2,
            hidden: 5,
        };
        let shape = Shape { encoder, arc: 4, sibling: 3, label: 4, labels: 4 };
        let sentences = vec![
            sentence(&[2, 0, 5, 5, 2, 2], &lexicon),
            sentence(&[0, 1, 2, 1], &lexicon),
            sentence(&[2, 0], &lexicon),
        ];
        (shape, sentences, lexicon)
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        let (shape, sentences, _) = small();
        check_gradient(Net::random(shape, &mut Rng::new(5)), &sentences);
    }

    #[test]
    fn a_few_sentences_are_learnt_by_heart() {
        let (shape, sentences, lexicon) = small();
        let counts = vec![1; lexicon.rows()];
        let dropout = Dropout { parts: 0.0, units: 0.0, recurrent: 0.0 };
        let schedule = Schedule { rounds: 150, rate: 0.02, batch: 5, seed: 1, dropout };
        let mut last = f32::MAX;
        let random = |rng: &mut Rng| Net::random(shape, rng);
        train(random, &sentences, &counts, schedule, |_, loss, _| last = loss);
        assert!(last < 0.2, "{last}");
    }
}
