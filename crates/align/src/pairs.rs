//! The pairs of words that meet often enough to tell something, with their expected link counts, while model 1 is
//! being estimated. One row a source word; runs of rows are worked on in parallel.

use crate::corpus::{Corpus, CorpusSide};
use crate::error::Result;
use crate::spelling::{Alike, Spelling};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use treeglot_text::column::{Column, MemoryBudget};
use treeglot_text::interrupt;

/// About how many tokens the source words of one block have in the corpus.
const BLOCK_TOKENS: usize = 1 << 14;

/// After how many sentences of a word mapped pages may be given back: a frequent word goes through the whole corpus.
pub const SWEEP: usize = 1 << 14;

/// Gives pages back after a full sweep.
pub fn trim_after(sentences: &[u32], space: &MemoryBudget) {
    if sentences.len() == SWEEP {
        space.trim();
    }
}

/// In which sentences each word of a side occurs, once for each time it does.
pub struct Occurrences {
    starts: Vec<usize>,
    sentences: Column<u32>,
}

impl Occurrences {
    /// Sorts a side's tokens by word.
    pub fn of(side: &CorpusSide, space: &MemoryBudget) -> Result<Self> {
        let mut starts = vec![0];
        starts.extend(side.frequencies(space).into_iter().scan(0, |end, n| {
            *end += n as usize;
            Some(*end)
        }));
        let by_sentence =
            || (0..side.starts.len() - 1).flat_map(|s| side.sentence(s).iter().map(move |&w| (w, s as u32)));
        let sentences = Column::grouped(space, &starts, by_sentence)?;
        Ok(Self { starts, sentences })
    }

    /// The sentences of `word`, ascending.
    pub fn sentences(&self, word: usize) -> &[u32] {
        &self.sentences[self.starts[word]..self.starts[word + 1]]
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
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// The target word.
    pub tgt: u32,
    /// In how many sentences the two meet, 255 for more.
    pub meets: u16,
    alike: u16,
}

impl Pair {
    /// A pair that meets so often.
    pub fn new(tgt: u32, meets: u8, alike: Alike) -> Self {
        Self { tgt, meets: meets.into(), alike: alike as u16 }
    }

    /// How alike the two are written.
    pub fn alike(&self) -> Alike {
        [Alike::No, Alike::Start, Alike::Same][self.alike as usize]
    }

    /// The part of the pair's count that stays when one sentence is left out, on average. A pair must not take its
    /// own link as evidence for itself: this is what keeps rare words from collecting links.
    pub fn share(&self) -> f32 {
        1.0 - 1.0 / f32::from(self.meets)
    }
}

/// All pairs, row by row.
pub struct Pairs {
    /// Runs of source words to be worked on together, the same for any number of threads.
    pub runs: Vec<Range<usize>>,
    /// Where each row starts, and the end of the last.
    rows: Vec<usize>,
    /// The pairs.
    pub pairs: Column<Pair>,
    /// The expected number of links of each pair.
    pub count: Column<f32>,
}

impl Pairs {
    /// Collects the pairs that meet in at least two sentences or look alike; all others have no evidence beyond the
    /// sentence they are in, and share one prior. The counts are those of a uniform model.
    pub fn of(corpus: &Corpus, occurrences: &Occurrences) -> Result<Self> {
        let spelling = Spelling::of(corpus);
        let space = &corpus.space;
        let runs = runs(&corpus.src, occurrences);
        let (mut rows, mut pairs, mut count) = (vec![0], space.writer(), space.writer());
        for batch in runs.chunks(4 * rayon::current_num_threads()) {
            let blocks: Vec<Block> = batch
                .par_iter()
                .map_init(
                    || Row { place: vec![u32::MAX; corpus.tgt.words.len()], found: Vec::new() },
                    |row, run| {
                        interrupt::check();
                        block(corpus, occurrences, &spelling, row, run.clone())
                    },
                )
                .collect();
            for block in blocks {
                rows.extend(block.ends.iter().map(|end| pairs.len() + end));
                pairs.extend(&block.pairs)?;
                count.extend(&block.count)?;
            }
            space.trim();
        }
        Ok(Self { runs, rows, pairs: pairs.finish()?, count: count.finish()? })
    }

    /// Where the row of a source word lies.
    pub fn row(&self, word: usize) -> Range<usize> {
        self.rows[word]..self.rows[word + 1]
    }

    /// Where the rows of each run end.
    pub fn run_ends(&self) -> Vec<usize> {
        self.runs.iter().map(|run| self.rows[run.end]).collect()
    }
}

/// The rows of a run of source words.
#[derive(Default)]
struct Block {
    ends: Vec<usize>,
    pairs: Vec<Pair>,
    count: Vec<f32>,
}

/// Cuts the source words into runs with about the same number of tokens.
fn runs(side: &CorpusSide, occurrences: &Occurrences) -> Vec<Range<usize>> {
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
    let mut block = Block::default();
    for word in run {
        for sentences in occurrences.sentences(word).chunks(SWEEP) {
            for &s in sentences {
                let (src, tgt) = (corpus.src.sentence(s as usize), corpus.tgt.sentence(s as usize));
                let uniform = 1.0 / ((src.len() + 1) as f32 * (tgt.len() + 1) as f32).sqrt();
                row.add(s, tgt, uniform);
            }
            trim_after(sentences, &corpus.space);
        }
        for found in row.found.drain(..) {
            row.place[found.tgt as usize] = u32::MAX;
            let alike = spelling.alike(corpus, word as u32, found.tgt);
            if found.meets > 1 || alike != Alike::No {
                block.pairs.push(Pair::new(found.tgt, found.meets, alike));
                block.count.push(found.count);
            }
        }
        block.ends.push(block.pairs.len());
    }
    corpus.space.trim();
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_that_meet_twice_or_look_alike_are_collected() {
        let corpus = Corpus::from_pairs([("a b", "x y"), ("a c", "x z"), ("d 7", "w 7")]).unwrap();
        let pairs = Pairs::of(&corpus, &Occurrences::of(&corpus.src, &corpus.space).unwrap()).unwrap();
        let mut found: Vec<(&str, &str, u16)> = Vec::new();
        for e in 0..corpus.src.words.len() {
            for pair in &pairs.pairs[pairs.row(e)] {
                found.push((corpus.src.words.text(e as u32), corpus.tgt.words.text(pair.tgt), pair.meets));
            }
        }
        assert_eq!(found, [("a", "x", 2), ("7", "7", 1)]);
    }

    #[test]
    fn occurrences_are_found_by_word_and_range() {
        let corpus = Corpus::from_pairs([("a b", "x"), ("b", "x"), ("a a", "x")]).unwrap();
        let occurrences = Occurrences::of(&corpus.src, &corpus.space).unwrap();
        let a = corpus.src.words.id("a").unwrap() as usize;
        assert_eq!(occurrences.sentences(a), [0, 2, 2]);
        assert_eq!(occurrences.within(a, &(1..3)), [2, 2]);
    }
}
