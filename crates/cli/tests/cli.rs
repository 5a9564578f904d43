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

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_of_one_line_that_says_what_to_do() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let sample = env!("CARGO_MANIFEST_DIR").to_string() + "/tests/cmd/trees.in/new.conllu";
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_treeglot"));
    let run = command
        .args(["tree", "convert", "--from", "conllu", "--to", "conllx", &sample])
        .stdout(full)
        .output()
        .unwrap();
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(!run.status.success());
    assert!(told.lines().count() == 1 && told.contains("No space left"), "{told}");
    assert!(
        told.ends_with("free some space, or write to another disk, and run the command again\n"),
        "{told}"
    );
}
