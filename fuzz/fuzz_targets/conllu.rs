//! CoNLL-U: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::{DepParse, Roots};

fuzz_target!(|bytes: &[u8]| {
    let Ok(parses) = conllu::Reader::new("fuzz", bytes).trees().collect::<Result<Vec<DepParse>, _>>() else {
        return;
    };
    let mut text = Vec::new();
    for parse in &parses {
        let _ = parse.tree(Roots::One);
        conllu::write(parse, &mut text).expect("memory takes any text");
    }
    let again: Vec<DepParse> = conllu::Reader::new("written", text.as_slice())
        .trees()
        .collect::<Result<_, _>>()
        .expect("what was written is well-formed");
    assert_eq!(parses, again);
});
