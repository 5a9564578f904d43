//! Mapped files: an altered vocabulary is an error or gives wrong words, never a crash.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Write;
use treeglot_text::vocab::{MappedVocab, Sym};

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("treeglot-fuzz-{}", std::process::id()));
    let mut file = std::fs::File::create(&path).expect("the temporary folder can be written");
    file.write_all(bytes).expect("the temporary folder can be written");
    if let Ok(vocab) = MappedVocab::open(&path) {
        let _ = (vocab.get("word"), vocab.word(Sym(0)), vocab.word(Sym(u32::MAX)), vocab.verify());
    }
});
