//! Trees of any format.

use crate::array::{Array, Numbers};
use crate::errors::{invalid, raise};
use crate::input::Source;
use crate::work;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use std::collections::VecDeque;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use treeglot::parse::Parse;
use treeglot::text::{Input, Output};
use treeglot::tree::convert::{ConvertError, Converter, Options};
use treeglot::tree::format::ptb::BracketLayout;
use treeglot::tree::format::{AnyReader, AnyTree, FORMATS, Format, ReadOptions, ReadTrees};
use treeglot::tree::page::Drawing;
use treeglot::tree::transform::heads::{BuiltIn, HeadRules};
use treeglot::tree::transform::lift::{Scheme, lift};
use treeglot::tree::transform::strip::Strip;
use treeglot::tree::{ConTree, DepParse, Error, Field, Roots};

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Tree>()?;
    module.add_class::<TreeReader>()?;
    module.add_function(wrap_pyfunction!(read_trees, module)?)?;
    module.add_function(wrap_pyfunction!(parse_trees, module)?)?;
    module.add_function(wrap_pyfunction!(write_trees, module)?)?;
    module.add_function(wrap_pyfunction!(format_of, module)?)?;
    module.add_function(wrap_pyfunction!(formats, module)?)
}

/// How many trees are read, or written, at a time.
const BLOCK: usize = 64;

/// A tree of a sentence.
#[pyclass(frozen, module = "treeglot")]
#[derive(Clone)]
pub struct Tree(Arc<AnyTree>);

impl Tree {
    /// A tree.
    pub fn new(tree: AnyTree) -> Self {
        Self(tree.into())
    }

    /// What a parser gave.
    pub fn of_parse(parse: Parse) -> Self {
        Self::new(match parse {
            Parse::Dependency(parse) => parse.into(),
            Parse::Constituency(tree) => tree.into(),
        })
    }

    fn dependencies(&self) -> Option<&DepParse> {
        match &*self.0 {
            AnyTree::Dep(parse) => Some(parse),
            _ => None,
        }
    }

    /// The tree as constituents, where it has some of its own.
    fn constituents(&self) -> Option<ConTree> {
        match &*self.0 {
            AnyTree::Con(tree) => Some(tree.clone()),
            AnyTree::Tiger(sentence) => sentence.clone().into_tree(),
            _ => None,
        }
    }

    fn parse(&self, py: Python<'_>) -> PyResult<&DepParse> {
        self.dependencies().ok_or_else(|| invalid(py, "this is no dependency tree: convert it first"))
    }
}

/// Calls a function of a module of the package with an argument.
fn python<'py>(py: Python<'py>, module: &str, function: &str, own: Tree) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(function)?.call1((own,))
}

