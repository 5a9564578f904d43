//! Parses that are no trees: with cycles or several roots they are used where they are sound, without heads they are errors or
//! left out, and what became of them is told.

use crate::tool::{Ran, ok, ran, treeglot, with_sample};
use std::path::Path;

/// What the second and third word of a sentence get as their heads.
#[derive(Clone, Copy)]
enum Heads {
    Cycle,
    Roots,
    Missing,
}

/// Changes the heads of the `number`th sentence with more than three words of a CoNLL-U file.
fn spoil(file: &Path, number: usize, heads: Heads) {
    let text = std::fs::read_to_string(file).unwrap();
    let mut long = 0;
    let blocks = text.split_inclusive("\n\n").map(|block| {
        long += usize::from(block.lines().filter(|line| line.contains('\t')).count() > 3);
        if long != number || !block.lines().any(|line| line.starts_with("4\t")) {
            return block.to_string();
        }
        long += 1;
        let line = |line: &str| {
            let mut columns: Vec<&str> = line.split('\t').collect();
            let head = match (heads, columns[0]) {
                (Heads::Cycle, "2") => "3",
                (Heads::Cycle, "3") => "2",
                (Heads::Roots, "2" | "3") => "0",
                (Heads::Missing, "2") => "_",
                _ => return format!("{line}\n"),
            };
            columns[6] = head;
            columns.join("\t") + "\n"
        };
        block.lines().map(line).collect()
    });
    let changed: String = blocks.collect();
    assert_ne!(changed, text, "a sentence was changed");
    std::fs::write(file, changed).unwrap();
}

fn run(folder: &Path, args: &[&str]) -> Ran {
    ran(&mut treeglot(folder, args))
}

const MENDED: &str = "2 trees with cycles or several roots, used where sound";
const EXTRACT: [&str; 9] = [
    "extract",
    "dep2str",
    "--src=train.de",
    "--tgt=train.en",
    "--links=train.links",
    "--src-dep=train.de.conllu",
    "-o",
    "rules",
    "--threads=2",
];

#[test]
fn language_models_of_trees_take_what_is_sound() {
    let dir = with_sample();
    let folder = dir.path();
    for (number, heads) in [(3, Heads::Cycle), (7, Heads::Roots)] {
        spoil(&folder.join("train.en.conllu"), number, heads);
        spoil(&folder.join("test.en.conllu"), number, heads);
    }
    let built = run(folder, &["lm", "depbuild", "train.en.conllu", "-o", "trees.lm"]);
    assert!(built.code == Some(0) && built.err.contains(MENDED), "{built:?}");
    let scored = run(folder, &["lm", "query", "trees.lm", "test.en.conllu"]);
    assert!(scored.code == Some(0) && scored.err.contains(MENDED), "{scored:?}");
    assert!(scored.out.lines().count() == 20 && scored.out.lines().all(|line| line.parse::<f64>().is_ok()));

    spoil(&folder.join("train.en.conllu"), 9, Heads::Missing);
    spoil(&folder.join("test.en.conllu"), 9, Heads::Missing);
    let stopped = run(folder, &["lm", "depbuild", "train.en.conllu", "-o", "other.lm"]);
    assert!(stopped.code == Some(1) && stopped.err.contains("train.en.conllu:"), "{stopped:?}");
    let stopped = run(folder, &["lm", "query", "trees.lm", "test.en.conllu"]);
    assert!(stopped.code == Some(1) && stopped.err.contains("test.en.conllu:"), "{stopped:?}");
    let left_out = run(folder, &["lm", "depbuild", "train.en.conllu", "-o", "other.lm", "--skip-bad"]);
    assert!(left_out.code == Some(0) && left_out.err.contains("1 tree left out"), "{left_out:?}");
    let left_out = run(folder, &["lm", "query", "trees.lm", "test.en.conllu", "--skip-bad"]);
    assert!(left_out.code == Some(0) && left_out.err.contains("1 tree left out"), "{left_out:?}");
    assert_eq!(left_out.out.lines().filter(|line| line.is_empty()).count(), 1);
}

