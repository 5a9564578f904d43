//! Programs as parsers: good ones, and ones that hang, die or answer wrongly.
#![allow(clippy::unwrap_used)]

use treeglot_parse::{Bridge, BridgeCounts, BridgeSettings, Parse};
use treeglot_tree::{DepParse, Field, Roots, TreeKind, WordIx};

/// A program that makes each word the head of the next, and gives the number of its process as a tag. `$special` is done before
/// a line is answered.
fn chain(special: &str) -> String {
    format!(
        r#"while read -r line; do {special}
             i=0; for w in $line; do i=$((i+1)); printf '%s\t%s\t_\t_\t%s\t_\t%s\tdep\t_\t_\n' $i "$w" $$ $((i-1)); done; echo
           done"#
    )
}

const QUICK: BridgeSettings = BridgeSettings { time_limit: 1.5, start_limit: 1.5, batch: 4, keep: true };

fn sentences() -> Vec<Vec<&'static str>> {
    vec![
        vec!["one"],
        vec!["two", "words"],
        vec!["now", "fail"],
        vec!["and", "go", "on"],
        vec![],
        vec!["to", "the", "end"],
        vec!["fail", "again"],
        vec!["done"],
    ]
}

fn run(command: &str, settings: &BridgeSettings) -> (Vec<DepParse>, BridgeCounts) {
    let bridge = Bridge::open(command, settings, &["a", "b"]).unwrap();
    assert_eq!(bridge.kind(), TreeKind::Dependency);
    let mut worker = bridge.worker();
    let trees = worker.parse(&sentences()).unwrap();
    assert_eq!(trees.len(), sentences().len());
    let parse = |(parse, words): (Parse, Vec<&str>)| {
        let parse = parse.dependency().unwrap();
        assert!(parse.forms().eq(words), "a tree has the words of its sentence");
        (!parse.is_empty()).then(|| {
            parse.tree(Roots::One).unwrap();
            parse
        })
    };
    (trees.into_iter().zip(sentences()).filter_map(parse).collect(), worker.counts())
}

/// Whether a parse is a chain, as the program makes it; else it is flat.
fn is_chain(parse: &DepParse) -> bool {
    parse.get(WordIx(0), Field::Xpos) != "X"
}

fn processes(parses: &[DepParse]) -> usize {
    let mut tags: Vec<&str> =
        parses.iter().filter(|parse| is_chain(parse)).map(|p| p.get(WordIx(0), Field::Xpos)).collect();
    tags.sort_unstable();
    tags.dedup();
    tags.len()
}

#[test]
fn one_process_answers_all_batches() {
    let (parses, counts) = run(&chain(""), &QUICK);
    assert!(parses.iter().all(is_chain));
    assert_eq!(processes(&parses), 1);
    assert_eq!(counts, BridgeCounts { sentences: 8, flat: 0, restarts: 0 });
    assert_eq!(parses[2].raw_head(WordIx(1)), Some(1));
}

#[test]
fn a_program_that_dies_is_started_again_and_only_the_sentence_to_blame_is_flat() {
    let (parses, counts) = run(&chain(r#"case "$line" in *fail*) exit 3;; esac"#), &QUICK);
    let flat: Vec<usize> = (0..parses.len()).filter(|&k| !is_chain(&parses[k])).collect();
    assert_eq!(flat, [2, 5]);
    assert_eq!((counts.flat, processes(&parses) > 1), (2, true));
}

#[test]
fn a_program_that_hangs_is_ended_in_time() {
    let (parses, counts) = run(&chain(r#"case "$line" in *fail*) sleep 600;; esac"#), &QUICK);
    assert_eq!(counts.flat, 2);
    assert!(parses.iter().filter(|parse| is_chain(parse)).count() == parses.len() - 2);
}

#[test]
fn answers_of_other_words_or_of_two_sentences_do_not_shift_those_after_them() {
    for wrong in [r#"line=other"#, r#"line="$line more""#, r#"printf '1\tnow\t_\t_\t_\t_\t0\tx\t_\t_\n\n'"#] {
        let (parses, counts) = run(&chain(&format!(r#"case "$line" in *fail*) {wrong};; esac"#)), &QUICK);
        let flat: Vec<usize> = (0..parses.len()).filter(|&k| !is_chain(&parses[k])).collect();
        assert_eq!((flat, counts.flat), (vec![2, 5], 2), "{wrong}");
    }
}

#[test]
fn heads_that_do_not_exist_make_a_flat_tree_but_cycles_are_mended() {
    let outside = r#"case "$line" in *fail*) printf '1\tnow\t_\t_\t_\t_\t7\tx\t_\t_\n2\tfail\t_\t_\t_\t_\t0\tx\t_\t_\n\n'; continue;; esac"#;
    assert_eq!(run(&chain(outside), &QUICK).1.flat, 2);
    let bridge = Bridge::open(
        r#"while read -r a b; do printf '1\t%s\t_\t_\t_\t_\t2\tx\t_\t_\n2\t%s\t_\t_\t_\t_\t1\tx\t_\t_\n\n' "$a" "$b"; done"#,
        &QUICK,
        &["a", "b"],
    );
    let bridge = bridge.unwrap();
    let mut worker = bridge.worker();
    let trees = worker.parse(&[vec!["in", "circles"]]).unwrap();
    let Parse::Dependency(parse) = &trees[0] else { panic!("a dependency tree") };
    assert_eq!((parse.raw_head(WordIx(0)), worker.counts().flat), (Some(2), 0));
    assert_eq!(parse.mended_tree().unwrap().repairs.cyclic, 2);
}

#[test]
fn a_program_that_answers_only_at_the_end_is_started_for_each_batch() {
    let late = format!("text=$(cat); printf '%s\\n' \"$text\" | {}", chain(""));
    let error = Bridge::open(&late, &QUICK, &["a"]).unwrap_err().to_string();
    assert!(error.contains("in time") && error.contains("keep = false"), "{error}");
    let (parses, counts) = run(&late, &BridgeSettings { keep: false, ..QUICK });
    assert!(parses.iter().all(is_chain));
    assert_eq!((counts.flat, counts.restarts), (0, 0));
}

#[test]
fn a_command_of_no_use_is_told_before_any_work() {
    let complaint = |command: &str| Bridge::open(command, &QUICK, &["a", "b"]).unwrap_err().to_string();
    let missing = complaint("no-such-parser --fast");
    assert!(missing.contains("no-such-parser --fast") && missing.contains("exit code 127"), "{missing}");
    assert!(complaint("echo it does not work >&2; exit 4").contains("(exit code 4): it does not work"));
    assert!(complaint("cat").contains("neither CoNLL-U nor"));
    assert!(complaint(&chain("line=x")).contains("word 1 is `x`, not `a`"));
    let none = BridgeSettings { batch: 0, ..QUICK };
    assert!(Bridge::open("cat", &none, &["a"]).unwrap_err().to_string().contains("at least 1"));
}

#[test]
fn a_program_that_fails_on_everything_ends_the_run() {
    let bridge = Bridge::open(&chain(r#"[ "$line" = a ] || exit 9"#), &QUICK, &["a"]).unwrap();
    let error = bridge.worker().parse(&vec![vec!["b"]; 40]).unwrap_err().to_string();
    assert!(error.contains("exit code 9"), "{error}");
}
