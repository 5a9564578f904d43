//! How many sentence pairs a second are aligned, training included: model 1 alone, with the hidden Markov model, and
//! with fertilities. The text is the embedded sample, so that the benchmark needs no data.

use divan::Bencher;
use divan::counter::ItemsCount;
use treeglot_align::{Corpus, Error, GrowOrder, Model, ModelKind, Settings, Symmetrize};
use treeglot_sample::Sample;

const PAIRS: usize = 4000;

fn main() {
    divan::main();
}

fn corpus() -> Corpus {
    let pairs: Vec<(String, String)> =
        Sample::embedded().train.iter().take(PAIRS).map(|p| (p.source.tokens(), p.target.tokens())).collect();
    Corpus::from_pairs(pairs.iter().map(|(a, b)| (a.as_str(), b.as_str()))).expect("the sample is small")
}

#[divan::bench(args = ["ibm1", "hmm", "fertility"], sample_count = 10)]
fn train_and_align(bencher: Bencher, kind: &str) {
    let corpus = corpus();
    let settings = Settings::of_model(ModelKind::named(kind).expect("the arguments are names of models"));
    bencher.counter(ItemsCount::new(corpus.len())).bench(|| {
        let model = Model::train(&corpus, &settings, |_| {}).expect("all is in memory");
        let mut links = 0;
        let done: Result<(), Error> =
            model.align(&corpus, Symmetrize::GrowDiagFinalAnd, GrowOrder::Atools, |_, aligned| {
                links += aligned.links.len();
                Ok(())
            });
        done.expect("all is in memory");
        links
    });
}
