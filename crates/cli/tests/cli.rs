//! Golden tests of the command line: each file of `tests/cmd` is a session with the output it must give.

#[test]
fn commands_print_what_the_golden_files_say() {
    trycmd::TestCases::new().case("tests/cmd/*.md").case("tests/cmd/*.toml");
}

fn treeglot(args: &[&str]) -> std::process::Output {
    let binary = env!("CARGO_BIN_EXE_treeglot");
    std::process::Command::new(binary).args(args).output().expect("the binary runs")
}

#[test]
fn a_dependency_model_scores_trees_not_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    assert!(treeglot(&["sample", "-q", "-o", &path("s")]).status.success());
    let (train, test) = (path("s/train.en.conllu"), path("s/test.en.conllu"));
    assert!(treeglot(&["lm", "depbuild", "-q", &train, "-o", &path("m")]).status.success());
    let scores = treeglot(&["lm", "query", "-q", &path("m"), &test]);
    let scores = String::from_utf8(scores.stdout).unwrap();
    let scores: Vec<f64> = scores.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(scores.len(), 500);
    assert!(scores.iter().all(|&score| score < 0.0 && score > -200.0));
    let text = treeglot(&["lm", "query", "-q", &path("m"), &path("s/test.en")]);
    assert!(String::from_utf8(text.stderr).unwrap().contains("but CoNLL-U has 10"));
}
