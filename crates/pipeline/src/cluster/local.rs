//! An engine for tests: a loop that does all that executors might do. Ops go through JSON, rows come in an order of its own, tasks
//! are made anew for a few rows each.

use super::{Columns, Division, Engine, Op, Row, Rows, Step, task};
use crate::error::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tables in memory.
#[derive(Debug)]
pub struct Local {
    division: Division,
    tables: Mutex<BTreeMap<(PathBuf, String), Vec<Row>>>,
    /// The names of the steps that were worked on.
    pub done: Mutex<Vec<String>>,
    /// How many bytes came to each part, by step.
    pub bytes: Mutex<Vec<(String, Vec<usize>)>>,
    /// What the name of a step begins with that fails once, after so many that were done.
    pub fails_after: Mutex<Option<(String, usize)>>,
}

impl Local {
    /// An engine that divides work like this.
    pub fn new(parts: usize, lines: usize) -> Self {
        let division = Division { parts, lines, memory: 1 << 16 };
        Self {
            division,
            tables: Mutex::default(),
            done: Mutex::default(),
            bytes: Mutex::default(),
            fails_after: Mutex::default(),
        }
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<(PathBuf, String), Vec<Row>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(folder: &Path, name: &str) -> (PathBuf, String) {
    (folder.to_path_buf(), name.to_string())
}

fn work(op: &Op, files: &[PathBuf], rows: &[Row]) -> Result<Vec<Row>> {
    let op: Op = serde_json::from_str(&serde_json::to_string(op).unwrap()).unwrap();
    let (mut task, mut out) = (task(op, files)?, Vec::new());
    rows.iter().try_for_each(|row| task.row(row.clone(), &mut out))?;
    task.finish(&mut out)?;
    Ok(out)
}

impl Engine for Local {
    fn put(&self, folder: &Path, name: &str, rows: Rows) -> Result<()> {
        let rows = rows.collect::<Result<_>>()?;
        self.tables().insert(key(folder, name), rows);
        Ok(())
    }

    fn run(&self, folder: &Path, step: &Step) -> Result<()> {
        if self.has(folder, &step.name)? {
            return Ok(());
        }
        let fails = |(name, left): &mut (String, usize)| {
            let meant = step.name.starts_with(name.as_str());
            meant && std::mem::replace(left, left.saturating_sub(1)) == 0
        };
        if self.fails_after.lock().unwrap().take_if(fails).is_some() {
            return Err(crate::Error::Invalid(format!("step {} was told to fail", step.name)));
        }
        self.done.lock().unwrap().push(step.name.clone());
        let mut rows: Vec<Row> =
            step.from.iter().flat_map(|from| self.tables()[&key(folder, from)].clone()).collect();
        rows.reverse();
        if !step.heads {
            rows.iter_mut().for_each(|row| row.head.clear());
        }
        if let Some(op) = &step.each {
            let made = rows.chunks(2).map(|rows| work(op, &step.files, rows));
            rows = made.collect::<Result<Vec<_>>>()?.concat();
        }
        if let Some(op) = &step.together {
            rows.sort_by_key(|row| row.part);
            let parts: Vec<&[Row]> = rows.chunk_by(|a, b| a.part == b.part).collect();
            let bytes = parts.iter().map(|rows| rows.iter().flat_map(|row| &row.cells).map(Vec::len).sum());
            self.bytes.lock().unwrap().push((step.name.clone(), bytes.collect()));
            let made = parts.chunks(2).map(|parts| work(op, &step.files, &parts.concat()));
            rows = made.collect::<Result<Vec<_>>>()?.concat();
        }
        self.tables().insert(key(folder, &step.name), rows);
        Ok(())
    }

    fn has(&self, folder: &Path, name: &str) -> Result<bool> {
        Ok(self.tables().contains_key(&key(folder, name)))
    }

    fn rows(&self, folder: &Path, name: &str, columns: Columns) -> Result<Rows> {
        let mut rows = self.tables()[&key(folder, name)].clone();
        rows.sort_by_key(|row| (row.part, row.number));
        for row in &mut rows {
            if columns != Columns::Heads {
                row.head.clear();
            }
            if columns != Columns::Cells {
                row.cells.clear();
            }
        }
        Ok(Box::new(rows.into_iter().map(Ok)))
    }

    fn remove(&self, folder: &Path) -> Result<()> {
        self.tables().retain(|(of, _), _| of != folder);
        Ok(())
    }

    fn division(&self) -> Division {
        self.division
    }
}
