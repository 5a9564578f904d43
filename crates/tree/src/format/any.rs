//! Trees of any format: opened by the format's name, read into one type.

use super::{Format, ReadTrees};
use super::{
    ccg_auto, ccg_parg, conllu, conllx, depbracket, egret, enju, enju_so, enju_xml, mosesxml, ptb, tigerxml,
};
use crate::con::ConTree;
use crate::error::Result;
use crate::parse::DepParse;
use std::path::{Path, PathBuf};
use treeglot_text::Input;

/// One sentence of a file of any format, with all that the format tells.
#[derive(Debug, Clone)]
pub enum AnyTree {
    /// A dependency parse.
    Dep(DepParse),
    /// A constituency tree.
    Con(ConTree),
    /// A sentence of a TIGER-XML corpus.
    Tiger(Box<tigerxml::Sentence>),
    /// An HPSG parse with predicate-argument structures.
    Enju(Box<enju::Sentence>),
    /// A CCG derivation.
    Derivation(Box<ccg_auto::Derivation>),
    /// CCG word-word dependencies.
    Graph(Box<ccg_parg::Graph>),
    /// A packed forest.
    Forest(Box<egret::Forest>),
    /// A sentence that the parser gave no tree for.
    Failed,
}

impl From<DepParse> for AnyTree {
    fn from(parse: DepParse) -> Self {
        Self::Dep(parse)
    }
}

impl From<Option<DepParse>> for AnyTree {
    fn from(parse: Option<DepParse>) -> Self {
        parse.map_or(Self::Failed, Self::Dep)
    }
}

impl From<Option<ConTree>> for AnyTree {
    fn from(tree: Option<ConTree>) -> Self {
        tree.map_or(Self::Failed, Self::Con)
    }
}

impl From<tigerxml::Sentence> for AnyTree {
    fn from(sentence: tigerxml::Sentence) -> Self {
        Self::Tiger(Box::new(sentence))
    }
}

impl From<enju::Sentence> for AnyTree {
    fn from(sentence: enju::Sentence) -> Self {
        Self::Enju(Box::new(sentence))
    }
}

impl From<Option<ccg_auto::Derivation>> for AnyTree {
    fn from(derivation: Option<ccg_auto::Derivation>) -> Self {
        derivation.map_or(Self::Failed, |d| Self::Derivation(Box::new(d)))
    }
}

impl From<ccg_parg::Graph> for AnyTree {
    fn from(graph: ccg_parg::Graph) -> Self {
        Self::Graph(Box::new(graph))
    }
}

impl From<Option<egret::Forest>> for AnyTree {
    fn from(forest: Option<egret::Forest>) -> Self {
        forest.map_or(Self::Failed, |f| Self::Forest(Box::new(f)))
    }
}

/// What a file needs to be read, beside its name.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// How bracketed trees stand in the file.
    pub layout: ptb::Layout,
    /// The raw text behind Enju's stand-off positions; without it base forms stand in for the words.
    pub text: Option<PathBuf>,
}

/// A reader of any format.
pub type AnyReader = Box<dyn ReadTrees<Tree = AnyTree> + Send>;

/// Opens a file of the given format, `-` for standard input.
pub fn open(format: Format, path: impl AsRef<Path>, options: &ReadOptions) -> Result<AnyReader> {
    read(format, Input::open(path)?, options)
}

/// Reads an input of the given format.
pub fn read(format: Format, input: Input, options: &ReadOptions) -> Result<AnyReader> {
    let Input { name, reader } = input;
    Ok(match format {
        Format::Conllu => any(conllu::Reader::new(name, reader)),
        Format::Conllx => any(conllx::Reader::new(name, reader)),
        Format::Ptb => any(ptb::Reader::new(name, reader, options.layout)),
        Format::TigerXml => any(tigerxml::Reader::new(name, reader)?),
        Format::MosesXml => any(mosesxml::Reader::new(name, reader)),
        Format::DepBracket => any(depbracket::Reader::new(name, reader)),
        Format::EnjuXml => any(enju_xml::Reader::new(name, reader)),
        Format::EnjuSo => match &options.text {
            None => any(enju_so::Reader::with_base_forms(name, reader)),
            Some(path) => {
                let text = Input::open(path)?;
                any(enju_so::Reader::with_text(name, reader, text.name, text.reader))
            }
        },
        Format::CcgAuto => any(ccg_auto::AnyReader::new(name, reader)?),
        Format::CcgParg => any(ccg_parg::Reader::new(name, reader)),
        Format::Egret => any(egret::Reader::new(name, reader)),
    })
}

struct IntoAny<R>(R);

impl<R: ReadTrees<Tree: Into<AnyTree>>> ReadTrees for IntoAny<R> {
    type Tree = AnyTree;

    fn next_tree(&mut self) -> Result<Option<AnyTree>> {
        Ok(self.0.next_tree()?.map(Into::into))
    }
}

fn any<R: ReadTrees<Tree: Into<AnyTree>> + Send + 'static>(reader: R) -> AnyReader {
    Box::new(IntoAny(reader))
}

impl ReadTrees for AnyReader {
    type Tree = AnyTree;

    fn next_tree(&mut self) -> Result<Option<AnyTree>> {
        self.as_mut().next_tree()
    }
}
