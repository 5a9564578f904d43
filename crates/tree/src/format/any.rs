//! Trees of any format, read into one type.

use super::{ReadTrees, ccg_auto, ccg_parg, egret, enju, ptb, tigerxml};
use crate::con::ConTree;
use crate::error::Result;
use crate::parse::DepParse;
use std::path::PathBuf;

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
    pub brackets: ptb::BracketLayout,
    /// The raw text behind Enju's stand-off positions; without it base forms stand in for the words.
    pub text: Option<PathBuf>,
}

/// A reader of any format.
pub type AnyReader = Box<dyn ReadTrees<Tree = AnyTree> + Send>;

struct IntoAny<R>(R);

impl<R: ReadTrees<Tree: Into<AnyTree>>> ReadTrees for IntoAny<R> {
    type Tree = AnyTree;

    fn next_tree(&mut self) -> Result<Option<AnyTree>> {
        Ok(self.0.next_tree()?.map(Into::into))
    }
}

/// A reader of one format as a reader of any.
pub(super) fn any<R: ReadTrees<Tree: Into<AnyTree>> + Send + 'static>(reader: R) -> AnyReader {
    Box::new(IntoAny(reader))
}

impl ReadTrees for AnyReader {
    type Tree = AnyTree;

    fn next_tree(&mut self) -> Result<Option<AnyTree>> {
        self.as_mut().next_tree()
    }
}
