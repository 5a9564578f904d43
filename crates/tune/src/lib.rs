//! Weights from a development set: MERT, MIRA and PRO, for any metric and any decoder.

mod candidates;
pub mod envelope;
mod error;
pub mod forest;
mod lbfgs;
mod mert;
mod mira;
mod objective;
mod pro;
mod rng;
mod surface;
mod sweep;

pub use candidates::{Candidate, Candidates, List};
pub use error::Error;
pub use mert::{Mert, Optimum};
pub use mira::Mira;
pub use objective::Objective;
pub use pro::Pro;
pub use surface::{ListPoint, Surface};
pub use sweep::{Found, Sweep};
