//! Translations with trees: whatever rules a derivation has, and in whatever order the search put its structures together,
//! the dependency language model's value is that of the tree that is written.

use crate::common;

use proptest::prelude::*;
use treeglot_decode::{
    ChartSystem, Dependency, Derivation, Limits, LmRole, Resources, SearchSettings, TableRole, Weights,
    target_forest, target_tree,
};
use treeglot_lm::depend::{Branch, DepLm, from_trees};
use treeglot_lm::estimate::MEMORY;
use treeglot_lm::{Lm, LmLayout};
use treeglot_models::Applies;
use treeglot_models::chart::MadeElsewhere;
use treeglot_text::vocab::Sym;
use treeglot_tree::{DepParse, DepTree, Roots, WordIx};

/// Heads, from 1 and 0 for none: each word hangs from an earlier one in the order of the second numbers, or from nothing.
fn forest(spec: &[(u8, u8)], several: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..spec.len()).collect();
    order.sort_by_key(|&word| (spec[word].1, word));
    let mut heads = vec![0; spec.len()];
    for (rank, &word) in order.iter().enumerate().skip(1) {
        let choice = usize::from(spec[word].0) % (rank + usize::from(several));
        heads[word] = if choice == rank { 0 } else { order[choice] + 1 };
    }
    heads
}

fn model(specs: &[Vec<(u8, u8)>], order: usize) -> DepLm {
    let trees = specs.iter().map(|spec| {
        let mut parse = DepParse::new(0);
        for (&(word, _), head) in spec.iter().zip(forest(spec, false)) {
            parse.push_word(["A", "B", "C", "D"][usize::from(word / 16 % 4)], "_", Some(head as u32), "_");
        }
        let tree = parse.tree(Roots::One).expect("one root");
        Ok((parse, tree))
    });
    let (ngrams, _) = from_trees(trees, order, MEMORY).expect("a good order");
    DepLm::new(Lm::build(ngrams, LmLayout::Probing).expect("a small model")).expect("a model of trees")
}

const SOURCES: [&str; 7] = ["a", "b", "c", "[X][X] a", "b [X][X]", "[X][X] c [X][X]", "a [X][X] b"];

/// A rule as a line of a table: one of the source sides, target words with the variables among them, and heads.
fn rule((source, spec, seed): (usize, Vec<(u8, u8)>, u8)) -> String {
    let source = SOURCES[source];
    let places: Vec<usize> =
        source.split(' ').enumerate().filter(|(_, symbol)| *symbol == "[X][X]").map(|(at, _)| at).collect();
    let symbols = spec.len() + places.len();
    let spec: Vec<(u8, u8)> = spec.iter().copied().chain([(seed, seed / 3), (seed / 5, seed / 7)]).collect();
    let first = usize::from(seed) % symbols;
    let second = (first + 1 + usize::from(seed / 16) % symbols.max(2).saturating_sub(1)) % symbols;
    let variables = [first, second];
    let mut words = spec.iter().map(|&(word, _)| ["A", "B", "C", "D"][usize::from(word / 16 % 4)]);
    let variable = |at: usize| variables[..places.len()].contains(&at);
    let target: Vec<&str> = (0..symbols)
        .map(|at| if variable(at) { "[X][X]" } else { words.next().expect("enough words") })
        .collect();
    let links: Vec<String> = places.iter().zip(variables).map(|(s, t)| format!("{s}-{t}")).collect();
    let heads: Vec<String> = forest(&spec[..symbols], true).iter().map(usize::to_string).collect();
    let ill = if seed % 11 == 0 { " ill" } else { "" };
    format!(
        "{source} [X] ||| {} [X] ||| 0.5 ||| {} ||| 1 1 1 ||| ||| {{{{Heads {}{ill}}}}}\n",
        target.join(" "),
        links.join(" "),
        heads.join(" "),
    )
}

