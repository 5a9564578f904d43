//! Interpolated modified Kneser-Ney (Chen & Goodman 1998, section 3), with the conventions of KenLM's `lmplz`: `<s>`
//! is conditioned on but not predicted, `<unk>` gets its share of the uniform distribution below the unigrams, and
//! what pruning removes goes to the back-off weight of its context.

use crate::corpus;
use crate::count::Counter;
use crate::error::{Error, Result};
use crate::estimated::{Estimated, EstimatedLevel};
use crate::key::{Key, Packing, WideKey};
use crate::ngrams::Ngrams;
use crate::settings::Settings;
use crate::shape::{self, Builder, Counts, Level, map_children};
use crate::special::BOS;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use treeglot_text::Input;
use treeglot_text::column::{BATCH, Column, MemoryBudget};
use treeglot_text::vocab::Vocab;

/// The longest n-grams that can be estimated.
pub const MAX_ORDER: usize = crate::key::WIDE;

/// How many bytes of memory are used unless another number is given.
pub const MEMORY: u64 = 4 << 30;

/// What is taken off a count of one, of two, and of three or more.
pub type Discount = [f32; 3];

/// What was found on the way, for the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Tokens, ends of sentences included.
    pub tokens: u64,
    /// For each order: distinct n-grams, how many were kept, discounts, and whether these are the fallback.
    pub orders: Vec<OrderStatistics>,
}

/// The statistics of one order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderStatistics {
    /// Distinct n-grams in the text.
    pub found: usize,
    /// Those in the model.
    pub kept: usize,
    /// The discounts.
    pub discount: Discount,
    /// Whether the discounts are the fallback.
    pub fallback: bool,
}

/// Estimates a model from text, one sentence a line, and takes it into memory.
pub fn from_text(input: Input, settings: &Settings) -> Result<(Ngrams, Statistics)> {
    let (estimated, statistics) = within_memory(input, settings, MEMORY)?;
    Ok((estimated.into_ngrams(), statistics))
}

/// Estimates a model from text, one sentence a line, with about so many bytes of memory beside the vocabulary; what exceeds
/// them lies in temporary files. The model does not depend on it.
pub fn within_memory(input: Input, settings: &Settings, memory: u64) -> Result<(Estimated, Statistics)> {
    settings.check()?;
    of_corpus(corpus::read(input, settings.skip_symbols, memory / 4)?, settings, memory)
}

/// The same from a text that was read.
pub(crate) fn of_corpus(
    corpus: corpus::Corpus,
    settings: &Settings,
    memory: u64,
) -> Result<(Estimated, Statistics)> {
    let corpus::Corpus { vocab, tokens, .. } = corpus;
    let count = tokens.len();
    let packing = Packing::new(settings.order, vocab.len());
    let words = vocab.len();
    let counts = if packing.width() <= u64::BITS {
        count_text::<u64>(tokens, packing, words, settings, memory)
    } else if packing.width() <= u128::BITS {
        count_text::<u128>(tokens, packing, words, settings, memory)
    } else {
        count_text::<WideKey>(tokens, packing, words, settings, memory)
    }?;
    let (estimated, orders) = from_counts(vocab, counts, |_| true, settings)?;
    Ok((estimated, Statistics { tokens: count, orders }))
}

fn count_text<K: Key>(
    mut tokens: corpus::Tokens,
    packing: Packing,
    words: usize,
    settings: &Settings,
    memory: u64,
) -> Result<Counts> {
    let mut counter = Counter::<K>::new(memory / 2);
    counter.add_text(&mut tokens, packing)?;
    drop(tokens);
    let mut builder = Builder::new(packing, settings.prunes(), MemoryBudget::new(memory));
    counter.finish(|key, count| builder.push(key, count))?;
    builder.finish(words)
}

