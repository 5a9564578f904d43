//! Continuous trees from discontinuous ones by raising: of a constituent in several pieces the main piece stays and
//! the others hang from the next constituent above that reaches over them, as in the usual conversion of NEGRA and
//! TIGER to brackets.

use crate::con::{Child, ConBuilder, ConTree, Draft};
use crate::index::{NodeId, Span};

/// Makes every constituent contiguous. The main piece of a constituent is the one with its head (edge label `HD`),
/// else the longest, else the first. Also returns how many children were raised.
pub fn continuous(tree: &ConTree) -> (ConTree, usize) {
    let mut raised = 0;
    // For every node, what hangs from it in the result, each part with its span; parts raised out of it move up.
    let mut below: Vec<Vec<(Child, Span)>> = vec![Vec::new(); tree.node_count()];
    let mut spans: Vec<Span> = vec![Span::default(); tree.node_count()];
    for node in tree.nodes().rev() {
        let mut parts = std::mem::take(&mut below[node.ix()]);
        parts.extend(tree.children(node).iter().map(|&child| match child {
            Child::Word(w) => (child, Span::of(w)),
            Child::Node(n) => (child, spans[n.ix()]),
        }));
        parts.sort_by_key(|p| p.1.start);
        let (kept, others) = main_piece(tree, parts);
        spans[node.ix()] = kept.iter().fold(Span::default(), |hull, part| hull.hull(part.1));
        below[node.ix()] = kept;
        if let Some(parent) = tree.parent(node) {
            raised += others.len();
            below[parent.ix()].extend(others);
        }
    }
    (rebuild(tree, &below), raised)
}

type Parts = Vec<(Child, Span)>;

/// Splits parts into the main contiguous piece and the rest.
fn main_piece(tree: &ConTree, parts: Parts) -> (Parts, Parts) {
    let mut pieces: Vec<Parts> = Vec::new();
    for part in parts {
        match pieces.last_mut() {
            Some(piece) if piece.last().is_some_and(|p| p.1.end == part.1.start) => piece.push(part),
            _ => pieces.push(vec![part]),
        }
    }
    let is_head = |part: &(Child, Span)| matches!(part.0, Child::Node(n) if tree.edge(n) == "HD");
    let weight = |piece: &Parts| (piece.iter().any(is_head), piece.iter().map(|p| p.1.len()).sum::<usize>());
    let best = (0..pieces.len()).rev().max_by_key(|&i| weight(&pieces[i])).unwrap_or(0);
    let kept = pieces.swap_remove(best);
    (kept, pieces.into_iter().flatten().collect())
}

fn rebuild(tree: &ConTree, below: &[Parts]) -> ConTree {
    let mut builder = ConBuilder::default();
    let mut parents: Vec<Option<Draft>> = vec![None; tree.len()];
    let mut stack: Vec<(NodeId, Option<Draft>)> = vec![(tree.root(), None)];
    while let Some((node, parent)) = stack.pop() {
        let draft = builder.node(tree.label(node), parent);
        builder.set_edge(draft, tree.edge(node));
        for &(child, _) in &below[node.ix()] {
            match child {
                Child::Node(n) => stack.push((n, Some(draft))),
                Child::Word(w) => parents[w.ix()] = Some(draft),
            }
        }
    }
    for word in tree.words() {
        let parent = parents[word.ix()].expect("every word hangs somewhere");
        builder.word_with(tree.form(word), tree.lemma(word), tree.morph(word), parent);
    }
    builder.finish().expect("raising keeps a tree a tree")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ptb;

    #[test]
    fn the_piece_without_the_head_is_raised() {
        // Das Buch habe ich gelesen: the VP (Das Buch ... gelesen) is cut by the finite verb and the subject.
        let mut b = ConBuilder::default();
        let s = b.node("S", None);
        let vp = b.node("VP", Some(s));
        let np = b.node("NP", Some(vp));
        let tags = [("ART", np), ("NN", np), ("VAFIN", s), ("PPER", s), ("VVPP", vp)];
        for ((tag, parent), word) in tags.into_iter().zip(["Das", "Buch", "habe", "ich", "gelesen"]) {
            let node = b.node(tag, Some(parent));
            b.set_edge(node, if tag.starts_with('V') { "HD" } else { "NK" });
            b.word(word, node);
        }
        let (tree, raised) = continuous(&b.finish().unwrap());
        let mut out = Vec::new();
        ptb::write(&tree, &mut out).unwrap();
        let expected = "(S (NP (ART Das) (NN Buch)) (VAFIN habe) (PPER ich) (VP (VVPP gelesen)))\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(raised, 1);
    }
}
