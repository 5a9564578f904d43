//! Tuners learn what the metric wants, with dense and sparse features.

use crate::common::{candidate, gather, metrics, optimise, text};
use treeglot_tune::{Candidate, DevSet, Error, Mert, Method, Mira, Objective, Pro, TuneSettings};

/// Forty sentences with 25 candidates: feature 0 tells how many words are right, feature 1 misleads, feature 2 is the
/// same for all. Sparse feature 10 is there when the last word is right.
fn lists() -> (Vec<Vec<String>>, Vec<Vec<Candidate>>) {
    let references = (0..40u32).map(|s| vec![text(&[s, s + 1, s + 2, s + 3, s + 4])]).collect();
    let list = |s: u32| {
        let one = |i: u32| {
            let mut words = [s, s + 1, s + 2, s + 3, s + 4];
            (0..5).filter(|bit| i >> bit & 1 == 1).for_each(|bit| words[bit as usize] = 99);
            let right = 5 - i.count_ones();
            let noise = (i * 31 + s * 17) % 10;
            let dense = [right as f32 + 0.2 * noise as f32, (noise + i.count_ones()) as f32, 3.0];
            let sparse = if words[4] == 99 { vec![] } else { vec![(10, 1.0)] };
            Candidate { sparse, ..candidate(&words, &dense) }
        };
        (0..25).map(one).collect()
    };
    (references, (0..40).map(list).collect())
}

#[test]
fn every_method_raises_the_score_and_leaves_constant_features_alone() {
    let (references, lists) = lists();
    let dev = DevSet::new(references);
    for expression in ["bleu", "ter", "chrf"] {
        let (metric, smoothed) = metrics(expression);
        let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
        let candidates = gather(&lists, 3, &objective);
        let start = vec![-0.2, 0.7, 5.0];
        let before = objective.goodness(&candidates.sums(&start));
        for &method in Method::ALL.iter().filter(|method| method.tunes()) {
            let (settings, name) = (TuneSettings { method, ..TuneSettings::default() }, method.name());
            let tuned = settings.optimise(&candidates, &objective, &start).unwrap();
            let after = objective.goodness(&candidates.sums(&tuned.weights));
            assert!(after > before + 10.0, "{name} on {expression}: {before} to {after}");
            assert_eq!(tuned.weights[2], 5.0, "{name} moves a weight that does nothing");
            assert_eq!(tuned.weights.len(), 11);
            assert!(tuned.weights[10] != 0.0, "{name} does not use the sparse feature: {:?}", tuned.weights);
        }
    }
}

#[test]
fn the_interpolation_of_pro_says_how_far_to_go() {
    let (references, lists) = lists();
    let (metric, smoothed) = metrics("bleu");
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
    let candidates = gather(&lists, 3, &objective);
    let start = vec![0.5, 0.5, 1.0];
    let tune = |interpolation| {
        let pro = Pro { interpolation: Some(interpolation), ..Pro::default() };
        optimise(&pro, &candidates, &objective, &start).unwrap().weights
    };
    let away = |weights: &[f64]| weights.iter().zip(&start).map(|(w, s)| (w - s).abs()).sum::<f64>();
    assert!(away(&tune(0.0)) < 1e-12);
    assert!(away(&tune(0.1)) < away(&tune(1.0)));
}

#[test]
fn candidates_are_new_if_words_or_features_are() {
    let (metric, smoothed) = metrics("bleu");
    let references = vec![vec![text(&[1, 2, 3])]];
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
    let first =
        vec![vec![candidate(&[1, 2], &[1.0]), candidate(&[1, 2], &[1.0]), candidate(&[1, 2], &[2.0])]];
    let mut candidates = gather(&first, 1, &objective);
    assert_eq!(candidates.total(), 2);
    assert_eq!(candidates.add(&first, &objective).unwrap(), 0);
    let mut other = candidate(&[1, 2], &[1.0]);
    other.sparse = vec![(4, 0.5)];
    assert_eq!(candidates.add(&[vec![other, candidate(&[2, 1], &[1.0])]], &objective).unwrap(), 2);
    assert_eq!(candidates.features(), 5);
}

#[test]
fn what_cannot_be_tuned_is_an_error() {
    let (metric, smoothed) = metrics("bleu");
    let references = vec![vec![text(&[1, 2, 3])]];
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &DevSet::new(references));
    let same = gather(&[vec![candidate(&[1], &[1.0]), candidate(&[2], &[1.0])]], 1, &objective);
    assert!(matches!(optimise(&Mert::default(), &same, &objective, &[1.0]), Err(Error::NothingToTune)));
    assert!(matches!(optimise(&Mira::default(), &same, &objective, &[1.0]), Err(Error::NothingToTune)));
    for weight in [f64::NAN, f64::INFINITY] {
        let found = TuneSettings::default().optimise(&same, &objective, &[weight]);
        assert!(matches!(found, Err(Error::WeightNotFinite)));
    }
    let mut candidates = gather(&[vec![]], 1, &objective);
    let error = candidates.add(&[vec![candidate(&[1], &[f32::NAN])]], &objective).unwrap_err();
    assert_eq!(error.to_string(), "a candidate of sentence 0 has a feature that is not a finite number");
    let error = candidates.add(&[vec![candidate(&[1], &[1.0, 2.0])]], &objective).unwrap_err();
    assert!(error.to_string().contains("has 2 dense features, but 1"), "{error}");
    assert!(candidates.add(&[], &objective).is_err());
}
