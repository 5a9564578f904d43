//! Looks for programs of others that read documents: `xmllint`, `msgfmt`, and a Python with polib, html5lib and srt. Where all are there
//! it sets `cfg(validators)`; elsewhere the tests that ask them are reported as ignored.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(validators)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let programs = ["xmllint", "msgfmt"].into_iter().all(is_there);
    // The packages may be those of the system, and another Python the first in the path.
    let pythons = env::split_paths(&path).map(|folder| folder.join("python3"));
    let reads = |python: &PathBuf| {
        let asked =
            Command::new(python).args(["-c", "import polib, html5lib, srt"]).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let python = pythons.filter(|python| python.is_file()).find(reads);
    if programs && python.is_some() {
        println!("cargo::rustc-cfg=validators");
    } else {
        // As long as they are not there, they are looked for in every build.
        println!("cargo::rerun-if-changed=/usr/bin/xmllint");
        println!("cargo::rerun-if-changed=/usr/bin/msgfmt");
        println!("cargo::rerun-if-changed=/usr/lib/python3/dist-packages/polib.py");
    }
    println!("cargo::rustc-env=TREEGLOT_TEST_PYTHON={}", python.unwrap_or_default().display());
}
