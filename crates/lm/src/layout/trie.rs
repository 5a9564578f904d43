//! The small layout: a trie read from the last word backwards, in bit-packed arrays (Heafield 2011, section 3.2).
//! Bigrams, of which a word has many, are found by a hash; longer n-grams are searched among their parent's children.
//! Where children begin costs two to three bits a node instead of a pointer. Weights are
//! exact, or codes of 2 to 16 bits.

use super::bigrams::{self, Bigrams};
use super::bits::{self, Packer};
use super::quantize::{codebook, encode};
use super::ranges::{self, Ranges};
use super::search::{Cursor, Found, NO_CONTEXT, Search};
use super::{Table, UNIGRAMS, level_tag};
use crate::error::{Error, Result};
use crate::ngrams::{NgramLevel, Ngrams};
use crate::special::UNK;
use rayon::prelude::*;
use treeglot_text::mapped::Store;
use treeglot_text::mapped::{MappedFile, MappedWriter, Tag};
use treeglot_text::vocab::Sym;

const RESERVED: [f32; 2] = [NO_CONTEXT, 0.0];

/// The trie.
#[derive(Clone)]
pub struct Trie {
    /// How wide a word is.
    word_bits: u32,
    /// How wide the codes of weights are; 0 for exact weights.
    code_bits: u32,
    /// Probability and back-off by word.
    unigrams: Store<[f32; 2]>,
    /// Where the children of each word begin, and the last one's end.
    starts: Store<u32>,
    /// Finds bigrams, see [`bigrams`].
    bigrams: Store<u32>,
    /// The levels from the second on.
    levels: Vec<TrieLevel>,
}

/// One level of the trie.
#[derive(Clone)]
struct TrieLevel {
    /// The n-grams: first word, whether it has children (not in the last level), probability, back-off (not in the last
    /// level).
    records: Store<u64>,
    /// The values of the codes: probabilities, then back-offs, each as many as there are codes; empty if exact.
    book: Store<f32>,
    /// Where children are, see [`ranges`]; empty in the last level.
    children: Store<u64>,
    /// Samples of it.
    samples: Store<u64>,
}

const STARTS: Tag = Tag::new("starts");
const BIGRAMS: Tag = Tag::new("bigrams");

impl Table for Trie {
    const CODE: u64 = 1;

    type Slices<'m> = TrieTables<'m>;

    fn build(ngrams: &Ngrams, quantize: Option<u32>) -> Result<Self> {
        if let Some(bits) = quantize.filter(|bits| !(2..=16).contains(bits)) {
            return Err(Error::Setting(format!("`quantize` must be 2 to 16 bits, not {bits}")));
        }
        let code_bits = quantize.unwrap_or(0);
        let unigrams = &ngrams.levels[0];
        let weight = |w: usize| [unigrams.probs[w], unigrams.backoffs.get(w).copied().unwrap_or(NO_CONTEXT)];
        let word_bits = word_bits(unigrams.len());
        let levels = (1..ngrams.order())
            .into_par_iter()
            .map(|depth| {
                let last = depth + 1 == ngrams.order();
                TrieLevel::build(&ngrams.levels[depth], last, word_bits, code_bits)
            })
            .collect();
        Ok(Self {
            word_bits,
            code_bits,
            unigrams: Store::Owned((0..unigrams.len()).map(weight).collect()),
            starts: Store::Owned(unigrams.starts.clone()),
            bigrams: Store::Owned(pack_bigrams(ngrams)),
            levels,
        })
    }

