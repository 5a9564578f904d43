//! How fast a small parser of the embedded sample learns and parses: sentences an iteration.

use treeglot_parse::constituency::{Decoding, ParseSettings, Parser, TrainSettings};
use treeglot_sample_generator::{Sizes, generate};
use treeglot_tree::ConTree;

fn main() {
    divan::main();
}

fn trees() -> Vec<ConTree> {
    let sample = generate(1, Sizes { train: 200, dev: 0, test: 0 });
    sample.train.iter().map(|p| p.target.con.clone()).collect()
}

fn settings() -> TrainSettings {
    TrainSettings { epochs: 1, ..TrainSettings::default() }
}

#[divan::bench(sample_count = 5)]
fn train_an_epoch_of_200_sentences(bencher: divan::Bencher) {
    let trees = trees();
    bencher.bench_local(|| Parser::train(std::slice::from_ref(&trees), &settings(), |_, _| {}));
}

#[divan::bench(args = [Decoding::Viterbi, Decoding::Expected], sample_count = 20)]
fn parse_200_sentences(bencher: divan::Bencher, decoding: Decoding) {
    let trees = trees();
    let (parser, _) = Parser::train(std::slice::from_ref(&trees), &settings(), |_, _| {});
    let forms: Vec<Vec<&str>> = trees.iter().map(|t| t.forms().collect()).collect();
    let sentences: Vec<&[&str]> = forms.iter().map(Vec::as_slice).collect();
    let mut worker = parser.worker(&ParseSettings { decoding, ..ParseSettings::default() });
    bencher.bench_local(|| worker.parse_all(&sentences));
}
