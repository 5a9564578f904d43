//! Weights from a development set: MERT, MIRA and PRO, for any metric and any decoder.

mod candidates;
mod dev;
pub mod envelope;
mod error;
pub mod forest;
mod lbfgs;
mod mert;
mod mira;
mod nbest;
mod objective;
mod pro;
mod rng;
mod space;
mod state;
mod surface;
mod sweep;
mod translating;
mod tuner;

pub use candidates::{Candidate, Candidates, List};
pub use dev::DevSet;
pub use error::Error;
pub use mert::{Mert, Optimum};
pub use mira::Mira;
pub use nbest::{read_nbest, write_nbest};
pub use objective::Objective;
pub use pro::Pro;
pub use space::Space;
pub use state::{State, StateError};
pub use surface::{ListPoint, Surface};
pub use sweep::{Found, Sweep};
pub use translating::Translating;
pub use tuner::{Decoder, End, Method, Round, Settings, TuneError, Tuned, tune};
