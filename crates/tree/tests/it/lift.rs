//! Pseudo-projective lifting: marks, the way back, and how many real trees it restores.

use crate::common::data_files;
use crate::parses::parses_of_any_text;
use proptest::prelude::*;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::transform::lift::{Scheme, lift, lift_tree, unlift};
use treeglot_tree::{DepParse, DepTree, Field, Roots, WordIx};

const SCHEMES: [Scheme; 4] = [Scheme::Head, Scheme::Path, Scheme::HeadPath, Scheme::Exact];

/// The Czech sentence of Nivre & Nilsson 2005, figure 1: `Z` depends on `jedna`, across the verb.
fn figure_1() -> DepParse {
    let words = [
        ("Z", 3, "AuxP"),
        ("nich", 1, "Atr"),
        ("je", 0, "Pred"),
        ("jen", 5, "AuxZ"),
        ("jedna", 3, "Sb"),
        ("na", 3, "AuxP"),
        ("kvalitu", 6, "Adv"),
        (".", 3, "AuxK"),
    ];
    let mut parse = DepParse::new(0);
    for (form, head, relation) in words {
        parse.push_word(form, "T", Some(head), relation);
    }
    parse.set_head(WordIx(0), Some(WordIx(4)));
    parse
}

fn relations(parse: &DepParse) -> Vec<&str> {
    parse.words().map(|w| parse.deprel(w)).collect()
}

#[test]
fn marks_are_those_of_the_paper() {
    let lifted = |scheme| lift(&figure_1(), Roots::One, scheme).unwrap();
    for scheme in SCHEMES {
        assert_eq!(lifted(scheme).raw_head(WordIx(0)), Some(3));
    }
    let marked = |z, sb| vec![z, "Atr", "Pred", "AuxZ", sb, "AuxP", "Adv", "AuxK"];
    assert_eq!(relations(&lifted(Scheme::Head)), marked("AuxP↑Sb", "Sb"));
    assert_eq!(relations(&lifted(Scheme::HeadPath)), marked("AuxP↑Sb", "Sb↓"));
    assert_eq!(relations(&lifted(Scheme::Path)), marked("AuxP↑", "Sb↓"));
    assert_eq!(relations(&lifted(Scheme::Exact)), marked("AuxP", "Sb"));
    assert_eq!(lifted(Scheme::Exact).get(WordIx(0), Field::Misc), "LiftedFrom=5");
}

#[test]
fn the_figure_is_restored_by_every_scheme() {
    for scheme in SCHEMES {
        let lifted = lift(&figure_1(), Roots::One, scheme).unwrap();
        assert_eq!(unlift(&lifted, Roots::One, scheme).unwrap(), figure_1(), "{scheme:?}");
    }
}

#[test]
fn an_arc_whose_true_head_is_not_found_stays() {
    let mut parse = DepParse::new(0);
    for (head, relation) in [(2, "a↑zzz"), (0, "root"), (2, "b")] {
        parse.push_word("w", "T", Some(head), relation);
    }
    let restored = unlift(&parse, Roots::One, Scheme::Head).unwrap();
    assert_eq!(restored.raw_head(WordIx(0)), Some(2));
    assert_eq!(relations(&restored), ["a", "root", "b"]);
}

#[test]
fn other_attributes_stay_beside_the_exact_mark() {
    let mut parse = figure_1();
    parse.set(WordIx(0), Field::Misc, "SpaceAfter=No|Gloss=of");
    let lifted = lift(&parse, Roots::One, Scheme::Exact).unwrap();
    assert_eq!(lifted.get(WordIx(0), Field::Misc), "SpaceAfter=No|Gloss=of|LiftedFrom=5");
    assert_eq!(unlift(&lifted, Roots::One, Scheme::Exact).unwrap(), parse);
}

#[test]
fn attributes_that_are_not_ours_to_write_are_errors() {
    let mut parse = figure_1();
    parse.set(WordIx(1), Field::Misc, "SpaceAfter=No|LiftedFrom=3");
    let error = lift(&parse, Roots::One, Scheme::Exact).unwrap_err().to_string();
    assert_eq!(error, "word 2 has the attribute `LiftedFrom` already: undo the earlier lifting first");
    for value in ["0", "9", "x"] {
        parse.set(WordIx(1), Field::Misc, &format!("LiftedFrom={value}"));
        let error = unlift(&parse, Roots::One, Scheme::Exact).unwrap_err().to_string();
        assert_eq!(
            error,
            "word 2 has the attribute `LiftedFrom`, but its value is not a word of the sentence"
        );
    }
    parse.set(WordIx(1), Field::Misc, "LiftedFrom=2");
    assert!(unlift(&parse, Roots::One, Scheme::Exact).unwrap_err().to_string().contains("cycle"));
}

/// Non-projective arcs by the definition: some word between the two is not below the head.
fn crossing(tree: &DepTree) -> Vec<WordIx> {
    let below = |head, w| w == head || tree.ancestors(w).any(|a| a == head);
    tree.words()
        .filter(|&w| {
            tree.head(w)
                .is_some_and(|h| (w.min(h).0 + 1..w.max(h).0).any(|between| !below(h, WordIx(between))))
        })
        .collect()
}

