//! Several parses of an input in one forest, and hierarchical rules woven into it.

use crate::support::{model as model_of, table, table_of};
use proptest::prelude::*;
use std::collections::BTreeSet;
use treeglot_grammar::Table;
use treeglot_models::chart::{Chart, ForestInput, ForestLimits, MatchTable};
use treeglot_models::pairs::{ConInput, DepInput};
use treeglot_models::{Forest, InputTrees, NodeIx, RuleList, TableRole};
use treeglot_text::vocab::Sym;
use treeglot_tree::{ConBuilder, ConTree, DepTree, Roots, WordIx};

const WORDS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// What the tables of these tests are for, by number.
const ROLES: [TableRole; 3] = [TableRole::Model, TableRole::Phrases, TableRole::Hierarchical];

/// The forest of the first `length` words.
fn forest(model: &str, options: &str, trees: &InputTrees, length: usize, tables: &[&Table]) -> Forest {
    let tables: Vec<(TableRole, &Table)> = ROLES.into_iter().zip(tables.iter().copied()).collect();
    forest_by(model, options, trees, length, &tables)
}

/// The same with tables whose roles are said.
fn forest_by(
    model: &str,
    options: &str,
    trees: &InputTrees,
    length: usize,
    with_roles: &[(TableRole, &Table)],
) -> Forest {
    let tables: Vec<&Table> = with_roles.iter().map(|(_, table)| *table).collect();
    let model = model_of(model, serde_json::from_str(options).expect("options are JSON"));
    let found = |table: &Table, words: &[&str]| -> Vec<Option<Sym>> {
        words.iter().map(|word| table.vocab().get(word)).collect()
    };
    let words: Vec<_> = tables.iter().map(|table| found(table, &WORDS[..length])).collect();
    let labels: Vec<_> = tables.iter().map(|table| found(table, model.labels())).collect();
    let tables: Vec<MatchTable<'_>> = (0..tables.len())
        .map(|k| MatchTable { table: tables[k], role: with_roles[k].0, words: &words[k], labels: &labels[k] })
        .collect();
    let mut forest = Forest::default();
    let (limits, guidance) = (ForestLimits::default(), treeglot_models::UNGUIDED);
    let input = ForestInput { tables: &tables, length, limits, trees, guidance };
    model.forest(&input, &mut (), &mut Chart::default(), &mut forest);
    forest
}

/// All derivations of a node in brackets: spans, and what applies there. Steps that only hand something on are left out.
fn derivations(forest: &Forest, node: NodeIx) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for edge in forest.edges_of(node) {
        let edge = &forest.edges()[edge];
        let mut ways = vec![String::new()];
        for &tail in forest.tails(edge) {
            let below = derivations(forest, tail);
            ways = ways.iter().flat_map(|way| below.iter().map(move |more| format!("{way}{more}"))).collect();
        }
        let span = forest.nodes()[node.ix()].span;
        let step = |inner: String| match forest.lists()[edge.list as usize] {
            RuleList::Same | RuleList::Join => inner,
            RuleList::Table { table, .. } => format!("(t{table} {}-{} {inner})", span.start, span.end),
            list => format!("({list:?} {}-{} {inner})", span.start, span.end),
        };
        all.extend(ways.into_iter().map(step));
    }
    all
}

fn all(forest: &Forest) -> BTreeSet<String> {
    forest.goal().map(|goal| derivations(forest, goal)).unwrap_or_default()
}

/// A tree in which each word hangs by the word that its number says, or is the root.
fn dependencies(heads: &[usize]) -> DepInput {
    let heads: Vec<Option<WordIx>> =
        heads.iter().enumerate().map(|(word, &head)| (head != word).then_some(WordIx(head as u32))).collect();
    let tree = DepTree::new(heads, Roots::AttachToFirst).expect("heads make a tree");
    let tags = (0..tree.len()).map(|_| "T".to_string()).collect();
    DepInput { tree, tags, weight: 1.0 }
}

/// A tree of words with one constituent, and tags, below the root.
fn constituents(length: usize, (start, end): (usize, usize)) -> ConTree {
    let mut builder = ConBuilder::default();
    let root = builder.node("S", None);
    let inner = (end - start > 1 && end - start < length).then(|| builder.node("C", Some(root)));
    for (at, word) in WORDS[..length].iter().enumerate() {
        let above = inner.filter(|_| (start..end).contains(&at)).unwrap_or(root);
        let tag = builder.node("T", Some(above));
        builder.word(word, tag);
    }
    builder.finish().expect("words below one root")
}

