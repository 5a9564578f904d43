//! CCG dependencies: no input panics, and every word of a converted graph has a head.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ccg_parg::{Reader, write};

fuzz_target!(|bytes: &[u8]| {
    for graph in Reader::new("fuzz", bytes).trees().flatten() {
        let parse = graph.to_dep(None).parse;
        assert!(parse.words().all(|w| parse.raw_head(w).is_some()));
        let _ = write(&graph, &mut Vec::new());
    }
});
