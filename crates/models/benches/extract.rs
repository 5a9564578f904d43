//! How many instances a second the models extract, from files to text in memory. The pairs are the embedded sample, so
//! that the benchmark needs no data; it runs under `cargo bench` only.

use divan::Bencher;
use divan::counter::ItemsCount;
use treeglot_grammar::{Batch, notation};
use treeglot_models::extract::extract;
use treeglot_models::pairs::{Files, Pairs};
use treeglot_models::{Error, registry};
use treeglot_sample::{Sample, write_to};
use treeglot_text::bitext::Options;
use treeglot_tree::PerTree;

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        divan::main();
    }
}

#[divan::bench(args = ["phrase", "hiero", "constrained"], sample_count = 10)]
fn to_text(bencher: Bencher, name: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_to(Sample::embedded(), folder.path()).expect("the folder can be written");
    let path = |file: &str| folder.path().join(file);
    let files = Files {
        source: path("train.de"),
        target: path("train.en"),
        links: path("train.links"),
        trees: PerTree { source_dep: vec![path("train.de.conllu")], ..PerTree::default() },
        ..Files::default()
    };
    let entry = registry::find(name).expect("the arguments are names of models");
    let model = entry.from_value(serde_json::json!({})).expect("the defaults are valid");
    let run = || {
        let mut pairs = Pairs::open(&files, model.needs(), Options::default()).expect("the files are there");
        let text = |batch: Batch| {
            let mut out = Vec::new();
            notation::write_batch(&batch, &mut out);
            out
        };
        let mut bytes = 0;
        let take = |out: Vec<u8>| -> Result<(), Error> {
            bytes += out.len();
            Ok(())
        };
        let summary = extract(&mut pairs, &*model, None, text, take).expect("the sample is in order");
        (summary.instances, bytes)
    };
    bencher.counter(ItemsCount::new(run().0)).bench(run);
}
