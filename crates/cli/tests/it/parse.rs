//! `treeglot parse`, from treebanks to parses and their scores.

use crate::tool::{ok, ran, treeglot, with_sample};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const SMALL: [&str; 4] = ["--rounds", "2", "--tagger-rounds", "2"];

/// A folder with the sample, and parsers of its English trees.
fn with_parsers() -> TempDir {
    let folder = with_sample();
    let at = folder.path();
    let train = |more: &[&str]| ok(at, &[&["parse", "train", "-q", "--folds", "1"], more, &SMALL].concat());
    train(&["--method", "transition", "--treebank", "train.en.conllu", "-o", "dep"]);
    train(&["--method", "pcfg", "--hidden", "32", "--treebank", "train.en.ptb", "-o", "con"]);
    folder
}

/// What the binary says when it refuses.
fn refused(at: &Path, args: &[&str]) -> String {
    let ran = ran(&mut treeglot(at, args));
    assert!(matches!(ran.code, Some(1 | 2)), "{args:?}: {ran:?}");
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    ran.err
}

fn score(table: &str, metric: &str) -> f64 {
    let line = table.lines().find(|line| line.starts_with(metric)).expect("the metric is printed");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn parsers_are_trained_used_and_scored() {
    let folder = with_parsers();
    let at = folder.path();
    fs::write(at.join("p.conllu"), ok(at, &["parse", "-q", "-m", "dep", "--pretokenized", "dev.en"]))
        .unwrap();
    let table = ok(at, &["parse", "eval", "--gold", "dev.en.conllu", "p.conllu"]);
    assert_eq!((score(&table, "Words"), table.lines().count()), (100.0, 12));
    assert!(score(&table, "UPOS") > 90.0 && score(&table, "LAS") > 60.0, "{table}");
    let again = ok(at, &["parse", "-q", "-m", "dep", "--from", "conllu", "dev.en.conllu", "--threads", "1"]);
    let json = {
        fs::write(at.join("q.conllu"), again).unwrap();
        ok(at, &["parse", "eval", "--json", "--gold", "dev.en.conllu", "q.conllu"])
    };
    let las = serde_json::from_str::<serde_json::Value>(&json).unwrap()["LAS"]["f1"].as_f64().unwrap();
    assert!((las - score(&table, "LAS")).abs() < 0.01, "{las} {table}");

    fs::write(at.join("p.ptb"), ok(at, &["parse", "-q", "-m", "con", "--from", "ptb", "dev.en.ptb"]))
        .unwrap();
    let table = ok(at, &["parse", "eval", "--gold", "dev.en.ptb", "p.ptb"]);
    assert!(score(&table, "f1") > 40.0 && score(&table, "tags") > 80.0, "{table}");
}

#[test]
fn lists_and_forests_are_what_models_read() {
    let folder = with_parsers();
    let at = folder.path();
    ok(at, &["parse", "-q", "-m", "dep", "--pretokenized", "--kbest", "3", "--by-rank", "p", "dev.en"]);
    for rank in 1..=3 {
        let stats = ok(at, &["tree", "stats", &format!("p.{rank}.conllu")]);
        assert!(stats.contains("20"), "{stats}");
    }
    let list = ok(at, &["parse", "-q", "-m", "dep", "--pretokenized", "--kbest", "3", "dev.en"]);
    assert_eq!(list.matches("# rank = 1\n").count(), 20);
    assert!(list.contains("# rank = 3\n# score = "));
    let list = ok(at, &["parse", "-q", "-m", "con", "--pretokenized", "--kbest", "2", "dev.en"]);
    assert!(list.starts_with("1 ||| (") && list.lines().nth(1).unwrap().starts_with("1 ||| ("), "{list}");

    ok(at, &["parse", "-q", "-m", "con", "--pretokenized", "--to", "forest", "dev.en", "-o", "dev.forest"]);
    let trees = ok(at, &["tree", "convert", "-q", "--from", "egret", "--to", "ptb", "dev.forest"]);
    assert_eq!(trees.lines().count(), 20);
}

#[test]
fn raw_text_and_empty_lines_keep_their_places() {
    let folder = with_parsers();
    let at = folder.path();
    fs::write(at.join("text"), "The man (he sleeps) sees it.\n\n  \nwoman\n").unwrap();
    let parses = ok(at, &["parse", "-q", "-m", "dep", "text"]);
    let blocks: Vec<&str> = parses.trim_end().split("\n\n").collect();
    assert_eq!((blocks.len(), blocks[1], blocks[2]), (4, "# no words", "# no words"));
    assert!(blocks[0].contains("3\t(\t") && blocks[0].contains("\tSpaceAfter=No"), "{}", blocks[0]);
    let trees = ok(at, &["parse", "-q", "-m", "con", "text"]);
    assert_eq!((trees.lines().count(), trees.lines().nth(1)), (4, Some("(())")));
}

#[test]
fn the_best_round_is_told_and_threads_change_nothing() {
    let folder = with_sample();
    let at = folder.path();
    let train = |threads: &str, model: &str| {
        let files =
            ["parse", "train", "--treebank", "train.de.conllu", "--dev", "dev.de.conllu", "-o", model];
        let small = ["--method", "transition", "--lang", "de", "--folds", "2", "--threads", threads];
        ran(&mut treeglot(at, &[&files[..], &small, &SMALL].concat())).err
    };
    let told = train("1", "a");
    assert!(
        told.contains("round 2: loss ") && told.contains(", dev ") && told.contains("kept round"),
        "{told}"
    );
    train("3", "b");
    assert!(fs::read(at.join("a")).unwrap() == fs::read(at.join("b")).unwrap());
}

#[test]
fn trees_are_projected_and_learned_from() {
    let folder = with_sample();
    let at = folder.path();
    let files =
        ["--src-dep", "train.de.conllu", "--src", "train.de", "--tgt", "train.en", "--links", "train.links"];
    if !at.join("train.links").exists() {
        ok(at, &["align", "-q", "train.de", "train.en", "-o", "train.links"]);
    }
    let project = |more: &[&str]| ran(&mut treeglot(at, &[&["parse", "project"], &files[..], more].concat()));
    let all = project(&[]);
    assert_eq!(all.out.matches("# projected = ").count(), 400, "{}", all.err);
    assert!(
        all.err.contains("400 pairs, ") && all.err.contains("of words with a projected head"),
        "{}",
        all.err
    );
    let good = project(&["--least-share", "1"]);
    assert!(good.out.matches("# projected = ").count() < 400 && good.err.contains("left out"));
    fs::write(at.join("bank.conllu"), good.out).unwrap();
    ok(
        at,
        &[
            &["parse", "train", "-q", "--method", "transition", "--treebank", "bank.conllu", "-o", "m"],
            &SMALL[..],
        ]
        .concat(),
    );
    fs::write(at.join("short"), "0-0\n").unwrap();
    let short =
        ["--src-dep", "train.de.conllu", "--src", "train.de", "--tgt", "train.en", "--links", "short"];
    assert!(refused(at, &[&["parse", "project"], &short[..]].concat()).contains("short has only 1 line"));
}

#[test]
fn what_is_wrong_is_said_in_one_line_with_its_place() {
    let folder = with_parsers();
    let at = folder.path();
    let says = |args: &[&str], message: &str| {
        let said = refused(at, args);
        assert!(said.contains(message), "{args:?}: {said}");
    };
    says(&["parse", "-m", "train.en"], "train.en: not a treeglot depparse or conparse file");
    says(
        &["parse", "-m", "dep", "--to", "ptb", "dev.en"],
        "dep: a parser of dependency trees cannot write ptb",
    );
    says(
        &["parse", "train", "--treebank", "train.en.ptb", "-o", "m"],
        "train.en.ptb: has constituency trees",
    );
    says(
        &["parse", "train", "--method", "pcfg", "--treebank", "train.en.conllu", "-o", "m"],
        "has dependency trees",
    );
    says(
        &["parse", "train", "--rounds", "0", "--treebank", "train.en.conllu", "-o", "m"],
        "rounds must be from 1",
    );
    let cyclic = "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n";
    fs::write(
        at.join("bad.conllu"),
        cyclic.to_string() + &fs::read_to_string(at.join("dev.en.conllu")).unwrap(),
    )
    .unwrap();
    let train = ["parse", "train", "--method", "transition", "--treebank", "bad.conllu", "-o", "m"];
    says(&train, "bad.conllu:1: the heads form a cycle");
    let skipped = ran(&mut treeglot(at, &[&train[..], &["--skip-bad"], &SMALL].concat()));
    assert!(
        skipped.code == Some(0) && skipped.err.contains("1 sentence no trees, left out"),
        "{}",
        skipped.err
    );
    says(&["parse", "eval", "--gold", "dev.en.conllu", "test.en.conllu"], "the gold standard goes on with");
    let mut bytes = fs::read(at.join("dep")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xAA);
    fs::write(at.join("dep"), bytes).unwrap();
    says(&["parse", "-m", "dep", "dev.en"], "dep: the section");
}
