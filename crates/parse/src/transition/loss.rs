//! The training loss and its gradient: cross-entropy of the right transition in every configuration on the way to the gold
//! tree, among the transitions that are allowed there.

use super::net::{Net, View, WORDS};
use super::oracle::oracle;
use super::state::{Actions, Allowed, NONE, State};
use crate::dependency::Gold;
use crate::encoder::Trace;
use crate::nn::{Mat, Product, add_rows, cross_entropy, leaky_slope, matmul, sum_rows};

/// A configuration on the way to a tree, and the transition that leads on.
#[derive(Debug, Clone)]
struct Decision {
    view: View,
    allowed: Allowed,
    right: usize,
}

/// The way to the tree of one sentence.
#[derive(Debug, Clone)]
pub(crate) struct Decisions(Vec<Decision>);

impl Decisions {
    /// The way to a gold tree; `None` if there is none, which happens only where swaps are not allowed.
    pub(crate) fn new(gold: &Gold, labels: usize, swap: bool) -> Option<Self> {
        let actions = Actions { labels };
        let mut state = State::new(gold.heads.len());
        let decide = |action| {
            let (view, allowed) = (View::new(&state), state.allowed(swap));
            state.apply(action);
            Decision { view, allowed, right: actions.number(action) }
        };
        Some(Self(oracle(&gold.heads, &gold.labels, swap)?.into_iter().map(decide).collect()))
    }
}

/// The loss of a batch; its gradient is added to `d_roles` (a row a word, sentence by sentence) and `gradient`.
pub(super) fn batch_loss(
    net: &Net,
    trace: &Trace,
    gold: &[&Decisions],
    d_roles: &mut [f32],
    gradient: &mut [f32],
) -> f32 {
    let (units, count) = (net.shape.units, net.actions().len());
    let width = WORDS * units;
    let all: Vec<(usize, &Decision)> =
        trace.starts.iter().zip(gold).flat_map(|(&s, g)| g.0.iter().map(move |d| (s * width, d))).collect();
    let mut hidden = vec![0.0; all.len() * units];
    for ((start, decision), out) in all.iter().zip(hidden.chunks_exact_mut(units)) {
        net.hidden(&trace.roles[*start..], &decision.view, out);
    }
    let rows = Mat::new(&hidden, all.len(), units);
    let mut logits = vec![0.0; all.len() * count];
    matmul(&mut logits, rows, net.out.of(&net.values), Product::Plain, false);
    add_rows(&mut logits, net.out_bias.slice(&net.values));
    // A word takes two transitions, so that this is about the loss of a word.
    let weight = 2.0 / all.len().max(1) as f32;
    let mut loss = 0.0;
    for ((_, decision), row) in all.iter().zip(logits.chunks_exact_mut(count)) {
        net.actions().forbid(decision.allowed, row);
        loss += cross_entropy(row, decision.right, weight);
    }
    let d_logits = Mat::new(&logits, all.len(), count);
    matmul(net.out.slice_mut(gradient), rows, d_logits, Product::LeftTransposed, true);
    sum_rows(&logits, net.out_bias.slice_mut(gradient));
    let mut d_hidden = vec![0.0; hidden.len()];
    matmul(&mut d_hidden, d_logits, net.out.of(&net.values), Product::RightTransposed, false);
    d_hidden.iter_mut().zip(&hidden).for_each(|(d, h)| *d *= leaky_slope(*h));
    for ((start, decision), d) in all.iter().zip(d_hidden.chunks_exact(units)) {
        share_out(net, &decision.view, d, &mut d_roles[*start..], gradient);
    }
    loss
}

/// Adds the gradient of a hidden layer to all that was summed to it.
fn share_out(net: &Net, view: &View, d: &[f32], d_roles: &mut [f32], gradient: &mut [f32]) {
    let add = |to: &mut [f32]| to.iter_mut().zip(d).for_each(|(t, d)| *t += d);
    for (place, &word) in view.words.iter().enumerate() {
        match word {
            NONE => add(net.absent.row_mut(gradient, place)),
            word => add(&mut d_roles[(word as usize * WORDS + place) * d.len()..][..d.len()]),
        }
    }
    for (dependent, &relation) in view.relations.iter().enumerate() {
        add(net.relations.row_mut(gradient, net.relation_row(dependent, relation)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::net::Shape;
    use super::super::search::{TransitionSearch, best_trees};
    use super::*;
    use crate::encoder::{Dropout, Encoded, EncoderShape, Example, Lexicon, Schedule, check_gradient, train};
    use crate::nn::Rng;

    const LABELS: usize = 3;
    /// The first tree has crossing arcs.
    const HEADS: [&[u32]; 3] = [&[3, 4, 0, 3, 2], &[2, 0, 2, 3], &[2, 0]];

    fn small() -> (Shape, Vec<Example<Decisions>>) {
        let lexicon = Lexicon::Growing(Default::default());
        let encoder = EncoderShape {
            words: lexicon.rows(),
            word_size: 2,
            buckets: 40,
            ngram_size: 4,
            tags: [3, 3, 3],
            tag_size: 2,
            layers: 1,
            hidden: 5,
        };
        let example = |heads: &&[u32]| {
            let forms: Vec<String> = (0..heads.len()).map(|i| format!("w{i}x{}", heads.len())).collect();
            let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
            let tags = std::array::from_fn(|l| (0..heads.len()).map(|i| ((i + l) % 3) as u16).collect());
            let labels = (0..heads.len()).map(|i| (i % LABELS) as u16).collect();
            let gold = Gold { heads: heads.to_vec(), labels };
            let encoded = Encoded::new(&forms, &tags, &lexicon, 40);
            Example { encoded, gold: Decisions::new(&gold, LABELS, true).unwrap() }
        };
        (Shape { encoder, units: 7, labels: LABELS }, HEADS.iter().map(example).collect())
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        let (shape, sentences) = small();
        check_gradient(Net::random(shape, &mut Rng::new(5)), &sentences);
    }

    #[test]
    fn a_few_trees_are_learnt_by_heart_and_found_again_with_and_without_a_beam() {
        let (shape, sentences) = small();
        let dropout = Dropout { parts: 0.0, units: 0.0, recurrent: 0.0 };
        let schedule = Schedule { rounds: 200, rate: 0.02, batch: 5, seed: 1, dropout };
        let net = train(|rng| Net::random(shape, rng), &sentences, &[1, 1], schedule, |_, _, _| ());
        let batch: Vec<&Encoded> = sentences.iter().map(|s| &s.encoded).collect();
        for beam in [1, 4] {
            let search = TransitionSearch { swap: true, beam };
            let trees = best_trees(std::slice::from_ref(&net), &batch, search, 1);
            for (trees, heads) in trees.iter().zip(HEADS) {
                assert_eq!(trees[0].1, heads);
            }
        }
    }
}
