//! Word alignment on executors: the driving process reads the corpus and trains model 1; what each iteration expects of the sentences, and
//! at the end their links, is worked out by shard ([`treeglot_align::shard`]).

use super::task::{Task, shared};
use super::{Columns, Op, Row, Rows, Site, Step, damaged, in_ranges};
use crate::error::Result;
use crate::train::stages::{AlignTo, write_model};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_align::shard::{CHUNK, ShardModel, Training, add_up, pack, unpack};
use treeglot_align::{Corpus, Settings};
use treeglot_text::Output;
use treeglot_text::bitext::{self, Bitext};
use treeglot_text::column::MemoryBudget;

/// Expected links of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expect {
    settings: Settings,
    parts: u64,
}

/// Adds such sums up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SumExpected {}

/// Links of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Link {
    settings: Settings,
}

/// [`crate::train::stages::align`] on executors.
pub(crate) fn align(
    site: Site<'_>,
    texts: [&Path; 2],
    settings: &Settings,
    memory: u64,
    to: &AlignTo,
    say: impl Fn(&str),
) -> Result<usize> {
    let division = site.engine.division();
    let mut bitext = Bitext::open(texts, bitext::Options::default())?;
    let corpus = Arc::new(Corpus::read(&mut bitext, settings.max_length, &MemoryBudget::new(memory))?);
    site.put("sentences", || Ok(shards(&corpus, division.lines)))?;
    let mut training = Training::begin(&corpus, settings, |step| say(step))?;
    for iteration in 1..=training.iterations() {
        let (name, file) = (format!("expected-{iteration}"), site.folder.join(format!("model-{iteration}")));
        training.write(&file)?;
        let op = Expect { settings: settings.clone(), parts: division.parts as u64 };
        let step = Step {
            name: name.clone(),
            from: vec!["sentences".to_string()],
            heads: true,
            each: Some(Op::Expect(op)),
            together: Some(Op::SumExpected(SumExpected {})),
            files: vec![file],
        };
        site.engine.run(site.folder, &step)?;
        for row in site.rows(&name, Columns::Cells)? {
            row?.cells.iter().try_for_each(|sums| training.take(sums))?;
        }
        say(&format!("iteration {iteration}: {:.0} links expected", training.update()));
    }
    let file = site.folder.join("model");
    training.write(&file)?;
    site.each("links", "sentences", Op::Link(Link { settings: settings.clone() }), vec![file])?;
    let mut out = Output::create(&to.links)?;
    for row in site.rows("links", Columns::Cells)? {
        row?.cells.iter().try_for_each(|links| out.write_all(links)).map_err(|e| out.error(e))?;
    }
    out.finish()?;
    write_model(training.model(), &corpus, to)?;
    Ok(corpus.skipped.len())
}

/// The sentences as numbers, in shards of whole chunks.
fn shards(corpus: &Arc<Corpus>, lines: usize) -> Rows {
    let (corpus, lines) = (corpus.clone(), lines.next_multiple_of(CHUNK));
    let firsts = (0..corpus.len()).step_by(lines);
    Box::new((0..).zip(firsts).map(move |(part, first)| {
        let cells = pack(&corpus, first..(first + lines).min(corpus.len()));
        Ok(Row { part, cells, ..Row::default() })
    }))
}

fn open(files: &[PathBuf], settings: &Settings) -> Result<Arc<ShardModel>> {
    let file = files.first().ok_or_else(|| damaged("no model"))?;
    shared(settings, files, || Ok(ShardModel::open(file, settings)?))
}

struct Expecting {
    parts: u64,
    model: Arc<ShardModel>,
}

/// The task of [`Expect`].
pub(super) fn expect_task(op: &Expect, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    Ok(Box::new(Expecting { parts: op.parts, model: open(files, &op.settings)? }))
}

impl Task for Expecting {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let sums = self.model.expect(&unpack(&row.cells)?, self.parts)?;
        in_ranges(row.part, sums, out);
        Ok(())
    }
}

/// The sums of the part that rows come of.
#[derive(Default)]
pub struct Summing(Option<(u64, Vec<Vec<u8>>)>);

impl Summing {
    /// None yet.
    pub fn new(_: SumExpected) -> Self {
        Self::default()
    }
}

impl Task for Summing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        if self.0.as_ref().is_some_and(|(part, _)| *part != row.part) {
            self.finish(out)?;
        }
        let (_, sums) = self.0.get_or_insert_with(|| (row.part, Vec::new()));
        sums.extend(row.cells);
        // What is added up now need not be kept.
        if sums.len() >= 64 {
            *sums = vec![add_up(sums)?];
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let Some((part, sums)) = self.0.take() else { return Ok(()) };
        out.push(Row { part, cells: vec![add_up(&sums)?], ..Row::default() });
        Ok(())
    }
}

struct Linking {
    settings: Settings,
    model: Arc<ShardModel>,
}

/// The task of [`Link`].
pub(super) fn link_task(op: Link, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    Ok(Box::new(Linking { model: open(files, &op.settings)?, settings: op.settings }))
}

impl Task for Linking {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let Settings { symmetrize, order, .. } = self.settings;
        let links = self.model.link(&unpack(&row.cells)?, symmetrize, order)?;
        out.push(Row { cells: vec![links.into_bytes()], ..row });
        Ok(())
    }
}
