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

/// How many sentences in a row may be of no use before a part is left incomplete.
const TRIES: u32 = 10_000;

static EMBEDDED: LazyLock<Sample> = LazyLock::new(|| Sample::generate(1, Sizes::default()));

impl Sample {
    /// The sample that commands and tests use.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Generates a sample; the same for the same seed and sizes.
    ///
    /// What the grammar can say is much but not infinite: a part stays smaller than asked for if it runs out of new
    /// sentences, or if too little training text leaves the other parts without words.
    pub fn generate(seed: u64, sizes: Sizes) -> Self {
        let mut source =
            Source { generator: Generator::new(seed), sources: HashSet::new(), targets: HashSet::new() };
        let train = source.take(sizes.train, |_| true);
        let mut counts: HashMap<(bool, &str), u32> = HashMap::new();
        for form in train.iter().flat_map(forms) {
            *counts.entry(form).or_default() += 1;
        }
        let is_known = |pair: &SamplePair| {
            forms(pair).all(|form| counts.get(&form).is_some_and(|&count| count >= SUPPORT))
        };
        let dev = source.take(sizes.dev, is_known);
        let test = source.take(sizes.test, is_known);
        Self { train, dev, test }
    }

    /// All pairs, of `train`, `dev` and `test` in this order.
    pub fn pairs(&self) -> impl Iterator<Item = &SamplePair> {
        self.train.iter().chain(&self.dev).chain(&self.test)
    }
}

/// New sentences, one after the other.
struct Source {
    generator: Generator,
    sources: HashSet<String>,
    targets: HashSet<String>,
}

impl Source {
    /// Up to `count` new pairs that are wanted.
    fn take(&mut self, count: usize, is_wanted: impl Fn(&SamplePair) -> bool) -> Vec<SamplePair> {
        let mut pairs = vec![];
        let mut tries = TRIES;
        while pairs.len() < count && tries > 0 {
            tries -= 1;
            let pair = translate(&self.generator.sentence());
            if fits(&pair) && is_wanted(&pair) && self.is_new(&pair) {
                pairs.push(pair);
                tries = TRIES;
            }
        }
        pairs
    }

    /// Whether neither side was there before; from now on they were.
    fn is_new(&mut self, pair: &SamplePair) -> bool {
        if self.sources.contains(&pair.source.raw) || self.targets.contains(&pair.target.raw) {
            return false;
        }
        self.sources.insert(pair.source.raw.clone());
        self.targets.insert(pair.target.raw.clone());
        true
    }
}

/// Whether neither side is too short or too long.
fn fits(pair: &SamplePair) -> bool {
    [&pair.source, &pair.target].into_iter().all(|side| LENGTHS.contains(&side.parse.len()))
}

/// The word forms of both sides.
fn forms(pair: &SamplePair) -> impl Iterator<Item = (bool, &str)> {
    let source = pair.source.parse.forms().map(|form| (true, form));
    source.chain(pair.target.parse.forms().map(|form| (false, form)))
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
