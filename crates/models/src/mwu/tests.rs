//! Table 2 of Na & Lee (2011), laws of forests on small random trees with brute force beside, and derivations spelt out.

use super::cover::View;
use super::forest::{Limits, UnitForest};
use super::recover::{recovers, recovers_by_any, restores_by_priority};
use super::sets::Keys;
use super::spans::{Consistency, Linked, Spans};
use super::speller::Speller;
use super::units::Units;
use super::*;
use crate::testing::Sentences;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use treeglot_align::Link;
use treeglot_tree::{DepTree, Roots, WordIx};

/// The sub-forest of figure 5, words 3 to 8 of the paper's sentence.
fn figure_5() -> Sentences {
    Sentences::new("w3 w4 w5 w6 w7 w8", "when I'm in the States", "0-0 5-0 1-1 2-2 3-3 3-4")
        .source_heads(&[0, 6, 6, 3, 4, 1])
        .source_tags("A B C D E F")
}

fn rules(pair: &mut Sentences, options: MwuOptions) -> Vec<String> {
    let model = Mwu::new(options).unwrap();
    let short = |line: &String| line.split(" ||| ").take(2).collect::<Vec<_>>().join(" -> ");
    pair.extract(&model).iter().map(short).collect()
}

/// All rules, with variables labelled as in the paper.
fn words() -> MwuOptions {
    MwuOptions { labels: Labels::Words, min_fraction: 0.0, max_variables: 0, ..MwuOptions::default() }
}

fn paper() -> MwuOptions {
    MwuOptions { consistency: Consistency::Paper, ..words() }
}

/// Table 2: `{4,5} {6,7}:x1` reads `w4 w5 x1:w6`, for 7 depends on 6 and a variable is named by the words it hangs by.
const TABLE_2: [&str; 12] = [
    "w3 x1:w8 -> x1",
    "x1:w4 x2:w5 w8 -> when x1 x2",
    "w3 x1:w4_w5 w8 -> when x1",
    "w3 x1:w4 x2:w5 w8 -> when x1 x2",
    "w4 w5 x1:w6 -> I'm in x1",
    "w5 x1:w6 -> in x1",
    "w6 w7 -> the States",
    "w4 -> I'm",
    "w5 -> in",
    "w4 w5 -> I'm in",
    "w5 w6 -> in the States",
    "w3 w8 -> when",
];

#[test]
fn table_2_rules() {
    let found = rules(&mut figure_5(), paper());
    for rule in TABLE_2 {
        assert!(found.iter().any(|line| line == rule), "{rule} in {found:#?}");
    }
}

#[test]
fn read_strictly_all_of_table_2_but_the_rules_that_part_3_and_8_remain() {
    let found = rules(&mut figure_5(), words());
    let missing: Vec<&str> =
        TABLE_2.into_iter().filter(|rule| !found.iter().any(|line| line == rule)).collect();
    assert_eq!(missing, ["w3 x1:w8 -> x1", "x1:w4 x2:w5 w8 -> when x1 x2"]);
}

#[test]
fn the_forest_of_figure_5_is_described_as_rules_are_read_off_it() {
    let mut pair = figure_5();
    let mut described = None;
    pair.with(|pair, vocab, _| described = describe(&paper(), pair, vocab));
    let forest = described.unwrap();
    let depths = forest.depths();
    for (k, vertex) in forest.vertices.iter().enumerate() {
        let sum: f64 = vertex.hyperarcs.iter().map(|edge| edge.p).sum();
        assert!(vertex.hyperarcs.is_empty() || (sum - 1.0).abs() < 1e-9, "{vertex:?}");
        assert!(
            vertex.hyperarcs.iter().flat_map(|edge| &edge.tails).all(|&tail| tail - 1 > k),
            "tails come later"
        );
        let covered: usize = vertex.covered.len();
        for edge in &vertex.hyperarcs {
            let below: usize = edge.tails.iter().map(|&tail| forest.vertices[tail - 1].covered.len()).sum();
            assert_eq!(below + vertex.words.len(), covered, "each word is covered once");
        }
    }
    let whole = forest.root.iter().flat_map(|edge| &edge.tails);
    assert!(whole.clone().all(|&tail| depths[tail - 1].is_some()));
    let consistent = |vertex: &&DescribedVertex| vertex.aspan.is_some_and(|span| span.consistent);
    assert!(forest.vertices.iter().filter(consistent).count() > 0);
}

