//! Laws of the checked trees and of the formats closest to them, on trees made at random.

use crate::generate::{Shape, parses, trees};
use proptest::prelude::*;
use treeglot_tree::format::{ReadTrees, conllu, conllx, ptb};
use treeglot_tree::transform::continuous::continuous;
use treeglot_tree::{DepParse, Roots, WordIx};

const PLAIN: Shape = Shape { discontinuous: false, annotated: false };
const GAPS: Shape = Shape { discontinuous: true, annotated: false };

/// Whether `above` is on the path from `word` to the root, by walking it.
fn walks_to(tree: &treeglot_tree::DepTree, word: WordIx, above: WordIx) -> bool {
    std::iter::successors(Some(word), |&w| tree.head(w)).any(|w| w == above)
}

proptest! {
    #[test]
    fn queries_of_a_dependency_tree_equal_walking_it(parse in parses()) {
        let tree = parse.tree(Roots::One).unwrap();
        for a in tree.words() {
            let below: Vec<WordIx> = tree.words().filter(|&w| walks_to(&tree, w, a)).collect();
            let mut subtree = tree.subtree(a).to_vec();
            subtree.sort();
            prop_assert_eq!(&subtree, &below);
            prop_assert_eq!(tree.hull(a).start, below[0].0);
            prop_assert_eq!(tree.hull(a).end, below[below.len() - 1].0 + 1);
            for &w in &below {
                prop_assert!(tree.dominates(a, w));
            }
            prop_assert_eq!(tree.words().filter(|&w| tree.dominates(a, w)).count(), below.len());
        }
        let all_arcs = tree.words().all(|w| tree.is_projective_arc(w));
        prop_assert_eq!(tree.is_projective(), all_arcs);
    }

    #[test]
    fn conllu_written_is_read_back(parses in proptest::collection::vec(parses(), 0..4)) {
        let mut text = Vec::new();
        for parse in &parses {
            conllu::write(parse, &mut text).unwrap();
        }
        let again: Vec<DepParse> =
            conllu::Reader::new("t", text.as_slice()).trees().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(again, parses);
    }

    #[test]
    fn conllx_written_is_read_back(parse in parses()) {
        let mut text = Vec::new();
        conllx::write(&parse, &mut text).unwrap();
        let again = conllx::Reader::new("t", text.as_slice()).next_tree().unwrap().unwrap();
        prop_assert_eq!(again.forms().collect::<Vec<_>>(), parse.forms().collect::<Vec<_>>());
        for w in parse.words() {
            prop_assert_eq!(again.raw_head(w), parse.raw_head(w));
            prop_assert_eq!(again.deprel(w), parse.deprel(w));
        }
    }

    #[test]
    fn brackets_written_are_read_back(tree in trees(PLAIN, "[a-z()é]{1,4}", "[A-Z]{1,3}(-[A-Z]{2})?")) {
        let mut text = Vec::new();
        ptb::write(&tree, &mut text).unwrap();
        for layout in [ptb::BracketLayout::Free, ptb::BracketLayout::OnePerLine] {
            let again = ptb::Reader::new("t", text.as_slice(), layout).next_tree().unwrap().unwrap();
            prop_assert_eq!(again.as_ref(), Some(&tree));
        }
    }

    #[test]
    fn raising_makes_any_tree_continuous_and_leaves_continuous_ones(tree in trees(GAPS, "[a-z]", "[A-Z]")) {
        let (flat, raised) = continuous(&tree);
        prop_assert!(flat.is_continuous());
        prop_assert_eq!(flat.forms().collect::<Vec<_>>(), tree.forms().collect::<Vec<_>>());
        prop_assert_eq!(flat.node_count(), tree.node_count());
        if tree.is_continuous() {
            prop_assert_eq!((&flat, raised), (&tree, 0));
        }
    }
}
