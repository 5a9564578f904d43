//! Files that have one record a sentence: a line each (text, links, bracketed trees), or a block of lines each
//! (CoNLL). Records are handed on as they are; whoever needs a tree reads it.

use crate::error::Result;
use std::path::Path;
use treeglot_text::Lines;
use treeglot_text::io::unpacked_name;

/// How the records of a file are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A record is a line.
    Lines,
    /// A record is all lines up to an empty one.
    Blocks,
}

impl Layout {
    /// The layout that a file's name tells: CoNLL files have blocks.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let bare = unpacked_name(&name);
        let blocks = [".conllu", ".conllx", ".conll", ".conll06"].iter().any(|end| bare.ends_with(end));
        if blocks { Self::Blocks } else { Self::Lines }
    }
}

/// A file read record by record.
pub struct Records {
    lines: Lines,
    layout: Layout,
    record: String,
}

impl Records {
    /// Opens a file.
    pub fn open(path: &Path, layout: Layout) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)?, layout, record: String::new() })
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        self.lines.name()
    }

    /// Goes to the next record; `false` at the end.
    pub fn advance(&mut self) -> Result<bool> {
        self.record.clear();
        match self.layout {
            Layout::Lines => match self.lines.next_line()? {
                Some(line) => self.record.push_str(line),
                None => return Ok(false),
            },
            Layout::Blocks => {
                while let Some(line) = self.lines.next_line()? {
                    if line.trim().is_empty() && self.record.is_empty() {
                        continue;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    self.record.push_str(line);
                    self.record.push('\n');
                }
                return Ok(!self.record.is_empty());
            }
        }
        Ok(true)
    }

    /// The record; a block ends with a line end.
    pub fn record(&self) -> &str {
        &self.record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_layout() {
        assert_eq!(Layout::of(Path::new("a/train.de.parzu.conllu.gz")), Layout::Blocks);
        assert_eq!(Layout::of(Path::new("train.en.lth.conll")), Layout::Blocks);
        assert_eq!(Layout::of(Path::new("train.en.ptb.gz")), Layout::Lines);
    }

    #[test]
    fn blocks_end_at_empty_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.conllu");
        std::fs::write(&path, "1\ta\n2\tb\n\n\n1\tc\n").unwrap();
        let mut records = Records::open(&path, Layout::of(&path)).unwrap();
        assert!(records.advance().unwrap());
        assert_eq!(records.record(), "1\ta\n2\tb\n");
        assert!(records.advance().unwrap());
        assert_eq!(records.record(), "1\tc\n");
        assert!(!records.advance().unwrap());
    }
}
