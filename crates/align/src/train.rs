//! Training: model 1, then the hidden Markov model and fertilities, each iteration one pass over the corpus on all
//! threads. Expected counts are added up in the order of the corpus, so that the number of threads changes nothing.

use crate::classes::Classes;
use crate::corpus::{Corpus, CorpusSide};
use crate::counts::LinkCounts;
use crate::error::Result;
use crate::fertility::{Distribution, FERTILITIES, Fertility};
use crate::ibm1;
use crate::model::{Direction, Model};
use crate::scales::WordCounts;
use crate::settings::{ModelKind, Settings};
use crate::worker::{JumpCounts, Worker};
use std::ops::Range;

/// Links with less probability are not counted.
const COUNTED: f32 = 1e-3;

impl Model {
    /// Trains a model; `report` is told after each step what was done.
    pub fn train(corpus: &Corpus, settings: &Settings, report: impl FnMut(&str)) -> Result<Self> {
        Self::train_with_classes(corpus, settings, [None, None], report)
    }

    /// The same with classes of source and target words: jumps from a word depend on its class. A side whose words are
    /// all of one class is trained as without classes.
    pub fn train_with_classes(
        corpus: &Corpus,
        settings: &Settings,
        [src, tgt]: [Option<Classes>; 2],
        mut report: impl FnMut(&str),
    ) -> Result<Self> {
        settings.check()?;
        let table = ibm1::train(corpus, settings)?;
        report(&format!("model 1: {} pairs of words kept", table.len()));
        let direction = |classes: Option<Classes>, side: &CorpusSide| {
            Direction::initial(classes.filter(|classes| classes.tell_apart(side.words.len())))
        };
        let mut model = Self {
            kind: settings.model,
            table,
            forward: direction(src, &corpus.src),
            reverse: direction(tgt, &corpus.tgt),
            p_null: settings.p_null,
        };
        if settings.model == ModelKind::Ibm1 {
            return Ok(model);
        }
        for iteration in 1..=settings.hmm_iterations {
            let expected = Totals::of(&model, corpus)?;
            report(&format!("iteration {iteration}: {:.0} links expected", expected.all_links()));
            model.update(expected, settings)?;
        }
        Ok(model)
    }

    fn update(&mut self, expected: Totals, settings: &Settings) -> Result<()> {
        self.table.update(expected.links.finish()?, &expected.src, &expected.tgt);
        self.forward.set_jumps(expected.jumps.forward);
        self.reverse.set_jumps(expected.jumps.reverse);
        if self.kind == ModelKind::Fertility {
            let fertility = |counts| Some(Fertility::from_counts(counts, settings.fertility_prior));
            self.forward.fertility = fertility(expected.src_fertility);
            self.reverse.fertility = fertility(expected.tgt_fertility);
        }
        Ok(())
    }
}

/// What one pass over the corpus expects.
struct Totals {
    links: LinkCounts,
    src: WordCounts,
    tgt: WordCounts,
    jumps: JumpCounts,
    src_fertility: Vec<Distribution>,
    tgt_fertility: Vec<Distribution>,
}

/// The same of one chunk of sentences, by token instead of by word.
#[derive(Default)]
struct ChunkCounts {
    sentences: Range<usize>,
    links: Vec<(u32, f32)>,
    src: WordCounts,
    tgt: WordCounts,
    jumps: Option<JumpCounts>,
    src_fertility: Vec<Distribution>,
    tgt_fertility: Vec<Distribution>,
}

impl Totals {
    fn of(model: &Model, corpus: &Corpus) -> Result<Self> {
        let (src, tgt) = (corpus.src.words.len(), corpus.tgt.words.len());
        let with_fertility = model.kind == ModelKind::Fertility;
        let fertility = |words: usize| vec![[0.0; FERTILITIES]; if with_fertility { words } else { 0 }];
        let mut totals = Self {
            links: LinkCounts::none(model.table.len(), &corpus.space),
            src: WordCounts::zero(src),
            tgt: WordCounts::zero(tgt),
            jumps: JumpCounts::none(model),
            src_fertility: fertility(src),
            tgt_fertility: fertility(tgt),
        };
        model.in_order(
            corpus,
            |worker, chunk| expect(worker, corpus, chunk, with_fertility),
            |chunk| totals.add(corpus, &chunk),
        )?;
        Ok(totals)
    }

