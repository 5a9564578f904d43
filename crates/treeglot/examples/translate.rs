//! Opens bundles and translates lines of standard input, with the reasons for each word: `translate BUNDLE [BUNDLE ...]`.

use std::io::BufRead;
use treeglot::{Request, Translator};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bundles: Vec<String> = std::env::args().skip(1).collect();
    let translator = Translator::open(&bundles)?;
    for line in std::io::stdin().lock().lines() {
        print(&translator, &line?)?;
    }
    Ok(())
}

/// Prints the translation of a line, and below it each word with the source words it comes from.
pub fn print(translator: &Translator, line: &str) -> Result<(), Box<dyn std::error::Error>> {
    let translated = translator.translate_with(line, &Request { explain: true, ..Request::default() })?;
    println!("{}", translated.text());
    let best = translated.sentences.iter().flat_map(|sentence| sentence.best.first());
    for why in best.flat_map(|best| &best.explanation) {
        for word in &why.words {
            let from: Vec<&str> = word.source.iter().map(|&at| why.source[at as usize].as_str()).collect();
            println!("  {:<16}{}", word.word, from.join(" "));
        }
    }
    Ok(())
}
