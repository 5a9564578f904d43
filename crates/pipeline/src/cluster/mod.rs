//! Stages on many machines. What a stage does to one shard of its data is a [`Task`] here, bytes to bytes; an [`Engine`] has
//! executors run tasks over all shards and brings rows with the same part together. The engine is Apache Spark in the Python package
//! (`treeglot.spark`) and a loop in tests; nothing here knows which.
//!
//! A stage with an engine makes the files that it makes without one, byte for byte: its key is the same, its output is found by runs
//! without an engine, and the other way round. What it has finished (named tables, in its folder for partial work) outlives an
//! interruption.

mod align;
mod cut;
mod ends;
mod lexicon;
mod lines;
mod lm;
#[cfg(test)]
mod local;
mod nodes;
mod rules;
mod task;
#[cfg(test)]
mod tests;
mod translate;
mod tree_lm;
mod tune;

pub use task::{Op, Task, task};
pub use translate::translate;

pub(crate) use align::align;
pub(crate) use lexicon::lexicon;
pub(crate) use lines::{parse, words};
pub(crate) use lm::lm;
pub(crate) use nodes::align_trees;
pub(crate) use rules::rules;
pub(crate) use translate::translate_set;
pub(crate) use tree_lm::tree_lm;
pub(crate) use tune::ShardDecoder;

use crate::error::{Error, Result};
use serde::Serialize;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// A row of a table: what executors read and write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Which part of a whole it belongs to: rows are brought together by it.
    pub part: u64,
    /// Its place within the part.
    pub number: u64,
    /// What there is to say of it, as JSON.
    pub notes: String,
    /// What the driving process reads before all else, small.
    pub head: Vec<u8>,
    /// The data: texts, trees, or packed counts.
    pub cells: Vec<Vec<u8>>,
}

/// Rows one after the other.
pub type Rows = Box<dyn Iterator<Item = Result<Row>> + Send>;

/// Which columns of a table are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// All but the cells.
    Heads,
    /// All but the heads.
    Cells,
    /// Neither heads nor cells.
    Notes,
}

/// A step: every row of some tables through a task, then, if wanted, all rows of a part through another.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// The table it makes.
    pub name: String,
    /// The tables it reads.
    pub from: Vec<String>,
    /// Whether the heads of their rows are read as well.
    pub heads: bool,
    /// What is done with each row.
    pub each: Option<Op>,
    /// What is done with the rows of a part, which come one after the other in any order.
    pub together: Option<Op>,
    /// Files that every executor needs, by the number with which tasks ask for them.
    pub files: Vec<PathBuf>,
}

/// Runs tasks on executors.
pub trait Engine: Debug + Send + Sync {
    /// Makes a table of rows.
    fn put(&self, folder: &Path, name: &str, rows: Rows) -> Result<()>;

    /// Makes the table of a step, unless it is there.
    fn run(&self, folder: &Path, step: &Step) -> Result<()>;

    /// Whether a table is complete.
    fn has(&self, folder: &Path, name: &str) -> Result<bool>;

    /// The rows of a table in the order of parts and numbers.
    fn rows(&self, folder: &Path, name: &str, columns: Columns) -> Result<Rows>;

    /// Removes the tables of a folder, if there are any.
    fn remove(&self, folder: &Path) -> Result<()>;

    /// How the work is divided.
    fn division(&self) -> Division;
}

/// How work is divided. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// How many parts counts are brought together in.
    pub parts: usize,
    /// How many lines a shard has.
    pub lines: usize,
    /// About how many bytes a task may hold before it writes temporary files.
    pub memory: u64,
}

/// An engine at work for one stage.
#[derive(Clone, Copy)]
pub(crate) struct Site<'e> {
    pub engine: &'e dyn Engine,
    /// Where the stage keeps what it has finished.
    pub folder: &'e Path,
}

impl Site<'_> {
    /// Makes a table of rows, unless it is there.
    fn put(&self, name: &str, rows: impl FnOnce() -> Result<Rows>) -> Result<()> {
        std::fs::create_dir_all(self.folder).map_err(Error::writing(self.folder))?;
        match self.engine.has(self.folder, name)? {
            true => Ok(()),
            false => self.engine.put(self.folder, name, rows()?),
        }
    }

    /// Itself where so many lines are worth sending, which are those of a shard at least: fewer are translated sooner where the models are.
    pub fn for_lines(self, lines: u64) -> Option<Self> {
        (lines >= self.engine.division().lines as u64).then_some(self)
    }

    /// How many of so many lines a shard has where each takes long: every part of the work gets some.
    fn lines_of(self, lines: u64) -> usize {
        let Division { parts, lines: most, .. } = self.engine.division();
        usize::try_from(lines.div_ceil(parts as u64)).unwrap_or(most).clamp(1, most)
    }

    /// Has every row of a table go through a task.
    fn each(&self, name: &str, from: &str, each: Op, files: Vec<PathBuf>) -> Result<()> {
        let (name, from) = (name.to_string(), vec![from.to_string()]);
        self.engine
            .run(self.folder, &Step { name, from, heads: true, each: Some(each), together: None, files })
    }

    /// The rows of a table.
    fn rows(&self, name: &str, columns: Columns) -> Result<Rows> {
        self.engine.rows(self.folder, name, columns)
    }
}

/// Reads the notes of a row.
fn notes<T: serde::de::DeserializeOwned>(row: &Row) -> Result<T> {
    serde_json::from_str(&row.notes).map_err(|error| damaged(&format!("its notes: {error}")))
}

/// The counts of a shard as rows of the ranges that it adds to.
fn in_ranges(shard: u64, ranges: Vec<Vec<u8>>, out: &mut Vec<Row>) {
    let filled = (0..).zip(ranges).filter(|(_, counts)| !counts.is_empty());
    let part = |(part, counts)| Row { part, number: shard, cells: vec![counts], ..Row::default() };
    out.extend(filled.map(part));
}

/// Writes the notes of a row.
fn noted(notes: &impl Serialize) -> String {
    serde_json::to_string(notes).expect("numbers and names are plain data")
}

fn damaged(what: &str) -> Error {
    Error::Invalid(format!("a table of the engine is damaged ({what}): remove the cache, and run it again"))
}
