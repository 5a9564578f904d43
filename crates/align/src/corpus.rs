//! The corpus as numbers: both sides' words as ids, most frequent first, all sentences end to end.
//! First step of alignment; everything after it sees only these arrays, which are columns: in memory, or past its limit
//! in temporary files.

use crate::error::Result;
use crate::settings::{LONGEST, Settings};
use bytemuck::{Pod, Zeroable};
use std::cmp::Reverse;
use std::fmt;
use std::io::BufRead;
use std::ops::Range;
use treeglot_text::bitext::{Bitext, Row};
use treeglot_text::column::{BATCH, Column, ColumnWriter, MemoryBudget};
use treeglot_text::vocab::{Sym, Vocab};

/// About how many bytes a distinct word takes: its text and its part in each table. Words are in memory whatever the
/// limit.
const PER_WORD: usize = 200;

/// The words of one side: text to id and back.
#[derive(Default, Clone)]
pub struct Words(Vocab);

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words", self.len())
    }
}

impl Words {
    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The id of a word seen before.
    pub fn id(&self, word: &str) -> Option<u32> {
        self.0.get(word).map(|sym| sym.0)
    }

    /// The text of a word.
    pub fn text(&self, id: u32) -> &str {
        self.0.word(Sym(id))
    }

    /// The id of a word, new or not.
    pub fn intern(&mut self, word: &str) -> u32 {
        self.0.intern(word).0
    }

    /// The same words with other ids: `order` has the old ids in the new order.
    fn reordered(&self, order: &[u32]) -> Self {
        let mut words = Self::default();
        order.iter().for_each(|&old| {
            words.intern(self.text(old));
        });
        words
    }
}

/// One side of the corpus.
#[derive(Debug)]
pub struct CorpusSide {
    /// The distinct words.
    pub words: Words,
    /// All tokens, sentence after sentence.
    pub tokens: Column<u32>,
    /// Where each sentence starts in `tokens`, and after the last one its end.
    pub starts: Column<u32>,
}

impl CorpusSide {
    /// Where sentence `s` lies in `tokens`.
    pub fn range(&self, s: usize) -> Range<usize> {
        self.starts[s] as usize..self.starts[s + 1] as usize
    }

    /// The words of sentence `s`.
    pub fn sentence(&self, s: usize) -> &[u32] {
        &self.tokens[self.range(s)]
    }

    /// How often each word occurs.
    pub fn frequencies(&self, space: &MemoryBudget) -> Vec<u32> {
        let mut frequency = vec![0u32; self.words.len()];
        for batch in self.tokens.chunks(BATCH) {
            batch.iter().for_each(|&word| frequency[word as usize] += 1);
            space.trim();
        }
        frequency
    }

    /// Gives frequent words small ids, so that what is read often lies together.
    fn sorted_by_frequency(self, space: &MemoryBudget) -> Result<Self> {
        let count = self.frequencies(space);
        let mut order: Vec<u32> = (0..count.len() as u32).collect();
        order.sort_by_key(|&id| Reverse(count[id as usize]));
        let mut new_id = vec![0u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_id[old as usize] = new as u32;
        }
        let tokens = self.tokens.map(space, |token| new_id[token as usize])?;
        Ok(Self { words: self.words.reordered(&order), tokens, starts: self.starts })
    }
}

/// A side that is being read.
struct SideWriter {
    words: Words,
    tokens: ColumnWriter<u32>,
    starts: ColumnWriter<u32>,
    sentence: Vec<u32>,
}

impl SideWriter {
    fn new(words: Words, space: &MemoryBudget) -> Result<Self> {
        let mut starts = space.writer();
        starts.push(0)?;
        Ok(Self { words, tokens: space.writer(), starts, sentence: Vec::new() })
    }

    /// Cuts the next sentence into words; returns how many there are.
    fn cut(&mut self, text: &str) -> usize {
        self.sentence.clear();
        self.sentence.extend(text.split_ascii_whitespace().map(|word| self.words.intern(word)));
        self.sentence.len()
    }

    /// Ends the sentence, whose words are kept or not.
    fn end_sentence(&mut self, keep: bool, line: u64) -> Result<()> {
        if keep {
            self.tokens.extend(&self.sentence)?;
        }
        let end = u32::try_from(self.tokens.len()).map_err(|_| crate::Error::TooLarge { line })?;
        Ok(self.starts.push(end)?)
    }

    fn finish(self) -> Result<CorpusSide> {
        Ok(CorpusSide { words: self.words, tokens: self.tokens.finish()?, starts: self.starts.finish()? })
    }
}

/// A pair that is not aligned because a side is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Skipped {
    /// The pair's line, from 1.
    pub line: u64,
    /// Words on the source side.
    pub src: u64,
    /// Words on the target side.
    pub tgt: u64,
}

/// A parallel corpus. Line numbers are kept: an empty or skipped pair is there with no words.
#[derive(Debug)]
pub struct Corpus {
    /// The source side.
    pub src: CorpusSide,
    /// The target side.
    pub tgt: CorpusSide,
    /// The pairs left out for their length, in order.
    pub skipped: Column<Skipped>,
    /// The memory that this corpus, and what is learnt from it, shares.
    pub space: MemoryBudget,
}

