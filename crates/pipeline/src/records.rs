//! Files that have one record a sentence: a line each (text, links, bracketed trees), or a block of lines each
//! (CoNLL, packed forests). Records are handed on as they are; whoever needs a tree reads it.

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
    /// A record is a line `sentence 1 :` and all after it up to the next such line.
    Forests,
}

impl Layout {
    /// The layout that a file's name tells.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match unpacked_name(&name).rsplit_once('.').map(|(_, ending)| ending) {
            Some("conllu" | "conllx" | "conll" | "conll06") => Self::Blocks,
            Some("forest") => Self::Forests,
            _ => Self::Lines,
        }
    }
}

/// A file read record by record.
pub struct Records {
    lines: Lines,
    layout: Layout,
    record: String,
    /// The first line of the next record, where it tells where this one ends.
    ahead: Option<String>,
}

impl Records {
    /// Opens a file.
    pub fn open(path: &Path, layout: Layout) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)?, layout, record: String::new(), ahead: None })
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
            Layout::Forests => return self.advance_forest(),
        }
        Ok(true)
    }

    /// What stands before the first forest, which only a damaged file has, goes with it: whoever reads it will complain.
    fn advance_forest(&mut self) -> Result<bool> {
        let mut begun = self.ahead.is_some();
        self.record.extend(self.ahead.take().map(|line| line + "\n"));
        while let Some(line) = self.lines.next_line()? {
            let first = line.starts_with("sentence ") && line.trim_end().ends_with(" :");
            if first && begun {
                self.ahead = Some(line.to_string());
                break;
            }
            begun |= first;
            self.record.push_str(line);
            self.record.push('\n');
        }
        Ok(!self.record.trim().is_empty())
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
        assert_eq!(Layout::of(Path::new("train.en.forest.zst")), Layout::Forests);
    }

    #[test]
    fn forests_begin_with_their_numbers_and_those_that_failed_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.forest");
        let each = [
            "sentence 1 :\na\nA[0,0] => a ||| 0\n\n",
            "sentence 2 :\n\n\n",
            "sentence 3 :\nb\nB[0,0] => b ||| 0\n",
        ];
        std::fs::write(&path, each.concat()).unwrap();
        let mut records = Records::open(&path, Layout::of(&path)).unwrap();
        for forest in each {
            assert!(records.advance().unwrap());
            assert_eq!(records.record(), forest);
        }
        assert!(!records.advance().unwrap());
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
