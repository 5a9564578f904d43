//! The corpus as numbers: both sides' words as ids, most frequent first, all sentences end to end.
//! First step of alignment; everything after it sees only these arrays.

use crate::error::Result;
use std::cmp::Reverse;
use std::fmt;
use std::io::BufRead;
use std::ops::Range;
use treeglot_text::bitext::{Bitext, Row};
use treeglot_text::vocab::{Sym, Vocab};

/// The default limit on a sentence's length in words; longer pairs are skipped.
pub const MAX_LENGTH: usize = 250;

/// The limit that cannot be raised: jump tables reach no further.
pub const LONGEST: usize = 255;

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
#[derive(Debug, Default, Clone)]
pub struct Side {
    /// The distinct words.
    pub words: Words,
    /// All tokens, sentence after sentence.
    pub tokens: Vec<u32>,
    /// Where each sentence starts in `tokens`, and after the last one its end.
    pub starts: Vec<u32>,
}

impl Side {
    fn with_words(words: Words) -> Self {
        Self { words, tokens: Vec::new(), starts: vec![0] }
    }

    /// Where sentence `s` lies in `tokens`.
    pub fn range(&self, s: usize) -> Range<usize> {
        self.starts[s] as usize..self.starts[s + 1] as usize
    }

    /// The words of sentence `s`.
    pub fn sentence(&self, s: usize) -> &[u32] {
        &self.tokens[self.range(s)]
    }

    fn end_sentence(&mut self) {
        self.starts.push(u32::try_from(self.tokens.len()).expect("checked when the tokens were added"));
    }

    /// Gives frequent words small ids, so that what is read often lies together.
    fn sort_by_frequency(&mut self) {
        let mut count = vec![0u32; self.words.len()];
        for &token in &self.tokens {
            count[token as usize] += 1;
        }
        let mut order: Vec<u32> = (0..count.len() as u32).collect();
        order.sort_by_key(|&id| Reverse(count[id as usize]));
        let mut new_id = vec![0u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_id[old as usize] = new as u32;
        }
        for token in &mut self.tokens {
            *token = new_id[*token as usize];
        }
        self.words = self.words.reordered(&order);
    }
}

/// A pair that is not aligned because a side is too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The pair's line, from 1.
    pub line: u64,
    /// Words on the source side.
    pub src: usize,
    /// Words on the target side.
    pub tgt: usize,
}

/// A parallel corpus. Line numbers are kept: an empty or skipped pair is there with no words.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The source side.
    pub src: Side,
    /// The target side.
    pub tgt: Side,
    /// The pairs left out for their length, in order.
    pub skipped: Vec<Skipped>,
}

impl Corpus {
    /// Reads the first two files of a bitext; pairs with more than `max_length` words on a side are skipped.
    pub fn read<R: BufRead>(bitext: &mut Bitext<R>, max_length: usize) -> Result<Self> {
        let mut corpus = Self::read_with(bitext, max_length, Words::default(), Words::default())?;
        corpus.src.sort_by_frequency();
        corpus.tgt.sort_by_frequency();
        Ok(corpus)
    }

    /// Like [`Corpus::read`], but words known already keep their ids, and new ones come after them. A row that the
    /// bitext skips is a pair without words.
    pub fn read_with<R: BufRead>(
        bitext: &mut Bitext<R>,
        max_length: usize,
        src_words: Words,
        tgt_words: Words,
    ) -> Result<Self> {
        let max_length = max_length.min(LONGEST);
        let mut corpus =
            Self { src: Side::with_words(src_words), tgt: Side::with_words(tgt_words), skipped: Vec::new() };
        let mut line = 0;
        while let Some(row) = bitext.next_row()? {
            line += 1;
            match row {
                Row::Texts([src, tgt, ..]) => corpus.push(src, tgt, line, max_length)?,
                Row::Texts(_) | Row::Bad(_) => corpus.push("", "", line, max_length)?,
            }
        }
        Ok(corpus)
    }

    /// A corpus of sentences in memory, as in tests.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut corpus = Self {
            src: Side::with_words(Words::default()),
            tgt: Side::with_words(Words::default()),
            skipped: Vec::new(),
        };
        for (line, (a, b)) in (1..).zip(pairs) {
            corpus.push(a, b, line, MAX_LENGTH)?;
        }
        corpus.src.sort_by_frequency();
        corpus.tgt.sort_by_frequency();
        Ok(corpus)
    }

    /// How many pairs there are, empty and skipped ones included.
    pub fn len(&self) -> usize {
        self.src.starts.len() - 1
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push(&mut self, src: &str, tgt: &str, line: u64, max_length: usize) -> Result<()> {
        let (from, onto) = (self.src.tokens.len(), self.tgt.tokens.len());
        for word in src.split_ascii_whitespace() {
            let id = self.src.words.intern(word);
            self.src.tokens.push(id);
        }
        for word in tgt.split_ascii_whitespace() {
            let id = self.tgt.words.intern(word);
            self.tgt.tokens.push(id);
        }
        let (m, n) = (self.src.tokens.len() - from, self.tgt.tokens.len() - onto);
        if m > max_length || n > max_length {
            self.skipped.push(Skipped { line, src: m, tgt: n });
        }
        if m.max(n) > max_length || m.min(n) == 0 {
            self.src.tokens.truncate(from);
            self.tgt.tokens.truncate(onto);
        }
        if self.src.tokens.len().max(self.tgt.tokens.len()) > u32::MAX as usize {
            return Err(crate::Error::TooLarge { line });
        }
        self.src.end_sentence();
        self.tgt.end_sentence();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_text::Lines;
    use treeglot_text::bitext::Options;

    fn read(src: &'static str, tgt: &'static str, max: usize) -> Result<Corpus> {
        let files = vec![Lines::new("a", src.as_bytes()), Lines::new("b", tgt.as_bytes())];
        Corpus::read(&mut Bitext::new(files, Options::default()), max)
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
        assert_eq!(corpus.skipped, [Skipped { line: 3, src: 3, tgt: 1 }]);
    }

    #[test]
    fn files_of_unequal_length_are_an_error_that_names_both() {
        let message = read("a\nb\n", "x\n", 9).unwrap_err().to_string();
        assert_eq!(message, "a:2: this line has no partner: b has only 1 lines");
    }
}
