//! The ordinary mistakes of the first hour: each is told before any work, in words that say what to do, and leaves nothing behind.

use crate::tool::{Ran, names_below, ok, ran, treeglot, with_sample};
use std::fs;
use std::path::Path;

fn run(folder: &Path, args: &[&str]) -> Ran {
    ran(&mut treeglot(folder, args))
}

const TEXTS: [&str; 4] = ["--src", "train.raw.de", "--tgt", "train.raw.en"];

fn train(folder: &Path, more: &[&str]) -> Ran {
    run(folder, &[&["train", "--model", "phrase"], &TEXTS[..], more].concat())
}

#[test]
fn a_metric_that_is_none_is_refused_before_any_work() {
    let folder = with_sample();
    let before = names_below(folder.path());
    let told = train(folder.path(), &["--metric", "nonsense", "-o", "bundle"]);
    assert_eq!(told.code, Some(2), "{}", told.err);
    assert!(told.err.contains("there is no metric `nonsense`: choose from bleu, "), "{}", told.err);
    assert_eq!(names_below(folder.path()), before, "nothing is left behind");
}

#[test]
fn features_that_a_model_or_a_tuner_cannot_have_are_refused_before_any_work() {
    let folder = with_sample();
    let before = names_below(folder.path());
    for (more, wanted) in [
        (["--model", "hiero", "--operations"], "which charts do not: leave it out, or take `phrase`"),
        (["--tune", "mert", "--sparse"], "`mert` is for some twenty, take `mira`"),
    ] {
        let told = run(folder.path(), &[&["train"], &TEXTS[..], &more, &["-o", "bundle"]].concat());
        assert_eq!(told.code, Some(1), "{}", told.err);
        assert!(told.err.contains(wanted), "{}", told.err);
        assert_eq!(names_below(folder.path()), before, "nothing is left behind");
    }
}

#[cfg(unix)]
#[test]
fn without_what_spark_needs_it_is_said_what_to_install() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_sample();
    let at = folder.path();
    let python = |name: &str, script: &str| {
        let path = at.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let cases = [
        (
            "/nowhere/python".to_string(),
            "there is no `/nowhere/python`, which drives Spark: install Python 3.11",
        ),
        (python("bare", "echo 'No module named treeglot' >&2; exit 1"), "(No module named treeglot): `"),
        (python("old", "echo 0.0.1"), "has treeglot 0.0.1, and this is"),
    ];
    let before = names_below(at);
    for (python, wanted) in cases {
        let args = [&["train", "--model", "phrase", "--engine", "spark", "--master", "local[1]"], &TEXTS[..]];
        let args = [&args.concat()[..], &["-o", "bundle"]].concat();
        let told =
            ran(treeglot(at, &args).env("PYSPARK_PYTHON", &python).env_remove("PYSPARK_DRIVER_PYTHON"));
        assert_eq!(told.code, Some(1), "{}", told.err);
        assert!(told.err.contains(wanted), "{}", told.err);
        assert_eq!(names_below(at), before, "nothing is left behind");
    }
    let told = train(at, &["--engine", "spark", "-o", "bundle"]);
    assert_eq!(told.code, Some(2), "{}", told.err);
    assert!(told.err.contains("--master"), "{}", told.err);
}

#[test]
fn failures_leave_nothing_behind() {
    let folder = with_sample();
    let at = folder.path();
    fs::write(at.join("short.en"), "one line\n").unwrap();
    fs::write(at.join("bad.toml"), "source = \"de\"\n").unwrap();
    fs::write(at.join("gone.toml"), recipe().replace("train.en", "gone.en")).unwrap();
    let before = names_below(at);
    for args in [
        &["experiment", "gone.toml", "-o", "out"][..],
        &["train", "--src", "train.raw.de", "--tgt", "short.en", "-o", "bundle"],
        &["train", "--src", "train.raw.de", "--tgt", "gone.en", "-o", "bundle"],
        &[
            "train",
            "--src",
            "train.raw.de",
            "--tgt",
            "train.raw.en",
            "--src-dep",
            "dev.de.conllu",
            "-o",
            "bundle",
        ],
        &["train", "bad.toml", "-o", "bundle"],
        &["experiment", "bad.toml", "-o", "out"],
        &["translate", "-m", "no-such-bundle", "test.raw.de", "-o", "out"],
        &["align", "train.de", "short.en", "-o", "links"],
        &[
            "bundle",
            "make",
            "--model",
            "phrase",
            "--table",
            "train.de",
            "--weights",
            "dev.de",
            "-o",
            "bundle",
        ],
    ] {
        let told = run(at, args);
        assert!(matches!(told.code, Some(1 | 2)) && told.err.starts_with("treeglot: "), "{args:?}: {told:?}");
        assert_eq!(names_below(at), before, "{args:?}");
    }
}

