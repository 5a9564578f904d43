//! Rules on executors: extraction and counting by shard, then adding up and scoring by ranges of rules
//! ([`treeglot_grammar::shard`]), whose end is that of [`super::ends`]; the driving process numbers words and writes the table.

use super::cut::{Unpacked, cut};
use super::task::{Task, numbers_of, shared};
use super::{Columns, Op, Row, Site, Step, damaged, ends, in_ranges, noted, notes};
use crate::error::Result;
use crate::train::stages::{RuleFiles, Ruled, count_rules};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_grammar::shard::{Numbering, RangeBlock, RangeCounts, RangeScorer, ShardCounts, by_range};
use treeglot_grammar::{Counter, ScoreInputs, ScoreSettings, Scratch};
use treeglot_models::pairs::Files;
use treeglot_models::{Model, registry};
use treeglot_text::vocab::MappedVocab;
use treeglot_tree::{PerTree, TreeCounts};

/// How many shards the sets of rules before a set have at most, in the numbers of rows.
const SET: u64 = 1 << 40;

/// Extracts and counts the rules of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Extract {
    model: String,
    options: serde_json::Value,
    weight: f64,
    origin: Option<u8>,
    /// How many files of trees there are in each place.
    trees: PerTree<usize>,
    node_links: bool,
    skip_bad: bool,
    memory: u64,
}

/// Divides the rules of a shard by ranges.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Divide {
    bounds: Vec<Vec<u8>>,
}

/// Adds up and scores the rules of a range.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Score {
    oriented: bool,
    settings: ScoreSettings,
    model: String,
    corpus: bool,
    memory: u64,
}

/// What is noted of a shard's rules.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Extracted {
    instances: u64,
    mended: u64,
    left_out: u64,
    bad_links: u64,
}

/// [`crate::train::stages::rules`] on executors.
pub(crate) fn rules(
    site: Site<'_>,
    sets: &[RuleFiles<'_>],
    lex: &Path,
    (name, score): (&str, &ScoreSettings),
    (memory, skip_bad): (u64, bool),
    work: &Path,
    to: &Path,
) -> Result<Ruled> {
    let division = site.engine.division();
    let mut extracted = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        let (shards, table) = (format!("pairs-{number}"), format!("extracted-{number}"));
        let files = in_cells(&set.files, set.model);
        site.put(&shards, || cut(&files, division.lines, number as u64 * SET))?;
        let trees = set.files.trees.each_ref().map(|slot, files| match set.model.needs().trees[slot] {
            true => files.len(),
            false => 0,
        });
        let op = Extract {
            model: set.name.to_string(),
            options: set.options.clone(),
            weight: set.weight,
            origin: score.origins.then_some(number as u8),
            trees,
            node_links: set.model.needs().node_links,
            skip_bad,
            memory: division.memory,
        };
        site.each(&table, &shards, Op::Extract(Box::new(op)), Vec::new())?;
        extracted.push(table);
    }
    let (mut numbering, mut sum) = (Numbering::default(), Extracted::default());
    for table in &extracted {
        for row in site.rows(table, Columns::Heads)? {
            let row = row?;
            numbering.add(&ShardCounts::of_head(&row.head)?)?;
            let noted: Extracted = notes(&row)?;
            sum.instances += noted.instances;
            sum.mended += noted.mended;
            sum.left_out += noted.left_out;
            sum.bad_links += noted.bad_links;
        }
    }
    let numbers = site.folder.join("numbers");
    numbering.freeze(&numbers)?;
    let mut files = vec![numbers, lex.with_extension("f2e"), lex.with_extension("e2f")];
    let corpus = score.significance.is_some();
    if let (true, Some(set)) = (corpus, sets.first()) {
        files.extend([set.files.source.clone(), set.files.target.clone()]);
    }
    let bounds = numbering.bounds(division.parts, score);
    let op = Score {
        oriented: numbering.oriented(),
        settings: score.clone(),
        model: name.to_string(),
        corpus,
        memory: division.memory,
    };
    let step = Step {
        name: "counts".to_string(),
        from: extracted,
        heads: true,
        each: Some(Op::Divide(Divide { bounds })),
        together: Some(Op::Score(Box::new(op))),
        files,
    };
    site.engine.run(site.folder, &step)?;
    let scratch = Scratch::within(memory, Some(work));
    let written = ends::write(site, numbering, (name, score), &scratch, to)?;
    let trees = TreeCounts { mended: sum.mended, left_out: sum.left_out };
    Ok(Ruled { instances: sum.instances, written, trees, links: sum.bad_links })
}

