//! What a bundle learns from corrections, without being trained anew: pairs that somebody corrected are aligned by the word
//! translations of the bundle's own tables, their phrases are kept in a file beside the tables, and from the next translation on they
//! are offered to the search with a feature of their own (`Corrections0`).

mod align;
mod index;
mod memory;
mod store;

pub use index::CorrectionIndex;
pub use memory::Memory;
pub use store::{CORRECTIONS, Correction, Corrections};

use crate::bundle::Bundle;
use crate::error::{Error, Result};
use crate::unknown::Lexicon;

/// Teaches a bundle: aligns pairs and keeps them.
pub struct Teacher {
    bundle: Bundle,
    text: Option<[crate::text_path::TextPath; 2]>,
    lexicon: Lexicon,
}

impl Teacher {
    /// Opens what a bundle needs to learn.
    pub fn open(bundle: Bundle) -> Result<Self> {
        let components = bundle.components();
        let lexicon = Lexicon::new(components.tables()?);
        Ok(Self { text: components.text_paths()?, lexicon, bundle })
    }

    /// A pair with its words and links.
    pub fn correction(&self, source: &str, target: &str) -> Result<Correction> {
        let words = self.words(source, target);
        if words.iter().any(String::is_empty) {
            return Err(Error::Invalid(
                "a correction needs a sentence and its translation: one is empty".to_string(),
            ));
        }
        Ok(self.aligned(words, [source, target].map(|text| text.trim().to_string())))
    }

    /// The words of a pair as models see them.
    fn words(&self, source: &str, target: &str) -> [String; 2] {
        let texts = [source, target].map(str::trim);
        match &self.text {
            None => texts.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
            Some(paths) => {
                let mut cut = [String::new(), String::new()];
                for ((path, text), out) in paths.iter().zip(texts).zip(&mut cut) {
                    path.worker().words(text, out);
                }
                cut
            }
        }
    }

    /// A pair with its links.
    fn aligned(&self, words: [String; 2], [source, target]: [String; 2]) -> Correction {
        let split = |words: &str| -> Vec<String> { words.split(' ').map(str::to_string).collect() };
        let links = align::links(&split(&words[0]), &split(&words[1]), &self.lexicon);
        let [source_words, target_words] = words;
        Correction { source, target, source_words, target_words, links }
    }

    /// Learns pairs, all or none: when this returns they are on the disk.
    pub fn learn(&self, new: Vec<Correction>) -> Result<Corrections> {
        Corrections::change(self.bundle.folder(), |all| {
            for correction in new {
                // A sentence that is corrected again is corrected in place of the first time.
                all.retain(|old| old.source_words != correction.source_words);
                all.push(correction);
            }
        })
    }
}
