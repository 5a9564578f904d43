//! A small experiment from a recipe to its report, on the embedded sample.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_pipeline::bundle::{Bundle, TunedCombination};
use treeglot_pipeline::translator::{Request, Translator, TranslatorSettings};
use treeglot_pipeline::{Cache, Error, Progress, Recipe, Resources, Results, publish, run_experiment};
use treeglot_sample::{Sample, write_to};

const RECIPE: &str = r#"
title = "Words & trees"
source = "de"
target = "en"
directions = "both"
[data]
train = { source = "train.de", target = "train.en", source-dep = "train.de.conllu", limit = 250 }
[[data.test]]
name = "small"
source = "small.de"
target = "small.en"
source-dep = "small.de.conllu"
[preprocess]
tokenize = false
truecase = false
[align]
model = "hmm"
[lm]
order = 3
[tune]
method = "none"
[[system]]
model = "phrase"
[[system]]
model = "hiero"
direction = "forward"
[[system]]
model = "dep2str"
direction = "forward"
[[system]]
combine = ["phrase", "hiero"]
direction = "forward"
"#;

const RESOURCES: Resources = Resources { memory: 1 << 30, threads: 2, jobs: 2 };

/// The embedded sample with a small test set.
fn sample(folder: &Path) {
    write_to(Sample::embedded(), folder).unwrap();
    for (name, separator) in [("de", "\n"), ("en", "\n"), ("de.conllu", "\n\n")] {
        let text = fs::read_to_string(folder.join(format!("test.{name}"))).unwrap();
        let first: String = text.split_inclusive(separator).take(12).collect();
        fs::write(folder.join(format!("small.{name}")), first).unwrap();
    }
}

fn recipe(folder: &Path) -> Recipe {
    Recipe::parse(RECIPE, Path::new("r.toml"), folder, None).unwrap()
}

fn run(folder: &Path) -> Results {
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    run_experiment(&recipe(folder), &cache, RESOURCES, &Progress::quiet()).unwrap()
}

/// All files below a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.append(&mut contents(&path));
        } else {
            all.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    all
}

#[test]
fn an_experiment_compares_its_systems_and_keeps_what_it_made() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let results = run(folder);

    let [forward, backward] = &results.directions[..] else { panic!("two directions") };
    let names = |k: usize| results.directions[k].systems.iter().map(|s| s.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names(0), ["phrase", "hiero", "dep2str", "phrase+hiero"]);
    assert_eq!(names(1), ["phrase"]);
    assert_eq!((forward.name.as_str(), backward.name.as_str()), ("de-en", "en-de"));
    let (columns, rows) = forward.table();
    assert_eq!(
        columns,
        [
            "system",
            "small bleu",
            "small chrf",
            "small ter",
            "dev",
            "rules",
            "size",
            "training",
            "a sentence",
            "variables used"
        ]
    );
    assert!(rows.iter().all(|row| row.len() == columns.len()));
    assert_eq!(rows[3][4..8], ["-", "-", "-", "-"], "a combination trains nothing");
    assert!(
        forward
            .systems
            .iter()
            .all(|system| fs::read_to_string(&system.outputs[0]).unwrap().lines().count() == 12)
    );
    let score = |k: usize| forward.tests[0].1.systems[k][0].score;
    assert!((0..4).all(|k| score(k) > 5.0), "{rows:?}");
    assert!(forward.text().contains("than phrase with p < 0.05") && !backward.text().contains("p < 0.05"));

    publish(&recipe(folder), &results, &folder.join("out")).unwrap();
    let report = fs::read_to_string(folder.join("out/report.html")).unwrap();
    for part in [
        "<title>Words &amp; trees</title>",
        "<h2>de-en</h2>",
        "<h2>en-de</h2>",
        "<td>phrase+hiero</td>",
        "4 systems are compared (de-en, en-de). They were trained on ",
        "BLEU by test set",
        "BLEU by source length",
        "<h3>Weights</h3>",
        "<td>TranslationModel0</td>",
        "nrefs:1|case:mixed|",
        " ± ",
        "<h2>Recipe</h2>",
        "Sample sentences",
        "source dependency tree",
        "derivation",
        "What each stage took",
    ] {
        assert!(report.contains(part), "{part} is missing");
    }

    let bundles = folder.join("out/bundles");
    let mut names: Vec<_> =
        fs::read_dir(&bundles).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["dep2str-de-en", "hiero-de-en", "phrase-de-en", "phrase-en-de"]);
    let before = contents(&folder.join("out/cache"));
    for path in contents(&bundles).keys() {
        fs::write(path, "spoilt").unwrap();
    }
    assert_eq!(contents(&folder.join("out/cache")), before, "a bundle shares nothing with the cache");

    let again = run(folder);
    let made = |results: &Results| -> Vec<_> {
        results.stages.iter().map(|stage| (stage.stage.clone(), stage.peak, stage.notes.clone())).collect()
    };
    assert_eq!(made(&again), made(&results), "nothing is done again");
    assert_eq!(again.directions[0].text(), forward.text());
    publish(&recipe(folder), &again, &folder.join("out")).unwrap();
    assert!(contents(&bundles).values().all(|bytes| bytes != b"spoilt"));
}

