//! How many sentences a second a worker tags, lemmatises and parses, by each method. The parsers are trained on a part of
//! the embedded sample, so that the benchmark needs no data; on real treebanks see `docs/benchmarks.md`.

use divan::Bencher;
use divan::counter::ItemsCount;
use treeglot_parse::{Method, ParseSettings, Settings, Treebank, train};
use treeglot_sample::Sample;
use treeglot_tree::DepParse;

fn main() {
    divan::main();
}

fn bank(sentences: impl Iterator<Item = &'static DepParse>) -> Treebank {
    Treebank::of_parses(sentences.cloned())
}

#[divan::bench(args = [Method::Transition, Method::Graph], sample_count = 5)]
fn parse(bencher: Bencher, method: Method) {
    let sample = Sample::embedded();
    let settings = Settings {
        method,
        rounds: Some(2),
        networks: Some(1),
        tagger_rounds: 2,
        folds: 1,
        ..Settings::default()
    };
    let train_bank = bank(sample.train.iter().map(|p| &p.source.parse).take(500));
    let parser = train(&settings, &train_bank, None, &|_| ()).expect("the sample has trees");
    let test: Vec<Vec<&str>> =
        sample.test.iter().take(200).map(|p| p.source.parse.forms().collect()).collect();
    let mut worker = parser.worker(&ParseSettings::default());
    bencher
        .counter(ItemsCount::new(test.len()))
        .bench_local(|| test.iter().filter_map(|words| worker.parse(words).dependency()).count());
}
