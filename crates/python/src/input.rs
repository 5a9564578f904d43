//! Text from Python: the name of a file, or anything that gives lines. Lines are taken from an iterator some at a time, so that a
//! corpus need not fit in memory.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use treeglot::text::{Input, Lines};

/// How much text is taken from an iterator at a time.
const BLOCK: usize = 1 << 16;

/// Where text comes from.
pub enum Source {
    /// A file; `.gz` and `.zst` are unpacked.
    File(PathBuf),
    /// An iterator over lines, and what it is called in messages.
    Lines(Py<PyIterator>, String),
}

impl Source {
    /// A file by its name, as text or path, or an iterator over lines.
    pub fn file_or_lines(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
            return Ok(Self::File(value.extract()?));
        }
        let lines = value.try_iter().map_err(|_| {
            PyTypeError::new_err(format!(
                "{name} is the name of a file or an iterable of lines, not {value:?}"
            ))
        })?;
        Ok(Self::Lines(lines.unbind(), name.to_string()))
    }

    /// Opens it.
    pub fn open(self) -> treeglot::text::Result<Input> {
        self.in_blocks(BLOCK)
    }

    /// Opens it; of an iterator, about so many bytes are taken at a time.
    fn in_blocks(self, block: usize) -> treeglot::text::Result<Input> {
        match self {
            Self::File(path) => Input::open(path),
            Self::Lines(lines, name) => {
                let reader = LineReader { lines: Some(lines), count: 0, buffer: Vec::new(), at: 0, block };
                Ok(Input { name: name.into(), reader: Box::new(reader) })
            }
        }
    }

    /// Opens it as lines.
    pub fn lines(self) -> treeglot::text::Result<Lines> {
        let input = self.open()?;
        Ok(Lines::new(input.name, input.reader))
    }
}

impl Source {
    /// Opens it as lines that are not taken before they are wanted: the next one may be long in coming.
    pub fn lines_one_by_one(self) -> treeglot::text::Result<Lines> {
        let input = self.in_blocks(1)?;
        Ok(Lines::new(input.name, input.reader))
    }
}

/// The lines of an iterator as bytes.
struct LineReader {
    /// None after the last line.
    lines: Option<Py<PyIterator>>,
    count: u64,
    buffer: Vec<u8>,
    at: usize,
    block: usize,
}

impl LineReader {
    /// Takes the next lines.
    fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        (self.at, self.buffer) = (0, std::mem::take(&mut self.buffer));
        self.buffer.clear();
        let Some(lines) = &self.lines else { return Ok(()) };
        let mut lines = lines.bind(py).clone();
        while self.buffer.len() < self.block {
            let Some(line) = lines.next() else {
                self.lines = None;
                return Ok(());
            };
            self.count += 1;
            push_line(&line?, self.count, &mut self.buffer)?;
        }
        Ok(())
    }
}

/// Adds a line with its end; files of Python give lines with their ends.
fn push_line(line: &Bound<'_, PyAny>, number: u64, out: &mut Vec<u8>) -> PyResult<()> {
    let start = out.len();
    if let Ok(text) = line.cast::<PyString>() {
        out.extend_from_slice(text.to_str()?.as_bytes());
    } else if let Ok(bytes) = line.cast::<PyBytes>() {
        out.extend_from_slice(bytes.as_bytes());
    } else {
        let kind = line.get_type().name()?;
        return Err(PyTypeError::new_err(format!("line {number} is no text, but of type {kind}")));
    }
    if out[start..].ends_with(b"\n") {
        out.pop();
    }
    if out[start..].contains(&b'\n') {
        return Err(PyValueError::new_err(format!(
            "line {number} has a line end inside: give its lines one by one"
        )));
    }
    out.push(b'\n');
    Ok(())
}

impl Read for LineReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(bytes.len());
        bytes[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for LineReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.buffer.len() && self.lines.is_some() {
            Python::attach(|py| self.fill(py)).map_err(io::Error::other)?;
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, length: usize) {
        self.at += length;
    }
}

/// Texts of Python in one buffer, which work outside the interpreter's lock can read.
#[derive(Default)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Copies texts; none in a place is empty.
    pub fn copy(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut texts = Self::default();
        for value in values.try_iter()? {
            let value = value?;
            if !value.is_none() {
                texts.text.push_str(value.cast::<PyString>()?.to_str()?);
            }
            texts.ends.push(texts.text.len());
        }
        Ok(texts)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A text.
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }
}
