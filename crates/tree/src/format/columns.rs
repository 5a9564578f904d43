//! What the CoNLL formats share: a block of lines a sentence, a word a line, columns between tabs.

use super::ReadTrees;
use crate::error::Result;
use crate::index::WordIx;
use crate::parse::DepParse;
use std::io::{self, BufRead, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Lines, Place};

/// How the lines of a format are read; the value is what the lines so far of a sentence ask of those to come.
pub trait Columns: Default {
    /// Adds what a line says.
    fn read_line(&mut self, line: &str, sentence: &mut DepParse) -> std::result::Result<(), String>;

    /// What is wrong with the sentence as a whole.
    fn check(&self, _sentence: &DepParse) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// Reads the sentences of a file, one block each.
pub struct Reader<C, R = Box<dyn BufRead + Send>> {
    lines: Lines<R>,
    columns: PhantomData<C>,
}

impl<C> Reader<C> {
    /// Opens a file, `-` for standard input.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)?, columns: PhantomData })
    }
}

impl<C, R: BufRead> Reader<C, R> {
    /// Reads from `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader), columns: PhantomData }
    }

    /// The input's name.
    pub fn name(&self) -> &Arc<str> {
        self.lines.name()
    }
}

impl<C: Columns, R: BufRead> ReadTrees for Reader<C, R> {
    type Tree = DepParse;

    /// The next block. One of comments alone comes back as a parse without words.
    fn next_tree(&mut self) -> Result<Option<DepParse>> {
        let (mut parse, mut columns) = (None, C::default());
        loop {
            let place = Place::new(self.lines.name().clone(), self.lines.line() + 1);
            let Some(line) = self.lines.next_line()? else { break };
            if line.trim_ascii().is_empty() {
                if parse.is_some() {
                    break;
                }
                continue;
            }
            let sentence = parse.get_or_insert_with(|| DepParse::at(place));
            if let Err(message) = columns.read_line(line, sentence) {
                return Err(self.lines.malformed(message).into());
            }
        }
        let checked = parse.as_ref().map_or(Ok(()), |sentence| columns.check(sentence));
        checked.map_err(|message| self.lines.malformed(message))?;
        Ok(parse)
    }
}

/// The columns of a line. Those that have a name must be there and have text; the others, all or none, may be left out.
pub(super) fn split<'l, const N: usize>(
    line: &'l str,
    format: &str,
    names: [&str; N],
) -> std::result::Result<[&'l str; N], String> {
    let mut columns = ["_"; N];
    let mut found = 0;
    for column in line.split('\t') {
        if let Some(slot) = columns.get_mut(found).filter(|_| !column.is_empty() || !names[found].is_empty())
        {
            *slot = column;
        }
        found += 1;
    }
    let named = names.iter().filter(|name| !name.is_empty()).count();
    if found != N && found != named {
        return Err(format!("the line has {found} tab-separated columns, but {format} has {N}"));
    }
    match columns.iter().position(|column| column.is_empty()) {
        Some(empty) => Err(format!("the {} is empty; write `_` where there is no value", names[empty])),
        None => Ok(columns),
    }
}

/// Checks that the number of a word is the next one.
pub(super) fn check_number(id: &str, sentence: &DepParse) -> std::result::Result<(), String> {
    let expected = sentence.len() as u32 + 1;
    if number(id) == Some(expected) {
        return Ok(());
    }
    Err(format!("the word has number `{id}`, but {expected} comes next"))
}

/// A number in the one way these formats write it: no sign, no leading zero.
pub(super) fn number(text: &str) -> Option<u32> {
    let canonical = text == "0" || text.as_bytes().first().is_some_and(|b| (b'1'..=b'9').contains(b));
    text.parse().ok().filter(|_| canonical)
}

/// The head column; `_` is none.
pub(super) fn head(text: &str) -> std::result::Result<Option<u32>, String> {
    match text {
        "_" => Ok(None),
        _ => Ok(Some(number(text).ok_or_else(|| format!("the head `{text}` is not a number"))?)),
    }
}

/// The head column of a word, to be written.
pub(super) fn write_head(parse: &DepParse, word: WordIx, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    match parse.raw_head(word) {
        Some(head) => write!(out, "{head}"),
        None => out.write_all(b"_"),
    }
}