impl Corpus {
    /// Reads the first two files of a bitext; pairs with more than `max_length` words on a side are skipped.
    pub fn read<R: BufRead>(bitext: &mut Bitext<R>, max_length: usize, space: &MemoryBudget) -> Result<Self> {
        Self::read_with(bitext, max_length, Words::default(), Words::default(), space)?.sorted_by_frequency()
    }

    /// Like [`Corpus::read`], but words known already keep their ids, and new ones come after them. A row that the
    /// bitext skips is a pair without words.
    pub fn read_with<R: BufRead>(
        bitext: &mut Bitext<R>,
        max_length: usize,
        src_words: Words,
        tgt_words: Words,
        space: &MemoryBudget,
    ) -> Result<Self> {
        let mut writer = CorpusWriter::new(src_words, tgt_words, max_length, space)?;
        while let Some(row) = bitext.next_row()? {
            match row {
                Row::Texts([src, tgt, ..]) => writer.push(src, tgt)?,
                Row::Texts(_) | Row::Bad(_) => writer.push("", "")?,
            }
        }
        writer.finish()
    }

    /// A corpus of sentences in memory, as in tests.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        Self::from_pairs_in(&MemoryBudget::unlimited(), pairs)
    }

    /// The same in limited memory.
    pub fn from_pairs_in<'a>(
        space: &MemoryBudget,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self> {
        let mut writer =
            CorpusWriter::new(Words::default(), Words::default(), Settings::default().max_length, space)?;
        pairs.into_iter().try_for_each(|(src, tgt)| writer.push(src, tgt))?;
        writer.finish()?.sorted_by_frequency()
    }

    /// The distinct words of both sides.
    pub fn words(&self) -> [&Words; 2] {
        [&self.src.words, &self.tgt.words]
    }

    /// How many pairs there are, empty and skipped ones included.
    pub fn len(&self) -> usize {
        self.src.starts.len() - 1
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn sorted_by_frequency(self) -> Result<Self> {
        let src = self.src.sorted_by_frequency(&self.space)?;
        let tgt = self.tgt.sorted_by_frequency(&self.space)?;
        Ok(Self { src, tgt, ..self })
    }
}

/// A corpus that is being read.
struct CorpusWriter {
    src: SideWriter,
    tgt: SideWriter,
    skipped: ColumnWriter<Skipped>,
    line: u64,
    max_length: usize,
    space: MemoryBudget,
}

impl CorpusWriter {
    fn new(src: Words, tgt: Words, max_length: usize, space: &MemoryBudget) -> Result<Self> {
        let (src, tgt) = (SideWriter::new(src, space)?, SideWriter::new(tgt, space)?);
        let max_length = max_length.min(LONGEST);
        Ok(Self { src, tgt, skipped: space.writer(), line: 0, max_length, space: space.clone() })
    }

    fn push(&mut self, src: &str, tgt: &str) -> Result<()> {
        self.line += 1;
        let (m, n) = (self.src.cut(src), self.tgt.cut(tgt));
        let fits = m.max(n) <= self.max_length;
        if !fits {
            self.skipped.push(Skipped { line: self.line, src: m as u64, tgt: n as u64 })?;
        }
        let keep = fits && m.min(n) > 0;
        self.src.end_sentence(keep, self.line)?;
        self.tgt.end_sentence(keep, self.line)
    }

    fn finish(self) -> Result<Corpus> {
        let (src, tgt, skipped) = (self.src.finish()?, self.tgt.finish()?, self.skipped.finish()?);
        self.space.grant(((src.words.len() + tgt.words.len()) * PER_WORD) as u64);
        Ok(Corpus { src, tgt, skipped, space: self.space })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_text::Lines;
    use treeglot_text::bitext::Options;

    fn read(src: &'static str, tgt: &'static str, max: usize) -> Result<Corpus> {
        let files = vec![Lines::new("a", src.as_bytes()), Lines::new("b", tgt.as_bytes())];
        Corpus::read(&mut Bitext::new(files, Options::default()), max, &MemoryBudget::unlimited())
    }

    #[test]
    fn frequent_words_get_small_ids() {
        let corpus = read("x y\ny z y\n", "a\nb\n", 9).unwrap();
        assert_eq!(corpus.src.words.text(0), "y");
        assert_eq!(corpus.src.words.id("y"), Some(0));
        assert_eq!(corpus.src.sentence(1), [0, 2, 0]);
    }

    #[test]
    fn empty_and_overlong_pairs_keep_their_line_but_no_words() {
        let corpus = read("a b\n\na a a\nc\n", "x\ny\nz\nw\n", 2).unwrap();
        assert_eq!(corpus.len(), 4);
        assert_eq!([0, 1, 2, 3].map(|s| corpus.tgt.sentence(s).len()), [1, 0, 0, 1]);
        assert_eq!(*corpus.skipped, [Skipped { line: 3, src: 3, tgt: 1 }]);
    }

    #[test]
    fn files_of_unequal_length_are_an_error_that_names_both() {
        let message = read("a\nb\n", "x\n", 9).unwrap_err().to_string();
        assert_eq!(message, "a:2: this line has no partner: b has only 1 lines");
    }
}
