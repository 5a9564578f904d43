//! Shards: files that are read in step, cut into runs of lines or trees, a row each; and, on an executor, files again.

use super::{Row, Rows, damaged};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use treeglot_text::{Input, unpacked_name};
use treeglot_tree::PerTree;
use treeglot_tree::format::{RecordLayout, Records};

/// What is said of a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The number of its first line, from 1.
    pub first: u64,
    /// How many lines it has.
    pub lines: u64,
    /// What the files are called whose texts its cells are.
    pub files: Vec<String>,
}

/// Cuts files into shards of so many lines; a file of trees has a tree for each line. They are numbered from `from`.
pub fn cut(files: &[PathBuf], lines: usize, from: u64) -> Result<Rows> {
    let names = files.iter().map(|file| name(file)).collect();
    let files: Vec<Records> = files
        .iter()
        .map(|file| Ok(Records::open(file, RecordLayout::of_file(file))?))
        .collect::<Result<_>>()?;
    Ok(Box::new(Cut { files, names, lines: lines.max(1), number: from, done: 0, ended: false }))
}

/// Cuts a text into shards of so many lines, whatever its bytes are: whoever reads them will complain.
pub fn cut_bytes(file: &Path, lines: usize) -> Result<Rows> {
    let input = Input::open(file)?;
    let (names, lines) = (vec![name(file)], lines.max(1));
    let (mut reader, mut number, mut done) = (input.reader, 0, 0);
    let mut next_shard = move || -> std::io::Result<Option<Row>> {
        let (mut text, mut taken) = (Vec::new(), 0);
        while taken < lines && reader.read_until(b'\n', &mut text)? > 0 {
            taken += 1;
        }
        if taken == 0 {
            return Ok(None);
        }
        let row = row_of(number, done, taken as u64, &names, vec![text]);
        (number, done) = (number + 1, done + taken as u64);
        Ok(Some(row))
    };
    let (path, mut failed) = (file.to_path_buf(), false);
    Ok(Box::new(std::iter::from_fn(move || {
        let next = if failed { None } else { next_shard().transpose() };
        failed = matches!(next, Some(Err(_)));
        next.map(|next| next.map_err(Error::reading(&path)))
    })))
}

fn row_of(number: u64, done: u64, lines: u64, names: &[String], cells: Vec<Vec<u8>>) -> Row {
    let shard = Shard { first: done + 1, lines, files: names.to_vec() };
    Row { part: number, number: 0, notes: super::noted(&shard), head: Vec::new(), cells }
}

/// What a file is called on an executor, where it is not packed.
fn name(file: &Path) -> String {
    unpacked_name(&file.file_name().unwrap_or_default().to_string_lossy()).to_string()
}

struct Cut {
    files: Vec<Records>,
    names: Vec<String>,
    lines: usize,
    number: u64,
    done: u64,
    ended: bool,
}

impl Cut {
    fn next_shard(&mut self) -> Result<Option<Row>> {
        let mut cells = vec![Vec::new(); self.files.len()];
        let mut taken = 0;
        while taken < self.lines {
            let more =
                self.files.iter_mut().map(Records::advance).collect::<std::result::Result<Vec<_>, _>>()?;
            if more.iter().any(|&more| !more) {
                if let (Some(short), Some(long)) =
                    (more.iter().position(|&m| !m), more.iter().position(|&m| m))
                {
                    let [short, long] = [short, long].map(|file| self.files[file].name());
                    let lines = self.done + taken as u64;
                    return Err(Error::Invalid(format!(
                        "{short} ends after {lines} sentences, but {long} goes on: they must have one for each line"
                    )));
                }
                break;
            }
            for (cell, file) in cells.iter_mut().zip(&self.files) {
                cell.extend_from_slice(file.record().as_bytes());
                cell.push(b'\n');
            }
            taken += 1;
        }
        if taken == 0 {
            return Ok(None);
        }
        let row = row_of(self.number, self.done, taken as u64, &self.names, cells);
        self.number += 1;
        self.done += taken as u64;
        Ok(Some(row))
    }
}

