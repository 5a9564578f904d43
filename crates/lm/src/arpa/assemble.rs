//! From the n-grams of an ARPA file, in any order, to levels in suffix order. Pruned models of SRILM may lack the
//! suffix or the context of an n-gram; such a part is filled in with the weights that backing off gives it, so that
//! queries can walk from short to long.

use crate::key::{Key, Packing};
use crate::ngrams::NgramLevel;
use crate::shape::{self, Level};
use rayon::slice::ParallelSliceMut;
use treeglot_text::column::MemoryBudget;
use treeglot_text::vocab::{Sym, Vocab};

/// One n-gram with its weights. A probability of NaN is to be filled in.
#[derive(Clone, Copy)]
pub struct Record<K> {
    pub key: K,
    pub prob: f32,
    pub backoff: f32,
}

impl<K> Record<K> {
    fn missing(key: K) -> Self {
        Self { key, prob: f32::NAN, backoff: -0.0 }
    }
}

/// Builds the levels from records by order; unigrams come in the order of their symbols.
pub fn assemble<K: Key>(
    mut records: Vec<Vec<Record<K>>>,
    packing: Packing,
    vocab: &Vocab,
) -> Result<Vec<NgramLevel>, String> {
    let (levels, contexts) = loop {
        for depth in (1..records.len()).rev() {
            sort(&mut records[depth], depth, packing, vocab)?;
            add_missing_suffixes(&mut records, depth, packing);
        }
        let levels = shapes(&records, packing);
        let contexts = all_contexts(&levels).map_err(|error| error.to_string())?;
        if !add_missing_contexts(&mut records, &contexts, packing) {
            break (levels, contexts);
        }
    };
    let mut levels: Vec<NgramLevel> = records
        .iter()
        .zip(levels)
        .map(|(records, shape)| NgramLevel {
            words: shape.words.into_vec(),
            starts: shape.starts.into_vec(),
            probs: records.iter().map(|r| r.prob).collect(),
            backoffs: records.iter().map(|r| r.backoff).collect(),
        })
        .collect();
    fill_in(&mut levels, &contexts);
    mark_contexts(&mut levels, &contexts);
    if let Some(last) = levels.last_mut() {
        last.backoffs = Vec::new();
    }
    Ok(levels)
}

fn sort<K: Key>(
    records: &mut [Record<K>],
    depth: usize,
    packing: Packing,
    vocab: &Vocab,
) -> Result<(), String> {
    if !records.is_sorted_by_key(|r| r.key) {
        records.par_sort_unstable_by_key(|r| r.key);
    }
    match records.windows(2).find(|pair| pair[0].key == pair[1].key) {
        None => Ok(()),
        Some(pair) => {
            let word = |d| vocab.word(Sym(pair[0].key.word(d, packing)));
            let words: Vec<&str> = (0..=depth).rev().map(word).collect();
            Err(format!("the n-gram `{}` is given twice", words.join(" ")))
        }
    }
}

/// Adds to level `depth - 1` the suffixes that n-grams of level `depth` need.
fn add_missing_suffixes<K: Key>(records: &mut [Vec<Record<K>>], depth: usize, packing: Packing) {
    let (shorter, longer) = records.split_at_mut(depth);
    let shorter = &mut shorter[depth - 1];
    if !shorter.is_sorted_by_key(|r| r.key) {
        shorter.par_sort_unstable_by_key(|r| r.key);
    }
    let mut missing = Vec::new();
    let mut at = 0;
    let mut previous = None;
    for record in &longer[0] {
        let suffix = record.key.last(depth, packing);
        if previous == Some(suffix) {
            continue;
        }
        previous = Some(suffix);
        while shorter.get(at).is_some_and(|r| r.key < suffix) {
            at += 1;
        }
        if shorter.get(at).is_none_or(|r| r.key != suffix) {
            missing.push(Record::missing(suffix));
        }
    }
    if !missing.is_empty() {
        shorter.append(&mut missing);
        shorter.par_sort_unstable_by_key(|r| r.key);
    }
}

fn shapes<K: Key>(records: &[Vec<Record<K>>], packing: Packing) -> Vec<Level> {
    let mut levels = Vec::with_capacity(records.len());
    for (depth, level) in records.iter().enumerate() {
        let words: Vec<u32> = level.iter().map(|r| r.key.word(depth, packing)).collect();
        let mut starts = Vec::new();
        if let Some(next) = records.get(depth + 1) {
            let mut at = 0;
            for record in level {
                starts.push(at as u32);
                while next.get(at).is_some_and(|r| r.key.last(depth + 1, packing) == record.key) {
                    at += 1;
                }
            }
            starts.push(at as u32);
        }
        levels.push(Level { words: words.into(), starts: starts.into() });
    }
    levels
}

/// The contexts of all levels but the first, by level less one.
fn all_contexts(levels: &[Level]) -> crate::Result<Vec<Vec<u32>>> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    for depth in 1..levels.len() {
        let shorter = all.last().map_or(&[][..], Vec::as_slice);
        let contexts = shape::contexts(levels, depth, shorter, &MemoryBudget::unlimited())?;
        all.push(contexts.into_vec());
    }
    Ok(all)
}

/// Adds the contexts that were not found; whether there were any.
fn add_missing_contexts<K: Key>(
    records: &mut [Vec<Record<K>>],
    contexts: &[Vec<u32>],
    packing: Packing,
) -> bool {
    let mut any = false;
    for (depth, contexts) in contexts.iter().enumerate().map(|(d, c)| (d + 1, c)) {
        let lost = contexts.iter().enumerate().filter(|&(_, &c)| c == u32::MAX);
        let mut missing: Vec<K> = lost.map(|(node, _)| records[depth][node].key.context(packing)).collect();
        missing.sort_unstable();
        missing.dedup();
        any |= !missing.is_empty();
        records[depth - 1].extend(missing.into_iter().map(Record::missing));
    }
    any
}

/// Gives n-grams that the file lacks the probability that backing off gives them.
fn fill_in(levels: &mut [NgramLevel], contexts: &[Vec<u32>]) {
    for depth in 1..levels.len() {
        let (shorter, longer) = levels.split_at_mut(depth);
        let (shorter, level) = (&shorter[depth - 1], &mut longer[0]);
        for parent in 0..shorter.len() {
            for node in shorter.children(parent).filter(|&n| level.probs[n].is_nan()).collect::<Vec<_>>() {
                let context = contexts[depth - 1][node] as usize;
                level.probs[node] = shorter.backoffs[context] + shorter.probs[parent];
            }
        }
    }
}

/// A back-off of -0.0 says that no n-gram has this context; +0.0, that the weight is just one.
fn mark_contexts(levels: &mut [NgramLevel], contexts: &[Vec<u32>]) {
    for (level, contexts) in levels.iter_mut().zip(contexts) {
        for &context in contexts {
            let backoff = &mut level.backoffs[context as usize];
            *backoff = if *backoff == 0.0 { 0.0 } else { *backoff };
        }
    }
}
