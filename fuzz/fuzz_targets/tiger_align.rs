//! Alignment files: no input panics, and what is read is read again after writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::tiger_align::Alignment;

fuzz_target!(|bytes: &[u8]| {
    let Ok(alignment) = Alignment::read("fuzz", bytes) else { return };
    let mut text = Vec::new();
    if alignment.write(&mut text).is_err() {
        return;
    }
    Alignment::read("written", text.as_slice()).expect("what was written is well-formed");
});
