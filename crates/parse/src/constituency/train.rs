//! Training a network from trees.

use super::backward::{Backward, Gradient};
use super::features::{self, ABSENT, Counts, LEXICAL, PER_WORD, UNKNOWN};
use super::labels::{Encoded, Inventory};
use super::model::ConModel;
use super::network::{Dropout, Network, Pass};
use super::settings::TrainSettings;
use super::shape::{Blocks, Shape};
use super::worker::ConWorker;
use crate::nn::Rng;
use crate::nn::{Adam, Rate};
use crate::settings::{ParseSettings, Settings};
use crate::train::{Best, Listener};
use rayon::prelude::*;
use std::sync::Arc;
use treeglot_text::interrupt;
use treeglot_tree::ConTree;
use treeglot_tree::compare::{BracketOptions, BracketScore};

/// A sentence to learn from.
struct Example {
    features: Vec<u32>,
    gold: Encoded,
}

impl Example {
    fn len(&self) -> usize {
        self.gold.tags.len()
    }
}

/// A parser's parts in memory.
#[derive(Debug, Clone)]
pub(crate) struct Trained {
    pub(crate) inventory: Inventory,
    pub(crate) hashes: Vec<u64>,
    pub(crate) shape: Shape,
    /// The parameters of each network.
    pub(crate) members: Vec<Vec<f32>>,
}

/// How long Adam remembers the squares of derivatives.
const SECOND_MOMENT: f32 = 0.999;

/// Sentences whose derivatives are summed by one thread. The sums do not depend on the number of threads.
const SHARDS: usize = 2;

/// Trains from treebanks, each a list of plain trees; with development trees the best round of every network is kept.
pub(crate) fn train(
    settings: &Settings,
    treebanks: &[Vec<ConTree>],
    dev: Option<&[&ConTree]>,
    listener: Listener<'_>,
) -> ConModel {
    let all = treebanks.iter().map(Vec::len).sum();
    train_with(&TrainSettings::new(settings, all), treebanks, dev, listener)
}

fn train_with(
    settings: &TrainSettings,
    treebanks: &[Vec<ConTree>],
    dev: Option<&[&ConTree]>,
    listener: Listener<'_>,
) -> ConModel {
    let numbered = treebanks.iter().enumerate().flat_map(|(n, trees)| trees.iter().map(move |t| (t, n)));
    let trees: Vec<(&ConTree, usize)> = numbered.filter(|(t, _)| t.len() <= settings.longest).collect();
    let (mut trained, examples, counts) = prepare(&trees, settings);
    for member in 0..settings.members {
        let mut trainer = Trainer::new(trained.shape, settings, member, &counts);
        let mut best = Best::new(member + 1, listener);
        trained.members.push(Vec::new());
        for epoch in 0..settings.epochs {
            let loss = trainer.epoch(&examples, epoch);
            trained.members[member].clone_from(&trainer.values);
            let score = dev.map(|dev| f1(&Arc::new(ConModel::new(&trained)), dev));
            best.round(epoch + 1, loss, score, || trained.members[member].clone());
        }
        if let Some(kept) = best.kept() {
            trained.members[member] = kept;
        }
    }
    ConModel::new(&trained)
}

/// The F1 of labelled brackets, as evalb has it, of a parser so far.
fn f1(model: &Arc<ConModel>, dev: &[&ConTree]) -> f64 {
    let score = |gold: &[&ConTree]| {
        let forms: Vec<Vec<&str>> = gold.iter().map(|t| t.forms().collect()).collect();
        let sentences: Vec<&[&str]> = forms.iter().map(Vec::as_slice).collect();
        let trees = ConWorker::new(model.clone(), &ParseSettings::default()).parse_all(&sentences);
        let mut score = BracketScore::default();
        for (gold, tree) in gold.iter().zip(&trees) {
            score.add(gold, tree.as_ref(), &BracketOptions::collins());
        }
        score
    };
    let scores: Vec<BracketScore> = dev.par_chunks(DEV_CHUNK).map(score).collect();
    let mut all = BracketScore::default();
    scores.iter().for_each(|score| all.merge(score));
    all.f1()
}

/// Development sentences that one thread parses at a time.
const DEV_CHUNK: usize = 64;

/// Numbers of all that trees have, the trees as these numbers, and how often each feature was seen.
fn prepare(trees: &[(&ConTree, usize)], settings: &TrainSettings) -> (Trained, Vec<Example>, Vec<u32>) {
    let inventory = Inventory::of_trees(trees.iter().map(|t| t.0), settings.least_chain);
    let mut counts = Counts::default();
    for (tree, treebank) in trees {
        counts.add(tree.forms(), *treebank);
    }
    let (hashes, counts) = counts.frequent(settings.least_feature);
    let examples = trees
        .iter()
        .map(|(tree, treebank)| {
            let mut features = Vec::with_capacity(tree.len() * PER_WORD);
            tree.forms().for_each(|form| features::encode(&hashes, form, *treebank, &mut features));
            Example { features, gold: inventory.encode(tree) }
        })
        .collect();
    let shape = Shape {
        features: hashes.len() + 1,
        embedding: settings.embedding,
        hidden: settings.hidden,
        span: settings.span,
        labels: inventory.labels().len(),
        tags: inventory.tags().len(),
    };
    (Trained { inventory, hashes, shape, members: Vec::new() }, examples, counts)
}

