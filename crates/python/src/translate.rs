//! Translators, and translations with all that is known of them.

use crate::errors::{invalid, raise};
use crate::input::Source;
use crate::tree::Tree;
use crate::{settings, work};
use pyo3::prelude::*;
use serde::Deserialize;
use std::collections::VecDeque;
use std::io::{BufRead, Cursor};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use treeglot::models::pairs::TreeReader;
use treeglot::pipeline::bundle::TunedCombination;
use treeglot::pipeline::translator::LineSource;
use treeglot::text::Lines;
use treeglot::tree::format::AnyTree;
use treeglot::tree::{DepParse, PerTree, TreeKind};
use treeglot::{
    Bundle, Error, Hypothesis, Request, Result, SearchSettings, Sentence, Translated, TranslatorSettings,
};

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Translator>()?;
    module.add_class::<Translation>()?;
    module.add_class::<Stream>()?;
    module.add_function(wrap_pyfunction!(verify_bundle, module)?)?;
    module.add_function(wrap_pyfunction!(bundle_card, module)?)
}

/// How many lines each thread may be ahead of what was taken.
const AHEAD: usize = 32;

/// For how long what is done is kept back for more: asking costs as much as a short sentence.
const PATIENCE: Duration = Duration::from_millis(10);

/// A translator of one bundle, or of several that choose together.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Translator {
    bundles: Vec<PathBuf>,
    settings: TranslatorSettings,
    /// With the process it was opened in: one that was forked has none of its threads.
    opened: RwLock<(u32, treeglot::Translator)>,
}

/// The settings as keywords.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Keywords {
    tokenized: bool,
    parsers: Vec<String>,
    threads: usize,
    combination: Option<PathBuf>,
    #[serde(flatten)]
    search: serde_json::Map<String, serde_json::Value>,
}

impl Translator {
    /// The translator of this process.
    fn own(&self, py: Python<'_>) -> PyResult<treeglot::Translator> {
        let process = std::process::id();
        {
            let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
            if opened.0 == process {
                return Ok(opened.1.clone());
            }
        }
        let new = treeglot::Translator::open_with(&self.bundles, &self.settings);
        let new = new.map_err(|error| raise(py, &error))?;
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::replace(&mut *opened, (process, new.clone())));
        Ok(new)
    }
}

#[pymethods]
impl Translator {
    #[new]
    fn open(py: Python<'_>, bundles: Vec<PathBuf>, keywords: &str) -> PyResult<Self> {
        let Keywords { tokenized, parsers, threads, combination, search } = settings::read(py, keywords)?;
        let search: SearchSettings = settings::read(py, &serde_json::Value::from(search).to_string())?;
        let combination = combination.map(|folder| work::run(py, || TunedCombination::open(folder)));
        let combination = combination.transpose()?.map(Arc::new);
        let settings = TranslatorSettings {
            search,
            tokenized,
            parsers,
            threads,
            combination,
            ..TranslatorSettings::default()
        };
        let translator = work::run(py, || treeglot::Translator::open_with(&bundles, &settings))?;
        Ok(Self { bundles, settings, opened: RwLock::new((std::process::id(), translator)) })
    }

    /// The languages translated from and to.
    #[getter]
    fn languages(&self, py: Python<'_>) -> PyResult<[Option<String>; 2]> {
        Ok(self.own(py)?.languages().map(|language| language.map(str::to_string)))
    }

