//! A model to query: built from n-grams or an ARPA file in memory, or opened from our binary form, which is mapped.

use crate::arpa;
use crate::error::{Error, Result};
use crate::estimate::MAX_ORDER;
use crate::layout::{AnyTables, LmLayout, Tables};
use crate::ngrams::Ngrams;
use crate::settings::Settings;
use crate::special::UNK;
use crate::word_index::{WordIndex, Words};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use treeglot_text::mapped::Store;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_text::vocab::{self, MappedVocab, Sym};

const KIND: Tag = Tag::new("ngramlm");
const VERSION: u32 = 1;
const INFO: Tag = Tag::new("info");
const INDEX: Tag = Tag::new("index");

/// An n-gram model: read-only, shared by all threads; each takes [`Lm::tables`].
#[derive(Clone)]
pub struct Lm {
    words: Words,
    index: WordIndex,
    tables: Tables,
    file: Option<MappedFile>,
}

impl Lm {
    /// Builds a model in memory.
    pub fn build(ngrams: Ngrams, layout: LmLayout) -> Result<Self> {
        Self::build_coded(ngrams, layout, None)
    }

    /// Builds a model in memory in the layout of the settings.
    pub fn build_as(ngrams: Ngrams, settings: &Settings) -> Result<Self> {
        Self::build_coded(ngrams, settings.layout, settings.quantize)
    }

    fn build_coded(ngrams: Ngrams, layout: LmLayout, quantize: Option<u32>) -> Result<Self> {
        let tables = Tables::build(&ngrams, layout, quantize)?;
        let words = Words::Owned(ngrams.vocab);
        Ok(Self { index: WordIndex::build(&words), words, tables, file: None })
    }

    /// Builds a model of classes in memory, that takes these words for these symbols of it.
    pub(crate) fn of_classes(ngrams: Ngrams, settings: &Settings, words: &[(&str, Sym)]) -> Result<Self> {
        let tables = Tables::build(&ngrams, settings.layout, settings.quantize)?;
        let index = WordIndex::of(|| words.iter().copied());
        Ok(Self { index, words: Words::Owned(ngrams.vocab), tables, file: None })
    }

    /// Opens a model: our binary form is mapped; anything else is read as ARPA and laid out for speed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if is_binary(path) { Self::map(path) } else { Self::build(arpa::read(path)?, LmLayout::default()) }
    }

    fn map(path: &Path) -> Result<Self> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        let words = MappedVocab::part_of(&file)?;
        let info = file.view::<u64>(INFO)?;
        let unknown = || file.corrupt("its layout is not known".to_string());
        let &[seed, layout, order, parameter] = &*info else { return Err(unknown().into()) };
        let index = WordIndex { slots: Store::Mapped(file.view(INDEX)?), seed };
        if !(1..=MAX_ORDER as u64).contains(&order) {
            return Err(unknown().into());
        }
        let tables = Tables::map(&file, [layout, order, parameter], words.len())?.ok_or_else(unknown)?;
        Ok(Self { words: Words::Mapped(words), index, tables, file: Some(file) })
    }

    /// Writes our binary form, which [`Lm::open`] maps.
    pub fn write(&self, path: &Path) -> Result<()> {
        let Words::Owned(vocab) = &self.words else {
            return Err(Error::AlreadyBinary);
        };
        let sections = [&vocab::SECTIONS[..], &[INDEX, INFO], &self.tables.sections()].concat();
        let mut out = MappedWriter::create(path, KIND, VERSION, &sections)?;
        vocab.write_sections(&mut out)?;
        out.section(INDEX, &self.index.slots)?;
        let [layout, order, parameter] = self.tables.info();
        out.section(INFO, &[self.index.seed, layout, order, parameter])?;
        self.tables.write(&mut out)?;
        Ok(out.finish()?)
    }

    /// Compares a mapped file with its checksums; a model built in memory has none.
    pub fn verify(&self) -> Result<()> {
        Ok(self.file.as_ref().map_or(Ok(()), MappedFile::verify)?)
    }

    /// The length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.tables.order()
    }

    /// The words of the model.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// The symbol of a word; the unknown word's if the model lacks it.
    pub fn symbol(&self, word: &str) -> Sym {
        self.index.get(word).unwrap_or(UNK)
    }

    /// The model's arrays as slices: what a thread holds and its [`Scorer`](crate::Scorer) refers to.
    pub fn tables(&self) -> AnyTables<'_> {
        self.tables.slices()
    }
}

/// Whether a file begins as our binary files do. A file that cannot be read is left to the reader that reports it.
fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 8];
    path.is_file()
        && File::open(path).and_then(|mut f| f.read_exact(&mut magic)).is_ok()
        && magic == *b"TREEGLOT"
}
