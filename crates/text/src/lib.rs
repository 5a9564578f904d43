//! Text as the other crates see it: files read line by line with errors that name the place, pairs of files read
//! in step, tokens, casing, vocabularies, arrays that need not fit in memory, and the mapped files in which tables and
//! models are stored.

pub mod bitext;
pub mod column;
pub mod detokenize;
pub mod error;
pub mod filter;
pub mod io;
pub mod lines;
pub mod mapped;
pub mod normalize;
pub mod sentences;
mod side;
mod temporary;
pub mod tokenize;
pub mod truecase;
pub mod vocab;

pub use error::{Error, Place};
pub use io::{Input, Output};
pub use lines::Lines;
pub use side::Side;
pub use temporary::{TemporaryFolder, remove_unfinished};