/// Projective trees of so many words, by the word that each word hangs by.
fn projective(length: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..length, length).prop_filter_map("a projective tree", |heads| {
        let rooted = heads.iter().enumerate().filter(|(word, head)| word == *head).count() == 1;
        let tree = rooted.then(|| {
            let heads = heads.iter().enumerate();
            let heads = heads.map(|(word, &head)| (head != word).then_some(WordIx(head as u32))).collect();
            DepTree::new(heads, Roots::One).ok()
        });
        tree.flatten().is_some_and(|tree| tree.is_projective()).then_some(heads)
    })
}

fn spans(length: usize) -> impl Strategy<Value = (usize, usize)> {
    (0..length, 0..length).prop_map(|(a, b)| (a.min(b), a.max(b) + 1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_one_parse_derives_is_derived_from_several(
        (heads, spans) in (2usize..=4).prop_flat_map(|n| (
            prop::collection::vec(projective(n), 2),
            prop::collection::vec(spans(n), 2),
        ))
    ) {
        let length = heads[0].len();
        let folder = tempfile::tempdir().unwrap();
        let (rules, phrases) = (table(folder.path(), "z", "Z"), table(folder.path(), "a b", "AB"));
        let deps: Vec<DepInput> = heads.iter().map(|heads| dependencies(heads)).collect();
        let cons: Vec<ConInput> =
            spans.iter().map(|&span| ConInput { tree: constituents(length, span), weight: 1.0 }).collect();
        for (model, options) in [
            ("dep2str", "{}"), ("consdep2str", r#"{"nested": true}"#), ("cons2str", "{}"), ("cons2str", r#"{"binarize": "both"}"#),
        ] {
            let of = |deps: &[DepInput], cons: &[ConInput]| {
                let trees = InputTrees { deps: deps.to_vec(), cons: cons.to_vec() };
                all(&forest(model, options, &trees, length, &[&rules, &phrases]))
            };
            let together = of(&deps, &cons);
            let (first, second) = (of(&deps[..1], &cons[..1]), of(&deps[1..], &cons[1..]));
            prop_assert!(first.union(&second).all(|one| together.contains(one)), "{model}");
            let twice = [deps[0].clone(), deps[0].clone()];
            let same = of(&twice, &[cons[0].clone(), cons[0].clone()]);
            prop_assert_eq!(same, first, "{}", model);
        }
    }
}

#[test]
fn parts_of_different_parses_meet_in_one_derivation() {
    let folder = tempfile::tempdir().unwrap();
    let rules = table(folder.path(), "z", "Z");
    // Both have `b` as root; one hangs `a` by it and `d` by `c`, the other `c` and `d` by it.
    let trees =
        InputTrees { deps: vec![dependencies(&[1, 1, 1, 2]), dependencies(&[1, 1, 1, 1])], cons: Vec::new() };
    let forest = forest("dep2str", "{}", &trees, 4, &[&rules]);
    let root =
        forest.nodes().iter().position(|node| node.span.len() == 4).map(|at| NodeIx(at as u32)).unwrap();
    let shares: BTreeSet<String> =
        forest.edges_of(root).map(|edge| format!("{:.3}", forest.edges()[edge].parse)).collect();
    assert_eq!(shares, BTreeSet::from([format!("{:.3}", 0.5f32.ln())]));
}

#[test]
fn hierarchical_rules_and_trees_are_woven_into_one_forest() {
    let folder = tempfile::tempdir().unwrap();
    let rules = table(folder.path(), "z", "Z");
    let phrases = table(folder.path(), "b c", "BC");
    let hiero = table(folder.path(), "[X][X] d [X]", "D [X][X] [X]");
    let trees =
        InputTrees { deps: Vec::new(), cons: vec![ConInput { tree: constituents(4, (1, 3)), weight: 1.0 }] };
    let all = all(&forest("cons2str", "{}", &trees, 4, &[&rules, &phrases, &hiero]));
    let inside = "(t2 1-4 (t1 1-3 ))";
    assert!(all.iter().any(|one| one.contains(inside)), "a rule over a phrase of the tree: {all:#?}");
    let above = all.iter().any(|one| one.contains("(Glue 0-4") && one.contains("(t1 1-3 )"));
    assert!(above, "the tree alone: {all:#?}");
}

#[test]
fn hierarchical_rules_are_woven_into_forests_of_units_where_words_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let rules = table(folder.path(), "z", "Z");
    let phrases = table(folder.path(), "b c", "BC");
    let hiero = table(folder.path(), "[X][X] d [X]", "D [X][X] [X]");
    let woven = |heads: &[usize], options: &str| {
        let trees = InputTrees { deps: vec![dependencies(heads)], cons: Vec::new() };
        let all = all(&forest("mwu", options, &trees, 4, &[&rules, &phrases, &hiero]));
        assert!(!all.is_empty());
        all.iter().any(|one| one.contains("(t2 1-4 (t1 1-3 ))"))
    };
    let weave = r#"{"weave": true}"#;
    assert!(woven(&[0, 0, 1, 0], weave), "`b c` is a subtree");
    assert!(woven(&[0, 0, 0, 0], weave), "`b` and `c` are neighbouring dependents");
    assert!(!woven(&[0, 0, 3, 0], weave), "`c` depends on `d`");
    assert!(!woven(&[0, 3, 0, 0], weave), "`b d` is a subtree around `c`");
    assert!(!woven(&[0, 0, 1, 0], "{}"), "only where asked for");
}

#[test]
fn constituents_and_subtrees_stand_for_each_others_variables() {
    let folder = tempfile::tempdir().unwrap();
    let own = table_of(
        folder.path(),
        "dep2str",
        &["a (x1:T) ||| A x1 ||| 0-0 ||| 1 ||| hdr", "(x1:T) (x2:T) d ||| x2 D x1 ||| 2-1 ||| 1 ||| hdr"],
    );
    let beside = table_of(
        folder.path(),
        "cons2str",
        &[
            "(S (T a) x1:C) ||| x1 A ||| 0-1 ||| 1 ||| tree",
            "(C x1:T x2:T (T d)) ||| D x2 x1 ||| 2-0 ||| 1 ||| tree",
        ],
    );
    let trees = InputTrees {
        deps: vec![dependencies(&[0, 3, 3, 0])],
        cons: vec![ConInput { tree: constituents(4, (1, 4)), weight: 1.0 }],
    };
    let tables = [(TableRole::Model, &own), (TableRole::Constituents, &beside)];
    for model in ["dep2str", "consdep2str"] {
        let all = all(&forest_by(model, "{}", &trees, 4, &tables));
        for (above, below) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let both = format!("(t{above} 0-4 (t{below} 1-4 ");
            assert!(all.iter().any(|one| one.contains(&both)), "{model}: no `{both}` in {all:#?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_each_kind_of_tree_derives_is_derived_from_both_together(
        (heads, span) in (2usize..=4).prop_flat_map(|n| (projective(n), spans(n)))
    ) {
        let folder = tempfile::tempdir().unwrap();
        let own = table_of(folder.path(), "dep2str", &["(x1:T) b ||| x1 B ||| 1-1 ||| 1 ||| hdr", "b (x1:T) ||| B x1 ||| 0-0 ||| 1 ||| hdr"]);
        let beside = table_of(folder.path(), "cons2str", &["(C x1:T x2:T) ||| x2 x1 |||  ||| 1 ||| tree", "(S x1:C x2:T) ||| x2 x1 |||  ||| 1 ||| tree"]);
        let phrases = table(folder.path(), "b c", "BC");
        let trees = InputTrees {
            deps: vec![dependencies(&heads)],
            cons: vec![ConInput { tree: constituents(heads.len(), span), weight: 1.0 }],
        };
        let derived = |model: &str, tables: &[(TableRole, &Table)]| all(&forest_by(model, "{}", &trees, heads.len(), tables));
        let (model, role, phrase) = (TableRole::Model, TableRole::Constituents, TableRole::Phrases);
        let together = derived("dep2str", &[(model, &own), (role, &beside), (phrase, &phrases)]);
        let renamed = |all: BTreeSet<String>, names: &[(&str, &str)]| -> BTreeSet<String> {
            all.into_iter().map(|one| names.iter().fold(one, |one, (from, to)| one.replace(from, to))).collect()
        };
        let by_own = renamed(derived("dep2str", &[(model, &own), (phrase, &phrases)]), &[("(t1 ", "(t2 ")]);
        let by_beside = renamed(derived("cons2str", &[(model, &beside), (phrase, &phrases)]), &[("(t1 ", "(t2 "), ("(t0 ", "(t1 ")]);
        let missing: Vec<&String> = by_own.union(&by_beside).filter(|one| !together.contains(*one)).collect();
        prop_assert!(missing.is_empty(), "{:?} {:?}: {:#?}", heads, span, missing);
    }
}
