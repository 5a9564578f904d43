//! Forests: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::egret::{Forest, Markers, Reader, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(forests) = Reader::new("fuzz", bytes).trees().collect::<Result<Vec<Option<Forest>>, _>>() else {
        return;
    };
    let mut text = Vec::new();
    for (number, forest) in (1..).zip(&forests) {
        if let Some(forest) = forest {
            let _ = (forest.tree_count(), forest.inside());
            for derivation in forest.kbest().take(5) {
                let _ = forest.tree(&derivation, Markers::Remove);
            }
        }
        write(number, forest.as_ref(), &mut text).expect("memory takes any text");
    }
    let again: Vec<Option<Forest>> = Reader::new("written", text.as_slice())
        .trees()
        .collect::<Result<_, _>>()
        .expect("what was written is well-formed");
    assert_eq!(forests.len(), again.len());
});
