//! From scores to a tree. Projective trees are found exactly; for all trees the better of the projective tree and the
//! spanning tree is improved by exchanging one edge at a time (McDonald and Pereira 2006).

use super::eisner::projective;
use super::scores::Scores;
use super::spanning::spanning;

/// Heads less probable than this are not tried in exchanges.
const LEAST_ARC: f32 = -7.0;

/// The best tree that was found: heads from 1 by word.
pub(crate) fn best_tree(scores: &Scores, only_projective: bool) -> Vec<u32> {
    let tree = projective(scores);
    if only_projective {
        return tree;
    }
    let other = spanning(scores);
    let mut heads = if scores.tree(&other) > scores.tree(&tree) { other } else { tree };
    if scores.has_siblings() {
        exchange(scores, &mut heads);
    }
    heads
}

/// Gives one word another head while that makes the tree better.
fn exchange(scores: &Scores, heads: &mut [u32]) {
    let words = scores.words();
    for _ in 0..2 * words {
        let mut best = (1e-4, 0, 0);
        for d in (1..=words).filter(|&d| heads[d - 1] != 0) {
            let old = heads[d - 1] as usize;
            for h in (1..=words).filter(|&h| h != d && h != old && scores.arc(h, d) > LEAST_ARC) {
                if !dominates(heads, d, h) {
                    let gain = gain(scores, heads, d, h);
                    if gain > best.0 {
                        best = (gain, d, h);
                    }
                }
            }
        }
        if best.1 == 0 {
            return;
        }
        heads[best.1 - 1] = best.2 as u32;
    }
}

/// How much better the tree is when `dependent` hangs from `head`.
fn gain(scores: &Scores, heads: &[u32], dependent: usize, head: usize) -> f32 {
    let old = heads[dependent - 1] as usize;
    let of = |heads: &[u32]| {
        let around = |h: usize| if h == 0 { 0.0 } else { scores.around(h, heads) };
        scores.arc(heads[dependent - 1] as usize, dependent) + around(old) + around(head)
    };
    let before = of(heads);
    let mut changed = heads.to_vec();
    changed[dependent - 1] = head as u32;
    of(&changed) - before
}

/// Whether `above` is `word` or an ancestor of it.
fn dominates(heads: &[u32], above: usize, word: usize) -> bool {
    let mut at = word;
    while at != 0 {
        if at == above {
            return true;
        }
        at = heads[at - 1] as usize;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::Rng;
    use treeglot_tree::{DepTree, Roots, WordIx};

    /// All trees over a few words.
    fn all_trees(words: usize) -> Vec<Vec<u32>> {
        let mut trees = Vec::new();
        for code in 0..(words + 1).pow(words as u32) {
            let mut rest = code;
            let heads: Vec<u32> = (0..words)
                .map(|_| {
                    let head = rest % (words + 1);
                    rest /= words + 1;
                    head as u32
                })
                .collect();
            if checked(&heads).is_some() {
                trees.push(heads);
            }
        }
        trees
    }

    fn checked(heads: &[u32]) -> Option<DepTree> {
        let heads = heads.iter().map(|&h| h.checked_sub(1).map(WordIx)).collect();
        DepTree::new(heads, Roots::One).ok()
    }

    fn best_by_hand(scores: &Scores, trees: &[Vec<u32>], projective: bool) -> f32 {
        let allowed = trees.iter().filter(|t| !projective || checked(t).is_some_and(|t| t.is_projective()));
        allowed.map(|t| scores.tree(t)).fold(f32::NEG_INFINITY, f32::max)
    }

    #[test]
    fn the_projective_tree_is_the_best_of_all_projective_trees() {
        let mut rng = Rng::new(9);
        for words in 1..=5 {
            let trees = all_trees(words);
            for siblings in [false, true] {
                for _ in 0..30 {
                    let scores = Scores::random(words, siblings, &mut rng);
                    let found = projective(&scores);
                    assert!(checked(&found).is_some_and(|t| t.is_projective()), "{found:?}");
                    let best = best_by_hand(&scores, &trees, true);
                    assert!((scores.tree(&found) - best).abs() < 1e-3, "{found:?}");
                }
            }
        }
    }

    #[test]
    fn the_spanning_tree_is_the_best_of_all_trees_by_arcs() {
        let mut rng = Rng::new(10);
        for words in 1..=5 {
            let trees = all_trees(words);
            for _ in 0..50 {
                let scores = Scores::random(words, false, &mut rng);
                let found = best_tree(&scores, false);
                assert!(checked(&found).is_some(), "{found:?}");
                let best = best_by_hand(&scores, &trees, false);
                assert!((scores.tree(&found) - best).abs() < 1e-3, "{found:?}");
            }
        }
    }

    #[test]
    fn exchanged_edges_leave_a_tree_no_worse_than_the_projective_one() {
        let mut rng = Rng::new(11);
        for words in 2..=30 {
            let scores = Scores::random(words, true, &mut rng);
            let found = best_tree(&scores, false);
            assert!(checked(&found).is_some(), "{found:?}");
            assert!(scores.tree(&found) >= scores.tree(&projective(&scores)) - 1e-3);
        }
    }
}
