//! Lines as long as nobody writes them: translated with n-best lists and explanations on a thread with the stack that every thread
//! has.

use crate::common;

use treeglot_decode::{Resources, SearchSettings, TableRole, Translations, Wanted, write_nbest};
use treeglot_models::registry;

const PHRASES: &str = "a ||| A ||| 0.5 ||| 0-0\na ||| AA ||| 0.25 ||| 0-0\na b ||| B A ||| 0.5 ||| 0-1 1-0\n";
const RULES: &str = "a [X] ||| A [X] ||| 0.5 ||| 0-0\na [X] ||| AA [X] ||| 0.25 ||| 0-0\n\
a [X][X] [X] ||| [X][X] A [X] ||| 0.5 ||| 0-1 1-0\n";

/// What is found for a line, and the line of the best translation in an n-best list.
fn translate(model: &'static str, rules: &str, line: String, wanted: Wanted) -> (Translations, String) {
    let folder = tempfile::tempdir().unwrap();
    let table = common::table(rules, &folder.path().join("table"));
    let resources = Resources { tables: vec![(TableRole::Model, table)], ..Resources::default() };
    let work = move || {
        let model = registry::find(model).unwrap().from_value(serde_json::json!({})).unwrap();
        let settings = SearchSettings { pop_limit: Some(30), ..SearchSettings::default() };
        let weights = resources.first_weights(&*model, &settings);
        let system = resources.system(model, &weights, &settings).unwrap();
        let found = system.worker().unwrap().translate(&line, &wanted);
        let mut text = String::new();
        for best in &found.best {
            if let Some(explanation) = &best.explanation {
                explanation.write(&mut text);
            }
            write_nbest(0, &best.text, system.features(), &best.features, best.score, &mut text);
        }
        (found, text)
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap()
}

#[test]
fn twenty_thousand_words_need_no_more_stack_than_any_thread_has() {
    let line = "a b c ".repeat(6_667);
    for (model, rules) in [("phrase", PHRASES), ("hiero", RULES)] {
        let wanted = Wanted { count: 3, distinct: true, explain: true, ..Wanted::default() };
        let (found, text) = translate(model, rules, line.clone(), wanted);
        assert_eq!(found.best.len(), 3, "{model}");
        assert!(found.best[0].text.split(' ').count() >= 20_000, "{model}");
        assert!(text.len() < 100 << 20, "{model}: {} bytes", text.len());
    }
}

#[test]
fn fewer_translations_of_a_very_long_line_are_given_and_told() {
    let (found, _) =
        translate("phrase", PHRASES, "a ".repeat(50_000), Wanted { count: 100, ..Wanted::default() });
    assert_eq!(found.best.len(), 20);
    assert_eq!(found.narrowed.as_deref(), Some("50000 words: the 20 best translations instead of 100"));
}

#[test]
fn empty_and_blank_lines_have_values_for_every_feature() {
    for (model, rules) in [("phrase", PHRASES), ("hiero", RULES)] {
        for line in ["", "  ", "\t"] {
            for count in [1, 5] {
                let wanted = Wanted { count, distinct: true, explain: true, ..Wanted::default() };
                let (found, text) = translate(model, rules, line.to_string(), wanted);
                assert_eq!((found.best.len(), found.best[0].text.as_str()), (1, ""), "{model}");
                assert!(text.contains("WordPenalty0="), "{model}: {text}");
            }
        }
    }
}

#[test]
fn words_that_read_as_notation_are_translated_as_themselves() {
    let rules =
        "&#91;Bild&#93; ||| &#91;picture&#93; ||| 0.5 ||| 0-0\n&#124;&#124;&#124; ||| bars ||| 0.5 ||| 0-0\n";
    let (found, _) = translate("phrase", rules, "[Bild] ||| [X] [".to_string(), Wanted::default());
    assert_eq!(found.best[0].text, "[picture] bars [X] [");
}
