//! No input makes the search fail or run away, and the same input gives the same result.

use super::phrase_list::{Builder, PhraseList, resources};
use treeglot_decode::{Applied, Limits, PhraseSystem, SearchSettings, Weights};
use treeglot_grammar::RuleLink;
use treeglot_lm::estimate;
use treeglot_lm::{Lm, LmLayout};
use treeglot_models::Applies;
use treeglot_text::Input;

fn lm(text: &str) -> Lm {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let settings = treeglot_lm::Settings::of_order(3);
    let input = Input { name: "text".into(), reader };
    Lm::build(estimate::from_text(input, &settings).unwrap().0, LmLayout::Probing).unwrap()
}

fn list(phrases: &[(&str, &str, f32)]) -> PhraseList {
    let mut builder = Builder::new();
    for (source, target, score) in phrases {
        builder.phrase(source, target, &[*score], vec![RuleLink::new(0, 0)]);
    }
    builder.finish()
}

fn system(limits: Limits) -> PhraseSystem<PhraseList> {
    let first =
        list(&[("das", "the", 0.7), ("das", "that", 0.3), ("haus", "house", 0.9), ("rotes", "red", 0.5)]);
    let second = list(&[("haus", "house", 0.5), ("haus", "home", 0.5), ("rotes haus", "red house", 1.0)]);
    let mut weights = Weights::default();
    for (name, value) in [
        ("Distortion0", 0.1),
        ("LM0", 0.2),
        ("LM1", 0.2),
        ("WordPenalty0", -0.3),
        ("PhrasePenalty0", 0.1),
        ("TranslationModel0", 0.5),
        ("TranslationModel1", 0.5),
    ] {
        weights.or_default(name, &[value]);
    }
    let lms = vec![lm("the red house\nthat house\n"), lm("the home\nthe house\n")];
    let system = PhraseSystem::new(resources(vec![first, second], lms), &weights, &SearchSettings::default());
    system.and_then(|system| system.with_limits(limits)).unwrap()
}

#[test]
fn several_tables_and_language_models_work_together() {
    let system = system(Limits::of(Applies::Phrases));
    let mut worker = system.worker();
    let mut searched = worker.search(&["das", "rotes", "haus", "Igel"]);
    let best = searched.best().unwrap();
    let mut words = Vec::new();
    best.words(&mut words);
    assert_eq!(searched.vocab().join(&words), "the red house Igel");
    let tables: Vec<_> = best.steps().iter().map(|step| step.applied).collect();
    assert!(matches!(
        tables[..],
        [Applied::Rule { table: 0, .. }, Applied::Rule { table: 1, .. }, Applied::Unknown]
    ));
    let origins: Vec<Vec<u32>> = best.origins().into_iter().map(|origin| origin.sources).collect();
    assert_eq!(origins, [vec![0], vec![1], vec![], vec![3]]);
}

#[test]
fn an_empty_line_has_an_empty_translation() {
    for pops in [None, Some(10)] {
        let system = system(Limits { pops, ..Limits::of(Applies::Phrases) });
        let best = system.worker().search(&[]).best().unwrap();
        assert_eq!((best.steps().len(), best.score()), (0, 0.0));
    }
}

#[test]
fn a_sentence_of_a_thousand_words_is_translated_within_the_limits() {
    let words: Vec<&str> =
        ["das", "rotes", "haus", "Igel", "<s>", "|||"].into_iter().cycle().take(1000).collect();
    for distortion in [Some(0), Some(6), None] {
        let system = system(Limits { distortion, pops: Some(20), beam: 20, ..Limits::of(Applies::Phrases) });
        let mut worker = system.worker();
        let mut searched = worker.search(&words);
        assert_eq!(searched.narrowed, distortion.is_none());
        let mut covered = vec![0; words.len()];
        for step in searched.best().unwrap().steps() {
            covered[step.span.start as usize..step.span.end as usize]
                .iter_mut()
                .for_each(|count| *count += 1);
        }
        assert!(covered.iter().all(|&count| count == 1));
    }
}

#[test]
fn the_order_of_sentences_does_not_matter() {
    let system = system(Limits::of(Applies::Phrases));
    let sentences: [&[&str]; 4] = [&["das", "haus"], &["Igel", "das"], &[], &["rotes", "haus", "das"]];
    let mut worker = system.worker();
    let forwards: Vec<_> = sentences.iter().map(|words| worker.search(words).kbest(5, false)).collect();
    let mut worker = system.worker();
    let mut backwards: Vec<_> =
        sentences.iter().rev().map(|words| worker.search(words).kbest(5, false)).collect();
    backwards.reverse();
    for (a, b) in forwards.iter().flatten().zip(backwards.iter().flatten()) {
        assert_eq!((a.1, a.0.total_features()), (b.1, b.0.total_features()));
    }
}

#[test]
fn unknown_words_leave_nothing_behind_for_the_phrases_of_the_next_sentence() {
    let system = system(Limits::of(Applies::Phrases));
    let mut worker = system.worker();
    let sentences: [&[&str]; 2] = [&["Igel", "Hase", "Fuchs", "Wal", "Uhu"], &["rotes", "haus"]];
    for words in sentences {
        let mut searched = worker.search(words);
        for (derivation, score) in searched.kbest(20, false) {
            assert!((derivation.score() - score).abs() < 1e-4, "{words:?}: {score} {}", derivation.score());
        }
    }
}

#[test]
fn a_pop_limit_of_nothing_is_refused() {
    let settings = SearchSettings { pop_limit: Some(0), ..SearchSettings::default() };
    let mut weights = Weights::default();
    weights.or_default("Distortion0", &[0.0]);
    weights.or_default("WordPenalty0", &[0.0]);
    let error = PhraseSystem::new(resources(Vec::new(), Vec::new()), &weights, &settings).err().unwrap();
    assert!(error.to_string().contains("pop limit"), "{error}");
}
