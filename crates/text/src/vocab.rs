//! Vocabularies: words as `u32` symbols. A [`Vocab`] grows while a corpus is read; frozen to a file it is opened as
//! a [`MappedVocab`] in microseconds, whatever its size.

use crate::error::Result;
use crate::mapped::{MappedFile, MappedWriter, Tag, View};
use hashbrown::HashTable;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// A word's number in a vocabulary.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(transparent)]
pub struct Sym(pub u32);

impl Sym {
    /// The number as a slice index.
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

/// A growing vocabulary. Symbols are given in order of first appearance, from 0.
#[derive(Clone, Default)]
pub struct Vocab {
    /// Where each word ends in `bytes`; it begins where the one before ends.
    ends: Vec<u64>,
    bytes: Vec<u8>,
    index: HashTable<Sym>,
}

impl Vocab {
    /// The symbol of a word, new if the word is.
    pub fn intern(&mut self, word: &str) -> Sym {
        let hash = xxh3_64(word.as_bytes());
        let Self { ends, bytes, index } = self;
        if let Some(&sym) = index.find(hash, |&s| word_bytes(ends, bytes, s) == Some(word.as_bytes())) {
            return sym;
        }
        let sym = Sym(u32::try_from(ends.len()).expect("a vocabulary has fewer than 2^32 words"));
        bytes.extend_from_slice(word.as_bytes());
        ends.push(bytes.len() as u64);
        index.insert_unique(hash, sym, |&s| xxh3_64(word_bytes(ends, bytes, s).unwrap_or_default()));
        sym
    }

    /// The symbol of a known word.
    pub fn get(&self, word: &str) -> Option<Sym> {
        let wanted = Some(word.as_bytes());
        let same = |&s: &Sym| word_bytes(&self.ends, &self.bytes, s) == wanted;
        self.index.find(xxh3_64(word.as_bytes()), same).copied()
    }

    /// The word of a symbol that this vocabulary gave.
    pub fn word(&self, sym: Sym) -> &str {
        let bytes = word_bytes(&self.ends, &self.bytes, sym).expect("the symbol is of this vocabulary");
        std::str::from_utf8(bytes).expect("words were interned as text")
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All words, by symbol.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|s| self.word(Sym(s as u32)))
    }

    /// Writes it to a file for [`MappedVocab::open`].
    pub fn freeze(&self, path: &Path) -> Result<()> {
        let mut out = MappedWriter::create(path, KIND, VERSION, &SECTIONS)?;
        self.write_sections(&mut out)?;
        out.finish()
    }

    /// Writes it as the next sections, [`SECTIONS`], of a file that holds more, for [`MappedVocab::part_of`].
    pub fn write_sections(&self, out: &mut MappedWriter) -> Result<()> {
        out.section(ENDS, &self.ends)?;
        out.section(BYTES, &self.bytes)?;
        out.section(SLOTS, &self.slots())
    }

    /// An open-addressing table, at most half full, of symbol + 1 (0 where empty).
    fn slots(&self) -> Vec<u32> {
        let mut slots = vec![0u32; (2 * self.len()).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for s in 0..self.len() as u32 {
            let mut at = xxh3_64(self.word(Sym(s)).as_bytes()) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = s + 1;
        }
        slots
    }
}

const KIND: Tag = Tag::new("vocab");
const VERSION: u32 = 1;
const ENDS: Tag = Tag::new("ends");
const BYTES: Tag = Tag::new("bytes");
const SLOTS: Tag = Tag::new("slots");

/// The sections a vocabulary has in a mapped file.
pub const SECTIONS: [Tag; 3] = [ENDS, BYTES, SLOTS];

fn word_bytes<'a>(ends: &[u64], bytes: &'a [u8], sym: Sym) -> Option<&'a [u8]> {
    let end = *ends.get(sym.ix())?;
    let start = if sym.0 == 0 { 0 } else { ends[sym.ix() - 1] };
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// A vocabulary in a mapped file: read-only, shared by all threads.
#[derive(Debug, Clone)]
pub struct MappedVocab {
    ends: View<u64>,
    bytes: View<u8>,
    slots: View<u32>,
    file: MappedFile,
}

