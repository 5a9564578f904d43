//! Every model of the registry is trained from a recipe, translates, and is explained in the report.

use crate::tool::{ok, ran, treeglot, with_sample};
use std::path::Path;
use std::process::Command;
use treeglot_models::registry::MODELS;

const DATA: &str = r#"
title = "Every model"
source = "de"
target = "en"
[data.train]
source = "train.de"
target = "train.en"
source-dep = { gold = "train.de.conllu" }
source-con = { gold = "train.de.ptb" }
target-dep = { gold = "train.en.conllu", again = "train.en.conllu" }
target-con = { gold = "train.en.ptb" }
[[data.test]]
name = "small"
source = "test.de"
target = "test.en"
source-dep = "test.de.conllu"
source-con = "test.de.ptb"
[preprocess]
tokenize = false
truecase = false
[tune]
method = "none"
"#;

#[test]
fn every_model_is_trained_from_a_recipe_and_translates() {
    let dir = with_sample();
    let folder = dir.path();
    let run = |args: &[&str]| ok(folder, args);
    let mut recipe = DATA.to_string();
    for model in MODELS {
        recipe += &format!("[[system]]\nmodel = \"{}\"\nparsers = \"gold\"\n", model.name);
    }
    recipe += "[[system]]\nname = \"sum\"\nmodel = \"phrase\"\nparsers = \"gold\"\nscore = { origins = true }\n\
               extract = [{ from = \"str\" }, { from = \"con\", weight = 0.5 }, { from = \"dep\" }]\n\
               [[system]]\ncombine = [\"phrase\", \"dep2str\"]\n";
    std::fs::write(folder.join("recipe.toml"), recipe).unwrap();
    let table = run(&["experiment", "recipe.toml", "-o", "out", "-q"]);
    for name in MODELS.iter().map(|model| model.name).chain(["sum", "phrase+dep2str"]) {
        let row = table.lines().find(|line| line.split_whitespace().next() == Some(name));
        let bleu: f64 =
            row.unwrap().split_whitespace().nth(1).unwrap().trim_end_matches(['↑', '↓']).parse().unwrap();
        assert!(bleu > 5.0, "{name} has learnt something: {bleu}");
    }
    assert!(
        table.contains("gold / again") || table.contains("again / gold"),
        "parsers are compared:\n{table}"
    );
    let report = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(report.contains("source dependency tree") && report.contains("source constituency tree"));
    run(&["bundle", "verify", "out/bundles/mwu-de-en"]);
    odd_lines(folder);
    given_translations(folder);
    kept_words(folder);
}

/// What is given for words stands in the translations of every model, whether the words are a part of the tree or not.
fn given_translations(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("test.de")).unwrap();
    let marked: Vec<String> = text
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let middle = words.len() / 2;
            let (before, inside, after) =
                (&words[..middle - 1], &words[middle - 1..middle + 1], &words[middle + 1..]);
            let (before, inside, after) = (before.join(" "), inside.join(" "), after.join(" "));
            format!("{before} <n translation=\"GIVEN words\">{inside}</n> <wall/> <zone>{after}</zone>")
        })
        .collect();
    std::fs::write(folder.join("marked"), marked.join("\n") + "\n").unwrap();
    let trees = ["--src-dep", "test.de.conllu", "--src-con", "test.de.ptb"];
    for model in MODELS {
        let bundle = format!("out/bundles/{}-de-en", model.name);
        for mode in ["exclusive", "constraint"] {
            let args = ["translate", "-q", "-m", &bundle, "--xml-input", mode, "marked"];
            let out = ok(folder, &[&args[..], &trees[..]].concat());
            let kept = out.lines().filter(|line| line.contains("GIVEN words")).count();
            assert_eq!(kept, marked.len(), "{} {mode}: {out}", model.name);
        }
        let args = ["translate", "-q", "-m", &bundle, "--xml-input", "ignore", "marked"];
        let plain = ["translate", "-q", "-m", &bundle, "test.de"];
        assert_eq!(
            ok(folder, &[&args[..], &trees[..]].concat()),
            ok(folder, &[&plain[..], &trees[..]].concat())
        );
    }
}

/// Words that pass as they are do so in text that is tokens, with trees and without, in every model.
fn kept_words(folder: &Path) {
    let kept = ["``x``", "http://a.de/b?c=1", "{name}", "`a`", "me@example.com"];
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    // The second word of each sentence becomes one of them, in the text and in its trees.
    let with = |line: &str, number: usize, is_word: &dyn Fn(&str) -> bool| -> String {
        let mut seen = 0;
        let word = |part: &str| {
            seen += usize::from(is_word(part));
            let bare = part.trim_end_matches(')');
            let becomes = is_word(part) && seen == 2;
            if becomes { part.replacen(bare, kept[number % kept.len()], 1) } else { part.to_string() }
        };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    };
    let each = |name: &str, is_word: &dyn Fn(&str) -> bool| -> String {
        let text = read(name);
        (0..).zip(text.lines()).map(|(number, line)| with(line, number, is_word) + "\n").collect()
    };
    write("kept.de", each("test.de", &|_| true));
    write("kept.de.ptb", each("test.de.ptb", &|part| !part.starts_with('(')));
    let mut sentence = 0;
    let trees = read("test.de.conllu");
    let rows = trees.lines().map(|row| {
        let mut columns: Vec<&str> = row.split('\t').collect();
        if columns[0] == "2" {
            columns[1] = kept[sentence % kept.len()];
        }
        sentence += usize::from(row.is_empty());
        columns.join("\t") + "\n"
    });
    write("kept.de.conllu", rows.collect());
    for model in MODELS {
        let bundle = format!("out/bundles/{}-de-en", model.name);
        let trees = ["--src-dep", "kept.de.conllu", "--src-con", "kept.de.ptb"];
        for trees in [&trees[..], &[]] {
            let out = ok(folder, &[&["translate", "-q", "-m", &bundle, "kept.de"], trees].concat());
            for (number, line) in out.lines().enumerate() {
                assert!(line.contains(kept[number % kept.len()]), "{} {trees:?}: {line}", model.name);
            }
            assert_eq!(out.lines().count(), read("test.de").lines().count(), "{}", model.name);
        }
    }
}

