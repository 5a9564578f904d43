//! Generated constituency trees for property tests.

use proptest::prelude::*;
use treeglot_tree::{ConBuilder, ConTree};

/// Any constituency tree: words below random nodes of a random tree, discontinuous or not.
pub fn con_tree(max: usize) -> impl Strategy<Value = ConTree> {
    let label = prop::sample::select(vec!["S", "NP", "VP-SBJ", "PP", "CC", "@NP", "N|P", "", "X-1"]);
    (1..=max)
        .prop_flat_map(move |n| {
            let nodes = prop::collection::vec((label.clone(), any::<prop::sample::Index>()), 1..=2 * n);
            let words = prop::collection::vec(any::<prop::sample::Index>(), n);
            (nodes, words, any::<bool>())
        })
        .prop_map(|(nodes, words, continuous)| {
            let parents: Vec<Option<usize>> =
                nodes.iter().enumerate().map(|(i, n)| (i > 0).then(|| n.1.index(i))).collect();
            let mut below: Vec<usize> = words.iter().map(|w| w.index(nodes.len())).collect();
            if continuous {
                let preorder = preorder(&parents);
                below.sort_by_key(|n| preorder[*n]);
            }
            build(&nodes.iter().map(|n| n.0).collect::<Vec<_>>(), &parents, &below)
        })
}

fn preorder(parents: &[Option<usize>]) -> Vec<usize> {
    let mut number = vec![0; parents.len()];
    let mut stack = vec![0];
    let mut next = 0;
    while let Some(n) = stack.pop() {
        number[n] = next;
        next += 1;
        stack.extend((0..parents.len()).filter(|&c| parents[c] == Some(n)));
    }
    number
}

/// The nodes that have words below them.
fn build(labels: &[&str], parents: &[Option<usize>], below: &[usize]) -> ConTree {
    let mut used = vec![false; labels.len()];
    for &n in below {
        let mut node = Some(n);
        while let Some(n) = node {
            used[n] = true;
            node = parents[n];
        }
    }
    let mut b = ConBuilder::default();
    let mut drafts = vec![None; labels.len()];
    for n in (0..labels.len()).filter(|&n| used[n]) {
        drafts[n] = Some(b.node(labels[n], parents[n].and_then(|p| drafts[p])));
    }
    for (w, &n) in below.iter().enumerate() {
        b.word(&format!("w{w}"), drafts[n].unwrap());
    }
    b.finish().unwrap()
}
