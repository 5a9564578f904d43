//! Texts without trees: parsers trained by recipes, given as files or as commands; bundles that parse on their own.

use crate::tool::{Ran, ok, ran, treeglot, with_sample};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

const RECIPE: &str = r#"
source = "de"
target = "en"
preprocess = { tokenize = false, truecase = false }
align = { model = "hmm" }
tune = { rounds = 1, nbest = 10 }
[data]
train = { source = "train.de", target = "train.en" }
dev = { source = "dev.de", target = "dev.en" }
test = [{ name = "small", source = "test.de", target = "test.en" }]
[parse]
source-dep = { train = "train.de.conllu", dev = "dev.de.conllu", settings = { method = "transition", rounds = 1, tagger-rounds = 2, folds = 2 } }
target-dep = { command = "sh chain.sh" }
source-con = { command = "sh brackets.sh" }
[[system]]
model = "dep2str"
[[system]]
model = "cons2str"
[[system]]
model = "str2dep"
"#;

/// A program that makes each word the head of the next.
const CHAIN: &str = r#"while read -r line; do
i=0; for w in $line; do i=$((i+1)); printf '%s\t%s\t_\t_\tX\t_\t%s\tdep\t_\t_\n' $i "$w" $((i-1)); done; echo
done
"#;

/// A program that puts a bracket around each word.
const BRACKETS: &str = r#"while read -r line; do
printf '(S'; for w in $line; do case $w in '(') w=-LRB-;; ')') w=-RRB-;; esac; printf ' (X %s)' "$w"; done; echo ')'
done
"#;

fn with_programs() -> TempDir {
    let folder = with_sample();
    fs::write(folder.path().join("chain.sh"), CHAIN).unwrap();
    fs::write(folder.path().join("brackets.sh"), BRACKETS).unwrap();
    fs::write(folder.path().join("recipe.toml"), RECIPE).unwrap();
    folder
}

/// A parser of German that a recipe has trained, in its cache.
fn trained_parser() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = with_programs();
        let recipe = RECIPE.split("[[system]]").take(2).collect::<Vec<_>>().join("[[system]]");
        let recipe = recipe.replace("tune = { rounds = 1, nbest = 10 }", "tune = { method = \"none\" }");
        fs::write(folder.path().join("recipe.toml"), recipe).unwrap();
        ok(folder.path(), &["experiment", "recipe.toml", "-o", "out", "-q"]);
        folder
    });
    let mut stages = fs::read_dir(folder.path().join("out/cache")).unwrap();
    stages.find_map(|stage| Some(stage.unwrap().path().join("parser")).filter(|file| file.is_file())).unwrap()
}

fn run(folder: &Path, args: &[&str]) -> Ran {
    ran(&mut treeglot(folder, args))
}

fn line_of<'r>(ran: &'r Ran, stage: &str) -> &'r str {
    // Lines begin with `3/12 `, the number of the stage.
    let is_of =
        |line: &&str| line.trim_start().split_once(" ").is_some_and(|(_, rest)| rest.starts_with(stage));
    ran.err.lines().find(is_of).unwrap_or_else(|| panic!("{stage}: {}", ran.err))
}

