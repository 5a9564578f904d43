//! A trained model: read-only, shared by all threads; each thread aligns with a [`Worker`] of its own.

use crate::classes::Classes;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::fertility::Fertility;
use crate::jumps::{Jumps, Tables};
use crate::links::Link;
use crate::settings::ModelKind;
use crate::symmetrize::{GrowOrder, Symmetrize, symmetrize};
use crate::translation_table::TranslationTable;
use crate::worker::Worker;
use rayon::prelude::*;
use std::ops::Range;
use treeglot_text::interrupt;

/// Sentences in a unit of parallel work, whose expected jumps are added up in their order.
pub const CHUNK: usize = 64;

/// About how many bytes each cell of a sentence pair takes when the lexical tables are looked up for many pairs: one cell
/// in five has a pair of words that is stored.
const BYTES_A_CELL: usize = 8;

/// What one direction knows beyond words: its states are the words of one side.
#[derive(Debug, Clone)]
pub struct Direction {
    /// Jumps between partners.
    pub jumps: Jumps,
    /// The same by the class of the word jumped from, where classes were given.
    pub conditioned: Option<Conditioned>,
    /// How many partners a word has; not in the models without it.
    pub fertility: Option<Fertility>,
}

/// Jumps that depend on classes.
#[derive(Debug, Clone)]
pub struct Conditioned {
    /// The classes of the side's words.
    pub classes: Classes,
    /// Jumps by class.
    pub jumps: Vec<Jumps>,
}

impl Conditioned {
    /// From the expected jumps of each class, all classes end to end, and those of all words.
    pub fn new(classes: Classes, counts: &[f64], pooled: &Jumps) -> Self {
        let of_class = |counts: &[f64]| Jumps::of_class(counts.to_vec(), pooled);
        Self { classes, jumps: counts.chunks_exact(Jumps::WIDTHS).map(of_class).collect() }
    }
}

impl Direction {
    /// A direction before any count.
    pub fn initial(classes: Option<Classes>) -> Self {
        let jumps = Jumps::initial();
        let by_class = |classes: Classes| Conditioned { jumps: vec![jumps.clone(); classes.len()], classes };
        Self { conditioned: classes.map(by_class), fertility: None, jumps }
    }

    /// The tables for a sentence's words; their classes are written to a buffer.
    pub(crate) fn tables<'a>(&'a self, words: &[u32], buffer: &'a mut Vec<u16>) -> Tables<'a> {
        buffer.clear();
        let Some(Conditioned { classes, jumps }) = &self.conditioned else {
            return Tables { pooled: &self.jumps, by_class: &[], classes: buffer };
        };
        buffer.extend(words.iter().map(|&word| classes.of(word)));
        Tables { pooled: &self.jumps, by_class: jumps, classes: buffer }
    }

    /// Room for the expected jumps of all words, then of each class.
    pub(crate) fn no_jumps(&self) -> Vec<f64> {
        let classes = self.conditioned.as_ref().map_or(0, |conditioned| conditioned.jumps.len());
        vec![0.0; (1 + classes) * Jumps::WIDTHS]
    }

    /// Takes on expected jumps, laid out as in [`Direction::no_jumps`].
    pub(crate) fn set_jumps(&mut self, mut counts: Vec<f64>) {
        let by_class = counts.split_off(Jumps::WIDTHS);
        self.jumps = Jumps::from_counts(counts);
        let classes = self.conditioned.take().map(|conditioned| conditioned.classes);
        self.conditioned = classes.map(|classes| Conditioned::new(classes, &by_class, &self.jumps));
    }
}

/// A model of how the words of two sentences correspond, in both directions.
#[derive(Debug)]
pub struct Model {
    /// Which model it is.
    pub kind: ModelKind,
    /// The lexical tables.
    pub table: TranslationTable,
    /// Each target word has one source word.
    pub forward: Direction,
    /// Each source word has one target word.
    pub reverse: Direction,
    /// The probability of having no partner.
    pub p_null: f32,
}

/// The links of one sentence pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aligned {
    /// At most one link for each target word.
    pub forward: Vec<Link>,
    /// At most one link for each source word.
    pub reverse: Vec<Link>,
    /// The two combined.
    pub links: Vec<Link>,
    /// For each of `links`, its probability: the geometric mean of the two directions'.
    pub scores: Vec<f32>,
}

/// Runs of sentences, the same for any number of threads.
fn chunks(sentences: Range<usize>) -> Vec<Range<usize>> {
    let Range { start, end } = sentences;
    (start..end).step_by(CHUNK).map(|first| first..(first + CHUNK).min(end)).collect()
}

impl Model {
    /// Works on chunks of a corpus in parallel and hands the results on in order.
    pub(crate) fn in_order<R: Send, E: From<Error>>(
        &self,
        corpus: &Corpus,
        work: impl Fn(&mut Worker<'_>, Range<usize>) -> R + Sync + Send,
        mut hand_on: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        for sentences in self.batches(corpus) {
            let part = self.table.part(corpus, sentences.clone());
            let lookup = self.table.whole().unwrap_or_else(|| part.look_up());
            for batch in chunks(sentences).chunks(8 * rayon::current_num_threads()) {
                let worker = || Worker::new(self, lookup);
                let results: Vec<R> = batch
                    .par_iter()
                    .map_init(worker, |worker, chunk| {
                        interrupt::check();
                        work(worker, chunk.clone())
                    })
                    .collect();
                results.into_iter().try_for_each(&mut hand_on)?;
                corpus.space.trim();
            }
        }
        Ok(())
    }

    /// Runs of whole chunks for which the lexical tables are looked up together.
    fn batches(&self, corpus: &Corpus) -> Vec<Range<usize>> {
        let whole = self.table.whole().is_some();
        let most = if whole { usize::MAX } else { corpus.space.beside(BYTES_A_CELL) };
        let (mut batches, mut first, mut cells) = (Vec::new(), 0, 0);
        for chunk in chunks(0..corpus.len()) {
            let of_chunk = chunk.clone().map(|s| corpus.src.range(s).len() * corpus.tgt.range(s).len());
            let of_chunk = of_chunk.sum::<usize>();
            if cells > 0 && cells + of_chunk > most {
                batches.push(first..chunk.start);
                (first, cells) = (chunk.start, 0);
            }
            cells += of_chunk;
        }
        batches.push(first..corpus.len());
        batches
    }

    /// Aligns all pairs of a corpus over all threads and hands the links on in order. Words of the corpus must have
    /// the ids they had in training.
    pub fn align<E: From<Error>>(
        &self,
        corpus: &Corpus,
        how: Symmetrize,
        order: GrowOrder,
        mut hand_on: impl FnMut(usize, &Aligned) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut sentence = 0;
        self.in_order(
            corpus,
            |worker, chunk| -> Vec<Aligned> {
                chunk
                    .map(|s| aligned(worker, corpus.src.sentence(s), corpus.tgt.sentence(s), how, order))
                    .collect()
            },
            |chunk| {
                for aligned in &chunk {
                    hand_on(sentence, aligned)?;
                    sentence += 1;
                }
                Ok(())
            },
        )
    }
}

fn aligned(worker: &mut Worker<'_>, src: &[u32], tgt: &[u32], how: Symmetrize, order: GrowOrder) -> Aligned {
    if src.is_empty() || tgt.is_empty() {
        return Aligned::default();
    }
    worker.infer(src, tgt, None);
    let (forward, reverse) = worker.links();
    let links = symmetrize(&forward, &reverse, how, order);
    let scores = links.iter().map(|&link| worker.score(link)).collect();
    Aligned { forward, reverse, links, scores }
}
