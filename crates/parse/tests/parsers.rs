//! Both families of parsers on a part of the embedded sample.

use treeglot_parse::{Method, Parser, Progress, Settings, Treebank, train};
use treeglot_sample::Sample;
use treeglot_tree::{DepParse, Roots};

fn sentences(from: usize, count: usize) -> impl Iterator<Item = &'static DepParse> {
    Sample::embedded().train.iter().skip(from).take(count).map(|p| &p.source.parse)
}

fn bank() -> Treebank {
    Treebank::read(sentences(0, 120).cloned().map(Ok)).expect("the sample is in memory")
}

fn small(method: Method) -> Settings {
    let settings = Settings::default();
    Settings { method, rounds: 6, networks: 1, hidden: 24, tagger_rounds: 4, folds: 2, beam: 4, ..settings }
}

fn trained(settings: &Settings) -> Parser {
    train(settings, &bank(), &|_| ()).expect("the sample has trees")
}

#[test]
fn what_was_learnt_survives_the_file_and_other_threads() {
    for method in [Method::Transition, Method::Graph] {
        let parser = trained(&small(method));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        parser.save(&path).unwrap();
        Parser::verify(&path).unwrap();
        let opened = Parser::open(&path).unwrap();
        let words: Vec<Vec<&str>> = sentences(200, 20).map(|p| p.forms().collect()).collect();
        let of = |parser: &Parser| -> Vec<DepParse> {
            let mut worker = parser.worker();
            words.iter().map(|w| worker.parse(w)).collect()
        };
        let expected = of(&parser);
        let (here, there) = rayon::join(|| of(&opened), || of(&opened));
        assert_eq!((&here, &there), (&expected, &expected));
        for (parse, words) in expected.iter().zip(&words) {
            assert_eq!(parse.forms().collect::<Vec<_>>(), *words);
            assert!(parse.tree(Roots::One).is_ok());
        }
    }
}

#[test]
fn training_does_not_depend_on_the_number_of_threads() {
    let settings = Settings { networks: 2, rounds: 2, ..small(Method::Graph) };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        pool.install(|| trained(&settings)).save(&path).unwrap();
        std::fs::read(&path).unwrap()
    };
    assert!(with(1) == with(2), "the files are the same");
}

#[test]
fn lists_of_parses_are_different_and_best_first() {
    for method in [Method::Transition, Method::Graph] {
        let parser = trained(&small(method));
        let mut worker = parser.worker();
        for gold in sentences(300, 5) {
            let words: Vec<&str> = gold.forms().collect();
            let list = worker.parse_kbest(&words, 4);
            assert!(list.len() > 1 && list.windows(2).all(|p| p[0].score >= p[1].score));
            assert!(list.windows(2).all(|p| p[0].parse != p[1].parse));
            assert!(list.iter().all(|p| p.parse.tree(Roots::One).is_ok()));
        }
    }
}

#[test]
fn projective_parsers_build_projective_trees_only() {
    for method in [Method::Transition, Method::Graph] {
        let parser = trained(&Settings { projective: true, rounds: 2, ..small(method) });
        let mut worker = parser.worker();
        for gold in sentences(0, 40) {
            let parse = worker.parse(&gold.forms().collect::<Vec<_>>());
            assert!(parse.tree(Roots::One).unwrap().is_projective());
        }
    }
}

#[test]
fn sentences_that_are_no_trees_are_counted_and_end_nothing() {
    let mut bank = bank();
    let mut cyclic = DepParse::new(0);
    cyclic.push_word("eins", "NUM", Some(2), "dep");
    cyclic.push_word("zwei", "NUM", Some(1), "dep");
    bank.push(cyclic);
    let left_out = std::sync::atomic::AtomicUsize::new(0);
    let settings = Settings { rounds: 1, tagger_rounds: 1, ..small(Method::Transition) };
    train(&settings, &bank, &|progress| {
        if let Progress::LeftOut(count) = progress {
            left_out.store(count, std::sync::atomic::Ordering::Relaxed);
        }
    })
    .unwrap();
    assert_eq!(left_out.into_inner(), 1);
    let nothing = train(&settings, &Treebank::default(), &|_| ()).err().unwrap().to_string();
    assert_eq!(nothing, "the treebank has no sentence to learn from (0 were left out)");
}

#[test]
fn an_altered_file_is_an_error_or_another_parser_but_never_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let words = ["der", "Hund", "schläft", "."];
    for method in [Method::Transition, Method::Graph] {
        trained(&Settings { rounds: 1, tagger_rounds: 1, hidden: 8, ..small(method) }).save(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for step in 0..60 {
            let mut altered = bytes.clone();
            let at = bytes.len() * step / 60;
            altered[at..(at + 16).min(bytes.len())].fill(0xFF);
            std::fs::write(&path, &altered).unwrap();
            if let Ok(parser) = Parser::open(&path) {
                parser.worker().parse(&words);
            }
        }
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Parser::open(&path).is_err());
    }
}

#[test]
fn no_words_give_an_empty_parse() {
    let parser = trained(&Settings { rounds: 1, tagger_rounds: 1, ..small(Method::Transition) });
    assert!(parser.worker().parse(&[]).is_empty());
    assert!(parser.worker().parse_kbest(&[], 3).is_empty());
}
