//! Taggers and parsers trained from treebanks, and bridges to external ones.
//!
//! A treebank in CoNLL-U gives a tagger (UPOS, XPOS, FEATS), a lemmatiser and a dependency parser of one of two families:
//! transition-based (fast) or graph-based (accurate), each with or without crossing arcs. Trees in brackets give a
//! constituency parser. All are one type, [`Parser`], in one kind of file. [`Evaluation`] measures dependencies by the
//! definition of the CoNLL 2018 shared task (constituents: [`treeglot_tree::compare::BracketScore`]), and [`project()`]
//! carries trees over word links to a language without a treebank.
//!
//! ```
//! use treeglot_parse::{Method, ParseSettings, Parser, Settings, Treebank, train};
//! use treeglot_tree::TreeKind;
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("bank.conllu");
//! std::fs::write(&file, "\
//! 1\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_\n\
//! 2\tbark\tbark\tVERB\tVBP\tTense=Pres\t0\troot\t_\t_\n\n\
//! 1\tbig\tbig\tADJ\tJJ\tDegree=Pos\t2\tamod\t_\t_\n\
//! 2\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t3\tnsubj\t_\t_\n\
//! 3\tsleep\tsleep\tVERB\tVBP\tTense=Pres\t0\troot\t_\t_\n\n")?;
//! let bank = Treebank::open(TreeKind::Dependency, [&file], false)?;
//! let settings = Settings { method: Method::Transition, folds: 1, ..Settings::default() };
//! train(&settings, &bank, None, &|_| ())?.save(folder.path().join("model"))?;
//!
//! let parser = Parser::open(folder.path().join("model"))?;
//! assert_eq!(parser.kind(), TreeKind::Dependency);
//! let mut worker = parser.worker(&ParseSettings::default());
//! let parse = worker.parse(&["big", "dogs", "sleep"]).dependency().expect("a dependency parser's");
//! let heads: Vec<u32> = parse.words().filter_map(|w| parse.raw_head(w)).collect();
//! assert_eq!(heads, [2, 3, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Constituents likewise; a forest packs all probable trees:
//!
//! ```
//! use treeglot_parse::{Method, ParseSettings, Settings, Treebank, train};
//! use treeglot_tree::format::{ReadTrees, ptb};
//!
//! let text = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
//!     (S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))";
//! let trees = ptb::Reader::new("two.ptb", text.as_bytes(), ptb::BracketLayout::Free).trees();
//! let bank = Treebank::of_trees(trees.map(|tree| tree.unwrap().unwrap()));
//! let settings =
//!     Settings { method: Method::Constituency, rounds: Some(30), hidden: Some(16), ..Settings::default() };
//! let mut worker = train(&settings, &bank, None, &|_| ())?.worker(&ParseSettings::default());
//! let words = ["the", "dog", "sleeps"];
//! assert_eq!(worker.parse(&words).constituency().map(|tree| tree.len()), Some(3));
//! assert!(worker.forest(&words).is_some_and(|forest| forest.tree_count() > 1));
//! # Ok::<(), treeglot_parse::Error>(())
//! ```

mod bridge;
mod constituency;
mod dependency;
mod encoder;
mod error;
mod eval;
mod graph;
mod linear;
mod multiword;
mod nn;
mod parser;
mod pieces;
mod project;
mod settings;
mod tagger;
mod tokens;
mod train;
mod transition;
mod treebank;

pub use bridge::{Bridge, BridgeCounts, BridgeSettings, BridgeWorker};
pub use constituency::{BadTree, plain};
pub use error::{Error, Result};
pub use eval::{Counts, DepMetric, Evaluation};
pub use parser::{Outcomes, Parse, Parser, ScoredParse, Worker};
pub use project::{Projected, project};
pub use settings::{Decoding, Method, ParseSettings, Settings};
pub use tokens::Token;
pub use train::{Progress, train};
pub use treebank::Treebank;
