//! Rules: how they are written as symbols, counted, scored and stored in a table.

pub mod code;
pub mod count;
mod counts_file;
mod decimal;
mod discount;
mod error;
pub mod heads;
mod instance;
mod lexicon;
pub mod notation;
mod packed;
pub mod pattern;
mod read;
pub mod score;
mod significance;
mod sort;
mod spool;
mod symbol;
pub mod table;

pub use counts_file::is_counts;
pub use decimal::Decimal;
pub use error::{Error, Result};
pub use instance::{Batch, Instance, MAX_ORIGINS, Orientation, RuleLink, RuleSink};
pub use spool::Scratch;
pub use symbol::{Kind, Symbol};
pub use table::{RuleId, Table, TrieNode};
