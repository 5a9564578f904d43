//! The trees of sentences to be translated, read in step with their lines and checked against their words.

use super::TreeFile;
use super::check::{Sentence, con_trees, dep_tree};
use crate::error::{Error, Result};
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use treeglot_text::{Input, Place, Side};
use treeglot_tree::format::AnyTree;
use treeglot_tree::{ConTree, DepTree, PerTree, TreeCounts, TreeKind};

const ADVICE: &str = "trees must be of the tokens of the text, in the order of its lines";

/// How many parses of a packed forest are taken: more hardly change what the best ones have.
const PARSES: usize = 50;

/// A dependency tree of an input.
#[derive(Debug, Clone)]
pub struct DepInput {
    /// The tree.
    pub tree: DepTree,
    /// The tags of its words.
    pub tags: Vec<String>,
    /// What it weighs among the parses of the sentence.
    pub weight: f64,
}

/// A constituency tree of an input.
#[derive(Debug, Clone)]
pub struct ConInput {
    /// The tree.
    pub tree: ConTree,
    /// What it weighs among the parses of the sentence.
    pub weight: f64,
}

/// The trees of one input, as far as there are any: one of a kind, or several parses of the sentence, the best first.
#[derive(Debug, Clone, Default)]
pub struct InputTrees {
    /// Its dependency trees.
    pub deps: Vec<DepInput>,
    /// Its constituency trees.
    pub cons: Vec<ConInput>,
}

impl InputTrees {
    /// Whether there is a tree.
    pub fn has_some(&self) -> bool {
        !self.deps.is_empty() || !self.cons.is_empty()
    }

    /// Whether a kind has more than one parse.
    pub fn has_several(&self) -> bool {
        self.deps.len() > 1 || self.cons.len() > 1
    }
}

/// Reads trees in step with lines.
pub struct TreeReader {
    texts: Arc<str>,
    files: Vec<(TreeFile, f64)>,
    line: u64,
    skip_bad: bool,
    counts: TreeCounts,
}

impl TreeReader {
    /// Opens the files there are for the source side; `texts` is what messages call the lines. Trees of several parsers, or the
    /// second and third best trees of one, are further files; the trees of a file weigh less than those of the file before, one
    /// half, one third and so on of the first.
    pub fn open(files: &PerTree<Vec<PathBuf>>, texts: &str) -> Result<Self> {
        let mut all = Vec::new();
        for kind in TreeKind::BOTH {
            let weights = (1..).map(|rank| 1.0 / f64::from(rank));
            for (path, weight) in files[(Side::Source, kind)].iter().zip(weights) {
                all.push((TreeFile::open(path, kind)?, weight));
            }
        }
        Ok(Self { texts: texts.into(), files: all, line: 0, skip_bad: false, counts: TreeCounts::default() })
    }

    /// With `true`, trees that do not fit their sentence are left out and counted instead of being an error.
    #[must_use]
    pub fn skip_bad(self, skip_bad: bool) -> Self {
        Self { skip_bad, ..self }
    }

    /// Whether there are files with trees for the lines.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// What became of trees so far.
    pub fn counts(&self) -> TreeCounts {
        self.counts
    }

    /// Reads trees that are given as text: dependency trees as CoNLL-U, constituency trees in brackets.
    pub fn of_texts(dependencies: Option<String>, constituents: Option<String>, texts: &str) -> Result<Self> {
        let given = [(TreeKind::Dependency, dependencies), (TreeKind::Constituency, constituents)];
        let given = given.into_iter().filter_map(|(kind, text)| Some((kind, text?)));
        let open = |(kind, text): (TreeKind, String)| {
            let reader = Box::new(Cursor::new(text.into_bytes()));
            Ok((TreeFile::read(Input { name: kind.to_string().into(), reader }, "", kind)?, 1.0))
        };
        let files = given.map(open).collect::<Result<_>>()?;
        Ok(Self { texts: texts.into(), files, line: 0, skip_bad: false, counts: TreeCounts::default() })
    }

    /// The trees of the next line. A sentence that its parser gave no tree for has none; one of other words is an error.
    pub fn next(&mut self, line: &str) -> Result<InputTrees> {
        self.line += 1;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let sentence = Sentence { words: &words, name: &self.texts, line: self.line, advice: ADVICE };
        let mut trees = InputTrees::default();
        for (file, weight) in &mut self.files {
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
            let added = match file.kind {
                TreeKind::Dependency => dep_tree(tree, &file.name, &sentence).map(|(sound, tags)| {
                    self.counts.mended += u64::from(sound.repairs.total() > 0);
                    trees.deps.push(DepInput { tree: sound.tree, tags, weight: *weight });
                }),
                TreeKind::Constituency => con_trees(tree, &file.name, &sentence, PARSES).map(|parses| {
                    let input = |(tree, share)| ConInput { tree, weight: *weight * share };
                    trees.cons.extend(parses.into_iter().map(input));
                }),
            };
            match added {
                Err(error) if self.skip_bad && error.concerns_one_pair() => self.counts.left_out += 1,
                added => added?,
            }
        }
        Ok(trees)
    }

    /// After the last line there must be no trees left.
    pub fn finish(&mut self) -> Result<()> {
        for (file, _) in &mut self.files {
            if file.take(false)?.is_some() {
                let why = format!("tree {} has no line: {} has only {}", file.number, self.texts, self.line);
                return Err(Error::BadTree { place: Place::new(file.name.clone(), 0), why });
            }
        }
        Ok(())
    }
}
