//! The graph-based parser: a small network scores arcs, sequences of siblings and labels, and dynamic programming
//! (projective trees) or a maximum spanning tree with edge exchange (all trees) finds the best tree.

mod decode;
mod eisner;
mod kbest;
mod loss;
mod net;
mod scores;
mod spanning;

pub(crate) use net::{Net, Shape};

use crate::dependency::ScoredTree;
use crate::encoder::Encoded;
use scores::{Labels, Scores};

/// Up to `k` trees of each sentence of a batch, the longest sentence first, by the mean scores of networks; whether trees
/// must be projective, and how much siblings weigh.
pub(crate) fn trees(
    nets: &[Net],
    batch: &[&Encoded],
    (projective, sibling_weight): (bool, f32),
    k: usize,
) -> Vec<Vec<ScoredTree>> {
    let of_sentence = |(scores, labels): (Scores, Vec<Labels>)| {
        let trees = match k {
            1 => {
                let heads = decode::best_tree(&scores, projective);
                vec![(scores.tree(&heads), heads)]
            }
            _ => kbest::best_trees(&scores, projective, k),
        };
        let label = |(score, heads): (f32, Vec<u32>)| {
            let labels = Net::label(nets, &labels, &heads);
            (score, heads, labels)
        };
        trees.into_iter().map(label).collect()
    };
    scored(nets, batch, sibling_weight).into_iter().map(of_sentence).collect()
}

/// The mean scores of networks for sentences, the longest first, and what each needs for labels.
fn scored(nets: &[Net], batch: &[&Encoded], sibling_weight: f32) -> Vec<(Scores, Vec<Labels>)> {
    let mut scores: Vec<Scores> =
        batch.iter().map(|s| Scores::new(s.words(), sibling_weight > 0.0)).collect();
    let share = 1.0 / nets.len().max(1) as f32;
    let mut labels: Vec<Vec<Labels>> = batch.iter().map(|_| Vec::with_capacity(nets.len())).collect();
    for net in nets {
        let of_net = net.score(batch, share, sibling_weight, &mut scores);
        labels.iter_mut().zip(of_net).for_each(|(all, own)| all.push(own));
    }
    scores.into_iter().zip(labels).collect()
}
