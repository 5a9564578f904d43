//! Writes the packed sample that the crate `treeglot-sample` embeds to the file given.

use std::process::ExitCode;
use treeglot_sample_generator::{SEED, Sizes, generate};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: treeglot-sample-generator FILE");
        return ExitCode::FAILURE;
    };
    let packed = treeglot_sample::pack(&generate(SEED, Sizes::default()));
    match packed.and_then(|bytes| std::fs::write(&path, bytes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
