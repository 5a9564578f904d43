//! Links between the nodes of trees on executors: pairs of trees are linked by shard, by the lexical tables of the driving process.

use super::cut::{Unpacked, cut};
use super::lines::each_shard;
use super::task::{Task, shared};
use super::{Op, Row, Site, damaged, noted, notes};
use crate::error::Result;
use crate::train::stages;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_align::LexTable;
use treeglot_align::trees::{Aligner, LexicalTables, TreeAlignSettings};
use treeglot_tree::TreeCounts;

/// Links the trees of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinkNodes {
    settings: TreeAlignSettings,
    skip_bad: bool,
}

/// [`stages::align_trees`] on executors.
pub(crate) fn align_trees(
    site: Site<'_>,
    trees: &[PathBuf; 2],
    lex: &Path,
    (settings, skip_bad): (TreeAlignSettings, bool),
    to: &Path,
) -> Result<TreeCounts> {
    let op = Op::LinkNodes(Box::new(LinkNodes { settings, skip_bad }));
    let mut counts = TreeCounts::default();
    let files = LexTable::BOTH.map(|table| table.path(lex)).to_vec();
    each_shard(
        site,
        |lines| cut(trees, lines, 0),
        op,
        files,
        to,
        |row| {
            counts.merge(notes(row)?);
            Ok(())
        },
    )?;
    Ok(counts)
}

struct Linking {
    aligner: Arc<Aligner>,
    skip_bad: bool,
}

/// The task of [`LinkNodes`].
pub(super) fn link_task(op: &LinkNodes, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let aligner = shared(op, files, || {
        let lex = files.first().ok_or_else(|| damaged("no lexical tables"))?;
        Ok(Aligner::new(LexicalTables::open(&lex.with_extension(""))?, op.settings))
    })?;
    Ok(Box::new(Linking { aligner, skip_bad: op.skip_bad }))
}

impl Task for Linking {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let [source, target] = &shard.files[..] else { return Err(damaged("a shard lacks trees")) };
        let trees = [source.clone(), target.clone()];
        let linked = stages::link_nodes(&trees, &self.aligner, self.skip_bad, &shard.output("links"));
        let notes = noted(&linked.map_err(|error| shard.at(&error))?);
        out.push(Row { notes, cells: vec![shard.read("links")?], ..row });
        Ok(())
    }
}