#[test]
fn variables_are_labelled_by_words_or_tags() {
    let tags = rules(&mut figure_5(), MwuOptions { labels: Labels::Tags, ..paper() });
    assert!(tags.contains(&"w3 x1:B_C w8 -> when x1".to_string()), "{tags:#?}");
    assert!(!tags.contains(&"w3 x1:w4_w5 w8 -> when x1".to_string()));
    let both = rules(&mut figure_5(), MwuOptions { labels: Labels::Both, ..paper() });
    assert!(both.contains(&"w3 x1:B_C w8 -> when x1".to_string()));
    assert!(both.contains(&"w3 x1:w4_w5 w8 -> when x1".to_string()));
}

#[test]
fn rules_count_as_often_as_derivations_use_them() {
    let mut pair = Sentences::new("a b", "x y", "0-0 1-1").source_heads(&[2, 0]);
    let model = Mwu::new(MwuOptions { counts: Counts::Posterior, ..words() }).unwrap();
    // The ways from the root are {a,b} with c = 2 and {b} with c = 1; {a} follows {b}.
    assert_eq!(
        pair.extract(&model),
        [
            "a ||| x ||| 0-0 ||| 0.333333 ||| mwu",
            "a b ||| x y ||| 0-0 1-1 ||| 0.666667 ||| mwu",
            "b ||| y ||| 0-0 ||| 0.333333 ||| mwu",
            "x1:a b ||| x1 y ||| 1-1 ||| 0.333333 ||| mwu",
        ]
    );
}

#[test]
fn by_equation_2_a_unit_counts_by_the_mean_of_the_ways_to_it() {
    let mut pair = Sentences::new("a b c", "x y z", "0-0 1-1 2-2").source_heads(&[2, 3, 0]);
    let model = Mwu::new(MwuOptions { m: 2, k: 1, ..words() }).unwrap();
    let lines = pair.extract(&model);
    // {b,c} and {a,b} are the best ways on from the root and from {c}; {c} and {b} are in none. {a} is below {b} and {b,c}.
    for line in [
        "b c ||| y z ||| 0-0 1-1 ||| 1 ||| mwu",
        "a b ||| x y ||| 0-0 1-1 ||| 1 ||| mwu",
        "c ||| z ||| 0-0 ||| 1 ||| mwu",
        "x1:b c ||| x1 z ||| 1-1 ||| 1 ||| mwu",
        "a ||| x ||| 0-0 ||| 1 ||| mwu",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line} in {lines:#?}");
    }
}

#[test]
fn rules_of_more_variables_or_of_a_smaller_fractional_count_are_left_out() {
    let all = rules(&mut figure_5(), paper());
    let few = rules(&mut figure_5(), MwuOptions { max_variables: 1, ..paper() });
    let kept: Vec<&String> = all.iter().filter(|rule| !rule.contains("x2:")).collect();
    assert!(kept.len() < all.len());
    assert_eq!(few.iter().collect::<Vec<_>>(), kept);

    let mut pair = Sentences::new("a b", "x y", "0-0 1-1").source_heads(&[2, 0]);
    let model = Mwu::new(MwuOptions { counts: Counts::Posterior, min_fraction: 0.5, ..words() }).unwrap();
    assert_eq!(pair.extract(&model), ["a b ||| x y ||| 0-0 1-1 ||| 0.666667 ||| mwu"]);
}