/// Estimates a model from counted n-grams. Only the words that `predicted` names are events; n-grams that end in
/// another word are there as contexts and must have the count 0.
pub(crate) fn from_counts(
    vocab: Vocab,
    counts: Counts,
    predicted: impl Fn(u32) -> bool,
    settings: &Settings,
) -> Result<(Estimated, Vec<OrderStatistics>)> {
    let Counts { levels, adjusted, plain, space } = counts;
    let pruned = |depth: usize, node: usize| {
        plain.as_ref().is_some_and(|p| p[depth][node] <= settings.threshold(depth) && (depth > 0 || node > 2))
    };
    let mut statistics = Vec::new();
    let mut estimated: Vec<EstimatedLevel> = Vec::new();
    let mut contexts = Column::default();
    for (depth, adjusted) in adjusted.into_iter().enumerate() {
        let (discount, fallback) = discounts(&adjusted, depth + 1, settings.discount_fallback.0, &space)?;
        let cut = |node: usize| pruned(depth, node);
        let found = adjusted.len();
        let kept = if plain.is_some() { count_kept(found, &space, cut) } else { found };
        statistics.push(OrderStatistics { found, kept, discount, fallback });
        let probs = if depth == 0 {
            unigrams(&adjusted, discount, &predicted, &cut).into()
        } else {
            contexts = shape::contexts(&levels, depth, &contexts, &space)?;
            let lower = &mut estimated[depth - 1];
            let weights = Weights::new(lower.probs.len(), &adjusted, &contexts, &space, discount, cut)?;
            lower.backoffs = weights.backoffs;
            let parents = &levels[depth - 1];
            let shares = &weights.shares;
            let probs = interpolate(parents, &lower.probs, &adjusted, &contexts, shares, discount, &space)?;
            lower.probs = std::mem::take(&mut lower.probs).map(&space, logarithm)?;
            probs
        };
        estimated.push(EstimatedLevel { probs, ..EstimatedLevel::default() });
    }
    if let Some(last) = estimated.last_mut() {
        last.probs = std::mem::take(&mut last.probs).map(&space, logarithm)?;
    }
    for (level, estimated) in levels.into_iter().zip(&mut estimated) {
        (estimated.words, estimated.starts) = (level.words, level.starts);
    }
    let mut estimated = Estimated { vocab, levels: estimated, space };
    if plain.is_some() {
        estimated.retain(|depth, node| !pruned(depth, node))?;
    }
    Ok((estimated, statistics))
}

fn count_kept(nodes: usize, space: &MemoryBudget, cut: impl Fn(usize) -> bool) -> usize {
    let batches = (0..nodes).step_by(BATCH).map(|start| start..nodes.min(start + BATCH));
    batches.map(|batch| batch.filter(|&node| !cut(node)).count()).inspect(|_| space.trim()).sum()
}

/// The lowest log10 probability written: what is never predicted.
pub(crate) const NEVER: f32 = -99.0;

fn logarithm(p: f32) -> f32 {
    if p > 0.0 { p.log10().min(0.0) } else { NEVER }
}

/// Equation 26 of Chen & Goodman, or the fallback where it does not hold.
fn discounts(
    adjusted: &[u32],
    order: usize,
    fallback: Option<Discount>,
    space: &MemoryBudget,
) -> Result<(Discount, bool)> {
    let mut n = [0u64; 5];
    for batch in adjusted.chunks(BATCH) {
        for &count in batch.iter().filter(|&&c| c < 5) {
            n[count as usize] += 1;
        }
        space.trim();
    }
    closed_form(&n).map(|discount| (discount, false)).or_else(|reason| match fallback {
        Some(discount) => Ok((discount, true)),
        None => Err(Error::Discounts { order, reason }),
    })
}

fn closed_form(n: &[u64; 5]) -> std::result::Result<Discount, String> {
    if let Some(missing) = (1..4).find(|&j| n[j] == 0) {
        return Err(format!("none has the adjusted count {missing}"));
    }
    let y = n[1] as f32 / (n[1] + 2 * n[2]) as f32;
    let mut discount = [0.0; 3];
    for j in 1..4 {
        let amount = j as f32 - (j + 1) as f32 * y * n[j + 1] as f32 / n[j] as f32;
        if !(0.0..=j as f32).contains(&amount) {
            return Err(format!("the one for count {j} would be {amount}"));
        }
        discount[j - 1] = amount;
    }
    Ok(discount)
}

fn discounted(count: u32, discount: Discount) -> f32 {
    if count == 0 { 0.0 } else { count as f32 - discount[count.min(3) as usize - 1] }
}

/// Unigrams are interpolated with the uniform distribution over all that can be predicted, `<unk>` included.
fn unigrams(
    adjusted: &[u32],
    discount: Discount,
    predicted: &impl Fn(u32) -> bool,
    cut: &impl Fn(usize) -> bool,
) -> Vec<f32> {
    let mut sums = Sums::default();
    let mut events = 0;
    for (word, &count) in adjusted.iter().enumerate() {
        let cut = cut(word);
        sums.add(count, cut);
        events += u32::from(!cut && word != BOS.ix() && predicted(word as u32));
    }
    let weight = sums.weight(discount);
    let uniform = 1.0 / events as f32;
    let prob = |(word, &count): (usize, &u32)| {
        if word == BOS.ix() {
            return 1.0;
        }
        if !predicted(word as u32) {
            return 0.0;
        }
        discounted(count, discount) / weight.total + weight.gamma * uniform
    };
    adjusted.iter().enumerate().map(prob).collect()
}

