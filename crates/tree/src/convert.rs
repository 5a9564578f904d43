//! Trees from one format to another: what `treeglot tree convert` does. Dependency formats need heads, which
//! constituents get by head rules and predicate-argument structures by their arguments; bracket formats need
//! continuous trees, which discontinuous ones become by raising.

use crate::con::ConTree;
use crate::dep::Roots;
use crate::error::Error;
use crate::format::egret::Markers;
use crate::format::table::WriteTrees;
use crate::format::{AnyTree, Format, mosesxml};
use crate::index::WordIx;
use crate::parse::DepParse;
use crate::transform::continuous::continuous;
use crate::transform::heads::{HeadRules, to_dependencies};
use crate::transform::pas::{self, Converted, Tally};
use crate::transform::strip::Strip;
use std::io::{self, Write};

/// How trees are converted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How constituents get their heads.
    pub heads: Option<HeadRules>,
    /// How predicate-argument structures become heads.
    pub pas: pas::Options,
    /// Turn trees of Universal Dependencies into those of predicate-argument structures, by these heads.
    pub predicates: Option<pas::Heads>,
    /// What is dropped from constituency trees.
    pub strip: Strip,
    /// What becomes of several roots.
    pub roots: Roots,
    /// How dependency trees are labelled in Moses' XML.
    pub labels: mosesxml::Labels,
}

/// Why a tree could not be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The tree's own content forbids it.
    #[error(transparent)]
    Tree(#[from] Error),
    /// Constituents without heads.
    #[error(
        "constituents have no heads of their own: head rules must find them (ptb, negra, ctb, ftb or a file)"
    )]
    NoHeads,
    /// Dependencies without constituents.
    #[error("dependency trees have no constituents: {to} cannot hold them, but mosesxml and depbracket can")]
    NoConstituents {
        /// The format asked for.
        to: Format,
    },
    /// A format that holds more than the input tells.
    #[error("{to} is written from {from} only")]
    Source {
        /// The format asked for.
        to: Format,
        /// The formats it can be written from.
        from: &'static str,
    },
    /// The format cannot hold this tree.
    #[error(transparent)]
    Unfit(Box<dyn std::error::Error + Send + Sync>),
    /// The output failed.
    #[error("cannot write the output")]
    Io(#[from] io::Error),
}

/// What happened to the trees on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Sentences written.
    pub sentences: usize,
    /// Sentences without a tree.
    pub failed: usize,
    /// Constituents raised out of discontinuous ones.
    pub raised: usize,
    /// What it took to make trees of predicate-argument structures.
    pub pas: Tally,
}

/// Converts trees one by one and writes them. Call [`Converter::finish`] after the last.
pub struct Converter<W: Write> {
    conversion: Conversion,
    writer: Box<dyn WriteTrees>,
    out: W,
}

impl<W: Write> Converter<W> {
    /// Starts writing a file of format `to`.
    pub fn new(to: Format, options: Options, mut out: W) -> Result<Self, ConvertError> {
        let mut writer = to.writer().ok_or(ConvertError::Source { to, from: "the parser" })?;
        writer.begin(&mut out)?;
        let conversion = Conversion { to, options, root: None, summary: Summary::default() };
        Ok(Self { conversion, writer, out })
    }

    /// Converts and writes the next tree. `root` is the root that another parser found, for CCG dependencies.
    pub fn add(&mut self, tree: AnyTree, root: Option<WordIx>) -> Result<(), ConvertError> {
        self.conversion.summary.sentences += 1;
        self.conversion.root = root;
        self.writer.tree(tree, &mut self.conversion, &mut self.out)
    }

    /// Completes the output and tells what happened.
    pub fn finish(mut self) -> Result<(W, Summary), ConvertError> {
        self.writer.end(&mut self.out)?;
        Ok((self.out, self.conversion.summary))
    }
}

/// A tree on its way from what was read to what a format holds.
pub(crate) struct Conversion {
    to: Format,
    pub(crate) options: Options,
    root: Option<WordIx>,
    summary: Summary,
}

impl Conversion {
    /// The number of the sentence, from 1.
    pub(crate) fn number(&self) -> usize {
        self.summary.sentences
    }

    /// The error of a format that is written from its own content only.
    pub(crate) fn only_from(&self, from: &'static str) -> ConvertError {
        ConvertError::Source { to: self.to, from }
    }

    /// Counts a sentence without a tree.
    pub(crate) fn failed(&mut self) {
        self.summary.failed += 1;
    }

    /// The tree as dependencies; `None` if there is no tree.
    pub(crate) fn dep(&mut self, tree: AnyTree) -> Result<Option<DepParse>, ConvertError> {
        let converted = match tree {
            AnyTree::Dep(parse) => match self.options.predicates {
                Some(heads) => pas::from_ud::from_ud(&parse, heads),
                None => return Ok(Some(parse)),
            },
            AnyTree::Derivation(derivation) => return Ok(Some(derivation.to_dep())),
            AnyTree::Enju(sentence) if sentence.is_parsed() => pas::to_dep(&sentence, self.options.pas)?,
            // Fragments may be constituents, but which of their words is the head of all nobody says.
            AnyTree::Enju(_) => {
                self.failed();
                return Ok(None);
            }
            AnyTree::Graph(graph) => graph.to_dep(self.root),
            tree => {
                let Some(tree) = self.con(tree)? else { return Ok(None) };
                let rules = self.options.heads.as_ref().ok_or(ConvertError::NoHeads)?;
                return Ok(Some(to_dependencies(&tree, rules)));
            }
        };
        let Converted { parse, report } = converted;
        self.summary.pas += report;
        Ok(Some(parse))
    }

    /// The tree as constituents, stripped as asked; `None` if there is no tree.
    pub(crate) fn con(&mut self, tree: AnyTree) -> Result<Option<ConTree>, ConvertError> {
        let tree = match tree {
            AnyTree::Dep(_) | AnyTree::Graph(_) => return Err(ConvertError::NoConstituents { to: self.to }),
            AnyTree::Con(tree) => Some(tree),
            AnyTree::Tiger(sentence) => sentence.into_tree(),
            AnyTree::Enju(sentence) => sentence.to_con(self.options.pas.loose)?,
            AnyTree::Derivation(derivation) => Some(derivation.to_con()?),
            AnyTree::Forest(forest) => Some(forest.tree(&forest.best(), Markers::Remove)),
            AnyTree::Failed => None,
        };
        let strip = self.options.strip;
        let tree = tree.and_then(|t| if strip == Strip::default() { Some(t) } else { strip.apply(&t) });
        self.summary.failed += usize::from(tree.is_none());
        Ok(tree)
    }

    /// The tree as constituents without gaps; `None` if there is no tree.
    pub(crate) fn continuous(&mut self, tree: AnyTree) -> Result<Option<ConTree>, ConvertError> {
        Ok(self.con(tree)?.map(|tree| {
            let (tree, raised) = continuous(&tree);
            self.summary.raised += raised;
            tree
        }))
    }
}
