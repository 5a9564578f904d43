//! Training: model 1, then the hidden Markov model and fertilities, each iteration one pass over the corpus on all
//! threads. Expected counts are added up as whole multiples of 2^-32, so that the number of threads changes nothing, and other
//! machines can expect a part of them ([`crate::shard`]).

use crate::classes::Classes;
use crate::corpus::{Corpus, CorpusSide};
use crate::counts::{LinkCounts, double, single, whole};
use crate::error::Result;
use crate::fertility::{Distribution, FERTILITIES, Fertility};
use crate::ibm1;
use crate::model::{Direction, Model};
use crate::scales::WordCounts;
use crate::settings::{ModelKind, Settings};
use crate::worker::{JumpCounts, Worker};
use std::ops::Range;
use treeglot_text::column::Column;

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
        let mut model = Self::begin(corpus, settings, [src, tgt], &mut report)?;
        for iteration in 1..=model.iterations(settings) {
            let expected = Totals::of(&model, corpus)?;
            report(&format!(
                "iteration {iteration}: {:.0} links expected",
                expected.layout.all_links(&expected.rest)
            ));
            model.update(expected.links.finish()?, &expected.rest, settings);
        }
        Ok(model)
    }

    /// Model 1, from which iterations go on.
    pub(crate) fn begin(
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
        Ok(Self {
            kind: settings.model,
            table,
            forward: direction(src, &corpus.src),
            reverse: direction(tgt, &corpus.tgt),
            p_null: settings.p_null,
        })
    }

    /// How many iterations follow model 1.
    pub(crate) fn iterations(&self, settings: &Settings) -> usize {
        if self.kind == ModelKind::Ibm1 { 0 } else { settings.hmm_iterations }
    }

    /// Takes on what an iteration expects: of pairs of words by slot, and all else as [`Layout`] has it.
    pub(crate) fn update(&mut self, links: Column<f32>, rest: &[u64], settings: &Settings) {
        let layout = Layout::of(self);
        let [src, tgt] = [Side::Src, Side::Tgt].map(|side| layout.words(side, rest));
        self.table.update(links, &src, &tgt);
        self.forward.set_jumps(layout.jumps(Side::Src, rest));
        self.reverse.set_jumps(layout.jumps(Side::Tgt, rest));
        if self.kind == ModelKind::Fertility {
            let fertility =
                |side| Some(Fertility::from_counts(layout.fertility(side, rest), settings.fertility_prior));
            (self.forward.fertility, self.reverse.fertility) = (fertility(Side::Src), fertility(Side::Tgt));
        }
    }
}

/// Which side's words.
#[derive(Debug, Clone, Copy)]
enum Side {
    Src,
    Tgt,
}

/// Where expected counts lie among the sums of one pass, after those of pairs of words. All sums are whole multiples of 2^-32, so that
/// they are the same in whatever order addends come: from any number of threads, or machines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    words: [usize; 2],
    /// How many fertilities a word has.
    fertilities: usize,
    /// How many widths of jumps there are in each direction, those of classes included.
    jumps: [usize; 2],
}

impl Layout {
    /// The layout of a model's sums.
    pub fn of(model: &Model) -> Self {
        let fertilities = if model.kind == ModelKind::Fertility { FERTILITIES } else { 0 };
        let jumps = [&model.forward, &model.reverse].map(|direction| direction.no_jumps().len());
        Self { words: [model.table.src.words(), model.table.tgt.words()], fertilities, jumps }
    }

    /// How many sums there are.
    pub fn len(&self) -> usize {
        self.start(Side::Tgt) + self.size(Side::Tgt)
    }

    /// How many links are expected in all.
    pub fn all_links(&self, rest: &[u64]) -> f64 {
        self.words(Side::Src, rest).links.iter().map(|&count| f64::from(count)).sum()
    }

    fn size(&self, side: Side) -> usize {
        self.words[side as usize] * (2 + self.fertilities) + self.jumps[side as usize]
    }

    fn start(&self, side: Side) -> usize {
        match side {
            Side::Src => 0,
            Side::Tgt => self.size(Side::Src),
        }
    }

