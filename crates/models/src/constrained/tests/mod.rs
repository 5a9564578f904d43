//! The paper's figures, and every rule against the definition.

use super::*;
use crate::matrix::SpanPair;
use crate::pair::ParsedTree;
use crate::testing::{Sentences, rules_of};
use proptest::prelude::*;
use treeglot_align::Link;
use treeglot_text as text;
use treeglot_tree::{DepTree, PerTree, Roots, Span, TreeKind, WordIx};

mod ghkm;

/// The rules with variables of figure 5. Its line `X0 wenige anmerkungen machen -> X0 a few comments` lacks `make`.
const FIGURE_5: &str = "
X0 möchte nur wenige anmerkungen machen . -> X0 should like to make just a few comments .
ich möchte X0 . -> i should like to X0 .
ich möchte X0 machen . -> i should like to make X0 .
ich möchte X0 anmerkungen machen . -> i should like to make X0 comments .
ich möchte X0 wenige anmerkungen machen . -> i should like to make X0 a few comments .
ich möchte nur wenige anmerkungen machen X0 -> i should like to make just a few comments X0
X0 möchte X1 . -> X0 should like to X1 .
X0 möchte X1 machen . -> X0 should like to make X1 .
X0 möchte X1 anmerkungen machen . -> X0 should like to make X1 comments .
X0 möchte X1 wenige anmerkungen machen . -> X0 should like to make X1 a few comments .
X0 möchte nur wenige anmerkungen machen X1 -> X0 should like to make just a few comments X1
ich möchte X0 X1 -> i should like to X0 X1
ich möchte X0 machen X1 -> i should like to make X0 X1
ich möchte X0 anmerkungen machen X1 -> i should like to make X0 comments X1
ich möchte X0 wenige anmerkungen machen X1 -> i should like to make X0 a few comments X1
X0 möchte X1 X2 -> X0 should like to X1 X2
X0 möchte X1 machen X2 -> X0 should like to make X1 X2
X0 möchte X1 anmerkungen machen X2 -> X0 should like to make X1 comments X2
X0 möchte X1 wenige anmerkungen machen X2 -> X0 should like to make X1 a few comments X2
X0 machen -> make X0
X0 anmerkungen machen -> make X0 comments
X0 wenige anmerkungen machen -> make X0 a few comments
X0 anmerkungen -> X0 comments
X0 wenige anmerkungen -> X0 a few comments
X0 wenige -> X0 a few";

fn figure_4() -> Sentences {
    let pair = Sentences::new(
        "ich möchte nur wenige anmerkungen machen .",
        "i should like to make just a few comments .",
        "0-0 1-1 1-2 1-3 2-5 3-6 3-7 4-8 5-4 6-9",
    );
    pair.source_heads(&[2, 0, 4, 5, 6, 2, 2])
}

fn model(options: ConstrainedOptions) -> Constrained {
    Constrained::new(options).unwrap()
}

fn unlimited() -> ConstrainedOptions {
    ConstrainedOptions { limits: LimitSet::None, ..ConstrainedOptions::default() }
}

fn with_variables(lines: &[String]) -> Vec<String> {
    let mut rules = rules_of(lines);
    rules.retain(|rule| rule.contains("X0"));
    rules.sort();
    rules
}

#[test]
fn the_rules_of_figure_5_are_found_and_no_others() {
    let mut expected: Vec<&str> = FIGURE_5.trim().lines().collect();
    expected.sort_unstable();
    assert_eq!(expected.len(), 25);
    assert_eq!(with_variables(&figure_4().extract(&model(unlimited()))), expected);
}

#[test]
fn of_figure_2_the_rule_that_keeps_the_head_is_found() {
    let pair = || Sentences::new("white house", "casa blanca", "0-1 1-0").source_heads(&[2, 0]);
    let found = rules_of(&pair().extract(&model(ConstrainedOptions::default())));
    let initial = ["white -> blanca", "house -> casa", "white house -> casa blanca"];
    for rule in initial {
        assert!(found.iter().any(|found| found == rule), "{rule} in {found:?}");
    }
    assert_eq!(with_variables(&pair().extract(&model(unlimited()))), ["X0 house -> casa X0"]);
    let target = ConstrainedOptions { side: Side::Target, ..unlimited() };
    assert_eq!(
        with_variables(&pair().target_heads(&[0, 1]).extract(&model(target))),
        ["X0 house -> casa X0"]
    );
    let both = ConstrainedOptions { side: Side::Both, ..unlimited() };
    assert_eq!(with_variables(&pair().target_heads(&[0, 1]).extract(&model(both))), ["X0 house -> casa X0"]);
    let crossed = with_variables(&pair().target_heads(&[2, 0]).extract(&model(both)));
    assert!(crossed.is_empty(), "no rule keeps both heads: {crossed:?}");
}