#[test]
fn training_writes_the_bundle_of_a_system_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let cache = Cache::open(folder.join("cache")).unwrap();
    let train = |name: Option<&str>, to: &str| {
        treeglot_pipeline::train(
            &recipe(folder),
            name,
            &cache,
            RESOURCES,
            &Progress::quiet(),
            &folder.join(to),
        )
    };
    let unknown = train(Some("hireo"), "bundle").unwrap_err().to_string();
    assert!(unknown.contains("no system `hireo`") && unknown.contains("phrase, hiero, dep2str"), "{unknown}");

    let lock = fs::File::create(folder.join("bundle.lock")).unwrap();
    lock.lock().unwrap();
    let busy = train(None, "bundle").unwrap_err();
    assert!(matches!(&busy, Error::Busy { .. }) && busy.to_string().contains("is at work on it"), "{busy}");
    drop(lock);

    train(None, "bundle").unwrap();
    assert!(folder.join("bundle/bundle.toml").exists() && !folder.join("bundle.lock").exists());
    let twice = train(None, "bundle").unwrap_err().to_string();
    assert!(twice.contains("there is a bundle already"), "{twice}");
}

/// Word order by links, both ways and for a combination, and two tuning runs.
const WORD_ORDER: &str = r#"
source = "de"
target = "en"
directions = "both"
[data]
train = { source = "train.de", target = "train.en", limit = 250 }
dev = { source = "small.de", target = "small.en" }
[[data.test]]
name = "given"
source = "small.de"
target = "small.en"
links = "small.links"
[[data.test]]
name = "aligned"
source = "small.de"
target = "small.en"
[preprocess]
tokenize = false
truecase = false
[align]
model = "hmm"
[lm]
order = 3
[tune]
rounds = 1
nbest = 10
runs = 2
[eval]
metrics = ["r"]
[[system]]
model = "phrase"
[[system]]
model = "hiero"
direction = "forward"
[[system]]
combine = ["phrase", "hiero"]
direction = "forward"
"#;

