//! An operation sequence model in stack search: its value is that of the operations of the finished pair, worked out as in training.

use crate::common;
use std::path::Path;
use treeglot_decode::{
    ChartSystem, Derivation, LmRole, PhraseSystem, Resources, SearchSettings, SentenceVocab, System,
    TableRole, operations_line,
};
use treeglot_lm::{Lm, LmLayout, Settings, estimate};
use treeglot_models::chart::MadeElsewhere;
use treeglot_models::registry;
use treeglot_text::Input;

const INPUT: &str = "a b c d a b";

/// Every source word has a link: words without one are generated after their left neighbours in a sentence, and where
/// a phrase begins with them.
const PHRASES: &str = "\
a ||| A ||| 0.5 ||| 0-0
a ||| B A ||| 0.3 ||| 0-1
b ||| B ||| 0.5 ||| 0-0
c ||| C ||| 0.4 ||| 0-0
c d ||| A C B ||| 0.4 ||| 1-0 0-1 0-2 1-2
d a ||| A D ||| 0.4 ||| 0-1 1-0
a b ||| B X A ||| 0.6 ||| 0-2 1-0
b c ||| C ||| 0.4 ||| 1-0 0-0
b c d ||| D C A ||| 0.4 ||| 2-0 0-2 1-1
";

fn model(text: &str, folder: &Path) -> Lm {
    let path = folder.join("text");
    std::fs::write(&path, text).unwrap();
    let (estimated, _) =
        estimate::within_memory(Input::open(&path).unwrap(), &Settings::of_order(4), 1 << 28).unwrap();
    Lm::build(estimated.into_ngrams(), LmLayout::Probing).unwrap()
}

/// A pair with its links.
type Linked = (&'static str, &'static str, &'static [(usize, usize)]);

/// A model of the operations of pairs made of the same words.
fn operations(folder: &Path) -> Lm {
    let pairs: [Linked; 4] = [
        ("a b c d a b", "A B C D B A", &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (5, 4)]),
        ("b c d a", "C A D B", &[(0, 0), (1, 0), (3, 1), (2, 2)]),
        ("a b c d", "D C A B X", &[(3, 0), (2, 1), (1, 2), (0, 3)]),
        ("c d a b", "A C B A B", &[(1, 0), (0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]),
    ];
    let mut text = String::new();
    for (source, target, links) in pairs {
        let [source, target] = [source, target].map(|side| side.split(' ').collect::<Vec<_>>());
        let mut line = String::new();
        operations_line(&source, &target, links, &mut line);
        text += &(line + "\n");
    }
    model(&text.repeat(3), folder)
}

/// The value of the finished pair.
fn of_pair(lm: &Lm, derivation: &Derivation, vocab: &SentenceVocab<'_>) -> f32 {
    let origins = derivation.origins();
    let source: Vec<&str> = INPUT.split(' ').collect();
    let target: Vec<&str> = origins.iter().map(|origin| vocab.text(origin.word)).collect();
    let links: Vec<(usize, usize)> = (0..)
        .zip(&origins)
        .flat_map(|(at, origin)| origin.sources.iter().map(move |&source| (source as usize, at)))
        .collect();
    let mut line = String::new();
    operations_line(&source, &target, &links, &mut line);
    let symbols: Vec<_> = line.split(' ').map(|operation| lm.symbol(operation)).collect();
    (lm.tables().sentence(&symbols).prob * std::f64::consts::LN_10) as f32
}

fn resources(folder: &Path) -> Resources {
    Resources {
        tables: vec![(TableRole::Model, common::table(PHRASES, &folder.join("table")))],
        lms: vec![(LmRole::Ngram, model("A B C\nC B A D\nX A B\n", folder))],
        operations: Some(operations(folder)),
        ..Resources::default()
    }
}

#[test]
fn every_derivation_has_the_value_of_its_pair() {
    let folder = tempfile::tempdir().unwrap();
    let (resources, lm) = (resources(folder.path()), operations(folder.path()));
    let model = registry::find("phrase").unwrap().from_value(serde_json::json!({})).unwrap();
    let settings = SearchSettings::default();
    let weights = resources.first_weights(&*model, &settings);
    let system = PhraseSystem::new(resources, &weights, &settings).unwrap();
    let at = System::features(&system).find("OperationModel0").unwrap().start;
    let mut worker = system.worker();
    let words: Vec<&str> = INPUT.split(' ').collect();
    // Twice, for phrases are kept from sentence to sentence.
    for _ in 0..2 {
        let mut searched = worker.search(&words);
        let best = searched.kbest(500, false);
        assert!(best.len() > 400, "{}", best.len());
        let mut swapped = 0;
        for (derivation, score) in &best {
            let value = derivation.total_features()[at] as f32;
            let wanted = of_pair(&lm, derivation, searched.vocab());
            assert!((value - wanted).abs() < 1e-3, "{value} {wanted}");
            assert!((derivation.score() - score).abs() < 1e-3, "{} {score}", derivation.score());
            swapped +=
                usize::from(derivation.steps().windows(2).any(|two| two[1].span.start < two[0].span.start));
        }
        assert!(swapped > 50, "{swapped}");
    }
    let mut forced = worker.force(&words, &["A", "B", "C", "A", "D", "B"]);
    let score = forced.score().map(f64::from).unwrap();
    assert!((forced.best().unwrap().score() - score).abs() < 1e-3);
}

#[test]
fn a_chart_refuses_it() {
    let folder = tempfile::tempdir().unwrap();
    let resources = resources(folder.path());
    let settings = SearchSettings::default();
    let weights = resources.first_weights(&MadeElsewhere, &settings);
    let refused = ChartSystem::new(Box::new(MadeElsewhere), resources, &weights, &settings);
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("a chart cannot use it"), "{error}");
}
