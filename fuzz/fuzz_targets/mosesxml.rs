//! Moses trees: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::ConTree;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::mosesxml::{Reader, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(trees) = Reader::new("fuzz", bytes).trees().collect::<Result<Vec<Option<ConTree>>, _>>() else {
        return;
    };
    let mut text = Vec::new();
    for tree in &trees {
        if write(tree.as_ref(), &mut text).is_err() {
            return;
        }
    }
    let again: Vec<Option<ConTree>> = Reader::new("written", text.as_slice())
        .trees()
        .collect::<Result<_, _>>()
        .expect("what was written is well-formed");
    assert_eq!(trees, again);
});
