//! The trees of sentences to be translated, read in step with their lines and checked against their words.

use super::TreeFile;
use super::check::{Sentence, con_tree, dep_tree};
use crate::error::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;
use treeglot_text::Place;
use treeglot_tree::format::any::AnyTree;
use treeglot_tree::{ConTree, DepTree};

const ADVICE: &str = "trees must be of the tokens of the text, in the order of its lines";

/// The trees of one input, as far as there are any.
#[derive(Debug, Clone, Default)]
pub struct InputTrees {
    /// Its dependency tree.
    pub dep: Option<DepTree>,
    /// The tags of its words as the dependency tree has them; empty without one.
    pub tags: Vec<String>,
    /// Its constituency tree.
    pub con: Option<ConTree>,
}

/// The files of trees of an input.
#[derive(Debug, Clone, Default)]
pub struct TreeFiles {
    /// Dependency trees.
    pub dep: Option<PathBuf>,
    /// Constituency trees.
    pub con: Option<PathBuf>,
}

/// Reads trees in step with lines.
pub struct TreeReader {
    texts: Arc<str>,
    dep: Option<TreeFile>,
    con: Option<TreeFile>,
    line: u64,
}

impl TreeReader {
    /// Opens the files there are; `texts` is what messages call the lines.
    pub fn open(files: &TreeFiles, texts: &str) -> Result<Self> {
        let open =
            |path: &Option<PathBuf>, dep| path.as_ref().map(|path| TreeFile::open(path, dep)).transpose();
        Ok(Self { texts: texts.into(), dep: open(&files.dep, true)?, con: open(&files.con, false)?, line: 0 })
    }

    /// The trees of the next line. A sentence that its parser gave no tree for has none; one of other words is an error.
    pub fn next(&mut self, line: &str) -> Result<InputTrees> {
        self.line += 1;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let sentence = Sentence { words: &words, name: &self.texts, line: self.line, advice: ADVICE };
        let mut trees = InputTrees::default();
        for (file, is_dep) in [(&mut self.dep, true), (&mut self.con, false)] {
            let Some(file) = file else { continue };
            let Some(tree) = file.take(words.is_empty())? else {
                if words.is_empty() {
                    continue;
                }
                return Err(file.too_few(&self.texts, self.line));
            };
            let wordless = match &tree.tree {
                AnyTree::Failed => true,
                AnyTree::Dep(parse) => parse.is_empty(),
                _ => false,
            };
            if wordless {
                continue;
            }
            if is_dep {
                let (dep, tags) = dep_tree(tree, &file.name, &sentence)?;
                (trees.dep, trees.tags) = (Some(dep), tags);
            } else {
                trees.con = Some(con_tree(tree, &file.name, &sentence)?);
            }
        }
        Ok(trees)
    }

    /// After the last line there must be no trees left.
    pub fn finish(&mut self) -> Result<()> {
        for file in [&mut self.dep, &mut self.con].into_iter().flatten() {
            if file.take(false)?.is_some() {
                let why = format!("tree {} has no line: {} has only {}", file.number, self.texts, self.line);
                return Err(Error::BadTree { place: Place::new(file.name.clone(), 0), why });
            }
        }
        Ok(())
    }
}
