//! Word alignment: models that are trained, saved, loaded and applied, and links as arrays.

use crate::array::{Array, Numbers};
use crate::input::Source;
use crate::{settings, work};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::io::{BufRead, Cursor, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use treeglot::align::links::Line;
use treeglot::align::{
    self, Aligned, Classes, Corpus, Error, LexCounts, LexTable, Model, Result, Settings, Words, priors,
};
use treeglot::text::bitext::{Bitext, Options};
use treeglot::text::column::MemoryBudget;
use treeglot::text::{Lines, Output};

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Aligner>()?;
    module.add_class::<Alignments>()?;
    module.add_function(wrap_pyfunction!(symmetrize, module)?)
}

/// How much memory is used where nobody says how much, in bytes.
const MEMORY: u64 = 4 << 30;

/// A model of how the words of two languages correspond.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Aligner {
    /// The model with what it was trained on; nothing for one that was loaded.
    trained: Option<(Model, Arc<Corpus>)>,
    /// The model for other pairs, made of the trained one when it is first needed.
    loaded: Mutex<Option<Loaded>>,
    settings: Settings,
    space: MemoryBudget,
}

/// A loaded model with its words, both of which grow with what is aligned.
struct Loaded {
    model: Model,
    words: [Words; 2],
}

/// Where links go.
#[derive(Default)]
struct Links {
    pairs: Vec<u32>,
    scores: Vec<f32>,
    starts: Vec<u64>,
}

impl Links {
    fn push(&mut self, aligned: &Aligned) {
        self.pairs.extend(aligned.links.iter().flat_map(|link| [link.src, link.tgt]));
        self.scores.extend_from_slice(&aligned.scores);
        self.starts.push(self.scores.len() as u64);
    }
}

impl Aligner {
    fn loaded(&self) -> MutexGuard<'_, Option<Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the model and its words, the trained ones if there are some.
    fn with<T>(&self, look: impl FnOnce(&Model, [&Words; 2]) -> T) -> T {
        match (&self.trained, &*self.loaded()) {
            (Some((model, corpus)), _) => look(model, corpus.words()),
            (None, Some(loaded)) => look(&loaded.model, loaded.words.each_ref()),
            (None, None) => unreachable!("a model is trained or loaded"),
        }
    }

    fn read(lines: &mut Lines, settings: &Settings, space: &MemoryBudget) -> Result<Loaded> {
        let (model, src, tgt) = priors::read(lines, settings, space)?;
        Ok(Loaded { model, words: [src, tgt] })
    }

    /// The model for other pairs than those it was trained on: as if it had been saved and loaded.
    fn for_others(&self) -> Result<MutexGuard<'_, Option<Loaded>>> {
        if self.loaded().is_none() {
            let mut saved = Vec::new();
            let written = self.with(|model, words| priors::write(model, words, &mut saved));
            written.expect("memory takes every byte");
            let mut lines = Lines::new("model", Box::new(Cursor::new(saved)) as Box<dyn BufRead + Send>);
            let loaded = Self::read(&mut lines, &self.settings, &self.space)?;
            *self.loaded() = Some(loaded);
        }
        Ok(self.loaded())
    }

    /// Links all pairs of a corpus: into a file, or into memory.
    fn link(
        &self,
        model: &Model,
        corpus: &Arc<Corpus>,
        output: Option<&PathBuf>,
    ) -> Result<Option<Alignments>> {
        let Settings { symmetrize, order, .. } = self.settings;
        if let Some(path) = output {
            let mut output = Output::create(path)?;
            model.align(corpus, symmetrize, order, |_, aligned| {
                writeln!(output, "{}", Line(&aligned.links)).map_err(|error| Error::from(output.error(error)))
            })?;
            output.finish()?;
            return Ok(None);
        }
        let mut links = Links { starts: vec![0], ..Links::default() };
        model.align(corpus, symmetrize, order, |_, aligned| {
            links.push(aligned);
            Ok::<(), Error>(())
        })?;
        Ok(Some(Alignments {
            pairs: links.pairs.into(),
            scores: links.scores.into(),
            starts: links.starts.into(),
            corpus: corpus.clone(),
        }))
    }
}

/// Two texts in step.
fn bitext(source: Source, target: Source, skip_bad: bool) -> Result<Bitext> {
    let options = Options { skip_bad, ..Options::default() };
    Ok(Bitext::new(vec![source.lines()?, target.lines()?], options))
}