#[test]
fn words_without_links_are_taken_along() {
    let mut pair = Sentences::new("a b", "u x v y", "0-1 1-3").source_heads(&[2, 0]);
    let found = rules(&mut pair, words());
    for rule in ["a b -> u x v y", "a -> u x", "a -> x v", "x1:a b -> x1 v y", "x1:a b -> x1 y"] {
        assert!(found.iter().any(|line| line == rule), "{rule} in {found:#?}");
    }
}

#[test]
fn limits_that_leave_nothing_are_refused() {
    let message = |options: MwuOptions| Mwu::new(options).err().map(|error| error.to_string());
    let none = MwuOptions { m: 0, ..MwuOptions::default() };
    assert_eq!(message(none).as_deref(), Some("model `mwu`: `m` and `k` must be at least 1"));
    let all = MwuOptions { delta: 1.0, ..MwuOptions::default() };
    assert_eq!(message(all).as_deref(), Some("model `mwu`: `delta` must be from 0 to below 1"));
    let below = MwuOptions { min_fraction: -1.0, ..MwuOptions::default() };
    assert_eq!(message(below).as_deref(), Some("model `mwu`: `min-fraction` must be a number from 0 on"));
}

type Set = BTreeSet<WordIx>;

/// Random heads: each word hangs from an earlier one of a random order, so that many trees are not projective.
fn trees(largest: usize) -> impl Strategy<Value = DepTree> {
    (1..=largest).prop_flat_map(|n| {
        let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
        (order, prop::collection::vec(any::<prop::sample::Index>(), n)).prop_map(move |(order, picks)| {
            let mut heads = vec![None; n];
            for k in 1..n {
                heads[order[k]] = Some(WordIx::from(order[picks[k].index(k)]));
            }
            DepTree::new(heads, Roots::One).unwrap()
        })
    })
}

fn links(source: u32, target: u32) -> impl Strategy<Value = Vec<Link>> {
    prop::collection::btree_set((0..source, 0..target), 0..12)
        .prop_map(|links| links.into_iter().map(|(s, t)| Link::new(s, t)).collect())
}

fn units_of(tree: &DepTree, max: usize) -> Vec<Set> {
    let keys = Keys::new(tree.len());
    Units::of(tree, &keys, max).iter().map(|unit| unit.iter().copied().collect()).collect()
}

/// Fixed on a head, or floating with neighbouring children of a word outside.
fn well_formed(tree: &DepTree, set: &Set) -> bool {
    let tops: Vec<WordIx> = set
        .iter()
        .copied()
        .filter(|&word| !tree.head(word).is_some_and(|head| set.contains(&head)))
        .collect();
    let Some(head) = tree.head(tops[0]).filter(|_| tops.len() > 1) else { return tops.len() == 1 };
    let siblings = tree.dependents(head);
    siblings.windows(tops.len()).any(|run| run == tops)
}

fn brute_force_units(tree: &DepTree, max: usize) -> BTreeSet<Set> {
    let up = |word: WordIx| std::iter::once(word).chain(tree.ancestors(word));
    let paths: Vec<Set> = tree
        .words()
        .flat_map(|word| (1..=up(word).count()).map(move |length| up(word).take(length).collect()))
        .collect();
    let runs = tree.words().flat_map(|head| {
        let all = tree.dependents(head);
        (0..all.len())
            .flat_map(move |i| (i + 1..=all.len()).map(move |j| all[i..j].iter().copied().collect()))
    });
    let all: Vec<Set> = paths.iter().cloned().chain(runs).collect();
    let unions = all.iter().flat_map(|a| paths.iter().map(move |b| a | b));
    let sets = unions.chain(all.iter().cloned());
    sets.filter(|set| set.len() <= max && well_formed(tree, set)).collect()
}

/// All ways to write the dependents as neighbouring runs that are the tops of units.
fn brute_force_ways(tau: &[WordIx], by_tops: &BTreeMap<Vec<WordIx>, Vec<Set>>) -> BTreeSet<Vec<Set>> {
    if tau.is_empty() {
        return [Vec::new()].into();
    }
    let mut ways = BTreeSet::new();
    for length in 1..=tau.len() {
        for unit in by_tops.get(&tau[..length]).into_iter().flatten() {
            for rest in brute_force_ways(&tau[length..], by_tops) {
                ways.insert([&[unit.clone()][..], &rest[..]].concat());
            }
        }
    }
    ways
}

