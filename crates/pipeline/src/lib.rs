//! From two text files to a translator: stages with a cache, bundles, recipes and reports.
//!
//! A [`Recipe`] says what to train from which files. Training is a plan of stages that read each other's output: what is
//! made is kept in a [`Cache`] under a key of all it depends on, so that nothing is done twice and a run that was
//! interrupted goes on where it was. The result is a [`Bundle`], which a [`Translator`] opens, or with [`run_experiment`] the comparison of all systems
//! of the recipe, which [`publish`] writes as a page.
//!
//! ```
//! use treeglot_pipeline::{Cache, Progress, Recipe, Resources, Translator, train};
//!
//! let folder = tempfile::tempdir()?;
//! treeglot_sample::write_to(treeglot_sample::Sample::embedded(), folder.path())?;
//! let text = r#"
//!     source = "de"
//!     target = "en"
//!     preprocess = { tokenize = false, truecase = false }
//!     align = { model = "hmm" }
//!     tune = { method = "none" }
//!     data.train = { source = "train.de", target = "train.en", limit = 300 }
//!     [[system]]
//!     model = "phrase"
//! "#;
//! let recipe = Recipe::parse(text, "recipe.toml".as_ref(), folder.path(), None)?;
//! let (cache, bundle) = (Cache::open(folder.path().join("cache"))?, folder.path().join("bundle"));
//! train(&recipe, None, &cache, Resources::default(), &Progress::quiet(), &bundle)?;
//!
//! let translator = Translator::open([&bundle])?;
//! assert_eq!(translator.translate("das Haus")?, "the house");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
pub mod bundle;
mod check;
mod clean;
pub mod cluster;
mod corrections;
mod error;
mod evaluate;
mod experiment;
mod explained;
mod given;
mod hold_out;
mod key;
mod limited;
mod lock;
mod looks;
mod memory;
mod page;
pub mod parsing;
mod plan;
mod progress;
pub mod recipe;
mod remaining;
pub mod report;
mod run;
mod samples;
mod small;
pub mod text_path;
mod train;
pub mod translator;
mod unknown;

pub use bundle::{Bundle, Manifest, SearchSettings};
pub use corrections::{CORRECTIONS, Correction, CorrectionIndex, Corrections, Memory, Teacher};
pub use error::{Error, Result};
pub use evaluate::{TestScores, Value};
pub use experiment::{DirectionResult, Results, SystemResult, run as run_experiment, train};
pub use explained::ExplainedPage;
pub use given::{Decision, Given};
pub use hold_out::{HeldOut, hold_out};
pub use looks::Look;
pub use page::{REPORT, publish};
pub use plan::Summary;
pub use progress::{Counter, Progress};
pub use recipe::Recipe;
pub use run::Cache;
pub use train::{Direction, Resources};
pub use translator::{Request, Translated, Translator};