#[test]
fn a_folder_with_something_else_in_it_is_not_written_into() {
    let folder = with_sample();
    let at = folder.path();
    fs::create_dir(at.join("mine")).unwrap();
    fs::write(at.join("mine/thesis.txt"), "mine").unwrap();
    fs::write(at.join("recipe.toml"), recipe()).unwrap();
    for args in [
        &[&["train", "-o", "mine"], &TEXTS[..]].concat()[..],
        &["sample", "-o", "mine"],
        &["quickstart", "mine"],
        &["experiment", "recipe.toml", "-o", "mine"],
    ] {
        let told = run(at, args);
        assert_eq!(told.code, Some(2), "{args:?}: {}", told.err);
        assert!(told.err.contains("mine: there is something else in this folder"), "{args:?}: {}", told.err);
    }
    assert_eq!(names_below(&at.join("mine")), ["thesis.txt"]);
}

fn recipe() -> String {
    "source = \"de\"\ntarget = \"en\"\ntune = { method = \"none\" }\n\
     data.train = { source = \"train.de\", target = \"train.en\" }\n[[system]]\nmodel = \"phrase\"\n"
        .to_string()
}

#[test]
fn two_runs_into_one_bundle_are_told_apart() {
    let folder = with_sample();
    let lock = fs::File::create(folder.path().join("bundle.lock")).unwrap();
    lock.lock().unwrap();
    let told = train(folder.path(), &["--tune", "none", "-o", "bundle"]);
    assert_eq!(told.code, Some(1), "{}", told.err);
    assert!(told.err.contains("is at work on it: wait for it, or name another folder"), "{}", told.err);
    assert!(!folder.path().join("bundle.work").exists() && !folder.path().join("bundle").exists());
}

#[test]
fn texts_that_are_prepared_already_are_noticed() {
    let folder = with_sample();
    let at = folder.path();
    let lower = |name: &str| {
        let text = fs::read_to_string(at.join(name)).unwrap().to_lowercase();
        fs::write(at.join(name.replace("train.", "low.")), text).unwrap();
    };
    lower("train.de");
    lower("train.en");
    let texts = ["--src", "low.de", "--tgt", "low.en"];
    let args = ["train", "--model", "phrase", "--tune", "none", "-o", "bundle"];
    let told = run(at, &[&args[..], &texts[..]].concat());
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert_eq!(told.err.matches("looks cut into words already").count(), 2, "{}", told.err);
    assert_eq!(told.err.matches("is in lower case").count(), 2, "{}", told.err);
    let raw = train(at, &["--tune", "none", "-o", "raw"]);
    assert!(!raw.err.contains("looks cut") && !raw.err.contains("lower case"), "{}", raw.err);
}

#[test]
fn trees_of_several_parsers_are_taken() {
    let folder = with_sample();
    let trees = ["--src-dep", "train.de.conllu", "--src-dep", "train.de.conllu"];
    let texts = ["--src", "train.de", "--tgt", "train.en"];
    let args = ["train", "--tokenized", "--model", "mwu", "--tune", "none", "-o", "bundle"];
    let told = run(folder.path(), &[&args[..], &texts[..], &trees[..]].concat());
    assert_eq!(told.code, Some(0), "{}", told.err);
    let parses = ["--src-dep", "test.de.conllu", "--src-dep", "test.de.conllu"];
    let out = ok(folder.path(), &[&["translate", "-q", "-m", "bundle", "test.de"], &parses[..]].concat());
    assert_eq!(out.lines().count(), 20);
}

