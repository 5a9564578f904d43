//! Every model of the registry is trained from a recipe, translates, and is explained in the report.

use crate::tool::{ok, with_sample};
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
            row.unwrap().split_whitespace().nth(1).unwrap().trim_end_matches(['*', '-']).parse().unwrap();
        assert!(bleu > 5.0, "{name} has learnt something: {bleu}");
    }
    assert!(
        table.contains("gold / again") || table.contains("again / gold"),
        "parsers are compared:\n{table}"
    );
    let report = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(report.contains("source dependency tree") && report.contains("source constituency tree"));
    run(&["bundle", "verify", "out/bundles/mwu-de-en"]);
}