fn classes(path: Option<&PathBuf>, words: &Words) -> Result<Option<Classes>> {
    path.map(|path| Classes::read(&mut Lines::open(path)?, words)).transpose()
}

#[pymethods]
impl Aligner {
    /// Trains a model; `tell` is called with what was done after each step.
    #[staticmethod]
    fn train(
        py: Python<'_>,
        texts: (Bound<'_, PyAny>, Bound<'_, PyAny>),
        settings: &str,
        class_files: (Option<PathBuf>, Option<PathBuf>),
        skip_bad: bool,
        memory: Option<u64>,
        threads: usize,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let settings: Settings = settings::read(py, settings)?;
        let source = Source::file_or_lines(&texts.0, "source")?;
        let target = Source::file_or_lines(&texts.1, "target")?;
        let space = MemoryBudget::new(memory.unwrap_or(MEMORY));
        let report = |step: &str| work::tell(tell.as_ref(), step);
        let (model, corpus) = work::run_on(py, threads, || -> Result<_> {
            settings.check()?;
            let corpus = Corpus::read(&mut bitext(source, target, skip_bad)?, settings.max_length, &space)?;
            report("read");
            let classes = [
                classes(class_files.0.as_ref(), &corpus.src.words)?,
                classes(class_files.1.as_ref(), &corpus.tgt.words)?,
            ];
            Ok((Model::train_with_classes(&corpus, &settings, classes, report)?, corpus))
        })?;
        let trained = Some((model, Arc::new(corpus)));
        Ok(Self { trained, loaded: Mutex::new(None), settings, space })
    }

    /// Loads a model that was saved, or eflomal's priors.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, settings: &str, memory: Option<u64>) -> PyResult<Self> {
        let settings: Settings = settings::read(py, settings)?;
        let space = MemoryBudget::new(memory.unwrap_or(MEMORY));
        let loaded = work::run_on(py, 0, || Self::read(&mut Lines::open(&path)?, &settings, &space))?;
        Ok(Self { trained: None, loaded: Mutex::new(Some(loaded)), settings, space })
    }

    /// Saves the model as text.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        if self.trained.is_none() {
            return Err(crate::errors::invalid(py, "the model was loaded: copy its file"));
        }
        work::run(py, || -> Result<()> {
            let mut output = Output::create(&path)?;
            let written = self.with(|model, words| priors::write(model, words, &mut output));
            written.map_err(|error| output.error(error))?;
            Ok(output.finish()?)
        })
    }

    /// The links of the pairs it was trained on.
    fn links(&self, py: Python<'_>, output: Option<PathBuf>, threads: usize) -> PyResult<Option<Alignments>> {
        let Some((model, corpus)) = &self.trained else {
            return Err(crate::errors::invalid(
                py,
                "the model was loaded: it has no pairs of its own to link",
            ));
        };
        work::run_on(py, threads, || self.link(model, corpus, output.as_ref()))
    }

    /// The links of other pairs.
    fn align(
        &self,
        py: Python<'_>,
        texts: (Bound<'_, PyAny>, Bound<'_, PyAny>),
        output: Option<PathBuf>,
        skip_bad: bool,
        threads: usize,
    ) -> PyResult<Option<Alignments>> {
        let source = Source::file_or_lines(&texts.0, "source")?;
        let target = Source::file_or_lines(&texts.1, "target")?;
        work::run_on(py, threads, || {
            let mut bitext = bitext(source, target, skip_bad)?;
            let mut loaded = self.for_others()?;
            let loaded = loaded.as_mut().expect("it was made");
            let [src, tgt] = loaded.words.clone();
            let corpus = Corpus::read_with(&mut bitext, self.settings.max_length, src, tgt, &self.space)?;
            loaded.model.adapt(&corpus)?;
            loaded.words = corpus.words().map(Words::clone);
            self.link(&loaded.model, &Arc::new(corpus), output.as_ref())
        })
    }

    /// Which model it is.
    #[getter]
    fn model(&self) -> &'static str {
        self.with(|model, _| model.kind.name())
    }

    /// How many words of either language it knows.
    #[getter]
    fn vocabulary(&self) -> [usize; 2] {
        self.with(|_, words| words.map(Words::len))
    }
}

/// The links of many pairs.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Alignments {
    pairs: Arc<[u32]>,
    scores: Arc<[f32]>,
    starts: Arc<[u64]>,
    corpus: Arc<Corpus>,
}

