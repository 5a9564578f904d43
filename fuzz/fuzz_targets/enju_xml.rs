//! Enju XML: no input panics, nor does its conversion.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::enju::{Loose, Sentence};
use treeglot_tree::format::{ReadTrees, enju_xml};
use treeglot_tree::transform::pas::{self, Heads};

fuzz_target!(|bytes: &[u8]| {
    let Ok(sentences) = enju_xml::Reader::new("fuzz", bytes).trees().collect::<Result<Vec<Sentence>, _>>() else {
        return;
    };
    for sentence in &sentences {
        let _ = (sentence.to_con(Loose::Keep), sentence.to_dep(Heads::Syn));
        let options = pas::Options { heads: Heads::Sem, loose: Loose::Keep, ..pas::Options::default() };
        let _ = pas::to_dep(sentence, options);
        let _ = enju_xml::write(sentence, &mut Vec::new());
    }
});
