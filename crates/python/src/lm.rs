//! N-gram language models, with the calls of KenLM's Python module.

use crate::array::{Array, Numbers};
use crate::input::Source;
use crate::{settings, work};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use treeglot::lm::{self, Error, Lm, Scored, Settings, Total, arpa, estimate, special, words};
use treeglot::text::Output;
use treeglot::text::vocab::Sym;

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LanguageModel>()?;
    module.add_class::<State>()?;
    module.add_class::<FullScore>()
}

/// What a model must remember of the words before.
#[pyclass(module = "treeglot")]
#[derive(Clone, Default)]
pub struct State(lm::State);

#[pymethods]
impl State {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __richcmp__(&self, other: &Self, how: pyo3::pyclass::CompareOp) -> bool {
        how.matches(self.0.words().cmp(other.0.words()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    #[pyo3(signature = (_memo = None))]
    fn __deepcopy__(&self, _memo: Option<&Bound<'_, PyAny>>) -> Self {
        self.clone()
    }
}

/// The score of a word: its logarithm to base 10, the length of the longest n-gram that ends in it, whether it is unknown.
#[pyclass(frozen, get_all, module = "treeglot")]
pub struct FullScore {
    log_prob: f64,
    ngram_length: u8,
    oov: bool,
}

#[pymethods]
impl FullScore {
    fn __repr__(&self) -> String {
        let Self { log_prob, ngram_length, oov } = self;
        let oov = if *oov { "True" } else { "False" };
        format!("FullScoreReturn({log_prob}, {ngram_length}, {oov})")
    }
}

impl From<Scored> for FullScore {
    fn from(scored: Scored) -> Self {
        Self { log_prob: scored.prob.into(), ngram_length: scored.length, oov: scored.oov }
    }
}

/// Text, or the bytes of it.
struct Text<'a>(&'a str);

impl<'a, 'py> FromPyObject<'a, 'py> for Text<'a> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = value.extract::<&[u8]>() {
            let text = std::str::from_utf8(bytes);
            return text.map(Self).map_err(|error| PyValueError::new_err(error.to_string()));
        }
        value
            .extract()
            .map(Self)
            .map_err(|_| PyTypeError::new_err(format!("Cannot convert {} to string", value.get_type())))
    }
}

/// A model: read-only, shared by all threads.
#[pyclass(frozen, subclass, module = "treeglot._treeglot")]
pub struct LanguageModel {
    lm: Arc<Lm>,
    path: Option<PathBuf>,
}

impl LanguageModel {
    /// Does something with the symbols of a sentence. Their buffer is kept from call to call: sentences are short, and many.
    fn with_symbols<T>(&self, sentence: &str, eos: bool, look: impl FnOnce(&[Sym]) -> T) -> T {
        thread_local!(static BUFFER: RefCell<Vec<Sym>> = const { RefCell::new(Vec::new()) });
        BUFFER.with_borrow_mut(|symbols| {
            symbols.clear();
            symbols.extend(words(sentence).map(|word| self.lm.symbol(word)));
            symbols.extend(eos.then_some(special::EOS));
            look(symbols)
        })
    }

    /// The score of a whole sentence.
    fn total(&self, sentence: &str) -> Total {
        self.with_symbols(sentence, false, |symbols| self.lm.tables().sentence(symbols))
    }

    /// Scores the words of a sentence.
    fn each(&self, sentence: &str, bos: bool, eos: bool, take: impl FnMut(&Scored)) {
        let tables = self.lm.tables();
        let scorer = tables.scorer();
        let from = if bos { scorer.begin() } else { scorer.empty() };
        self.with_symbols(sentence, eos, |symbols| {
            scorer.score_many(&from, symbols.iter().copied(), take);
        });
    }
}

