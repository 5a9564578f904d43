//! Words out of text, and text out of words.

use crate::errors::raise;
use crate::input::Texts;
use crate::work;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::convert::Infallible;
use std::path::PathBuf;
use treeglot::text::tokenize::{Language, Prefixes};
use treeglot::text::{SentenceSplitter, detokenize, interrupt, tokenize};

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Tokenizer>()?;
    module.add_class::<Detokenizer>()?;
    module.add_function(wrap_pyfunction!(split_sentences, module)?)?;
    module.add_function(wrap_pyfunction!(languages, module)?)
}

/// A tokeniser of one language.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Tokenizer(tokenize::Tokenizer);

/// A detokeniser of one language.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Detokenizer(detokenize::Detokenizer);

/// What workers make of texts, by all threads.
fn each<W>(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    worker: impl Fn() -> W + Sync + Send,
    work: impl Fn(&mut W, &str, &mut String) + Sync + Send,
) -> PyResult<Vec<String>> {
    let texts = Texts::copy(texts)?;
    work::run_on(py, 0, || {
        let one = |worker: &mut W, at: usize| {
            interrupt::check();
            let mut out = String::new();
            work(worker, texts.get(at), &mut out);
            out
        };
        Ok::<_, Infallible>((0..texts.len()).into_par_iter().with_min_len(64).map_init(worker, one).collect())
    })
}

#[pymethods]
impl Tokenizer {
    #[new]
    fn new(
        py: Python<'_>,
        language: &str,
        lower: bool,
        aggressive: bool,
        escape: bool,
        nfc: bool,
        normalize_punctuation: bool,
        prefixes: Option<PathBuf>,
    ) -> PyResult<Self> {
        let prefixes = prefixes.map(Prefixes::open).transpose().map_err(|error| raise(py, &error))?;
        let options = tokenize::Options {
            split_hyphens: aggressive,
            escape,
            nfc,
            punctuation: normalize_punctuation,
            lower,
            prefixes,
        };
        tokenize::Tokenizer::new(language, options).map(Self).map_err(|error| raise(py, &error))
    }

    /// The words of a text, with blanks between them.
    fn one(&self, text: &str) -> String {
        let mut out = String::new();
        self.0.worker().tokenize(text, &mut out);
        out
    }

    /// The same of many texts.
    fn many(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        each(py, texts, || self.0.worker(), |worker, text, out| worker.tokenize(text, out))
    }
}

#[pymethods]
impl Detokenizer {
    #[new]
    fn new(py: Python<'_>, language: &str, unescape: bool, recase: bool) -> PyResult<Self> {
        let options = detokenize::Options { unescape, recase };
        detokenize::Detokenizer::new(language, options).map(Self).map_err(|error| raise(py, &error))
    }

    /// The text of words with blanks between them.
    fn one(&self, words: &str) -> String {
        let mut out = String::new();
        self.0.worker().detokenize(words, &mut out);
        out
    }

    /// The same of many.
    fn many(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        each(py, texts, || self.0.worker(), |worker, text, out| worker.detokenize(text, out))
    }
}

/// The sentences of a paragraph.
#[pyfunction]
fn split_sentences(py: Python<'_>, text: &str, language: &str) -> PyResult<Vec<String>> {
    let splitter = SentenceSplitter::new(language).map_err(|error| raise(py, &error))?;
    Ok(splitter.split(text).into_iter().map(str::to_string).collect())
}

/// The codes of the languages that have rules of their own.
#[pyfunction]
fn languages() -> Vec<String> {
    Language::codes().split([',', ' ']).filter(|code| !code.is_empty()).map(str::to_string).collect()
}
