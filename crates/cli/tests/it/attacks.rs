//! What an attack once broke, tried again: shared files, two runs at once, files of the wrong kind, numbers that are none.

use crate::tool::{files, ok, ran, recipe, treeglot, with_sample};
use std::path::Path;
use std::process::Stdio;

/// The error of a command that must fail.
fn complaint(folder: &Path, args: &[&str]) -> String {
    let ran = ran(&mut treeglot(folder, args));
    assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{args:?}: {}", ran.err);
    ran.err
}

#[test]
fn two_runs_into_one_folder_both_end_well_or_the_second_says_who_is_at_work() {
    let folder = with_sample();
    std::fs::write(folder.path().join("recipe.toml"), recipe("phrase", 1)).unwrap();
    let start = || {
        let mut command = treeglot(folder.path(), &["train", "recipe.toml", "-q", "-o", "bundle"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
    };
    let both = [start(), start()].map(|child| child.wait_with_output().expect("it ends"));
    assert!(both.iter().any(|ended| ended.status.success()), "{both:?}");
    for ended in both.iter().filter(|ended| !ended.status.success()) {
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains("process ") && said.lines().count() == 1, "{said}");
    }
    ok(folder.path(), &["bundle", "verify", "bundle"]);
}

#[cfg(unix)]
#[test]
fn a_bundle_shares_no_file_with_the_cache_it_was_made_from() {
    use std::os::unix::fs::MetadataExt;
    let folder = with_sample();
    std::fs::write(folder.path().join("recipe.toml"), recipe("phrase", 1)).unwrap();
    ok(folder.path(), &["experiment", "recipe.toml", "-q", "-o", "out"]);
    let mut bundles = 0;
    let mut open = vec![folder.path().join("out")];
    while let Some(inside) = open.pop() {
        for entry in std::fs::read_dir(&inside).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => {
                    bundles += usize::from(entry.file_name() == "bundle.toml");
                    assert_eq!(entry.metadata().unwrap().nlink(), 1, "{}", entry.path().display());
                }
            }
        }
    }
    assert!(bundles > 0 && !files(folder.path()).is_empty());
}

#[test]
fn xml_of_another_kind_is_refused_and_not_read_as_empty() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.xml"), "<html><body>no trees</body></html>\n").unwrap();
    for format in ["tigerxml", "enju-xml", "ccg-auto"] {
        let said =
            complaint(folder.path(), &["tree", "convert", "--from", format, "--to", format, "page.xml"]);
        assert!(said.contains("page.xml:") && said.contains("this is not"), "{format}: {said}");
    }
}

#[test]
fn a_sentence_that_a_parser_failed_on_keeps_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let ccg = "ID=1\n(<L NP NN NN fail N>)\nID=2\n(<T NP 0 1> (<L N NN NN dogs N>) )\n";
    std::fs::write(folder.path().join("a.auto"), ccg).unwrap();
    let text =
        ok(folder.path(), &["tree", "convert", "-q", "--from", "ccg-auto", "--to", "ccg-auto", "a.auto"]);
    assert_eq!(text.matches("fail").count(), 1, "{text}");
    assert!(text.contains("dogs"), "{text}");
}

#[test]
fn counts_that_are_negative_or_no_numbers_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    for counts in ["-1 2 1", "nan 2 1", "inf 1 1", "one 1 1"] {
        let line = format!("die Frau ||| the woman ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1 ||| {counts}\n");
        std::fs::write(folder.path().join("phrases"), line).unwrap();
        let said = complaint(folder.path(), &["table", "import", "phrases", "-o", "table"]);
        assert!(said.contains("phrases:1:"), "{counts}: {said}");
        assert!(!folder.path().join("table").exists());
    }
}

#[test]
fn heads_beyond_the_sentence_are_told_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let word = |number: usize, head: usize| format!("{number}\tw\t_\tNOUN\t_\t_\t{head}\tdep\t_\t_\n");
    let text = format!("{}\n{}{}\n", word(1, 0), word(1, 0), word(2, 12));
    std::fs::write(folder.path().join("a.conllu"), text).unwrap();
    let said = complaint(folder.path(), &["lm", "depbuild", "a.conllu", "-o", "lm"]);
    assert!(said.contains("a.conllu:4:") && said.contains("word 2 has head 12"), "{said}");
}

#[test]
fn messages_quote_little_of_what_they_are_about_on_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let word = "\u{1b}[31m".repeat(100_000);
    std::fs::write(folder.path().join("links"), format!("{word}\n")).unwrap();
    let said = complaint(folder.path(), &["align", "aer", "--gold", "links", "links"]);
    assert!(said.len() < 2_000 && !said.contains('\u{1b}'), "{} bytes", said.len());
}
