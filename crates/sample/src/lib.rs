//! The embedded sample: German-English pairs with gold dependency and constituency trees on both sides and gold links,
//! made by the hand-written grammar of the crate `sample-generator` and kept here as packed text.
//!
//! ```
//! use treeglot_sample::Sample;
//!
//! let sample = Sample::embedded();
//! assert_eq!((sample.train.len(), sample.dev.len(), sample.test.len()), (7000, 500, 500));
//! let pair = &sample.test[0];
//! assert_eq!(pair.source.tokens().split(' ').count(), pair.source.parse.len());
//! assert!(pair.links.iter().all(|&(german, _)| (german as usize) < pair.source.parse.len()));
//! ```

mod files;
mod pack;

pub use files::{Files, write_to};
pub use pack::pack;

use std::sync::LazyLock;
use treeglot_tree::{ConTree, DepParse};

/// A sentence in one language of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleSentence {
    /// The words with lemma, tags, features and dependencies (Universal Dependencies).
    pub parse: DepParse,
    /// The constituency tree over the same words: TIGER labels in German, Penn labels in English; never discontinuous.
    pub con: ConTree,
    /// The sentence as one writes it, before it is tokenised.
    pub raw: String,
}

impl SampleSentence {
    /// The words joined by spaces.
    pub fn tokens(&self) -> String {
        self.parse.forms().collect::<Vec<_>>().join(" ")
    }
}

/// A sentence in German and English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplePair {
    /// German.
    pub source: SampleSentence,
    /// English.
    pub target: SampleSentence,
    /// Which German word means what which English word means: positions from 0, in order.
    pub links: Vec<(u32, u32)>,
    /// The links that no aligner should miss: those of `links` between words that stand for the same, without
    /// auxiliaries, particles, commas and other words that only help to express it.
    pub sure: Vec<(u32, u32)>,
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

static EMBEDDED: LazyLock<Sample> = LazyLock::new(|| Files::embedded().sample());

impl Sample {
    /// The sample that commands and tests use.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Its parts by name.
    pub fn parts(&self) -> [(&'static str, &[SamplePair]); 3] {
        [("train", &self.train), ("dev", &self.dev), ("test", &self.test)]
    }

    /// All pairs, of `train`, `dev` and `test` in this order.
    pub fn pairs(&self) -> impl Iterator<Item = &SamplePair> {
        self.parts().into_iter().flat_map(|(_, pairs)| pairs)
    }
}
