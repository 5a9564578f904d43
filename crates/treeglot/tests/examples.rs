//! The examples run, and each is short.

#[path = "../examples/align.rs"]
mod align;
#[path = "../examples/evaluate.rs"]
mod evaluate;
#[path = "../examples/lm.rs"]
mod lm;
#[path = "../examples/train.rs"]
mod train;
#[path = "../examples/translate.rs"]
#[expect(dead_code, reason = "its main reads standard input")]
mod translate;
#[path = "../examples/trees.rs"]
mod trees;

use treeglot::{Cache, Progress, Recipe, Request, Resources, Translator};

#[test]
fn align_runs() {
    align::main().unwrap();
}

#[test]
fn evaluate_runs() {
    evaluate::main().unwrap();
}

#[test]
fn lm_runs() {
    lm::main().unwrap();
}

#[test]
fn train_runs() {
    train::main().unwrap();
}

#[test]
fn trees_runs() {
    trees::main().unwrap();
}

#[test]
fn examples_are_short() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap() {
        let path = entry.unwrap().path();
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < 40, "{}: {lines} lines", path.display());
    }
}

fn bundle(folder: &std::path::Path) -> Translator {
    treeglot::sample::write_to(treeglot::sample::Sample::embedded(), folder)
        .expect("the folder can be written to");
    let text = "source = 'de'\ntarget = 'en'\npreprocess = { tokenize = false, truecase = false }\n\
                tune = { method = 'none' }\nalign = { model = 'hmm' }\n\
                data.train = { source = 'train.de', target = 'train.en', limit = 300 }\n[[system]]\nmodel = 'phrase'\n";
    let recipe = Recipe::parse(text, "r.toml".as_ref(), folder, None).expect("the recipe is right");
    let cache = Cache::open(folder.join("cache")).expect("the folder can be written to");
    treeglot::train(&recipe, None, &cache, Resources::default(), &Progress::quiet(), &folder.join("b"))
        .expect("the sample can be trained on");
    Translator::open([folder.join("b")]).expect("it was just made")
}

#[test]
fn a_translator_serves_many_threads_and_outlives_its_maker() {
    let folder = tempfile::tempdir().unwrap();
    let translator = bundle(folder.path());
    translate::print(&translator, "das Haus").unwrap();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let translator = translator.clone();
            std::thread::spawn(move || {
                (0..20).map(|_| translator.translate("das Haus").unwrap()).collect::<Vec<_>>()
            })
        })
        .collect();
    drop(translator);
    for thread in threads {
        assert!(thread.join().unwrap().iter().all(|text| text.eq_ignore_ascii_case("the house")));
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let translator = bundle(folder.path());
    let ask = |request: Request| translator.translate_with("das Haus", &request).unwrap_err().to_string();
    let error = ask(Request { count: 2, compare: Some(10), ..Request::default() });
    assert!(error.contains("chosen by agreement"), "{error}");
    let none: [&str; 0] = [];
    assert!(Translator::open(none).err().unwrap().to_string().contains("needs a bundle"));
    let error = Translator::open([folder.path().join("b/weights")]).err().unwrap().to_string();
    assert!(error.contains("a bundle is a folder"), "{error}");
    for text in ["", "   ", "Frau"] {
        let list =
            translator.translate_with(text, &Request { count: 3, explain: true, ..Request::default() });
        assert!(!list.unwrap().sentences.is_empty());
    }
}
