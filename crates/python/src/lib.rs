//! The part of the Python package `treeglot` that is Rust: types of Python around those of the crate `treeglot`, and nothing else.
//! What users import is `python/treeglot`.
//!
//! Work runs outside the interpreter's lock and stops at Ctrl-C ([`work`]); text comes from files or from whatever Python can iterate
//! over ([`input`]); settings are the same types, names and defaults as everywhere ([`settings`]); many numbers are shared with NumPy
//! without being copied ([`array`]).

#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "what Python calls has the arguments that it gives, taken out of its objects by value"
)]

mod align;
mod array;
mod errors;
mod experiment;
mod extract;
mod input;
mod lm;
mod metrics;
mod parse;
mod settings;
mod spark;
mod text;
mod translate;
mod tree;
mod work;

use pyo3::prelude::*;

/// The module `treeglot._treeglot`.
#[pymodule]
fn _treeglot(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<array::Array>()?;
    align::add_to(module)?;
    experiment::add_to(module)?;
    extract::add_to(module)?;
    lm::add_to(module)?;
    metrics::add_to(module)?;
    parse::add_to(module)?;
    spark::add_to(module)?;
    text::add_to(module)?;
    translate::add_to(module)?;
    tree::add_to(module)
}
