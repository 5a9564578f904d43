//! The best tree of all, projective or not, by arcs alone: the maximum spanning tree of Chu and Liu (1965) and
//! Edmonds (1967), with one word under the root.

use super::scores::Scores;

/// Makes every arc from the root so dear that no tree takes two.
const DEAR: f64 = 1e7;

/// The tree with the best sum of arcs: heads from 1 by word.
pub(crate) fn spanning(scores: &Scores) -> Vec<u32> {
    let n = scores.words() + 1;
    let mut weights = vec![f64::NEG_INFINITY; n * n];
    for d in 1..n {
        for h in (0..n).filter(|&h| h != d) {
            let arc = f64::from(scores.arc(h, d)).max(-1e5);
            weights[h * n + d] = if h == 0 { arc - DEAR } else { arc };
        }
    }
    edmonds(&weights, n)[1..].iter().map(|&h| h as u32).collect()
}

/// Heads of the maximum spanning tree of a dense graph with root 0; `weights[head * n + dependent]`.
///
/// Every node takes its best head; while there is a cycle it becomes one node, its arcs less what they replace, and
/// the smaller graph is solved first.
fn edmonds(weights: &[f64], n: usize) -> Vec<usize> {
    let best = |d: usize| (0..n).fold(0, |b, h| if weights[h * n + d] > weights[b * n + d] { h } else { b });
    let mut heads: Vec<usize> = (0..n).map(|d| if d == 0 { 0 } else { best(d) }).collect();
    let Some(cycle) = find_cycle(&heads) else { return heads };
    let mut in_cycle = vec![false; n];
    cycle.iter().for_each(|&c| in_cycle[c] = true);
    let outside: Vec<usize> = (0..n).filter(|&v| !in_cycle[v]).collect();
    let m = outside.len() + 1;
    let contracted = m - 1;
    let mut small = vec![f64::NEG_INFINITY; m * m];
    // The node of the cycle at which each arc into, and from which each arc out of it, goes.
    let mut enter = vec![0; m];
    let mut leave = vec![0; m];
    for (i, &v) in outside.iter().enumerate() {
        for (j, &w) in outside.iter().enumerate() {
            small[i * m + j] = weights[v * n + w];
        }
        for &c in &cycle {
            let into = weights[v * n + c] - weights[heads[c] * n + c];
            if into > small[i * m + contracted] {
                small[i * m + contracted] = into;
                enter[i] = c;
            }
            if weights[c * n + v] > small[contracted * m + i] {
                small[contracted * m + i] = weights[c * n + v];
                leave[i] = c;
            }
        }
    }
    let solved = edmonds(&small, m);
    for (i, &v) in outside.iter().enumerate().skip(1) {
        heads[v] = if solved[i] == contracted { leave[i] } else { outside[solved[i]] };
    }
    let from = solved[contracted];
    heads[enter[from]] = outside[from];
    heads
}

/// The nodes of a cycle among heads, if there is one.
fn find_cycle(heads: &[usize]) -> Option<Vec<usize>> {
    let mut seen_from = vec![0; heads.len()];
    for start in 1..heads.len() {
        let mut v = start;
        while v != 0 && seen_from[v] == 0 {
            seen_from[v] = start;
            v = heads[v];
        }
        if v != 0 && seen_from[v] == start {
            let mut cycle = vec![v];
            let mut next = heads[v];
            while next != v {
                cycle.push(next);
                next = heads[next];
            }
            return Some(cycle);
        }
    }
    None
}
