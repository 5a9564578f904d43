//! Sentences as the network reads them: for every word its number in the lexicon, hashed character n-grams, and its tags;
//! before the first word stands the root.

use crate::linear::mix;
use crate::tagger::Tags;
use treeglot_text::mapped::MappedWriter;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};
use xxhash_rust::xxh3::xxh3_64;

/// The rows of the word table that are no words.
pub(super) const UNKNOWN: u32 = 0;
pub(super) const ROOT: u32 = 1;
/// The first row of a real word.
pub(super) const FIRST_WORD: u32 = 2;

/// The words that have a vector of their own, in lower case.
pub(crate) enum Lexicon {
    Growing(Vocab),
    Mapped(MappedVocab),
}

impl Lexicon {
    /// How many rows the word table has.
    pub(crate) fn rows(&self) -> usize {
        FIRST_WORD as usize
            + match self {
                Self::Growing(vocab) => vocab.len(),
                Self::Mapped(vocab) => vocab.len(),
            }
    }

    /// Writes the words as sections of a model file.
    pub(crate) fn write(&self, out: &mut MappedWriter) -> treeglot_text::Result<()> {
        match self {
            Self::Growing(vocab) => vocab.write_sections(out),
            Self::Mapped(words) => {
                let mut vocab = Vocab::default();
                for sym in 0..words.len() as u32 {
                    vocab.intern(words.word(Sym(sym)).unwrap_or_default());
                }
                vocab.write_sections(out)
            }
        }
    }

    fn row(&self, lower: &str) -> u32 {
        let sym = match self {
            Self::Growing(vocab) => vocab.get(lower),
            Self::Mapped(vocab) => vocab.get(lower),
        };
        // A damaged index may name any symbol.
        let row = sym.map_or(UNKNOWN, |s| s.0.saturating_add(FIRST_WORD));
        if (row as usize) < self.rows() { row } else { UNKNOWN }
    }
}

/// One word of an encoded sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) word: u32,
    /// Its part of the n-grams.
    pub(super) ngrams: (u32, u32),
    pub(super) tags: [u16; 3],
}

/// A sentence with the root before its words.
#[derive(Debug, Clone)]
pub(crate) struct Encoded {
    pub(super) tokens: Vec<Token>,
    pub(super) ngrams: Vec<u32>,
}

/// Stands for the tags of the root.
pub(super) const ROOT_TAG: u16 = u16::MAX;

impl Encoded {
    /// How many words it has, the root not counted.
    pub(crate) fn words(&self) -> usize {
        self.tokens.len() - 1
    }

    pub(crate) fn new(words: &[&str], tags: &Tags, lexicon: &Lexicon, buckets: usize) -> Self {
        let root = Token { word: ROOT, ngrams: (0, 0), tags: [ROOT_TAG; 3] };
        let (mut tokens, mut ngrams) = (vec![root], Vec::new());
        for (i, form) in words.iter().enumerate() {
            let lower = form.to_lowercase();
            let start = ngrams.len() as u32;
            push_ngrams(form, &lower, buckets, &mut ngrams);
            let tags = std::array::from_fn(|layer| tags[layer][i]);
            tokens.push(Token { word: lexicon.row(&lower), ngrams: (start, ngrams.len() as u32), tags });
        }
        Self { tokens, ngrams }
    }
}

/// Prefixes and suffixes of one to five characters, trigrams and four-grams inside, and the case of the first letters.
fn push_ngrams(form: &str, lower: &str, buckets: usize, out: &mut Vec<u32>) {
    if buckets == 0 {
        return;
    }
    let starts: Vec<usize> = lower.char_indices().map(|c| c.0).chain([lower.len()]).collect();
    let length = starts.len() - 1;
    let mut push = |kind: u64, text: &str| {
        out.push((mix(xxh3_64(text.as_bytes()), kind) % buckets as u64) as u32);
    };
    for n in 1..=length.min(5) {
        push(1, &lower[starts[length - n]..]);
        push(2, &lower[..starts[n]]);
    }
    for n in 3..=4 {
        for at in 1..length.saturating_sub(n).min(12) {
            push(3, &lower[starts[at]..starts[at + n]]);
        }
    }
    let mut letters = form.chars();
    let first = letters.next().is_some_and(char::is_uppercase);
    let second = letters.next().is_some_and(char::is_uppercase);
    let digits = form.chars().any(char::is_numeric);
    push(
        4,
        match (first, second, digits) {
            (true, true, false) => "XX",
            (true, false, false) => "Xx",
            (false, _, false) => "x",
            (_, _, true) => "0",
        },
    );
}
