//! The parser as others see it: one read-only [`Parser`] shared by threads, a [`Worker`] a thread.

use crate::constituency::{ConModel, ConWorker};
use crate::dependency::{DepModel, DepWorker};
use crate::error::Result;
use crate::multiword::Multiword;
use crate::settings::{Method, ParseSettings, Settings};
use crate::tokens::Token;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_tree::format::egret::Forest;
use treeglot_tree::{ConTree, DepParse, TreeKind};

const DEPENDENCY: (Tag, u32) = (Tag::new("depparse"), 3);
const CONSTITUENCY: (Tag, u32) = (Tag::new("conparse"), 3);
const ABOUT: Tag = Tag::new("about");

/// A trained parser of dependencies (with tagger and lemmatiser) or of constituents: shared by all threads, cheap to clone.
#[derive(Clone)]
pub struct Parser {
    pub(crate) about: Arc<About>,
    pub(crate) model: Model,
}

/// What parsers of both kinds have.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct About {
    pub(crate) settings: Settings,
    pub(crate) multiword: Multiword,
}

#[derive(Clone)]
pub(crate) enum Model {
    Dependency(Arc<DepModel>),
    Constituency(Arc<ConModel>),
}

/// The parse of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Parse {
    /// Words with tags, lemmas, heads and relations; without words for a sentence without words.
    Dependency(DepParse),
    /// A tree; none for a sentence without words.
    Constituency(Option<ConTree>),
}

impl Parse {
    /// The parse of a sentence without words.
    pub fn none(kind: TreeKind) -> Self {
        match kind {
            TreeKind::Dependency => Self::Dependency(DepParse::new(0)),
            TreeKind::Constituency => Self::Constituency(None),
        }
    }

    /// The dependency parse, if it is one.
    pub fn dependency(self) -> Option<DepParse> {
        match self {
            Self::Dependency(parse) => Some(parse),
            Self::Constituency(_) => None,
        }
    }

    /// The constituency tree, if it is one, and of a sentence that has words.
    pub fn constituency(self) -> Option<ConTree> {
        match self {
            Self::Dependency(_) => None,
            Self::Constituency(tree) => tree,
        }
    }
}

/// A parse and the score of its tree, to be compared within one sentence only: a weighted log-probability (graph), a
/// log-probability (transition, constituency).
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredParse {
    /// The parse.
    pub parse: Parse,
    /// The higher the better.
    pub score: f64,
}

/// What became of the sentences of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// Sentences too long to be parsed at once: parsed in pieces, which hang from the first word of the first or from one flat
    /// constituent.
    pub in_pieces: usize,
    /// Sentences that got a flat tree, because the network gave no usable scores.
    pub failed: usize,
}

impl Parser {
    /// Opens a parser of any kind. The file is mapped, and checked whole against its checksums.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (kind, file) = MappedFile::open_one_of(path, &[DEPENDENCY, CONSTITUENCY])?;
        file.verify()?;
        let about: About = serde_json::from_slice(&file.view::<u8>(ABOUT)?)
            .map_err(|e| file.corrupt(format!("the description of the parser is damaged: {e}")))?;
        let model = match kind == DEPENDENCY.0 {
            true => Model::Dependency(Arc::new(DepModel::part_of(&file)?)),
            false => Model::Constituency(Arc::new(ConModel::part_of(&file)?)),
        };
        Ok(Self { about: Arc::new(about), model })
    }

    /// Writes the parser to a file for [`Parser::open`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let ((kind, version), tags) = match &self.model {
            Model::Dependency(model) => (DEPENDENCY, model.tags()),
            Model::Constituency(model) => (CONSTITUENCY, model.tags()),
        };
        let tags: Vec<Tag> = std::iter::once(ABOUT).chain(tags).collect();
        let mut out = MappedWriter::create(path.as_ref(), kind, version, &tags)?;
        out.section(ABOUT, &serde_json::to_vec(&*self.about).expect("names and numbers are always written"))?;
        match &self.model {
            Model::Dependency(model) => model.write(&mut out)?,
            Model::Constituency(model) => model.write(&mut out)?,
        }
        Ok(out.finish()?)
    }

    /// The kind of trees it builds.
    pub fn kind(&self) -> TreeKind {
        self.method().kind()
    }

    /// How it finds them.
    pub fn method(&self) -> Method {
        match &self.model {
            Model::Dependency(_) => self.about.settings.method,
            Model::Constituency(_) => Method::Constituency,
        }
    }

    /// The settings it was trained with.
    pub fn settings(&self) -> &Settings {
        &self.about.settings
    }

    /// A worker for one thread.
    pub fn worker(&self, settings: &ParseSettings) -> Worker {
        Worker {
            inner: match &self.model {
                Model::Dependency(model) => {
                    Inner::Dependency(DepWorker::new(model.clone(), &self.about.settings, settings))
                }
                Model::Constituency(model) => {
                    Inner::Constituency(Box::new(ConWorker::new(model.clone(), settings)))
                }
            },
        }
    }

    /// The words that a token of raw text stands for, where it stands for several.
    pub fn split(&self, token: &str) -> Option<Vec<String>> {
        self.about.multiword.split(token)
    }
}

