//! The binary, run in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// What a run did.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A command of the binary, to be run in `folder`.
pub fn treeglot(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeglot"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("TREEGLOT_DATA");
    command
}

/// Runs a command to its end.
pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what is printed is text");
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the binary; what it printed.
pub fn ok(folder: &Path, args: &[&str]) -> String {
    let ran = ran(&mut treeglot(folder, args));
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    ran.out
}

/// A folder with the first pairs of each part of the sample: `train.de`, `dev.en.conllu` and so on.
pub fn small_sample() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        ok(folder.path(), &["sample", "-q", "-o", "."]);
        cut_sample(folder.path());
        folder
    });
    folder.path()
}

/// A temporary folder with the small sample in it.
pub fn with_sample() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in files(small_sample()) {
        let name = file.file_name().expect("a file has a name");
        std::fs::copy(&file, folder.path().join(name)).expect("a file can be copied");
    }
    folder
}

/// A recipe of one system on the small sample, tuned for so many rounds.
pub fn recipe(model: &str, rounds: usize) -> String {
    format!(
        "source = \"de\"\ntarget = \"en\"\n[data]\ntrain = {{ source = \"train.de\", target = \"train.en\" }}\n\
         dev = {{ source = \"dev.de\", target = \"dev.en\" }}\n[tune]\nrounds = {rounds}\nnbest = 20\n[[system]]\nmodel = \"{model}\"\n"
    )
}

/// Cuts the files of a written sample to their first records: 400 pairs to train with, 20 to tune and to test with.
pub fn cut_sample(folder: &Path) {
    for file in files(folder) {
        let name = file.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let records = match name.split('.').next() {
            Some("train") => 400,
            Some("dev" | "test") => 20,
            _ => continue,
        };
        let end = if name.ends_with(".conllu") { "\n\n" } else { "\n" };
        let text = std::fs::read_to_string(&file).expect("the sample is text");
        let first: String = text.split_inclusive(end).take(records).collect();
        std::fs::write(&file, first).expect("the folder can be written to");
    }
}

/// The files of a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The names of all files under a folder, hidden ones too.
pub fn names_below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for path in files(folder) {
        if path.is_dir() {
            names.extend(names_below(&path));
        }
        names.push(path.file_name().expect("a file has a name").to_string_lossy().into_owned());
    }
    names
}
