//! Treeglot is syntax-based machine translation: from parallel text and trees to a tuned translator that explains every word it
//! outputs, on CPUs. This is the library; the binary `treeglot` is made of it.
//!
//! ```
//! use treeglot::{Cache, Progress, Recipe, Request, Resources, Translator, sample, train};
//!
//! // Two texts, here those of the embedded sample, and a recipe that says what is trained from them.
//! let folder = tempfile::tempdir()?;
//! sample::write_to(sample::Sample::embedded(), folder.path())?;
//! let text = r#"
//!     source = "de"
//!     target = "en"
//!     preprocess = { tokenize = false, truecase = false }
//!     tune = { method = "none" }
//!     data.train = { source = "train.de", target = "train.en", limit = 500 }
//!     [[system]]
//!     model = "hiero"
//! "#;
//! let recipe = Recipe::parse(text, "recipe.toml".as_ref(), folder.path(), None)?;
//! let (cache, bundle) = (Cache::open(folder.path().join("cache"))?, folder.path().join("de-en"));
//! train(&recipe, None, &cache, Resources::default(), &Progress::quiet(), &bundle)?;
//!
//! // A bundle is opened in milliseconds and shared by all threads.
//! let translator = Translator::open([&bundle])?;
//! assert_eq!(translator.translate("das Haus")?.to_lowercase(), "the house");
//!
//! // Each word of a translation knows where it comes from.
//! let request = Request { explain: true, ..Request::default() };
//! let translated = translator.translate_with("das Haus", &request)?;
//! let why = translated.sentences[0].best[0].explanation.as_ref().expect("it was asked for");
//! assert_eq!((why.words[1].word.as_str(), &why.words[1].source[..]), ("house", &[1][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The story of a sentence
//!
//! *In training.* [`mod@text`] reads a sentence and its translation from two files in step, cuts them into words and gives the first
//! word its usual case. [`mod@tree`] reads their trees, in any format of the field, or [`parse`] makes them. [`mod@align`] links
//! each word with those that mean the same, and, where both sides have trees, node with node. A model ([`models`]) reads *rules*
//! off the pair: phrases, hierarchical rules, fragments of trees. [`grammar`] counts the rules of all pairs within a bounded memory,
//! scores them and stores them in a *table* that is mapped, not loaded. [`lm`] learns which words follow each other in the
//! target language, and which depend on each other; [`joint`], where it is asked to, which follow each other as translations of
//! what stands around them in the source. [`tune`] finds weights with which the translations of a development set score
//! best, by any metric of [`metrics`]. [`pipeline`] keeps all that as stages with a cache and puts the result into a
//! *bundle*: a folder with tables, language models, weights and a manifest that knows the role and the checksum of each file.
//!
//! *In translation.* A [`Translator`] opens a bundle, or several that choose together. A text is cut into words as in training;
//! the model lays out a *forest* of everything that the table's rules can build for the sentence or its trees; [`decode`]
//! searches it for the best *derivation* under rules and language models; its words become text again. The derivation says which
//! rule made each word, and from which source words.
//!
//! # Where to find what
//!
//! | you want to | start at |
//! |---|---|
//! | translate with a bundle | [`Translator`] |
//! | train a system, compare systems | [`Given`] or [`Recipe`], [`train()`], [`run_experiment`] |
//! | link the words of two texts | [`align::Model`] |
//! | estimate or ask a language model | [`lm::estimate`], [`lm::Lm`] |
//! | read, write, convert, compare trees | [`tree::format`], [`tree::convert`], [`tree::transform`] |
//! | tag and parse | [`parse::Parser`] |
//! | score translations | [`metrics::build`] |
//! | extract rules | [`models::registry`], [`models::extract`] |
//!
//! The crate's `examples` show one of each in less than forty lines.

pub use treeglot_align as align;
pub use treeglot_decode as decode;
pub use treeglot_document as document;
pub use treeglot_grammar as grammar;
pub use treeglot_joint as joint;
pub use treeglot_lm as lm;
pub use treeglot_metrics as metrics;
pub use treeglot_models as models;
pub use treeglot_parse as parse;
pub use treeglot_pipeline as pipeline;
pub use treeglot_sample as sample;
pub use treeglot_text as text;
pub use treeglot_tree as tree;
pub use treeglot_tune as tune;

pub use treeglot_pipeline::translator::{Hypothesis, Sentence, TranslatorSettings};
pub use treeglot_pipeline::{
    Bundle, Cache, Decision, Error, Given, Progress, Recipe, Request, Resources, Result, SearchSettings,
    Translated, Translator, publish, run_experiment, train,
};
