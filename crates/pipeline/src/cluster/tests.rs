//! Stages with an engine make the files that they make without one.

use super::local::Local;
use crate::progress::Progress;
use crate::{Cache, Recipe, Resources, run_experiment};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use treeglot_models::registry::MODELS;

const RECIPE: &str = r#"
source = "de"
target = "en"
[data.train]
source = "train.de"
target = "train.en"
source-dep = "train.de.conllu"
source-con = "train.de.ptb"
target-dep = "train.en.conllu"
target-con = "train.en.ptb"
limit = 90
[data]
lm-target = ["dev.en"]
[lm]
order = 4
[preprocess]
tokenize = false
truecase = false
[tune]
method = "none"
"#;

/// The files of all stages, by stage and name.
fn files(cache: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for stage in std::fs::read_dir(cache).unwrap().flatten().filter(|stage| stage.path().is_dir()) {
        for file in std::fs::read_dir(stage.path()).unwrap().flatten() {
            let name = file.path().strip_prefix(cache).unwrap().display().to_string();
            if !name.ends_with("stage.json") {
                all.insert(name, std::fs::read(file.path()).unwrap());
            }
        }
    }
    all
}

/// Runs a recipe, with an engine if one is given; the files of all stages.
fn run(recipe: &Recipe, folder: &Path, name: &str, engine: Option<Arc<Local>>) -> BTreeMap<String, Vec<u8>> {
    let mut cache = Cache::open(folder.join(name)).unwrap();
    if let Some(engine) = engine {
        cache = cache.with_engine(engine);
    }
    run_experiment(recipe, &cache, Resources::default(), &Progress::quiet()).unwrap();
    files(&folder.join(name))
}

/// The files that are not the same in both.
fn differences<'f>(
    one: &'f BTreeMap<String, Vec<u8>>,
    other: &'f BTreeMap<String, Vec<u8>>,
) -> Vec<&'f String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).collect()
}

fn sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    treeglot_sample::write_to(treeglot_sample::Sample::embedded(), folder.path()).unwrap();
    folder
}

fn recipe(folder: &Path, more: &str) -> Recipe {
    Recipe::parse(&format!("{RECIPE}{more}"), "recipe.toml".as_ref(), folder, None).unwrap()
}

#[test]
fn every_model_is_trained_on_executors_to_the_same_bytes() {
    let folder = sample();
    let mut systems: String =
        MODELS.iter().map(|model| format!("[[system]]\nmodel = \"{}\"\n", model.name)).collect();
    systems += "[[system]]\nname = \"sum\"\nmodel = \"phrase\"\nscore = { origins = true, significance = \"a-e\" }\n\
                extract = [{ from = \"str\" }, { from = \"con\", weight = 0.5 }, { from = \"dep\" }]\n";
    let recipe = recipe(folder.path(), &systems);
    let alone = run(&recipe, folder.path(), "alone", None);
    for (parts, lines) in [(1, 1000), (7, 13)] {
        let engine = Arc::new(Local::new(parts, lines));
        let name = format!("engine-{parts}");
        let together = run(&recipe, folder.path(), &name, Some(engine.clone()));
        assert_eq!(
            differences(&alone, &together),
            Vec::<&String>::new(),
            "with {parts} parts and {lines} lines"
        );
        let done = engine.done.lock().unwrap();
        assert!(done.iter().filter(|step| *step == "counts").count() > MODELS.len(), "{done:?}");
    }
}

/// Development and test sets, three models of which one reads trees and one scores them, and two that choose together.
const TUNED: &str = r#"
[data.dev]
source = "dev.de"
target = "dev.en"
source-dep = "dev.de.conllu"
limit = 30
[[data.test]]
name = "test"
source = "test.de"
target = "test.en"
source-dep = "test.de.conllu"
limit = 25
[lm]
tree-order = 3
[preprocess]
tokenize = false
truecase = false
[tune]
rounds = 2
nbest = 10
[[system]]
model = "phrase"
sparse = true
[[system]]
model = "dep2str"
guess = true
[[system]]
model = "str2dep"
[[system]]
name = "together"
combine = ["phrase", "dep2str"]
"#;

#[test]
fn systems_are_tuned_and_test_sets_translated_on_executors_to_the_same_bytes() {
    let folder = sample();
    let data: String = RECIPE.split("[data]").next().unwrap().replace("limit = 90", "limit = 300");
    let recipe =
        Recipe::parse(&format!("{data}{TUNED}"), "recipe.toml".as_ref(), folder.path(), None).unwrap();
    let alone = run(&recipe, folder.path(), "alone", None);
    let engine = Arc::new(Local::new(3, 11));
    let together = run(&recipe, folder.path(), "engine", Some(engine.clone()));
    assert_eq!(differences(&alone, &together), Vec::<&String>::new());
    let steps = |kind: &str| engine.done.lock().unwrap().iter().filter(|step| step.starts_with(kind)).count();
    // The lists that the combination chooses from are made by the driving process.
    let (lists, translated) = (steps("lists-"), steps("translated"));
    assert_eq!((lists, translated), (6, 3), "three systems have two rounds, and translate");
}

