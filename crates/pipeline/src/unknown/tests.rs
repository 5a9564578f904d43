//! What is learnt of a table of a few words, and what is guessed by it.

use super::analyse::Analyser;
use super::{Affixes, Guesser, Lexicon};
use std::fmt::Write as _;
use std::path::Path;
use treeglot_grammar::table::{Import, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_models::{Guidance, Origin};
use treeglot_text::Input;

/// German nouns with a plural in `en`, which English translates alike here; compounds of them, with `s` between or nothing.
const NOUNS: [(&str, &str); 6] = [
    ("zeitung", "paper"),
    ("rechnung", "bill"),
    ("sitzung", "session"),
    ("wohnung", "flat"),
    ("heizung", "heating"),
    ("übung", "exercise"),
];

const COMPOUNDS: [(&str, &str); 5] = [
    ("zeitungsrechnung", "paper bill"),
    ("wohnungsheizung", "flat heating"),
    ("heizungsrechnung", "heating bill"),
    ("wohnungsrechnung", "flat bill"),
    ("sitzungszeitung", "session paper"),
];

/// A table of words that were all seen a number of times.
fn lexicon(folder: &Path) -> Lexicon {
    let mut text = String::new();
    let mut add = |source: &str, target: &str| {
        writeln!(text, "{source} ||| {target} ||| 0.5 0.5 1 0.5 ||| 0-0 ||| 9 9 9").expect("strings grow");
    };
    for (source, target) in NOUNS {
        add(source, target);
        if source != "sitzung" {
            add(&format!("{source}en"), target);
        }
    }
    COMPOUNDS.iter().for_each(|(source, target)| add(source, target));
    let (rules, path) = (folder.join("rules"), folder.join("table"));
    std::fs::write(&rules, text).expect("a new folder takes files");
    let options = Import { model: "phrase".to_string(), memory: 1 << 24 };
    let scratch = Scratch::new(Some(folder));
    import(Input::open(&rules).expect("just written"), None, &options, &scratch, &path)
        .expect("a right table");
    Lexicon::new(vec![Table::open(&path).expect("just written")])
}

fn told(lexicon: &Lexicon, affixes: &Affixes, word: &str) -> Vec<String> {
    let analyser = Analyser { lexicon, affixes };
    analyser.translations(word).into_iter().map(|(words, _)| words).collect()
}

#[test]
fn other_forms_and_compounds_of_known_words_are_guessed_and_names_are_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lexicon = lexicon(folder.path());
    let affixes = Affixes::learn(&lexicon);
    assert_eq!(told(&lexicon, &affixes, "sitzungen"), ["session"]);
    assert_eq!(told(&lexicon, &affixes, "heizungszeitung"), ["heating paper"]);
    assert_eq!(told(&lexicon, &affixes, "heizungssitzungen"), ["heating session"]);
    for odd in ["Zeitung", "ZEITUNG"] {
        assert_eq!(told(&lexicon, &affixes, odd), ["paper"]);
    }
    for odd in ["Zwergspitz", "zei", "12:30", "", "-", "zeitung\u{301}x", &"übung".repeat(40)] {
        assert!(told(&lexicon, &affixes, odd).is_empty(), "{odd}");
    }
}

#[test]
fn affixes_are_read_as_written_and_bad_lines_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let learnt = Affixes::learn(&lexicon(folder.path()));
    let path = folder.path().join("affixes");
    learnt.write(&path).expect("a new folder takes files");
    let first = std::fs::read_to_string(&path).expect("just written");
    assert!(first.contains("ending\ten\t\t") && first.contains("joint\ts\t\t"), "{first}");
    let read = Affixes::read(&path).expect("just written");
    read.write(&path).expect("a new folder takes files");
    assert_eq!(std::fs::read_to_string(&path).expect("just written"), first);
    for bad in ["ending\ta\tb\t1.5", "ending\ta\tb\tNaN", "ending\ta\tb", "middle\ta\tb\t0.5"] {
        std::fs::write(&path, format!("{first}{bad}\n")).expect("a new folder takes files");
        let error = Affixes::read(&path).expect_err("a bad line").to_string();
        assert!(error.contains(&format!("affixes:{}", first.lines().count() + 1)), "{error}");
    }
}

#[test]
fn guesses_compete_with_the_word_itself_and_leave_given_translations_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lexicon = lexicon(folder.path());
    let path = folder.path().join("affixes");
    Affixes::learn(&lexicon).write(&path).expect("a new folder takes files");
    let guesser = Guesser::new(lexicon, path);
    let mut guidance = Guidance::default();
    guesser.guide("zeitung heizungszeitung Zwergspitz", &mut guidance).expect("a right file");
    let given: Vec<_> = guidance.given.iter().collect();
    let [only] = &given[..] else { panic!("{given:?}") };
    assert_eq!((only.span.start, only.span.end, only.origin), (1, 2, Origin::Guess));
    let words: Vec<&str> = only.choices.iter().map(|choice| choice.words.as_str()).collect();
    assert_eq!(words, ["heating paper", "heizungszeitung"]);
    assert!(only.choices.iter().all(|choice| choice.log_prob < 0.0));
    guesser.guide("zeitung heizungszeitung Zwergspitz", &mut guidance).expect("a right file");
    assert_eq!(guidance.given.len(), 1);
}
