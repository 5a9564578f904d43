//! Both families of parsers on a part of the embedded sample.

use treeglot_parse::{Method, Parse, ParseSettings, Parser, Progress, Settings, Treebank, Worker, train};
use treeglot_sample::Sample;
use treeglot_tree::format::{ReadTrees, conllu};
use treeglot_tree::{DepParse, Roots};

fn sentences(from: usize, count: usize) -> impl Iterator<Item = &'static DepParse> {
    Sample::embedded().train.iter().skip(from).take(count).map(|p| &p.source.parse)
}

fn bank() -> Treebank {
    Treebank::of_parses(sentences(0, 120).cloned())
}

fn worker(parser: &Parser) -> Worker {
    parser.worker(&ParseSettings::default())
}

fn parse(worker: &mut Worker, words: &[&str]) -> DepParse {
    worker.parse(words).dependency().expect("a dependency parser's")
}

fn small(method: Method) -> Settings {
    let settings = Settings::default();
    let (rounds, networks, hidden) = (Some(if method == Method::Graph { 6 } else { 3 }), Some(1), Some(24));
    Settings { method, rounds, networks, hidden, tagger_rounds: 4, folds: 2, beam: 4, ..settings }
}

fn trained(settings: &Settings) -> Parser {
    train(settings, &bank(), None, &|_| ()).expect("the sample has trees")
}

#[test]
fn what_was_learnt_survives_the_file_and_other_threads() {
    for method in [Method::Transition, Method::Graph] {
        let parser = trained(&small(method));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        parser.save(&path).unwrap();
        let opened = Parser::open(&path).unwrap();
        let words: Vec<Vec<&str>> = sentences(200, 20).map(|p| p.forms().collect()).collect();
        let of = |parser: &Parser| -> Vec<DepParse> {
            let mut worker = worker(parser);
            words.iter().map(|w| parse(&mut worker, w)).collect()
        };
        let expected = of(&parser);
        let sentences: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        let together = worker(&opened).parse_all(&sentences).into_iter().map(|p| p.dependency().unwrap());
        assert!(together.eq(expected.iter().cloned()), "one by one or together makes no difference");
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
    let settings = Settings { networks: Some(2), rounds: Some(2), ..small(Method::Graph) };
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
        let mut worker = worker(&parser);
        for gold in sentences(300, 5) {
            let words: Vec<&str> = gold.forms().collect();
            let list = worker.kbest(&words, 4);
            assert!(list.len() > 1 && list.windows(2).all(|p| p[0].score >= p[1].score));
            assert!(list.windows(2).all(|p| p[0].parse != p[1].parse));
            let tree = |p: &Parse| p.clone().dependency().is_some_and(|p| p.tree(Roots::One).is_ok());
            assert!(list.iter().all(|p| tree(&p.parse)));
        }
    }
}

#[test]
fn projective_parsers_build_projective_trees_only() {
    for method in [Method::Transition, Method::Graph] {
        let parser = trained(&Settings { projective: true, rounds: Some(2), ..small(method) });
        let mut worker = worker(&parser);
        for gold in sentences(0, 40) {
            let parse = parse(&mut worker, &gold.forms().collect::<Vec<_>>());
            assert!(parse.tree(Roots::One).unwrap().is_projective());
        }
    }
}

#[test]
fn sentences_that_are_no_trees_are_counted_and_end_nothing() {
    let mut cyclic = DepParse::new(0);
    cyclic.push_word("eins", "NUM", Some(2), "dep");
    cyclic.push_word("zwei", "NUM", Some(1), "dep");
    let bank = Treebank::of_parses(sentences(0, 120).cloned().chain([cyclic]));
    let left_out = std::sync::atomic::AtomicUsize::new(0);
    let settings = Settings { rounds: Some(1), tagger_rounds: 1, ..small(Method::Transition) };
    train(&settings, &bank, None, &|progress| {
        if let Progress::LeftOut(count) = progress {
            left_out.store(count, std::sync::atomic::Ordering::Relaxed);
        }
    })
    .unwrap();
    assert_eq!(left_out.into_inner(), 1);
    let nothing = train(&settings, &Treebank::of_parses([]), None, &|_| ()).err().unwrap().to_string();
    assert_eq!(nothing, "the treebank has no sentence to learn from (0 were left out)");
}

