//! Claims about chart matching, on tables written by hand.

use super::*;
use crate::UNGUIDED;
use proptest::prelude::*;
use std::hash::BuildHasher;
use std::path::Path;
use treeglot_grammar::Scratch;
use treeglot_grammar::table::{Import, import};
use treeglot_text::Input;

fn table(folder: &Path, rules: &str) -> Table {
    std::fs::write(folder.join("rules"), rules).unwrap();
    let options = Import { model: String::new(), memory: 1 << 20 };
    let input = Input::open(folder.join("rules")).unwrap();
    import(input, None, &options, &Scratch::new(None), &folder.join("table")).unwrap();
    Table::open(folder.join("table")).unwrap()
}

/// What pieces of a table's rules build of a sentence, without glue.
fn pieces(
    rules: &str,
    sentence: &str,
    labels: &[&str],
    limits: ForestLimits,
    estimates: &mut dyn Estimates,
) -> Forest {
    let folder = tempfile::tempdir().unwrap();
    let table = table(folder.path(), rules);
    let words: Vec<Option<Sym>> = sentence.split(' ').map(|word| table.vocab().get(word)).collect();
    let known: Vec<Option<Sym>> = labels.iter().map(|label| table.vocab().get(label)).collect();
    let tables = [MatchTable { table: &table, role: TableRole::Model, words: &words, labels: &known }];
    let (trees, length) = (&InputTrees::default(), words.len());
    let input = ForestInput { tables: &tables, length, limits, trees, guidance: UNGUIDED };
    let mut forest = Forest::default();
    Chart::default().pieces(&input, estimates, &mut forest);
    forest
}

/// The nodes of a sentence's forest as `label start-end: edges`, glue left out.
fn nodes(rules: &str, sentence: &str, labels: &[&str], max_span: usize) -> Vec<String> {
    let limits = ForestLimits { max_span, ..ForestLimits::default() };
    let forest = pieces(rules, sentence, labels, limits, &mut ());
    (0..)
        .zip(forest.nodes())
        .map(|(at, node)| {
            let edges = forest.edges_of(NodeIx(at)).len();
            format!("{} {}-{}: {edges}", labels[node.label as usize], node.span.start, node.span.end)
        })
        .collect()
}

#[test]
fn variables_take_every_span_that_was_built() {
    let rules = "a [X] ||| A [X] ||| 0.5 ||| 0-0\n[X][X] b [X][X] [X] ||| [X][X] B [X][X] [X] ||| 1 ||| 0-0 1-1 2-2\n";
    let all = nodes(rules, "a b a b a", &["X"], 0);
    assert_eq!(
        all,
        ["X 4-5: 1", "X 3-4: 1", "X 2-3: 1", "X 2-5: 1", "X 1-2: 1", "X 0-1: 1", "X 0-3: 1", "X 0-5: 2"]
    );
    let short = nodes(rules, "a b a b a", &["X"], 3);
    assert!(short.contains(&"X 0-3: 1".to_string()) && !short.contains(&"X 0-5: 2".to_string()));
}

#[test]
fn a_variable_takes_its_label_only() {
    let rules = "a [Y] ||| A [Y] ||| 1 ||| 0-0\na [X] ||| A [X] ||| 1 ||| 0-0\nc [X] ||| C [X] ||| 1 ||| 0-0\n\
[Y][Y] b [X] ||| [Y][Y] B [X] ||| 1 ||| 0-0 1-1\n";
    let found = nodes(rules, "a b c b", &["X", "Y"], 0);
    assert_eq!(found, ["X 3-4: 1", "X 2-3: 1", "X 1-2: 1", "X 0-1: 1", "Y 0-1: 1", "X 0-2: 1"]);
}

#[test]
fn words_of_no_rule_are_copied_and_an_empty_input_has_a_goal() {
    let rules = "a [X] ||| A [X] ||| 1 ||| 0-0\n";
    assert_eq!(nodes(rules, "a z", &["X"], 0), ["X 1-2: 1", "X 0-1: 1"]);
    let mut forest = Forest::default();
    Chart::default().fill(
        &ForestInput {
            tables: &[],
            length: 0,
            limits: ForestLimits::default(),
            trees: &InputTrees::default(),
            guidance: UNGUIDED,
        },
        &mut (),
        &mut forest,
    );
    assert_eq!(forest.nodes().len(), 2);
}

/// Estimates that are different for most lists, and the same in every forest of a table.
struct Scattered;

impl Estimates for Scattered {
    fn best_of(&mut self, list: RuleList) -> f32 {
        -((rustc_hash::FxBuildHasher.hash_one(list) % 64) as f32)
    }
}

/// A hyperarc: the span it builds, its list, the spans of its tails, and its estimate.
type Arc = (Span, RuleList, Vec<Span>, f32);

fn arcs(forest: &Forest) -> Vec<Arc> {
    let arcs_of = |node: usize| {
        let span = forest.nodes()[node].span;
        forest.edges_of(NodeIx(node as u32)).map(move |at| {
            let edge = &forest.edges()[at];
            let tails = forest.tails(edge);
            let below: f32 = tails.iter().map(|&tail| forest.estimate(tail)).sum();
            let tails = tails.iter().map(|tail| forest.nodes()[tail.ix()].span).collect();
            let list = forest.lists()[edge.list as usize];
            (span, list, tails, forest.estimate_of_list(edge.list) + below)
        })
    };
    (0..forest.nodes().len()).flat_map(arcs_of).collect()
}

