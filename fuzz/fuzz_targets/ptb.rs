//! Penn Treebank brackets: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::ConTree;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ptb::{BracketLayout, Reader, write, write_failed};
use treeglot_tree::transform::strip::Strip;

fuzz_target!(|bytes: &[u8]| {
    let _ = Reader::new("fuzz", bytes, BracketLayout::OnePerLine).trees().count();
    let trees = Reader::new("fuzz", bytes, BracketLayout::Free).trees().collect::<Result<Vec<Option<ConTree>>, _>>();
    let Ok(trees) = trees else { return };
    let mut text = Vec::new();
    for tree in &trees {
        match tree {
            Some(tree) => {
                let _ = Strip::ALL.apply(tree);
                write(tree, &mut text)
            }
            None => write_failed(&mut text),
        }
        .expect("brackets give continuous trees");
    }
    let again: Vec<Option<ConTree>> = Reader::new("written", text.as_slice(), BracketLayout::OnePerLine)
        .trees()
        .collect::<Result<_, _>>()
        .expect("what was written is well-formed");
    assert_eq!(trees, again);
});
