//! Several sentences as one structure.

use crate::generate::{Shape, trees};
use crate::parses::parses_of_any_text;
use proptest::prelude::*;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::transform::join::{RELATION, join_parses, join_trees, split_tree};
use treeglot_tree::{DepParse, NodeId, Roots, WordIx};

const GAPS: Shape = Shape { discontinuous: true, annotated: true };
const LABEL: &str = r"(S|NP|VP-SBJ|PP-1|CC|,|@NP|N\|P|X\^|NN|)";

fn parse(heads: &[u32]) -> DepParse {
    let mut parse = DepParse::new(0);
    for (w, &head) in heads.iter().enumerate() {
        parse.push_word(&format!("w{w}"), "T", Some(head), if head == 0 { "root" } else { "dep" });
    }
    parse
}

fn heads(parse: &DepParse) -> Vec<u32> {
    parse.words().map(|w| parse.raw_head(w).expect("every word has a head")).collect()
}

#[test]
fn later_roots_attach_to_the_first() {
    let (joined, offsets) = join_parses(&[parse(&[2, 0]), parse(&[0, 1, 2]), parse(&[0])], RELATION);
    assert_eq!(heads(&joined), [2, 0, 2, 3, 4, 2]);
    assert_eq!(joined.deprel(WordIx(1)), "root");
    assert_eq!([joined.deprel(WordIx(2)), joined.deprel(WordIx(5))], [RELATION; 2]);
    assert_eq!(offsets.parts(), 3);
    assert_eq!(offsets.joined(1, WordIx(2)), WordIx(4));
    assert_eq!(offsets.part(WordIx(5)), Some((2, WordIx(0))));
    assert_eq!(offsets.part(WordIx(6)), None);
}

#[test]
fn a_head_out_of_range_does_not_reach_into_the_next_sentence() {
    let (joined, _) = join_parses(&[parse(&[0, 3]), parse(&[0])], RELATION);
    assert!(joined.tree(Roots::One).unwrap_err().to_string().starts_with("word 2 has head"));
}

#[test]
fn multiword_tokens_empty_nodes_and_enhanced_heads_are_renumbered() {
    let text = "# a = 1\n1\tx\t_\tX\t_\t_\t0\troot\t0:root\t_\n\n\
        # b = 2\n1-2\tyz\t_\t_\t_\t_\t_\t_\t_\t_\n1\ty\t_\tX\t_\t_\t2\td\t2:d|1.1:e\t_\n1.1\te\t_\t_\t_\t_\t_\t_\t2:e\t_\n\
        2\tz\t_\tX\t_\t_\t0\troot\t0:root\t_\n\n";
    let parts: Vec<DepParse> =
        conllu::Reader::new("t", text.as_bytes()).trees().map(|p| p.unwrap()).collect();
    let mut out = Vec::new();
    conllu::write(&join_parses(&parts, RELATION).0, &mut out).unwrap();
    let expected = "# a = 1\n1\tx\t_\tX\t_\t_\t0\troot\t0:root\t_\n# b = 2\n2-3\tyz\t_\t_\t_\t_\t_\t_\t_\t_\n\
        2\ty\t_\tX\t_\t_\t3\td\t3:d|2.1:e\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t2:e\t_\n\
        3\tz\t_\tX\t_\t_\t1\tparataxis\t1:root\t_\n\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn nothing_joined_is_an_empty_parse_and_no_tree() {
    assert!(join_parses(&[], RELATION).0.is_empty());
    assert!(join_trees(&[], "TOP").is_err());
}

proptest! {
    #[test]
    fn inner_heads_stay_and_the_result_is_one_tree(parts in prop::collection::vec(parses_of_any_text(), 1..4)) {
        let (joined, offsets) = join_parses(&parts, RELATION);
        let tree = joined.tree(Roots::One).unwrap();
        for (p, part) in parts.iter().enumerate() {
            let part_tree = part.tree(Roots::One).unwrap();
            for w in part.words() {
                let head = match part_tree.head(w) {
                    Some(h) => Some(offsets.joined(p, h)),
                    None => (p > 0).then(|| tree.root()),
                };
                let at = offsets.joined(p, w);
                prop_assert_eq!(tree.head(at), head);
                prop_assert_eq!(offsets.part(at), Some((p, w)));
                prop_assert_eq!(joined.form(at), part.form(w));
            }
        }
    }

    #[test]
    fn joined_trees_come_apart_again(parts in prop::collection::vec(trees(GAPS, "[a-z]{1,2}", LABEL), 1..4)) {
        let (joined, offsets) = join_trees(&parts, "TOP").unwrap();
        prop_assert_eq!(joined.label(NodeId(0)), "TOP");
        prop_assert_eq!(joined.children(NodeId(0)).len(), parts.len());
        let last = parts.len() - 1;
        prop_assert_eq!(offsets.joined(last, WordIx(0)).ix() + parts[last].len(), joined.len());
        prop_assert_eq!(split_tree(&joined).unwrap(), parts);
    }
}
