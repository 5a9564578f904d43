//! Training pairs from files: source, target and links line by line, and the trees that a model asks for, in step.
//! First step of extraction. Files are read by one thread in chunks; a chunk is taken apart and checked by whichever
//! thread works on it.

mod check;
mod input;

use crate::error::{Error, Result};
use crate::pair::Needs;
use check::Tree;
pub use check::{Bad, Checked};
pub use input::{ConInput, DepInput, InputTrees, TreeReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_text::bitext::{self, Bitext, Skipped};
use treeglot_text::{Input, Place, Side};
use treeglot_tree::format::{AnyReader, AnyTree, Format, ReadOptions, ReadTrees, ptb};
use treeglot_tree::{PerTree, TreeKind};

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
    /// Trees: for each kind of a side the file of the main parses, then those of further ones, which are read for models that
    /// take several parses of the source side.
    pub trees: PerTree<Vec<PathBuf>>,
    /// Links between the nodes of the trees.
    pub node_links: Option<PathBuf>,
}

/// Reads training pairs in step.
pub struct Pairs {
    texts: Bitext,
    names: Arc<Names>,
    trees: PerTree<Vec<TreeFile>>,
    skip_bad: bool,
    /// Found after rows that can still be used.
    failed: Option<Error>,
}

/// The files' names, for messages.
#[derive(Debug)]
struct Names {
    /// Source, target, links and, where they are read, links between nodes.
    texts: Vec<Arc<str>>,
    trees: PerTree<Vec<Arc<str>>>,
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
    trees: PerTree<Vec<Tree>>,
}

impl Pairs {
    /// Opens the files that a model needs. With `skip_bad`, pairs that cannot be used are left out and counted.
    pub fn open(files: &Files, needs: Needs, options: bitext::Options) -> Result<Self> {
        let trees = files.trees.each_ref().try_map(|slot, files| -> Result<Vec<TreeFile>> {
            let several = needs.several_parses && slot.side == Side::Source;
            match needs.trees[slot] {
                false => Ok(Vec::new()),
                true if files.is_empty() => Err(Error::NoTrees(slot)),
                true => {
                    let read = if several { files.len() } else { 1 };
                    files[..read].iter().map(|file| TreeFile::open(file, slot.kind)).collect()
                }
            }
        })?;
        let mut paths = vec![&files.source, &files.target, &files.links];
        if needs.node_links {
            paths.push(files.node_links.as_ref().ok_or(Error::NoNodeLinks)?);
        }
        let names = 0..paths.len();
        let texts = Bitext::open(&paths, options)?;
        let texts_names = names.map(|file| texts.place(file).name).collect();
        let tree_names =
            trees.each_ref().map(|_, files| files.iter().map(|file| file.name.clone()).collect());
        let names = Arc::new(Names { texts: texts_names, trees: tree_names });
        Ok(Self { texts, names, trees, skip_bad: options.skip_bad, failed: None })
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

    /// The next chunk; none at the end of the files. An error comes after the rows before it.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>> {
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
                for file in self.trees.iter_mut().flat_map(|(_, files)| files) {
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
                let mut trees = PerTree::<Vec<Tree>>::default();
                for (slot, files) in self.trees.iter_mut() {
                    let empty = empty[slot.side as usize];
                    for file in files {
                        match file.take(empty)? {
                            Some(tree) => trees[slot].push(tree),
                            None if empty => {}
                            None => return Err(file.too_few(self.names.text(slot.side), line)),
                        }
                    }
                }
                chunk.rows.push(Row { line, ends, trees });
            }
        }
        Ok(true)
    }

    /// At the end of the text there must be no trees left.
    fn check_end(&mut self) -> Result<()> {
        for (slot, files) in self.trees.iter_mut() {
            for file in files {
                if file.take(false)?.is_some() && !self.skip_bad {
                    let (number, text) = (file.number, self.names.text(slot.side));
                    let why = format!("tree {number} has no line in {text}: trees and text must match");
                    return Err(Error::BadTree { place: Place::new(file.name.clone(), 0), why });
                }
            }
        }
        Ok(())
    }
}

impl Names {
    /// What the sentences of a side are called.
    fn text(&self, side: Side) -> &Arc<str> {
        &self.texts[side as usize]
    }
}

/// A file of trees, read one ahead.
struct TreeFile {
    name: Arc<str>,
    /// What it should have.
    kind: TreeKind,
    reader: AnyReader,
    ahead: Option<Option<AnyTree>>,
    /// How many trees were taken.
    number: u64,
}

impl TreeFile {
    fn open(path: &Path, kind: TreeKind) -> Result<Self> {
        Self::read(Input::open(path)?, path, kind)
    }

    /// Reads an input as if it were a file of this name.
    fn read(input: Input, path: impl AsRef<Path>, kind: TreeKind) -> Result<Self> {
        let name = input.name.clone();
        let options = ReadOptions { brackets: ptb::BracketLayout::OnePerLine, ..ReadOptions::default() };
        let reader = Format::of_trees(path, kind).read(input, &options)?;
        Ok(Self { name, kind, reader, ahead: None, number: 0 })
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
