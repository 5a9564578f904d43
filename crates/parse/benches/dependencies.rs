//! How many sentences a second a worker tags, lemmatises and parses, by each method. The parsers are trained on a part of
//! the embedded sample, so that the benchmark needs no data; real treebanks are measured by the example `treebank`.

use divan::Bencher;
use divan::counter::ItemsCount;
use treeglot_parse::{Method, Settings, Treebank, train};
use treeglot_sample::Sample;
use treeglot_tree::DepParse;

fn main() {
    divan::main();
}

fn bank(sentences: impl Iterator<Item = &'static DepParse>) -> Treebank {
    Treebank::read(sentences.cloned().map(Ok)).expect("the sample is in memory")
}

#[divan::bench(args = [Method::Transition, Method::Graph], sample_count = 5)]
fn parse(bencher: Bencher, method: Method) {
    let sample = Sample::embedded();
    let settings =
        Settings { method, rounds: 2, networks: 1, tagger_rounds: 2, folds: 1, ..Settings::default() };
    let train_bank = bank(sample.train.iter().map(|p| &p.source.parse).take(500));
    let parser = train(&settings, &train_bank, &|_| ()).expect("the sample has trees");
    let test: Vec<Vec<&str>> =
        sample.test.iter().take(200).map(|p| p.source.parse.forms().collect()).collect();
    let mut worker = parser.worker();
    bencher
        .counter(ItemsCount::new(test.len()))
        .bench_local(|| test.iter().map(|words| worker.parse(words).len()).sum::<usize>());
}