    fn all_links(&self) -> f64 {
        self.src.links.iter().map(|&c| f64::from(c)).sum()
    }

    fn add(&mut self, corpus: &Corpus, chunk: &ChunkCounts) -> Result<()> {
        self.links.add(&chunk.links)?;
        let Range { start, end } = chunk.sentences;
        let src = &corpus.src.tokens[corpus.src.starts[start] as usize..corpus.src.starts[end] as usize];
        let tgt = &corpus.tgt.tokens[corpus.tgt.starts[start] as usize..corpus.tgt.starts[end] as usize];
        add_words(&mut self.src, src, &chunk.src);
        add_words(&mut self.tgt, tgt, &chunk.tgt);
        add_fertility(&mut self.src_fertility, src, &chunk.src_fertility);
        add_fertility(&mut self.tgt_fertility, tgt, &chunk.tgt_fertility);
        let Some(jumps) = &chunk.jumps else { return Ok(()) };
        self.jumps.forward.iter_mut().zip(&jumps.forward).for_each(|(sum, c)| *sum += c);
        self.jumps.reverse.iter_mut().zip(&jumps.reverse).for_each(|(sum, c)| *sum += c);
        Ok(())
    }
}

fn add_words(totals: &mut WordCounts, words: &[u32], chunk: &WordCounts) {
    for (&word, (&links, &null)) in words.iter().zip(chunk.links.iter().zip(&chunk.null)) {
        totals.links[word as usize] += links;
        totals.null[word as usize] += null;
    }
}

fn add_fertility(totals: &mut [Distribution], words: &[u32], chunk: &[Distribution]) {
    for (&word, counts) in words.iter().zip(chunk) {
        totals[word as usize].iter_mut().zip(counts).for_each(|(sum, c)| *sum += c);
    }
}

fn expect(
    worker: &mut Worker<'_>,
    corpus: &Corpus,
    sentences: Range<usize>,
    with_fertility: bool,
) -> ChunkCounts {
    let mut chunk = ChunkCounts { sentences: sentences.clone(), ..ChunkCounts::default() };
    let mut jumps = JumpCounts::none(worker.model);
    for s in sentences {
        let (src, tgt) = (corpus.src.sentence(s), corpus.tgt.sentence(s));
        if src.is_empty() {
            continue;
        }
        worker.infer(src, tgt, Some(&mut jumps));
        chunk.add_links(worker, src.len(), tgt.len());
        if with_fertility {
            chunk.add_fertility(worker, src.len(), tgt.len());
        }
    }
    chunk.jumps = Some(jumps);
    chunk
}

impl ChunkCounts {
    fn add_links(&mut self, worker: &Worker<'_>, m: usize, n: usize) {
        let first = self.src.links.len();
        self.src.links.resize(first + m, 0.0);
        self.src.null.extend_from_slice(&worker.reverse.null[..m]);
        self.tgt.null.extend_from_slice(&worker.forward.null[..n]);
        for j in 0..n {
            let mut sum = 0.0;
            for i in 0..m {
                let p = worker.forward_probability(i, j);
                if p < COUNTED {
                    continue;
                }
                let both = p * worker.probabilities(i, j).1;
                sum += both;
                self.src.links[first + i] += both;
                if let Some(slot) = worker.slot(i, j) {
                    self.links.push((slot as u32, both));
                }
            }
            self.tgt.links.push(sum);
        }
    }

    fn add_fertility(&mut self, worker: &mut Worker<'_>, m: usize, n: usize) {
        worker.read_partners();
        self.src_fertility.extend((0..m).map(|i| worker.src_partners.of(i)));
        self.tgt_fertility.extend((0..n).map(|j| worker.tgt_partners.of(j)));
    }
}
