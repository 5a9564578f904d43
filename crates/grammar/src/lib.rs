//! Rules: how they are written as symbols, counted, scored and stored in a table.

pub mod code;
mod decimal;
mod error;
mod instance;
pub mod notation;
mod packed;
mod spool;
mod symbol;
pub mod table;

pub use decimal::Decimal;
pub use error::{Error, Result};
pub use instance::{Batch, Instance, Orientation, RuleLink, RuleSink};
pub use spool::Scratch;
pub use symbol::{Kind, Symbol};
pub use table::{RuleId, Table, TrieNode};
