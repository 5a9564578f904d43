//! Training and experiments.

use crate::spark::PythonEngine;
use crate::work::tell;
use crate::{settings, work};
use pyo3::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use treeglot::pipeline::{REPORT, Results};
use treeglot::{
    Cache, Error, Given, Progress, Recipe, Resources, Result, publish, run_experiment, sample, train,
};

/// Adds the functions of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_bundle, module)?)?;
    module.add_function(wrap_pyfunction!(run_recipe, module)?)?;
    module.add_function(wrap_pyfunction!(write_sample, module)?)
}

/// Memory, threads and stages side by side, where they are given.
#[derive(FromPyObject)]
pub struct Budget(Option<u64>, Option<usize>, Option<usize>);

impl Budget {
    fn resources(&self) -> Resources {
        let default = Resources::default();
        let Self(memory, threads, jobs) = *self;
        Resources {
            memory: memory.unwrap_or(default.memory),
            threads: threads.unwrap_or(default.threads),
            jobs: jobs.unwrap_or(default.jobs),
        }
    }
}

/// Stages run on threads of their own, and those use the pool of the whole process: the first run says how large it is.
fn start_pool(threads: usize) {
    static STARTED: Once = Once::new();
    // One that runs already is as good.
    STARTED.call_once(|| drop(rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()));
}

/// The engine that an object of Python is, if there is one.
fn engine_of(py: Python<'_>, engine: Option<Py<PyAny>>) -> PyResult<Option<Arc<PythonEngine>>> {
    engine.map(|engine| PythonEngine::new(py, engine).map(Arc::new)).transpose()
}

fn with_engine(cache: Cache, engine: Option<Arc<PythonEngine>>) -> Cache {
    match engine {
        Some(engine) => cache.with_engine(engine),
        None => cache,
    }
}

/// Opens a recipe, which is a file or the text of one.
fn recipe(given: &str, data: Option<&Path>) -> Result<Recipe> {
    match given.contains('\n') {
        true => Recipe::parse(given, "recipe".as_ref(), Path::new("."), data),
        false => Recipe::open(given.as_ref(), data),
    }
}

/// Trains a system, of a recipe or of given files, and writes its bundle.
#[pyfunction]
fn train_bundle(
    py: Python<'_>,
    from: (Option<String>, Option<String>),
    system: Option<String>,
    output: PathBuf,
    folders: (Option<PathBuf>, Option<PathBuf>),
    budget: Budget,
    listener: Option<Py<PyAny>>,
    engine: Option<Py<PyAny>>,
) -> PyResult<()> {
    let given: Option<Given> = from.1.map(|given| settings::read(py, &given)).transpose()?;
    let (cache, data) = folders;
    let engine = engine_of(py, engine)?;
    let (resources, listener) = (budget.resources(), listener.as_ref());
    start_pool(resources.threads);
    work::run(py, || -> Result<()> {
        if output.join(treeglot::pipeline::bundle::MANIFEST).exists() {
            let why = "there is a bundle already: remove it, or name another folder".to_string();
            return Err(Error::Bundle { path: output.clone(), why });
        }
        // What is done is kept beside the bundle until it is complete: started again, training goes on where it was.
        let mut own = output.clone().into_os_string();
        own.push(".work");
        let own = PathBuf::from(own);
        let recipe = match (&from.0, &given) {
            (Some(path), _) => recipe(path, data.as_deref())?,
            (None, Some(given)) => {
                let (recipe, decisions) = given.recipe(cache.as_ref().unwrap_or(&own))?;
                decisions.iter().for_each(|decision| tell(listener, &decision.to_string()));
                recipe
            }
            (None, None) => return Err(Error::Invalid("give a recipe, or two texts".to_string())),
        };
        let folder = with_engine(Cache::open(cache.as_ref().unwrap_or(&own))?, engine);
        train(&recipe, system.as_deref(), &folder, resources, &progress(listener), &output)?;
        if cache.is_none() {
            std::fs::remove_dir_all(&own).map_err(|source| Error::File {
                path: own,
                doing: "remove",
                source,
            })?;
        }
        Ok(())
    })
}

/// Progress for a function of Python.
pub fn progress(listener: Option<&Py<PyAny>>) -> Progress {
    let Some(listener) = listener else { return Progress::quiet() };
    let listener = Python::attach(|py| listener.clone_ref(py));
    Progress::to(move |line| tell(Some(&listener), line))
}

/// Trains and compares the systems of a recipe; the results as JSON, and where the report is.
#[pyfunction]
fn run_recipe(
    py: Python<'_>,
    path: String,
    output: PathBuf,
    data: Option<PathBuf>,
    budget: Budget,
    listener: Option<Py<PyAny>>,
    engine: Option<Py<PyAny>>,
) -> PyResult<(String, PathBuf)> {
    let engine = engine_of(py, engine)?;
    let (resources, listener) = (budget.resources(), listener.as_ref());
    start_pool(resources.threads);
    let results = work::run(py, || -> Result<Results> {
        let recipe = recipe(&path, data.as_deref())?;
        let cache = with_engine(Cache::open(output.join("cache"))?, engine);
        let results = run_experiment(&recipe, &cache, resources, &progress(listener))?;
        publish(&recipe, &results, &output)?;
        Ok(results)
    })?;
    Ok((described(&results), output.join(REPORT)))
}

/// The results as plain data.
fn described(results: &Results) -> String {
    let directions = results.directions.iter().map(|direction| {
        let systems = direction.systems.iter().enumerate().map(|(k, system)| {
            let tests = direction.tests.iter().map(|(test, scores)| {
                let values = scores.metrics.iter().zip(&scores.systems[k]);
                let values = values.map(|(metric, value)| {
                    (metric.clone(), json!({ "score": value.score, "p": value.p }))
                });
                (test.clone(), serde_json::Value::Object(values.collect()))
            });
            json!({
                "name": system.name, "tests": serde_json::Value::Object(tests.collect()), "rules": system.rules,
                "bytes": system.bytes, "seconds": system.seconds, "milliseconds": system.milliseconds,
                "dev": system.dev.as_ref().and_then(|dev| dev.parse::<f64>().ok()),
            })
        });
        json!({ "name": direction.name, "systems": systems.collect::<Vec<_>>(), "text": direction.text() })
    });
    json!(directions.collect::<Vec<_>>()).to_string()
}

/// Writes the embedded sample into a folder.
#[pyfunction]
fn write_sample(py: Python<'_>, folder: PathBuf) -> PyResult<()> {
    work::run(py, || -> Result<()> {
        std::fs::create_dir_all(&folder).map_err(|source| Error::File {
            path: folder.clone(),
            doing: "write",
            source,
        })?;
        Ok(sample::write_to(sample::Sample::embedded(), &folder)?)
    })
}