#[test]
fn an_altered_file_is_an_error_that_names_it_and_damage_behind_checksums_is_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let words = ["der", "Hund", "schläft", "."];
    for method in [Method::Transition, Method::Graph] {
        trained(&Settings { rounds: Some(1), tagger_rounds: 1, hidden: Some(8), ..small(method) })
            .save(&path)
            .unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for step in 0..60 {
            let mut altered = bytes.clone();
            let at = bytes.len() * step / 60;
            altered[at..(at + 16).min(bytes.len())].fill(0xFF);
            std::fs::write(&path, &altered).unwrap();
            let message = Parser::open(&path).err().map(|e| e.to_string()).unwrap_or_default();
            // Only what lies between sections goes unseen.
            assert!(message.contains("model") || altered == bytes || padding(&bytes, at), "{at}: {message}");
            treeglot_text::mapped::reseal(&mut altered);
            std::fs::write(&path, &altered).unwrap();
            if let Ok(parser) = Parser::open(&path) {
                worker(&parser).parse(&words);
            }
        }
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Parser::open(&path).is_err());
    }
}

/// Whether the bytes from a place on are only zeros between sections.
fn padding(bytes: &[u8], at: usize) -> bool {
    bytes[at..(at + 16).min(bytes.len())].iter().all(|b| *b == 0)
}

#[test]
fn a_parser_is_shared_by_threads_and_a_worker_moves_to_one() {
    fn shared<T: Send + Sync + Clone>() {}
    fn moved<T: Send>() {}
    shared::<Parser>();
    moved::<Worker>();
}

#[test]
fn no_words_give_an_empty_parse_and_many_are_parsed_in_pieces() {
    let parser = trained(&Settings { rounds: Some(1), tagger_rounds: 1, ..small(Method::Transition) });
    assert!(parse(&mut worker(&parser), &[]).is_empty());
    assert!(worker(&parser).kbest(&[], 3).is_empty());
    let mut few = parser.worker(&ParseSettings { longest: 10, ..ParseSettings::default() });
    let long: Vec<&str> = ["der", "Hund", "schläft", ","].into_iter().cycle().take(103).collect();
    let parsed = parse(&mut few, &long);
    assert!(parsed.forms().eq(long.iter().copied()) && parsed.tree(Roots::One).is_ok());
    assert_eq!((few.outcomes().in_pieces, few.kbest(&long, 5).len()), (1, 1));
}

#[test]
fn the_best_round_by_development_trees_is_kept() {
    let dev = Treebank::of_parses(sentences(200, 20).cloned());
    for method in [Method::Transition, Method::Graph] {
        let told = std::sync::Mutex::new(Vec::new());
        train(&small(method), &bank(), Some(&dev), &|progress| told.lock().unwrap().push(progress)).unwrap();
        let told = told.into_inner().unwrap();
        let scores = told.iter().filter_map(|p| match p {
            Progress::Round { dev, .. } => *dev,
            _ => None,
        });
        let best = scores.fold(0.0, f64::max);
        assert!(best > 0.2, "{told:?}");
        assert!(matches!(told.last(), Some(Progress::Kept { dev, .. }) if *dev == best), "{told:?}");
    }
}

#[test]
fn the_wrong_kind_of_treebank_and_senseless_settings_are_refused() {
    let wrong = |settings: &Settings| train(settings, &bank(), None, &|_| ()).err().unwrap().to_string();
    let constituency = Settings { method: Method::Constituency, ..Settings::default() };
    let message = "a constituency parser learns from constituency trees, not from dependency trees";
    assert_eq!(wrong(&constituency), message);
    let none = Settings { rounds: Some(0), ..Settings::default() };
    assert_eq!(wrong(&none), "rounds must be from 1 to 1000, not 0");
    let pcfg: Settings = serde_json::from_str(r#"{"method":"pcfg"}"#).unwrap();
    assert_eq!(pcfg, constituency);
}

#[test]
fn raw_text_is_cut_into_tokens_and_these_into_words() {
    let text = "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\tdo\tAUX\t_\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_\n3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n";
    let parses = conllu::Reader::new("t", text.as_bytes()).trees().map(Result::unwrap);
    let settings = Settings { folds: 1, ..small(Method::Transition) };
    let parser = train(&settings, &Treebank::of_parses(parses), None, &|_| ()).unwrap();
    let tokenizer = parser.tokenizer().unwrap();
    let tokens = parser.tokens(&mut tokenizer.worker(), "Don't go!");
    let parse = worker(&parser).parse_tokens(&[tokens]).swap_remove(0).dependency().unwrap();
    let mut out = Vec::new();
    conllu::write(&parse, &mut out).unwrap();
    let lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_string).collect();
    assert_eq!(lines[0], "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_");
    assert!(lines[1].starts_with("1\tDo\t") && lines[2].starts_with("2\tn't\t"), "{lines:?}");
    assert!(lines[3].ends_with("\tSpaceAfter=No") && lines[4].ends_with("\t_"), "{lines:?}");
}
