//! A model to query: built from n-grams or an ARPA file in memory, or opened from our binary form, which is mapped.

use crate::arpa;
use crate::error::{Error, Result};
use crate::ngrams::Ngrams;
use crate::probing::{Probing, ProbingTables};
use crate::score::{Scorer, Total};
use crate::search::{Cursor, Found, Search};
use crate::special::UNK;
use crate::store::{Store, WordIndex, Words};
use crate::trie::{Trie, TrieLevel, TrieTables};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_text::vocab::{self, MappedVocab, Sym};

const KIND: Tag = Tag::new("ngramlm");
const VERSION: u32 = 1;
const INFO: Tag = Tag::new("info");
const UNIGRAMS: Tag = Tag::new("unigrams");
const STARTS: Tag = Tag::new("starts");
const BIGRAMS: Tag = Tag::new("bigrams");
const INDEX: Tag = Tag::new("index");

/// The section of one level: what it holds and the length of its n-grams.
fn level_tag(what: &str, length: usize) -> Tag {
    Tag::new(&format!("{what}{length}"))
}

/// How n-grams lie in memory and in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Hash tables: the fastest.
    Probing,
    /// A bit-packed trie: the smallest. Weights are codes of this many bits, or exact.
    Trie {
        /// The width of the codes; `None` for exact weights.
        quantize: Option<u32>,
    },
}

#[derive(Clone)]
enum Tables {
    Probing(Probing),
    Trie(Trie),
}

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
    pub fn build(ngrams: Ngrams, layout: Layout) -> Result<Self> {
        let tables = match layout {
            Layout::Probing => Tables::Probing(Probing::build(&ngrams)),
            Layout::Trie { quantize: Some(bits) } if !(2..=16).contains(&bits) => {
                return Err(Error::Option(format!("weights can be coded with 2 to 16 bits, not {bits}")));
            }
            Layout::Trie { quantize } => Tables::Trie(Trie::build(&ngrams, quantize.unwrap_or(0))),
        };
        let words = Words::Owned(ngrams.vocab);
        Ok(Self { index: WordIndex::build(&words), words, tables, file: None })
    }

    /// Opens a model: our binary form is mapped; anything else is read as ARPA and laid out for probing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if is_binary(path) { Self::map(path) } else { Self::build(arpa::read(path)?, Layout::Probing) }
    }

    fn map(path: &Path) -> Result<Self> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        let words = MappedVocab::part_of(&file)?;
        let info = file.view::<u64>(INFO)?;
        let unknown = || file.corrupt("its layout is not known".to_string());
        let (&seed, tables) = info.split_first().ok_or_else(unknown)?;
        let index = WordIndex { slots: Store::Mapped(file.view(INDEX)?), seed };
        let tables = match *tables {
            [0, order, seed] if valid_order(order) => {
                Tables::Probing(map_probing(&file, order as usize, seed)?)
            }
            [1, order, bits] if valid_order(order) && bits <= 16 => {
                Tables::Trie(map_trie(&file, order as usize, bits as u32, words.len())?)
            }
            _ => return Err(unknown().into()),
        };
        Ok(Self { words: Words::Mapped(words), index, tables, file: Some(file) })
    }

    /// Writes our binary form, which [`Lm::open`] maps.
    pub fn write(&self, path: &Path) -> Result<()> {
        let Words::Owned(vocab) = &self.words else {
            return Err(Error::Option("the model is in its binary form already; copy the file".to_string()));
        };
        let mut out = MappedWriter::create(path, KIND, VERSION, &self.sections())?;
        vocab.write_sections(&mut out)?;
        out.section(INDEX, &self.index.slots)?;
        out.section(INFO, &self.info())?;
        match &self.tables {
            Tables::Probing(probing) => write_probing(probing, &mut out)?,
            Tables::Trie(trie) => write_trie(trie, &mut out)?,
        }
        Ok(out.finish()?)
    }

    /// The seed of the word index, then the layout, the order, and the seed of the tables or the width of codes.
    fn info(&self) -> [u64; 4] {
        let (layout, parameter) = match &self.tables {
            Tables::Probing(probing) => (0, probing.seed),
            Tables::Trie(trie) => (1, u64::from(trie.code_bits)),
        };
        [self.index.seed, layout, self.order() as u64, parameter]
    }

    fn sections(&self) -> Vec<Tag> {
        let mut tags = vocab::SECTIONS.to_vec();
        tags.extend([INDEX, INFO, UNIGRAMS]);
        match &self.tables {
            Tables::Probing(p) => tags.extend((2..=p.order()).map(|length| level_tag("table", length))),
            Tables::Trie(trie) => {
                tags.extend([STARTS, BIGRAMS]);
                for length in 2..trie.levels.len() + 2 {
                    tags.extend(["record", "book", "kids", "sample"].map(|w| level_tag(w, length)));
                }
            }
        }
        tags
    }

    /// Compares a mapped file with its checksums; a model built in memory has none.
    pub fn verify(&self) -> Result<()> {
        Ok(self.file.as_ref().map_or(Ok(()), MappedFile::verify)?)
    }

    /// The length of the longest n-grams.
    pub fn order(&self) -> usize {
        match &self.tables {
            Tables::Probing(probing) => probing.order(),
            Tables::Trie(trie) => trie.levels.len() + 1,
        }
    }

    /// The words of the model.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// The symbol of a word; the unknown word's if the model lacks it.
    pub fn symbol(&self, word: &str) -> Sym {
        self.index.get(word).unwrap_or(UNK)
    }

    /// The model's arrays as slices: what a thread holds and its [`Scorer`] refers to.
    pub fn tables(&self) -> AnyTables<'_> {
        match &self.tables {
            Tables::Probing(probing) => AnyTables::Probing(probing.tables()),
            Tables::Trie(trie) => AnyTables::Trie(trie.tables()),
        }
    }
}

