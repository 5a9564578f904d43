//! Files that have one record a sentence (text, links, trees), read record by record without reading what is in them:
//! to count sentences, and to keep some of them as they are.

use super::table::Format;
use crate::error::Result;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::Lines;

/// How the records of a file are told apart.
#[derive(Debug, Clone, Copy)]
pub enum RecordLayout {
    /// A record is a line.
    Lines,
    /// A record is all lines up to an empty one.
    Blocks,
    /// A record begins at each line for which the function says so, given the line before it too.
    Begins(fn(&str, &str) -> bool),
    /// The file is one document, whose sentences only its reader can tell apart.
    Document,
}

impl RecordLayout {
    /// The layout that a file's name tells: that of its tree format, or lines.
    pub fn of_file(path: impl AsRef<Path>) -> Self {
        Format::of_file(path).map_or(Self::Lines, Format::records)
    }
}

/// A file read record by record.
pub struct Records {
    lines: Lines,
    layout: RecordLayout,
    record: String,
    /// The first line of the next record, where it tells where this one ends.
    ahead: Option<String>,
}

impl Records {
    /// Opens a file. One that is a document has no records that could be told apart, which is an error.
    pub fn open(path: &Path, layout: RecordLayout) -> Result<Self> {
        let lines = Lines::open(path)?;
        if let RecordLayout::Document = layout {
            let message = "this format keeps all sentences in one document, of which none can be left out: \
                           convert the file to one with a tree a line or block (ptb, conllu)";
            return Err(lines.malformed(message).into());
        }
        Ok(Self { lines, layout, record: String::new(), ahead: None })
    }

    /// The file's name.
    pub fn name(&self) -> &Arc<str> {
        self.lines.name()
    }

    /// Goes to the next record; `false` at the end.
    pub fn advance(&mut self) -> Result<bool> {
        self.record.clear();
        match self.layout {
            RecordLayout::Lines | RecordLayout::Document => match self.lines.next_line()? {
                Some(line) => self.record.push_str(line),
                None => return Ok(false),
            },
            RecordLayout::Blocks => {
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
            RecordLayout::Begins(begins) => return self.advance_to(begins),
        }
        Ok(true)
    }

    /// What stands before the first record, which only a damaged file has, goes with it: whoever reads it will complain.
    fn advance_to(&mut self, begins: fn(&str, &str) -> bool) -> Result<bool> {
        let mut begun = self.ahead.is_some();
        let mut before = self.ahead.take().unwrap_or_default();
        if begun {
            self.record.push_str(&before);
            self.record.push('\n');
        }
        while let Some(line) = self.lines.next_line()? {
            let first = begins(&before, line);
            if first && begun {
                self.ahead = Some(line.to_string());
                break;
            }
            begun |= first;
            self.record.push_str(line);
            self.record.push('\n');
            before.clear();
            before.push_str(line);
        }
        Ok(!self.record.trim().is_empty())
    }

    /// The record; one of several lines ends with a line end.
    pub fn record(&self) -> &str {
        &self.record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(name: &str, text: &str) -> Result<Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut records = Records::open(&path, RecordLayout::of_file(&path))?;
        let mut all = Vec::new();
        while records.advance()? {
            all.push(records.record().to_string());
        }
        Ok(all)
    }

    #[test]
    fn forests_begin_with_their_numbers_and_those_that_failed_are_kept() {
        let each = [
            "sentence 1 :\na\nA[0,0] => a ||| 0\n\n",
            "sentence 2 :\n\n\n",
            "sentence 3 :\nb\nB[0,0] => b ||| 0\n",
        ];
        assert_eq!(records("a.forest", &each.concat()).unwrap(), each);
    }

    #[test]
    fn blocks_end_at_empty_lines() {
        for name in ["a.conllu", "a.conll", "a.conll06", "a.conll09"] {
            let found = records(name, "1\ta\n2\tb\n\n\n1\tc\n").unwrap();
            assert_eq!(found, ["1\ta\n2\tb\n", "1\tc\n"], "{name}");
        }
    }

    #[test]
    fn derivations_have_a_header_or_none_and_one_that_failed_has_a_header_alone() {
        let each = ["ID=1\n(<L N N N a N>)\n", "ID=2\n", "ID=3\n(<L N N N b N>)\n"];
        assert_eq!(records("a.auto", &each.concat()).unwrap(), each);
        let each = ["(<L N N N a N>)\n", "(<L N N N b N>)\n"];
        assert_eq!(records("a.auto", &each.concat()).unwrap(), each);
    }

    #[test]
    fn a_line_is_a_record_where_the_name_tells_nothing_else() {
        assert_eq!(records("a.ptb", "(S a)\n\n(S b)\n").unwrap(), ["(S a)", "", "(S b)"]);
        assert_eq!(records("a.gdfa", "0-0\n").unwrap(), ["0-0"]);
    }

    #[test]
    fn sentences_of_a_document_cannot_be_told_apart() {
        let error = records("a.xml", "<corpus/>").unwrap_err().to_string();
        assert!(error.contains("a.xml: this format keeps all sentences in one document"), "{error}");
    }
}
