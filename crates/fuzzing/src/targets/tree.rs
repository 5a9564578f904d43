//! Readers of the crate `tree`. What formats write is read again.

use crate::Outcome;
use std::path::Path;
use treeglot_text::Lines;
use treeglot_tree::format::tiger_align::Alignment;
use treeglot_tree::format::{
    Format, ReadOptions, ReadTrees, ccg_auto, ccg_parg, conll09, conllu, conllx, depbracket, egret, enju_so,
    enju_xml, mosesxml, ptb, tigerxml,
};
use treeglot_tree::transform::heads::{HeadRules, to_dependencies};
use treeglot_tree::{DepParse, Roots};

fn read(format: Format, path: &Path) -> Outcome {
    let mut reader = format.open(path, &ReadOptions::default())?;
    while reader.next_tree()?.is_some() {}
    Ok(())
}

/// What is read is written, and read again as the same.
pub fn conllu(path: &Path) -> Outcome {
    let parses: Vec<DepParse> = conllu::Reader::open(path)?.trees().collect::<Result<_, _>>()?;
    let mut text = Vec::new();
    for parse in &parses {
        let _ = parse.tree(Roots::One);
        conllu::write(parse, &mut text)?;
    }
    let again = conllu::Reader::new("written", text.as_slice()).trees().collect::<Result<Vec<DepParse>, _>>();
    assert_eq!(parses, again.expect("what was written is well-formed"));
    Ok(())
}

pub fn conllx(path: &Path) -> Outcome {
    read(conllx::FORMAT, path)
}

pub fn conll09(path: &Path) -> Outcome {
    read(conll09::FORMAT, path)
}

pub fn ptb(path: &Path) -> Outcome {
    read(ptb::FORMAT, path)
}

pub fn tigerxml(path: &Path) -> Outcome {
    read(tigerxml::FORMAT, path)
}

pub fn mosesxml(path: &Path) -> Outcome {
    read(mosesxml::FORMAT, path)
}

pub fn depbracket(path: &Path) -> Outcome {
    read(depbracket::FORMAT, path)
}

pub fn enju_xml(path: &Path) -> Outcome {
    read(enju_xml::FORMAT, path)
}

pub fn enju_so(path: &Path) -> Outcome {
    read(enju_so::FORMAT, path)
}

pub fn ccg_auto(path: &Path) -> Outcome {
    read(ccg_auto::FORMAT, path)
}

pub fn ccg_parg(path: &Path) -> Outcome {
    read(ccg_parg::FORMAT, path)
}

pub fn egret(path: &Path) -> Outcome {
    read(egret::FORMAT, path)
}

pub fn tiger_align(path: &Path) -> Outcome {
    let alignment = Alignment::open(path)?;
    let mut text = Vec::new();
    if alignment.write(&mut text).is_ok() {
        Alignment::read("written", text.as_slice()).expect("what was written is well-formed");
    }
    Ok(())
}

const TREE: &[u8] = b"(S (NP-SBJ (DT a) (NN b)) (CC and) (VP (VBZ c) (NP (NNS d) (, ,) (NNS e))) (. .))";

/// Any rules give any tree a head.
pub fn head_rules(path: &Path) -> Outcome {
    let rules = HeadRules::read(Lines::open(path)?)?;
    let mut reader = ptb::Reader::new("tree", TREE, ptb::BracketLayout::Free);
    let tree = reader.next_tree()?.flatten().expect("the tree is well-formed");
    to_dependencies(&tree, &rules).tree(Roots::One).expect("heads by rules are a tree");
    Ok(())
}
