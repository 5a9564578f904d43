//! Apache Spark as the engine of training: what executors call, and the engine that stages call. What Spark is asked for is decided in
//! `spark.py`; no row is looked at there.

use crate::errors::invalid;
use crate::{settings, work};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyIterator, PyList, PyTuple};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use treeglot::grammar::shard::write_counts;
use treeglot::pipeline::cluster::{Columns, Division, Engine, Op, Row, Rows, Step, Task, task, translate};
use treeglot::text::vocab::MappedVocab;
use treeglot::tree::PerTree;
use treeglot::{Error, Result};

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ShardTask>()?;
    module.add_class::<RowSource>()?;
    module.add_function(wrap_pyfunction!(translate_on, module)?)?;
    module.add_function(wrap_pyfunction!(instances, module)?)
}

/// A row as Python has it: part, number, notes, head, cells.
type Given = (u64, u64, Option<String>, Option<PyBackedBytes>, Option<Vec<PyBackedBytes>>);

fn row((part, number, notes, head, cells): Given) -> Row {
    Row {
        part,
        number,
        notes: notes.unwrap_or_default(),
        head: head.map_or_else(Vec::new, |head| head.to_vec()),
        cells: cells.into_iter().flatten().map(|cell| cell.to_vec()).collect(),
    }
}

fn to_python<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyList>> {
    let tuple = |row: &Row| {
        let cells = PyList::new(py, row.cells.iter().map(|cell| PyBytes::new(py, cell)))?;
        (row.part, row.number, &row.notes, PyBytes::new(py, &row.head), cells).into_pyobject(py)
    };
    PyList::new(py, rows.iter().map(tuple).collect::<PyResult<Vec<Bound<'py, PyTuple>>>>()?)
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an executor does with rows.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct ShardTask(Mutex<Box<dyn Task>>);

#[pymethods]
impl ShardTask {
    #[new]
    fn new(py: Python<'_>, op: &str, files: Vec<PathBuf>) -> PyResult<Self> {
        let op: Op = settings::read(py, op)?;
        // An executor has a core for each of its tasks.
        Ok(Self(Mutex::new(work::run_on(py, 1, || task(op, &files))?)))
    }

    /// What comes of some rows.
    fn rows<'py>(&self, py: Python<'py>, rows: Vec<Given>) -> PyResult<Bound<'py, PyList>> {
        let rows: Vec<Row> = rows.into_iter().map(row).collect();
        let made = work::run_on(py, 1, || -> Result<Vec<Row>> {
            let (mut task, mut out) = (lock(&self.0), Vec::new());
            rows.into_iter().try_for_each(|row| task.row(row, &mut out))?;
            Ok(out)
        })?;
        to_python(py, &made)
    }

    /// What is left after the last row.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let made = work::run_on(py, 1, || -> Result<Vec<Row>> {
            let mut out = Vec::new();
            lock(&self.0).finish(&mut out)?;
            Ok(out)
        })?;
        to_python(py, &made)
    }
}

/// Rows that a table is made of.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct RowSource(Mutex<Rows>);

#[pymethods]
impl RowSource {
    /// The next rows, of about so many bytes; none at the end.
    fn next<'py>(&self, py: Python<'py>, bytes: usize) -> PyResult<Bound<'py, PyList>> {
        let rows = work::here(py, || -> Result<Vec<Row>> {
            let (mut rows, mut out, mut size) = (lock(&self.0), Vec::new(), 0);
            while size < bytes {
                let Some(row) = rows.next().transpose()? else { break };
                size += row.head.len() + row.cells.iter().map(Vec::len).sum::<usize>();
                out.push(row);
            }
            Ok(out)
        })?;
        to_python(py, &rows)
    }
}