#[test]
fn ghkm_limits_count_nodes_words_with_dependents_and_scope() {
    let found = with_variables(&figure_4().extract(&model(ConstrainedOptions::default())));
    let has = |rule: &str| found.iter().any(|found| found == rule);
    assert!(has("X0 möchte X1 anmerkungen machen X2 -> X0 should like to make X1 comments X2"));
    assert!(
        !has("X0 möchte X1 wenige anmerkungen machen X2 -> X0 should like to make X1 a few comments X2"),
        "size 4"
    );
    let nine = "ich möchte X0 anmerkungen machen . -> i should like to make X0 comments .";
    assert!(has(nine), "nine nodes: three words with dependents, two without, a variable");
    let scope_3 = "X0 möchte X1 machen X2 -> X0 should like to make X1 X2";
    let with = |options| with_variables(&figure_4().extract(&model(options)));
    assert!(
        !with(ConstrainedOptions { max_nodes: Some(8), ..ConstrainedOptions::default() })
            .iter()
            .any(|r| r == nine)
    );
    assert!(has(scope_3), "variables at both ends and side by side");
    let options = ConstrainedOptions { max_scope: Some(2), ..ConstrainedOptions::default() };
    assert!(!with(options).iter().any(|rule| rule == scope_3));
}

#[test]
fn depth_counts_levels_of_words_with_dependents() {
    let options = ConstrainedOptions { max_depth: Some(1), ..unlimited() };
    let found = with_variables(&figure_4().extract(&model(options)));
    assert!(found.contains(&"ich möchte X0 . -> i should like to X0 .".to_string()));
    assert!(!found.contains(&"ich möchte X0 machen . -> i should like to make X0 .".to_string()));
    let rest = found.iter().filter(|rule| !rule.contains("möchte")).count();
    assert_eq!(rest, 3, "one rule at each of machen, anmerkungen and wenige");
}

#[test]
fn hiero_limits_are_two_variables_and_five_source_symbols() {
    let options = ConstrainedOptions { limits: LimitSet::Hiero, ..ConstrainedOptions::default() };
    for rule in with_variables(&figure_4().extract(&model(options))) {
        let source: Vec<&str> = rule.split(" -> ").next().unwrap().split(' ').collect();
        assert!(source.len() <= 5 && source.iter().filter(|s| s.starts_with('X')).count() <= 2, "{rule}");
    }
}

#[test]
fn more_rules_than_the_limit_are_cut_off_and_counted() {
    let n = 80;
    let links: Vec<Link> = (0..n).map(|w| Link::new(w, w)).collect();
    let heads: Vec<u32> = (0..n).map(|w| if w == 0 { 0 } else { 1 }).collect();
    let mut pair = Sentences::numbered(n, n, &links).source_heads(&heads);
    let model = model(ConstrainedOptions { max_rules: 500, ..unlimited() });
    let batch = pair.with(|pair, vocab, batch| model.extract(pair, vocab, batch));
    assert_eq!(batch.cut_phrases(), 1);
    let with_variables = batch.instances().filter(|rule| rule.source.iter().any(|s| s.is_var())).count();
    assert_eq!(with_variables, 500);
}

#[test]
fn words_move_to_their_heads_for_rules_with_variables_only() {
    // When did the crisis begin ?  (figures 3 and 6)
    let pair = || {
        let pair = Sentences::new(
            "when did the crisis begin ?",
            "wann begann die krise ?",
            "0-0 1-1 2-2 3-3 4-1 5-4",
        );
        pair.source_heads(&[5, 0, 4, 2, 2, 2])
    };
    let rules = |options| with_variables(&pair().extract(&model(options)));
    let moved = "did X0 when begin X1 -> wann begann X0 X1";
    assert!(!rules(unlimited()).contains(&moved.to_string()));
    let npr = ConstrainedOptions { trees: Trees::Npr, ..unlimited() };
    assert!(rules(npr).contains(&moved.to_string()), "{:?}", rules(npr));
    let initial = |options| rules_of(&pair().extract(&model(options)));
    assert!(initial(npr).contains(&"when -> wann".to_string()));
    let whole = "did the crisis when begin -> wann begann die krise".to_string();
    let reorder = |which| ConstrainedOptions { reorder_only: Some(which), ..unlimited() };
    assert!(!initial(reorder(ReorderOnly::Re)).contains(&whole));
    assert!(initial(reorder(ReorderOnly::Are)).contains(&whole));
    let free = "X0 when begin -> wann begann X0".to_string();
    for which in [ReorderOnly::Re, ReorderOnly::Are] {
        let found = rules(reorder(which));
        assert!(found.iter().any(|rule| rule.contains("when begin")), "{free}: {found:?}");
    }
}

