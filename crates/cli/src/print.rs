//! What the binary prints. A write that fails is an error to be told, or, where the reader has gone, the end; it is never a panic,
//! as those of `println!` and `eprintln!` are.

use anyhow::Result;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use treeglot_text::Output;

/// Prints a note on standard error, after the program's name. If nobody can read it, it is lost.
pub fn note(text: &str) {
    plain_note(&format!("treeglot: {text}"));
}

/// Prints a line on standard error as it is.
pub fn plain_note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Asks for a line on a terminal.
pub fn prompt() {
    let mut err = io::stderr().lock();
    let _ = write!(err, "> ").and_then(|()| err.flush());
}

/// Writes a whole file, or standard output for `-`.
pub fn write_file(path: impl AsRef<Path>, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
    let mut output = Output::create(path)?;
    write(&mut output).map_err(|e| output.error(e))?;
    Ok(output.finish()?)
}

/// Writes to standard output.
pub fn print(write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<()> {
    write_file("-", write)
}

/// Writes a value as one line of JSON.
pub fn json_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
