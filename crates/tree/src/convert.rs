//! Trees from one format to another: what `treeglot tree convert` does. Dependency formats need heads, which
//! constituents get by head rules and predicate-argument structures by their arguments; bracket formats need
//! continuous trees, which discontinuous ones become by raising.

use crate::con::ConTree;
use crate::dep::Roots;
use crate::error::{Error, Invalid};
use crate::format::any::AnyTree;
use crate::format::{
    Format, ccg_auto, ccg_parg, conllu, conllx, depbracket, egret, enju_xml, mosesxml, ptb, tigerxml,
};
use crate::index::WordIx;
use crate::parse::{DepParse, Note};
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
    /// The heads make no tree.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Constituents without heads.
    #[error(
        "constituents have no heads of their own: say which rules find them with --heads ptb|negra|ctb|ftb|FILE"
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
    Moses(mosesxml::WriteError),
    /// The tree cannot become a forest.
    #[error(transparent)]
    Pack(#[from] egret::PackError),
    /// The output failed.
    #[error("cannot write the output")]
    Io(#[from] io::Error),
}

impl From<mosesxml::WriteError> for ConvertError {
    fn from(error: mosesxml::WriteError) -> Self {
        match error {
            mosesxml::WriteError::Io(error) => Self::Io(error),
            error => Self::Moses(error),
        }
    }
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
    to: Format,
    options: Options,
    out: Target<W>,
    summary: Summary,
}

enum Target<W: Write> {
    Plain(W),
    Tiger(tigerxml::Writer<W>),
}

impl<W: Write> Converter<W> {
    /// Starts writing a file of format `to`.
    pub fn new(to: Format, options: Options, out: W) -> Result<Self, ConvertError> {
        let out = match to {
            Format::EnjuSo => return Err(ConvertError::Source { to, from: "the parser" }),
            Format::TigerXml => {
                Target::Tiger(tigerxml::Writer::new(out, &tigerxml::Corpus::new("treeglot"))?)
            }
            _ => Target::Plain(out),
        };
        Ok(Self { to, options, out, summary: Summary::default() })
    }

    /// Converts and writes the next tree. `root` is the root that another parser found, for CCG dependencies.
    pub fn add(&mut self, tree: AnyTree, root: Option<WordIx>) -> Result<(), ConvertError> {
        self.summary.sentences += 1;
        let number = self.summary.sentences;
        match self.to {
            Format::Conllu | Format::Conllx => {
                let parse = self.dep(tree, root)?.unwrap_or_else(failed_parse);
                let write = if self.to == Format::Conllu { conllu::write } else { conllx::write };
                write(&parse, self.plain())?;
            }
            Format::DepBracket => match self.dep(tree, root)? {
                Some(parse) => {
                    let brackets =
                        depbracket::to_brackets(&parse, self.options.roots, &depbracket::Options::default())?;
                    depbracket::write(&brackets, self.plain())?;
                }
                None => ptb::write_failed(self.plain())?,
            },
            Format::Ptb => match self.continuous(tree)? {
                Some(tree) => ptb::write(&tree, self.plain())?,
                None => ptb::write_failed(self.plain())?,
            },
            Format::MosesXml => self.moses(tree, root)?,
            Format::TigerXml => {
                let sentence = match tree {
                    AnyTree::Tiger(sentence) if self.options.strip == Strip::default() => *sentence,
                    tree => match self.con(tree)? {
                        Some(tree) => tigerxml::Sentence::from_tree(format!("s{number}"), tree),
                        None => tigerxml::Sentence::failed(format!("s{number}")),
                    },
                };
                if let Target::Tiger(writer) = &mut self.out {
                    writer.write(&sentence)?;
                }
            }
            Format::Egret => {
                let forest = match tree {
                    AnyTree::Forest(forest) => Some(*forest),
                    tree => match self.continuous(tree)? {
                        Some(tree) => Some(egret::Forest::from_trees(&[(tree, 0.0)])?),
                        None => None,
                    },
                };
                egret::write(number as u64, forest.as_ref(), self.plain())?;
            }
            Format::EnjuXml | Format::EnjuSo | Format::CcgAuto | Format::CcgParg => self.same_kind(tree)?,
        }
        Ok(())
    }

    /// Completes the output and tells what happened.
    pub fn finish(self) -> Result<(W, Summary), ConvertError> {
        let out = match self.out {
            Target::Plain(out) => out,
            Target::Tiger(writer) => writer.finish()?,
        };
        Ok((out, self.summary))
    }

    fn plain(&mut self) -> &mut W {
        match &mut self.out {
            Target::Plain(out) => out,
            Target::Tiger(_) => unreachable!("TIGER-XML is written by its own writer"),
        }
    }

    /// The formats that hold more than a tree, each written from its own kind.
    fn same_kind(&mut self, tree: AnyTree) -> Result<(), ConvertError> {
        let to = self.to;
        let from = match (to, tree) {
            (Format::EnjuXml, AnyTree::Enju(sentence)) => {
                return Ok(enju_xml::write(&sentence, self.plain())?);
            }
            (Format::CcgAuto, AnyTree::Derivation(derivation)) => {
                return Ok(ccg_auto::write(&derivation, self.plain())?);
            }
            (Format::CcgParg, AnyTree::Graph(graph)) => return Ok(ccg_parg::write(&graph, self.plain())?),
            (Format::CcgAuto, _) => "CCG derivations (ccg-auto)",
            (Format::CcgParg, _) => "CCG dependencies (ccg-parg)",
            _ => "Enju's parses (enju-xml, enju-so)",
        };
        Err(ConvertError::Source { to, from })
    }

    fn moses(&mut self, tree: AnyTree, root: Option<WordIx>) -> Result<(), ConvertError> {
        if !matches!(tree, AnyTree::Dep(_) | AnyTree::Graph(_)) {
            let tree = self.continuous(tree)?;
            return Ok(mosesxml::write(tree.as_ref(), self.plain())?);
        }
        match self.dep(tree, root)? {
            Some(parse) => {
                let (checked, labels) = (parse.tree(self.options.roots)?, self.options.labels);
                Ok(mosesxml::write_dependencies(&parse, &checked, labels, self.plain())?)
            }
            None => Ok(mosesxml::write(None, self.plain())?),
        }
    }

    /// The tree as dependencies; `None` if there is no tree.
    fn dep(&mut self, tree: AnyTree, root: Option<WordIx>) -> Result<Option<DepParse>, ConvertError> {
        let converted = match tree {
            AnyTree::Dep(parse) => return Ok(Some(parse)),
            AnyTree::Derivation(derivation) => return Ok(Some(derivation.to_dep())),
            AnyTree::Enju(sentence) if sentence.is_parsed() => pas::to_dep(&sentence, self.options.pas)?,
            AnyTree::Graph(graph) => graph.to_dep(root),
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
    fn con(&mut self, tree: AnyTree) -> Result<Option<ConTree>, ConvertError> {
        let tree = match tree {
            AnyTree::Dep(_) | AnyTree::Graph(_) => return Err(ConvertError::NoConstituents { to: self.to }),
            AnyTree::Con(tree) => Some(tree),
            AnyTree::Tiger(sentence) => sentence.into_tree(),
            AnyTree::Enju(sentence) => sentence.to_con(self.options.pas.loose)?,
            AnyTree::Derivation(derivation) => Some(derivation.to_con()?),
            AnyTree::Forest(forest) => Some(forest.tree(&forest.best(), egret::Markers::Remove)),
            AnyTree::Failed => None,
        };
        let strip = self.options.strip;
        let tree = tree.and_then(|t| if strip == Strip::default() { Some(t) } else { strip.apply(&t) });
        self.summary.failed += usize::from(tree.is_none());
        Ok(tree)
    }

    fn continuous(&mut self, tree: AnyTree) -> Result<Option<ConTree>, ConvertError> {
        Ok(self.con(tree)?.map(|tree| {
            let (tree, raised) = continuous(&tree);
            self.summary.raised += raised;
            tree
        }))
    }
}

/// What stands in a dependency file for a sentence without a tree: a block of a comment alone.
fn failed_parse() -> DepParse {
    let mut parse = DepParse::new(0);
    parse.push_note(Note::Comment, "# no parse");
    parse
}
