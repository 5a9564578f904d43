//! Language models of dependency trees on executors: words of trees are counted by shard with what they are predicted from, and added up
//! by range ([`treeglot_lm::depend::shard`]); the driving process numbers words and estimates.

use super::cut::Unpacked;
use super::lm::{counted, number_words};
use super::task::{Task, numbers_of};
use super::{Op, Row, Site, damaged, in_ranges, noted, notes};
use crate::error::Result;
use crate::train::stages::sound_trees;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_lm::depend::shard;
use treeglot_lm::{Lm, LmLayout};
use treeglot_text::vocab::MappedVocab;
use treeglot_tree::TreeCounts;

/// Tells which words the trees of a shard have.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListTreeWords {
    order: usize,
    skip_bad: bool,
}

/// Counts the words of a shard's trees.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CountTreeWords {
    order: usize,
    skip_bad: bool,
    bounds: Vec<Vec<u32>>,
}

/// [`crate::train::stages::tree_lm`] on executors.
pub(crate) fn tree_lm(
    site: Site<'_>,
    trees: &Path,
    order: usize,
    skip_bad: bool,
    to: &Path,
) -> Result<TreeCounts> {
    let (mut numbering, mut counts) = (shard::numbering(), TreeCounts::default());
    let op = Op::ListTreeWords(ListTreeWords { order, skip_bad });
    number_words(site, ("trees", 0), trees, op, &mut numbering, |row| {
        counts.merge(notes(row)?);
        Ok(())
    })?;
    let count = |bounds| Op::CountTreeWords(CountTreeWords { order, skip_bad, bounds });
    let ranges = counted(site, vec!["trees".to_string()], &mut numbering, shard::width(order), count)?;
    let ngrams = shard::estimate_from(numbering, order, ranges)?;
    Lm::build(ngrams, LmLayout::default())?.write(to)?;
    Ok(counts)
}

fn file(shard: &Unpacked) -> Result<&Path> {
    shard.files.first().map(PathBuf::as_path).ok_or_else(|| damaged("a shard lacks its trees"))
}

impl Task for ListTreeWords {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let (shard, mut counts) = (Unpacked::new(&row)?, TreeCounts::default());
        let mut look = || -> Result<_> {
            Ok(shard::look(sound_trees(file(&shard)?, self.skip_bad, &mut counts)?, self.order)?)
        };
        let words = look().map_err(|error| shard.at(&error))?;
        let head = serde_json::to_vec(&words).expect("words and numbers are plain data");
        out.push(Row { notes: noted(&counts), head, cells: Vec::new(), ..row });
        Ok(())
    }
}

struct Counting {
    op: CountTreeWords,
    numbers: Arc<MappedVocab>,
}

/// The task of [`CountTreeWords`].
pub(super) fn count_task(op: CountTreeWords, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    Ok(Box::new(Counting { op, numbers: numbers_of(files)? }))
}

impl Task for Counting {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let (shard, CountTreeWords { order, skip_bad, bounds }) = (Unpacked::new(&row)?, &self.op);
        let mut counts = TreeCounts::default();
        let mut count = || -> Result<_> {
            let trees = sound_trees(file(&shard)?, *skip_bad, &mut counts)?;
            Ok(shard::count(trees, *order, &self.numbers, bounds)?)
        };
        in_ranges(row.part, count().map_err(|error| shard.at(&error))?, out);
        Ok(())
    }
}
