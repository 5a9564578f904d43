//! The constituency parser as its users see it.

#![allow(clippy::unwrap_used, reason = "a test fails where something is wrong")]

use std::path::Path;
use treeglot_parse::{Decoding, Method, ParseSettings, Parser, Progress, Settings, Treebank, plain, train};
use treeglot_sample_generator::{Sizes, generate};
use treeglot_tree::compare::{BracketOptions, BracketScore};
use treeglot_tree::format::ReadTrees;
use treeglot_tree::format::egret::{self, Markers};
use treeglot_tree::transform::heads::{BuiltIn, HeadRules, to_dependencies};
use treeglot_tree::{ConTree, Roots, TreeKind};

fn small(rounds: usize) -> Settings {
    let settings = Settings::default();
    Settings { method: Method::Constituency, rounds: Some(rounds), hidden: Some(24), ..settings }
}

fn trained(trees: Vec<ConTree>, settings: &Settings) -> Parser {
    train(settings, &Treebank::of_trees(trees), None, &|_| ()).unwrap()
}

fn sample(train: usize) -> (Vec<ConTree>, Vec<ConTree>) {
    let sample = generate(1, Sizes { train, dev: 0, test: 60 });
    let trees = |pairs: &[treeglot_sample::SamplePair]| pairs.iter().map(|p| p.target.con.clone()).collect();
    (trees(&sample.train), trees(&sample.test))
}

fn parse(parser: &Parser, gold: &[ConTree], settings: &ParseSettings) -> Vec<ConTree> {
    let forms: Vec<Vec<&str>> = gold.iter().map(|t| t.forms().collect()).collect();
    let sentences: Vec<&[&str]> = forms.iter().map(Vec::as_slice).collect();
    parser
        .worker(settings)
        .parse_all(&sentences)
        .into_iter()
        .map(|t| t.constituency().expect("words"))
        .collect()
}

fn f1(gold: &[ConTree], trees: &[ConTree]) -> f64 {
    let mut score = BracketScore::default();
    for (gold, tree) in gold.iter().zip(trees) {
        score.add(&plain(gold).unwrap(), Some(tree), &BracketOptions::collins());
    }
    score.f1()
}

#[test]
fn the_grammar_of_the_sample_is_learned_and_kept_in_a_file() {
    let (train, test) = sample(300);
    let parser = trained(train, &small(6));
    let trees = parse(&parser, &test, &ParseSettings::default());
    let score = f1(&test, &trees);
    assert!(score > 0.9, "{score}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parser");
    parser.save(&path).unwrap();
    let opened = Parser::open(&path).unwrap();
    assert_eq!(parse(&opened, &test, &ParseSettings::default()), trees);
    // One by one or all at once makes no difference.
    let mut worker = opened.worker(&ParseSettings::default());
    for (gold, tree) in test.iter().zip(&trees).take(10) {
        assert_eq!(worker.parse(&gold.forms().collect::<Vec<_>>()).constituency().as_ref(), Some(tree));
    }

    for tree in &trees {
        let parse = to_dependencies(tree, &HeadRules::built_in(BuiltIn::Ptb));
        assert!(parse.tree(Roots::AttachToFirst).is_ok());
        assert!(parse.forms().eq(tree.forms()));
    }
    damaged_files_are_refused(&path);
    lists_and_forests_agree(&opened, &test);
}

fn damaged_files_are_refused(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let other = path.with_extension("bad");
    std::fs::write(&other, &bytes[..bytes.len() - 4]).unwrap();
    assert!(Parser::open(&other).err().unwrap().to_string().contains("truncated"));
    for at in [0, 9, 20, 70, 100] {
        let mut altered = bytes.clone();
        altered[at] ^= 0x55;
        std::fs::write(&other, altered).unwrap();
        assert!(Parser::open(&other).is_err(), "byte {at}");
    }
    // Whatever the weights are behind valid checksums, every sentence gets a tree, and failures are counted.
    let mut altered = bytes.clone();
    let weights = bytes.len() - 4 * 500;
    altered[weights..].fill(0xff);
    std::fs::write(&other, &altered).unwrap();
    assert!(Parser::open(&other).err().unwrap().to_string().contains("checksum"));
    treeglot_text::mapped::reseal(&mut altered);
    std::fs::write(&other, altered).unwrap();
    let mut worker = Parser::open(&other).unwrap().worker(&ParseSettings::default());
    let tree = worker.parse(&["a", "b", "c"]).constituency().unwrap();
    assert_eq!((tree.len(), worker.outcomes().failed), (3, 1));
}

