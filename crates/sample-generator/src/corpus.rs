//! From sentences to a corpus: distinct pairs of fitting length, divided so that training text knows every word.

use crate::generate::Generator;
use crate::syntax::Sentence;
use crate::{english, german};
use std::collections::{HashMap, HashSet};
use treeglot_sample::{Sample, SamplePair};

/// How many pairs each part of a sample has.
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

/// The seed of the embedded sample.
pub const SEED: u64 = 1;

/// The shortest and longest sentences, in words with punctuation.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=30;

/// How often each word form of `dev` and `test` occurs in `train`, at least.
const SUPPORT: u32 = 2;

/// How many sentences in a row may be of no use before a part is left incomplete.
const TRIES: u32 = 10_000;

/// Generates a sample; the same for the same seed and sizes.
///
/// What the grammar can say is much but not infinite: a part stays smaller than asked for if it runs out of new
/// sentences, or if too little training text leaves the other parts without words.
pub fn generate(seed: u64, sizes: Sizes) -> Sample {
    let mut source =
        Source { generator: Generator::new(seed), sources: HashSet::new(), targets: HashSet::new() };
    let train = source.take(sizes.train, |_| true);
    let mut counts: HashMap<(bool, &str), u32> = HashMap::new();
    for form in train.iter().flat_map(forms) {
        *counts.entry(form).or_default() += 1;
    }
    let is_known =
        |pair: &SamplePair| forms(pair).all(|form| counts.get(&form).is_some_and(|&count| count >= SUPPORT));
    let dev = source.take(sizes.dev, is_known);
    let test = source.take(sizes.test, is_known);
    Sample { train, dev, test }
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
    let (mut links, mut sure) = (vec![], vec![]);
    for (s, concepts) in source_concepts.iter().enumerate() {
        for (t, others) in target_concepts.iter().enumerate() {
            if concepts.link(others) {
                links.push((s as u32, t as u32));
            }
            if concepts.surely_link(others) {
                sure.push((s as u32, t as u32));
            }
        }
    }
    SamplePair { source, target, links, sure }
}
