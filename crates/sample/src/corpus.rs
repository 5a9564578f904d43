//! From sentences to a corpus: distinct pairs of fitting length, divided so that training text knows every word.

use crate::generate::Generator;
use crate::syntax::{Concept, Sentence};
use crate::{SamplePair, english, german};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// How many pairs each part of a [`Sample`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Pairs to train on.
    pub train: usize,
    /// Pairs to tune on.
    pub dev: usize,
    /// Pairs to test on.
    pub test: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { train: 7000, dev: 500, test: 500 }
    }
}

/// Pairs to train, tune and test on. No sentence of either language occurs twice, and every word form of `dev` and
/// `test` occurs in `train`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Pairs to train on.
    pub train: Vec<SamplePair>,
    /// Pairs to tune on.
    pub dev: Vec<SamplePair>,
    /// Pairs to test on.
    pub test: Vec<SamplePair>,
}

/// The shortest and longest sentences, in words with punctuation.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=30;

/// How often each word form of `dev` and `test` occurs in `train`, at least.
const SUPPORT: u32 = 2;

static EMBEDDED: LazyLock<Sample> = LazyLock::new(|| Sample::generate(1, Sizes::default()));

impl Sample {
    /// The sample that commands and tests use.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Generates a sample; the same for the same seed and sizes.
    ///
    /// The grammar can say far more than any sensible size, but not infinitely much: sizes of millions would not end.
    pub fn generate(seed: u64, sizes: Sizes) -> Self {
        let mut generator = Generator::new(seed);
        let mut pool = Pool::default();
        while pool.pairs.len() < sizes.train + sizes.dev + sizes.test {
            pool.add(&generator.sentence());
        }
        let mut held = pool.divide(sizes.dev + sizes.test);
        let test = held.split_off(sizes.dev.min(held.len()));
        Self { train: pool.pairs, dev: held, test }
    }

    /// All pairs, of `train`, `dev` and `test` in this order.
    pub fn pairs(&self) -> impl Iterator<Item = &SamplePair> {
        self.train.iter().chain(&self.dev).chain(&self.test)
    }
}

#[derive(Default)]
struct Pool {
    pairs: Vec<SamplePair>,
    sources: HashSet<String>,
    targets: HashSet<String>,
}

impl Pool {
    /// Adds a sentence if both sides are new and neither too short nor too long.
    fn add(&mut self, sentence: &Sentence) {
        let pair = translate(sentence);
        let fits = |words: usize| LENGTHS.contains(&words);
        if !fits(pair.source.parse.len()) || !fits(pair.target.parse.len()) {
            return;
        }
        if self.sources.contains(&pair.source.raw) || self.targets.contains(&pair.target.raw) {
            return;
        }
        self.sources.insert(pair.source.raw.clone());
        self.targets.insert(pair.target.raw.clone());
        self.pairs.push(pair);
    }

    /// Takes out up to `count` pairs, from the last, whose words all remain often enough.
    fn divide(&mut self, count: usize) -> Vec<SamplePair> {
        let mut counts: HashMap<(bool, String), u32> = HashMap::new();
        for form in self.pairs.iter().flat_map(forms) {
            *counts.entry(form).or_default() += 1;
        }
        let mut held = vec![];
        let mut kept = vec![];
        for pair in std::mem::take(&mut self.pairs).into_iter().rev() {
            let words: Vec<(bool, String)> = forms(&pair).collect();
            for word in &words {
                *counts.entry(word.clone()).or_default() -= 1;
            }
            if held.len() < count && words.iter().all(|word| counts[word] >= SUPPORT) {
                held.push(pair);
            } else {
                words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
                kept.push(pair);
            }
        }
        kept.reverse();
        self.pairs = kept;
        held
    }
}

/// The word forms of both sides.
fn forms(pair: &SamplePair) -> impl Iterator<Item = (bool, String)> {
    let source = pair.source.parse.forms().map(|f| (true, f.to_owned()));
    source.chain(pair.target.parse.forms().map(|f| (false, f.to_owned())))
}

/// Writes a sentence in both languages and links the words that share a concept.
pub(crate) fn translate(sentence: &Sentence) -> SamplePair {
    let (source, source_concepts) = german::write(sentence);
    let (target, target_concepts) = english::write(sentence);
    let mut links = vec![];
    for (s, concepts) in source_concepts.iter().enumerate() {
        for (t, others) in target_concepts.iter().enumerate() {
            let shared = |c: &Concept| others.contains(c);
            if concepts.iter().any(shared) {
                links.push((s as u32, t as u32));
            }
        }
    }
    SamplePair { source, target, links }
}