#[test]
fn unreasonable_options_are_refused() {
    let error = Constrained::new(ConstrainedOptions { max_rules: 0, ..unlimited() }).unwrap_err();
    assert_eq!(error.to_string(), "model `constrained`: `max-rules` must be at least 1");
}

/// All rules with variables of one side's tree by trying every set of subtrees, within limits as they are worded.
fn brute_force(
    tree: &DepTree,
    matrix: &Matrix<'_>,
    side: Side,
    limits: &TreeLimits,
) -> Vec<(SpanPair, Vec<SpanPair>)> {
    let phrase = |word: WordIx| -> Option<SpanPair> {
        let span: Span = tree.span(word)?;
        match side {
            Side::Target => Some(SpanPair { source: matrix.source_of(span)?, target: span }),
            _ => Some(SpanPair { source: span, target: matrix.target_of(span)? }),
        }
    };
    let n = tree.len();
    let mut rules = Vec::new();
    for (top, set) in tree.words().flat_map(|top| (1u32..1 << n).map(move |set| (top, set))) {
        let chosen: Vec<WordIx> = tree.words().filter(|w| set >> w.0 & 1 == 1).collect();
        let below = chosen.iter().all(|&w| w != top && tree.dominates(top, w));
        let antichain = chosen.iter().all(|&a| chosen.iter().all(|&b| a == b || !tree.dominates(a, b)));
        if !below || !antichain {
            continue;
        }
        let holes: Option<Vec<SpanPair>> = chosen.iter().map(|&w| phrase(w)).collect();
        let (Some(whole), Some(holes)) = (phrase(top), holes) else { continue };
        let kept: Vec<WordIx> = tree
            .words()
            .filter(|&w| tree.dominates(top, w) && !chosen.iter().any(|&hole| tree.dominates(hole, w)))
            .collect();
        let inner: Vec<&WordIx> = kept.iter().filter(|&&w| !tree.dependents(w).is_empty()).collect();
        let levels = inner.iter().map(|w| tree.depth(**w) - tree.depth(top) + 1).max().unwrap_or(0);
        let symbols = whole.source.len() + holes.len() - holes.iter().map(|h| h.source.len()).sum::<usize>();
        let within = |limit: Option<u32>, value: usize| limit.is_none_or(|limit| value <= limit as usize);
        if within(limits.variables, holes.len())
            && within(limits.nodes, kept.len() + inner.len() + holes.len())
            && within(limits.size, inner.len())
            && within(limits.depth, levels)
            && within(limits.symbols, symbols)
        {
            rules.push((whole, holes));
        }
    }
    rules
}

/// Heads of a random tree: each word hangs from an earlier one in a random order of the words.
fn heads(order: &[usize], choices: &[usize]) -> Vec<Option<WordIx>> {
    let mut heads = vec![None; order.len()];
    for k in 1..order.len() {
        heads[order[k]] = Some(WordIx::from(order[choices[k] % k]));
    }
    heads
}

fn small_limit() -> impl Strategy<Value = Option<u32>> {
    prop::option::of(1u32..8)
}

proptest! {
    #[test]
    fn exactly_the_rules_that_the_definition_allows(
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
        choices in prop::collection::vec(0usize..6, 6),
        words in 1usize..7,
        cells in prop::collection::vec((0u32..6, 0u32..6), 1..8),
        target_side: bool,
        (variables, nodes, depth, size, symbols) in
            (small_limit(), prop::option::of(3u32..12), small_limit(), small_limit(), small_limit()),
    ) {
        let order: Vec<usize> = order.into_iter().filter(|&w| w < words).collect();
        let tree = DepTree::new(heads(&order, &choices), Roots::One).unwrap();
        let (source, target) = if target_side { (6, words as u32) } else { (words as u32, 6) };
        let mut links: Vec<Link> = cells.iter().map(|&(s, t)| Link::new(s % source, t % target)).collect();
        links.sort_unstable();
        links.dedup();
        let matrix = Matrix::new(&links, source as usize, target as usize);
        let side = if target_side { Side::Target } else { Side::Source };
        let limits = TreeLimits { variables, nodes, depth, size, symbols, ..unlimited().tree_limits() };
        let mut pair = Sentences::numbered(source, target, &links);
        let expected = pair.lines_of(&brute_force(&tree, &matrix, side, &limits));
        let found = pair.with(|pair, vocab, batch| {
            let parsed = [ParsedTree::Dependency(tree.clone(), Vec::new())];
            let side_of = if target_side { text::Side::Target } else { text::Side::Source };
            let mut trees = pair.trees;
            trees[(side_of, TreeKind::Dependency)] = &parsed;
            let pair = Pair { trees, ..*pair };
            let sites = Sites::new(&pair, &matrix, side, false).unwrap();
            let mut rules = Rules::new(&pair, &matrix, vocab);
            assert_eq!(add_rules(&sites, &limits, false, &mut rules), 0);
            rules.hand_on(batch);
        });
        let sorted = |mut lines: Vec<String>| { lines.sort(); lines };
        prop_assert_eq!(sorted(crate::testing::lines(&found)), sorted(expected));
    }
}

