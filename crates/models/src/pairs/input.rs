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
    /// Dependency trees of other parsers, or further ones of the same, with their tags.
    pub more_deps: Vec<(DepTree, Vec<String>)>,
    /// Its constituency tree.
    pub con: Option<ConTree>,
}

impl InputTrees {
    /// All dependency trees with their tags, the first one first.
    pub fn all_deps(&self) -> impl Iterator<Item = (&DepTree, &[String])> {
        let first = self.dep.iter().map(|tree| (tree, &self.tags[..]));
        first.chain(self.more_deps.iter().map(|(tree, tags)| (tree, &tags[..])))
    }
}

/// The files of trees of an input.
#[derive(Debug, Clone, Default)]
pub struct TreeFiles {
    /// Dependency trees.
    pub dep: Option<PathBuf>,
    /// Further files of them, for models that read several.
    pub more_deps: Vec<PathBuf>,
    /// Constituency trees.
    pub con: Option<PathBuf>,
}

/// What a file's trees are.
#[derive(Clone, Copy)]
enum Kind {
    Dep,
    MoreDeps,
    Con,
}

/// Reads trees in step with lines.
pub struct TreeReader {
    texts: Arc<str>,
    dep: Option<TreeFile>,
    more_deps: Vec<TreeFile>,
    con: Option<TreeFile>,
    line: u64,
}

impl TreeReader {
    /// Opens the files there are; `texts` is what messages call the lines.
    pub fn open(files: &TreeFiles, texts: &str) -> Result<Self> {
        let open =
            |path: &Option<PathBuf>, dep| path.as_ref().map(|path| TreeFile::open(path, dep)).transpose();
        let more_deps =
            files.more_deps.iter().map(|path| TreeFile::open(path, true)).collect::<Result<_>>()?;
        let (dep, con) = (open(&files.dep, true)?, open(&files.con, false)?);
        Ok(Self { texts: texts.into(), dep, more_deps, con, line: 0 })
    }

    /// The trees of the next line. A sentence that its parser gave no tree for has none; one of other words is an error.
    pub fn next(&mut self, line: &str) -> Result<InputTrees> {
        self.line += 1;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let sentence = Sentence { words: &words, name: &self.texts, line: self.line, advice: ADVICE };
        let mut trees = InputTrees::default();
        let first = [(self.dep.as_mut(), Kind::Dep), (self.con.as_mut(), Kind::Con)];
        let first = first.into_iter().filter_map(|(file, kind)| Some((file?, kind)));
        for (file, kind) in first.chain(self.more_deps.iter_mut().map(|file| (file, Kind::MoreDeps))) {
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
            match kind {
                Kind::Con => trees.con = Some(con_tree(tree, &file.name, &sentence)?),
                Kind::MoreDeps => trees.more_deps.push(dep_tree(tree, &file.name, &sentence)?),
                Kind::Dep => {
                    let (dep, tags) = dep_tree(tree, &file.name, &sentence)?;
                    (trees.dep, trees.tags) = (Some(dep), tags);
                }
            }
        }
        Ok(trees)
    }

    /// After the last line there must be no trees left.
    pub fn finish(&mut self) -> Result<()> {
        for file in [&mut self.dep, &mut self.con].into_iter().flatten().chain(&mut self.more_deps) {
            if file.take(false)?.is_some() {
                let why = format!("tree {} has no line: {} has only {}", file.number, self.texts, self.line);
                return Err(Error::BadTree { place: Place::new(file.name.clone(), 0), why });
            }
        }
        Ok(())
    }
}
