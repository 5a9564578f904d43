//! Words that look alike in both languages: names, numbers, punctuation, cognates. They get a larger prior in the
//! lexical tables, which matters for the words that training text shows once or never.

use crate::corpus::{Corpus, Words};
use rustc_hash::FxHashMap;

/// Words that share fewer letters at their start are not compared.
const PREFIX: usize = 4;

/// How alike two words are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Alike {
    /// Not at all, or not enough.
    No,
    /// The same start: four letters or more, and at least 60% of the longer word.
    Start,
    /// The same word.
    Same,
}

/// Prefix ids of all words of both sides, so that most pairs are told apart by one comparison.
pub struct Spelling {
    src: Vec<u32>,
    tgt: Vec<u32>,
}

impl Spelling {
    /// Indexes the words of a corpus.
    pub fn of(corpus: &Corpus) -> Self {
        let mut ids = FxHashMap::default();
        Self { src: prefixes(&corpus.src.words, &mut ids), tgt: prefixes(&corpus.tgt.words, &mut ids) }
    }

    /// How alike a source and a target word of that corpus are.
    pub fn alike(&self, corpus: &Corpus, src: u32, tgt: u32) -> Alike {
        if self.src[src as usize] != self.tgt[tgt as usize] {
            return Alike::No;
        }
        compare(corpus.src.words.text(src), corpus.tgt.words.text(tgt))
    }
}

fn prefixes<'a>(words: &'a Words, ids: &mut FxHashMap<&'a str, u32>) -> Vec<u32> {
    (0..words.len() as u32)
        .map(|word| {
            let text = words.text(word);
            let end = text.char_indices().nth(PREFIX).map_or(text.len(), |(at, _)| at);
            let next = ids.len() as u32;
            *ids.entry(&text[..end]).or_insert(next)
        })
        .collect()
}

/// How alike two words are.
pub fn compare(a: &str, b: &str) -> Alike {
    if a == b {
        return Alike::Same;
    }
    let common = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let longer = a.chars().count().max(b.chars().count());
    if common >= PREFIX && common * 10 >= longer * 6 { Alike::Start } else { Alike::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_words_and_cognates_are_alike_but_chance_beginnings_are_not() {
        assert_eq!(compare("1999", "1999"), Alike::Same);
        assert_eq!(compare("kommission", "kommissionen"), Alike::Start);
        assert_eq!(compare("inter", "internationalisierung"), Alike::No);
        assert_eq!(compare("der", "den"), Alike::No);
    }

    #[test]
    fn the_index_finds_what_the_comparison_finds() {
        let words = "a über über1 parlament parlamento präsident in inn";
        let corpus = Corpus::from_pairs([(words, words)]).unwrap();
        let spelling = Spelling::of(&corpus);
        for e in 0..8 {
            for f in 0..8 {
                let expected = compare(corpus.src.words.text(e), corpus.tgt.words.text(f));
                assert_eq!(spelling.alike(&corpus, e, f), expected);
            }
        }
    }
}