#[test]
fn small_sets_are_translated_where_the_models_are() {
    let folder = sample();
    let data: String = RECIPE.split("[data]").next().unwrap().to_string();
    let text = format!("{data}{}", TUNED.split("[[system]]").take(2).collect::<Vec<_>>().join("[[system]]"));
    let recipe = Recipe::parse(&text, "recipe.toml".as_ref(), folder.path(), None).unwrap();
    let engine = Arc::new(Local::new(3, 31));
    run(&recipe, folder.path(), "engine", Some(engine.clone()));
    let done = engine.done.lock().unwrap();
    assert!(!done.iter().any(|step| step.starts_with("lists-") || step == "translated"), "{done:?}");
    assert!(done.iter().any(|step| step == "counts"), "{done:?}");
}

#[test]
fn tuning_that_was_interrupted_goes_on_from_its_rounds() {
    let folder = sample();
    let data: String = RECIPE.split("[data]").next().unwrap().to_string();
    let text = format!("{data}{}", TUNED.split("[[system]]").take(2).collect::<Vec<_>>().join("[[system]]"));
    let recipe = Recipe::parse(&text, "recipe.toml".as_ref(), folder.path(), None).unwrap();
    let alone = run(&recipe, folder.path(), "alone", None);
    let engine = Arc::new(Local::new(4, 10));
    *engine.fails_after.lock().unwrap() = Some(("lists-".to_string(), 1));
    let attempt = || {
        let cache = Cache::open(folder.path().join("cache")).unwrap().with_engine(engine.clone());
        run_experiment(&recipe, &cache, Resources { jobs: 1, ..Resources::default() }, &Progress::quiet())
    };
    attempt().unwrap_err();
    attempt().unwrap();
    assert_eq!(differences(&alone, &files(&folder.path().join("cache"))), Vec::<&String>::new());
    let done = engine.done.lock().unwrap();
    assert_eq!(done.iter().filter(|step| step.starts_with("lists-")).count(), 2, "{done:?}");
}

#[test]
fn the_rules_of_a_comma_do_not_come_to_one_part() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |line: &dyn Fn(usize) -> String| (0..1200).map(|n| line(n) + "\n").collect::<String>();
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("de", lines(&|n| format!("a{} , b{}", n % 5, n % 7)));
    write("en", lines(&|n| format!("c{} x{} d{}", n % 5, n % 600, n % 7)));
    let text = "source = \"de\"\ntarget = \"en\"\npreprocess = { tokenize = false, truecase = false }\n\
                tune.method = \"none\"\ndata.train = { source = \"de\", target = \"en\" }\n[[system]]\nmodel = \"hiero\"\n";
    let recipe = Recipe::parse(text, "recipe.toml".as_ref(), folder.path(), None).unwrap();
    let alone = run(&recipe, folder.path(), "alone", None);
    let engine = Arc::new(Local::new(6, 128));
    let together = run(&recipe, folder.path(), "engine", Some(engine.clone()));
    assert_eq!(differences(&alone, &together), Vec::<&String>::new());
    let bytes = engine.bytes.lock().unwrap();
    let kinds: BTreeSet<&str> = bytes.iter().map(|(step, _)| step.split('-').next().unwrap()).collect();
    assert_eq!(
        kinds,
        BTreeSet::from(["counts", "ends", "expected", "links", "sides"]),
        "rules and n-grams, their target sides and ends, alignment, lexicon"
    );
    for (step, parts) in bytes.iter() {
        let (most, mean) = (parts.iter().max().unwrap(), parts.iter().sum::<usize>() / 6);
        assert!(*most < 2 * mean, "{step}: {parts:?}");
    }
}

#[test]
fn a_stage_that_failed_goes_on_from_the_steps_that_were_done() {
    let folder = sample();
    let text = format!("{RECIPE}[[system]]\nmodel = \"hiero\"\n").replace("= false", "= true");
    let recipe = Recipe::parse(&text, "recipe.toml".as_ref(), folder.path(), None).unwrap();
    let alone = run(&recipe, folder.path(), "alone", None);
    let engine = Arc::new(Local::new(3, 20));
    *engine.fails_after.lock().unwrap() = Some(("counts".to_string(), 0));
    let attempt = || {
        let cache = Cache::open(folder.path().join("cache")).unwrap().with_engine(engine.clone());
        run_experiment(&recipe, &cache, Resources { jobs: 1, ..Resources::default() }, &Progress::quiet())
    };
    let error = attempt().unwrap_err();
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("told to fail"));
    attempt().unwrap();
    assert!(alone == files(&folder.path().join("cache")), "words are cut and cased by executors too");
    let done = engine.done.lock().unwrap();
    assert_eq!(done.iter().filter(|step| *step == "extracted-0").count(), 1, "{done:?}");
}

#[test]
fn what_is_wrong_in_a_shard_is_told_with_the_lines_it_has() {
    let folder = sample();
    let trees = std::fs::read_to_string(folder.path().join("train.de.conllu")).unwrap();
    let broken = trees.replacen("\n2\t", "\n2\twrong", 60);
    std::fs::write(folder.path().join("train.de.conllu"), broken).unwrap();
    let recipe = recipe(folder.path(), "[[system]]\nmodel = \"dep2str\"\n");
    let engine = Arc::new(Local::new(3, 20));
    let cache = Cache::open(folder.path().join("cache")).unwrap().with_engine(engine);
    let error = run_experiment(&recipe, &cache, Resources::default(), &Progress::quiet()).unwrap_err();
    let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
    assert!(cause.contains("trees.conllu:") && cause.contains("in lines "), "{cause}");
}
