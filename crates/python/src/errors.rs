//! Errors of the library as exceptions of Python. Which class it is, is decided in `errors.py`, where the classes are.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::error::Error;
use std::io;

/// An error of a library crate.
pub trait Failure: Error + Send + Sync + 'static {}

impl<E: Error + Send + Sync + 'static> Failure for E {}

/// The exception for an error: what went wrong in one line, with file and line, and the system's number where there is one. An
/// exception that Python code raised meanwhile, such as an iterator, is handed on as it is.
pub fn raise(py: Python<'_>, error: &dyn Failure) -> PyErr {
    let system = || chain(error).filter_map(|error| error.downcast_ref::<io::Error>());
    let inner = |error: &&io::Error| error.get_ref().is_some_and(|inner| inner.is::<PyErr>());
    if let Some(raised) = system().find(inner).and_then(io::Error::get_ref) {
        let raised = raised.downcast_ref::<PyErr>().expect("it was looked for");
        return raised.clone_ref(py);
    }
    let message = chain(error).map(ToString::to_string).collect::<Vec<_>>().join(": ");
    let place = chain(error).find_map(|error| place(&error.to_string()));
    let kind = system().next().map(|error| (error.raw_os_error(), format!("{:?}", error.kind())));
    make(py, &message, place, kind).unwrap_or_else(|error| error)
}

/// An error, what it came from, and so on.
fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The exception for a value that makes no sense.
pub fn invalid(py: Python<'_>, message: &str) -> PyErr {
    make(py, message, None, None).unwrap_or_else(|error| error)
}

fn make(
    py: Python<'_>,
    message: &str,
    place: Option<(String, u64)>,
    system: Option<(Option<i32>, String)>,
) -> PyResult<PyErr> {
    let about = PyDict::new(py);
    if let Some((file, line)) = place {
        about.set_item("file", file)?;
        about.set_item("line", (line > 0).then_some(line))?;
    }
    if let Some((number, kind)) = system {
        about.set_item("number", number)?;
        about.set_item("kind", kind)?;
    }
    let make = py.import("treeglot.errors")?.getattr("make")?;
    Ok(PyErr::from_value(make.call((message,), Some(&about))?))
}

/// The file and the line that a message of the library begins with: `train.conllu:5124: word 7 has head 12`. A whole file has line 0.
fn place(message: &str) -> Option<(String, u64)> {
    let (place, _) = message.split_once(": ")?;
    if let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Some((file.to_string(), line));
    }
    // A path has no blanks around words of a sentence; a sentence has.
    (!place.contains(' ') && place.contains(['/', '.'])).then(|| (place.to_string(), 0))
}
