//! A trained tagger, lemmatiser and dependency parser, and how it finds the trees of a tagged sentence.

use super::Names;
use crate::graph::{Encoded, Labels, Lexicon, Net, Scores, best_tree, best_trees};
use crate::linear::Linear;
use crate::settings::{ParseSettings, Settings};
use crate::tagger::{Context, Tagger, Tags};
use crate::transition::{Actions, BeamParser, Input, TransitionBuffers};

/// A dependency parser: read-only, shared by threads.
pub(crate) struct DepModel {
    pub(crate) tagger: Tagger,
    pub(crate) labels: Names,
    pub(crate) finder: Finder,
}

/// What finds the trees.
pub(crate) enum Finder {
    Graph { lexicon: Lexicon, nets: Vec<Net> },
    Transition { linear: Linear },
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
}

/// A tree with its score: heads from 1, labels.
pub(crate) type ScoredTree = (f32, Vec<u32>, Vec<u16>);

impl DepModel {
    /// Up to `k` trees of a tagged sentence, the best first.
    pub(crate) fn trees(
        &self,
        words: &[&str],
        (context, tags): (&Context, &Tags),
        search: Search,
        k: usize,
        buffers: &mut TransitionBuffers,
    ) -> Vec<ScoredTree> {
        match &self.finder {
            Finder::Graph { lexicon, nets } => {
                let buckets = nets.first().map_or(0, |n| n.shape.buckets);
                graph_trees(nets, &Encoded::new(words, tags, lexicon, buckets), search, k)
            }
            Finder::Transition { linear } => {
                transition_trees(linear, self.labels.len(), &Input { context, tags }, search, k, buffers)
            }
        }
    }
}

/// The best trees of a sentence by the mean scores of networks.
pub(super) fn graph_trees(nets: &[Net], sentence: &Encoded, search: Search, k: usize) -> Vec<ScoredTree> {
    let Some((scores, labels)) = scored(nets, &[sentence], search).pop() else { return Vec::new() };
    let trees = match k {
        1 => {
            let heads = best_tree(&scores, search.projective);
            vec![(scores.tree(&heads), heads)]
        }
        _ => best_trees(&scores, search.projective, k),
    };
    let label = |(score, heads): (f32, Vec<u32>)| {
        let labels = Net::label(nets, &labels, &heads);
        (score, heads, labels)
    };
    trees.into_iter().map(label).collect()
}

/// The best tree of each of several sentences, the longest first.
pub(super) fn graph_best(nets: &[Net], batch: &[&Encoded], search: Search) -> Vec<ScoredTree> {
    let best = |(scores, labels): (Scores, Vec<Labels>)| {
        let heads = best_tree(&scores, search.projective);
        let labels = Net::label(nets, &labels, &heads);
        (scores.tree(&heads), heads, labels)
    };
    scored(nets, batch, search).into_iter().map(best).collect()
}

/// The mean scores of networks for sentences, the longest first, and what each needs for labels.
fn scored(nets: &[Net], batch: &[&Encoded], search: Search) -> Vec<(Scores, Vec<Labels>)> {
    let weight = search.sibling_weight;
    let mut scores: Vec<Scores> = batch.iter().map(|s| Scores::new(s.words(), weight > 0.0)).collect();
    let share = 1.0 / nets.len().max(1) as f32;
    let mut labels: Vec<Vec<Labels>> = batch.iter().map(|_| Vec::with_capacity(nets.len())).collect();
    for net in nets {
        let of_net = net.score(batch, share, weight, &mut scores);
        labels.iter_mut().zip(of_net).for_each(|(all, own)| all.push(own));
    }
    scores.into_iter().zip(labels).collect()
}

/// The best trees of the beam.
pub(super) fn transition_trees(
    linear: &Linear,
    labels: usize,
    input: &Input<'_>,
    search: Search,
    k: usize,
    buffers: &mut TransitionBuffers,
) -> Vec<ScoredTree> {
    let (actions, swap) = (Actions { labels }, !search.projective);
    let parser = BeamParser { linear, actions, swap, beam: search.beam.max(k) };
    parser.parse(input, k, buffers)
}
