//! Treebanks: trees to learn from and to compare with, in memory; what is no tree is refused, or left out and counted.

use crate::constituency::plain;
use crate::dependency::DepBank;
use crate::error::{Error, Result};
use std::path::Path;
use treeglot_text::Place;
use treeglot_tree::format::ptb::{self, BracketLayout};
use treeglot_tree::format::{AnyTree, Content, Format, ReadOptions, ReadTrees};
use treeglot_tree::{ConTree, DepParse, Roots, TreeKind};

/// Trees of one kind.
#[derive(Debug, Clone)]
pub struct Treebank {
    pub(crate) trees: Trees,
    left_out: usize,
}

/// The trees by kind.
#[derive(Debug, Clone)]
pub(crate) enum Trees {
    Dependency(DepBank),
    /// File by file, since a parser can follow the manner of one; each tree is plain.
    Constituency(Vec<Vec<ConTree>>),
}

impl Treebank {
    /// A treebank without trees.
    pub fn new(kind: TreeKind) -> Self {
        let trees = match kind {
            TreeKind::Dependency => Trees::Dependency(DepBank::default()),
            TreeKind::Constituency => Trees::Constituency(Vec::new()),
        };
        Self { trees, left_out: 0 }
    }

    /// Reads files, `-` for standard input. The format is the one that a file's name tells, else the kind's usual one
    /// (CoNLL-U, brackets of the Penn Treebank). A sentence that is no tree is an error, or with `skip_bad` left out and
    /// counted; of a dependency parse that is no tree the tags are still learnt. Sentences without words are passed over.
    pub fn open<P: AsRef<Path>>(
        kind: TreeKind,
        files: impl IntoIterator<Item = P>,
        skip_bad: bool,
    ) -> Result<Self> {
        let mut bank = Self::new(kind);
        for file in files {
            match kind {
                TreeKind::Dependency => bank.read_dependencies(file.as_ref(), skip_bad)?,
                TreeKind::Constituency => bank.read_constituents(file.as_ref(), skip_bad)?,
            }
        }
        Ok(bank)
    }

    /// Dependency parses; those that are no trees are kept for their tags and counted.
    pub fn of_parses(parses: impl IntoIterator<Item = DepParse>) -> Self {
        let mut bank = Self::new(TreeKind::Dependency);
        parses.into_iter().for_each(|parse| bank.push_parse(parse));
        bank
    }

    /// Constituency trees; those that cannot be learned from are left out and counted.
    pub fn of_trees(trees: impl IntoIterator<Item = ConTree>) -> Self {
        let mut bank = Self::new(TreeKind::Constituency);
        let mut all = Vec::new();
        for tree in trees {
            match plain(&tree) {
                Ok(tree) => all.push(tree),
                Err(_) => bank.left_out += 1,
            }
        }
        bank.trees = Trees::Constituency(vec![all]);
        bank
    }

    /// The kind of its trees.
    pub fn kind(&self) -> TreeKind {
        match &self.trees {
            Trees::Dependency(_) => TreeKind::Dependency,
            Trees::Constituency(_) => TreeKind::Constituency,
        }
    }

    /// How many sentences it has, those that are no trees included.
    pub fn len(&self) -> usize {
        self.left_out
            + match &self.trees {
                Trees::Dependency(bank) => bank.trees().count(),
                Trees::Constituency(files) => files.iter().map(Vec::len).sum(),
            }
    }

    /// Whether it has no sentence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many sentences are no trees: a cycle, several roots, a head missing or out of range; words without tags.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Its dependency parses, if it has such.
    pub fn parses(&self) -> &[DepParse] {
        match &self.trees {
            Trees::Dependency(bank) => bank.sentences(),
            Trees::Constituency(_) => &[],
        }
    }

    /// Its constituency trees, if it has such: without traces, functions and a node on top that says nothing.
    pub fn trees(&self) -> impl Iterator<Item = &ConTree> {
        let files: &[Vec<ConTree>] = match &self.trees {
            Trees::Dependency(_) => &[],
            Trees::Constituency(files) => files,
        };
        files.iter().flatten()
    }

    fn push_parse(&mut self, parse: DepParse) {
        if let Trees::Dependency(bank) = &mut self.trees {
            self.left_out += usize::from(!bank.push(parse));
        }
    }

    fn read_dependencies(&mut self, file: &Path, skip_bad: bool) -> Result<()> {
        let format = format(file, TreeKind::Dependency, Content::Dependencies)?;
        let mut reader = format.open_dependencies(file)?;
        while let Some(parse) = reader.next_tree()? {
            if !skip_bad && !parse.is_empty() {
                parse.checked_tree(Roots::One)?;
            }
            self.push_parse(parse);
        }
        Ok(())
    }

    fn read_constituents(&mut self, file: &Path, skip_bad: bool) -> Result<()> {
        let format = format(file, TreeKind::Constituency, Content::Constituents)?;
        let mut all = Vec::new();
        let mut add = |tree: &ConTree, place: Place| match plain(tree) {
            Ok(tree) => {
                all.push(tree);
                Ok(0)
            }
            Err(_) if skip_bad => Ok(1),
            Err(why) => Err(Error::BadTree { place, why }),
        };
        if format == ptb::FORMAT {
            let mut reader = ptb::Reader::open(file, BracketLayout::Free)?;
            while let Some(tree) = reader.next_tree()? {
                self.left_out += tree.map_or(Ok(1), |tree| add(&tree, reader.place()))?;
            }
        } else {
            let mut reader = format.open(file, &ReadOptions::default())?;
            let name = file.to_string_lossy();
            while let Some(tree) = reader.next_tree()? {
                self.left_out += match constituents(tree) {
                    Some(tree) => add(&tree, Place::new(&*name, 0))?,
                    None => 1,
                };
            }
        }
        if let Trees::Constituency(files) = &mut self.trees {
            files.push(all);
        }
        Ok(())
    }
}

/// The constituency tree of a sentence.
fn constituents(tree: AnyTree) -> Option<ConTree> {
    match tree {
        AnyTree::Con(tree) => Some(tree),
        AnyTree::Tiger(sentence) => sentence.tree().cloned(),
        _ => None,
    }
}

/// The format of a file that should have trees of a kind; an error if its name tells of others.
fn format(file: &Path, kind: TreeKind, content: Content) -> Result<Format> {
    let format = Format::of_trees(file, kind);
    if format.content() == content {
        return Ok(format);
    }
    let has = match format.content() {
        Content::Dependencies => "dependency",
        Content::Constituents => "constituency",
        Content::Predicates | Content::Other => "other",
    };
    Err(Error::WrongTrees { name: file.to_string_lossy().into_owned(), has, needed: kind })
}