    fn map(file: &MappedFile, order: usize, code_bits: u64, words: usize) -> Result<Self> {
        if code_bits > 16 {
            return Err(file
                .corrupt(format!("its weights have {code_bits} bits, at most 16 are known"))
                .into());
        }
        let level = |length: usize| -> Result<TrieLevel> {
            Ok(TrieLevel {
                records: Store::Mapped(file.view(level_tag("record", length))?),
                book: Store::Mapped(file.view(level_tag("book", length))?),
                children: Store::Mapped(file.view(level_tag("kids", length))?),
                samples: Store::Mapped(file.view(level_tag("sample", length))?),
            })
        };
        Ok(Self {
            word_bits: word_bits(words),
            code_bits: code_bits as u32,
            unigrams: Store::Mapped(file.view(UNIGRAMS)?),
            starts: Store::Mapped(file.view(STARTS)?),
            bigrams: Store::Mapped(file.view(BIGRAMS)?),
            levels: (2..=order).map(level).collect::<Result<_>>()?,
        })
    }

    fn sections(&self) -> Vec<Tag> {
        let mut tags = vec![UNIGRAMS, STARTS, BIGRAMS];
        for length in 2..self.levels.len() + 2 {
            tags.extend(["record", "book", "kids", "sample"].map(|what| level_tag(what, length)));
        }
        tags
    }

    fn write(&self, out: &mut MappedWriter) -> Result<()> {
        out.section(UNIGRAMS, &self.unigrams)?;
        out.section(STARTS, &self.starts)?;
        out.section(BIGRAMS, &self.bigrams)?;
        for (level, length) in self.levels.iter().zip(2..) {
            out.section(level_tag("record", length), &level.records)?;
            out.section(level_tag("book", length), &level.book)?;
            out.section(level_tag("kids", length), &level.children)?;
            out.section(level_tag("sample", length), &level.samples)?;
        }
        Ok(())
    }

    fn order(&self) -> usize {
        self.levels.len() + 1
    }

    fn parameter(&self) -> u64 {
        u64::from(self.code_bits)
    }

    fn slices(&self) -> TrieTables<'_> {
        let last = self.levels.len().saturating_sub(1);
        TrieTables {
            unigrams: &self.unigrams,
            starts: &self.starts,
            bigrams: Bigrams::new(&self.bigrams, self.starts.last().copied().unwrap_or(0)),
            levels: self
                .levels
                .iter()
                .enumerate()
                .map(|(at, l)| l.view(at == last, self.word_bits, self.code_bits))
                .collect(),
            word_bits: self.word_bits,
            order: self.levels.len() + 1,
        }
    }
}

/// How wide a word of a vocabulary of this size is.
fn word_bits(words: usize) -> u32 {
    (usize::BITS - words.saturating_sub(1).leading_zeros()).max(1)
}

impl TrieLevel {
    fn build(level: &NgramLevel, last: bool, word_bits: u32, code_bits: u32) -> Self {
        let (book, coder) = Coder::new(level, last, code_bits);
        let mut records = Packer::default();
        for node in 0..level.len() {
            records.push(u64::from(level.words[node]), word_bits);
            coder.push(node, &mut records);
        }
        let (children, samples) = if last { (Vec::new(), Vec::new()) } else { ranges::pack(&level.starts) };
        Self {
            records: Store::Owned(records.finish()),
            book: Store::Owned(book),
            children: Store::Owned(children),
            samples: Store::Owned(samples),
        }
    }

    fn view(&self, last: bool, word_bits: u32, code_bits: u32) -> LevelView<'_> {
        let (probs, backoffs) = self.book.split_at(self.book.len().min(1 << code_bits));
        let prob_bits = if code_bits == 0 { 31 } else { code_bits };
        let backoff_bits = if code_bits == 0 { 32 } else { code_bits };
        let backoff_bits = if last { 0 } else { backoff_bits };
        let width = u32::from(!last) + prob_bits + backoff_bits;
        LevelView {
            records: &self.records,
            stride: u64::from(word_bits + width),
            offset: u64::from(word_bits),
            width,
            probs,
            backoffs,
            children: Ranges { bits: &self.children, samples: &self.samples },
            prob_bits,
            backoff_bits,
            flag: u32::from(!last),
        }
    }
}

