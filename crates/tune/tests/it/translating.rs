//! A translation system as the decoder of the loop.

use crate::common::metrics;
use treeglot_decode::{Error, FeatureSet, System, Translation, Translations, Wanted, Weights, Worker};
use treeglot_tree::PerTree;
use treeglot_tune::{Decoder, DevSet, Method, Objective, Translating, TuneSettings, tune};

/// Knows three translations of every line, which differ in their features.
struct Three {
    features: FeatureSet,
    weights: Vec<f32>,
}

impl System for Three {
    fn features(&self) -> &FeatureSet {
        &self.features
    }

    fn weights(&self) -> &[f32] {
        &self.weights
    }

    fn worker(&self) -> Result<Box<dyn Worker + '_>, Error> {
        Ok(Box::new(ThreeWorker(self)))
    }
}

struct ThreeWorker<'a>(&'a Three);

impl Worker for ThreeWorker<'_> {
    fn translate(&mut self, line: &str, wanted: &Wanted) -> Translations {
        let reversed: Vec<&str> = line.split(' ').rev().collect();
        let all = [
            (reversed.join(" "), vec![-1.0, -3.0, -100.0]),
            (line.to_string(), vec![-2.0, -1.0, -100.0]),
            (format!("{line} {line}"), vec![-0.5, -4.0, 0.0]),
        ];
        let score = |features: &[f64]| {
            features.iter().zip(&self.0.weights).map(|(f, &w)| f * f64::from(w)).sum::<f64>()
        };
        let one = |(text, features): (String, Vec<f64>)| Translation {
            score: score(&features),
            text,
            features,
            explanation: None,
            tree: None,
        };
        let mut best: Vec<Translation> = all.into_iter().map(one).collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        best.truncate(wanted.count);
        Translations { best, narrowed: None }
    }
}

fn make(weights: &Weights) -> Result<Box<dyn System>, Error> {
    let mut features = FeatureSet::default();
    features.add("LM0", 1);
    features.add("TM0", 1);
    features.add("UnknownWordPenalty0", 1);
    let weights = weights.vector(&features)?;
    Ok(Box::new(Three { features, weights }))
}

#[test]
fn a_system_is_tuned_with_lines_in_order_and_fixed_weights_kept() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("dev");
    let lines: Vec<String> = (0..50).map(|i| format!("a{i} b c{i} d e")).collect();
    std::fs::write(&source, lines.join("\n")).unwrap();
    let path = folder.path().join("weights");
    std::fs::write(&path, "LM0= 0.9\nTM0= 0.1\nUnknownWordPenalty0= 0.001\n").unwrap();
    let weights = Weights::read(&path).unwrap();

    let dev = DevSet::new(lines.iter().map(|line| vec![line.clone()]).collect());
    let (metric, smoothed) = metrics("bleu");
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let tuned = |threads| {
        let (mut decoder, start) =
            Translating::new(&source, &PerTree::default(), &weights, threads, make).unwrap();
        assert_eq!(decoder.len(), 50);
        let first = decoder.kbest(&start, 1).unwrap();
        assert!(first.iter().zip(&lines).all(|(list, line)| list[0].text == format!("{line} {line}")));
        tune(&mut decoder, &objective, &start, &TuneSettings::default(), None, &mut |_| {}).unwrap()
    };
    let one = tuned(1);
    assert!((one.score - 100.0).abs() < 1e-9, "{one:?}");
    assert_eq!(one.weights[2], f64::from(0.001_f32));
    assert_eq!(one, tuned(3));
}

#[test]
fn a_system_without_forests_cannot_be_tuned_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let (source, path) = (folder.path().join("dev"), folder.path().join("weights"));
    std::fs::write(&source, "a b\n").unwrap();
    std::fs::write(&path, "LM0= 0.9\nTM0= 0.1\nUnknownWordPenalty0= 0.001\n").unwrap();
    let weights = Weights::read(&path).unwrap();
    let dev = DevSet::new(vec![vec!["a b".to_string()]]);
    let (metric, smoothed) = metrics("bleu");
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let (mut decoder, start) = Translating::new(&source, &PerTree::default(), &weights, 1, make).unwrap();
    let settings = TuneSettings { method: Method::Mert, forest: Some(30), ..TuneSettings::default() };
    let tuned = tune(&mut decoder, &objective, &start, &settings, None, &mut |_| {});
    assert!(tuned.unwrap_err().to_string().contains("leave `forest` out"));
}