#[pymethods]
impl LanguageModel {
    /// Opens a file, or is another object of the same model.
    #[new]
    fn open(py: Python<'_>, model: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(same) = model.cast::<Self>() {
            let Self { lm, path } = same.get();
            return Ok(Self { lm: lm.clone(), path: path.clone() });
        }
        let path: PathBuf = model.extract()?;
        let lm = work::run_on(py, 0, || Lm::open(&path))?;
        Ok(Self { lm: lm.into(), path: Some(path) })
    }

    /// Estimates a model from text.
    #[staticmethod]
    fn estimate(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        settings: &str,
        memory: Option<u64>,
        threads: usize,
        files: (Option<PathBuf>, Option<PathBuf>),
    ) -> PyResult<Self> {
        let text = Source::file_or_lines(text, "text")?;
        let settings: Settings = settings::read(py, settings)?;
        let lm = work::run_on(py, threads, || -> lm::Result<Lm> {
            settings.check()?;
            let (estimated, _) =
                estimate::within_memory(text.open()?, &settings, memory.unwrap_or(estimate::MEMORY))?;
            let (arpa, binary) = &files;
            if let Some(path) = arpa {
                let mut output = Output::create(path)?;
                arpa::write_estimated(&estimated, &mut output).map_err(|error| output.error(error))?;
                output.finish()?;
            }
            let lm = Lm::build_as(estimated.into_ngrams(), &settings)?;
            binary.as_ref().map_or(Ok(()), |path| lm.write(path))?;
            Ok(lm)
        })?;
        let (arpa, binary) = files;
        Ok(Self { lm: lm.into(), path: binary.or(arpa) })
    }

    /// Writes the form that is mapped when it is opened.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        work::run(py, || self.lm.write(&path))
    }

    /// The length of the longest n-grams.
    #[getter]
    fn order(&self) -> usize {
        self.lm.order()
    }

    /// The file it was opened from.
    #[getter]
    fn file(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    /// How many words it knows.
    fn __len__(&self) -> usize {
        self.lm.words().len()
    }

    fn __contains__(&self, word: Text<'_>) -> bool {
        self.lm.symbol(word.0) != special::UNK
    }

    /// The log10 probability of a sentence.
    #[pyo3(signature = (sentence, bos = true, eos = true))]
    fn score(&self, sentence: Text<'_>, bos: bool, eos: bool) -> f64 {
        let sentence = sentence.0;
        // A sentence takes less time than to give the lock up and to get it back; `scores` is for many of them.
        if bos && eos {
            return self.total(sentence).prob;
        }
        let mut sum = 0.0;
        self.each(sentence, bos, eos, |scored| sum += f64::from(scored.prob));
        sum
    }

    /// The perplexity of a sentence.
    fn perplexity(&self, sentence: Text<'_>) -> f64 {
        self.total(sentence.0).perplexity()
    }

    /// For each word, and the end of the sentence, its score, the length of its n-gram, and whether it is unknown.
    #[pyo3(signature = (sentence, bos = true, eos = true))]
    fn full_scores<'py>(
        &self,
        py: Python<'py>,
        sentence: Text<'_>,
        bos: bool,
        eos: bool,
    ) -> PyResult<Bound<'py, PyIterator>> {
        let mut scores = Vec::new();
        self.each(sentence.0, bos, eos, |scored| scores.push((scored.prob, scored.length, scored.oov)));
        PyList::new(py, scores)?.try_iter()
    }

    /// The scores of the words of many lines: probabilities, lengths, unknown words, and where each line begins.
    fn _word_scores(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        bos: bool,
        eos: bool,
    ) -> PyResult<[Array; 4]> {
        let text = Source::file_or_lines(text, "text")?;
        let (probs, lengths, oovs, starts) = work::run(py, || -> lm::Result<_> {
            let (mut probs, mut lengths, mut oovs, mut starts) =
                (Vec::new(), Vec::new(), Vec::new(), vec![0u64]);
            let mut lines = text.lines()?;
            while let Some(line) = lines.next_line()? {
                self.each(line, bos, eos, |scored| {
                    probs.push(scored.prob);
                    lengths.push(scored.length);
                    oovs.push(scored.oov);
                });
                starts.push(probs.len() as u64);
            }
            Ok((probs, lengths, oovs, starts))
        })?;
        Ok([
            Array::new(Numbers::F32(probs.into())),
            Array::new(Numbers::U8(lengths.into())),
            Array::new(Numbers::Bool(oovs.into())),
            Array::new(Numbers::U64(starts.into())),
        ])
    }

    /// The log10 probability of each line of a text, by all threads.
    fn _scores(&self, py: Python<'_>, text: &Bound<'_, PyAny>, threads: usize) -> PyResult<Array> {
        let text = Source::file_or_lines(text, "text")?;
        let scores = work::run_on(py, threads, || {
            let mut scores = Vec::new();
            self.lm.score_lines(&mut text.lines()?, false, |total| {
                scores.extend(total.map(|total| total.prob));
                Ok::<_, Error>(())
            })?;
            Ok::<_, Error>(scores)
        })?;
        Ok(Array::new(Numbers::F64(scores.into())))
    }

    /// Makes a state that of the begin of a sentence.
    #[expect(non_snake_case, reason = "the name is KenLM's")]
    fn BeginSentenceWrite(&self, state: &mut State) {
        state.0 = self.lm.tables().scorer().begin();
    }

    /// Makes a state that of no words.
    #[expect(non_snake_case, reason = "the name is KenLM's")]
    fn NullContextWrite(&self, state: &mut State) {
        state.0 = lm::State::default();
    }

    /// The score of a word after a state; the state after it is put into another, which may be the same.
    #[expect(non_snake_case, reason = "the name is KenLM's")]
    fn BaseScore(&self, in_state: &Bound<'_, State>, word: &str, out_state: &Bound<'_, State>) -> f64 {
        self.BaseFullScore(in_state, word, out_state).log_prob
    }

    /// The same with the length of the n-gram.
    #[expect(non_snake_case, reason = "the name is KenLM's")]
    fn BaseFullScore(
        &self,
        in_state: &Bound<'_, State>,
        word: &str,
        out_state: &Bound<'_, State>,
    ) -> FullScore {
        let from = in_state.borrow().0;
        let (scored, state) = self.lm.tables().score(&from, self.lm.symbol(word));
        out_state.borrow_mut().0 = state;
        scored.into()
    }
}