/// All rules with one or two variables that both trees allow, by trying every set of pairs of subtrees.
fn brute_force_both(trees: [&DepTree; 2], links: &[Link]) -> Vec<(SpanPair, Vec<SpanPair>)> {
    let inside = |span: Span, word: u32| span.start <= word && word < span.end;
    let mut sites = Vec::new();
    for (s, t) in trees[0].words().flat_map(|s| trees[1].words().map(move |t| (s, t))) {
        let (Some(source), Some(target)) = (trees[0].span(s), trees[1].span(t)) else { continue };
        let crossing = links.iter().any(|l| inside(source, l.src) != inside(target, l.tgt));
        if !crossing && links.iter().any(|l| inside(source, l.src)) {
            sites.push(([s, t], SpanPair { source, target }));
        }
    }
    let below = |low: [WordIx; 2], high: [WordIx; 2]| {
        (0..2).all(|side| low[side] != high[side] && trees[side].dominates(high[side], low[side]))
    };
    let apart = |a: [WordIx; 2], b: [WordIx; 2]| {
        let nested =
            |side: usize| trees[side].dominates(a[side], b[side]) || trees[side].dominates(b[side], a[side]);
        !nested(0) && !nested(1)
    };
    let mut rules = Vec::new();
    for &(top, phrase) in &sites {
        for (k, &(a, first)) in sites.iter().enumerate().filter(|(_, (a, _))| below(*a, top)) {
            rules.push((phrase, vec![first]));
            for &(_, second) in sites[..k].iter().filter(|(b, _)| below(*b, top) && apart(a, *b)) {
                rules.push((phrase, vec![first, second]));
            }
        }
    }
    rules
}

proptest! {
    #[test]
    fn with_trees_on_both_sides_subtrees_coincide_with_subtrees(
        orders in prop::array::uniform2(Just((0..5usize).collect::<Vec<_>>()).prop_shuffle()),
        choices in prop::array::uniform2(prop::collection::vec(0usize..5, 5)),
        cells in prop::collection::vec((0u32..5, 0u32..5), 1..7),
    ) {
        let tree = |side: usize| DepTree::new(heads(&orders[side], &choices[side]), Roots::One).unwrap();
        let (source_tree, target_tree) = (tree(0), tree(1));
        let mut links: Vec<Link> = cells.iter().map(|&(s, t)| Link::new(s, t)).collect();
        links.sort_unstable();
        links.dedup();
        let matrix = Matrix::new(&links, 5, 5);
        let mut pair = Sentences::numbered(5, 5, &links);
        let expected = pair.lines_of(&brute_force_both([&source_tree, &target_tree], &links));
        let limits = ConstrainedOptions { max_variables: Some(2), ..unlimited() }.tree_limits();
        let found = pair.with(|pair, vocab, batch| {
            let [source, target] = [&source_tree, &target_tree]
                .map(|tree| [ParsedTree::Dependency(tree.clone(), Vec::new())]);
            let trees = PerTree { source_dep: &source[..], target_dep: &target[..], ..pair.trees };
            let pair = Pair { trees, ..*pair };
            let sites = Sites::new(&pair, &matrix, Side::Both, false).unwrap();
            let mut rules = Rules::new(&pair, &matrix, vocab);
            add_rules(&sites, &limits, false, &mut rules);
            rules.hand_on(batch);
        });
        let sorted = |mut lines: Vec<String>| { lines.sort(); lines };
        prop_assert_eq!(sorted(crate::testing::lines(&found)), sorted(expected));
    }
}
