//! What many tests need: where real data is, and trees from brackets.

use std::path::{Path, PathBuf};
use treeglot_tree::ConTree;
use treeglot_tree::format::{ReadTrees, ptb};

/// A folder of the real data.
pub fn data(folder: &str) -> PathBuf {
    Path::new(env!("TREEGLOT_REAL_DATA")).join(folder)
}

/// The files of a data folder whose names end in `suffix`, sorted.
pub fn data_files(folder: &str, suffix: &str) -> Vec<PathBuf> {
    let entries = data(folder).read_dir().unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("the folder can be listed").path())
        .filter(|p| p.to_string_lossy().ends_with(suffix))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} has no files ending in {suffix}");
    files
}

/// The tree that brackets write.
pub fn tree(brackets: &str) -> ConTree {
    let mut reader = ptb::Reader::new("t", brackets.as_bytes(), ptb::BracketLayout::OnePerLine);
    reader
        .next_tree()
        .expect("the text is well-formed")
        .expect("the text holds a tree")
        .expect("it is no failed parse")
}
