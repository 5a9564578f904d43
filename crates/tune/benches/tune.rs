//! How long one line search over a million candidates takes on one thread, and one whole optimisation by each method on all
//! threads. Sentences, candidates and features are as many as late in a real run: 1,014, 1,000 each, 15.

use divan::counter::ItemsCount;
use treeglot_decode::FeatureSet;
use treeglot_metrics::bleu::{self, Bleu, Smoothing};
use treeglot_tune::{
    Candidate, Candidates, DevSet, ErrorSurface, FeatureSpace, Method, Objective, Sweep, TuneSettings,
};

const SENTENCES: usize = 1014;
const EACH: usize = 1000;
const FEATURES: usize = 15;

fn main() {
    divan::main();
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Twelve words a reference; candidates change some, and half of the features know how many.
fn candidate(random: &mut Random, sentence: usize) -> Candidate {
    let mut words: Vec<u64> = (0..12).map(|i| sentence as u64 * 3 + i).collect();
    let changes = random.below(8);
    for _ in 0..changes {
        words[random.below(12) as usize] = random.below(5000);
    }
    let text: Vec<String> = words.iter().map(u64::to_string).collect();
    let value = |feature: usize, random: &mut Random| {
        let noise = random.below(4000) as f32 / 500.0;
        if feature.is_multiple_of(2) { noise - changes as f32 } else { noise }
    };
    let dense = (0..FEATURES).map(|feature| value(feature, random)).collect();
    Candidate { text: text.join(" "), dense, ..Candidate::default() }
}

fn with_candidates(run: impl FnOnce(&Candidates, &Objective<'_>)) {
    let reference = |s: usize| (0..12).map(|i| (s * 3 + i).to_string()).collect::<Vec<_>>().join(" ");
    let dev = DevSet::new((0..SENTENCES).map(|s| vec![reference(s)]).collect());
    let metric = Bleu::default();
    let smoothed = Bleu::new(bleu::Options { smoothing: Smoothing::AddK(1.0), ..bleu::Options::default() });
    let objective = Objective::new(&metric, &smoothed, &dev);
    let mut dense = FeatureSet::default();
    dense.add("F", FEATURES);
    let mut candidates = Candidates::new(&FeatureSpace::new(dense), &objective);
    let mut random = Random(1);
    let mut list = |s: usize| (0..EACH).map(|_| candidate(&mut random, s)).collect();
    let lists: Vec<Vec<Candidate>> = (0..SENTENCES).map(&mut list).collect();
    candidates.add(&lists, &objective).expect("the lists fit the references");
    drop(lists);
    run(&candidates, &objective);
}

const START: [f64; FEATURES] = [1.0 / FEATURES as f64; FEATURES];

#[divan::bench(sample_count = 20)]
fn line_search(bencher: divan::Bencher) {
    with_candidates(|candidates, objective| {
        let mut point = candidates.at(&START);
        let mut sweep = Sweep::default();
        let mut direction = [0.0; FEATURES];
        direction[4] = 1.0;
        bencher.counter(ItemsCount::new(SENTENCES * EACH)).bench_local(|| {
            candidates.line(&mut point, &direction, &mut sweep);
            sweep.best(objective)
        });
    });
}

#[divan::bench(args = Method::ALL.iter().map(|method| method.name()), sample_count = 1, sample_size = 1)]
fn optimise(bencher: divan::Bencher, name: &str) {
    let Some(&method) = Method::ALL.iter().find(|method| method.name() == name) else { return };
    let settings = TuneSettings { method, ..TuneSettings::default() };
    with_candidates(|candidates, objective| {
        bencher.bench_local(|| settings.optimise(candidates, objective, &START));
    });
}
