//! Golden tests of the command line: each file of `tests/cmd` is a session with the output it must give.

use crate::tool::{ok, ran, treeglot, with_sample};

#[test]
fn commands_print_what_the_golden_files_say() {
    trycmd::TestCases::new().case("tests/cmd/*.md").case("tests/cmd/*.toml");
}

#[test]
fn a_dependency_model_scores_trees_not_text() {
    let folder = with_sample();
    let at = folder.path();
    ok(at, &["lm", "depbuild", "-q", "train.en.conllu", "-o", "model"]);
    let scores = ok(at, &["lm", "query", "-q", "model", "test.en.conllu"]);
    let scores: Vec<f64> = scores.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(scores.len(), 20);
    assert!(scores.iter().all(|&score| score < 0.0 && score > -200.0));
    let text = ran(&mut treeglot(at, &["lm", "query", "-q", "model", "test.en"]));
    assert!(text.err.contains("but CoNLL-U has 10"), "{}", text.err);
}