/// The definition: the smallest crossing arc, the leftmost of equals, is lifted until there is none.
fn lift_by_definition(tree: &DepTree) -> DepTree {
    let mut tree = tree.clone();
    loop {
        let length = |w: &WordIx| (tree.head(*w).map(|h| w.0.abs_diff(h.0)), *w);
        let Some(word) = crossing(&tree).into_iter().min_by_key(length) else { return tree };
        let mut heads = tree.heads().to_vec();
        let head = tree.head(word).expect("a crossing arc has a head");
        heads[word.ix()] = tree.head(head);
        tree = DepTree::new(heads, Roots::One).expect("lifting keeps a tree");
    }
}

#[test]
fn a_hundred_thousand_words_are_lifted() {
    // Groups of five words, of which the first and the third cross the others.
    let words = 100_000;
    let head = |w: u32| match w % 5 {
        0 => w + 3,
        1 => w + 3,
        2 => w - 1,
        3 => w - 1,
        _ => 4,
    };
    let heads = (0..words).map(|w| (w != 4).then(|| WordIx(head(w)))).collect();
    let tree = DepTree::new(heads, Roots::One).unwrap();
    assert!(!tree.is_projective());
    let lifted = lift_tree(&tree);
    assert!(lifted.tree.is_projective() && lifted.moved.iter().any(|&moved| moved));
}

proptest! {
    #[test]
    fn lifting_is_what_its_definition_says(heads in prop::collection::vec(any::<prop::sample::Index>(), 1..14)) {
        // A word's head is any word before it in a random order.
        let n = heads.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&w| heads[w].index(997));
        let mut tree = vec![None; n];
        for (rank, &w) in order.iter().enumerate().skip(1) {
            tree[w] = Some(WordIx::from(order[heads[w].index(rank)]));
        }
        let tree = DepTree::new(tree, Roots::One).unwrap();
        prop_assert_eq!(lift_tree(&tree).tree, lift_by_definition(&tree));
    }

    #[test]
    fn lifting_makes_a_tree_projective_and_moves_heads_only_up(parse in parses_of_any_text()) {
        let tree = parse.tree(Roots::One).unwrap();
        let lifted = lift_tree(&tree);
        prop_assert!(crossing(&lifted.tree).is_empty());
        for w in tree.words() {
            match (tree.head(w), lifted.tree.head(w)) {
                (Some(old), Some(new)) => {
                    prop_assert!(tree.dominates(new, old));
                    prop_assert_eq!(old != new, lifted.moved[w.ix()]);
                }
                (old, new) => prop_assert_eq!(old, new),
            }
        }
        prop_assert_eq!(crossing(&tree).is_empty(), lifted.tree == tree);
    }

    #[test]
    fn exact_lifting_is_undone_exactly(parse in parses_of_any_text()) {
        let lifted = lift(&parse, Roots::One, Scheme::Exact).unwrap();
        prop_assert!(lifted.tree(Roots::One).unwrap().is_projective());
        prop_assert_eq!(unlift(&lifted, Roots::One, Scheme::Exact).unwrap(), parse);
    }

    #[test]
    fn relations_come_back_under_every_scheme(parse in parses_of_any_text()) {
        for scheme in SCHEMES {
            let lifted = lift(&parse, Roots::One, scheme).unwrap();
            let restored = unlift(&lifted, Roots::One, scheme).unwrap();
            prop_assert_eq!(relations(&restored), relations(&parse));
        }
    }

    #[test]
    fn projective_trees_are_left_alone(parse in parses_of_any_text()) {
        if crossing(&parse.tree(Roots::One).unwrap()).is_empty() {
            let lifted = lift(&parse, Roots::One, Scheme::Head).unwrap();
            prop_assert_eq!(unlift(&lifted, Roots::One, Scheme::Head).unwrap(), parse);
        }
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn nearly_all_real_trees_are_restored() {
    for name in [
        "de_gsd-ud-dev.conllu.gz",
        "de_gsd-ud-test.conllu.gz",
        "cs_fictree-ud-dev.conllu.gz",
        "cs_pud-ud-test.conllu.gz",
    ] {
        for path in data_files("ud", name) {
            let parses: Vec<DepParse> =
                conllu::Reader::open(&path).unwrap().trees().map(|p| p.unwrap()).collect();
            let hard: Vec<&DepParse> =
                parses.iter().filter(|p| !p.tree(Roots::One).unwrap().is_projective()).collect();
            for scheme in SCHEMES {
                let restored = |p: &&&DepParse| {
                    let lifted = lift(p, Roots::One, scheme).unwrap();
                    unlift(&lifted, Roots::One, scheme).unwrap() == ***p
                };
                let exact = hard.iter().filter(restored).count();
                println!("{name} {scheme:?}: {exact} of {} non-projective trees restored", hard.len());
                let least = if scheme == Scheme::Exact { 1.0 } else { 0.8 };
                assert!(exact as f64 >= least * hard.len() as f64);
            }
        }
    }
}
