//! Training the tagger: every layer an averaged perceptron that meets its own decisions to the left and the right tags of
//! the layers before it.

use super::{Context, LAYERS, TagBuffers, TagContext, Tagger, TaggerNames, Tags};
use crate::dependency::{DepBank, Names};
use crate::linear::{Feature, Linear, Perceptron, best};
use crate::nn::Rng;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use treeglot_text::interrupt;
use treeglot_tree::{DepParse, Field};

use super::lemma::Edit;

const FIELDS: [Field; LAYERS] = [Field::Upos, Field::Xpos, Field::Feats];

/// A sentence ready for training.
pub(super) struct Example {
    context: Context,
    tags: Tags,
    edits: Vec<u16>,
}

/// Rounds over the treebank, and how many parts [`jackknife`] makes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    pub(crate) rounds: usize,
    pub(crate) seed: u64,
}

/// Trains a tagger on all sentences of a treebank.
pub(crate) fn train(bank: &DepBank, rounds: Rounds) -> Tagger {
    let (names, examples) = prepare(bank);
    let all: Vec<&Example> = examples.iter().collect();
    fit(&names, &all, rounds, true)
}

/// The tags a tagger gives every sentence when it was trained on the others: what a parser will meet in use.
pub(crate) fn jackknife(bank: &DepBank, folds: usize, rounds: Rounds) -> Vec<Tags> {
    let (names, examples) = prepare(bank);
    let folds = folds.clamp(1, examples.len().max(1));
    let tag_fold = |fold: usize| {
        let others: Vec<&Example> = examples
            .iter()
            .enumerate()
            .filter(|(i, _)| folds == 1 || i % folds != fold)
            .map(|e| e.1)
            .collect();
        let tagger = fit(&names, &others, rounds, false);
        let mut buffers = TagBuffers::default();
        let own = examples.iter().skip(fold).step_by(folds);
        own.map(|e| tagger.tag(&e.context, &mut buffers)).collect::<Vec<_>>()
    };
    let parts: Vec<Vec<Tags>> = (0..folds).into_par_iter().map(tag_fold).collect();
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    (0..examples.len()).filter_map(|i| parts[i % folds].next()).collect()
}

fn prepare(bank: &DepBank) -> (TaggerNames, Vec<Example>) {
    let layers = FIELDS.map(|field| Names::of(bank.column(field)));
    let edits = edits(bank);
    let index: FxHashMap<&Edit, u16> = edits.iter().enumerate().map(|(i, e)| (e, i as u16)).collect();
    let numbers = [layers[0].index(), layers[1].index(), layers[2].index()];
    let example = |parse: &DepParse| {
        let forms: Vec<&str> = parse.forms().collect();
        let number = |w, layer: usize| numbers[layer].get(parse.get(w, FIELDS[layer])).copied().unwrap_or(0);
        let edit = |w| index.get(&Edit::between(parse.form(w), parse.get(w, Field::Lemma))).copied();
        Example {
            context: Context::new(&forms),
            tags: std::array::from_fn(|layer| parse.words().map(|w| number(w, layer)).collect()),
            edits: parse.words().map(|w| edit(w).unwrap_or(u16::MAX)).collect(),
        }
    };
    let examples = bank.sentences().iter().map(example).collect();
    (TaggerNames { layers, edits }, examples)
}

/// All edits of the treebank by frequency; words without a lemma give none.
fn edits(bank: &DepBank) -> Vec<Edit> {
    let mut counts = FxHashMap::<Edit, usize>::default();
    for parse in bank.sentences() {
        for w in parse.words().filter(|&w| parse.get(w, Field::Lemma) != "_" || parse.form(w) == "_") {
            *counts.entry(Edit::between(parse.form(w), parse.get(w, Field::Lemma))).or_default() += 1;
        }
    }
    let mut edits: Vec<(Edit, usize)> = counts.into_iter().collect();
    edits.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    edits.truncate(usize::from(u16::MAX) - 1);
    edits.into_iter().map(|e| e.0).collect()
}

fn fit(names: &TaggerNames, examples: &[&Example], rounds: Rounds, lemmas: bool) -> Tagger {
    let layers: Vec<Linear> = (0..LAYERS)
        .into_par_iter()
        .map(|layer| fit_layer(names.layers[layer].len(), examples, layer, rounds))
        .collect();
    let lemmas = if lemmas {
        fit_lemmas(names.edits.len(), examples, rounds)
    } else {
        Perceptron::default().freeze(0)
    };
    let layers = layers.try_into().expect("one classifier was trained a layer");
    Tagger { names: names.clone(), layers, lemmas }
}

/// One step: decide, and where the decision is wrong, move towards the right class.
fn step(learner: &mut Perceptron, features: &[Feature], scores: &mut [f32], right: usize) -> usize {
    scores.fill(0.0);
    learner.score(features, scores);
    let guess = best(scores);
    if guess != right {
        learner.add(features, right, 1.0);
        learner.add(features, guess, -1.0);
    }
    learner.tick();
    guess
}

fn fit_layer(classes: usize, examples: &[&Example], layer: usize, rounds: Rounds) -> Linear {
    let mut learner = Perceptron::default();
    if classes > 1 {
        let mut rng = Rng::new(rounds.seed ^ layer as u64);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let (mut features, mut scores) = (Vec::new(), vec![0.0; classes]);
        for _ in 0..rounds.rounds {
            rng.shuffle(&mut order);
            for &e in &order {
                interrupt::check();
                let example = examples[e];
                let mut tags = example.tags.clone();
                tags[layer].clear();
                for (i, &right) in example.tags[layer].iter().enumerate() {
                    example.context.tag_features(&TagContext { tags: &tags, layer }, i, &mut features);
                    let guess = step(&mut learner, &features, &mut scores, usize::from(right));
                    tags[layer].push(guess as u16);
                }
            }
        }
    }
    learner.freeze(classes)
}

fn fit_lemmas(classes: usize, examples: &[&Example], rounds: Rounds) -> Linear {
    let mut learner = Perceptron::default();
    let mut rng = Rng::new(rounds.seed ^ 0x1E);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let (mut features, mut scores) = (Vec::new(), vec![0.0; classes]);
    for _ in 0..rounds.rounds.min(5) {
        rng.shuffle(&mut order);
        for &e in &order {
            interrupt::check();
            let example = examples[e];
            for (i, &right) in example.edits.iter().enumerate().filter(|e| usize::from(*e.1) < classes) {
                example.context.lemma_features(&example.tags, i, &mut features);
                step(&mut learner, &features, &mut scores, usize::from(right));
            }
        }
    }
    learner.freeze(classes)
}
