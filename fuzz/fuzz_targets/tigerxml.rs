//! TIGER-XML: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::tigerxml::Treebank;
use treeglot_tree::transform::continuous::continuous;

fuzz_target!(|bytes: &[u8]| {
    let Ok(bank) = Treebank::read("fuzz", bytes) else { return };
    for tree in bank.sentences().iter().filter_map(|s| s.tree()) {
        assert!(continuous(tree).0.is_continuous());
    }
    let mut text = Vec::new();
    if bank.write(&mut text).is_err() {
        // A character that XML cannot hold.
        return;
    }
    let again = Treebank::read("written", text.as_slice()).expect("what was written is well-formed");
    assert_eq!(bank.sentences(), again.sentences());
});
