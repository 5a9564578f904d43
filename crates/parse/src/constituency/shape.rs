//! The sizes of a network, and where each of its matrices lies among its parameters.

use crate::nn::Rng;
use crate::nn::{BiLstm, Block, Layout};

/// The sizes of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Vectors of features, that of unknown forms included.
    pub(crate) features: usize,
    /// Length of a feature's vector.
    pub(crate) embedding: usize,
    /// Length of a recurrent state, in each direction.
    pub(crate) hidden: usize,
    /// Length of a span's vector.
    pub(crate) span: usize,
    /// Labels of spans, label 0 included.
    pub(crate) labels: usize,
    /// Tags of words.
    pub(crate) tags: usize,
}

/// The recurrent layers.
pub(crate) const LAYERS: usize = 2;

/// Where all parameters lie.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    /// A row a feature.
    pub(crate) features: Block,
    pub(crate) layers: [BiLstm; LAYERS],
    pub(crate) tag: Block,
    pub(crate) tag_bias: Block,
    /// From a gap between words to the vector of spans that begin there; then of those that end there.
    pub(crate) left: Block,
    pub(crate) right: Block,
    pub(crate) span_bias: Block,
    pub(crate) label: Block,
    pub(crate) label_bias: Block,
    /// All but the vectors of features, as one.
    pub(crate) dense: Block,
    /// How many there are.
    pub(crate) length: usize,
}

impl Shape {
    /// The length of what a layer gives for a word: the states of both directions.
    pub(crate) fn both(&self) -> usize {
        2 * self.hidden
    }

    /// The layout of the parameters.
    pub(crate) fn blocks(&self) -> Blocks {
        let mut layout = Layout::default();
        let features = layout.block(self.features, self.embedding);
        let both = self.both();
        let layers = [self.embedding, both].map(|inputs| BiLstm::new(&mut layout, inputs, self.hidden));
        let tag = layout.block(both, self.tags);
        let tag_bias = layout.block(1, self.tags);
        let left = layout.block(both, self.span);
        let right = layout.block(both, self.span);
        let span_bias = layout.block(1, self.span);
        let label = layout.block(self.span, self.labels);
        let label_bias = layout.block(1, self.labels);
        let length = layout.length;
        let dense = Block { start: features.end(), rows: 1, cols: length - features.end() };
        Blocks { features, layers, tag, tag_bias, left, right, span_bias, label, label_bias, dense, length }
    }
}

impl Blocks {
    /// Random parameters.
    pub(crate) fn random(&self, rng: &mut Rng) -> Vec<f32> {
        let mut values = vec![0.0; self.length];
        self.features.init(&mut values, (1.0 / self.features.cols as f32).sqrt(), rng);
        self.layers.iter().for_each(|layer| layer.init(&mut values, rng));
        for block in [&self.tag, &self.left, &self.right, &self.label] {
            block.glorot(&mut values, rng);
        }
        values
    }
}
