//! Projectivisation by in-order traversal: the figure of Graham 2013, its laws, and what becomes of the other lines.

use crate::common::data_files;
use crate::parses::parses_of_any_text;
use proptest::prelude::*;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::transform::inorder::{Permutation, Side, project, project_tree, restore};
use treeglot_tree::{DepParse, DepTree, Roots, WordIx};

fn read(text: &str) -> DepParse {
    conllu::Reader::new("t", text.as_bytes())
        .next_tree()
        .expect("the text is well-formed")
        .expect("the text holds a tree")
}

fn written(parse: &DepParse) -> String {
    let mut out = Vec::new();
    conllu::write(parse, &mut out).expect("memory can be written");
    String::from_utf8(out).expect("what is written is UTF-8")
}

/// Algorithm 6.1 as it stands in the paper.
fn dep_in_ord(tree: &DepTree, root: WordIx, printed: &mut Vec<WordIx>) {
    for &d in tree.dependents(root).iter().filter(|d| **d < root) {
        dep_in_ord(tree, d, printed);
    }
    printed.push(root);
    for &d in tree.dependents(root).iter().filter(|d| **d > root) {
        dep_in_ord(tree, d, printed);
    }
}

#[test]
fn figure_6_when_and_begin_form_a_continuous_string() {
    let mut parse = DepParse::new(0);
    for (form, head) in [("When", 5), ("did", 0), ("the", 4), ("crisis", 2), ("begin", 2), ("?", 2)] {
        parse.push_word(form, "T", Some(head), "r");
    }
    let (after, order) = project(&parse, Roots::One).unwrap();
    assert_eq!(after.forms().collect::<Vec<_>>(), ["did", "the", "crisis", "When", "begin", "?"]);
    let heads: Vec<u32> = after.words().map(|w| after.raw_head(w).unwrap()).collect();
    assert_eq!(heads, [0, 3, 1, 5, 1, 1]);
    assert_eq!(order.to_string(), "2 3 4 1 5 6");
    let tree = after.tree(Roots::One).unwrap();
    assert_eq!(tree.span(WordIx(4)).unwrap().len(), 2, "`When begin` is one span");
}

#[test]
fn links_move_with_the_words() {
    let order = Permutation::from_order([1, 2, 3, 0].map(WordIx).to_vec()).unwrap();
    let mut links = [(0, 5), (1, 0), (3, 9)];
    order.apply_links(&mut links, Side::Source).unwrap();
    assert_eq!(links, [(3, 5), (0, 0), (2, 9)]);
    let mut links = [(9, 1), (7, 4)];
    let error = order.apply_links(&mut links, Side::Target).unwrap_err();
    assert_eq!(error.to_string(), "link 7-4 points beyond the sentence of 4 words (links count from 0)");
}

#[test]
fn an_order_that_repeats_or_misses_a_word_is_none() {
    assert!(Permutation::from_order(vec![WordIx(0), WordIx(0)]).is_none());
    assert!(Permutation::from_order(vec![WordIx(0), WordIx(2)]).is_none());
    assert!(Permutation::from_order(Vec::new()).unwrap().is_identity());
}

#[test]
fn multiword_tokens_stay_where_their_words_stay_together() {
    let before = "# sent_id = 1\n# text = x\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n\
        1\ta\t_\tX\t_\t_\t5\tr\t5:r\t_\n2\tb\t_\tX\t_\t_\t3\tr\t3:r\t_\n3\tc\t_\tX\t_\t_\t0\troot\t0:root\t_\n\
        3.1\te\t_\t_\t_\t_\t_\t_\t3:x\t_\n4-5\tde\t_\t_\t_\t_\t_\t_\t_\t_\n4\td\t_\tX\t_\t_\t5\tr\t5:r\t_\n\
        5\te\t_\tX\t_\t_\t3\tr\t3:r\tA=b\n\n";
    let (after, _) = project(&read(before), Roots::One).unwrap();
    let expected = "# sent_id = 1\n# inorder = 2 3 1 4 5\n\
        1\tb\t_\tX\t_\t_\t2\tr\t_\t_\n2\tc\t_\tX\t_\t_\t0\troot\t_\t_\n3\ta\t_\tX\t_\t_\t5\tr\t_\t_\n\
        4-5\tde\t_\t_\t_\t_\t_\t_\t_\t_\n4\td\t_\tX\t_\t_\t5\tr\t_\t_\n5\te\t_\tX\t_\t_\t2\tr\t_\tA=b\n\n";
    assert_eq!(written(&after), expected);
}

