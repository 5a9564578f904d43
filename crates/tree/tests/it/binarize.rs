//! Binarisation of constituency trees and the way back.

use crate::common::{data_files, tree};
use crate::generate::{Shape, trees};
use proptest::prelude::*;
use treeglot_tree::ConTree;
use treeglot_tree::format::{ReadTrees, ptb};
use treeglot_tree::transform::binarize::{Direction, Markov, binarize, unbinarize};
use treeglot_tree::transform::heads::{BuiltIn, HeadRules};

const GAPS: Shape = Shape { discontinuous: true, annotated: true };
const LABEL: &str = r"(S|NP|VP-SBJ|PP-1|CC|,|@NP|N\|P|X\^|NN|)";

fn binary(brackets: &str, direction: Direction<'_>, horizontal: Option<usize>, vertical: usize) -> String {
    let mut out = Vec::new();
    ptb::write(&binarize(&tree(brackets), direction, Markov { horizontal, vertical }), &mut out)
        .expect("memory can be written");
    String::from_utf8(out).expect("what is written is UTF-8").trim_end().to_string()
}

const NP: &str = "(NP (DT a) (JJ b) (NN c) (PP d))";

#[test]
fn siblings_are_parted_from_the_left_the_right_and_around_the_head() {
    let rules = HeadRules::built_in(BuiltIn::Ptb);
    let h0 = |direction| binary(NP, direction, Some(0), 1);
    assert_eq!(h0(Direction::Left), "(NP (@NP (@NP (DT a) (JJ b)) (NN c)) (PP d))");
    assert_eq!(h0(Direction::Right), "(NP (DT a) (@NP (JJ b) (@NP (NN c) (PP d))))");
    assert_eq!(h0(Direction::HeadOut(&rules)), "(NP (DT a) (@NP (JJ b) (@NP (NN c) (PP d))))");
    let verb = "(VP (ADVP a) (VB b) (NP c) (PP d))";
    assert_eq!(
        binary(verb, Direction::HeadOut(&rules), Some(0), 1),
        "(VP (ADVP a) (@VP (@VP (VB b) (NP c)) (PP d)))"
    );
}

#[test]
fn markov_orders_name_siblings_and_ancestors() {
    let right = |h, v| binary("(S (NP (DT a) (JJ b) (NN c) (PP d)) (VP e))", Direction::Right, h, v);
    assert_eq!(right(Some(1), 1), "(S (NP (DT a) (@NP|DT (JJ b) (@NP|JJ (NN c) (PP d)))) (VP e))");
    assert_eq!(right(None, 1), "(S (NP (DT a) (@NP|DT (JJ b) (@NP|DT|JJ (NN c) (PP d)))) (VP e))");
    assert_eq!(right(Some(0), 2), "(S (NP^S (DT a) (@NP^S (JJ b) (@NP^S (NN c) (PP d)))) (VP e))");
}

fn laws(tree: &ConTree) -> Result<(), TestCaseError> {
    let rules = HeadRules::built_in(BuiltIn::Ptb);
    for direction in [Direction::Left, Direction::Right, Direction::HeadOut(&rules)] {
        for (horizontal, vertical) in [(Some(0), 1), (Some(2), 2), (None, 3)] {
            let binary = binarize(tree, direction, Markov { horizontal, vertical });
            prop_assert!(binary.nodes().all(|n| binary.children(n).len() <= 2));
            prop_assert_eq!(&unbinarize(&binary), tree);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn trees_become_binary_and_come_back(tree in trees(GAPS, "[a-z]{1,2}", LABEL)) {
        laws(&tree)?;
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn real_trees_become_binary_and_come_back() {
    for path in data_files("ptb", "wsj-dev.mrg.gz") {
        for tree in ptb::Reader::open(path, ptb::BracketLayout::Free).unwrap().trees() {
            laws(&tree.unwrap().unwrap()).unwrap();
        }
    }
}