/// R by its definition (Birch & Osborne 2010, section 3): the share of pairs of source words in another order, of links that are given.
fn r_by_hand(reference: &str, output: &str, lengths: [usize; 2]) -> f64 {
    let places = |line: &str| -> Vec<(usize, usize)> {
        let pair = |link: &str| {
            let (source, target) = link.split_once('-').unwrap();
            (source.parse().unwrap(), target.parse().unwrap())
        };
        line.split(' ').filter(|link| !link.is_empty()).map(pair).collect()
    };
    let [reference, output] = [places(reference), places(output)];
    let n = reference.iter().chain(&output).map(|(source, _)| source + 1).max().unwrap_or(0);
    let keys = |links: &[(usize, usize)]| {
        let mut last = 0;
        let mut key = |source: usize| {
            let first = links.iter().filter(|link| link.0 == source).map(|link| link.1 + 1).min();
            last = first.unwrap_or(last);
            (last, source)
        };
        (0..n).map(&mut key).collect::<Vec<_>>()
    };
    let [a, b] = [keys(&reference), keys(&output)];
    let pairs = || (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let other = pairs().filter(|&(i, j)| (a[i] < a[j]) != (b[i] < b[j])).count();
    let share = if n < 2 { 0.0 } else { other as f64 / pairs().count() as f64 };
    let brevity = (1.0 - lengths[0] as f64 / lengths[1] as f64).exp().min(1.0);
    brevity * (1.0 - share.sqrt())
}

#[test]
fn word_order_is_compared_by_links_and_tuning_runs_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let links = fs::read_to_string(folder.join("test.links")).unwrap();
    fs::write(folder.join("small.links"), links.split_inclusive('\n').take(12).collect::<String>()).unwrap();
    let recipe = Recipe::parse(WORD_ORDER, Path::new("r.toml"), folder, None).unwrap();
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();

    let read = |path: &Path| fs::read_to_string(path).unwrap().lines().map(String::from).collect::<Vec<_>>();
    let (links, references) = (read(&folder.join("small.links")), read(&folder.join("small.en")));
    let words = |line: &String| line.split(' ').count();
    for (k, system) in results.directions[0].systems.iter().enumerate() {
        let outputs = read(&system.outputs[0]);
        let of_outputs = read(&system.outputs[0].with_file_name("links"));
        let by_hand = (0..outputs.len())
            .map(|i| r_by_hand(&links[i], &of_outputs[i], [words(&references[i]), words(&outputs[i])]));
        let by_hand = 100.0 * by_hand.sum::<f64>() / outputs.len() as f64;
        let found = results.directions[0].tests[0].1.systems[k][0].score;
        assert!((found - by_hand).abs() < 1e-9, "{}: {found}, by hand {by_hand}", system.name);
        let aligned = results.directions[0].tests[1].1.systems[k][0].score;
        assert!((found - aligned).abs() < 30.0, "gold links and those of the aligner: {found}, {aligned}");
    }
    let uses = |k: usize| results.directions[0].systems[k].variables_used;
    assert_eq!(uses(0), Some(0.0), "phrases have no variables");
    assert!(uses(1).is_some_and(|rules| rules > 0.0) && uses(2).is_none());
    for direction in &results.directions {
        let runs = direction.analyses.last().unwrap();
        assert_eq!(runs.caption, "2 tuning runs");
        assert_eq!(runs.columns, ["system", "dev", "given r", "aligned r"]);
        assert_eq!(runs.rows.len(), direction.systems.len());
    }
}

/// Weights are tuned that choose among the translations of two systems; what is published chooses alike, on any number of threads,
/// and is for these systems in this order.
#[test]
fn a_combination_is_tuned_and_chooses_from_its_folder_as_in_the_experiment() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let text = RECIPE
        .replace("directions = \"both\"\n", "")
        .replace(
            "[[data.test]]",
            "[data.dev]\nsource = \"dev.de\"\ntarget = \"dev.en\"\nlimit = 30\n[[data.test]]",
        )
        .replace(
            "method = \"none\"",
            "rounds = 2\nnbest = 20\n[joint]\nembedding = 16\nhidden = 24\nepochs = 2\nrate = 0.01",
        )
        .replace("model = \"dep2str\"", "model = \"hiero\"\nname = \"short\"\nextract = { max-span = 4 }");
    let text = format!(
        "{text}class-lm = true\njoint = true\n[[system]]\nname = \"alike\"\ncombine = [\"phrase\", \"short\"]\ntune = {{ method = \"none\" }}\n"
    );
    let recipe = Recipe::parse(&text, Path::new("r.toml"), folder, None).unwrap();
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    publish(&recipe, &results, &folder.join("out")).unwrap();

    let systems = &results.directions[0].systems;
    let dev = |k: usize| systems[k].dev.as_ref().map(|dev| dev.parse::<f64>().unwrap());
    assert!(dev(3).unwrap() > dev(0).unwrap() - 2.0, "{:?}", systems[3].dev);
    assert!(systems[4].combination.is_none() && dev(4).is_none(), "nothing is tuned for minimum Bayes risk");
    let bundles = folder.join("out/bundles");
    let combination = TunedCombination::open(bundles.join("phrase+hiero-de-en")).map(Arc::new).unwrap();
    let open = |names: [&str; 2], threads: usize| {
        let settings = TranslatorSettings {
            threads,
            combination: Some(Arc::clone(&combination)),
            ..TranslatorSettings::default()
        };
        Translator::open_with(names.map(|name| bundles.join(name)), &settings)
    };
    let expected = fs::read_to_string(&systems[3].outputs[0]).unwrap();
    for threads in [1, 3] {
        let translator = open(["phrase-de-en", "hiero-de-en"], threads).unwrap();
        let source = fs::read_to_string(folder.join("small.de")).unwrap();
        let lines = source.lines().map(|line| translator.translate_with(line, &Request::default()));
        let found: String = lines.map(|translated| translated.unwrap().text() + "\n").collect();
        assert_eq!(found, expected, "{threads} threads");
    }
    let error = open(["hiero-de-en", "phrase-de-en"], 1).err().unwrap().to_string();
    assert!(error.contains("tuned for systems of phrase, hiero, in this order"), "{error}");
}