#[test]
fn a_chain_of_a_million_words_is_no_problem() {
    let n = 1_000_000u32;
    let heads = (0..n).map(|w| w.checked_sub(1).map(WordIx)).collect();
    assert!(project_tree(&DepTree::new(heads, Roots::One).unwrap()).1.is_identity());
}

proptest! {
    #[test]
    fn the_result_is_projective_and_keeps_every_head(parse in parses_of_any_text()) {
        let tree = parse.tree(Roots::One).unwrap();
        let (moved, order) = project_tree(&tree);
        prop_assert!(moved.words().all(|w| moved.is_projective_arc(w)));
        for w in tree.words() {
            let head = tree.head(w).map(|h| order.new_position(h));
            prop_assert_eq!(moved.head(order.new_position(w)), head);
            prop_assert_eq!(order.old_position(order.new_position(w)), w);
        }
        prop_assert_eq!(order.is_identity(), tree.words().all(|w| tree.is_projective_arc(w)));
    }

    #[test]
    fn the_order_is_that_of_the_recursive_algorithm(parse in parses_of_any_text()) {
        let tree = parse.tree(Roots::One).unwrap();
        let mut printed = Vec::new();
        dep_in_ord(&tree, tree.root(), &mut printed);
        let (_, order) = project_tree(&tree);
        prop_assert_eq!(order.order(), printed);
    }

    #[test]
    fn restoring_gives_words_and_heads_back(parse in parses_of_any_text()) {
        let (projected, _) = project(&parse, Roots::One).unwrap();
        let restored = restore(&projected).unwrap();
        prop_assert_eq!(restored.len(), parse.len());
        for w in parse.words() {
            prop_assert_eq!(restored.columns(w), parse.columns(w));
            prop_assert_eq!(restored.raw_head(w), parse.raw_head(w));
        }
        prop_assert_eq!(restored.comment("inorder"), None);
    }

    #[test]
    fn the_inverse_undoes_the_order(parse in parses_of_any_text()) {
        let (moved, order) = project(&parse, Roots::One).unwrap();
        let forms: Vec<&str> = parse.forms().collect();
        prop_assert_eq!(order.apply(&forms), moved.forms().collect::<Vec<_>>());
        prop_assert_eq!(order.inverse().apply(&order.apply(&forms)), forms);
        let links: Vec<(u32, u32)> = (0..parse.len() as u32).map(|w| (w, w / 2)).collect();
        let mut there_and_back = links.clone();
        order.apply_links(&mut there_and_back, Side::Source).unwrap();
        order.inverse().apply_links(&mut there_and_back, Side::Source).unwrap();
        prop_assert_eq!(there_and_back, links);
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn real_trees_become_projective_and_projective_ones_stay() {
    for path in data_files("ud", "de_gsd-ud-dev.conllu.gz") {
        let mut changed = 0;
        for parse in conllu::Reader::open(path).unwrap().trees() {
            let parse = parse.unwrap();
            let (moved, order) = project(&parse, Roots::One).unwrap();
            assert!(moved.tree(Roots::One).unwrap().is_projective());
            assert_eq!(order.is_identity(), moved == parse);
            changed += usize::from(!order.is_identity());
        }
        assert_eq!(changed, 48);
    }
}