#[pymethods]
impl Tree {
    /// `dependency`, `constituency`, `other` (a derivation, a graph, a forest) or `none`, for a sentence that has no tree.
    #[getter]
    fn kind(&self) -> &'static str {
        match &*self.0 {
            AnyTree::Dep(_) => "dependency",
            AnyTree::Con(_) | AnyTree::Tiger(_) => "constituency",
            AnyTree::Failed => "none",
            AnyTree::Enju(_) | AnyTree::Derivation(_) | AnyTree::Graph(_) | AnyTree::Forest(_) => "other",
        }
    }

    /// The words.
    #[getter]
    fn words(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        if let Some(parse) = self.dependencies() {
            return Ok(parse.forms().map(str::to_string).collect());
        }
        let tree = self.constituents();
        let tree = tree.ok_or_else(|| invalid(py, "convert it to dependencies or constituents first"))?;
        Ok(tree.forms().map(str::to_string).collect())
    }

    /// The head of each word of a dependency tree, from 1, 0 for the root and -1 where there is none.
    #[getter]
    fn heads(&self, py: Python<'_>) -> PyResult<Array> {
        let parse = self.parse(py)?;
        let head = |word| parse.raw_head(word).map_or(-1, |head| head as i32);
        Ok(Array::new(Numbers::I32(parse.words().map(head).collect())))
    }

    /// A column of a dependency tree.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Vec<&str>> {
        let field = match name {
            "form" => Field::Form,
            "lemma" => Field::Lemma,
            "upos" => Field::Upos,
            "xpos" => Field::Xpos,
            "feats" => Field::Feats,
            "deprel" => Field::Deprel,
            "deps" => Field::Deps,
            "misc" => Field::Misc,
            _ => return Err(invalid(py, &format!("CoNLL-U has no column `{name}`"))),
        };
        let parse = self.parse(py)?;
        Ok(parse.words().map(|word| parse.get(word, field)).collect())
    }

    /// The comments of a dependency tree, as they stand in its file.
    #[getter]
    fn comments(&self, py: Python<'_>) -> PyResult<Vec<&str>> {
        let notes = self.parse(py)?.notes();
        Ok(notes
            .filter(|(kind, ..)| *kind == treeglot::tree::Note::Comment)
            .map(|(_, text, _)| text)
            .collect())
    }

    /// Whether no arc of a dependency tree crosses another, or no constituent has a gap.
    #[getter]
    fn is_projective(&self, py: Python<'_>) -> PyResult<bool> {
        if let Some(tree) = self.constituents() {
            return Ok(tree.is_continuous());
        }
        let tree = self.parse(py)?.checked_tree(Roots::AttachToFirst);
        Ok(tree.map_err(|error| raise(py, &error))?.is_projective())
    }

    /// A dependency tree without crossing arcs: dependents are lifted to a head further up.
    fn lifted(&self, py: Python<'_>) -> PyResult<Self> {
        let lifted =
            lift(self.parse(py)?, Roots::AttachToFirst, Scheme::Head).map_err(|error| raise(py, &error))?;
        Ok(Self::new(lifted.into()))
    }

    /// The nodes of a constituency tree in pre-order: label, parent (-1 for the root), first word, and the word after the last.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<Vec<(String, i64, u32, u32)>> {
        let tree = self.constituents().ok_or_else(|| invalid(py, "this is no constituency tree"))?;
        let node = |node| {
            let (hull, parent) =
                (tree.hull(node), tree.parent(node).map_or(-1, |parent| i64::from(parent.0)));
            (tree.label(node).to_string(), parent, hull.start, hull.end)
        };
        Ok(tree.nodes().map(node).collect())
    }

    /// What drawings are made from, as JSON.
    fn drawing(&self, py: Python<'_>) -> PyResult<String> {
        let drawing = match (self.dependencies(), self.constituents()) {
            (Some(parse), _) => Drawing::from(parse),
            (None, Some(tree)) => Drawing::from(&tree),
            (None, None) => return Err(invalid(py, "convert it to dependencies or constituents first")),
        };
        Ok(serde_json::to_string(&drawing).expect("words and numbers are always written"))
    }

    /// The tree as text of a format; constituents get heads by the rules `ptb`, `negra`, `ctb`, `ftb` or of a file.
    #[pyo3(signature = (format, *, heads = None, strip = false))]
    fn to(&self, py: Python<'_>, format: &str, heads: Option<&str>, strip: bool) -> PyResult<String> {
        let (format, options) = (named(py, format)?, options(py, heads, strip)?);
        let convert = || -> Result<Vec<u8>, ConvertError> {
            let mut converter = Converter::new(format, options, Vec::new())?;
            converter.add((*self.0).clone(), None)?;
            Ok(converter.finish()?.0)
        };
        let text = convert().map_err(|error| raise(py, &error))?;
        String::from_utf8(text).map_err(|_| invalid(py, "this format is no text"))
    }

    /// The tree in another form: as dependencies (`conllu`) or constituents (`ptb`).
    #[pyo3(signature = (format, *, heads = None, strip = false))]
    fn converted(&self, py: Python<'_>, format: &str, heads: Option<&str>, strip: bool) -> PyResult<Self> {
        let text = self.to(py, format, heads, strip)?;
        let mut trees = parse_trees(py, text, format)?;
        match trees.len() {
            1 => Ok(trees.remove(0)),
            many => Err(invalid(py, &format!("the tree became {many} trees"))),
        }
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let format = match &*self.0 {
            AnyTree::Dep(_) => "conllu",
            AnyTree::Con(_) | AnyTree::Tiger(_) => "ptb",
            AnyTree::Failed => return Ok(String::new()),
            _ => return Ok(self.__repr__(py)),
        };
        self.to(py, format, None, false)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let words = self.words(py).map(|words| words.join(" ")).unwrap_or_default();
        format!("<treeglot.Tree {}: {words}>", self.kind())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(if matches!(&*self.0, AnyTree::Failed) { 0 } else { self.words(py)?.len() })
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let text = |tree: &Self| tree.__str__(py).ok();
        Arc::ptr_eq(&self.0, &other.0) || (self.kind() == other.kind() && text(self) == text(other))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        pyo3::types::PyString::new(py, &self.__str__(py)?).hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, &'static str))> {
        let format = if self.dependencies().is_some() { "conllu" } else { "ptb" };
        let make = py.import("treeglot.trees")?.getattr("from_string")?;
        Ok((make, (self.to(py, format, None, false)?, format)))
    }

    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, "treeglot._draw", "tree", self.clone())
    }

    /// The tree as a `networkx.DiGraph`.
    fn to_networkx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, "treeglot._others", "to_networkx", self.clone())
    }

    /// The tree as an `nltk.Tree`, or an `nltk.DependencyGraph`.
    fn to_nltk<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, "treeglot._others", "to_nltk", self.clone())
    }

    /// The tree as a `conllu.TokenList`.
    fn to_conllu<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, "treeglot._others", "to_conllu", self.clone())
    }

    /// The tree as a `spacy.tokens.Doc`.
    #[pyo3(signature = (vocab = None))]
    fn to_spacy<'py>(
        &self,
        py: Python<'py>,
        vocab: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        py.import("treeglot._others")?.getattr("to_spacy")?.call1((self.clone(), vocab))
    }
}

