//! Parsers: trained, opened, and asked for trees.

use crate::errors::raise;
use crate::input::Source;
use crate::tree::Tree;
use crate::{settings, work};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use treeglot::parse::{self, ParseSettings, Progress, Result, Settings, Treebank, Worker, train};
use treeglot::text::tokenize::Tokenizer;
use treeglot::text::{Lines, interrupt};
use treeglot::tree::format::AnyTree;

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Parser>()?;
    module.add_class::<ParseStream>()
}

/// The sentences that one worker takes together, and that are read before their parses are handed out: as on the command line.
const CHUNK: usize = 32;
const BLOCK: usize = 16 * CHUNK;

/// A parser.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Parser {
    parser: parse::Parser,
    settings: ParseSettings,
}

#[pymethods]
impl Parser {
    #[new]
    fn open(py: Python<'_>, path: PathBuf, settings: &str) -> PyResult<Self> {
        let settings = settings::read(py, settings)?;
        Ok(Self { parser: work::run(py, || parse::Parser::open(&path))?, settings })
    }

    /// Trains a parser and saves it; `tell` is called with what was done.
    #[staticmethod]
    fn train(
        py: Python<'_>,
        treebanks: Vec<PathBuf>,
        dev: Vec<PathBuf>,
        output: PathBuf,
        settings: &str,
        skip_bad: bool,
        threads: usize,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let settings: Settings = settings::read(py, settings)?;
        let report = |progress: Progress| work::tell(tell.as_ref(), &said(&progress));
        work::run_on(py, threads, || -> Result<()> {
            let kind = settings.method.kind();
            let bank = Treebank::open(kind, &treebanks, skip_bad)?;
            let dev = (!dev.is_empty()).then(|| Treebank::open(kind, &dev, skip_bad)).transpose()?;
            train(&settings, &bank, dev.as_ref(), &report)?.save(&output)
        })
    }

    /// `dependency` or `constituency`.
    #[getter]
    fn kind(&self) -> String {
        self.parser.kind().to_string()
    }

    /// The parses of lines, as they are taken: the best, several, or a forest of each.
    fn stream(
        &self,
        py: Python<'_>,
        lines: &Bound<'_, PyAny>,
        pretokenized: bool,
        wanted: (usize, bool),
        threads: usize,
    ) -> PyResult<ParseStream> {
        let source = Source::file_or_lines(lines, "text")?;
        let tokenizer = match pretokenized {
            true => None,
            false => Some(self.parser.tokenizer().map_err(|error| raise(py, &error))?),
        };
        let lines = work::here(py, || source.lines())?;
        let (kbest, forests) = wanted;
        let job =
            Job { parser: self.parser.clone(), settings: self.settings.clone(), tokenizer, kbest, forests };
        let state = Mutex::new((Some(lines), VecDeque::new()));
        Ok(ParseStream { job, threads, state })
    }
}

/// What there is to say of progress.
fn said(progress: &Progress) -> String {
    match progress {
        Progress::Round { network, round, loss, dev } => {
            let dev = dev.map(|dev| format!(", dev {:.2}", 100.0 * dev)).unwrap_or_default();
            format!("network {network}, round {round}: loss {loss:.4}{dev}")
        }
        Progress::Kept { network, round, dev } => {
            format!("network {network}: kept round {round}, dev {:.2}", 100.0 * dev)
        }
        Progress::Tagged => "the tagger is trained".to_string(),
        Progress::LeftOut(left_out) => format!("{left_out} sentences are no trees, left out"),
    }
}

/// One run of a parser.
struct Job {
    parser: parse::Parser,
    settings: ParseSettings,
    tokenizer: Option<Tokenizer>,
    kbest: usize,
    forests: bool,
}

/// The parses of a sentence with their scores.
type Parses = Vec<(Tree, Option<f64>)>;

impl Job {
    fn chunk(&self, worker: &mut Worker, chunk: &[String]) -> Vec<Parses> {
        interrupt::check();
        let cut: Vec<Vec<parse::Token>> = match &self.tokenizer {
            Some(tokenizer) => {
                let mut tokens = tokenizer.worker();
                chunk.iter().map(|text| self.parser.tokens(&mut tokens, text)).collect()
            }
            None => Vec::new(),
        };
        if self.kbest == 1 && !self.forests {
            let parses = match &self.tokenizer {
                Some(_) => worker.parse_tokens(&cut),
                None => {
                    let words: Vec<Vec<&str>> =
                        chunk.iter().map(|line| line.split_whitespace().collect()).collect();
                    worker.parse_all(&words.iter().map(Vec::as_slice).collect::<Vec<_>>())
                }
            };
            return parses.into_iter().map(|parse| vec![(Tree::of_parse(parse), None)]).collect();
        }
        let words = |at: usize| -> Vec<&str> {
            match &self.tokenizer {
                Some(_) => cut[at].iter().flat_map(|token| token.words()).collect(),
                None => chunk[at].split_whitespace().collect(),
            }
        };
        (0..chunk.len()).map(|at| self.several(worker, &words(at))).collect()
    }

    fn several(&self, worker: &mut Worker, words: &[&str]) -> Parses {
        if self.forests {
            return vec![(Tree::new(AnyTree::from(worker.forest(words))), None)];
        }
        let list = worker.kbest(words, self.kbest).into_iter();
        list.map(|scored| (Tree::of_parse(scored.parse), Some(scored.score))).collect()
    }
}

/// Parses of lines, made as they are taken.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct ParseStream {
    job: Job,
    threads: usize,
    state: Mutex<(Option<Lines>, VecDeque<Parses>)>,
}

#[pymethods]
impl ParseStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Parses>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (lines, done) = &mut *state;
        if let Some(own) = lines.as_mut().filter(|_| done.is_empty()) {
            let parsed = work::run_on(py, self.threads, || -> Result<Option<VecDeque<Parses>>> {
                let mut block = Vec::new();
                while block.len() < BLOCK
                    && let Some(line) = own.next_line()?
                {
                    block.push(line.to_string());
                }
                let worker = || self.job.parser.worker(&self.job.settings);
                let parsed: Vec<Vec<Parses>> = block
                    .par_chunks(CHUNK)
                    .map_init(worker, |worker, chunk| self.job.chunk(worker, chunk))
                    .collect();
                Ok((!block.is_empty()).then(|| parsed.into_iter().flatten().collect()))
            });
            match parsed {
                Ok(Some(parsed)) => *done = parsed,
                Ok(None) => *lines = None,
                Err(error) => {
                    *lines = None;
                    return Err(error);
                }
            }
        }
        Ok(done.pop_front())
    }
}
