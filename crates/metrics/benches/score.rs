//! How fast the entries of k-best lists are scored, in hypotheses a second on one core: the references are prepared
//! once, as in tuning. The text is made up, so that it needs no data.

use divan::Bencher;
use divan::counter::ItemsCount;
use treeglot_metrics::{Hypothesis, Options, References, build};

const HYPOTHESES: usize = 100;
const WORDS: usize = 24;

fn main() {
    divan::main();
}

/// A sentence, and variants of it with words replaced and a phrase moved.
fn sentences() -> (String, Vec<String>) {
    let word = |ix: usize| format!("{}{}", ["das", "haus", "running", "over"][ix % 4], ix % 7);
    let reference: Vec<String> = (0..WORDS).map(word).collect();
    let variant = |ix: usize| {
        let mut words = reference.clone();
        words[ix % WORDS] = "other".to_string();
        words[(ix * 5 + 3) % WORDS] = "another".to_string();
        words.rotate_left(ix % 3);
        words.join(" ") + "."
    };
    (reference.join(" ") + ".", (0..HYPOTHESES).map(variant).collect())
}

#[divan::bench(args = ["bleu", "chrf", "chrf++", "ter", "nist", "meteor", "lr"])]
fn kbest(bencher: Bencher, name: &str) {
    let (reference, hypotheses) = sentences();
    let texts = [reference.as_str()];
    let references = References::new(&texts);
    let mut metric = build(name, &Options::default()).expect("a metric");
    metric.study(&references);
    let sentence = metric.prepare(&references);
    bencher.counter(ItemsCount::new(HYPOTHESES)).bench_local(|| {
        let mut sums = vec![0.0; metric.size()];
        for text in &hypotheses {
            sentence.add_statistics(&Hypothesis::new(text), &mut sums);
        }
        metric.score(&sums)
    });
}