#[test]
fn systems_learn_neural_models_and_classes_where_they_are_asked_to() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let text = RECIPE
        .replace("[lm]", "[joint]\nembedding = 16\nhidden = 24\nepochs = 4\nrate = 0.01\nbatch = 64\n[class-lm]\nclasses = 20\n[lm]")
        .replace("model = \"phrase\"", "model = \"phrase\"\njoint = true\nlexical = true")
        .replace("model = \"hiero\"", "model = \"hiero\"\nlexical = true\nclass-lm = true")
        .replace("model = \"dep2str\"", "model = \"dep2str\"\njoint = true");
    let recipe = Recipe::parse(&text, Path::new("r.toml"), folder, None).unwrap();
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    let learnt = results.stages.iter().filter(|stage| stage.notes.contains_key("perplexity")).count();
    assert_eq!(learnt, 4, "one model of each kind a direction");
    let scores: Vec<f64> =
        results.directions[0].tests[0].1.systems.iter().map(|system| system[0].score).collect();
    assert!(scores.iter().all(|&score| score > 5.0), "{scores:?}");
    publish(&recipe, &results, &folder.join("out")).unwrap();
    for (name, joint, lexical) in
        [("phrase-de-en", true, true), ("hiero-de-en", false, true), ("dep2str-de-en", true, false)]
    {
        let bundle = treeglot_pipeline::bundle::Bundle::open(folder.join("out/bundles").join(name)).unwrap();
        let (components, weights) = (bundle.components(), bundle.weights().unwrap());
        assert_eq!((components.joint.is_some(), components.lexical.is_some()), (joint, lexical));
        assert_eq!(weights.get("JointModel0").is_some(), joint);
        assert_eq!(weights.get("LexicalModel0").is_some(), lexical);
        let classes = name.starts_with("hiero");
        assert_eq!(components.lms.len(), 1 + usize::from(classes), "{name}");
        assert_eq!(weights.get("LM1").is_some(), classes, "{name}");
    }
}

