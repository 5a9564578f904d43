//! Generated dependency parses for property tests.

use proptest::prelude::*;
use treeglot_tree::{DepParse, WordIx};

/// Heads of any tree of up to `max` words, most of them non-projective: words in random order, each below an earlier
/// one.
fn heads(max: usize) -> impl Strategy<Value = Vec<Option<WordIx>>> {
    (1..=max)
        .prop_flat_map(|n| {
            let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
            (order, prop::collection::vec(any::<prop::sample::Index>(), n))
        })
        .prop_map(|(order, picks)| {
            let mut heads = vec![None; order.len()];
            for i in 1..order.len() {
                heads[order[i]] = Some(WordIx::from(order[picks[i].index(i)]));
            }
            heads
        })
}

/// Text as a column may hold it: what would break a notation included.
fn column() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]{1,3}",
        1 => r"[a-b;=+%()\[\] \-↑↓_|:é\u{a0}]{1,4}",
        1 => prop::sample::select(vec!["-LRB-", "_", "%25", "-RRB-x", "H=1", "unit", "root"]).prop_map(String::from),
    ]
}

/// A parse with any tree and any text.
pub fn dep_parse(max: usize) -> impl Strategy<Value = DepParse> {
    heads(max).prop_flat_map(|heads| {
        let words = prop::collection::vec([column(), column(), column(), column()], heads.len());
        words.prop_map(move |words| {
            let mut parse = DepParse::new(0);
            for ([form, lemma, tag, relation], head) in words.iter().zip(&heads) {
                let head = Some(head.map_or(0, |h| h.0 + 1));
                parse.push([form, lemma, tag, tag, "_", relation, "_", "_"], head);
            }
            parse
        })
    })
}
