//! The little that a small network needs: matrix products (by `gemm`), Adam, dropout, random numbers. Parsers and the neural
//! joint model are made of it.
//!
//! Matrices are row-major slices; parameters of a network live in one array, in which a [`Block`] is one matrix.
//!
//! ```
//! use treeglot_nn::{Mat, Product, matmul};
//!
//! let (a, b) = ([1.0, 2.0], [3.0, 4.0]);
//! let mut out = [0.0];
//! matmul(&mut out, Mat::new(&a, 1, 2), Mat::new(&b, 2, 1), Product::Plain, false);
//! assert_eq!(out, [11.0]);
//! ```

mod adam;
mod block;
mod mask;
mod math;
mod matrix;
mod rng;

pub use adam::{Adam, Rate};
pub use block::{Block, Layout};
pub use mask::{draw_mask, scale_rows};
pub use math::{cross_entropy, exp, finite, leaky, leaky_slope, log_softmax, sigmoid, simd, tanh};
pub use matrix::{Mat, Product, add_rows, gather_rows, matmul, matmul_on_all_threads, sum_rows, zeros};
pub use rng::Rng;