#[test]
fn a_raw_bundle_lists_raw_text_and_draws_what_it_did() {
    let folder = with_sample();
    let at = folder.path();
    assert_eq!(train(at, &["-q", "--tune", "none", "-o", "bundle"]).code, Some(0));
    fs::write(at.join("text"), "Die Frau, die schläft, sieht das Haus.\nDas Haus.\n").unwrap();
    let best = ok(at, &["translate", "-q", "-m", "bundle", "text"]);
    let list = ok(at, &["translate", "-q", "-m", "bundle", "--nbest", "2", "text"]);
    let first: Vec<&str> = list.lines().filter_map(|line| line.split(" ||| ").nth(1)).collect();
    assert_eq!(best.lines().next(), first.first().copied(), "{list}");
    assert!(best.ends_with(".\n") && !best.contains(" ."), "raw text: {best}");
    let words = ok(at, &["translate", "-q", "-m", "bundle", "--tokenized", "--nbest", "1", "test.de"]);
    assert!(words.lines().all(|line| line.contains(" . ||| ") || line.contains(" ? ||| ")), "{words}");

    let page = ok(at, &["translate", "-m", "bundle", "--explain", "why.html", "text"]);
    assert_eq!(page, best, "explanations are on the page");
    let html = fs::read_to_string(at.join("why.html")).unwrap();
    assert_eq!(html.matches("<details class=\"sample\"").count(), 2);
    assert!(html.contains("\"kind\":\"derivation\"") && html.contains("\"kind\":\"links\""), "drawings");
    fs::write(at.join("own.html"), "<p>mine</p>").unwrap();
    let told = run(at, &["translate", "-m", "bundle", "--explain", "own.html", "text"]);
    assert!(told.code == Some(1) && told.err.contains("no page of ours"), "{told:?}");
    assert_eq!(fs::read_to_string(at.join("own.html")).unwrap(), "<p>mine</p>");
    let told = run(at, &["translate", "-m", "bundle", "--explain=why.txt", "text"]);
    assert!(told.code == Some(2) && told.err.contains("must end with `.html`"), "{told:?}");
}

#[test]
fn scripts_without_blanks_are_scored_by_a_tokeniser_that_fits() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("ref"), "我有一只很大的猫。\n他昨天没有来学校。\n").unwrap();
    fs::write(at.join("out"), "我有一只大的猫。\n他昨天没来学校。\n").unwrap();
    let told = run(at, &["eval", "--ref", "ref", "out", "--json"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.out.contains("tok:zh") && told.err.contains("--tokenize zh"), "{told:?}");
    let refused = run(at, &["eval", "--ref", "ref", "out", "--tokenize", "13a"]);
    assert!(refused.code == Some(2) && refused.err.contains("takes sentences for words"), "{refused:?}");
    fs::write(at.join("ref"), "猫がいる。\n").unwrap();
    fs::write(at.join("out"), "犬がいる。\n").unwrap();
    assert!(ok(at, &["eval", "--ref", "ref", "out", "--json"]).contains("tok:char"));
    let told = run(at, &["eval", "--ref", "ref", "out", "--tokenize", "flores200"]);
    let needed =
        "needs the SentencePiece model of that benchmark (`spm-model`): give its file with --spm-model";
    assert!(told.code == Some(2) && told.err.contains(needed), "{told:?}");
    for name in ["ja-mecab", "ko-mecab"] {
        let told = run(at, &["eval", "--ref", "ref", "out", "--tokenize", name]);
        let why = format!("no tokeniser `{name}` here: it is what MeCab");
        assert!(
            told.code == Some(2) && told.err.contains(&why) && told.err.contains("take `char`"),
            "{told:?}"
        );
    }
}

#[test]
fn a_number_outside_its_range_is_a_wrong_argument() {
    let folder = with_sample();
    let pairs = "--src train.de --tgt train.en --links train.links --src-dep train.de.conllu";
    for (command, why) in [
        (format!("tree units {pairs} --sentence 0"), "--sentence counts pairs from 1"),
        (format!("tree units {pairs} --m 0"), "`m` and `k` must be at least 1"),
        (format!("tree units {pairs} --delta 2"), "`delta` must be from 0 to below 1"),
        (format!("coverage --model mwu {pairs} --delta 1"), "--delta is a probability from 0 to below 1"),
        (
            "align train.de train.en --lex-all lex --lex-threshold 2".into(),
            "--lex-threshold is a probability",
        ),
    ] {
        let told = run(folder.path(), &command.split(' ').collect::<Vec<_>>());
        assert_eq!(told.code, Some(2), "{command}: {}", told.err);
        assert!(told.err.contains(why), "{command}: {}", told.err);
    }
}
