//! Language models on executors: n-grams are counted by shard and added up by range ([`treeglot_lm::shard`]); the driving process
//! numbers words and estimates.

use super::cut::{Unpacked, cut};
use super::task::{Task, numbers_of};
use super::{Columns, Op, Row, Site, Step, damaged, in_ranges};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_lm::shard::{Numbering, ShardText, add_up, count, estimate_from, look};
use treeglot_lm::{Lm, Settings};
use treeglot_text::Input;
use treeglot_text::vocab::MappedVocab;

/// How many shards the texts before a text have at most, in the numbers of rows.
const TEXT: u64 = 1 << 40;

/// Tells which words a shard has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListWords {
    settings: Settings,
}

/// Counts the n-grams of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CountNgrams {
    settings: Settings,
    bounds: Vec<Vec<u32>>,
}

/// Adds up the n-grams of a range.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SumNgrams {
    order: usize,
    words: usize,
}

/// [`crate::train::stages::lm`] on executors.
pub(crate) fn lm(
    site: Site<'_>,
    texts: &[PathBuf],
    settings: &Settings,
    memory: u64,
    to: &Path,
) -> Result<()> {
    let mut shards = Vec::new();
    let mut numbering = Numbering::default();
    for (number, text) in texts.iter().enumerate() {
        let name = format!("text-{number}");
        let op = Op::ListWords(ListWords { settings: settings.clone() });
        number_words(site, (&name, number), text, op, &mut numbering, |_| Ok(()))?;
        shards.push(name);
    }
    let count = |bounds| Op::CountNgrams(CountNgrams { settings: settings.clone(), bounds });
    let ranges = counted(site, shards, &mut numbering, settings.order, count)?;
    let estimated = estimate_from(numbering, settings, memory, ranges)?;
    Ok(Lm::build_as(estimated.into_ngrams(), settings)?.write(to)?)
}

/// Has a file cut into shards, and numbers the words that an op tells of each; `look` is shown what it tells.
pub(super) fn number_words(
    site: Site<'_>,
    (name, number): (&str, usize),
    file: &Path,
    op: Op,
    numbering: &mut Numbering,
    mut look: impl FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let (words, first) = (format!("words-{number}"), number as u64 * TEXT);
    site.put(name, || cut(&[file.to_path_buf()], site.engine.division().lines, first))?;
    site.each(&words, name, op, Vec::new())?;
    for row in site.rows(&words, Columns::Heads)? {
        let row = row?;
        look(&row)?;
        let shard: ShardText =
            serde_json::from_slice(&row.head).map_err(|_| damaged("the words of a text"))?;
        numbering.add(&shard, &file.display().to_string())?;
    }
    Ok(())
}

/// Has n-grams of so many words counted by shard, by the op for the bounds of ranges, and added up: the counts of all ranges in order.
pub(super) fn counted(
    site: Site<'_>,
    shards: Vec<String>,
    numbering: &mut Numbering,
    order: usize,
    count: impl FnOnce(Vec<Vec<u32>>) -> Op,
) -> Result<Box<dyn Iterator<Item = Result<Vec<u8>>>>> {
    let numbers = site.folder.join("numbers");
    std::fs::create_dir_all(site.folder).map_err(crate::Error::writing(site.folder))?;
    numbering.freeze(&numbers)?;
    let bounds = numbering.bounds(site.engine.division().parts);
    let step = Step {
        name: "counts".to_string(),
        from: shards,
        heads: true,
        each: Some(count(bounds)),
        together: Some(Op::SumNgrams(SumNgrams { order, words: numbering.words() })),
        files: vec![numbers],
    };
    site.engine.run(site.folder, &step)?;
    let cell = |row: Result<Row>| row?.cells.pop().ok_or_else(|| damaged("counts of n-grams"));
    Ok(Box::new(site.rows("counts", Columns::Cells)?.map(cell)))
}

fn input(shard: &Unpacked) -> Result<Input> {
    let file = shard.files.first().ok_or_else(|| damaged("a shard lacks its text"))?;
    let mut input = Input::open(file)?;
    if shard.shard.first > 1 {
        // A mark of byte order is left out where a text begins, but not in the midst of one.
        input.reader = Box::new("\u{feff}".as_bytes().chain(input.reader));
    }
    Ok(input)
}

impl Task for ListWords {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let text = look(input(&shard)?, &self.settings).map_err(|error| shard.at(&error.into()))?;
        let head = serde_json::to_vec(&text).expect("words and numbers are plain data");
        out.push(Row { head, cells: Vec::new(), ..row });
        Ok(())
    }
}

struct Counting {
    op: CountNgrams,
    numbers: Arc<MappedVocab>,
}

/// The task of [`CountNgrams`].
pub(super) fn count_task(op: CountNgrams, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    Ok(Box::new(Counting { op, numbers: numbers_of(files)? }))
}

impl Task for Counting {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let CountNgrams { settings, bounds } = &self.op;
        let ranges = count(input(&shard)?, &self.numbers, settings, bounds);
        in_ranges(row.part, ranges.map_err(|error| shard.at(&error.into()))?, out);
        Ok(())
    }
}

/// The counts of the range that rows come of.
pub struct Summing {
    op: SumNgrams,
    range: Option<(u64, Vec<Vec<u8>>)>,
}

impl Summing {
    /// None yet.
    pub fn new(op: SumNgrams) -> Self {
        Self { op, range: None }
    }
}

impl Task for Summing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        if self.range.as_ref().is_some_and(|(part, _)| *part != row.part) {
            self.finish(out)?;
        }
        let (_, counts) = self.range.get_or_insert_with(|| (row.part, Vec::new()));
        counts.extend(row.cells);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let Some((part, counts)) = self.range.take() else { return Ok(()) };
        let sum = add_up(&counts, self.op.order, self.op.words)?;
        out.push(Row { part, cells: vec![sum], ..Row::default() });
        Ok(())
    }
}