    /// Whether sentences of a paragraph can be told apart.
    #[getter]
    fn splits(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.own(py)?.splits())
    }

    /// The kinds of trees that it translates, and that no parser of the bundle gives.
    #[getter]
    fn missing_trees(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let missing = self.own(py)?.missing_trees(&PerTree::default());
        Ok(missing.iter().map(TreeKind::to_string).collect())
    }

    /// The weight of each feature of a system.
    fn weights(&self, py: Python<'_>, system: usize) -> PyResult<String> {
        let translator = self.own(py)?;
        if system >= translator.systems() {
            return Err(invalid(py, &format!("there are {} systems", translator.systems())));
        }
        let weights: Vec<f64> = translator.weights(system).iter().map(|&weight| weight.into()).collect();
        Ok(json(&translator.features(system).named(&weights)))
    }

    /// Translates a text, with trees of it as CoNLL-U and in brackets.
    fn translate(
        &self,
        py: Python<'_>,
        text: &str,
        wanted: Wanted,
        trees: (Option<String>, Option<String>),
    ) -> PyResult<Translation> {
        let translator = self.own(py)?;
        let request = wanted.request();
        let translated = work::run(py, || -> Result<Translated> {
            if trees.0.is_none() && trees.1.is_none() {
                return translator.translate_with(text, &request);
            }
            let trees = TreeReader::of_texts(trees.0, trees.1, "text")?;
            let lines = Lines::new("text", Cursor::new(text.replace('\n', " ").into_bytes()));
            let mut source = LineSource { lines, trees: vec![trees], skip_bad: false };
            match translator.next_input(&mut source)? {
                Some(input) => translator.translate_input(input, &request),
                None => Ok(Translated::default()),
            }
        })?;
        Ok(Translation { translated: Arc::new(translated), translator })
    }

    /// Translates lines, one after the other, with the trees of files beside them.
    fn stream(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyAny>,
        wanted: Wanted,
        trees: (Vec<PathBuf>, Vec<PathBuf>),
    ) -> PyResult<Stream> {
        let translator = self.own(py)?;
        let source = Source::file_or_lines(lines, "text")?;
        let prompt = matches!(source, Source::File(_));
        let files = PerTree { source_dep: trees.0, source_con: trees.1, ..PerTree::default() };
        let source = work::run(py, || -> Result<_> {
            let trees = match files.iter().all(|(_, files)| files.is_empty()) {
                true => Vec::new(),
                false => vec![TreeReader::open(&files, "text")?],
            };
            Ok(LineSource { lines: source.lines_one_by_one()?, trees, skip_bad: false })
        })?;
        let state = State {
            source: Some(source),
            prompt,
            under_way: VecDeque::new(),
            done: VecDeque::new(),
            failed: None,
        };
        Ok(Stream { translator, request: wanted.request(), state: Mutex::new(state) })
    }
}

/// What is asked for of each sentence.
#[derive(FromPyObject)]
pub struct Wanted(usize, bool, bool, Option<usize>, bool);

impl Wanted {
    fn request(&self) -> Request {
        let Self(count, distinct, explain, compare, split) = *self;
        Request { count, distinct, explain, compare, split, ..Request::default() }
    }
}

/// Translations of lines, made as they are taken; some lines are under way before.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Stream {
    translator: treeglot::Translator,
    request: Request,
    state: Mutex<State>,
}

struct State {
    /// None after the last line, or an error.
    source: Option<LineSource<Box<dyn BufRead + Send>>>,
    /// Whether lines come without delay, as from a file.
    prompt: bool,
    under_way: VecDeque<Receiver<Result<Translated>>>,
    done: VecDeque<Translated>,
    /// What is to be raised after what is done.
    failed: Option<Error>,
}

impl Drop for State {
    /// What is under way ends before the work that began it does.
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn end(&mut self) {
        self.source = None;
        self.under_way.drain(..).for_each(|answer| drop(answer.recv()));
    }
}

impl Stream {
    /// Takes the next translations, at least one if there is one. An error waits until those before it are taken.
    fn advance(&self, state: &mut State) -> Result<()> {
        match self.collect(state) {
            Err(error) if !state.done.is_empty() => {
                state.end();
                state.failed = Some(error);
                Ok(())
            }
            collected => collected,
        }
    }

    /// Reads lines and begins them, and collects what is done, for as long as nobody minds to wait.
    fn collect(&self, state: &mut State) -> Result<()> {
        let (window, start) = (AHEAD * self.translator.threads(), Instant::now());
        loop {
            let patience = PATIENCE.saturating_sub(start.elapsed());
            if !state.done.is_empty() && (patience.is_zero() || state.done.len() >= window) {
                return Ok(());
            }
            // The next line of an iterator may be long in coming: what is done is not kept waiting for it.
            let reads = state.done.is_empty() || state.prompt;
            if reads && state.under_way.len() < window && self.begin(state)? {
                continue;
            }
            let Some(first) = state.under_way.front() else { return Ok(()) };
            let wait = if state.done.is_empty() { Duration::MAX } else { patience };
            let answer = match first.recv_timeout(wait) {
                Ok(answer) => answer,
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            };
            state.under_way.pop_front();
            state.done.push_back(answer?);
        }
    }

    /// Begins the next line; whether there was one.
    fn begin(&self, state: &mut State) -> Result<bool> {
        let Some(source) = &mut state.source else { return Ok(false) };
        let Some(input) = self.translator.next_input(source)? else {
            state.source = None;
            return Ok(false);
        };
        let (answer, answered) = sync_channel(1);
        self.translator.submit_input(input, &self.request, move |result| drop(answer.send(result)));
        state.under_way.push_back(answered);
        Ok(true)
    }
}

