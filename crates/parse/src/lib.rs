//! Taggers and parsers trained from treebanks, and bridges to external ones.
//!
//! A treebank in CoNLL-U gives a tagger (UPOS, XPOS, FEATS), a lemmatiser and a dependency parser of one of two families:
//! transition-based (fast) or graph-based (accurate), each with or without crossing arcs. [`Evaluation`] measures by the
//! definition of the CoNLL 2018 shared task, and [`project()`] carries trees over word links to a language without a
//! treebank.
//!
//! ```
//! use treeglot_parse::{Method, Parser, Settings, Treebank, train};
//! use treeglot_tree::format::{ReadTrees, conllu};
//!
//! let text = "\
//! 1\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_\n\
//! 2\tbark\tbark\tVERB\tVBP\tTense=Pres\t0\troot\t_\t_\n\n\
//! 1\tbig\tbig\tADJ\tJJ\tDegree=Pos\t2\tamod\t_\t_\n\
//! 2\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t3\tnsubj\t_\t_\n\
//! 3\tsleep\tsleep\tVERB\tVBP\tTense=Pres\t0\troot\t_\t_\n\n";
//! let bank = Treebank::read(conllu::Reader::new("example", text.as_bytes()).trees())?;
//! let settings = Settings { method: Method::Transition, folds: 1, ..Settings::default() };
//! let parser = train(&settings, &bank, &|_| ())?;
//!
//! let folder = tempfile::tempdir()?;
//! parser.save(folder.path().join("model"))?;
//! let parser = Parser::open(folder.path().join("model"))?;
//! let parse = parser.worker().parse(&["big", "dogs", "sleep"]);
//! let heads: Vec<u32> = parse.words().filter_map(|w| parse.raw_head(w)).collect();
//! assert_eq!(heads, [2, 3, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod constituency;
mod error;
mod eval;
mod file;
mod graph;
mod linear;
mod multiword;
mod nn;
mod parser;
mod project;
mod rng;
mod settings;
mod tagger;
mod train;
mod transition;
mod treebank;

pub use error::{Error, Result};
pub use eval::{Counts, DepMetric, Evaluation};
pub use parser::{Parser, ScoredParse, Worker};
pub use project::{Projected, project};
pub use settings::{Method, Settings};
pub use train::{Progress, train};
pub use treebank::Treebank;