impl Iterator for Cut {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        if self.ended {
            return None;
        }
        let next = self.next_shard().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The files of a shard on an executor, for code that reads files.
pub struct Unpacked {
    folder: TempDir,
    /// What is said of it.
    pub shard: Shard,
    /// The files, in the order of the cells.
    pub files: Vec<PathBuf>,
}

impl Unpacked {
    /// Writes the cells of a row to files called as the files that they were cut from.
    pub fn new(row: &Row) -> Result<Self> {
        let shard: Shard = super::notes(row)?;
        if shard.files.len() != row.cells.len() {
            return Err(damaged("a shard lacks files"));
        }
        let folder = tempfile::tempdir().map_err(Error::writing(std::env::temp_dir()))?;
        let mut files = Vec::new();
        for (number, (name, cell)) in shard.files.iter().zip(&row.cells).enumerate() {
            let inside = folder.path().join(number.to_string());
            let file = inside.join(name);
            std::fs::create_dir(&inside)
                .and_then(|()| std::fs::write(&file, cell))
                .map_err(Error::writing(&file))?;
            files.push(file);
        }
        Ok(Self { folder, shard, files })
    }

    /// Its text, and its trees for each system: so many files in each place.
    pub fn text_and_trees(&self, trees: &[PerTree<usize>]) -> Result<(PathBuf, Vec<PerTree<Vec<PathBuf>>>)> {
        let mut files = self.files.iter().cloned();
        let mut next = || files.next().ok_or_else(|| damaged("a shard lacks files"));
        let text = next()?;
        let mut of_system =
            |trees: &PerTree<usize>| trees.try_map(|_, n| (0..n).map(|_| next()).collect::<Result<Vec<_>>>());
        Ok((text, trees.iter().map(&mut of_system).collect::<Result<_>>()?))
    }

    /// A file that a task writes.
    pub fn output(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The bytes of a file that a task wrote.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.output(name);
        std::fs::read(&path).map_err(Error::reading(path))
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Says where an error was: files of a shard are known by the lines of those that they were cut from.
    pub fn at(&self, error: &Error) -> Error {
        let Shard { first, lines, files } = &self.shard;
        let mut text = chain(error);
        for (number, name) in files.iter().enumerate() {
            let file = self.folder.path().join(number.to_string()).join(name);
            text = text.replace(&file.display().to_string(), name);
        }
        Error::Invalid(format!("in lines {first} to {} of the text: {text}", first + lines - 1))
    }
}

/// An error with all that it came from, in one line: another process is told of it.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.dedup();
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: Rows) -> Vec<Row> {
        rows.collect::<Result<_>>().unwrap()
    }

    #[test]
    fn files_are_cut_in_step_and_come_back_under_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("words"), "a\nb\nc\n").unwrap();
        std::fs::write(path("trees.conllu"), "1\ta\n\n\n1\tb\n\n1\tc\n").unwrap();
        let cut = rows(cut(&[path("words"), path("trees.conllu")], 2, 7).unwrap());
        assert_eq!(cut.iter().map(|row| row.part).collect::<Vec<_>>(), [7, 8]);
        let shard = Unpacked::new(&cut[1]).unwrap();
        assert_eq!((shard.shard.first, shard.shard.lines), (3, 1));
        assert_eq!(std::fs::read_to_string(&shard.files[1]).unwrap(), "1\tc\n\n");
        let error = shard.at(&Error::Invalid(format!("{}:1: bad", shard.files[1].display())));
        assert_eq!(error.to_string(), "in lines 3 to 3 of the text: trees.conllu:1: bad");
    }

    #[test]
    fn files_of_unequal_length_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let [long, short] = ["long", "short"].map(|name| folder.path().join(name));
        std::fs::write(&long, "a\nb\nc\n").unwrap();
        std::fs::write(&short, "a\nb\n").unwrap();
        let error = cut(&[long, short], 2, 0).unwrap().find_map(Result::err).unwrap().to_string();
        assert!(error.contains("short ends after 2 sentences") && error.contains("long goes on"), "{error}");
    }

    #[test]
    fn packed_texts_are_cut_unpacked_whatever_their_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text.de.gz");
        let mut out = treeglot_text::Output::create(&path).unwrap();
        std::io::Write::write_all(&mut out, b"a\n\xff\nc").unwrap();
        out.finish().unwrap();
        let cut = rows(cut_bytes(&path, 2).unwrap());
        assert_eq!(
            cut.iter().map(|row| row.cells[0].clone()).collect::<Vec<_>>(),
            [b"a\n\xff\n".to_vec(), b"c".to_vec()]
        );
        assert_eq!(Unpacked::new(&cut[0]).unwrap().shard.files, ["text.de"]);
    }
}
