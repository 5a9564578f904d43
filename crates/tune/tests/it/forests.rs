//! The envelope of a forest is that of the list of all its derivations.

use crate::common::{candidate, gather, metrics, text};
use proptest::prelude::*;
use treeglot_decode::{TargetItem, TranslationForest};
use treeglot_tune::{Candidate, DevSet, ErrorSurface, Forests, Gathered, Job, Mert, Objective, Sweep, Tuner};

const FEATURES: usize = 3;

/// A hyperarc: tails (taken modulo the number of nodes before the head), words around the tails, features.
type Draft = (Vec<u32>, Vec<u32>, [i8; FEATURES]);

/// Builds a forest, and beside it the list of all derivations of each node as (words, features).
fn build(drafts: &[Vec<Draft>]) -> (TranslationForest, Vec<Candidate>) {
    let mut forest = TranslationForest::default();
    let mut derivations: Vec<Vec<(Vec<u32>, [f32; FEATURES])>> = Vec::new();
    for (node, edges) in drafts.iter().enumerate() {
        forest.add_node();
        let mut own = Vec::new();
        for (tails, words, features) in edges {
            let tails: Vec<u32> = tails.iter().filter(|_| node > 0).map(|t| t % node.max(1) as u32).collect();
            let mut items: Vec<TargetItem> = words.iter().map(|&w| TargetItem::Word(w)).collect();
            // Tails go before and after the words in turn, so that they are reordered.
            for tail in 0..tails.len() as u32 {
                let at = if tail % 2 == 0 { items.len() } else { 0 };
                items.insert(at, TargetItem::Tail(tail));
            }
            let features = features.map(f32::from);
            let sparse: Vec<(u32, f32)> = (0..).zip(features).filter(|(_, v)| *v != 0.0).collect();
            forest.add_arc(&tails, &items, &sparse).expect("tails come first");
            let mut partial: Vec<Vec<&(Vec<u32>, [f32; FEATURES])>> = vec![Vec::new()];
            for &tail in &tails {
                let extend = |chosen: Vec<_>| {
                    derivations[tail as usize].iter().map(move |d| [chosen.clone(), vec![d]].concat())
                };
                partial = partial.into_iter().flat_map(extend).collect();
            }
            for chosen in partial {
                let mut sum = features;
                chosen.iter().for_each(|(_, f)| sum.iter_mut().zip(f).for_each(|(s, v)| *s += v));
                let mut words = Vec::new();
                for item in &items {
                    match *item {
                        TargetItem::Word(word) => words.push(word),
                        TargetItem::Tail(tail) => words.extend_from_slice(&chosen[tail as usize].0),
                    }
                }
                own.push((words, sum));
            }
        }
        derivations.push(own);
    }
    let goal = derivations.pop().unwrap_or_default();
    (forest, goal.iter().map(|(words, features)| candidate(words, features)).collect())
}

fn drafts() -> impl Strategy<Value = Vec<Vec<Draft>>> {
    let tails = proptest::collection::vec(0u32..8, 0..3);
    let words = proptest::collection::vec(0u32..6, 0..3);
    let edge = (tails, words, proptest::array::uniform3(-4i8..4));
    proptest::collection::vec(proptest::collection::vec(edge, 0..4), 1..5)
}

fn references(count: usize) -> Vec<Vec<String>> {
    (0..count as u32).map(|s| vec![text(&[s, 1, 2, 3, 4])]).collect()
}

/// Whether different translations have different features.
fn differ_in_features(list: &[Candidate]) -> bool {
    let mut seen = std::collections::HashMap::new();
    list.iter().all(|candidate| {
        let features: Vec<i64> = candidate.dense.iter().map(|&value| value as i64).collect();
        seen.entry(features).or_insert(&candidate.text) == &&candidate.text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 16, ..ProptestConfig::default() })]
    #[test]
    fn the_surface_of_forests_and_of_joined_ones_is_that_of_all_derivations(
        drafts in proptest::collection::vec(drafts(), 1..4),
        others in drafts(),
        weights in proptest::array::uniform3(-1.0f64..1.0),
        direction in proptest::array::uniform3(-1.0f64..1.0),
    ) {
        let (mut forests, mut lists): (Vec<TranslationForest>, Vec<Vec<Candidate>>) =
            drafts.iter().map(|d| build(d)).unzip();
        let (other, more) = build(&others);
        forests[0].join(&other);
        lists[0].extend(more);
        prop_assume!(lists.iter().all(|list| list.len() < 2000));
        // Translations with equal features tie everywhere: which of them is taken is left open.
        prop_assume!(lists.iter().all(|list| differ_in_features(list)));
        let (metric, smoothed) = metrics("bleu");
        let references = references(lists.len());
        let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
        let candidates = gather(&lists, FEATURES, &objective);
        let surface = Forests::new(&forests, &objective, &text).unwrap();

        let mut sweep = Sweep::default();
        candidates.line(&mut candidates.at(&weights), &direction, &mut sweep);
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        sweep.intervals(&objective, |left, right, goodness| expected.push((left, right, goodness)));
        surface.line(&mut surface.at(&weights), &direction, &mut sweep);
        sweep.intervals(&objective, |left, right, goodness| found.push((left, right, goodness)));
        let value = |intervals: &[(f64, f64, f64)], step: f64| {
            intervals.iter().find(|(left, right, _)| *left < step && step < *right).map(|i| i.2)
        };
        for (left, right, goodness) in expected {
            if right - left > 1e-6 && left.is_finite() && right.is_finite() {
                let there = value(&found, 0.5 * (left + right)).unwrap();
                prop_assert!((goodness - there).abs() < 1e-6, "{goodness} is not {there}");
            }
        }
        let best_of_lists = objective.goodness(&candidates.sums(&weights));
        let best_of_forests = objective.goodness(&surface.sums(&weights));
        prop_assert!((best_of_lists - best_of_forests).abs() < 1e-9);
    }
}

#[test]
fn mert_on_a_forest_finds_weights_that_no_short_list_shows() {
    let mut forest = TranslationForest::default();
    for position in 0..6u32 {
        forest.add_node();
        let tails: Vec<u32> = (0..position).rev().take(1).collect();
        for word in 0..4u32 {
            let items: Vec<TargetItem> =
                tails.iter().map(|_| TargetItem::Tail(0)).chain([TargetItem::Word(word)]).collect();
            let good = f32::from(u8::from(word == position % 4));
            forest.add_arc(&tails, &items, &[(0, good), (1, word as f32), (2, 1.0 - good)]).unwrap();
        }
    }
    let references = vec![vec![text(&[0, 1, 2, 3, 0, 1])]];
    let (metric, smoothed) = metrics("bleu");
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
    let forests = [forest];
    let surface = Forests::new(&forests, &objective, &text).unwrap();
    let start = vec![-0.4, 0.3, 0.3];
    assert!(objective.score(&surface.sums(&start)) < 20.0);
    let (gathered, objective) = (Gathered::Forests(&surface), &objective);
    let job = Job { gathered, objective, starts: &[start], seed: 1, repeats: false };
    let tuned = Mert { restarts: Some(3), ..Mert::default() }.optimise(&job).unwrap();
    assert!((tuned.score - 100.0).abs() < 1e-9, "{tuned:?}");
}
