//! The sizes of a network, and where each of its weight matrices lies in one long slice.

use std::ops::Range;

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

/// The two directions in which a layer reads.
pub(crate) const DIRECTIONS: usize = 2;

/// Where a layer's weights for one direction lie.
#[derive(Debug, Clone)]
pub(crate) struct LayerPlaces {
    pub(crate) input: Range<usize>,
    pub(crate) state: Range<usize>,
    pub(crate) bias: Range<usize>,
}

/// Where all weights lie but those of features.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// By layer, then direction.
    pub(crate) layers: Vec<[LayerPlaces; DIRECTIONS]>,
    pub(crate) tag: Range<usize>,
    pub(crate) tag_bias: Range<usize>,
    /// From a gap between words to the vector of spans that begin there; then of those that end there.
    pub(crate) left: Range<usize>,
    pub(crate) right: Range<usize>,
    pub(crate) span_bias: Range<usize>,
    pub(crate) label: Range<usize>,
    pub(crate) label_bias: Range<usize>,
    /// How many there are.
    pub(crate) count: usize,
}

impl Shape {
    /// The length of a layer's input.
    pub(crate) fn layer_inputs(&self, layer: usize) -> usize {
        if layer == 0 { self.embedding } else { DIRECTIONS * self.hidden }
    }

    /// The layout of the weights.
    pub(crate) fn places(&self) -> Places {
        let mut at = 0;
        let mut take = |count: usize| {
            at += count;
            at - count..at
        };
        let layers = (0..LAYERS).map(|layer| {
            [(); DIRECTIONS].map(|()| LayerPlaces {
                input: take(self.layer_inputs(layer) * 4 * self.hidden),
                state: take(self.hidden * 4 * self.hidden),
                bias: take(4 * self.hidden),
            })
        });
        let layers = layers.collect();
        let both = DIRECTIONS * self.hidden;
        let [tag, tag_bias] = [both * self.tags, self.tags].map(&mut take);
        let [left, right, span_bias] = [both * self.span, both * self.span, self.span].map(&mut take);
        let [label, label_bias] = [self.span * self.labels, self.labels].map(&mut take);
        Places { layers, tag, tag_bias, left, right, span_bias, label, label_bias, count: at }
    }
}
