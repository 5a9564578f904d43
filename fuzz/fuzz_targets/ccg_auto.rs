//! CCG derivations: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ccg_auto::{AnyReader, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = AnyReader::new("fuzz", bytes) else { return };
    for derivation in reader.trees().flatten().flatten() {
        let (tree, parse) = (derivation.to_con(), derivation.to_dep());
        if let Ok(tree) = tree {
            assert_eq!(tree.len(), parse.len());
        }
        let _ = write(&derivation, &mut Vec::new());
    }
});
