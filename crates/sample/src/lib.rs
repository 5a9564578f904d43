//! The embedded sample: a hand-written synchronous grammar and lexicon that generate German-English pairs, each with
//! gold dependency and constituency trees on both sides and gold links.
//!
//! A sentence is first chosen in an abstract syntax of clauses and participants ([`mod@generate`]); then each language
//! writes it with its own morphology and order ([`mod@german`], [`mod@english`]). Both build dependency and constituency
//! trees as they write, and mark every word with the concepts it expresses, which gives the links.

mod corpus;
mod draft;
mod english;
mod features;
mod generate;
mod german;
#[cfg(test)]
mod golden;
mod lexicon;
mod rng;
mod syntax;
mod write;

pub use corpus::{Sample, Sizes};
pub use write::write_to;

use treeglot_tree::{ConTree, DepParse};

/// One language of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The words with lemma, tags, features and dependencies (Universal Dependencies).
    pub parse: DepParse,
    /// The constituency tree over the same words: TIGER labels in German, Penn labels in English; never discontinuous.
    pub con: ConTree,
    /// The sentence as one writes it, before it is tokenised.
    pub raw: String,
}

impl Side {
    /// The words joined by spaces.
    pub fn tokens(&self) -> String {
        self.parse.forms().collect::<Vec<_>>().join(" ")
    }
}

/// A sentence in German and English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplePair {
    /// German.
    pub source: Side,
    /// English.
    pub target: Side,
    /// Which German word means what which English word means: positions from 0, in order.
    pub links: Vec<(u32, u32)>,
}
