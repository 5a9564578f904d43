//! Several models as one.

use crate::support::estimate;
use treeglot_lm::{Lm, LmLayout, Ngrams, Settings, mix::mix, words};
use treeglot_text::Lines;

const HOUSES: &str = "the house is small\nthe house is old\nthe old house is empty\na house is for sale\n";
const BIRDS: &str =
    "a bird sings in the tree\nthe bird is in the old tree\na small bird sings\nthe birds sing\n";

fn model(text: &str, order: usize) -> Ngrams {
    estimate(text, &Settings::of_order(order))
}

fn lm(ngrams: Ngrams) -> Lm {
    Lm::build(ngrams, LmLayout::default()).unwrap()
}

fn dev(text: &'static str) -> Lines {
    Lines::new("dev", Box::new(text.as_bytes()))
}

/// The probability of a word after words of a sentence.
fn prob(lm: &Lm, before: &str, word: &str) -> f64 {
    let tables = lm.tables();
    let mut state = tables.scorer().begin();
    for word in words(before) {
        state = tables.score(&state, lm.symbol(word)).1;
    }
    10f64.powf(f64::from(tables.score(&state, lm.symbol(word)).0.prob))
}

#[test]
fn weights_tell_which_text_is_meant() {
    let weights = |text| mix(vec![model(HOUSES, 3), model(BIRDS, 3)], dev(text)).unwrap().weights;
    let [of_houses, of_birds, of_both] =
        [HOUSES, BIRDS, "the house is old\na bird sings in the tree\n"].map(weights);
    assert!(of_houses[0] > 0.9 && of_birds[1] > 0.9, "{of_houses:?} {of_birds:?}");
    assert!((0.2..0.8).contains(&of_both[0]), "{of_both:?}");
    for weights in [of_houses, of_birds, of_both] {
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_weights_found_are_the_best_there_are() {
    let models = [model(HOUSES, 3), model(BIRDS, 2)];
    let text = "the house is in the tree\na small bird is old\n";
    let mixed = mix(models.to_vec(), dev(text)).unwrap();
    let lms = models.map(lm);
    let perplexity = |first: f64| {
        let mut log = 0.0;
        let mut count = 0.0;
        for line in text.lines() {
            let words: Vec<&str> = words(line).chain(["</s>"]).collect();
            for (at, word) in words.iter().enumerate() {
                let known = |lm: &Lm| *word == "</s>" || lm.symbol(word).0 != 0;
                let of = |lm: &Lm| if known(lm) { prob(lm, &words[..at].join(" "), word) } else { 0.0 };
                log += (first * of(&lms[0]) + (1.0 - first) * of(&lms[1])).ln();
                count += 1.0;
            }
        }
        (-log / count).exp()
    };
    let found = perplexity(mixed.weights[0]);
    assert!((found - mixed.perplexity).abs() < 1e-3, "{found} {}", mixed.perplexity);
    assert!((1..100).all(|percent| perplexity(f64::from(percent) / 100.0) >= found - 1e-6));
}

#[test]
fn what_a_model_has_seen_has_the_sum_of_all() {
    let models = [model(HOUSES, 3), model(BIRDS, 3)];
    let mixed = mix(models.to_vec(), dev("the house is old\na bird sings\n")).unwrap();
    let (weights, sum, lms) = (mixed.weights, lm(mixed.ngrams), models.map(lm));
    for (before, word) in
        [("", "the"), ("", "a"), ("the", "house"), ("a", "bird"), ("in the", "old"), ("the house", "is")]
    {
        let known = |lm: &Lm| lm.symbol(word).0 != 0;
        let of = |lm: &Lm| if known(lm) { prob(lm, before, word) } else { 0.0 };
        let wanted = weights[0] * of(&lms[0]) + weights[1] * of(&lms[1]);
        let found = prob(&sum, before, word);
        assert!((found / wanted - 1.0).abs() < 1e-3, "{before} {word}: {found}, not {wanted}");
    }
}

#[test]
fn probabilities_sum_to_one_after_any_context() {
    let models = vec![model(HOUSES, 2), model(BIRDS, 3), model("a tree is a tree\n", 1)];
    let sum = lm(mix(models, dev("the house is old\na bird sings\n")).unwrap().ngrams);
    assert_eq!(sum.order(), 3);
    for before in ["", "the", "the house", "in the", "bird house", "sale", "nonsense the", "a tree is"] {
        let all = (0..sum.words().len()).filter(|&word| word != 1);
        let total: f64 = all
            .map(|word| prob(&sum, before, sum.words().word(treeglot_text::vocab::Sym(word as u32)).unwrap()))
            .sum();
        assert!((total - 1.0).abs() < 1e-3, "{before}: {total}");
    }
}

#[test]
fn text_without_a_known_word_is_refused() {
    assert!(mix(vec![model(HOUSES, 2)], dev("")).is_err());
}
