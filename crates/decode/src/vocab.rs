//! The words of all tables of a system under one numbering, words of the input that no table knows after them, and
//! what each is called in a language model.
//!
//! A word's number is its number in its table's vocabulary plus the sizes of the vocabularies before; with one table the
//! two are the same. What the tables lack is numbered for one sentence, beyond all of them.

use treeglot_lm::Lm;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

/// The words of a system and of the sentence at hand; owned by a thread.
pub struct SentenceVocab<'s> {
    vocabs: Vec<&'s MappedVocab>,
    starts: Vec<u32>,
    local: Vocab,
}

impl<'s> SentenceVocab<'s> {
    /// The words of these tables.
    pub fn new(vocabs: Vec<&'s MappedVocab>) -> Self {
        let mut starts = vec![0];
        for vocab in &vocabs {
            let start = starts.last().copied().unwrap_or(0);
            starts.push(start + vocab.len() as u32);
        }
        Self { vocabs, starts, local: Vocab::default() }
    }

    /// Forgets the words of the sentence before.
    pub fn clear(&mut self) {
        if !self.local.is_empty() {
            self.local = Vocab::default();
        }
    }

    /// The number of a word that a table names.
    #[inline]
    pub fn of_table(&self, table: usize, word: Sym) -> Sym {
        Sym(self.starts[table] + word.0)
    }

    /// The number of a word of this sentence that no table has.
    pub fn local(&mut self, word: &str) -> Sym {
        Sym(self.known() + self.local.intern(word).0)
    }

    /// How many numbers the tables' words have: those from there on are of this sentence only.
    pub fn known(&self) -> u32 {
        self.starts[self.vocabs.len()]
    }

    /// The text of a word; empty for a number that was never given.
    pub fn text(&self, word: Sym) -> &str {
        if word.0 >= self.known() {
            let local = word.0 - self.known();
            return if (local as usize) < self.local.len() { self.local.word(Sym(local)) } else { "" };
        }
        let table = self.starts.partition_point(|&start| start <= word.0) - 1;
        self.vocabs[table].word(Sym(word.0 - self.starts[table])).unwrap_or_default()
    }

    /// Words as text, separated by spaces.
    pub fn join(&self, words: &[Sym]) -> String {
        let mut text = String::new();
        for (k, &word) in words.iter().enumerate() {
            if k > 0 {
                text.push(' ');
            }
            text.push_str(self.text(word));
        }
        text
    }
}

/// What words are called in a language model: looked up once for each word of the tables; owned by a thread.
pub struct LmWords<'m> {
    lm: &'m Lm,
    /// The model's symbol by number; [`UNSEEN`] where it was not asked for yet.
    found: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl<'m> LmWords<'m> {
    /// Nothing is looked up yet.
    pub fn new(lm: &'m Lm) -> Self {
        Self { lm, found: Vec::new() }
    }

    /// The model's symbol of a word.
    #[inline]
    pub fn get(&mut self, word: Sym, vocab: &SentenceVocab<'_>) -> Sym {
        match self.found.get(word.ix()) {
            Some(&found) if found != UNSEEN => Sym(found),
            _ => self.look_up(word, vocab),
        }
    }

    fn look_up(&mut self, word: Sym, vocab: &SentenceVocab<'_>) -> Sym {
        let symbol = self.lm.symbol(vocab.text(word));
        if word.0 < vocab.known() {
            self.found.resize(vocab.known() as usize, UNSEEN);
            self.found[word.ix()] = symbol.0;
        }
        symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(folder: &tempfile::TempDir, name: &str, words: &[&str]) -> MappedVocab {
        let mut vocab = Vocab::default();
        for word in words {
            vocab.intern(word);
        }
        let path = folder.path().join(name);
        vocab.freeze(&path).unwrap();
        MappedVocab::open(&path).unwrap()
    }

    #[test]
    fn words_of_two_tables_and_of_the_sentence_have_numbers_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (mapped(&folder, "a", &["das", "Haus"]), mapped(&folder, "b", &["Haus"]));
        let mut vocab = SentenceVocab::new(vec![&a, &b]);
        let words = [vocab.of_table(0, Sym(1)), vocab.of_table(1, Sym(0)), vocab.local("Igel")];
        assert_eq!(words.map(|w| w.0), [1, 2, 3]);
        assert_eq!(vocab.join(&words), "Haus Haus Igel");
        vocab.clear();
        assert_eq!(vocab.text(Sym(3)), "");
        assert_eq!(vocab.local("Auto"), Sym(3));
        assert_eq!(vocab.text(Sym(3)), "Auto");
    }
}