fn gone() -> Error {
    Error::Panicked("the threads of a translator have ended".into())
}

#[pymethods]
impl Stream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Translation>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.done.is_empty() && (state.source.is_some() || !state.under_way.is_empty()) {
            let state = &mut *state;
            work::run(py, || {
                // However this ends: if not well, nothing stays under way.
                let open = OnError(state);
                let advanced = self.advance(open.0);
                if advanced.is_ok() {
                    open.forget();
                }
                advanced
            })?;
        }
        let handed_out = state.done.is_empty();
        if let Some(error) = state.failed.take_if(|_| handed_out) {
            return Err(raise(py, &error));
        }
        let translator = self.translator.clone();
        Ok(state.done.pop_front().map(|done| Translation { translated: Arc::new(done), translator }))
    }
}

struct OnError<'s>(&'s mut State);

impl OnError<'_> {
    fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for OnError<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A translation.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Translation {
    translated: Arc<Translated>,
    translator: treeglot::Translator,
}

impl Translation {
    fn sentence(&self, py: Python<'_>, sentence: usize) -> PyResult<&Sentence> {
        self.translated.sentences.get(sentence).ok_or_else(|| invalid(py, "there is no such sentence"))
    }

    fn hypothesis(&self, py: Python<'_>, (sentence, rank): (usize, usize)) -> PyResult<&Hypothesis> {
        let best = &self.sentence(py, sentence)?.best;
        best.get(rank).ok_or_else(|| invalid(py, "there is no such translation"))
    }
}

#[pymethods]
impl Translation {
    /// The best translation of all sentences.
    #[getter]
    fn text(&self) -> String {
        self.translated.text()
    }

    /// How many translations each sentence has.
    #[getter]
    fn counts(&self) -> Vec<usize> {
        self.translated.sentences.iter().map(|sentence| sentence.best.len()).collect()
    }

    /// Text, words, score and system of a translation.
    fn basics(&self, py: Python<'_>, at: (usize, usize)) -> PyResult<(&str, &str, f64, usize)> {
        let Hypothesis { text, words, score, system, .. } = self.hypothesis(py, at)?;
        Ok((text, words, *score, *system))
    }

    /// The values of its features, as JSON.
    fn features(&self, py: Python<'_>, at: (usize, usize)) -> PyResult<String> {
        let hypothesis = self.hypothesis(py, at)?;
        Ok(json(&self.translator.features(hypothesis.system).named(&hypothesis.features)))
    }

    /// Why it is as it is, as JSON.
    fn explanation(&self, py: Python<'_>, at: (usize, usize)) -> PyResult<Option<String>> {
        Ok(self.hypothesis(py, at)?.explanation.as_ref().map(json))
    }

    /// Its dependency tree, where its rules have heads.
    fn target_tree(&self, py: Python<'_>, at: (usize, usize)) -> PyResult<Option<Tree>> {
        let hypothesis = self.hypothesis(py, at)?;
        Ok(hypothesis.tree.as_ref().map(|heads| {
            let mut parse = DepParse::new(0);
            for (word, &head) in hypothesis.words.split(' ').zip(heads) {
                parse.push_word(word, "_", Some(head), if head == 0 { "root" } else { "dep" });
            }
            Tree::new(AnyTree::Dep(parse))
        }))
    }

    /// The trees that parsers gave for a sentence.
    fn source_trees(&self, py: Python<'_>, sentence: usize) -> PyResult<Vec<Tree>> {
        Ok(self.sentence(py, sentence)?.parses.iter().map(|parse| Tree::of_parse(parse.clone())).collect())
    }

    /// What was narrowed because the sentence is long.
    fn narrowed(&self, py: Python<'_>, sentence: usize) -> PyResult<Vec<String>> {
        Ok(self.sentence(py, sentence)?.narrowed.clone())
    }
}

/// Plain data as JSON.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("names are text and scores are numbers")
}

/// Compares all files of a bundle with their checksums.
#[pyfunction]
fn verify_bundle(py: Python<'_>, folder: PathBuf) -> PyResult<()> {
    work::run(py, || Bundle::open(&folder)?.verify())
}

/// What a bundle says of itself, as JSON.
#[pyfunction]
fn bundle_card(py: Python<'_>, folder: PathBuf) -> PyResult<Option<String>> {
    let card = work::run(py, || Bundle::open(&folder)?.card())?;
    Ok(card.as_ref().map(json))
}
