//! LSTM layers with their gradients, and what `treeglot-nn` has for all networks.

mod bilstm;
mod lstm;

pub(crate) use bilstm::{BiLstm, BiTrace, RecurrentMasks};
pub(crate) use lstm::Packing;
pub(crate) use treeglot_nn::{
    Adam, Block, Layout, Mat, Product, Rate, Rng, add_rows, cross_entropy, draw_mask, exp, finite,
    gather_rows, leaky, leaky_slope, log_softmax, matmul, scale_rows, simd, sum_rows, zeros,
};
