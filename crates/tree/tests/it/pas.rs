//! Laws of the checking step, with brute force as the oracle for the choice among several heads.

use proptest::prelude::*;
use treeglot_tree::transform::pas::check::{likely_root, one_head_each};
use treeglot_tree::transform::pas::{self, Dependency, Predicate, Report, Tally, table};
use treeglot_tree::{DepParse, Roots, WordIx};

type Arcs = Vec<(u32, u32)>;

fn graph(arcs: &[(u32, u32)]) -> Vec<Dependency> {
    let arc = |&(d, h)| Dependency { dependent: WordIx(d), head: WordIx(h), label: format!("{d}-{h}") };
    arcs.iter().map(arc).collect()
}

/// Whether a word reaches the root, by trying all paths.
fn reaches(word: u32, root: u32, arcs: &Arcs, path: &mut Vec<u32>) -> bool {
    if word == root {
        return true;
    }
    path.push(word);
    let above = arcs.iter().filter(|a| a.0 == word && !path.contains(&a.1)).map(|a| a.1).collect::<Vec<_>>();
    let found = above.into_iter().any(|head| reaches(head, root, arcs, path));
    path.pop();
    found
}

/// The rule to the letter: for each word with several heads, count for each arc the words that its deletion cuts off.
fn by_brute_force(words: u32, root: u32, arcs: &Arcs) -> Vec<Option<u32>> {
    let mut left: Arcs = Vec::new();
    for &(d, h) in arcs {
        if d != h && d != root && !left.contains(&(d, h)) {
            left.push((d, h));
        }
    }
    let connected = |arcs: &Arcs| (0..words).filter(|&w| reaches(w, root, arcs, &mut Vec::new())).count();
    for word in 0..words {
        let own: Arcs = left.iter().copied().filter(|a| a.0 == word).collect();
        if own.len() < 2 {
            continue;
        }
        let rank = |arc: &(u32, u32)| {
            let without: Arcs = left.iter().copied().filter(|a| a != arc).collect();
            (connected(&left) - connected(&without), arc.1.abs_diff(word), std::cmp::Reverse(arc.1))
        };
        let kept = *own.iter().max_by_key(|arc| rank(arc)).expect("there are two");
        left.retain(|a| a.0 != word || *a == kept);
    }
    (0..words).map(|w| left.iter().find(|a| a.0 == w).map(|a| a.1)).collect()
}

fn graphs() -> impl Strategy<Value = (u32, u32, Arcs)> {
    (1u32..7).prop_flat_map(|words| {
        let arcs = prop::collection::vec((0..words, 0..words), 0..14);
        (Just(words), 0..words, arcs)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_kept_head_is_the_one_brute_force_keeps((words, root, arcs) in graphs()) {
        let graph = graph(&arcs);
        let checked = one_head_each(words as usize, WordIx(root), &graph);
        let heads: Vec<Option<u32>> = checked.kept.iter().map(|k| k.map(|a| graph[a].head.0)).collect();
        prop_assert_eq!(heads, by_brute_force(words, root, &arcs));
    }

    #[test]
    fn every_word_gets_one_head_and_only_the_root_none((words, root, arcs) in graphs()) {
        let mut parse = DepParse::new(0);
        for w in 0..words {
            parse.push_word(&format!("w{w}"), "X", None, "_");
        }
        let report = pas::settle(&mut parse, WordIx(root), &graph(&arcs));
        for w in parse.words() {
            prop_assert_eq!(parse.raw_head(w) == Some(0), w == WordIx(root));
            prop_assert!(parse.raw_head(w).is_some_and(|h| h <= words));
        }
        prop_assert_eq!(parse.tree(Roots::One).is_err(), report.illegal);
        let distinct: std::collections::BTreeSet<_> = arcs.iter().filter(|a| a.0 != a.1).collect();
        let kept = words as usize - 1 - report.attached;
        prop_assert_eq!(kept + report.dropped, distinct.len());
    }

    #[test]
    fn a_graph_that_is_a_tree_stays_as_it_is(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let arcs: Arcs = choices.iter().enumerate().map(|(d, c)| (d as u32 + 1, c.index(d + 1) as u32)).collect();
        let checked = one_head_each(arcs.len() + 1, WordIx(0), &graph(&arcs));
        prop_assert_eq!(checked.report, Report::default());
        prop_assert_eq!(likely_root(arcs.len() + 1, &graph(&arcs)), Some(WordIx(0)));
    }

    #[test]
    fn a_predicate_makes_arcs_only_between_its_own_words(kind in prop::sample::select(table::kinds())) {
        let arguments = [1, 2, 3, 4, 5].map(|w| Some(WordIx(w)));
        let predicate = Predicate { word: WordIx(0), kind, arguments };
        let arcs = predicate.arcs().unwrap();
        prop_assert_eq!(arcs.is_empty(), kind.ends_with("_arg0"));
        for arc in arcs {
            prop_assert!(arc.dependent != arc.head && arc.dependent.0 < 6 && arc.head.0 < 6);
            let number = arc.label.rsplit_once(":arg").map(|(_, n)| n);
            prop_assert!(number.is_none_or(|n| kind.rsplit("arg").next().unwrap().contains(n)));
        }
    }
}

#[test]
fn illegal_trees_are_counted() {
    let mut tally = Tally::default();
    tally += Report { illegal: true, dropped: 2, attached: 1, unknown: 0 };
    tally += Report::default();
    assert_eq!(tally, Tally { sentences: 2, illegal: 1, dropped: 2, attached: 1, unknown: 0 });
}
