//! Dependency brackets: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::depbracket::{Options, Reader, to_brackets, write};
use treeglot_tree::{DepParse, Roots};

fuzz_target!(|bytes: &[u8]| {
    let Ok(parses) = Reader::new("fuzz", bytes).trees().collect::<Result<Vec<Option<DepParse>>, _>>() else {
        return;
    };
    for parse in parses.into_iter().flatten() {
        let Ok(brackets) = to_brackets(&parse, Roots::One, &Options::default()) else { continue };
        let mut text = Vec::new();
        write(&brackets, &mut text).expect("memory takes any text");
        let again = Reader::new("written", text.as_slice()).next_tree().expect("what was written is well-formed");
        let again = again.flatten().expect("there is a tree");
        for w in parse.words() {
            assert_eq!((parse.form(w), parse.raw_head(w)), (again.form(w), again.raw_head(w)));
        }
    }
});