#[test]
fn lines_that_are_no_text_are_left_out_of_a_query_and_counted() {
    let dir = with_sample();
    let folder = dir.path();
    ok(folder, &["lm", "build", "--order=2", "--discount-fallback", "train.en", "--binary=lm", "-q"]);
    std::fs::write(folder.join("bad"), b"the house\n\xff\nthe dog\n").unwrap();
    assert_eq!(run(folder, &["lm", "query", "lm", "bad"]).code, Some(1));
    let scored = run(folder, &["lm", "query", "lm", "bad", "--skip-bad"]);
    assert!(scored.code == Some(0) && scored.err.contains("1 line skipped: 1 not UTF-8"), "{scored:?}");
    assert_eq!(scored.out.lines().map(str::is_empty).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn rules_are_read_off_what_is_sound() {
    let dir = with_sample();
    let folder = dir.path();
    let before = run(folder, &EXTRACT);
    assert!(
        before.code == Some(0) && before.err.contains("from 400 pairs") && !before.err.contains("cycles")
    );
    spoil(&folder.join("train.de.conllu"), 3, Heads::Cycle);
    spoil(&folder.join("train.de.conllu"), 7, Heads::Roots);
    let mended = run(folder, &EXTRACT);
    assert!(mended.err.contains("from 400 pairs") && mended.err.contains(MENDED), "{mended:?}");
    spoil(&folder.join("train.de.conllu"), 9, Heads::Missing);
    let stopped = run(folder, &EXTRACT);
    assert!(stopped.code == Some(1) && stopped.err.contains("train.de.conllu:"), "{stopped:?}");
    let left_out = run(folder, &[&EXTRACT[..], &["--skip-bad"]].concat());
    assert!(left_out.err.contains("from 399 pairs; 2 trees"), "{left_out:?}");
    assert!(left_out.err.contains("1 pair skipped for trees that do not fit"), "{left_out:?}");
}

const RECIPE: &str = r#"
source = "de"
target = "en"
preprocess = { tokenize = false, truecase = false, skip-bad = SKIP }
align = { model = "hmm" }
tune = { rounds = 1, nbest = 10 }
[data.train]
source = "train.de"
target = "train.en"
source-dep = "train.de.conllu"
target-dep = "train.en.conllu"
[data.dev]
source = "dev.de"
target = "dev.en"
source-dep = "dev.de.conllu"
[[data.test]]
name = "small"
source = "test.de"
target = "test.en"
source-dep = "test.de.conllu"
[[system]]
model = "dep2str"
[[system]]
model = "str2dep"
"#;

#[test]
fn an_experiment_goes_on_past_trees_that_are_none() {
    let dir = with_sample();
    let folder = dir.path();
    for file in ["train.de.conllu", "train.en.conllu", "dev.de.conllu", "test.de.conllu"] {
        spoil(&folder.join(file), 3, Heads::Cycle);
    }
    let experiment = |skip: &str| {
        std::fs::write(folder.join("recipe.toml"), RECIPE.replace("SKIP", skip)).unwrap();
        run(folder, &["experiment", "recipe.toml", "-o", "out"])
    };
    let mended = experiment("false");
    assert_eq!(mended.code, Some(0), "{}", mended.err);
    for stage in ["rules dep2str", "rules str2dep", "lm trees", "tune dep2str", "translate small dep2str"] {
        let line = mended.err.lines().find(|line| line.contains(stage)).unwrap();
        assert!(line.contains("1 tree with cycles or several roots, used where sound"), "{line}");
    }
    for file in ["train.de.conllu", "train.en.conllu", "dev.de.conllu", "test.de.conllu"] {
        spoil(&folder.join(file), 5, Heads::Missing);
    }
    let stopped = experiment("false");
    assert!(stopped.code == Some(1) && stopped.err.contains("has no head"), "{}", stopped.err);
    let left_out = experiment("true");
    assert_eq!(left_out.code, Some(0), "{}", left_out.err);
    for stage in ["rules dep2str", "rules str2dep", "lm trees", "tune dep2str", "translate small dep2str"] {
        let line = left_out.err.lines().find(|line| line.contains(stage)).unwrap();
        assert!(line.contains("1 tree left out"), "{line}");
    }
}

#[test]
fn a_sentence_to_translate_may_have_a_tree_that_is_none() {
    let dir = with_sample();
    let folder = dir.path();
    let train = ["train", "--src=train.de", "--tgt=train.en", "--src-dep=train.de.conllu", "--tokenized"];
    ok(folder, &[&train[..], &["--model=dep2str", "-o", "bundle", "-q"]].concat());
    let translate = ["translate", "-m", "bundle", "--src-dep=test.de.conllu", "test.de"];
    spoil(&folder.join("test.de.conllu"), 3, Heads::Cycle);
    let mended = run(folder, &translate);
    assert!(mended.code == Some(0) && mended.err.contains("1 tree with cycles"), "{mended:?}");
    spoil(&folder.join("test.de.conllu"), 5, Heads::Missing);
    let stopped = run(folder, &translate);
    assert!(stopped.code == Some(1) && stopped.err.contains("test.de.conllu:"), "{stopped:?}");
    let left_out = run(folder, &[&translate[..], &["--skip-bad"]].concat());
    assert!(left_out.code == Some(0) && left_out.err.contains("1 tree left out"), "{left_out:?}");
    assert_eq!(left_out.out.lines().count(), 20);
}
