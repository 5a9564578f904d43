//! ARPA files, the field's text format of back-off models: read and written.

pub(crate) mod assemble;
mod read;
mod write;

pub use read::{read, read_from};
pub use write::{write, write_estimated};