/// The spans of the variables in all ways in which a source side covers the words from `start` to `end`.
fn covers(source: &[&str], words: &[&str], start: usize, end: usize, rules: &[Vec<&str>]) -> Vec<Vec<Span>> {
    let Some((first, rest)) = source.split_first() else {
        return if start == end { vec![Vec::new()] } else { Vec::new() };
    };
    if *first != "X" {
        let fits = start < end && words[start] == *first;
        return if fits { covers(rest, words, start + 1, end, rules) } else { Vec::new() };
    }
    let mut found = Vec::new();
    for stop in start + 1..=end {
        let is_built = || {
            let copied = stop == start + 1;
            copied || rules.iter().any(|rule| !covers(rule, words, start, stop, rules).is_empty())
        };
        for rest in covers(rest, words, stop, end, rules) {
            if is_built() {
                found.push([vec![Span::new(start as u32, stop as u32)], rest].concat());
            }
        }
    }
    found
}

/// Source sides of words and variables, adjacent ones too, each with at least one word.
fn sources() -> impl Strategy<Value = Vec<Vec<&'static str>>> {
    let symbol = prop::sample::select(vec!["a", "b", "X", "X", "X"]);
    let source = prop::collection::vec(symbol, 1..=5)
        .prop_filter("a word", |symbols| symbols.iter().any(|symbol| *symbol != "X"));
    prop::collection::btree_set(source, 1..=6).prop_map(|rules| rules.into_iter().collect())
}

fn lines(sources: &[Vec<&str>]) -> String {
    let line = |source: &Vec<&str>| {
        let symbols: Vec<&str> = source.iter().map(|s| if *s == "X" { "[X][X]" } else { s }).collect();
        let variables = (0..).zip(source).filter(|(_, symbol)| **symbol == "X");
        let links: Vec<String> =
            variables.clone().enumerate().map(|(k, (at, _))| format!("{at}-{k}")).collect();
        let target = "[X][X] ".repeat(variables.count());
        format!("{} [X] ||| {target}T [X] ||| 1 ||| {}\n", symbols.join(" "), links.join(" "))
    };
    sources.iter().map(line).collect()
}

proptest! {
    #[test]
    fn without_limits_a_forest_has_every_way_to_apply_every_rule(
        rules in sources(),
        words in prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..=6),
    ) {
        let forest = pieces(&lines(&rules), &words.join(" "), &["X"], ForestLimits::default(), &mut ());
        let of_tables = |arc: &Arc| matches!(arc.1, RuleList::Table { .. });
        let mut found: Vec<(Span, Vec<Span>)> =
            arcs(&forest).into_iter().filter(of_tables).map(|arc| (arc.0, arc.2)).collect();
        let mut expected = Vec::new();
        for (start, end) in (0..words.len()).flat_map(|start| (start + 1..=words.len()).map(move |end| (start, end))) {
            for rule in &rules {
                let span = Span::new(start as u32, end as u32);
                expected.extend(covers(rule, &words, start, end, &rules).into_iter().map(|tails| (span, tails)));
            }
        }
        let order = |arc: &(Span, Vec<Span>)| (arc.0.start, arc.0.end, arc.1.iter().map(|tail| (tail.start, tail.end)).collect::<Vec<_>>());
        found.sort_by_key(order);
        expected.sort_by_key(order);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn limits_keep_the_fills_and_hyperarcs_of_the_best_estimates(
        rules in sources(),
        words in prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..=9),
        fills in 1..=4usize,
        hyperarcs in 1..=6usize,
    ) {
        let made = |limits| pieces(&lines(&rules), &words.join(" "), &["X"], limits, &mut Scattered);
        let all = made(ForestLimits::default());
        let filled = made(ForestLimits { fills, ..ForestLimits::default() });
        let limited = made(ForestLimits { fills, hyperarcs, ..ForestLimits::default() });
        for forest in [&filled, &limited] {
            let values = |forest: &Forest| -> Vec<(Span, f32)> {
                forest.nodes().iter().map(|node| (node.span, node.estimate)).collect()
            };
            prop_assert_eq!(values(forest), values(&all), "the best hyperarc of a node is always kept");
            for arc in arcs(forest) {
                prop_assert!(arcs(&all).contains(&arc));
            }
        }
        let estimates = |forest: &Forest, of: &dyn Fn(&Arc) -> bool, most: usize| {
            let mut found: Vec<f32> = arcs(forest).iter().filter(|arc| of(arc)).map(|arc| arc.3).collect();
            found.sort_by(|a, b| b.total_cmp(a));
            found.truncate(most);
            found
        };
        for (span, list, ..) in arcs(&all) {
            let same_source = |arc: &Arc| (arc.0, arc.1) == (span, list);
            prop_assert_eq!(estimates(&filled, &same_source, usize::MAX), estimates(&all, &same_source, fills));
            let same_node = |arc: &Arc| arc.0 == span;
            prop_assert_eq!(
                estimates(&limited, &same_node, usize::MAX),
                estimates(&filled, &same_node, hyperarcs)
            );
        }
    }
}
