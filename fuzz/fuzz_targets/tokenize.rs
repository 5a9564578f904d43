//! Tokenisers and detokenisers: no text panics, in any language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_text::detokenize::Detokenizer;
use treeglot_text::tokenize::{Options, Tokenizer};

fuzz_target!(|text: &str| {
    for language in ["en", "de", "fr", "cs", "es"] {
        let tokenizer = Tokenizer::new(language, Options::default()).expect("the language is known");
        let (mut tokens, mut back) = (String::new(), String::new());
        tokenizer.worker().tokenize(text, &mut tokens);
        let detokenizer = Detokenizer::new(language, Default::default()).expect("the language is known");
        detokenizer.worker().detokenize(&tokens, &mut back);
    }
});
