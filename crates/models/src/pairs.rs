//! Training pairs from files: source, target and links line by line, and the trees that a model asks for, in step.
//! First step of extraction. Files are read by one thread in chunks; a chunk is taken apart and checked by whichever
//! thread works on it.

mod check;
mod input;

use crate::error::{Error, Result};
use crate::pair::Needs;
use check::Tree;
pub use check::{Bad, Checked};
pub use input::{ConInput, DepInput, InputTrees, TreeFiles, TreeReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_text::Place;
use treeglot_text::bitext::{self, Bitext, Skipped};
use treeglot_tree::format::any::{self, AnyReader, AnyTree, ReadOptions};
use treeglot_tree::format::{Format, ReadTrees, ptb};

/// How much text a chunk has, in bytes: enough that sharing a vocabulary pays, little enough for the memory of what is
/// extracted from it.
const CHUNK: usize = 16 << 10;

/// The files of training pairs.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Source sentences, tokenised.
    pub source: PathBuf,
    /// Target sentences.
    pub target: PathBuf,
    /// Links.
    pub links: PathBuf,
    /// Dependency trees of the source side.
    pub source_dep: Option<PathBuf>,
    /// Constituency trees of the source side.
    pub source_con: Option<PathBuf>,
    /// Dependency trees of the target side.
    pub target_dep: Option<PathBuf>,
    /// Constituency trees of the target side.
    pub target_con: Option<PathBuf>,
    /// Links between the nodes of the trees.
    pub node_links: Option<PathBuf>,
}

/// Where trees stand in a row: the side, and what they are called.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// 0 for the source, 1 for the target.
    side: usize,
    dep: bool,
    what: &'static str,
    option: &'static str,
}

const SLOTS: [Slot; 4] = [
    Slot { side: 0, dep: true, what: "source dependency", option: "--src-dep" },
    Slot { side: 0, dep: false, what: "source constituency", option: "--src-con" },
    Slot { side: 1, dep: true, what: "target dependency", option: "--tgt-dep" },
    Slot { side: 1, dep: false, what: "target constituency", option: "--tgt-con" },
];

/// Reads training pairs in step.
pub struct Pairs {
    texts: Bitext,
    names: Arc<Names>,
    trees: [Option<TreeFile>; 4],
    /// Further trees of the source side.
    more: Vec<TreeFile>,
    skip_bad: bool,
    /// Found after rows that can still be used.
    failed: Option<Error>,
}

/// The files' names, for messages.
#[derive(Debug)]
struct Names {
    /// Source, target, links and, where they are read, links between nodes.
    texts: Vec<Arc<str>>,
    trees: [Option<Arc<str>>; 4],
    /// Those of further trees, and whether they are dependency trees.
    more: Vec<(Arc<str>, bool)>,
}

/// A run of pairs as they stand in the files, to be checked by a thread.
pub struct Chunk {
    names: Arc<Names>,
    skip_bad: bool,
    text: String,
    rows: Vec<Row>,
}

struct Row {
    line: u64,
    /// Where source, target, links and links between nodes end in the chunk's text.
    ends: [usize; 4],
    trees: [Option<Tree>; 4],
    more: Vec<Tree>,
}

impl Pairs {
    /// Opens the files that a model needs. With `skip_bad`, pairs that cannot be used are left out and counted.
    pub fn open(files: &Files, needs: Needs, options: bitext::Options) -> Result<Self> {
        let wanted = [needs.source.dep, needs.source.con, needs.target.dep, needs.target.con];
        let paths = [&files.source_dep, &files.source_con, &files.target_dep, &files.target_con];
        let mut trees = [None, None, None, None];
        let mut tree_names = [None, None, None, None];
        for (k, slot) in SLOTS.iter().enumerate().filter(|&(k, _)| wanted[k]) {
            let Some(path) = paths[k] else {
                return Err(Error::NoTrees { what: slot.what, option: slot.option });
            };
            let file = TreeFile::open(path, slot.dep)?;
            tree_names[k] = Some(file.name.clone());
            trees[k] = Some(file);
        }
        let mut paths = vec![&files.source, &files.target, &files.links];
        if needs.node_links {
            let missing = Error::NoTrees { what: "aligned", option: "--node-links" };
            paths.push(files.node_links.as_ref().ok_or(missing)?);
        }
        let names = 0..paths.len();
        let texts = Bitext::open(&paths, options)?;
        let texts_names = names.map(|file| texts.place(file).name).collect();
        let names = Arc::new(Names { texts: texts_names, trees: tree_names, more: Vec::new() });
        Ok(Self { texts, names, trees, more: Vec::new(), skip_bad: options.skip_bad, failed: None })
    }

    /// With further files of dependency and constituency trees of the source side, one tree a line each.
    pub fn with_more_source_trees(mut self, deps: &[PathBuf], cons: &[PathBuf]) -> Result<Self> {
        let files = deps.iter().map(|path| (path, true)).chain(cons.iter().map(|path| (path, false)));
        self.more = files.map(|(path, dep)| TreeFile::open(path, dep)).collect::<Result<_>>()?;
        let more = self.more.iter().map(|file| (file.name.clone(), file.dep)).collect();
        let Names { texts, trees, .. } = &*self.names;
        self.names = Arc::new(Names { texts: texts.clone(), trees: trees.clone(), more });
        Ok(self)
    }

