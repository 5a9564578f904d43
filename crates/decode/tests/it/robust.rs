//! No line makes the search fail or run away, and its result does not depend on the lines before.

use crate::common;

use std::time::Duration;
use treeglot_decode::{
    ChartSystem, Deadline, Extra, Resources, SearchSettings, System, TableRole, Wanted, Weights,
};
use treeglot_grammar::Table;
use treeglot_models::chart::MadeElsewhere;

const RULES: &str = "a [X] ||| A [X] ||| 0.5 ||| 0-0\na [X] ||| AA [X] ||| 0.25 ||| 0-0\n\
[X][X] b [X][X] [X] ||| [X][X] B [X][X] [X] ||| 0.5 ||| 0-2 1-1 2-0\n";

fn resources(tables: Vec<Table>) -> Resources {
    let tables = tables.into_iter().map(|table| (TableRole::Model, table)).collect();
    Resources { tables, ..Resources::default() }
}

fn system(folder: &std::path::Path) -> ChartSystem {
    let table = common::table(RULES, &folder.join("table"));
    std::fs::write(folder.join("weights"), "WordPenalty0= 0\nTranslationModel0= 1\n")
        .expect("a temporary file");
    let weights = Weights::read(folder.join("weights")).expect("good weights");
    let settings = SearchSettings { max_span: Some(0), ..SearchSettings::default() };
    ChartSystem::new(Box::new(MadeElsewhere), resources(vec![table]), &weights, &settings)
        .expect("all weights")
}

#[test]
fn odd_lines_are_translated() {
    let folder = tempfile::tempdir().unwrap();
    let system = system(folder.path());
    let mut worker = system.worker().unwrap();
    for (line, expected) in [
        ("", ""),
        ("   ", ""),
        ("a", "A"),
        ("a b a", "A B A"),
        ("||| [X] </s> <s>", "||| [X] </s> <s>"),
        ("\u{0e2d}\u{1f600} \u{feff}", "\u{0e2d}\u{1f600} \u{feff}"),
    ] {
        let found =
            worker.translate(line, &Wanted { count: 5, distinct: true, explain: true, ..Wanted::default() });
        assert_eq!(found.best[0].text, expected);
        assert_eq!(found.narrowed, None);
        let parts: f64 = found.best[0].explanation.iter().flat_map(|e| &e.rules).map(|rule| rule.score).sum();
        assert_eq!(parts, found.best[0].score);
    }
}

#[test]
fn a_line_of_a_thousand_words_is_searched_narrowly_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let line = "a b c ".repeat(334);
    let system = system(folder.path());
    let mut worker = system.worker().unwrap();
    let found = worker.translate(&line, &Wanted { count: 3, distinct: true, ..Wanted::default() });
    let again = worker.translate("a", &Wanted::default());
    assert_eq!(found.best[0].text.split(' ').count(), 1002);
    assert_eq!(found.narrowed.as_deref(), Some("1002 words: searched with spans of 20 and 142 pops"));
    assert_eq!(again.best[0].text, "A");
}

#[test]
fn rules_of_two_tables_are_used_together() {
    let folder = tempfile::tempdir().unwrap();
    let first = common::table(RULES, &folder.path().join("first"));
    let second = common::table("c [X] ||| C [X] ||| 0.5 0.5 ||| 0-0\n", &folder.path().join("second"));
    let path = folder.path().join("weights");
    std::fs::write(&path, "WordPenalty0= 0\nTranslationModel0= 1\nTranslationModel1= 1 2\n").unwrap();
    let weights = Weights::read(&path).unwrap();
    let (model, settings) = (Box::new(MadeElsewhere), SearchSettings::default());
    let system = ChartSystem::new(model, resources(vec![first, second]), &weights, &settings).unwrap();
    let found = system.worker().unwrap().translate("a b c", &Wanted::default());
    assert_eq!(found.best[0].text, "C B A");
    assert!((found.best[0].score - 5.0 * 0.5f64.ln()).abs() < 1e-5);
}

#[test]
fn a_feature_that_is_asked_for_counts_in_charts_and_stacks_alike() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rules) in [
        ("hiero", "a [X] ||| A so [X] ||| 0.5 ||| 0-0\na [X] ||| A [X] ||| 0.49 ||| 0-0\n"),
        ("phrase", "a ||| A so ||| 0.5 ||| 0-0\na ||| A ||| 0.49 ||| 0-0\n"),
    ] {
        let table = common::table(rules, &folder.path().join(name));
        let model = treeglot_models::registry::find(name).unwrap().from_value(serde_json::json!({})).unwrap();
        let settings = SearchSettings { features: vec![Extra::UnlinkedWords], ..SearchSettings::default() };
        let resources = resources(vec![table]);
        let path = folder.path().join("weights");
        let distortion = if name == "phrase" { "Distortion0= 0\n" } else { "" };
        let text = format!("WordPenalty0= 0\n{distortion}TranslationModel0= 1\nUnlinkedWords0= -2\n");
        std::fs::write(&path, text).unwrap();
        let weights = Weights::read(&path).unwrap();
        let system = resources.system(model, &weights, &settings).unwrap();
        let found = system.worker().unwrap().translate("a", &Wanted { count: 2, ..Wanted::default() });
        let at = system.features().find("UnlinkedWords0").unwrap().start;
        let values: Vec<(&str, f64)> = found.best.iter().map(|t| (t.text.as_str(), t.features[at])).collect();
        assert_eq!(values, [("A", 0.0), ("A so", 1.0)], "{name}");
    }
}

#[test]
fn a_search_that_is_out_of_time_stops_and_the_next_one_is_as_ever() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rules) in
        [("hiero", "a [X] ||| A [X] ||| 0.5 ||| 0-0\n"), ("phrase", "a ||| A ||| 0.5 ||| 0-0\n")]
    {
        let table = common::table(rules, &folder.path().join(name));
        let model = treeglot_models::registry::find(name).unwrap().from_value(serde_json::json!({})).unwrap();
        let (resources, settings) = (resources(vec![table]), SearchSettings::default());
        let weights = resources.first_weights(&*model, &settings);
        let system = resources.system(model, &weights, &settings).unwrap();
        let mut worker = system.worker().unwrap();
        let (over, later) = (Deadline::after(Duration::ZERO), Deadline::after(Duration::from_secs(3600)));
        let stopped = worker.translate("a a a", &Wanted { deadline: over, count: 3, ..Wanted::default() });
        assert!(stopped.stopped && stopped.best.is_empty(), "{name}");
        let found = worker.translate("a a a", &Wanted { deadline: later, ..Wanted::default() });
        assert!(!found.stopped && found.best[0].text == "A A A", "{name}");
    }
}