/// A layout that is known only at run time.
#[derive(Clone)]
pub enum AnyTables<'m> {
    /// Hash tables.
    Probing(ProbingTables<'m>),
    /// A trie.
    Trie(TrieTables<'m>),
}

impl AnyTables<'_> {
    /// A scorer on these tables.
    pub fn scorer(&self) -> Scorer<'_, Self> {
        Scorer::new(self)
    }

    /// Scores a sentence, its end included; the layout is asked for once, not for each word.
    pub fn sentence(&self, words: &[Sym]) -> Total {
        match self {
            Self::Probing(tables) => Scorer::new(tables).sentence(words),
            Self::Trie(tables) => Scorer::new(tables).sentence(words),
        }
    }
}

impl Search for AnyTables<'_> {
    #[inline]
    fn order(&self) -> usize {
        match self {
            Self::Probing(tables) => tables.order(),
            Self::Trie(tables) => tables.order(),
        }
    }

    #[inline]
    fn unigram(&self, word: Sym) -> Found {
        match self {
            Self::Probing(tables) => tables.unigram(word),
            Self::Trie(tables) => tables.unigram(word),
        }
    }

    #[inline]
    fn longer(&self, length: usize, node: u64, word: Sym) -> Option<Found> {
        match self {
            Self::Probing(tables) => tables.longer(length, node, word),
            Self::Trie(tables) => tables.longer(length, node, word),
        }
    }

    #[inline]
    fn steps(&self, length: usize) -> usize {
        match self {
            Self::Probing(tables) => tables.steps(length),
            Self::Trie(tables) => tables.steps(length),
        }
    }

    #[inline]
    fn aim(&self, step: usize, length: usize, node: u64, word: Sym, cursor: &mut Cursor) {
        match self {
            Self::Probing(tables) => tables.aim(step, length, node, word, cursor),
            Self::Trie(tables) => tables.aim(step, length, node, word, cursor),
        }
    }

    #[inline]
    fn read(&self, step: usize, length: usize, cursor: &Cursor) -> u64 {
        match self {
            Self::Probing(tables) => tables.read(step, length, cursor),
            Self::Trie(tables) => tables.read(step, length, cursor),
        }
    }

    #[inline]
    fn reach(&self, length: usize, node: u64, word: Sym, cursor: &Cursor) -> Option<Found> {
        match self {
            Self::Probing(tables) => tables.reach(length, node, word, cursor),
            Self::Trie(tables) => tables.reach(length, node, word, cursor),
        }
    }

    fn again(&self, length: usize, node: u64) -> Found {
        match self {
            Self::Probing(tables) => tables.again(length, node),
            Self::Trie(tables) => tables.again(length, node),
        }
    }
}

/// Whether a file begins as our binary files do. A file that cannot be read is left to the reader that reports it.
fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 8];
    path.is_file()
        && File::open(path).and_then(|mut f| f.read_exact(&mut magic)).is_ok()
        && magic == *b"TREEGLOT"
}

fn valid_order(order: u64) -> bool {
    (1..=crate::key::WIDE as u64).contains(&order)
}

fn map_probing(file: &MappedFile, order: usize, seed: u64) -> Result<Probing> {
    let unigrams = Store::Mapped(file.view(UNIGRAMS)?);
    let table = |length| file.view(level_tag("table", length)).map(Store::Mapped);
    let middle = (2..order).map(table).collect::<treeglot_text::error::Result<_>>()?;
    let last = (order > 1).then(|| file.view(level_tag("table", order))).transpose()?.map(Store::Mapped);
    Ok(Probing { seed, unigrams, middle, last })
}

fn write_probing(probing: &Probing, out: &mut MappedWriter) -> Result<()> {
    out.section(UNIGRAMS, &probing.unigrams)?;
    for (at, table) in probing.middle.iter().enumerate() {
        out.section(level_tag("table", at + 2), table)?;
    }
    if let Some(last) = &probing.last {
        out.section(level_tag("table", probing.order()), last)?;
    }
    Ok(())
}

fn map_trie(file: &MappedFile, order: usize, code_bits: u32, words: usize) -> Result<Trie> {
    let level = |length: usize| -> Result<TrieLevel> {
        Ok(TrieLevel {
            records: Store::Mapped(file.view(level_tag("record", length))?),
            book: Store::Mapped(file.view(level_tag("book", length))?),
            children: Store::Mapped(file.view(level_tag("kids", length))?),
            samples: Store::Mapped(file.view(level_tag("sample", length))?),
        })
    };
    Ok(Trie {
        word_bits: (usize::BITS - words.saturating_sub(1).leading_zeros()).max(1),
        code_bits,
        unigrams: Store::Mapped(file.view(UNIGRAMS)?),
        starts: Store::Mapped(file.view(STARTS)?),
        bigrams: Store::Mapped(file.view(BIGRAMS)?),
        levels: (2..=order).map(level).collect::<Result<_>>()?,
    })
}

fn write_trie(trie: &Trie, out: &mut MappedWriter) -> Result<()> {
    out.section(UNIGRAMS, &trie.unigrams)?;
    out.section(STARTS, &trie.starts)?;
    out.section(BIGRAMS, &trie.bigrams)?;
    for (level, length) in trie.levels.iter().zip(2..) {
        out.section(level_tag("record", length), &level.records)?;
        out.section(level_tag("book", length), &level.book)?;
        out.section(level_tag("kids", length), &level.children)?;
        out.section(level_tag("sample", length), &level.samples)?;
    }
    Ok(())
}
