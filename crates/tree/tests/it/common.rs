//! Where the tests on real data find it.

use std::path::{Path, PathBuf};

/// The data folder: `TREEGLOT_DATA`, or `../shared/data` beside the project. Without it a line says so.
pub fn data_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("TREEGLOT_DATA").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no data folder at {} (set TREEGLOT_DATA)", folder.display());
    None
}

/// A folder of the real data.
pub fn data(folder: &str) -> Option<PathBuf> {
    let path = data_folder()?.join(folder);
    println!("ran on {}", path.display());
    Some(path)
}

/// The files of a data folder whose names end in `suffix`, sorted; none, and a printed line, where it is missing.
pub fn data_files(folder: &str, suffix: &str) -> Vec<PathBuf> {
    let Some(root) = data_folder() else { return Vec::new() };
    let entries = root.join(folder).read_dir().unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("the folder can be listed").path())
        .filter(|p| p.to_string_lossy().ends_with(suffix))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} has no files ending in {suffix}");
    println!("ran on {} files of {folder}", files.len());
    files
}