/// The words of both sides, the links, and their scores.
type Pair = ([Vec<String>; 2], Vec<(u32, u32)>, Vec<f32>);

#[pymethods]
impl Alignments {
    fn __len__(&self) -> usize {
        self.starts.len() - 1
    }

    /// A pair with its links.
    fn pair(&self, at: usize) -> PyResult<Pair> {
        if at + 1 >= self.starts.len() {
            return Err(PyIndexError::new_err(format!("there are {} pairs", self.__len__())));
        }
        let range = self.starts[at] as usize..self.starts[at + 1] as usize;
        let words = [&self.corpus.src, &self.corpus.tgt].map(|side| {
            side.sentence(at).iter().map(|&word| side.words.text(word).to_string()).collect::<Vec<_>>()
        });
        let pairs = self.pairs[2 * range.start..2 * range.end].chunks_exact(2).map(|link| (link[0], link[1]));
        Ok((words, pairs.collect(), self.scores[range].to_vec()))
    }

    /// The links of a pair as `0-0 1-2`.
    fn line(&self, at: usize) -> PyResult<String> {
        let links: Vec<String> = self.pair(at)?.1.iter().map(|(src, tgt)| format!("{src}-{tgt}")).collect();
        Ok(links.join(" "))
    }

    /// All links, a row each: source and target position.
    #[getter]
    fn links(&self) -> Array {
        Array::rows(Numbers::U32(self.pairs.clone()), 2)
    }

    /// The probability of each link.
    #[getter]
    fn scores(&self) -> Array {
        Array::new(Numbers::F32(self.scores.clone()))
    }

    /// Where the links of each pair begin, and after the last one their number.
    #[getter]
    fn starts(&self) -> Array {
        Array::new(Numbers::U64(self.starts.clone()))
    }

    /// The pairs that were left out because a side is too long: line, source and target words.
    #[getter]
    fn skipped(&self) -> Vec<(u64, u64, u64)> {
        self.corpus.skipped.iter().map(|pair| (pair.line, pair.src, pair.tgt)).collect()
    }

    /// Writes the links as text.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        work::run(py, || -> Result<()> {
            let mut output = Output::create(&path)?;
            for range in self.starts.windows(2) {
                let pairs = &self.pairs[2 * range[0] as usize..2 * range[1] as usize];
                let links: Vec<_> = pairs.chunks_exact(2).map(|p| align::Link::new(p[0], p[1])).collect();
                writeln!(output, "{}", Line(&links)).map_err(|error| output.error(error))?;
            }
            Ok(output.finish()?)
        })
    }

    /// Writes lexical tables over the links: PREFIX.f2e and PREFIX.e2f.
    fn write_lexicon(&self, py: Python<'_>, prefix: PathBuf) -> PyResult<()> {
        work::run_on(py, 0, || -> Result<()> {
            let mut lex = LexCounts::new(&self.corpus);
            for (at, range) in self.starts.windows(2).enumerate() {
                let pairs = &self.pairs[2 * range[0] as usize..2 * range[1] as usize];
                let links: Vec<_> = pairs.chunks_exact(2).map(|p| align::Link::new(p[0], p[1])).collect();
                lex.add(self.corpus.src.sentence(at), self.corpus.tgt.sentence(at), &links)?;
            }
            for table in LexTable::BOTH {
                let probabilities = lex.table(table)?;
                let mut output = Output::create(table.path(&prefix))?;
                probabilities.write(&mut output).map_err(|error| output.error(error))?;
                output.finish()?;
            }
            Ok(())
        })
    }
}

/// The links of two directions combined.
#[pyfunction]
fn symmetrize(
    py: Python<'_>,
    forward: Vec<(u32, u32)>,
    reverse: Vec<(u32, u32)>,
    settings: &str,
) -> PyResult<Vec<(u32, u32)>> {
    let settings: Settings = settings::read(py, settings)?;
    let links =
        |pairs: Vec<(u32, u32)>| pairs.into_iter().map(|(src, tgt)| align::Link::new(src, tgt)).collect();
    let (forward, reverse): (Vec<_>, Vec<_>) = (links(forward), links(reverse));
    let combined = align::symmetrize(&forward, &reverse, settings.symmetrize, settings.order);
    Ok(combined.into_iter().map(|link| (link.src, link.tgt)).collect())
}