/// What the extensions of a context add up to. Integers, so that threads may add in any order.
#[derive(Default)]
struct Sums {
    total: AtomicU32,
    /// Kept extensions with adjusted count one, two, and three or more.
    kept: [AtomicU32; 3],
    pruned: AtomicU32,
}

/// A context's share for shorter contexts.
#[derive(Clone, Copy)]
struct Weight {
    total: f32,
    gamma: f32,
    extends: bool,
}

impl Sums {
    fn add(&mut self, count: u32, cut: bool) {
        self.add_shared(count, cut);
    }

    fn add_shared(&self, count: u32, cut: bool) {
        if count == 0 {
            return;
        }
        self.total.fetch_add(count, Relaxed);
        if cut {
            self.pruned.fetch_add(count, Relaxed);
        } else {
            self.kept[count.min(3) as usize - 1].fetch_add(1, Relaxed);
        }
    }

    fn weight(&self, discount: Discount) -> Weight {
        let kept = self.kept.each_ref().map(|n| n.load(Relaxed));
        let total = self.total.load(Relaxed) as f32;
        let taken: f32 = kept.iter().zip(discount).map(|(&n, d)| n as f32 * d).sum();
        let gamma = (taken + self.pruned.load(Relaxed) as f32) / total;
        Weight { total, gamma, extends: kept.iter().any(|&n| n > 0) }
    }
}

impl Weight {
    /// The back-off weight as log10; -0.0 says that no n-gram has this context.
    fn backoff(&self) -> f32 {
        if self.extends { logarithm_of_weight(self.gamma) } else { -0.0 }
    }
}

fn logarithm_of_weight(gamma: f32) -> f32 {
    if gamma > 0.0 { gamma.log10() } else { NEVER }
}

/// What each context takes and gives away: its total and its share for shorter contexts, and that share as log10.
struct Weights {
    shares: Column<[f32; 2]>,
    backoffs: Column<f32>,
}

impl Weights {
    /// Sums up as many contexts at once as there is room for, going through all their extensions each time.
    fn new(
        contexts: usize,
        adjusted: &[u32],
        of: &[u32],
        space: &MemoryBudget,
        discount: Discount,
        cut: impl Fn(usize) -> bool + Sync,
    ) -> Result<Self> {
        let (mut shares, mut backoffs) = (space.writer_of(contexts), space.writer_of(contexts));
        let room = space.beside(size_of::<Sums>());
        let mut sums: Vec<Sums> = Vec::with_capacity(room.min(contexts));
        for start in (0..contexts).step_by(room) {
            sums.clear();
            sums.resize_with(room.min(contexts - start), Sums::default);
            add_extensions(&sums, start, adjusted, of, space, &cut);
            for batch in sums.chunks(BATCH / 4) {
                let weights: Vec<Weight> = batch.par_iter().map(|sums| sums.weight(discount)).collect();
                let share: Vec<[f32; 2]> = weights.iter().map(|w| [w.total, w.gamma]).collect();
                shares.extend(&share)?;
                let backoff: Vec<f32> = weights.par_iter().map(Weight::backoff).collect();
                backoffs.extend(&backoff)?;
            }
        }
        Ok(Self { shares: shares.finish()?, backoffs: backoffs.finish()? })
    }
}

/// Adds the n-grams whose context is among those from `start` on that `sums` are for.
fn add_extensions(
    sums: &[Sums],
    start: usize,
    adjusted: &[u32],
    of: &[u32],
    space: &MemoryBudget,
    cut: &(impl Fn(usize) -> bool + Sync),
) {
    const PIECE: usize = 1 << 16;
    let pieces = adjusted.par_chunks(PIECE).zip(of.par_chunks(PIECE)).enumerate();
    pieces.for_each(|(piece, (adjusted, of))| {
        for (at, (&count, &context)) in adjusted.iter().zip(of).enumerate().filter(|(_, (c, _))| **c > 0) {
            if let Some(sums) = sums.get((context as usize).wrapping_sub(start)) {
                sums.add_shared(count, cut(piece * PIECE + at));
            }
        }
        space.trim();
    });
}

fn interpolate(
    parents: &Level,
    lower: &[f32],
    adjusted: &[u32],
    contexts: &[u32],
    shares: &[[f32; 2]],
    discount: Discount,
    space: &MemoryBudget,
) -> Result<Column<f32>> {
    map_children(parents, space, 0.0, |run, piece| {
        let first = parents.starts[run.start] as usize;
        for parent in run {
            for child in parents.children(parent).filter(|&child| adjusted[child] > 0) {
                let [total, gamma] = shares[contexts[child] as usize];
                piece[child - first] = discounted(adjusted[child], discount) / total + gamma * lower[parent];
            }
        }
    })
}
