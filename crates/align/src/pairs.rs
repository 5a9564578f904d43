//! The pairs of words that meet often enough to tell something, with their expected link counts, while model 1 is
//! being estimated. One row a source word; rows lie in blocks, so that blocks can be worked on in parallel.

use crate::corpus::{Corpus, Side};
use crate::spelling::{Alike, Spelling};
use rayon::prelude::*;
use std::ops::Range;

/// About how many tokens the source words of one block have in the corpus.
const BLOCK_TOKENS: usize = 1 << 14;

/// In which sentences each word of a side occurs, once for each time it does.
pub struct Occurrences {
    starts: Vec<u32>,
    sentences: Vec<u32>,
}

impl Occurrences {
    /// Sorts a side's tokens by word.
    pub fn of(side: &Side) -> Self {
        let mut starts = vec![0u32; side.words.len() + 1];
        for &word in &side.tokens {
            starts[word as usize + 1] += 1;
        }
        for word in 1..starts.len() {
            starts[word] += starts[word - 1];
        }
        let mut next = starts.clone();
        let mut sentences = vec![0u32; side.tokens.len()];
        for s in 0..side.starts.len() - 1 {
            for &word in side.sentence(s) {
                sentences[next[word as usize] as usize] = s as u32;
                next[word as usize] += 1;
            }
        }
        Self { starts, sentences }
    }

    /// The sentences of `word`, ascending.
    pub fn sentences(&self, word: usize) -> &[u32] {
        &self.sentences[self.starts[word] as usize..self.starts[word + 1] as usize]
    }

    /// The sentences of `word` that lie in a range.
    pub fn within(&self, word: usize, range: &Range<usize>) -> &[u32] {
        let all = self.sentences(word);
        let from = all.partition_point(|&s| (s as usize) < range.start);
        let to = all.partition_point(|&s| (s as usize) < range.end);
        &all[from..to]
    }
}

/// What is known about a pair of words.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// The target word.
    pub tgt: u32,
    /// In how many sentences the two meet, 255 for more.
    pub meets: u8,
    /// How alike they are written.
    pub alike: Alike,
}

impl Pair {
    /// The part of the pair's count that stays when one sentence is left out, on average. A pair must not take its
    /// own link as evidence for itself: this is what keeps rare words from collecting links.
    pub fn share(&self) -> f32 {
        1.0 - 1.0 / f32::from(self.meets)
    }
}

/// The rows of a run of source words.
#[derive(Debug)]
pub struct Block {
    /// The first source word.
    first: usize,
    /// Where each row starts in the arrays below, and the end of the last.
    rows: Vec<u32>,
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// The expected number of links of each pair; between two passes, the value of that count.
    pub count: Vec<f32>,
}

impl Block {
    /// The source words of this block.
    pub fn words(&self) -> Range<usize> {
        self.first..self.first + self.rows.len() - 1
    }

    /// Where the row of one of its words lies.
    pub fn row(&self, word: usize) -> Range<usize> {
        let k = word - self.first;
        self.rows[k] as usize..self.rows[k + 1] as usize
    }

    fn push(&mut self, pair: Pair, count: f32) {
        self.pairs.push(pair);
        self.count.push(count);
    }
}

/// Cuts the source words into runs with about the same number of tokens, the same for any number of threads.
fn runs(side: &Side, occurrences: &Occurrences) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut first, mut tokens) = (0, 0);
    for word in 0..side.words.len() {
        tokens += occurrences.sentences(word).len();
        if tokens >= BLOCK_TOKENS {
            runs.push(first..word + 1);
            (first, tokens) = (word + 1, 0);
        }
    }
    if first < side.words.len() {
        runs.push(first..side.words.len());
    }
    runs
}

/// Collects the pairs that meet in at least two sentences or look alike; all others have no evidence beyond the
/// sentence they are in, and share one prior. The counts are those of a uniform model.
pub fn collect(corpus: &Corpus, occurrences: &Occurrences) -> Vec<Block> {
    let spelling = Spelling::of(corpus);
    runs(&corpus.src, occurrences)
        .into_par_iter()
        .map_init(
            || Row { place: vec![u32::MAX; corpus.tgt.words.len()], found: Vec::new() },
            |row, run| block(corpus, occurrences, &spelling, row, run),
        )
        .collect()
}

/// A row being collected.
struct Row {
    /// For each target word its place in `found`.
    place: Vec<u32>,
    found: Vec<Found>,
}

struct Found {
    tgt: u32,
    last: u32,
    meets: u8,
    count: f32,
}

impl Row {
    fn add(&mut self, s: u32, tgt: &[u32], count: f32) {
        for &f in tgt {
            let place = &mut self.place[f as usize];
            if *place == u32::MAX {
                *place = self.found.len() as u32;
                self.found.push(Found { tgt: f, last: s, meets: 1, count });
                continue;
            }
            let found = &mut self.found[*place as usize];
            found.meets = found.meets.saturating_add(u8::from(found.last != s));
            found.last = s;
            found.count += count;
        }
    }
}

fn block(
    corpus: &Corpus,
    occurrences: &Occurrences,
    spelling: &Spelling,
    row: &mut Row,
    run: Range<usize>,
) -> Block {
    let mut block = Block { first: run.start, rows: vec![0], pairs: Vec::new(), count: Vec::new() };
    for word in run {
        for &s in occurrences.sentences(word) {
            let (src, tgt) = (corpus.src.sentence(s as usize), corpus.tgt.sentence(s as usize));
            let uniform = 1.0 / ((src.len() + 1) as f32 * (tgt.len() + 1) as f32).sqrt();
            row.add(s, tgt, uniform);
        }
        for found in row.found.drain(..) {
            row.place[found.tgt as usize] = u32::MAX;
            let alike = spelling.alike(corpus, word as u32, found.tgt);
            if found.meets > 1 || alike != Alike::No {
                block.push(Pair { tgt: found.tgt, meets: found.meets, alike }, found.count);
            }
        }
        block.rows.push(block.pairs.len() as u32);
    }
    block.pairs.shrink_to_fit();
    block.count.shrink_to_fit();
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_that_meet_twice_or_look_alike_are_collected() {
        let corpus = Corpus::from_pairs([("a b", "x y"), ("a c", "x z"), ("d 7", "w 7")]).unwrap();
        let blocks = collect(&corpus, &Occurrences::of(&corpus.src));
        let mut found: Vec<(&str, &str, u8)> = Vec::new();
        for block in &blocks {
            for e in block.words() {
                for pair in &block.pairs[block.row(e)] {
                    found.push((
                        corpus.src.words.text(e as u32),
                        corpus.tgt.words.text(pair.tgt),
                        pair.meets,
                    ));
                }
            }
        }
        assert_eq!(found, [("a", "x", 2), ("7", "7", 1)]);
    }

    #[test]
    fn occurrences_are_found_by_word_and_range() {
        let corpus = Corpus::from_pairs([("a b", "x"), ("b", "x"), ("a a", "x")]).unwrap();
        let occurrences = Occurrences::of(&corpus.src);
        let a = corpus.src.words.id("a").unwrap() as usize;
        assert_eq!(occurrences.sentences(a), [0, 2, 2]);
        assert_eq!(occurrences.within(a, &(1..3)), [2, 2]);
    }
}
