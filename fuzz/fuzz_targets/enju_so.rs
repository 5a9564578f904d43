//! Enju stand-off: no input panics, with its text or without; the text follows the first zero byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_tree::format::enju::{Loose, Sentence};
use treeglot_tree::format::{ReadTrees, enju_so};
use treeglot_tree::transform::pas::Heads;

fuzz_target!(|bytes: &[u8]| {
    let at = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let (parses, text) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let look = |sentence: &Sentence| {
        let _ = (sentence.to_con(Loose::Keep), sentence.to_dep(Heads::Sem));
    };
    enju_so::Reader::with_base_forms("fuzz", parses).trees().flatten().for_each(|s| look(&s));
    enju_so::Reader::with_text("fuzz", parses, "text", text).trees().flatten().for_each(|s| look(&s));
});
