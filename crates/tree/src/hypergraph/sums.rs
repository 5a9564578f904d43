//! What is summed up over all derivations of a hypergraph, from the leaves up (inside) and from the goal down (outside).

use super::{Hypergraph, Ranked, Score, Weighted};

/// The logarithm of a sum of which the logarithms of the summands are given.
pub fn log_sum(scores: &[f64]) -> f64 {
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        return max;
    }
    max + scores.iter().map(|s| (s - max).exp()).sum::<f64>().ln()
}

/// How many derivations each node has; `u128::MAX` if they are more.
pub fn derivation_counts(graph: &impl Hypergraph) -> Vec<u128> {
    let mut counts: Vec<u128> = Vec::with_capacity(graph.node_count());
    for node in 0..graph.node_count() as u32 {
        let by_arc =
            |arc: u32| graph.tails(arc).map(|tail| counts[tail as usize]).fold(1, u128::saturating_mul);
        let count = graph.arcs(node).map(by_arc).fold(0, u128::saturating_add);
        counts.push(count);
    }
    counts
}

/// For each node, the logarithm of the summed probabilities of its derivations.
pub fn inside(graph: &impl Weighted) -> Vec<f64> {
    let mut inside: Vec<f64> = Vec::with_capacity(graph.node_count());
    let mut scores = Vec::new();
    for node in 0..graph.node_count() as u32 {
        scores.clear();
        let below = |arc: u32| graph.tails(arc).map(|tail| inside[tail as usize]).sum::<f64>();
        scores.extend(graph.arcs(node).map(|arc| graph.weight(arc) + below(arc)));
        inside.push(log_sum(&scores));
    }
    inside
}

/// For each node, the logarithm of the summed probabilities of all that can stand around it in derivations of `goal`; minus
/// infinity where it is in none. With [`inside`], which is given, it tells posteriors: a hyperarc's is
/// `exp(outside[head] + weight + inside of its tails - inside[goal])`.
pub fn outside(graph: &impl Weighted, inside: &[f64], goal: u32) -> Vec<f64> {
    let mut outside = vec![f64::NEG_INFINITY; graph.node_count()];
    outside[goal as usize] = 0.0;
    for node in (0..=goal).rev() {
        let around = outside[node as usize];
        if around == f64::NEG_INFINITY {
            continue;
        }
        for arc in graph.arcs(node) {
            let whole =
                around + graph.weight(arc) + graph.tails(arc).map(|tail| inside[tail as usize]).sum::<f64>();
            for tail in graph.tails(arc) {
                let known = outside[tail as usize];
                outside[tail as usize] = log_sum(&[known, whole - inside[tail as usize]]);
            }
        }
    }
    outside
}

/// For each node up to `goal` the most that a derivation of the goal scores outside it; [`Score::LEAST`] where it is in none.
/// With the score of the best derivation by a hyperarc this is the hyperarc's max-marginal, by which forests are pruned.
pub fn max_outside<G: Ranked>(graph: &G, goal: u32, nothing: G::Score) -> Vec<G::Score> {
    let mut outside = vec![G::Score::LEAST; goal as usize + 1];
    outside[goal as usize] = nothing;
    for node in (0..=goal).rev() {
        let around = outside[node as usize];
        if around == G::Score::LEAST {
            continue;
        }
        for arc in graph.arcs(node) {
            for tail in graph.tails(arc) {
                let score = around + graph.best(arc) - graph.best_of(tail);
                if score > outside[tail as usize] {
                    outside[tail as usize] = score;
                }
            }
        }
    }
    outside
}
