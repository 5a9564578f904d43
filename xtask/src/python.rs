//! The Python package: a wheel for users (`cargo xtask wheel`), and its tests in a fresh virtual environment, which are a part of
//! `cargo xtask test`.

use crate::{cargo, output, target};
use std::path::Path;

const CRATE: &str = "crates/python";

/// The oldest Python that the package is for.
const OLDEST: (u32, u32) = (3, 11);

/// Builds a release wheel with maturin; `-o DIR` says where to.
pub fn wheel(args: &[String]) -> bool {
    let folder = match args {
        [] => "dist",
        [option, folder] if option == "-o" => folder,
        _ => {
            eprintln!("usage: cargo xtask wheel [-o DIR]");
            return false;
        }
    };
    if output("maturin", &["--version"]).is_none() {
        eprintln!("there is no maturin: install it with `pip install maturin`");
        return false;
    }
    let manifest = format!("{CRATE}/Cargo.toml");
    run("maturin", &["build", "--release", "--manifest-path", &manifest, "--out", folder])
}

/// Tests the package, if there is a Python for it; whether all is well.
pub fn test() -> bool {
    let Some(python) = python() else {
        println!(
            "==> skipped: the tests of the Python package need Python {}.{} with venv",
            OLDEST.0, OLDEST.1
        );
        return true;
    };
    // With the targets and features of the tests before, nothing but the library itself is left to build.
    if !cargo(&["build", "--workspace", "--all-targets", "--all-features"]) {
        return false;
    }
    let folder = target().join("python");
    // A new environment each time: nothing of an older package is left in it.
    drop(std::fs::remove_dir_all(&folder));
    if !run(&python, &["-m", "venv", &text(&folder.join("venv"))]) {
        println!(
            "==> skipped: the tests of the Python package need Python's `venv` (on Debian, python3-venv)"
        );
        return true;
    }
    let python = text(&folder.join("venv/bin/python"));
    let needed = format!("{CRATE}/tests/requirements.txt");
    if !run(&python, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", &needed]) {
        println!("==> skipped: the packages that the tests of the Python package use could not be installed");
        return true;
    }
    if !spark(&python) {
        return false;
    }
    let library = text(&target().join("debug/lib_treeglot.so"));
    let Some(wheel) = output(&python, &[&format!("{CRATE}/pack.py"), &library, &text(&folder)]) else {
        eprintln!("the wheel could not be packed");
        return false;
    };
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", wheel.trim()];
    let config = format!("{CRATE}/pyproject.toml");
    run(&python, &install)
        && run(&python, &["-m", "ruff", "check", CRATE])
        && run(&python, &["-m", "ruff", "format", "--check", CRATE])
        && run(&python, &["-m", "mypy", "--config-file", &config, &format!("{CRATE}/python/treeglot")])
        && run(&python, &["-m", "pytest", "-q", "-c", &config, &format!("{CRATE}/tests")])
}

/// Installs what the tests of training on Spark need, where there is a Java runtime; false if that fails.
fn spark(python: &str) -> bool {
    if output("java", &["-version"]).is_none() {
        println!("==> skipped: the tests of training on Spark need a Java runtime, version 17 or later");
        return true;
    }
    run(
        python,
        &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pandas<3", "pyarrow", "pyspark"],
    )
}

/// A Python that is new enough.
fn python() -> Option<String> {
    let new = format!("import sys, venv; sys.exit(sys.version_info < {OLDEST:?})");
    let names = ["python3", "python"].into_iter();
    names.map(str::to_string).find(|name| output(name, &["-c", &new]).is_some())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn run(program: &str, args: &[&str]) -> bool {
    crate::run(program, args, &[])
}
