//! The network that scores the transitions of a configuration.
//!
//! Its hidden layer is a sum: of one role of each of the words it looks at, and of one vector for the relation of each of
//! the dependents it looks at. Roles are matrix products over all words of a sentence, made once, so that a configuration
//! costs a few additions and one small product (the trick of Chen and Manning 2014, with roles in place of embeddings).

use super::loss::{Decisions, batch_loss};
use super::state::{Actions, NONE, State};
use crate::encoder::{Columns, Encoder, EncoderShape, Network, Trace, are_units};
use crate::nn::Rng;
use crate::nn::{Block, Layout, leaky, simd};
use serde::{Deserialize, Serialize};
use treeglot_text::mapped::Store;

/// The words that the network sees: three of the stack, one of the buffer.
pub(super) const WORDS: usize = 4;

/// The dependents whose relations it sees: the outermost on both sides of the two topmost words.
pub(super) const DEPENDENTS: usize = 4;

/// Stands for the relation of no dependent.
pub(super) const NO_RELATION: u16 = u16::MAX;

/// What the network sees of a configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) words: [u32; WORDS],
    pub(super) relations: [u16; DEPENDENTS],
}

impl View {
    pub(super) fn new(state: &State) -> Self {
        let [top, second] = [state.stacked(0), state.stacked(1)];
        let relation = |word: u32, side: fn(&super::state::Node) -> u32| {
            let dependent = if word == NONE { NONE } else { side(&state.nodes[word as usize]) };
            if dependent == NONE { NO_RELATION } else { state.nodes[dependent as usize].label }
        };
        Self {
            words: [top, second, state.stacked(2), state.buffered(0)],
            relations: [
                relation(top, |n| n.left),
                relation(top, |n| n.right),
                relation(second, |n| n.left),
                relation(second, |n| n.right),
            ],
        }
    }
}

/// The sizes of all layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    pub(crate) encoder: EncoderShape,
    /// Units of the hidden layer.
    pub(crate) units: usize,
    pub(crate) labels: usize,
}

impl Shape {
    /// Whether the sizes can be those of a network at all.
    pub(crate) fn is_sane(&self) -> bool {
        self.encoder.is_sane() && are_units(&[self.units])
    }
}

/// A network for use.
#[derive(Debug, Clone)]
pub(crate) struct Net {
    pub(crate) shape: Shape,
    encoder: Encoder,
    /// What stands for a word that is not there, a row a place.
    pub(super) absent: Block,
    /// A row a dependent and relation; the last relation stands for none.
    pub(super) relations: Block,
    pub(super) out: Block,
    pub(super) out_bias: Block,
    dense: Block,
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
        let columns = Columns { all: WORDS * shape.units, rectified: 0 };
        let encoder = Encoder::new(&shape.encoder, columns, &mut layout);
        let absent = layout.block(WORDS, shape.units);
        let relations = layout.block(DEPENDENTS * (shape.labels + 1), shape.units);
        let actions = Actions { labels: shape.labels }.len();
        let out = layout.block(shape.units, actions);
        let out_bias = layout.block(1, actions);
        let dense = encoder.dense(&layout);
        let net = Self { shape, encoder, absent, relations, out, out_bias, dense, values };
        (net, layout.length)
    }

    /// A network with random parameters.
    pub(crate) fn random(shape: Shape, rng: &mut Rng) -> Self {
        let (mut net, length) = Self::laid_out(shape, Vec::new().into());
        let mut values = vec![0.0; length];
        net.encoder.init(&mut values, rng);
        net.relations.init(&mut values, (1.0 / net.shape.units as f32).sqrt(), rng);
        net.out.glorot(&mut values, rng);
        net.values = values.into();
        net
    }

    pub(super) fn actions(&self) -> Actions {
        Actions { labels: self.shape.labels }
    }

    /// The row of the relation of a dependent that the network sees.
    pub(super) fn relation_row(&self, dependent: usize, relation: u16) -> usize {
        let labels = self.shape.labels;
        dependent * (labels + 1) + usize::from(relation).min(labels)
    }

    /// The hidden layer, given the roles of the sentence.
    pub(super) fn hidden(&self, roles: &[f32], view: &View, out: &mut [f32]) {
        let (units, values) = (self.shape.units, &self.values[..]);
        let role = |place: usize, word: u32| match word {
            NONE => self.absent.row(values, place),
            word => &roles[(word as usize * WORDS + place) * units..][..units],
        };
        let words: [&[f32]; WORDS] = std::array::from_fn(|place| role(place, view.words[place]));
        let relations: [&[f32]; DEPENDENTS] = std::array::from_fn(|dependent| {
            self.relations.row(values, self.relation_row(dependent, view.relations[dependent]))
        });
        simd(|| {
            out.fill(0.0);
            for row in words.into_iter().chain(relations) {
                out.iter_mut().zip(row).for_each(|(o, r)| *o += r);
            }
            out.iter_mut().for_each(|o| *o = leaky(*o));
        });
    }

    /// The scores of all transitions, before any is left out.
    pub(super) fn logits(&self, hidden: &[f32], out: &mut [f32]) {
        out.copy_from_slice(self.out_bias.slice(&self.values));
        let rows = self.out.slice(&self.values).chunks_exact(out.len());
        simd(|| {
            for (h, row) in hidden.iter().zip(rows) {
                out.iter_mut().zip(row).for_each(|(o, r)| *o += h * r);
            }
        });
    }
}

impl Network for Net {
    type Gold = Decisions;

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
        self.dense
    }

    fn loss(&self, trace: &Trace, gold: &[&Decisions], d_roles: &mut [f32], gradient: &mut [f32]) -> f32 {
        batch_loss(self, trace, gold, d_roles, gradient)
    }
}