/// Systems of words, of pieces and of both together, from raw text to bundles; terms and corrections are of words for all of them.
#[test]
fn systems_of_pieces_translate_words_alone_and_beside_systems_of_words() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let tuned = RECIPE
        .replace("directions = \"both\"\n", "")
        .replace("[[data.test]]", "[data.dev]\nsource = \"small.de\"\ntarget = \"small.en\"\n[[data.test]]")
        .replace("method = \"none\"", "rounds = 1");
    let systems = "[[system]]\nname = \"words\"\nmodel = \"phrase\"\n\
        [[system]]\nname = \"pieces\"\nmodel = \"phrase\"\nsubwords = { source = 1000, target = 800 }\n\
        [[system]]\nname = \"hiero pieces\"\nmodel = \"hiero\"\nsubwords = { target = 800 }\n\
        [[system]]\ncombine = [\"words\", \"pieces\"]\n";
    let text = format!("{}{systems}", tuned.split("[[system]]").next().unwrap());
    let recipe = Recipe::parse(&text, Path::new("r.toml"), folder, None).unwrap();
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    for system in &results.directions[0].systems {
        let output = fs::read_to_string(&system.outputs[0]).unwrap();
        assert!(!output.contains('￭') && output.lines().count() == 12, "{output}");
    }
    let scores: Vec<f64> =
        results.directions[0].tests[0].1.systems.iter().map(|system| system[0].score).collect();
    assert!(scores.iter().all(|&score| score > 10.0), "{scores:?}");

    publish(&recipe, &results, &folder.join("out")).unwrap();
    let bundles = folder.join("out/bundles");
    let opened = Bundle::open(bundles.join("pieces-de-en")).unwrap();
    opened.verify().unwrap();
    assert!(opened.components().subwords.iter().all(Option::is_some));
    assert!(
        Bundle::open(bundles.join("words-de-en")).unwrap().components().subwords.iter().all(Option::is_none)
    );
    let line = fs::read_to_string(folder.join("small.de")).unwrap().lines().next().unwrap().to_string();
    let both = Translator::open(["pieces-de-en", "words-de-en"].map(|name| bundles.join(name))).unwrap();
    let request = Request { explain: true, ..Request::default() };
    let translated = both.translate_with(&line, &request).unwrap();
    let best = &translated.sentences[0].best[0];
    let explanation = best.explanation.as_ref().unwrap();
    assert_eq!(explanation.source.join(" "), line);
    let words: Vec<&str> = explanation.words.iter().map(|word| word.word.as_str()).collect();
    assert_eq!(words.join(" "), best.words);
}