/// A thread's way to a parser, with its buffers.
pub struct Worker {
    inner: Inner,
}

enum Inner {
    Dependency(DepWorker),
    Constituency(Box<ConWorker>),
}

impl Worker {
    /// The best parse of a sentence of given words.
    pub fn parse(&mut self, words: &[&str]) -> Parse {
        match &mut self.inner {
            Inner::Dependency(worker) => Parse::Dependency(worker.best(words)),
            Inner::Constituency(worker) => Parse::Constituency(worker.parse(words)),
        }
    }

    /// The best parses of several sentences, which can be faster than one by one.
    pub fn parse_all(&mut self, sentences: &[&[&str]]) -> Vec<Parse> {
        match &mut self.inner {
            Inner::Dependency(worker) => {
                worker.parse_all(sentences).into_iter().map(Parse::Dependency).collect()
            }
            Inner::Constituency(worker) => {
                worker.parse_all(sentences).into_iter().map(Parse::Constituency).collect()
            }
        }
    }

    /// Up to `k` different parses over the same words and tags, the best first; none for a sentence without words, and one
    /// for a sentence that is parsed in pieces.
    pub fn kbest(&mut self, words: &[&str], k: usize) -> Vec<ScoredParse> {
        match &mut self.inner {
            Inner::Dependency(worker) => {
                let parses = worker.kbest(words, k).into_iter();
                parses.map(|(parse, score)| ScoredParse { parse: Parse::Dependency(parse), score }).collect()
            }
            Inner::Constituency(worker) => {
                let tree = |tree| Parse::Constituency(Some(tree));
                let trees = worker.kbest(words, k).into_iter();
                trees.map(|(t, score)| ScoredParse { parse: tree(t), score }).collect()
            }
        }
    }

    /// The packed forest of the probable constituency trees; `None` for a sentence without words, and for a parser of
    /// dependencies. Of a sentence that is parsed in pieces it has one tree.
    pub fn forest(&mut self, words: &[&str]) -> Option<Forest> {
        match &mut self.inner {
            Inner::Dependency(_) => None,
            Inner::Constituency(worker) => worker.forest(words).or_else(|| {
                let tree = worker.parse(words)?;
                Forest::from_trees(&[(tree, 0.0)]).ok()
            }),
        }
    }

    /// Parses sentences of raw text, cut into tokens. A dependency parse has multi-word tokens in UD's way beside their words.
    pub fn parse_tokens(&mut self, sentences: &[Vec<Token>]) -> Vec<Parse> {
        let words: Vec<Vec<&str>> =
            sentences.iter().map(|tokens| tokens.iter().flat_map(Token::words).collect()).collect();
        let all: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        let with_tokens = |(parse, tokens): (Parse, &Vec<Token>)| match parse {
            Parse::Dependency(parse) => Parse::Dependency(crate::tokens::with_tokens(&parse, tokens)),
            parse => parse,
        };
        self.parse_all(&all).into_iter().zip(sentences).map(with_tokens).collect()
    }

    /// What became of the sentences so far.
    pub fn outcomes(&self) -> Outcomes {
        match &self.inner {
            Inner::Dependency(worker) => Outcomes { in_pieces: worker.in_pieces, failed: 0 },
            Inner::Constituency(worker) => worker.outcomes(),
        }
    }
}
