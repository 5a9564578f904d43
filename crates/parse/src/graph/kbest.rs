//! The k best trees, by splitting the space of trees (Lawler 1972): every tree but the best differs from it at some first
//! word, so the second best is the best of as many smaller spaces as there are words, in each of which the heads before a
//! word are fixed and that word's head is forbidden; and so on.

use super::decode::best_tree;
use super::scores::{OUT_OF_REACH, Scores};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The best tree of a part of the space.
struct Candidate {
    score: f32,
    heads: Vec<u32>,
    /// How many words have a fixed head, and what is forbidden besides.
    fixed: usize,
    forbidden: Vec<(usize, usize)>,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.heads.cmp(&self.heads))
    }
}

/// Up to `k` different trees with their scores, the best first. Exact for projective trees.
pub(crate) fn best_trees(scores: &Scores, only_projective: bool, k: usize) -> Vec<(f32, Vec<u32>)> {
    let mut found = Vec::new();
    let mut heap = BinaryHeap::new();
    heap.extend(best_of(scores, only_projective, &[], 0, Vec::new()));
    while let Some(best) = heap.pop() {
        if found.len() + 1 < k {
            for word in best.fixed..best.heads.len() {
                let mut forbidden = if word == best.fixed { best.forbidden.clone() } else { Vec::new() };
                forbidden.push((best.heads[word] as usize, word + 1));
                heap.extend(best_of(scores, only_projective, &best.heads[..word], word, forbidden));
            }
        }
        found.push((best.score, best.heads));
        if found.len() >= k {
            break;
        }
    }
    // Exchanges may find a better tree in a part than in the whole.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found
}

/// The best tree whose first words have the heads `fixed`, without the forbidden arcs; none if there is no such tree.
fn best_of(
    scores: &Scores,
    only_projective: bool,
    fixed: &[u32],
    count: usize,
    forbidden: Vec<(usize, usize)>,
) -> Option<Candidate> {
    let forced: Vec<(usize, usize)> = fixed.iter().enumerate().map(|(d, &h)| (h as usize, d + 1)).collect();
    let constrained = scores.constrained(&forced, &forbidden);
    let heads = best_tree(&constrained, only_projective);
    let reachable =
        heads.iter().enumerate().all(|(d, &h)| constrained.arc(h as usize, d + 1) > OUT_OF_REACH / 2.0);
    reachable.then(|| Candidate { score: scores.tree(&heads), heads, fixed: count, forbidden })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::Rng;

    #[test]
    fn the_list_is_sorted_different_and_complete_for_a_small_sentence() {
        let scores = Scores::random(3, true, &mut Rng::new(4));
        let trees = best_trees(&scores, true, 100);
        // Seven projective trees with one root over three words.
        assert_eq!(trees.len(), 7);
        assert!(trees.windows(2).all(|t| t[0].0 >= t[1].0 && t[0].1 != t[1].1));
        let all = best_trees(&scores, false, 100);
        assert_eq!(all.len(), 9);
    }

    #[test]
    fn a_longer_list_begins_with_the_shorter() {
        let scores = Scores::random(8, true, &mut Rng::new(5));
        let long = best_trees(&scores, true, 20);
        assert_eq!(best_trees(&scores, true, 5), long[..5]);
        assert_eq!(long.len(), 20);
    }
}
