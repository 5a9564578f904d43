//! `treeglot train --engine spark`: the Python package drives Spark, so that a Python is looked for that has it, and told what to train.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// What has the interpreter's name, in the order in which they are asked; Spark itself asks the same.
const VARIABLES: [&str; 2] = ["PYSPARK_DRIVER_PYTHON", "PYSPARK_PYTHON"];

/// Where the work of large stages is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Engine {
    /// On this machine
    #[default]
    Local,
    /// By the executors of Apache Spark
    Spark,
}

/// Which engine does the work.
#[derive(clap::Args)]
pub struct EngineArgs {
    /// What does the work of large stages; the result is the same to the byte. Spark needs Java 17 or later and a Python with
    /// `pip install 'treeglot[spark]'`: python3, or what PYSPARK_PYTHON names
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t)]
    pub engine: Engine,

    /// The master of Spark: spark://HOST:PORT, yarn, k8s://URL, or local[N] for the cores of this machine
    #[arg(long, value_name = "URL", required_if_eq("engine", "spark"))]
    pub master: Option<String>,

    /// A folder that all executors see, on any file system of Spark (hdfs://, s3a://), for what steps make [default: beside the
    /// outputs of stages, on a disk that executors share]
    #[arg(long, value_name = "URL", requires = "master")]
    pub shared: Option<String>,
}

/// Has Python train what it is told.
pub fn train(asked: &Value) -> Result<()> {
    let python = python()?;
    let mut child = Command::new(&python)
        .args(["-m", "treeglot.spark"])
        .stdin(Stdio::piped())
        .spawn()
        .with_context(|| format!("{python}: cannot be run"))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(asked.to_string().as_bytes()).with_context(|| format!("{python}: cannot be told"))?;
    }
    let ended = child.wait().with_context(|| format!("{python}: cannot be waited for"))?;
    if !ended.success() {
        bail!("training on Spark has failed: see above");
    }
    Ok(())
}

/// The Python that has the package, of this version; an error says what to do.
fn python() -> Result<String> {
    let named = VARIABLES.into_iter().find_map(|name| Some((name, std::env::var(name).ok()?)));
    let python = named.as_ref().map_or("python3", |(_, python)| python).to_string();
    let another = "or name another interpreter in the variable PYSPARK_PYTHON";
    let told = Command::new(&python).args(["-m", "treeglot.spark", "--version"]).output();
    let Ok(told) = told else {
        bail!("there is no `{python}`, which drives Spark: install Python 3.11 or later, {another}");
    };
    let ours = env!("CARGO_PKG_VERSION");
    if !told.status.success() {
        let errors = String::from_utf8_lossy(&told.stderr);
        let why = errors.lines().last().unwrap_or_default().trim();
        bail!(
            "{python} cannot drive Spark ({why}): `{python} -m pip install 'treeglot[spark]=={ours}'`, {another}"
        );
    }
    let version = String::from_utf8_lossy(&told.stdout).trim().to_string();
    if version != ours {
        bail!(
            "{python} has treeglot {version}, and this is {ours}: `{python} -m pip install 'treeglot[spark]=={ours}'`, {another}"
        );
    }
    Ok(python)
}