fn forest(tree: &DepTree, max_words: usize, max_edges: usize) -> UnitForest {
    UnitForest::new(&[tree], &Limits { max_words, max_edges })
}

fn set_of(forest: &UnitForest, vertex: u32) -> Set {
    forest.words(&forest.vertices()[vertex as usize]).iter().copied().collect()
}

/// The words of all derivations from a vertex, each as often as it is covered; small forests only.
fn derivations(forest: &UnitForest, vertex: u32, limit: usize) -> Vec<Vec<WordIx>> {
    let head = &forest.vertices()[vertex as usize];
    let own: Vec<WordIx> = forest.words(head).to_vec();
    if forest.incoming(head).is_empty() {
        return vec![own];
    }
    let mut all = Vec::new();
    for edge in forest.incoming(head) {
        let mut parts = vec![own.clone()];
        for tail in forest.tails(edge) {
            let below = derivations(forest, tail.vertex, limit);
            parts = parts
                .iter()
                .flat_map(|part| below.iter().map(|more| [&part[..], &more[..]].concat()))
                .take(limit)
                .collect();
        }
        all.extend(parts);
    }
    all.truncate(limit);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn units_are_the_well_formed_unions_each_once(tree in trees(7), max in 1usize..6) {
        let found = units_of(&tree, max);
        let distinct: BTreeSet<Set> = found.iter().cloned().collect();
        prop_assert_eq!(found.len(), distinct.len());
        prop_assert_eq!(distinct, brute_force_units(&tree, max));
    }

    #[test]
    fn without_a_limit_all_ways_are_hyperarcs(tree in trees(6), max in 1usize..5) {
        let keys = Keys::new(tree.len());
        let view = View::new(&tree, keys.subtrees(&tree));
        let mut by_tops: BTreeMap<Vec<WordIx>, Vec<Set>> = BTreeMap::new();
        for unit in units_of(&tree, max) {
            let words: Vec<WordIx> = unit.iter().copied().collect();
            by_tops.entry(view.ends(&words).0).or_default().push(unit);
        }
        let forest = forest(&tree, max, usize::MAX);
        prop_assert_eq!(forest.vertices().len(), units_of(&tree, max).len());
        for vertex in forest.vertices() {
            let (_, tau) = view.ends(forest.words(vertex));
            let edges = forest.incoming(vertex);
            let found: BTreeSet<Vec<Set>> = edges.iter().map(|edge| {
                forest.tails(edge).iter().map(|tail| set_of(&forest, tail.vertex)).collect()
            }).collect();
            let expected = if tau.is_empty() { BTreeSet::new() } else { brute_force_ways(&tau, &by_tops) };
            prop_assert_eq!(edges.len(), found.len());
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn hyperarcs_are_the_best_of_all(tree in trees(7), max in 1usize..5, k in 1usize..6) {
        let (few, all) = (forest(&tree, max, k), forest(&tree, max, usize::MAX));
        let score = |forest: &UnitForest, edge: &super::forest::Hyperarc| {
            let tails = forest.tails(edge);
            let size: usize = tails.iter().map(|tail| set_of(forest, tail.vertex).len()).sum();
            size * 840 / tails.len()
        };
        for (some, every) in few.vertices().iter().zip(all.vertices()) {
            let best: Vec<usize> = all.incoming(every).iter().take(k).map(|edge| score(&all, edge)).collect();
            let found: Vec<usize> = few.incoming(some).iter().map(|edge| score(&few, edge)).collect();
            prop_assert_eq!(found, best);
        }
    }

    #[test]
    fn each_derivation_covers_every_word_once(tree in trees(8), max in 1usize..5, k in 1usize..5, delta in 0.0..0.5) {
        let mut forest = forest(&tree, max, k);
        forest.prune(delta);
        let all: Vec<WordIx> = tree.words().collect();
        prop_assert!(!forest.top().is_empty());
        for edge in forest.top() {
            for mut words in derivations(&forest, forest.tails(edge)[0].vertex, 50) {
                words.sort_unstable();
                prop_assert_eq!(&words, &all);
            }
        }
    }

    #[test]
    fn posteriors_say_how_often_each_word_is_used(tree in trees(8), max in 1usize..5, k in 1usize..6) {
        let mut forest = forest(&tree, max, k);
        forest.outside(false);
        let mut uses = vec![0.0; tree.len()];
        for vertex in forest.vertices() {
            prop_assert!((vertex.beta - 1.0).abs() < 1e-9);
            forest.words(vertex).iter().for_each(|word| uses[word.ix()] += vertex.alpha * vertex.beta);
        }
        prop_assert!(uses.iter().all(|total| (total - 1.0).abs() < 1e-9), "{:?}", uses);
    }

    #[test]
    fn a_forest_cut_to_fewer_hyperarcs_is_the_one_made_with_that_limit(
        (one, two) in (2usize..8).prop_flat_map(|n| (trees(n), trees(n))).prop_filter("of one length", |(a, b)| a.len() == b.len()),
        max in 1usize..5, few in 1usize..8, more in 0usize..20, several: bool,
    ) {
        let trees: &[&DepTree] = if several { &[&one, &two] } else { &[&one] };
        let forest = |max_edges| UnitForest::new(trees, &Limits { max_words: max, max_edges });
        let (mut cut, mut made) = (forest(few + more), forest(few));
        cut.outside(true);
        cut.prune(0.3);
        cut.keep_best(few);
        [&mut cut, &mut made].into_iter().for_each(|forest| forest.outside(true));
        let described = |forest: &UnitForest| {
            let edge = |edge: &super::forest::Hyperarc| {
                let tails = forest.tails(edge).iter();
                (edge.tree, edge.p, tails.map(|tail| (tail.vertex, forest.sigma(tail).to_vec())).collect::<Vec<_>>())
            };
            let vertices = forest.vertices().iter().map(|vertex| {
                let edges: Vec<_> = forest.incoming(vertex).iter().map(edge).collect();
                (forest.words(vertex).to_vec(), vertex.alpha, vertex.beta, edges)
            });
            (vertices.collect::<Vec<_>>(), forest.top().iter().map(edge).collect::<Vec<_>>())
        };
        prop_assert_eq!(described(&cut), described(&made));
    }

    #[test]
    fn two_trees_make_one_forest_whose_derivations_cover_every_word_once(
        (one, two) in (2usize..7).prop_flat_map(|n| (trees(n), trees(n))).prop_filter("of one length", |(a, b)| a.len() == b.len()),
        max in 1usize..4,
    ) {
        let mut both = UnitForest::new(&[&one, &two], &Limits { max_words: max, max_edges: 6 });
        both.outside(false);
        let all: Vec<WordIx> = one.words().collect();
        for edge in both.top() {
            for mut words in derivations(&both, both.tails(edge)[0].vertex, 50) {
                words.sort_unstable();
                prop_assert_eq!(&words, &all);
            }
        }
        let total: f64 = both.vertices().iter().map(|v| v.alpha * v.beta * both.words(v).len() as f64).sum();
        prop_assert!((total - all.len() as f64).abs() < 1e-9);
    }

    #[test]
    fn spans_are_consistent_as_the_definitions_say(
        (tree, links) in trees(6).prop_flat_map(|tree| { let n = tree.len() as u32; (Just(tree), links(n, 6)) }),
    ) {
        let matrix = Matrix::new(&links, tree.len(), 6);
        for set in units_of(&tree, 4) {
            let own: Vec<&Link> = links.iter().filter(|link| set.contains(&WordIx(link.src))).collect();
            let bounds = own.iter().map(|link| link.tgt).min().zip(own.iter().map(|link| link.tgt).max());
            let words: Vec<WordIx> = set.iter().copied().collect();
            for consistency in [Consistency::Paper, Consistency::Strict] {
                let found = Spans::new(&matrix, consistency).of(&words);
                let Some((low, high)) = bounds else {
                    prop_assert_eq!(found, Linked::Nothing);
                    continue;
                };
                let inside = |target: u32| (low..=high).contains(&target);
                let into: Vec<u32> = links.iter().filter(|link| inside(link.tgt)).map(|link| link.src).collect();
                let stays = links.iter().filter(|link| into.contains(&link.src)).all(|link| inside(link.tgt));
                let own = into.iter().all(|&word| set.contains(&WordIx(word)));
                let expected = stays && (consistency == Consistency::Paper || own);
                prop_assert_eq!(found.span().is_some(), expected);
            }
        }
    }

    #[test]
    fn the_search_over_all_derivations_finds_one_if_the_whole_forest_has_one(
        (tree, links) in trees(6).prop_flat_map(|tree| { let n = tree.len() as u32; (Just(tree), links(n, 6)) }),
        strict in any::<bool>(), m in 1usize..5,
    ) {
        let consistency = if strict { Consistency::Strict } else { Consistency::Paper };
        let matrix = Matrix::new(&links, tree.len(), 6);
        let spans = Spans::new(&matrix, consistency);
        let mut forest = forest(&tree, m, usize::MAX);
        forest.outside(true);
        let found = recovers(&forest, &spans.cspans(&forest));
        prop_assert_eq!(found, recovers_by_any(&[&tree], &spans, m));
        prop_assert!(found || !restores_by_priority(&forest, &spans.cspans(&forest)));
    }

    #[test]
    fn a_pair_is_recovered_exactly_if_its_rules_build_its_target_side(
        (tree, links) in trees(6).prop_flat_map(|tree| { let n = tree.len() as u32; (Just(tree), links(n, 5)) }),
        strict in any::<bool>(), m in 1usize..4, k in 1usize..4,
    ) {
        let consistency = if strict { Consistency::Strict } else { Consistency::Paper };
        let options = MwuOptions { m, k, consistency, counts: Counts::One, ..words() };
        let matrix = Matrix::new(&links, tree.len(), 5);
        let forest = forest(&tree, m, k);
        let spans = Spans::new(&matrix, consistency);
        let recovered = recovers(&forest, &spans.cspans(&forest));
        let heads: Vec<u32> = tree.heads().iter().map(|head| head.map_or(0, |head| head.0 + 1)).collect();
        let mut pair = Sentences::numbered(tree.len() as u32, 5, &links).source_heads(&heads);
        let lines = rules(&mut pair, options);
        let mut speller = Speller::new(&forest, &lines);
        prop_assert_eq!(recovered, speller.builds("t0 t1 t2 t3 t4"));
    }
}

#[test]
fn trees_of_several_parsers_share_the_counts_of_a_pair() {
    let mut pair = Sentences::new("a b", "x y", "0-0 1-1")
        .source_heads(&[2, 0])
        .source_tags("A B")
        .more_heads(&[0, 1], "C D");
    let model = Mwu::new(MwuOptions { labels: Labels::Tags, counts: Counts::Posterior, ..words() }).unwrap();
    // From the root: {a,b} with c = 2, {b} of the first and {a} of the second tree with c = 1.
    let expected = [
        "a ||| x ||| 0-0 ||| 0.25 ||| mwu",
        "a b ||| x y ||| 0-0 1-1 ||| 0.5 ||| mwu",
        "b ||| y ||| 0-0 ||| 0.25 ||| mwu",
        "x1:A b ||| x1 y ||| 1-1 ||| 0.25 ||| mwu",
        "b ||| y ||| 0-0 ||| 0.25 ||| mwu",
        "a ||| x ||| 0-0 ||| 0.25 ||| mwu",
        "a x1:D ||| x x1 ||| 0-0 ||| 0.25 ||| mwu",
    ];
    assert_eq!(pair.extract(&model), expected);
}