/// The files of a set in the order of cells: source, target, links, links between nodes, trees.
fn in_cells(files: &Files, model: &dyn Model) -> Vec<PathBuf> {
    let needs = model.needs();
    let mut all = vec![files.source.clone(), files.target.clone(), files.links.clone()];
    all.extend(files.node_links.clone().filter(|_| needs.node_links));
    for (slot, trees) in files.trees.iter() {
        all.extend(trees.iter().filter(|_| needs.trees[slot]).cloned());
    }
    all
}

/// The files of cells.
fn of_cells(op: &Extract, files: &[PathBuf]) -> Result<Files> {
    let mut files = files.iter().cloned();
    let mut next = || files.next().ok_or_else(|| damaged("a shard lacks files"));
    let (source, target, links) = (next()?, next()?, next()?);
    let node_links = op.node_links.then(&mut next).transpose()?;
    let trees = op.trees.try_map(|_, n| (0..n).map(|_| next()).collect::<Result<Vec<_>>>())?;
    Ok(Files { source, target, links, trees, node_links })
}

struct Extracting {
    op: Extract,
    model: Box<dyn Model>,
}

/// The task of [`Extract`].
pub(super) fn extract_task(op: Extract) -> Result<Box<dyn Task>> {
    let model = registry::find(&op.model)?.from_value(op.options.clone())?;
    Ok(Box::new(Extracting { op, model }))
}

impl Task for Extracting {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let op = &self.op;
        let work = || {
            let set = RuleFiles {
                files: of_cells(op, &shard.files)?,
                model: &*self.model,
                name: &op.model,
                options: op.options.clone(),
                weight: op.weight,
            };
            let mut counter = Counter::new(op.memory, &Scratch::new(Some(shard.folder())));
            counter.set_origin(op.origin);
            let summary = count_rules(&set, op.skip_bad, &mut counter)?;
            Ok((summary, counter.finish()?.into_shard()?))
        };
        let (summary, counts) = work().map_err(|error| shard.at(&error))?;
        let told = Extracted {
            instances: summary.instances,
            mended: summary.mended,
            left_out: summary.bad.trees,
            bad_links: summary.bad.links,
        };
        let head = counts.head();
        out.push(Row { notes: noted(&told), head, cells: vec![counts.records], ..row });
        Ok(())
    }
}

struct Dividing {
    bounds: Vec<Vec<u8>>,
    numbers: Arc<MappedVocab>,
}

/// The task of [`Divide`].
pub(super) fn divide_task(op: Divide, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    Ok(Box::new(Dividing { bounds: op.bounds, numbers: numbers_of(files)? }))
}

impl Task for Dividing {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let words = ShardCounts::of_head(&row.head)?.words;
        let records = row.cells.first().ok_or_else(|| damaged("no rules"))?;
        let ranges = by_range(&words, records, &self.numbers, &self.bounds)?;
        in_ranges(row.part, ranges, out);
        Ok(())
    }
}

struct Scoring {
    memory: u64,
    scorer: Arc<RangeScorer>,
    /// The range that rows come of.
    range: Option<(u64, RangeCounts)>,
}

/// The task of [`Score`].
pub(super) fn score_task(op: &Score, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let scorer = shared(op, files, || {
        let [numbers, lex, _, corpus @ ..] = files else { return Err(damaged("no lexical tables")) };
        let corpus = match corpus {
            [source, target] if op.corpus => Some([source.clone(), target.clone()]),
            _ => None,
        };
        let inputs = ScoreInputs { lex: Some(lex.with_extension("")), corpus, ..ScoreInputs::default() };
        Ok(RangeScorer::open(&MappedVocab::open(numbers)?, op.oriented, &op.settings, &inputs)?)
    })?;
    Ok(Box::new(Scoring { memory: op.memory, scorer, range: None }))
}

impl Task for Scoring {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        if self.range.as_ref().is_some_and(|(part, _)| *part != row.part) {
            self.finish(out)?;
        }
        let new = || (row.part, RangeCounts::new(self.memory, &Scratch::new(None)));
        let (_, counts) = self.range.get_or_insert_with(new);
        Ok(row.cells.into_iter().try_for_each(|records| counts.add(records))?)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let Some((part, counts)) = self.range.take() else { return Ok(()) };
        let mut range = counts.finish()?;
        let mut number = 0;
        Ok(self.scorer.score(&mut range, |block: RangeBlock| -> treeglot_grammar::Result<()> {
            let RangeBlock { counts, rows, targets, summary } = block;
            let notes = noted(&summary);
            out.push(Row { part, number, notes, head: counts, cells: vec![rows, targets] });
            number += 1;
            Ok(())
        })?)
    }
}
