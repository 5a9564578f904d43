//! The line search finds the best place there is: checked at every crossing of any two candidates, and on a grid.

use crate::common::{candidate, gather, metrics, optimise, text};
use proptest::prelude::*;
use treeglot_metrics::Hypothesis;
use treeglot_tune::{Candidate, DevSet, ErrorSurface, Mert, Objective, Sweep};

const FEATURES: usize = 3;

/// The goodness at a place, by looking at every candidate; ties go to any of the best, so places must not be crossings.
fn goodness(lists: &[Vec<Candidate>], objective: &Objective<'_>, weights: &[f64]) -> f64 {
    let mut sums = vec![0.0; objective.size()];
    let mut statistics = Vec::new();
    for (sentence, list) in lists.iter().enumerate() {
        let score = |c: &Candidate| c.dense.iter().zip(weights).map(|(&f, w)| f64::from(f) * w).sum::<f64>();
        let best = list.iter().reduce(|best, c| if score(c) > score(best) { c } else { best });
        let words = best.map_or("", |c| c.text.as_str());
        objective.statistics(sentence, &Hypothesis::new(words), &mut statistics);
        sums.iter_mut().zip(&statistics).for_each(|(sum, s)| *sum += s);
    }
    objective.goodness(&sums)
}

/// All steps at which two candidates of a sentence cross.
fn crossings(lists: &[Vec<Candidate>], weights: &[f64], direction: &[f64]) -> Vec<f64> {
    let mut steps = Vec::new();
    let dot = |c: &Candidate, v: &[f64]| c.dense.iter().zip(v).map(|(&f, w)| f64::from(f) * w).sum::<f64>();
    for list in lists {
        for (i, a) in list.iter().enumerate() {
            for b in &list[..i] {
                let slopes = dot(b, direction) - dot(a, direction);
                if slopes.abs() > 1e-9 {
                    steps.push((dot(a, weights) - dot(b, weights)) / slopes);
                }
            }
        }
    }
    steps.sort_unstable_by(f64::total_cmp);
    steps.dedup_by(|a, b| (*a - *b).abs() < 1e-7);
    steps
}

fn at(weights: &[f64], direction: &[f64], step: f64) -> Vec<f64> {
    weights.iter().zip(direction).map(|(w, d)| w + step * d).collect()
}

fn lists() -> impl Strategy<Value = Vec<Vec<(Vec<u32>, [i8; FEATURES])>>> {
    let words = proptest::collection::vec(0u32..6, 0..8);
    let features = proptest::array::uniform3(-6i8..6);
    proptest::collection::vec(proptest::collection::vec((words, features), 0..8), 1..5)
}

fn candidates_of(lists: Vec<Vec<(Vec<u32>, [i8; FEATURES])>>) -> Vec<Vec<Candidate>> {
    let one = |(words, features): (Vec<u32>, [i8; FEATURES])| {
        candidate(&words, &features.map(|f| f32::from(f) + 0.17 * words.len() as f32))
    };
    lists.into_iter().map(|list| list.into_iter().map(one).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_best_step_is_that_of_an_exhaustive_search(
        lists in lists(),
        weights in proptest::array::uniform3(-1.0f64..1.0),
        direction in proptest::array::uniform3(-1.0f64..1.0),
        metric in proptest::sample::select(vec!["bleu", "ter", "0.5*bleu+0.5*chrf", "bleu-ter"]),
    ) {
        let lists = candidates_of(lists);
        let references: Vec<Vec<String>> =
            (0..lists.len() as u32).map(|s| vec![text(&[s, 1, 2, 3, 4]), text(&[0, 1, s])]).collect();
        let (metric, smoothed) = metrics(metric);
        let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
        let candidates = gather(&lists, FEATURES, &objective);
        let mut sweep = Sweep::default();
        let mut point = candidates.at(&weights);
        candidates.line(&mut point, &direction, &mut sweep);
        let found = sweep.best(&objective);

        let steps = crossings(&lists, &weights, &direction);
        let mut places: Vec<f64> = steps.windows(2).map(|w| 0.5 * (w[0] + w[1])).collect();
        places.extend([steps.first().map_or(0.0, |s| s - 1.0), steps.last().map_or(0.0, |s| s + 1.0)]);
        places.extend((-200..=200).map(|i| f64::from(i) / 20.0 + 1e-6));
        let best = places.iter().map(|&s| goodness(&lists, &objective, &at(&weights, &direction, s)));
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((found.goodness - best).abs() < 1e-6, "{} is not {best}", found.goodness);
        let reached = goodness(&lists, &objective, &at(&weights, &direction, found.step));
        prop_assert!((found.goodness - reached).abs() < 1e-6, "{} is not {reached}", found.goodness);
    }
}

#[test]
fn weights_are_the_same_on_any_number_of_threads() {
    let (metric, smoothed) = metrics("bleu");
    let references: Vec<Vec<String>> = (0..20).map(|s| vec![text(&[s, s + 1, s + 2, 3, 4])]).collect();
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
    let lists: Vec<Vec<Candidate>> = (0..20u32)
        .map(|s| {
            let one = |i: u32| {
                let words = [s, s + i % 3, s + (i * i) % 5, 3 + i % 2, 4];
                candidate(&words, &[(i * 7 % 11) as f32, (i * s % 13) as f32, (i % 5) as f32])
            };
            (0..30).map(one).collect()
        })
        .collect();
    let candidates = gather(&lists, FEATURES, &objective);
    let tune = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| optimise(&Mert::default(), &candidates, &objective, &[0.3, 0.3, 0.4]).unwrap())
    };
    let one = tune(1);
    assert_eq!(one, tune(3));
    let sum: f64 = one.weights.iter().map(|w| w.abs()).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    assert!(one.score >= objective.score(&candidates.sums(&[0.3, 0.3, 0.4])));
}