    /// The sums of a side's words: links, no partner, fertilities, then the jumps between them.
    fn of_side<'s>(&self, side: Side, rest: &'s [u64]) -> [&'s [u64]; 4] {
        let words = self.words[side as usize];
        let own = &rest[self.start(side)..][..self.size(side)];
        let (links, own) = own.split_at(words);
        let (null, own) = own.split_at(words);
        let (fertility, jumps) = own.split_at(words * self.fertilities);
        [links, null, fertility, jumps]
    }

    fn words(&self, side: Side, rest: &[u64]) -> WordCounts {
        let [links, null, ..] = self.of_side(side, rest).map(|sums| sums.iter().map(|&sum| single(sum)));
        WordCounts { links: links.collect(), null: null.collect() }
    }

    fn jumps(&self, side: Side, rest: &[u64]) -> Vec<f64> {
        let [.., jumps] = self.of_side(side, rest);
        jumps.iter().map(|&sum| double(sum)).collect()
    }

    fn fertility(&self, side: Side, rest: &[u64]) -> Vec<Distribution> {
        let [_, _, fertility, _] = self.of_side(side, rest);
        let word = |sums: &[u64]| std::array::from_fn(|k| single(sums[k]));
        fertility.chunks_exact(FERTILITIES).map(word).collect()
    }
}

/// What one pass over the corpus expects.
struct Totals {
    layout: Layout,
    links: LinkCounts,
    rest: Vec<u64>,
}

/// The same of one chunk of sentences, by token instead of by word.
#[derive(Default)]
pub(crate) struct ChunkCounts {
    sentences: Range<usize>,
    /// Links of pairs of words, by slot.
    pub links: Vec<(u32, f32)>,
    src: WordCounts,
    tgt: WordCounts,
    jumps: Option<JumpCounts>,
    src_fertility: Vec<Distribution>,
    tgt_fertility: Vec<Distribution>,
}

impl Totals {
    fn of(model: &Model, corpus: &Corpus) -> Result<Self> {
        let layout = Layout::of(model);
        let links = LinkCounts::none(model.table.len(), &corpus.space);
        let mut totals = Self { layout, links, rest: vec![0; layout.len()] };
        model.expected(corpus, |chunk| {
            totals.links.add(&chunk.links)?;
            chunk.rest(corpus, &totals.layout, |at, value| totals.rest[at] += value);
            Ok(())
        })?;
        Ok(totals)
    }
}

impl Model {
    /// Hands on what the model expects of each chunk of a corpus.
    pub(crate) fn expected(
        &self,
        corpus: &Corpus,
        hand_on: impl FnMut(ChunkCounts) -> Result<()>,
    ) -> Result<()> {
        let with_fertility = self.kind == ModelKind::Fertility;
        self.in_order(corpus, |worker, chunk| expect(worker, corpus, chunk, with_fertility), hand_on)
    }
}

impl ChunkCounts {
    /// Hands on all but the links of pairs, each with its place in the layout.
    pub fn rest(&self, corpus: &Corpus, layout: &Layout, mut add: impl FnMut(usize, u64)) {
        let sides = [
            (Side::Src, &corpus.src, &self.src, &self.src_fertility),
            (Side::Tgt, &corpus.tgt, &self.tgt, &self.tgt_fertility),
        ];
        let Range { start, end } = self.sentences;
        for (side, texts, words, fertility) in sides {
            let tokens = &texts.tokens[texts.starts[start] as usize..texts.starts[end] as usize];
            let (first, n) = (layout.start(side), layout.words[side as usize]);
            for (&word, (&links, &null)) in tokens.iter().zip(words.links.iter().zip(&words.null)) {
                add(first + word as usize, whole(links.into()));
                add(first + n + word as usize, whole(null.into()));
            }
            for (&word, counts) in tokens.iter().zip(fertility) {
                let at = first + 2 * n + word as usize * FERTILITIES;
                (at..).zip(counts).for_each(|(at, &count)| add(at, whole(count.into())));
            }
            let jumps = self.jumps.iter().map(|jumps| match side {
                Side::Src => &jumps.forward,
                Side::Tgt => &jumps.reverse,
            });
            let at = first + (2 + layout.fertilities) * n;
            (at..).zip(jumps.flatten()).for_each(|(at, &count)| add(at, whole(count)));
        }
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