/// Reads trees one after the other.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct TreeReader(Mutex<Reading>);

struct Reading {
    /// None after the last tree.
    reader: Option<AnyReader>,
    read: VecDeque<Tree>,
    failed: Option<Error>,
}

impl Reading {
    fn fill(&mut self) {
        let Some(reader) = &mut self.reader else { return };
        while self.read.len() < BLOCK {
            match reader.next_tree() {
                Ok(Some(tree)) => self.read.push_back(Tree::new(tree)),
                other => {
                    self.failed = other.err();
                    self.reader = None;
                    return;
                }
            }
        }
    }
}

#[pymethods]
impl TreeReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Tree>> {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reading.read.is_empty() && reading.reader.is_some() {
            let reading = &mut *reading;
            work::here(py, || {
                reading.fill();
                Ok::<_, Error>(())
            })?;
        }
        match (reading.read.pop_front(), reading.failed.take()) {
            (Some(tree), failed) => {
                reading.failed = failed;
                Ok(Some(tree))
            }
            (None, Some(error)) => Err(raise(py, &error)),
            (None, None) => Ok(None),
        }
    }
}

/// Opens trees: of a file, or of the lines of an iterator.
#[pyfunction]
fn read_trees(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    format: &str,
    one_per_line: bool,
    text: Option<PathBuf>,
) -> PyResult<TreeReader> {
    let (format, source) = (named(py, format)?, Source::file_or_lines(source, "trees")?);
    let brackets = if one_per_line { BracketLayout::OnePerLine } else { BracketLayout::Free };
    let reader = work::here(py, || format.read(source.open()?, &ReadOptions { brackets, text }))?;
    Ok(TreeReader(Mutex::new(Reading { reader: Some(reader), read: VecDeque::new(), failed: None })))
}

/// The trees of a text.
#[pyfunction]
fn parse_trees(py: Python<'_>, text: String, format: &str) -> PyResult<Vec<Tree>> {
    let format = named(py, format)?;
    work::here(py, || {
        let input = Input { name: "text".into(), reader: Box::new(Cursor::new(text.into_bytes())) };
        let mut reader = format.read(input, &ReadOptions::default())?;
        let mut trees = Vec::new();
        while let Some(tree) = reader.next_tree()? {
            trees.push(Tree::new(tree));
        }
        Ok::<_, Error>(trees)
    })
}

/// Writes trees to a file; how many there were.
#[pyfunction]
fn write_trees(
    py: Python<'_>,
    trees: &Bound<'_, PyAny>,
    path: PathBuf,
    format: &str,
    heads: Option<&str>,
    strip: bool,
) -> PyResult<usize> {
    let (format, options) = (named(py, format)?, options(py, heads, strip)?);
    let trees = trees.try_iter()?.unbind();
    work::run(py, || -> Result<usize, ConvertError> {
        let output = Output::create(&path).map_err(Error::from)?;
        let mut converter = Converter::new(format, options, output)?;
        loop {
            let block = Python::attach(|py| block(trees.bind(py))).map_err(std::io::Error::other)?;
            if block.is_empty() {
                break;
            }
            for tree in block {
                converter.add((*tree.0).clone(), None)?;
            }
        }
        let (output, summary) = converter.finish()?;
        output.finish().map_err(Error::from)?;
        Ok(summary.sentences)
    })
}

/// Some trees of an iterator.
fn block(trees: &Bound<'_, PyIterator>) -> PyResult<Vec<Tree>> {
    let next = |tree: PyResult<Bound<'_, PyAny>>| Ok(tree?.cast::<Tree>()?.get().clone());
    trees.clone().take(BLOCK).map(next).collect()
}

/// The format that a file's name tells.
#[pyfunction]
fn format_of(path: PathBuf) -> Option<&'static str> {
    Format::of_file(path).map(Format::name)
}

/// The names of the formats, with a line about each.
#[pyfunction]
fn formats() -> Vec<(&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name(), format.about())).collect()
}

fn named(py: Python<'_>, name: &str) -> PyResult<Format> {
    name.parse().map_err(|_| invalid(py, &format!("there is no format `{name}`, but {}", Format::names())))
}

fn options(py: Python<'_>, heads: Option<&str>, strip: bool) -> PyResult<Options> {
    let rules = |name: &str| match BuiltIn::from_name(name) {
        Some(table) => Ok(HeadRules::built_in(table)),
        None if Path::new(name).exists() => HeadRules::open(name).map_err(|error| raise(py, &error)),
        None => Err(invalid(
            py,
            &format!(
                "there are no head rules `{name}`: give ptb, negra, ctb, ftb, or the file of your own rules"
            ),
        )),
    };
    Ok(Options {
        heads: heads.map(rules).transpose()?,
        strip: if strip { Strip::ALL } else { Strip::default() },
        roots: Roots::AttachToFirst,
        ..Options::default()
    })
}
