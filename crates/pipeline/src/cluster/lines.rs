//! Stages that do something with each line of a text, on executors: cutting it into words, and parsing.

use super::cut::{Unpacked, cut, cut_bytes};
use super::task::{Task, shared};
use super::{Columns, Op, Row, Rows, Site, damaged, noted, notes};
use crate::error::Result;
use crate::parsing::{ParserCounts, WordParser};
use crate::recipe::ParserSource;
use crate::text_path::{TextPath, TextSettings};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_text::Output;
use treeglot_text::bitext::Skipped;
use treeglot_text::truecase::Truecaser;
use treeglot_tree::TreeKind;

/// Cuts lines into words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Words {
    settings: TextSettings,
    skip_bad: bool,
}

/// Parses lines of words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Parse {
    source: ParserSource,
    kind: TreeKind,
}

/// [`TextPath::words_of`] on executors.
pub(crate) fn words(
    site: Site<'_>,
    settings: &TextSettings,
    truecaser: Option<&Path>,
    from: &Path,
    to: &Path,
    skip_bad: bool,
) -> Result<Skipped> {
    let op = Op::Words(Words { settings: settings.clone(), skip_bad });
    let files = truecaser.map(Path::to_path_buf).into_iter().collect();
    let mut skipped = Skipped::default();
    let cut = |lines| cut_bytes(from, lines);
    each_shard(site, cut, op, files, to, |row| {
        skipped.merge(notes(row)?);
        Ok(())
    })?;
    Ok(skipped)
}

/// [`WordParser::parse_file`] on executors, by a parser that is a file.
pub(crate) fn parse(
    site: Site<'_>,
    parser: &Path,
    (source, kind): (&ParserSource, TreeKind),
    from: &Path,
    to: &Path,
) -> Result<ParserCounts> {
    let op = Op::Parse(Box::new(Parse { source: source.clone(), kind }));
    let mut counts = ParserCounts::default();
    let cut = |lines| cut(&[from.to_path_buf()], lines, 0);
    each_shard(site, cut, op, vec![parser.to_path_buf()], to, |row| {
        counts.merge(notes(row)?);
        Ok(())
    })?;
    Ok(counts)
}

/// Has every shard of some files go through a task, and writes what comes of it in order.
pub(super) fn each_shard(
    site: Site<'_>,
    cut: impl FnOnce(usize) -> Result<Rows>,
    op: Op,
    files: Vec<PathBuf>,
    to: &Path,
    mut look: impl FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let lines = site.engine.division().lines;
    site.put("text", || cut(lines))?;
    site.each("made", "text", op, files)?;
    let mut out = Output::create(to)?;
    for row in site.rows("made", Columns::Cells)? {
        let row = row?;
        look(&row)?;
        row.cells.iter().try_for_each(|cell| out.write_all(cell)).map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}

struct Cutting {
    path: Arc<TextPath>,
    skip_bad: bool,
}

/// The task of [`Words`].
pub(super) fn words_task(op: &Words, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let path = shared(op, files, || {
        let truecaser = files.first().map(Truecaser::open).transpose()?;
        TextPath::new(&op.settings, truecaser)
    })?;
    Ok(Box::new(Cutting { path, skip_bad: op.skip_bad }))
}

impl Task for Cutting {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let file = shard.files.first().ok_or_else(|| damaged("a shard lacks its text"))?;
        let skipped = self.path.words_of(file, &shard.output("words"), 1, self.skip_bad);
        let notes = noted(&skipped.map_err(|error| shard.at(&error))?);
        out.push(Row { notes, cells: vec![shard.read("words")?], ..row });
        Ok(())
    }
}

struct Parsing {
    parser: Arc<WordParser>,
    op: Parse,
}

/// The task of [`Parse`].
pub(super) fn parse_task(op: Parse, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let parser = shared(&op, files, || {
        let file = files.first().ok_or_else(|| damaged("no parser"))?;
        WordParser::model(file, &op.source.options)
    })?;
    Ok(Box::new(Parsing { parser, op }))
}

impl Task for Parsing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let file = shard.files.first().ok_or_else(|| damaged("a shard lacks its text"))?;
        let conversion = self.op.source.conversion(self.op.kind).map_err(crate::Error::Invalid)?;
        let made = self.parser.parse_file(file, &shard.output("trees"), |parse| conversion.apply(parse), 1);
        let notes = noted(&made.map_err(|error| shard.at(&error))?);
        out.push(Row { notes, cells: vec![shard.read("trees")?], ..row });
        Ok(())
    }
}