/// The log10 probability of a tree with any number of roots.
fn score(lm: &DepLm, heads: &[u32], words: &[Sym]) -> f64 {
    let tables = lm.tables();
    let scorer = lm.scorer(&tables);
    let mut sum = 0.0;
    for (at, &word) in words.iter().enumerate() {
        if heads[at] == 0 {
            sum += f64::from(scorer.root(word));
        }
        let below: Vec<usize> = (0..words.len()).filter(|&child| heads[child] as usize == at + 1).collect();
        let left = below.iter().rev().filter(|&&child| child < at);
        let right = below.iter().filter(|&&child| child > at);
        for (side, children) in [(Branch::Left, left.collect::<Vec<_>>()), (Branch::Right, right.collect())] {
            let children: Vec<Sym> = children.into_iter().map(|&child| words[child]).collect();
            for (k, &child) in children.iter().enumerate() {
                let inner: Vec<Sym> = children[..k].iter().rev().copied().collect();
                sum += f64::from(scorer.child(side, word, &inner, child));
            }
        }
    }
    sum
}

fn check(derivation: &Derivation, texts: &[String], lm: &DepLm, positions: [usize; 2]) {
    let totals = derivation.total_features();
    let log10 = totals[positions[0]] / std::f64::consts::LN_10;
    let words: Vec<Sym> = texts.iter().map(|text| lm.symbol(text)).collect();
    let (forest, root) = target_forest(derivation);
    let expected = score(lm, &forest, &words);
    assert!((log10 - expected).abs() < 1e-3, "{log10} {expected} {texts:?} {forest:?}");
    let several = forest.iter().filter(|&&head| head == 0).count() > 1;
    assert!(!several || totals[positions[1]] > 0.0, "only ill-formed structures make several roots");
    let heads = target_tree(derivation);
    assert_eq!(heads[root], 0);
    let heads: Vec<Option<WordIx>> = heads.iter().map(|head| head.checked_sub(1).map(WordIx)).collect();
    let tree = DepTree::new(heads, Roots::One).expect("a tree");
    if !several {
        let tables = lm.tables();
        assert!((lm.scorer(&tables).tree(&tree, &words) - log10).abs() < 1e-3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn the_value_of_a_derivation_is_that_of_its_tree(
        train in prop::collection::vec(prop::collection::vec(any::<(u8, u8)>(), 1..8), 1..8),
        rules in prop::collection::vec(
            (0..SOURCES.len(), prop::collection::vec(any::<(u8, u8)>(), 1..5), any::<u8>()), 1..8),
        words in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 1..=4),
        order in 2usize..6,
    ) {
        let lm = model(&train, order);
        let folder = tempfile::tempdir().unwrap();
        let mut lines: Vec<String> = rules.into_iter().map(rule).collect();
        lines.sort();
        lines.dedup();
        let table = common::table(&lines.concat(), &folder.path().join("table"));
        let path = folder.path().join("weights");
        std::fs::write(&path, "WordPenalty0= 0\nTranslationModel0= 0\nDependencyLM0= 0.7\nIllFormed0= -0.2\n").unwrap();
        let spans = Limits::of(Applies::Spans);
        let limits = Limits { pops: Some(300), max_span: 0, budget: usize::MAX, ..spans };
        let lms = vec![(LmRole::Dependency, lm.ngrams().clone())];
        let resources = Resources { tables: vec![(TableRole::Model, table)], lms, ..Resources::default() };
        let weights = Weights::read(&path).unwrap();
        let settings = SearchSettings::default();
        let system = ChartSystem::new(Box::new(MadeElsewhere), resources, &weights, &settings)
            .and_then(|system| system.with_limits(limits))
            .unwrap();
        let set = system.features().set();
        let positions = ["DependencyLM0", "IllFormed0"].map(|name| set.find(name).unwrap().start);
        let mut worker = system.worker_with(Dependency::new(&lm, [0.7, -0.2]));
        worker.search(&words.join(" "));
        let mut seen = 0;
        worker.derivations(false, |derivation, score| {
            assert!((derivation.score() - f64::from(score)).abs() < 1e-3, "features are those of the search");
            let mut found = Vec::new();
            derivation.words(&mut found);
            let texts: Vec<String> = found.iter().map(|&word| worker.vocab().text(word).to_string()).collect();
            check(derivation, &texts, &lm, positions);
            seen += 1;
            seen < 500
        });
        prop_assert!(seen > 0);
    }
}