#[test]
fn a_recipe_trains_parsers_and_its_bundles_translate_text_alone() {
    let dir = with_programs();
    let folder = dir.path();
    let made = run(folder, &["experiment", "recipe.toml", "-o", "out"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert!(line_of(&made, "parser de dependency").contains("sentences 400"));
    assert!(line_of(&made, "parse train de dependency").contains("sentences 400"));
    assert!(line_of(&made, "parse small de constituency").contains("sentences 20"));
    assert!(line_of(&made, "parse train en dependency").contains("sentences 400"));
    let report = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(report.contains("source dependency tree by our parser"));

    let manifest = fs::read_to_string(folder.join("out/bundles/dep2str-de-en/bundle.toml")).unwrap();
    assert!(manifest.contains("source-dependency-parser"), "{manifest}");
    ok(folder, &["bundle", "verify", "out/bundles/dep2str-de-en"]);
    let bundle = ["translate", "-m", "out/bundles/dep2str-de-en", "test.de"];
    let own = run(folder, &bundle);
    assert!(own.code == Some(0) && own.err.is_empty(), "no word of missing trees: {}", own.err);

    // What an experiment translated with the trees of a stage is what its bundle translates with its own.
    let outputs = fs::read_dir(folder.join("out/cache")).unwrap().map(|entry| entry.unwrap().path());
    let outputs: Vec<String> =
        outputs.filter_map(|stage| fs::read_to_string(stage.join("output")).ok()).collect();
    assert_eq!(outputs.len(), 3);
    assert!(outputs.contains(&own.out), "the bundle parses as the experiment did");

    let given = run(folder, &[&bundle[..], &["--src-dep=test.de.conllu"]].concat());
    assert!(given.code == Some(0) && given.err.is_empty());
    let flat = run(folder, &[&bundle[..], &["--src-parser=sh chain.sh"]].concat());
    assert!(flat.code == Some(0) && flat.out != own.out, "given parsers take the place of the bundle's");
    let explained = ok(folder, &["translate", "-m", "out/bundles/dep2str-de-en", "test.de", "--explain"]);
    assert_eq!(explained.lines().filter(|line| line.starts_with("  tree (")).count(), 20);
    let json =
        ok(folder, &["translate", "-m", "out/bundles/dep2str-de-en", "test.de", "--explain", "--json"]);
    assert!(json.lines().all(|line| line.contains("\"trees\":[\"(")), "{json}");

    // A program does not become part of a bundle, whoever made it: it is asked for.
    let lacking = run(folder, &["translate", "-m", "out/bundles/cons2str-de-en", "test.de"]);
    assert!(
        lacking.code == Some(0) && lacking.err.contains("constituency trees are translated here"),
        "{}",
        lacking.err
    );
    assert!(lacking.err.contains("--src-con") && lacking.err.contains("--src-parser"));
    let parsed = run(
        folder,
        &["translate", "-m", "out/bundles/cons2str-de-en", "test.de", "--src-parser=sh brackets.sh"],
    );
    assert!(parsed.code == Some(0) && parsed.err.is_empty(), "{}", parsed.err);
    assert!(outputs.contains(&parsed.out), "the program parses as it did in the experiment");
    let wrong = run(
        folder,
        &["translate", "-m", "out/bundles/cons2str-de-en", "test.de", "--src-parser=sh chain.sh"],
    );
    assert!(
        wrong.code == Some(1) && wrong.err.contains("gives dependency trees, which nothing here translates")
    );
    let unread =
        run(folder, &["translate", "-m", "out/bundles/str2dep-de-en", "test.de", "--src-dep=test.de.conllu"]);
    assert!(unread.code == Some(0) && unread.err.contains("--src-dep is not read"), "{}", unread.err);

    let again = run(folder, &["experiment", "recipe.toml", "-o", "out"]);
    assert!(line_of(&again, "translate small dep2str").contains("kept"), "{}", again.err);
}

/// The words of a line, each the head of the next.
fn chain(line: &str) -> String {
    let word = |(head, word): (usize, &str)| format!("{}\t{word}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n", head + 1);
    line.split(' ').enumerate().map(word).collect::<String>() + "\n"
}

#[test]
fn training_takes_parsers_as_files_and_as_commands() {
    let dir = with_programs();
    let folder = dir.path();
    fs::copy(trained_parser(), folder.join("de.parser")).unwrap();
    let train = [
        "train",
        "--src=train.de",
        "--tgt=train.en",
        "--dev-src=dev.de",
        "--dev-tgt=dev.en",
        "--tokenized",
        "-q",
    ];
    let with = |more: &[&str]| run(folder, &[&train[..], more].concat());
    let made = with(&["--model=dep2str", "--src-parser=de.parser", "-o", "one"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert!(run(folder, &["translate", "-m", "one", "test.de"]).err.is_empty());
    let dev = ["--dev-src=dev.de", "--dev-ref=dev.en", "--rounds=3", "--nbest=10", "-o", "weights"];
    // What each round found, without the time it took.
    let rounds = |told: &str| -> Vec<String> {
        let rounds = told.lines().filter(|line| line.contains("round "));
        rounds.map(|line| line.split(" (").next().unwrap_or_default().to_string()).collect()
    };
    let own = run(folder, &[&["tune", "-m", "one"][..], &dev].concat());
    assert_eq!(own.code, Some(0), "tuning parses as translation does: {}", own.err);
    let chains = fs::read_to_string(folder.join("dev.de")).unwrap().lines().map(chain).collect::<String>();
    fs::write(folder.join("dev.chains.conllu"), chains).unwrap();
    let chains = run(folder, &[&["tune", "-m", "one", "--dev-src-dep=dev.chains.conllu"][..], &dev].concat());
    assert_eq!(chains.code, Some(0), "{}", chains.err);
    assert!(rounds(&own.err).len() > 1, "{}", own.err);
    assert_ne!(rounds(&chains.err), rounds(&own.err), "trees that are given come first");
    let made = with(&["--model=dep2str", "--src-parser=de.parser", "--src-parser=sh chain.sh", "-o", "two"]);
    assert_eq!(made.code, Some(0), "two parsers make two parses: {}", made.err);
    let made = with(&["--model=str2dep", "--tgt-parser=sh chain.sh", "-o", "target"]);
    assert_eq!(made.code, Some(0), "{}", made.err);

    let missing = with(&["--model=cons2str", "--src-parser=de.parser", "-o", "no"]);
    assert!(
        missing.code == Some(1) && missing.err.contains("needs source constituency trees"),
        "{}",
        missing.err
    );
    let unknown = with(&["--model=dep2str", "--src-parser=no-such-parser", "-o", "no"]);
    assert!(unknown.code == Some(1) && unknown.err.contains("no-such-parser"), "{}", unknown.err);
    assert!(!folder.join("no").exists());
}

#[test]
fn what_is_wrong_with_parsers_is_told_before_any_work() {
    let dir = with_programs();
    let folder = dir.path();
    let with = |parse: &str| {
        let recipe = RECIPE.split("[parse]").next().unwrap();
        fs::write(
            folder.join("wrong.toml"),
            format!("{recipe}[parse]\n{parse}\n[[system]]\nmodel = \"dep2str\"\n"),
        )
        .unwrap();
        let ran = run(folder, &["experiment", "wrong.toml", "-o", "wrong"]);
        assert_eq!(ran.code, Some(1), "{parse}");
        assert!(!ran.err.contains("words train"), "no stage has run: {}", ran.err);
        ran.err
    };
    for (parse, why) in [
        ("source-dep = { train = \"gone.conllu\" }", "gone.conllu"),
        ("source-dep = { train = \"train.de.ptb\" }", "train.de.ptb"),
        ("source-dep = { model = \"train.de\" }", "train.de"),
        ("source-dep = { command = \"sh brackets.sh\" }", "gives constituency trees, not dependency trees"),
        ("source-dep = { command = \"exit 5\" }", "exit code 5"),
        (
            "source-dep = { train = \"train.de.conllu\", model = \"x\" }",
            "one of `train`, `model` and `command`",
        ),
        ("source-dep = { modle = \"x\" }", "`modle`"),
        ("source-dep = { own = { modle = \"x\" } }", "`modle`"),
        (
            "source-dep = { train = \"train.de.conllu\", settings = { method = \"pcfg\" } }",
            "gives constituency trees",
        ),
        ("source-dep = { train = \"train.de.conllu\", settings = { metod = \"graph\" } }", "metod"),
        ("source-dep = { command = \"x\", bridge = { batch = 0 } }", "at least 1"),
        ("source-den = { command = \"x\" }", "source-den"),
        ("source-con = { command = \"sh brackets.sh\" }", "a parser as `source-dep` in `parse`"),
    ] {
        let error = with(parse);
        assert!(error.contains(why), "{parse}: {error}");
    }
}