fn lists_and_forests_agree(parser: &Parser, test: &[ConTree]) {
    let settings = ParseSettings { decoding: Decoding::Viterbi, ..ParseSettings::default() };
    let mut worker = parser.worker(&settings);
    for gold in &test[..10] {
        let words: Vec<&str> = gold.forms().collect();
        let best = worker.kbest(&words, 20);
        assert_eq!(best[0].parse, worker.parse(&words));
        assert!(best.is_sorted_by(|a, b| a.score >= b.score) && best[0].score <= 1e-3);
        let differ = best.iter().enumerate().all(|(k, a)| best[..k].iter().all(|b| a.parse != b.parse));
        assert!(differ);

        let mut text = Vec::new();
        egret::write(1, worker.forest(&words).as_ref(), &mut text).unwrap();
        let forest = egret::Reader::new("t", text.as_slice()).next_tree().unwrap().unwrap().unwrap();
        let trees: Vec<ConTree> = forest.kbest().take(3).map(|d| forest.tree(&d, Markers::Remove)).collect();
        assert!(trees.iter().zip(best).all(|(tree, best)| best.parse.constituency().as_ref() == Some(tree)));
    }
}

#[test]
fn training_gives_the_same_file_on_any_number_of_threads() {
    let (train, _) = sample(40);
    let folder = tempfile::tempdir().unwrap();
    let files = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let path = folder.path().join(threads.to_string());
        let settings = Settings { networks: Some(2), ..small(1) };
        pool.install(|| trained(train.clone(), &settings)).save(&path).unwrap();
        std::fs::read(path).unwrap()
    });
    assert!(files[0] == files[1]);
}

#[test]
fn long_empty_and_odd_sentences_get_trees_in_bounded_time() {
    let (train, _) = sample(30);
    let parser = trained(train, &small(1));
    let settings = ParseSettings { longest: 20, ..ParseSettings::default() };
    let mut worker = parser.worker(&settings);
    let long: Vec<&str> = ["the", "cat", ",", ""].into_iter().cycle().take(1003).collect();
    let odd = ["\u{1F600}", "(", "", "ß\u{301}", "@NP^2"];
    let trees = worker.parse_all(&[&long, &[], &odd, &["one"]]);
    let trees: Vec<Option<ConTree>> = trees.into_iter().map(|parse| parse.constituency()).collect();
    assert_eq!(trees[0].as_ref().unwrap().forms().collect::<Vec<_>>(), long);
    assert!(trees[1].is_none());
    assert_eq!(trees[2].as_ref().unwrap().len(), 5);
    assert_eq!(worker.outcomes().in_pieces, 1);
    assert_eq!(worker.forest(&long).unwrap().tree_count(), 1);
    assert!(worker.forest(&odd).is_some() && worker.forest(&[]).is_none());
    assert_eq!(worker.kbest(&long, 5).len(), 1);
    assert!(worker.kbest(&[], 5).is_empty());
}

#[test]
fn the_best_round_by_development_trees_is_kept() {
    let (trees, test) = sample(200);
    let told = std::sync::Mutex::new(Vec::new());
    let (bank, dev) = (Treebank::of_trees(trees), Treebank::of_trees(test));
    train(&small(6), &bank, Some(&dev), &|progress| told.lock().unwrap().push(progress)).unwrap();
    let told = told.into_inner().unwrap();
    let scores = told.iter().filter_map(|progress| match progress {
        Progress::Round { dev, .. } => *dev,
        _ => None,
    });
    let best = scores.fold(0.0, f64::max);
    assert!(best > 0.3, "{told:?}");
    assert!(matches!(told.last(), Some(Progress::Kept { dev, .. }) if *dev == best), "{told:?}");
}

#[test]
fn trees_that_cannot_be_learned_from_are_refused_with_their_line_or_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trees.ptb");
    std::fs::write(&file, "(S (NP (DT a) (NN b)) (VP (V c)))\n(S (NP a b))\n").unwrap();
    let open = |skip_bad| Treebank::open(TreeKind::Constituency, [&file], skip_bad);
    let message = open(false).unwrap_err().to_string();
    assert!(
        message.ends_with("trees.ptb:2: the tree cannot be learned from: a word has no tag"),
        "{message}"
    );
    let bank = open(true).unwrap();
    assert_eq!((bank.len(), bank.left_out()), (2, 1));
    let wrong = Treebank::open(TreeKind::Dependency, [&file], true).unwrap_err().to_string();
    assert!(wrong.ends_with("has constituency trees, but dependency trees are needed"), "{wrong}");
}