/// One network in training.
struct Trainer<'a> {
    settings: &'a TrainSettings,
    seed: u64,
    shape: Shape,
    blocks: Blocks,
    values: Vec<f32>,
    adam: Adam,
    /// How often each feature was seen, by its number less 1.
    counts: &'a [u32],
    shards: Vec<Shard>,
    steps: u64,
}

/// What a thread needs for its share of a batch.
#[derive(Default)]
struct Shard {
    pass: Pass,
    backward: Backward,
    gradient: Gradient,
    features: Vec<u32>,
}

impl<'a> Trainer<'a> {
    fn new(shape: Shape, settings: &'a TrainSettings, member: usize, counts: &'a [u32]) -> Self {
        let blocks = shape.blocks();
        let seed = settings.seed.wrapping_add(1_000_003 * member as u64);
        let values = blocks.random(&mut Rng::of_job(seed, u64::MAX));
        let adam = Adam::new(values.len(), SECOND_MOMENT);
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Self { settings, seed, shape, blocks, values, adam, counts, shards, steps: 0 }
    }

    /// Goes over all examples once; the loss a word.
    fn epoch(&mut self, examples: &[Example], epoch: usize) -> f64 {
        let batches = self.batches(examples, epoch);
        let (mut loss, mut words) = (0.0, 0);
        let total = (self.settings.epochs * batches.len()).max(1) as f32;
        for batch in &batches {
            // A short warm-up, then down to zero along a cosine.
            let done = self.steps as f32 / total;
            let warm = (self.steps as f32 / (0.05 * total).clamp(1.0, 200.0)).min(1.0);
            let rate = self.settings.rate * warm * 0.5 * (1.0 + (std::f32::consts::PI * done.min(1.0)).cos());
            loss += self.step(batch, rate);
            words += batch.iter().map(|e| e.len()).sum::<usize>();
        }
        loss / words.max(1) as f64
    }

    /// Batches of sentences of similar lengths, in random order.
    fn batches<'e>(&self, examples: &'e [Example], epoch: usize) -> Vec<Vec<&'e Example>> {
        let mut rng = Rng::of_job(self.seed, (1 << 40) + epoch as u64);
        let mut order: Vec<&Example> = examples.iter().collect();
        rng.shuffle(&mut order);
        let mut batches: Vec<Vec<&Example>> = Vec::new();
        for some in order.chunks_mut(self.settings.batch * 16) {
            some.sort_by_key(|e| std::cmp::Reverse(e.len()));
            batches.extend(some.chunks(self.settings.batch).map(<[&Example]>::to_vec));
        }
        rng.shuffle(&mut batches);
        batches
    }

    fn step(&mut self, batch: &[&Example], rate: f32) -> f64 {
        interrupt::check();
        self.steps += 1;
        let network = Network { shape: self.shape, blocks: &self.blocks, values: &self.values };
        let (seed, steps, settings, counts) = (self.seed, self.steps, self.settings, self.counts);
        let losses: Vec<f64> = self
            .shards
            .par_iter_mut()
            .enumerate()
            .map(|(number, shard)| {
                let own: Vec<&Example> = batch.iter().copied().skip(number).step_by(SHARDS).collect();
                let mut rng = Rng::of_job(seed, steps * SHARDS as u64 + number as u64);
                shard.run(&network, &own, settings, counts, &mut rng)
            })
            .collect();
        let (first, others) = self.shards.split_at_mut(1);
        let gradient = &mut first[0].gradient;
        others.iter().for_each(|other| gradient.add(&other.gradient, &self.blocks));
        let parts = gradient.parts(&self.blocks);
        let rate = Rate { rate, scale: 1.0 / batch.len() as f32, clip: 5.0 };
        self.adam.update(&mut self.values, &mut gradient.values, &parts, rate);
        losses.iter().sum()
    }
}

impl Shard {
    fn run(
        &mut self,
        network: &Network<'_>,
        examples: &[&Example],
        settings: &TrainSettings,
        counts: &[u32],
        rng: &mut Rng,
    ) -> f64 {
        self.gradient.clear(network.blocks);
        if examples.is_empty() {
            return 0.0;
        }
        self.features.clear();
        for example in examples {
            self.features.extend_from_slice(&example.features);
        }
        for word in self.features.chunks_exact_mut(PER_WORD) {
            hide(word, counts, rng);
        }
        let lengths: Vec<usize> = examples.iter().map(|e| e.len()).collect();
        let mut dropout = Dropout { rng, input: settings.input_dropout, state: settings.state_dropout };
        self.pass.encode(network, &lengths, &self.features, Some(&mut dropout));
        let gold: Vec<&Encoded> = examples.iter().map(|e| &e.gold).collect();
        self.backward.run(network, &mut self.pass, &self.features, &gold, &mut self.gradient)
    }
}

/// Hides rare words now and then, so that unknown ones are met in training, and sometimes the treebank.
fn hide(word: &mut [u32], counts: &[u32], rng: &mut Rng) {
    for (kind, feature) in word.iter_mut().enumerate().take(LEXICAL) {
        if *feature == ABSENT || *feature == UNKNOWN {
            continue;
        }
        let count = counts[*feature as usize - 1] as f32;
        if rng.unit() < 0.8 / (0.8 + count) {
            *feature = if kind == 0 { UNKNOWN } else { ABSENT };
        }
    }
    if rng.unit() < 0.05 {
        word[PER_WORD - 1] = ABSENT;
    }
}
