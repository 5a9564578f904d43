//! A trained tagger, lemmatiser and dependency parser, and how it finds the trees of a tagged sentence.

use super::{Names, ScoredTree};
use crate::encoder::{Encoded, EncoderShape, Lexicon};
use crate::graph;
use crate::settings::{ParseSettings, Settings};
use crate::tagger::{Tagger, Tags};
use crate::transition::{self, TransitionSearch};

/// A dependency parser: read-only, shared by threads.
pub(crate) struct DepModel {
    pub(crate) tagger: Tagger,
    pub(crate) labels: Names,
    pub(crate) lexicon: Lexicon,
    pub(crate) finder: Finder,
}

/// What finds the trees: networks that score together.
pub(crate) enum Finder {
    Graph(Vec<graph::Net>),
    Transition(Vec<transition::Net>),
}

/// How trees are looked for: what training settled, and what may be chosen after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    pub(crate) projective: bool,
    pub(crate) beam: usize,
    pub(crate) sibling_weight: f32,
}

impl Search {
    pub(crate) fn new(trained: &Settings, chosen: &ParseSettings) -> Self {
        Self {
            projective: trained.projective || chosen.projective,
            beam: chosen.beam.unwrap_or(trained.beam).max(1),
            sibling_weight: chosen.sibling_weight.unwrap_or(trained.sibling_weight),
        }
    }

    pub(super) fn transitions(&self) -> TransitionSearch {
        TransitionSearch { swap: !self.projective, beam: self.beam }
    }
}

impl DepModel {
    /// A tagged sentence as the networks read it.
    pub(crate) fn encode(&self, words: &[&str], tags: &Tags) -> Encoded {
        Encoded::new(words, tags, &self.lexicon, self.finder.encoder().map_or(0, |shape| shape.buckets))
    }
}

impl Finder {
    /// The shape of what networks of both kinds begin with.
    fn encoder(&self) -> Option<&EncoderShape> {
        match self {
            Self::Graph(nets) => nets.first().map(|net| &net.shape.encoder),
            Self::Transition(nets) => nets.first().map(|net| &net.shape.encoder),
        }
    }

    /// Up to `k` trees of each of several sentences, the longest sentence first; the best trees first.
    pub(crate) fn trees(&self, batch: &[&Encoded], search: Search, k: usize) -> Vec<Vec<ScoredTree>> {
        match self {
            Self::Graph(nets) => graph::trees(nets, batch, (search.projective, search.sibling_weight), k),
            Self::Transition(nets) => transition::best_trees(nets, batch, search.transitions(), k),
        }
    }
}