/// Words that were never seen together are translated by their parts, and explained as one word.
#[test]
fn compounds_are_taken_apart_where_they_are_translated_from() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let (mut german, mut english) = (String::new(), String::new());
    for adjective in [("alt", "old"), ("neu", "new"), ("rot", "red"), ("schmal", "narrow")] {
        for thing in [("Garten", "garden"), ("Winter", "winter"), ("Sommer", "summer")] {
            german += &format!("der {} ist {}\n", thing.0, adjective.0);
            english += &format!("the {} is {}\n", thing.1, adjective.1);
        }
        for things in [("Stühle", "chairs"), ("Schuhe", "shoes"), ("Tische", "tables")] {
            german += &format!("die {} sind {}\n", things.0, adjective.0);
            english += &format!("the {} are {}\n", things.1, adjective.1);
        }
    }
    for (name, text) in [
        ("train.de", german.as_str()),
        ("train.en", &english),
        ("small.de", "die Sommerschuhe sind neu\n"),
        ("small.en", "the summer shoes are new\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let text = RECIPE
        .replace(", source-dep = \"train.de.conllu\", limit = 250", "")
        .replace("source-dep = \"small.de.conllu\"\n", "")
        .replace("[align]", "compounds = \"de\"\n[align]")
        .replace("directions = \"both\"\n", "");
    let systems =
        "[[system]]\nmodel = \"phrase\"\n[[system]]\nname = \"whole\"\nmodel = \"phrase\"\ncompounds = []\n";
    let parse = |systems: &str| {
        let text = format!("{}{systems}", text.split("[[system]]").next().unwrap());
        Recipe::parse(&text, Path::new("r.toml"), folder, None).unwrap()
    };
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let recipe = parse(systems);
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    let output =
        |system: usize| fs::read_to_string(&results.directions[0].systems[system].outputs[0]).unwrap();
    assert_eq!(output(0), "the summer shoes are new\n");
    assert!(!output(1).contains("summer shoes"), "{}", output(1));

    publish(&recipe, &results, &folder.join("out")).unwrap();
    let translator = Translator::open([folder.join("out/bundles/phrase-de-en")]).unwrap();
    let request = Request { explain: true, ..Request::default() };
    let translated = translator.translate_with("die Sommerschuhe sind alt", &request).unwrap();
    let best = &translated.sentences[0].best[0];
    let explanation = best.explanation.as_ref().unwrap();
    assert_eq!(explanation.source, ["die", "Sommerschuhe", "sind", "alt"]);
    let linked =
        |word: &str| &explanation.words.iter().find(|explained| explained.word == word).unwrap().source;
    assert_eq!((linked("summer"), linked("shoes"), linked("are")), (&vec![1], &vec![1], &vec![2]));

    let refused = |text: &str| {
        run_experiment(&parse(text), &cache, RESOURCES, &Progress::quiet()).unwrap_err().to_string()
    };
    let english = refused("[[system]]\nmodel = \"phrase\"\ncompounds = \"en\"\n");
    assert!(
        english.contains("are taken apart where it is translated from, which is not so here"),
        "{english}"
    );
    let french = refused("[[system]]\nmodel = \"phrase\"\ncompounds = \"fr\"\n");
    assert!(french.contains("the languages are de and en"), "{french}");
}

/// Trees in files, in training and in translation, are of whole words; what is read off them has parts.
#[test]
fn compounds_of_trees_are_taken_apart_too() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let (mut german, mut english, mut trees, mut brackets) =
        (String::new(), String::new(), String::new(), String::new());
    let mut add = |words: [&str; 4], translation: String| {
        german += &format!("{}\n", words.join(" "));
        english += &format!("{translation}\n");
        let [article, noun, verb, adjective] = words;
        brackets += &format!("(S (NP (ART {article}) (NN {noun})) (VAFIN {verb}) (ADJD {adjective}))\n");
        for (number, (word, tag, head)) in
            [(article, "ART", 2), (noun, "NN", 4), (verb, "VAFIN", 4), (adjective, "ADJD", 0)]
                .iter()
                .enumerate()
        {
            trees += &format!("{}\t{word}\t_\t{tag}\t{tag}\t_\t{head}\t_\t_\t_\n", number + 1);
        }
        trees.push('\n');
    };
    for adjective in [("alt", "old"), ("neu", "new"), ("rot", "red"), ("schmal", "narrow")] {
        for thing in [("Garten", "garden"), ("Winter", "winter"), ("Sommer", "summer")] {
            add(["der", thing.0, "ist", adjective.0], format!("the {} is {}", thing.1, adjective.1));
        }
        for things in [("Stühle", "chairs"), ("Schuhe", "shoes"), ("Tische", "tables")] {
            add(["die", things.0, "sind", adjective.0], format!("the {} are {}", things.1, adjective.1));
        }
        add(["die", "Gartenstühle", "sind", adjective.0], format!("the garden chairs are {}", adjective.1));
    }
    let small = "1\tdie\t_\tART\tART\t_\t2\t_\t_\t_\n2\tSommerschuhe\t_\tNN\tNN\t_\t4\t_\t_\t_\n\
        3\tsind\t_\tVAFIN\tVAFIN\t_\t4\t_\t_\t_\n4\tneu\t_\tADJD\tADJD\t_\t0\t_\t_\t_\n\n";
    for (name, text) in [
        ("train.de", german.as_str()),
        ("train.en", &english),
        ("train.de.conllu", &trees),
        ("train.de.ptb", &brackets),
        ("small.de", "die Sommerschuhe sind neu\n"),
        ("small.en", "the summer shoes are new\n"),
        ("small.de.conllu", small),
        ("small.de.ptb", "(S (NP (ART die) (NN Sommerschuhe)) (VAFIN sind) (ADJD neu))\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let text = RECIPE
        .replace(", limit = 250", ", source-con = \"train.de.ptb\"")
        .replace("small.de.conllu\"\n", "small.de.conllu\"\nsource-con = \"small.de.ptb\"\n")
        .replace("[align]", "compounds = \"de\"\n[align]")
        .replace("directions = \"both\"\n", "");
    let systems = "[[system]]\nmodel = \"dep2str\"\ntables = [\"phrase\"]\n[[system]]\nmodel = \"cons2str\"\ntables = []\n";
    let text = format!("{}{systems}", text.split("[[system]]").next().unwrap());
    let recipe = Recipe::parse(&text, Path::new("r.toml"), folder, None).unwrap();
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    for system in &results.directions[0].systems {
        let output = fs::read_to_string(&system.outputs[0]).unwrap();
        assert!(output.contains("summer shoes"), "{}: {output}", system.name);
    }
}

#[test]
fn rules_of_trees_are_of_whole_words() {
    let dir = tempfile::tempdir().unwrap();
    sample(dir.path());
    let text = RECIPE.replace("[align]", "subwords = { source = 100 }\n[align]");
    let recipe = Recipe::parse(&text, Path::new("r.toml"), dir.path(), None).unwrap();
    let cache = Cache::open(dir.path().join("cache")).unwrap();
    let error = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap_err().to_string();
    assert!(error.contains("system `dep2str` cannot be trained on pieces of words"), "{error}");
}

/// A text of the same kind weighs more than one of nonsense.
#[test]
fn language_models_are_added_up_by_what_they_are_worth() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let english = fs::read_to_string(folder.join("train.en")).unwrap();
    let alike: String = english.lines().skip(250).take(400).map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("alike.en"), alike).unwrap();
    let odd: String = english
        .lines()
        .take(400)
        .map(|line| {
            let words: Vec<&str> = line.split(' ').rev().collect();
            format!("{}\n", words.join(" "))
        })
        .collect();
    fs::write(folder.join("odd.en"), odd).unwrap();
    let text = RECIPE
        .replace("directions = \"both\"\n", "")
        .replace("[data]", "[data]\nlm-target = [\"odd.en\", \"alike.en\"]")
        .replace("[[data.test]]", "[data.dev]\nsource = \"small.de\"\ntarget = \"small.en\"\n[[data.test]]")
        .replace("order = 3", "order = 3\ninterpolate = true");
    let text = format!("{}[[system]]\nmodel = \"phrase\"\n", text.split("[[system]]").next().unwrap());
    let recipe = Recipe::parse(&text, Path::new("r.toml"), folder, None).unwrap();
    let cache = Cache::open(folder.join("cache")).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    let notes = results.stages.iter().find_map(|stage| stage.notes.get("weights")).unwrap();
    let numbers: Vec<f64> =
        notes.to_string().trim_matches('"').split(' ').map(|n| n.parse().unwrap()).collect();
    assert!(numbers[2] > numbers[1], "{numbers:?}");
    assert!((numbers.iter().sum::<f64>() - 1.0).abs() < 0.01);

    let without = text.replace("[data.dev]\nsource = \"small.de\"\ntarget = \"small.en\"\n", "");
    let error = Recipe::parse(&without, Path::new("r.toml"), folder, None).unwrap_err().to_string();
    assert!(error.contains("`interpolate` finds its weights on `[data.dev]`"), "{error}");
}