fn pack_bigrams(ngrams: &Ngrams) -> Vec<u32> {
    let [unigrams, bigrams, ..] = ngrams.levels.as_slice() else { return Vec::new() };
    let under =
        |last: usize| unigrams.children(last).map(move |at| (Sym(last as u32), Sym(bigrams.words[at])));
    bigrams::pack((0..unigrams.len()).flat_map(under), bigrams.len() as u32)
}

/// Packs the weights of a level.
struct Coder<'a> {
    level: &'a NgramLevel,
    last: bool,
    code_bits: u32,
    probs: Vec<f32>,
    backoffs: Vec<f32>,
}

impl<'a> Coder<'a> {
    /// A level's codebook, and what packs its weights.
    fn new(level: &'a NgramLevel, last: bool, code_bits: u32) -> (Vec<f32>, Self) {
        let exact = code_bits == 0;
        let probs = if exact { Vec::new() } else { codebook(&level.probs, code_bits, &[]) };
        let backoffs =
            if exact || last { Vec::new() } else { codebook(&level.backoffs, code_bits, &RESERVED) };
        let mut book = probs.clone();
        if !exact {
            book.resize(1 << code_bits, 0.0);
            book.extend(&backoffs);
        }
        (book, Self { level, last, code_bits, probs, backoffs })
    }

    fn push(&self, node: usize, packer: &mut Packer) {
        let exact = self.code_bits == 0;
        if !self.last {
            packer.push(u64::from(!self.level.children(node).is_empty()), 1);
        }
        let prob = self.level.probs[node];
        match exact {
            true => packer.push(u64::from(prob.abs().to_bits()), 31),
            false => packer.push(encode(&self.probs, 0, prob), self.code_bits),
        }
        if self.last {
            return;
        }
        let backoff = self.level.backoffs[node];
        match exact {
            true => packer.push(u64::from(backoff.to_bits()), 32),
            false => packer.push(encode(&self.backoffs, RESERVED.len(), backoff), self.code_bits),
        }
    }
}

/// The trie as plain slices: what a worker holds.
#[derive(Clone)]
pub struct TrieTables<'m> {
    unigrams: &'m [[f32; 2]],
    starts: &'m [u32],
    bigrams: Bigrams<'m>,
    levels: Vec<LevelView<'m>>,
    word_bits: u32,
    order: usize,
}

#[derive(Clone, Copy)]
struct LevelView<'m> {
    records: &'m [u64],
    /// The bits of a record, and those before its weights.
    stride: u64,
    offset: u64,
    /// The bits of its weights.
    width: u32,
    probs: &'m [f32],
    backoffs: &'m [f32],
    children: Ranges<'m>,
    prob_bits: u32,
    backoff_bits: u32,
    flag: u32,
}

impl LevelView<'_> {
    /// Where the record of a node begins.
    #[inline]
    fn slot(&self, node: u64) -> usize {
        (node * self.stride / 64) as usize
    }

    #[inline]
    fn found(&self, node: u64) -> Found {
        let record = bits::get(self.records, node * self.stride + self.offset, self.width);
        let extends_left = self.flag == 1 && record & 1 == 1;
        let record = record >> self.flag;
        let code = record & (u64::MAX >> (64 - self.prob_bits));
        let prob = if self.prob_bits == 31 {
            -f32::from_bits(code as u32)
        } else {
            self.probs.get(code as usize).copied().unwrap_or(0.0)
        };
        let code = record >> self.prob_bits;
        let backoff = match self.backoff_bits {
            0 => NO_CONTEXT,
            32 => f32::from_bits(code as u32),
            _ => self.backoffs.get(code as usize).copied().unwrap_or(NO_CONTEXT),
        };
        Found { prob, backoff, extends_left, node }
    }
}