    /// What was skipped so far because a line could not be read.
    pub fn skipped(&self) -> Skipped {
        self.texts.skipped()
    }

    /// Up to `limit` chunks, none at the end of the files. An error comes after the chunks before it.
    pub fn next_chunks(&mut self, limit: usize) -> Result<Vec<Chunk>> {
        let mut chunks = Vec::new();
        while chunks.len() < limit {
            match self.next_chunk() {
                Ok(Some(chunk)) => chunks.push(chunk),
                Ok(None) => break,
                Err(error) if chunks.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(chunks)
    }

    /// The next chunk. An error comes after the rows before it.
    fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut chunk = Chunk {
            names: self.names.clone(),
            skip_bad: self.skip_bad,
            text: String::with_capacity(2 * CHUNK),
            rows: Vec::new(),
        };
        while chunk.text.len() < CHUNK {
            match self.next_row(&mut chunk) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if chunk.rows.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(Some(chunk).filter(|chunk| !chunk.rows.is_empty()))
    }

    /// Appends the next row to a chunk; `false` at the end.
    fn next_row(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let line = self.texts.line() + 1;
        match self.texts.next_row()? {
            None => return self.check_end().map(|()| false),
            Some(bitext::Row::Bad(_)) => {
                for file in self.trees.iter_mut().flatten().chain(&mut self.more) {
                    file.take(false)?;
                }
                return Ok(true);
            }
            Some(bitext::Row::Texts(texts)) => {
                let mut ends = [0; 4];
                for (k, end) in ends.iter_mut().enumerate() {
                    chunk.text.push_str(texts.get(k).map_or("", String::as_str));
                    *end = chunk.text.len();
                }
                let empty = [&texts[0], &texts[1]].map(|text| text.trim_ascii().is_empty());
                let mut trees = [None, None, None, None];
                for (k, file) in self.trees.iter_mut().enumerate() {
                    let Some(file) = file else { continue };
                    trees[k] = file.take(empty[SLOTS[k].side])?;
                    if trees[k].is_none() && !empty[SLOTS[k].side] {
                        let texts = &self.names.texts[SLOTS[k].side];
                        return Err(file.too_few(texts, line));
                    }
                }
                let mut more = Vec::with_capacity(self.more.len());
                for file in &mut self.more {
                    match file.take(empty[0])? {
                        Some(tree) => more.push(tree),
                        None if empty[0] => {}
                        None => return Err(file.too_few(&self.names.texts[0], line)),
                    }
                }
                chunk.rows.push(Row { line, ends, trees, more });
            }
        }
        Ok(true)
    }

    /// At the end of the text there must be no trees left.
    fn check_end(&mut self) -> Result<()> {
        let sides = SLOTS.iter().map(|slot| slot.side).zip(&mut self.trees);
        let trees = sides.filter_map(|(side, file)| Some((side, file.as_mut()?)));
        for (side, file) in trees.chain(self.more.iter_mut().map(|file| (0, file))) {
            if file.take(false)?.is_some() && !self.skip_bad {
                let why = format!(
                    "tree {} has no line in {}: trees and text must match",
                    file.number, self.names.texts[side]
                );
                return Err(Error::BadTree { place: Place::new(file.name.clone(), 0), why });
            }
        }
        Ok(())
    }
}

/// A file of trees, read one ahead.
struct TreeFile {
    name: Arc<str>,
    /// Whether it should have dependency trees, not constituency trees.
    dep: bool,
    reader: AnyReader,
    ahead: Option<Option<AnyTree>>,
    /// How many trees were taken.
    number: u64,
}

impl TreeFile {
    fn open(path: &Path, dep: bool) -> Result<Self> {
        let name = path.to_string_lossy();
        let format = Format::of_file(&name).unwrap_or(if dep { Format::Conllu } else { Format::Ptb });
        let options = ReadOptions { layout: ptb::Layout::Lines, ..ReadOptions::default() };
        let reader = any::open(format, path, &options)?;
        let name = if name == "-" { "standard input".into() } else { name };
        Ok(Self { name: name.as_ref().into(), dep, reader, ahead: None, number: 0 })
    }

    /// The next tree. For an empty sentence it is only taken if it has no words: some formats leave such sentences
    /// out.
    fn take(&mut self, empty: bool) -> Result<Option<Tree>> {
        let next = match self.ahead.take() {
            Some(next) => next,
            None => self.reader.next_tree()?,
        };
        let wordless = match &next {
            Some(AnyTree::Failed) => true,
            Some(AnyTree::Dep(parse)) => parse.is_empty(),
            _ => false,
        };
        if empty && !wordless {
            self.ahead = Some(next);
            return Ok(None);
        }
        self.number += u64::from(next.is_some());
        Ok(next.map(|tree| Tree { tree, number: self.number }))
    }

    fn too_few(&self, texts: &Arc<str>, line: u64) -> Error {
        let why = format!(
            "this line has no tree: {} has only {} trees; give one for each line",
            self.name, self.number
        );
        Error::BadTree { place: Place::new(texts.clone(), line), why }
    }
}
