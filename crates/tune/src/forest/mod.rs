//! MERT over whole forests instead of k-best lists (Kumar et al. 2009): a line search sees every derivation that the
//! search kept.

mod envelopes;
mod error_surface;

pub use error_surface::{ForestPoint, Forests};