impl TrieTables<'_> {
    /// The children of a node of the given length.
    #[inline]
    fn children(&self, length: usize, node: u64) -> std::ops::Range<u64> {
        if length > 1 {
            return self.levels[length - 2].children.get(node);
        }
        match self.starts.get(node as usize..node as usize + 2) {
            Some(&[start, end]) => u64::from(start)..u64::from(end),
            _ => 0..0,
        }
    }

    /// The first word of an n-gram.
    #[inline]
    fn word(&self, level: &LevelView<'_>, node: u64) -> u64 {
        bits::get(level.records, node * level.stride, self.word_bits)
    }

    /// The position of a word among the ascending ones of a range. Frequent words have low numbers, so the search
    /// strides from the start of the range.
    #[inline]
    fn position(&self, level: &LevelView<'_>, range: std::ops::Range<u64>, word: Sym) -> Option<u64> {
        let at = |node: u64| self.word(level, node);
        let wanted = u64::from(word.0);
        let mut size = range.end.saturating_sub(range.start);
        let mut step = 1;
        while step < size && at(range.start + step) <= wanted {
            step *= 2;
        }
        let mut base = range.start + step / 2;
        size = size.min(step).saturating_sub(step / 2);
        while size > 1 {
            let half = size / 2;
            base = if at(base + half) <= wanted { base + half } else { base };
            size -= half;
        }
        (size == 1 && at(base) == wanted).then_some(base)
    }

    /// The bigram of `word` before that of a node.
    #[inline]
    fn bigram(&self, level: &LevelView<'_>, node: u64, word: Sym) -> Option<u64> {
        let children = self.children(1, node);
        let is_it = |at: u64| children.contains(&at) && self.word(level, at) == u64::from(word.0);
        self.bigrams.find(Sym(node as u32), word, is_it)
    }
}

impl Search for TrieTables<'_> {
    fn order(&self) -> usize {
        self.order
    }

    #[inline]
    fn unigram(&self, word: Sym) -> Found {
        let word = if word.ix() < self.unigrams.len() { word } else { UNK };
        let [prob, backoff] = self.unigrams.get(word.ix()).copied().unwrap_or([0.0, NO_CONTEXT]);
        let node = u64::from(word.0);
        let extends_left = self.order > 1 && !self.children(1, node).is_empty();
        Found { prob, backoff, extends_left, node }
    }

    #[inline]
    fn longer(&self, length: usize, node: u64, word: Sym) -> Option<Found> {
        let level = self.levels.get(length - 2)?;
        let found = match length {
            2 => self.bigram(level, node, word),
            _ => self.position(level, self.children(length - 1, node), word),
        };
        found.map(|at| level.found(at))
    }

    #[inline]
    fn steps(&self, length: usize) -> usize {
        if length == 2 { 2 } else { 3 }
    }

    #[inline]
    fn aim(&self, step: usize, length: usize, node: u64, word: Sym, cursor: &mut Cursor) {
        let level = &self.levels[length - 2];
        match (length, step) {
            (2, 0) => cursor.at = self.bigrams.first_slot(Sym(node as u32), word),
            (2, _) => cursor.at = level.slot(self.bigrams.index_in(cursor.at)),
            (_, 0) => cursor.at = Ranges::sample_slot(node),
            (_, 1) => cursor.at = self.levels[length - 3].children.bits_slot(node),
            _ => {
                let children = self.levels[length - 3].children.get(node);
                *cursor = Cursor { at: level.slot(children.start), notes: [children.start, children.end] };
            }
        }
    }

    #[inline]
    fn read(&self, step: usize, length: usize, cursor: &Cursor) -> u64 {
        let array = match (length, step) {
            (2, 0) => return self.bigrams.index_in(cursor.at),
            (3.., 0) => self.levels[length - 3].children.samples,
            (3.., 1) => self.levels[length - 3].children.bits,
            _ => self.levels[length - 2].records,
        };
        array.get(cursor.at).copied().unwrap_or(0)
    }

    #[inline]
    fn reach(&self, length: usize, node: u64, word: Sym, cursor: &Cursor) -> Option<Found> {
        let level = self.levels.get(length - 2)?;
        let [start, end] = cursor.notes;
        let found = match length {
            2 => self.bigram(level, node, word),
            _ => self.position(level, start..end, word),
        };
        found.map(|at| level.found(at))
    }
}