impl MappedVocab {
    /// Opens what [`Vocab::freeze`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::part_of(&MappedFile::open(path, KIND, VERSION)?)
    }

    /// The vocabulary that [`Vocab::write_sections`] wrote into a file that holds more.
    pub fn part_of(file: &MappedFile) -> Result<Self> {
        let (ends, bytes, slots) = (file.view(ENDS)?, file.view(BYTES)?, file.view::<u32>(SLOTS)?);
        if !slots.len().is_power_of_two() || slots.len() <= ends.len() {
            return Err(file.corrupt("the word index does not fit the words".to_string()));
        }
        Ok(Self { ends, bytes, slots, file: file.clone() })
    }

    /// The symbol of a known word.
    pub fn get(&self, word: &str) -> Option<Sym> {
        let (ends, bytes, slots): (&[u64], &[u8], &[u32]) = (&self.ends, &self.bytes, &self.slots);
        let mask = slots.len() - 1;
        let mut at = xxh3_64(word.as_bytes()) as usize & mask;
        for _ in 0..slots.len() {
            let sym = Sym(slots[at].checked_sub(1)?);
            if word_bytes(ends, bytes, sym) == Some(word.as_bytes()) {
                return Some(sym);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// The word of a symbol; `None` if the vocabulary has no such symbol.
    pub fn word(&self, sym: Sym) -> Option<&str> {
        std::str::from_utf8(word_bytes(&self.ends, &self.bytes, sym)?).ok()
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Compares the whole file with its checksums.
    pub fn verify(&self) -> Result<()> {
        self.file.verify()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frozen(words: &[String]) -> (tempfile::TempDir, std::path::PathBuf, Vocab) {
        let mut vocab = Vocab::default();
        for word in words {
            vocab.intern(word);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v");
        vocab.freeze(&path).unwrap();
        (folder, path, vocab)
    }

    #[test]
    fn symbols_come_in_order_of_first_appearance() {
        let mut vocab = Vocab::default();
        let symbols = ["das", "Haus", "das", ""].map(|w| vocab.intern(w).0);
        assert_eq!(symbols, [0, 1, 0, 2]);
        assert_eq!(vocab.word(Sym(1)), "Haus");
        assert_eq!((vocab.get(""), vocab.get("fehlt")), (Some(Sym(2)), None));
    }

    proptest! {
        #[test]
        fn a_frozen_vocabulary_answers_as_the_growing_one(words in proptest::collection::vec(".{0,6}", 0..80)) {
            let (_folder, path, vocab) = frozen(&words);
            let mapped = MappedVocab::open(&path).unwrap();
            mapped.verify().unwrap();
            prop_assert_eq!(mapped.len(), vocab.len());
            for word in &words {
                let sym = mapped.get(word);
                prop_assert_eq!(sym, vocab.get(word));
                prop_assert_eq!(mapped.word(sym.unwrap()), Some(word.as_str()));
            }
            prop_assert_eq!(mapped.get("no such word"), None);
            prop_assert_eq!(mapped.word(Sym(vocab.len() as u32)), None);
        }

        #[test]
        fn a_truncated_or_altered_file_is_an_error_and_never_a_crash(at in 0usize..704, bit in 0u8..8, cut: bool) {
            let words: Vec<String> = (0..20).map(|i| format!("w{i}")).collect();
            let (_folder, path, _) = frozen(&words);
            let mut bytes = std::fs::read(&path).unwrap();
            let at = at % bytes.len();
            if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
            std::fs::write(&path, &bytes).unwrap();
            let checked = MappedVocab::open(&path).and_then(|v| {
                for word in &words {
                    if let Some(sym) = v.get(word) {
                        v.word(sym);
                    }
                }
                v.verify()
            });
            // A flipped bit in the padding between sections is no part of the content.
            let content = [0..136, 192..352, 384..434, 448..704];
            let in_padding = !cut && !content.iter().any(|part| part.contains(&at));
            prop_assert!(checked.is_err() || in_padding);
            if let Err(e) = checked {
                prop_assert!(e.to_string().contains(&*path.to_string_lossy()));
            }
        }
    }

    #[test]
    fn another_kind_of_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for (bytes, message) in [
            (&b""[..], "not a treeglot vocab file"),
            (b"TREEGLOT", "the file is truncated"),
            (b"some text that is longer than a header of such a file", "not a treeglot vocab file"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = MappedVocab::open(&path).unwrap_err().to_string();
            assert!(error.ends_with(message), "{error}");
        }
        let other = MappedWriter::create(&path, Tag::new("table"), 1, &[]).unwrap();
        other.finish().unwrap();
        let error = MappedVocab::open(&path).unwrap_err().to_string();
        assert!(error.ends_with("this is a treeglot table file, but a vocab file is needed"), "{error}");
    }
}
