//! Trees made at random for the laws that formats and transforms must keep.

use proptest::prelude::*;
use treeglot_tree::Note;
use treeglot_tree::{ConBuilder, ConTree, DepParse};

/// Heads of a random tree: words join it in random order, each below one that joined before.
fn heads() -> impl Strategy<Value = Vec<u32>> {
    (1usize..12).prop_flat_map(|n| {
        let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
        (order, proptest::collection::vec(any::<proptest::sample::Index>(), n)).prop_map(|(order, picks)| {
            let mut heads = vec![0; order.len()];
            for k in 1..order.len() {
                heads[order[k]] = order[picks[k].index(k)] as u32 + 1;
            }
            heads
        })
    })
}

/// Random parses with one root, projective or not, with comments and multi-word tokens.
pub fn parses() -> impl Strategy<Value = DepParse> {
    let word = ("[^\\s_]{1,5}", "[a-zé]{1,3}|_", "[A-Z]{1,4}", "[a-z:]{1,5}");
    (heads(), proptest::collection::vec(word, 12), any::<bool>()).prop_map(|(heads, words, multiword)| {
        let mut parse = DepParse::new(1);
        parse.push_note(Note::Comment, "# text = made up");
        for (w, (head, (form, lemma, tag, deprel))) in heads.iter().zip(&words).enumerate() {
            if multiword && w == 1 && heads.len() > 2 {
                parse.push_note(Note::Multiword, "2-3\tab\t_\t_\t_\t_\t_\t_\t_\t_");
            }
            parse.push([form, lemma, tag, "_", "A=b", deprel, "_", "_"], Some(*head));
        }
        parse
    })
}

/// What a generated tree may have.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Whether constituents may have gaps.
    pub discontinuous: bool,
    /// Whether edges have labels, and words lemmas and morphology.
    pub annotated: bool,
}

#[derive(Debug, Clone)]
struct Word {
    form: String,
    lemma: String,
    morph: String,
    tag: Option<String>,
    edge: String,
}

fn word(form: &'static str, label: &'static str) -> impl Strategy<Value = Word> {
    (form, label, "[a-zé &]{0,3}", proptest::option::weighted(0.8, label), label)
        .prop_map(|(form, lemma, morph, tag, edge)| Word { form, lemma, morph, tag, edge })
}

/// A node over some of the items that have no parent yet: how many to skip, how many to take, label and edge.
type Join = (usize, usize, String, String);

/// Random trees over words and labels that match two regular expressions.
pub fn trees(shape: Shape, form: &'static str, label: &'static str) -> impl Strategy<Value = ConTree> {
    let joins = proptest::collection::vec((0..8usize, 1..4usize, label, label), 0..12);
    (proptest::collection::vec(word(form, label), 1..9), joins, label)
        .prop_map(move |(words, joins, top)| build(shape, &words, joins, top))
}

fn build(shape: Shape, words: &[Word], joins: Vec<Join>, top: String) -> ConTree {
    let mut b = ConBuilder::default();
    let mut nodes = Vec::new();
    let mut parents: Vec<Option<usize>> = vec![None; words.len()];
    let mut loose: Vec<Result<usize, usize>> = Vec::new();
    for (w, word) in words.iter().enumerate() {
        match &word.tag {
            Some(tag) => {
                let node = b.node(tag, None);
                nodes.push((node, word.edge.clone()));
                parents[w] = Some(nodes.len() - 1);
                loose.push(Err(nodes.len() - 1));
            }
            None => loose.push(Ok(w)),
        }
    }
    let last = (0, usize::MAX, top, String::new());
    for (skip, take, label, edge) in joins.into_iter().chain([last]) {
        let skip = skip % loose.len();
        let step = if shape.discontinuous && take == 2 { 2 } else { 1 };
        let chosen: Vec<usize> = (skip..loose.len()).step_by(step).take(take).collect();
        let node = b.node(&label, None);
        nodes.push((node, edge));
        for &c in chosen.iter().rev() {
            match loose.remove(c) {
                Ok(w) => parents[w] = Some(nodes.len() - 1),
                Err(n) => {
                    b.set_parent(nodes[n].0, Some(node));
                    if shape.annotated {
                        b.set_edge(nodes[n].0, &nodes[n].1);
                    }
                }
            }
        }
        loose.insert(skip.min(loose.len()), Err(nodes.len() - 1));
    }
    for (word, parent) in words.iter().zip(parents) {
        let parent = nodes[parent.expect("the last join takes all")].0;
        let [lemma, morph] = if shape.annotated { [&*word.lemma, &*word.morph] } else { ["", ""] };
        b.word_with(&word.form, lemma, morph, parent);
    }
    b.finish().expect("a generated tree is a tree")
}
