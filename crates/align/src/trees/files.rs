//! Pairs of trees from files: two files in step, or two TIGER-XML treebanks whose sentences an alignment pairs.

use super::numbered::NumberedTree;
use crate::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Input, Place};
use treeglot_tree::format::{AnyReader, AnyTree, Format, ReadOptions, ReadTrees, ptb};

/// A file of trees, read as sides of pairs.
pub struct TreeFile {
    name: Arc<str>,
    reader: AnyReader,
    number: usize,
    skip_bad: bool,
    left_out: usize,
}

/// A pair of trees; `None` for a sentence without a tree.
pub type TreePair = [Option<NumberedTree>; 2];

impl TreeFile {
    /// Opens a file of trees of this format, or of the one its name tells.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self> {
        let Some(format) = format.or_else(|| Format::of_file(path)) else {
            return Err(Error::NoFormat { name: path.display().to_string() });
        };
        let input = Input::open(path)?;
        let name: Arc<str> = input.name.clone();
        let options = ReadOptions { brackets: ptb::BracketLayout::OnePerLine, ..ReadOptions::default() };
        Ok(Self { name, reader: format.read(input, &options)?, number: 0, skip_bad: false, left_out: 0 })
    }

    /// Whether a tree that cannot be aligned is counted and taken for none, instead of being an error.
    pub fn skip_bad(mut self, skip: bool) -> Self {
        self.skip_bad = skip;
        self
    }

    /// How many trees were left out so far.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The next tree of the file, or `None` at its end.
    pub fn next_any(&mut self) -> Result<Option<AnyTree>> {
        let tree = self.reader.next_tree()?;
        self.number += usize::from(tree.is_some());
        Ok(tree)
    }

    /// The name of the file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn side(&mut self, tree: AnyTree) -> Result<Option<NumberedTree>> {
        match NumberedTree::of_any(tree, self.number) {
            Ok(side) => Ok(side),
            Err(_) if self.skip_bad => {
                self.left_out += 1;
                Ok(None)
            }
            Err(why) => Err(Error::BadTree {
                place: Place::new(self.name.clone(), 0),
                number: self.number,
                why: why.to_string(),
            }),
        }
    }
}

/// The next pair of two files in step; an error if one of them ends before the other.
pub fn next_pair(files: &mut [TreeFile; 2]) -> Result<Option<TreePair>> {
    let [source, target] = files;
    match (source.next_any()?, target.next_any()?) {
        (Some(s), Some(t)) => Ok(Some([source.side(s)?, target.side(t)?])),
        (None, None) => Ok(None),
        (ended, _) => {
            let (short, long) = if ended.is_none() { (source, target) } else { (target, source) };
            let (name, count) = (short.name.to_string(), short.number);
            Err(Error::UnequalTrees { short: name, count, long: long.name.to_string() })
        }
    }
}

/// Up to `limit` pairs of two files in step, none at their end.
pub fn next_pairs(files: &mut [TreeFile; 2], limit: usize) -> Result<Vec<TreePair>> {
    let mut pairs = Vec::new();
    while pairs.len() < limit {
        match next_pair(files)? {
            Some(pair) => pairs.push(pair),
            None => break,
        }
    }
    Ok(pairs)
}
