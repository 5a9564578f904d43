//! Rules of training pairs.

use crate::errors::{invalid, raise};
use crate::work;
use pyo3::prelude::*;
use serde::Deserialize;
use std::io::Write;
use std::path::PathBuf;
use treeglot::align::LexTable;
use treeglot::grammar::{Batch, notation};
use treeglot::models::extract::{Lexicon, extract};
use treeglot::models::pairs::{Files, Pairs};
use treeglot::models::registry;
use treeglot::text::Output;
use treeglot::text::bitext;
use treeglot::tree::PerTree;

/// Adds the functions of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(extract_rules, module)?)?;
    module.add_function(wrap_pyfunction!(models, module)?)
}

/// The files of pairs, as keywords.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct PairFiles {
    source: PathBuf,
    target: PathBuf,
    links: PathBuf,
    trees: PerTree<Vec<PathBuf>>,
    node_links: Option<PathBuf>,
    skip_bad: bool,
    lex: Option<PathBuf>,
    threads: usize,
}

/// Writes the rule instances of pairs to a file; what there is to say of them.
#[pyfunction]
fn extract_rules(
    py: Python<'_>,
    model: &str,
    files: &str,
    options: &str,
    output: PathBuf,
) -> PyResult<String> {
    let PairFiles { source, target, links, trees, node_links, skip_bad, lex, threads } =
        crate::settings::read(py, files)?;
    let options = serde_json::from_str(options).map_err(|error| invalid(py, &error.to_string()))?;
    let model = registry::find(model).and_then(|entry| entry.from_value(options));
    let model = model.map_err(|error| raise(py, &error))?;
    let files = Files { source, target, links, trees, node_links };
    work::run_on(py, threads, || -> treeglot::Result<String> {
        let read = bitext::Options { skip_bad, ..bitext::Options::default() };
        let mut pairs = Pairs::open(&files, model.needs(), read)?;
        let mut lexicon = lex.is_some().then(Lexicon::default);
        let mut out = Output::create(&output)?;
        let text = |batch: Batch| {
            let mut text = Vec::new();
            notation::write_batch(&batch, &mut text);
            text
        };
        let take =
            |text: Vec<u8>| out.write_all(&text).map_err(|error| treeglot::Error::from(out.error(error)));
        let summary = extract(&mut pairs, &*model, lexicon.as_mut(), text, take)?;
        out.finish()?;
        for (lexicon, prefix) in lexicon.iter().zip(&lex) {
            for table in LexTable::BOTH {
                let mut out = Output::create(table.path(prefix))?;
                lexicon.write(table, &mut out).map_err(|error| out.error(error))?;
                out.finish()?;
            }
        }
        Ok(summary.to_string())
    })
}

/// The names of the models, with a line about each.
#[pyfunction]
fn models() -> Vec<(&'static str, &'static str)> {
    registry::MODELS.iter().map(|entry| (entry.name, entry.about)).collect()
}
