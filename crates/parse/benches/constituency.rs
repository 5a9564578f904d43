//! How fast a small parser of the embedded sample learns and parses: sentences an iteration.

use treeglot_parse::{Decoding, Method, ParseSettings, Parser, Settings, Treebank, train};
use treeglot_sample_generator::{Sizes, generate};

fn main() {
    divan::main();
}

fn trees() -> Treebank {
    let sample = generate(1, Sizes { train: 200, dev: 0, test: 0 });
    Treebank::of_trees(sample.train.iter().map(|p| p.target.con.clone()))
}

fn trained(bank: &Treebank) -> Parser {
    let settings = Settings { method: Method::Constituency, rounds: Some(1), ..Settings::default() };
    train(&settings, bank, None, &|_| ()).expect("the sample has trees")
}

#[divan::bench(sample_count = 5)]
fn train_an_epoch_of_200_sentences(bencher: divan::Bencher) {
    let trees = trees();
    bencher.bench_local(|| trained(&trees));
}

#[divan::bench(args = [Decoding::Viterbi, Decoding::Expected], sample_count = 20)]
fn parse_200_sentences(bencher: divan::Bencher, decoding: Decoding) {
    let trees = trees();
    let forms: Vec<Vec<&str>> = trees.trees().map(|t| t.forms().collect()).collect();
    let sentences: Vec<&[&str]> = forms.iter().map(Vec::as_slice).collect();
    let mut worker = trained(&trees).worker(&ParseSettings { decoding, ..ParseSettings::default() });
    bencher.bench_local(|| worker.parse_all(&sentences));
}
