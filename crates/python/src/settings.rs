//! Settings: keywords of Python, handed over as JSON, become the library's own types, with its names and defaults.

use crate::errors::invalid;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

/// Reads settings.
pub fn read<T: DeserializeOwned>(py: Python<'_>, json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        // An unknown keyword is an error of the call, as it is of any function of Python.
        if message.starts_with("unknown field") {
            return PyTypeError::new_err(
                message.replace("unknown field", "unknown setting").replace('-', "_"),
            );
        }
        invalid(py, message)
    })
}