/// Na & Lee 2011, figures 6 and 7: without a system, and with the pairs of the data that a recipe names.
#[test]
fn a_recipe_of_studies_alone_tells_what_share_of_its_pairs_their_rules_can_build() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    sample(folder);
    let systems = RECIPE.find("[[system]]").unwrap();
    let text = format!("{}[[coverage]]\nsettings = {{ m = [1, 6], k = [1, 10] }}\n", &RECIPE[..systems]);
    let text = text.replace("directions = \"both\"", "");
    let parse = |text: &str| Recipe::parse(text, Path::new("r.toml"), folder, None);
    let cache = Cache::open(folder.join("out/cache")).unwrap();
    let recipe = parse(&text).unwrap();
    let results = run_experiment(&recipe, &cache, RESOURCES, &Progress::quiet()).unwrap();
    let [(_, coverage)] = &results.directions[0].coverage[..] else { panic!("one study") };
    let settings: Vec<_> = coverage.settings.iter().map(|setting| (setting.m, setting.k)).collect();
    assert_eq!(settings, [(1, 1), (1, 10), (6, 1), (6, 10)]);
    let shares: Vec<f64> = coverage.settings.iter().map(|setting| setting.all.percent()).collect();
    assert!(shares[3] > shares[2] && shares[3] > shares[1] && shares[3] > 50.0, "{shares:?}");
    assert_eq!(coverage.settings[0].all.pairs, 250);

    let text_of_it = results.directions[0].text();
    assert!(text_of_it.starts_with("Recovered pairs by source length, % (de-en)\n"), "{text_of_it}");
    publish(&recipe, &results, &folder.join("out")).unwrap();
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("Pairs not recovered, by reason"));

    let wrong = parse(&text.replace("m = [1, 6]", "m = [0]")).unwrap_err().to_string();
    assert!(wrong.contains("`m` lists how many words a unit may have"), "{wrong}");
}