/// Empty lines, lines of blanks and single words, known and unknown, come through every model and every form of output; systems
/// that translate trees get none for them.
fn odd_lines(folder: &Path) {
    let lines = "\n   \n\t\nHund\nUnbekanntes\n[Bild]\n|||\n";
    std::fs::write(folder.join("odd"), lines).unwrap();
    for model in MODELS {
        let bundle = format!("out/bundles/{}-de-en", model.name);
        for form in [&[][..], &["--nbest", "1"], &["--nbest", "5"], &["--explain"], &["--json", "--explain"]]
        {
            let mut command = Command::new(env!("CARGO_BIN_EXE_treeglot"));
            let output = command.current_dir(folder).args(["translate", "-m", &bundle, "odd"]).args(form);
            let output = output.output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{} {form:?}: {errors}", model.name);
            let text = String::from_utf8(output.stdout).unwrap();
            if form.is_empty() {
                let copied: Vec<&str> = text.lines().collect();
                assert_eq!(copied.len(), 7, "{}: {text}", model.name);
                assert_eq!((copied[0], copied[1], copied[2]), ("", "", ""), "{}", model.name);
                assert_eq!((copied[5], copied[6]), ("[Bild]", "|||"), "{}", model.name);
            }
        }
    }
}

#[test]
fn two_files_are_enough_to_train_tune_and_test() {
    let folder = with_sample();
    let at = folder.path();
    std::fs::rename(at.join("train.de"), at.join("corpus.deu.txt")).unwrap();
    std::fs::rename(at.join("train.en"), at.join("corpus.en.txt")).unwrap();
    let args = ["train", "--quick", "--src", "corpus.deu.txt", "--tgt", "corpus.en.txt", "-o", "bundle"];
    let trained = ran(&mut treeglot(at, &args));
    assert_eq!(trained.code, Some(0), "{}", trained.err);
    for said in ["model hiero", "20 pairs are held out", "test bleu:", "test chrf:"] {
        assert!(trained.err.contains(said), "{said}: {}", trained.err);
    }
    let info = ok(at, &["bundle", "info", "bundle"]);
    assert!(info.contains("test bleu") && info.contains("dev"), "{info}");
    assert!(!at.join("bundle.work").exists());
    let joint = ["train", "--quick", "--joint", "--model", "phrase", "--src", "corpus.deu.txt", "--tgt"];
    ok(at, &[&joint[..], &["corpus.en.txt", "-o", "joint"]].concat());
    assert!(ok(at, &["bundle", "info", "joint"]).contains("joint model of words"));
    let explained = ran(&mut treeglot(at, &["translate", "-m", "joint", "--explain", "dev.raw.de"]));
    assert!(explained.code == Some(0) && explained.out.contains("JointModel0= -"), "{}", explained.err);
}

#[test]
fn limits_count_in_every_set_and_a_relative_data_folder_is_where_the_user_is() {
    let folder = with_sample();
    let at = folder.path();
    std::fs::create_dir_all(at.join("recipes")).unwrap();
    let recipe = "source = \"de\"\ntarget = \"en\"\npreprocess = { tokenize = false, truecase = false }\n[data]\n\
        train = { source = \"${data}/train.de\", target = \"${data}/train.en\" }\n\
        dev = { source = \"${data}/dev.de\", target = \"${data}/dev.en\", limit = 10 }\n\
        test = [{ name = \"test\", source = \"${data}/test.de\", target = \"${data}/test.en\", limit = 5 }]\n\
        [tune]\nrounds = 1\nnbest = 5\n[[system]]\nmodel = \"phrase\"\n";
    std::fs::write(at.join("recipes/r.toml"), recipe).unwrap();
    ok(at, &["experiment", "recipes/r.toml", "--data", ".", "-q", "-o", "out"]);
    let mut open = vec![at.join("out")];
    let mut outputs = Vec::new();
    while let Some(inside) = open.pop() {
        for entry in std::fs::read_dir(inside).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false if entry.file_name() == "output" => outputs.push(entry.path()),
                false => {}
            }
        }
    }
    assert!(!outputs.is_empty());
    for output in outputs {
        assert_eq!(std::fs::read_to_string(output).unwrap().lines().count(), 5);
    }
}
