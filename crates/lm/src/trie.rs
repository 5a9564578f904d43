//! The small layout: a trie read from the last word backwards, in bit-packed arrays (Heafield 2011, section 3.2).
//! Words are apart from weights, so that searching a node's children touches few cache lines; where children begin
//! costs two to three bits a node instead of a pointer. Weights are exact, or codes of 2 to 16 bits.

use crate::bits::{self, Packer};
use crate::ngrams::{NgramLevel, Ngrams};
use crate::quantize::{codebook, encode};
use crate::ranges::{self, Ranges};
use crate::search::{Found, NO_CONTEXT, Search};
use crate::special::UNK;
use crate::store::Store;
use rayon::prelude::*;
use treeglot_text::vocab::Sym;

const RESERVED: [f32; 2] = [NO_CONTEXT, 0.0];

/// The trie.
#[derive(Clone)]
pub struct Trie {
    /// How wide a word is.
    pub word_bits: u32,
    /// How wide the codes of weights are; 0 for exact weights.
    pub code_bits: u32,
    /// Probability and back-off by word.
    pub unigrams: Store<[f32; 2]>,
    /// Where the children of each word begin, and the last one's end.
    pub starts: Store<u32>,
    /// The levels from the second on.
    pub levels: Vec<TrieLevel>,
}

/// One level of the trie.
#[derive(Clone)]
pub struct TrieLevel {
    /// The first word of each n-gram.
    pub words: Store<u64>,
    /// Whether it has children (not in the last level), probability, back-off (not in the last level).
    pub weights: Store<u64>,
    /// The values of the codes: probabilities, then back-offs, each as many as there are codes; empty if exact.
    pub book: Store<f32>,
    /// Where children are, see [`ranges`]; empty in the last level.
    pub children: Store<u64>,
    /// Samples of it.
    pub samples: Store<u64>,
}

impl Trie {
    /// Builds the trie of a model; weights are exact if `code_bits` is 0.
    pub fn build(ngrams: &Ngrams, code_bits: u32) -> Self {
        let unigrams = &ngrams.levels[0];
        let weight = |w: usize| [unigrams.probs[w], unigrams.backoffs.get(w).copied().unwrap_or(NO_CONTEXT)];
        let word_bits = (usize::BITS - (unigrams.len() - 1).leading_zeros()).max(1);
        let levels = (1..ngrams.order())
            .into_par_iter()
            .map(|depth| {
                TrieLevel::build(&ngrams.levels[depth], depth + 1 == ngrams.order(), word_bits, code_bits)
            })
            .collect();
        Self {
            word_bits,
            code_bits,
            unigrams: Store::Owned((0..unigrams.len()).map(weight).collect()),
            starts: Store::Owned(unigrams.starts.clone()),
            levels,
        }
    }

    /// The trie as slices.
    pub fn tables(&self) -> TrieTables<'_> {
        let last = self.levels.len().saturating_sub(1);
        TrieTables {
            unigrams: &self.unigrams,
            starts: &self.starts,
            levels: self
                .levels
                .iter()
                .enumerate()
                .map(|(at, l)| l.view(at == last, self.code_bits))
                .collect(),
            word_bits: self.word_bits,
            order: self.levels.len() + 1,
        }
    }
}

impl TrieLevel {
    fn build(level: &NgramLevel, last: bool, word_bits: u32, code_bits: u32) -> Self {
        let mut words = Packer::with_capacity(level.len() as u64 * u64::from(word_bits));
        level.words.iter().for_each(|&word| words.push(u64::from(word), word_bits));
        let (book, weights) = pack_weights(level, last, code_bits);
        let (children, samples) = if last { (Vec::new(), Vec::new()) } else { ranges::pack(&level.starts) };
        Self {
            words: Store::Owned(words.finish()),
            weights: Store::Owned(weights),
            book: Store::Owned(book),
            children: Store::Owned(children),
            samples: Store::Owned(samples),
        }
    }

    fn view(&self, last: bool, code_bits: u32) -> LevelView<'_> {
        let (probs, backoffs) = self.book.split_at(self.book.len().min(1 << code_bits));
        let backoff_bits = if code_bits == 0 { 32 } else { code_bits };
        LevelView {
            words: &self.words,
            weights: &self.weights,
            probs,
            backoffs,
            children: Ranges { bits: &self.children, samples: &self.samples },
            prob_bits: if code_bits == 0 { 31 } else { code_bits },
            backoff_bits: if last { 0 } else { backoff_bits },
            flag: u32::from(!last),
        }
    }
}

/// A level's codebook and its weights.
fn pack_weights(level: &NgramLevel, last: bool, code_bits: u32) -> (Vec<f32>, Vec<u64>) {
    let exact = code_bits == 0;
    let probs = if exact { Vec::new() } else { codebook(&level.probs, code_bits, &[]) };
    let backoffs = if exact || last { Vec::new() } else { codebook(&level.backoffs, code_bits, &RESERVED) };
    let mut packer = Packer::with_capacity(level.len() as u64 * 64);
    for node in 0..level.len() {
        if !last {
            packer.push(u64::from(!level.children(node).is_empty()), 1);
        }
        match exact {
            true => packer.push(u64::from(level.probs[node].abs().to_bits()), 31),
            false => packer.push(encode(&probs, 0, level.probs[node]), code_bits),
        }
        match (last, exact) {
            (true, _) => {}
            (false, true) => packer.push(u64::from(level.backoffs[node].to_bits()), 32),
            (false, false) => packer.push(encode(&backoffs, RESERVED.len(), level.backoffs[node]), code_bits),
        }
    }
    let mut book = probs;
    if !exact {
        book.resize(1 << code_bits, 0.0);
        book.extend(backoffs);
    }
    (book, packer.finish())
}

/// The trie as plain slices: what a worker holds.
#[derive(Clone)]
pub struct TrieTables<'m> {
    unigrams: &'m [[f32; 2]],
    starts: &'m [u32],
    levels: Vec<LevelView<'m>>,
    word_bits: u32,
    order: usize,
}

#[derive(Clone, Copy)]
struct LevelView<'m> {
    words: &'m [u64],
    weights: &'m [u64],
    probs: &'m [f32],
    backoffs: &'m [f32],
    children: Ranges<'m>,
    prob_bits: u32,
    backoff_bits: u32,
    flag: u32,
}

impl LevelView<'_> {
    #[inline]
    fn found(&self, node: u64) -> Found {
        let width = self.flag + self.prob_bits + self.backoff_bits;
        let record = bits::get(self.weights, node * u64::from(width), width);
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

    /// The position of a word among ascending ones.
    #[inline]
    fn position(&self, words: &[u64], range: std::ops::Range<u64>, word: Sym) -> Option<u64> {
        let width = self.word_bits;
        let at = |node: u64| bits::get(words, node * u64::from(width), width);
        let wanted = u64::from(word.0);
        let mut base = range.start;
        let mut size = range.end.saturating_sub(range.start);
        while size > 1 {
            let half = size / 2;
            base = if at(base + half) <= wanted { base + half } else { base };
            size -= half;
        }
        (size == 1 && at(base) == wanted).then_some(base)
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
        let children = self.children(length - 1, node);
        Some(level.found(self.position(level.words, children, word)?))
    }

    fn again(&self, length: usize, node: u64) -> Found {
        match length {
            1 => self.unigram(Sym(node as u32)),
            _ => self.levels.get(length - 2).map_or(self.unigram(UNK), |level| level.found(node)),
        }
    }
}