/// Counted rules as text, a line each.
#[pyfunction]
fn instances(py: Python<'_>, numbers: PathBuf, counts: PyBackedBytes) -> PyResult<String> {
    work::here(py, || -> Result<String> {
        let mut out = Vec::new();
        write_counts(&MappedVocab::open(&numbers)?, &counts, &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    })
}

/// Translates a text with a bundle; `trees` are those of dependencies and of constituents.
#[pyfunction]
fn translate_on(
    py: Python<'_>,
    files: (PathBuf, PathBuf, PathBuf),
    trees: (Vec<PathBuf>, Vec<PathBuf>),
    skip_bad: bool,
    listener: Option<Py<PyAny>>,
    engine: Py<PyAny>,
) -> PyResult<u64> {
    let engine = Arc::new(PythonEngine::new(py, engine)?);
    let (bundle, text, to) = files;
    let (source_dep, source_con) = trees;
    let trees = PerTree { source_dep, source_con, ..PerTree::default() };
    work::run(py, || {
        let progress = crate::experiment::progress(listener.as_ref());
        translate(engine, &bundle, (&text, &trees), skip_bad, &progress, &to)
    })
}

/// An engine that is an object of Python.
#[derive(Debug)]
pub struct PythonEngine {
    engine: Py<PyAny>,
    division: Division,
}

impl PythonEngine {
    /// Asks the object how work is divided.
    pub fn new(py: Python<'_>, engine: Py<PyAny>) -> PyResult<Self> {
        let (parts, lines, memory) = engine.bind(py).call_method0("division")?.extract()?;
        if parts == 0 || lines == 0 {
            return Err(invalid(py, "work is divided into one part of one line at least"));
        }
        Ok(Self { engine, division: Division { parts, lines, memory } })
    }

    fn call<T>(
        &self,
        call: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T> {
        Python::attach(|py| call(py, self.engine.bind(py)).map_err(|error| failed(py, &error)))
    }
}

/// What Python code raised, as an error of a stage.
fn failed(py: Python<'_>, error: &PyErr) -> Error {
    Error::Invalid(match error.is_instance_of::<PyTypeError>(py) {
        true => error.to_string(),
        false => error.value(py).to_string(),
    })
}

impl Engine for PythonEngine {
    fn put(&self, folder: &Path, name: &str, rows: Rows) -> Result<()> {
        self.call(|_, engine| {
            engine.call_method1("put", (folder, name, RowSource(Mutex::new(rows)))).map(drop)
        })
    }

    fn run(&self, folder: &Path, step: &Step) -> Result<()> {
        let op = |op: &Option<Op>| op.as_ref().map(|op| serde_json::to_string(op).unwrap_or_default());
        let (each, together) = (op(&step.each), op(&step.together));
        self.call(|_, engine| {
            let work = (&step.from, step.heads, each, together, &step.files);
            engine.call_method1("run", (folder, &step.name, work)).map(drop)
        })
    }

    fn has(&self, folder: &Path, name: &str) -> Result<bool> {
        self.call(|_, engine| engine.call_method1("has", (folder, name))?.extract())
    }

    fn rows(&self, folder: &Path, name: &str, columns: Columns) -> Result<Rows> {
        let column = match columns {
            Columns::Heads => Some("head"),
            Columns::Cells => Some("cells"),
            Columns::Notes => None,
        };
        let rows = self.call(|_, engine| {
            Ok(engine.call_method1("rows", (folder, name, column))?.try_iter()?.unbind())
        })?;
        Ok(Box::new(TableRows { rows, waiting: VecDeque::new() }))
    }

    fn remove(&self, folder: &Path) -> Result<()> {
        self.call(|_, engine| engine.call_method1("remove", (folder,)).map(drop))
    }

    fn division(&self) -> Division {
        self.division
    }
}

/// The rows of a table, some at a time.
struct TableRows {
    rows: Py<PyIterator>,
    waiting: VecDeque<Row>,
}

impl Iterator for TableRows {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        while self.waiting.is_empty() {
            let some = Python::attach(|py| -> Option<PyResult<Vec<Given>>> {
                let some = self.rows.bind(py).clone().next()?;
                Some(some.and_then(|some| some.extract()))
            })?;
            match some {
                Ok(some) => self.waiting.extend(some.into_iter().map(row)),
                Err(error) => return Some(Err(Python::attach(|py| failed(py, &error)))),
            }
        }
        self.waiting.pop_front().map(Ok)
    }
}
