//! Head rules: no file panics, and any rules give any tree a head.
#![no_main]

use libfuzzer_sys::fuzz_target;
use treeglot_text::Lines;
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::ptb::{BracketLayout, Reader};
use treeglot_tree::transform::heads::{HeadRules, to_dependencies};

const TREE: &[u8] = b"(S (NP-SBJ (DT a) (NN b)) (CC and) (VP (VBZ c) (NP (NNS d) (, ,) (NNS e))) (. .))";

fuzz_target!(|bytes: &[u8]| {
    let Ok(rules) = HeadRules::read(Lines::new("fuzz", bytes)) else { return };
    let tree = Reader::new("tree", TREE, BracketLayout::Free).next_tree().expect("the tree is well-formed");
    let parse = to_dependencies(&tree.flatten().expect("the tree is well-formed"), &rules);
    parse.tree(treeglot_tree::Roots::One).expect("heads by rules are a tree");
});
