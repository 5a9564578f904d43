//! Rules: how they are written as symbols, counted, scored and stored in a table.

mod error;
mod instance;
pub mod notation;
mod symbol;

pub use error::{Error, Result};
pub use instance::{Batch, Instance, Orientation, RuleLink, RuleSink};
pub use symbol::{Kind, Symbol};
