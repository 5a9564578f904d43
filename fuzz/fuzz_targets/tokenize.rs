//! Tokenisers and detokenisers: no text panics, in any language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use treeglot_text::detokenize::{self, Detokenizer};
use treeglot_text::tokenize::{self, Tokenizer};

static LANGUAGES: LazyLock<Vec<(Tokenizer, Detokenizer)>> = LazyLock::new(|| {
    let known = "the language is known";
    let both = |language| {
        let tokenizer = Tokenizer::new(language, tokenize::Options::default()).expect(known);
        (tokenizer, Detokenizer::new(language, detokenize::Options::default()).expect(known))
    };
    ["en", "de", "fr", "cs", "es", "zh", "ja"].map(both).into()
});

fuzz_target!(|text: &str| {
    for (tokenizer, detokenizer) in LANGUAGES.iter() {
        let (mut tokens, mut back) = (String::new(), String::new());
        tokenizer.worker().tokenize(text, &mut tokens);
        detokenizer.worker().detokenize(&tokens, &mut back);
    }
});
