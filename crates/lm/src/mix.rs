//! Several models as one: probabilities are added up with a weight for each model, which is found on text like that to be translated
//! (Jelinek & Mercer 1980: expectation maximisation of its probability). The sum is written down as one back-off model of all their
//! n-grams, as SRILM's `ngram -mix-lm` does: what any model has seen has exactly the sum, what none has seen backs off by weights that
//! make probabilities sum to 1 again.

use crate::arpa::assemble::{Record, assemble};
use crate::corpus::words;
use crate::error::{Error, Result};
use crate::key::{Key, Packing, WideKey};
use crate::layout::LmLayout;
use crate::lm::Lm;
use crate::ngrams::{NgramLevel, Ngrams, Walk};
use crate::special::{self, BOS, EOS, UNK};
use rayon::prelude::*;
use std::ops::Range;
use treeglot_text::Lines;
use treeglot_text::vocab::{Sym, Vocab};

/// Weights are found when none changes by more.
const LEAST_CHANGE: f64 = 1e-6;

/// Weights are found well before so many rounds.
const MOST_ROUNDS: usize = 1000;

/// How many n-grams a thread scores at a time.
const PIECE: usize = 1 << 12;

/// The least probability that a model is written with.
const LEAST: f64 = 1e-30;

/// The sum of several models.
pub struct Mixed {
    /// The model.
    pub ngrams: Ngrams,
    /// The weight of each model.
    pub weights: Vec<f64>,
    /// The perplexity of each model alone on the text that weights were found on, words aside that it lacks.
    pub alone: Vec<f64>,
    /// That of the sum, words aside that all lack.
    pub perplexity: f64,
}

/// A model with the symbols that words of all have in it.
struct Part {
    lm: Lm,
    /// Nothing for words that it lacks.
    symbols: Vec<Option<Sym>>,
}

/// Adds models up with the weights that make a text most probable.
pub fn mix(models: Vec<Ngrams>, text: Lines) -> Result<Mixed> {
    let vocab = all_words(&models);
    let parts = models.iter().map(|model| Part::new(model, &vocab)).collect::<Result<Vec<_>>>()?;
    let seen = seen_in(&parts, text)?;
    let weights = weights_of(&seen, parts.len());
    let order = models.iter().map(Ngrams::order).max().unwrap_or(1);
    let packing = Packing::new(order, vocab.len());
    let mut levels = match packing.width() {
        0..=64 => all_ngrams::<u64>(&models, &vocab, packing),
        65..=128 => all_ngrams::<u128>(&models, &vocab, packing),
        _ => all_ngrams::<WideKey>(&models, &vocab, packing),
    }?;
    let of_bos = models.first().map_or(0.0, |model| model.levels[0].probs[BOS.ix()]);
    drop(models);
    add_up(&mut levels, &parts, &weights, of_bos);
    back_off(&mut levels);
    let (alone, perplexity) = perplexities(&seen, &weights);
    Ok(Mixed { ngrams: Ngrams { vocab, levels }, weights, alone, perplexity })
}

impl Part {
    fn new(model: &Ngrams, vocab: &Vocab) -> Result<Self> {
        let symbols = (0..vocab.len()).map(|word| model.vocab.get(vocab.word(Sym(word as u32)))).collect();
        Ok(Self { lm: Lm::build(model.clone(), LmLayout::default())?, symbols })
    }

    /// The probability of a word after a context, which is given from its last word backwards.
    fn prob(&self, word: usize, context: impl Iterator<Item = usize>) -> f64 {
        let Some(word) = self.symbols[word] else { return 0.0 };
        let context: Vec<Sym> = context.map(|word| self.symbols[word].unwrap_or(UNK)).collect();
        let tables = self.lm.tables();
        let scorer = tables.scorer();
        10f64.powf(f64::from(scorer.score(&scorer.state_of(&context), word).0.prob))
    }
}

/// The words of all models.
fn all_words(models: &[Ngrams]) -> Vocab {
    let mut vocab = special::vocabulary();
    for model in models {
        for word in 0..model.vocab.len() {
            vocab.intern(model.vocab.word(Sym(word as u32)));
        }
    }
    vocab
}

/// How probable each word of a text is in each model, its ends of sentences included; words that no model has are left out.
fn seen_in(parts: &[Part], mut text: Lines) -> Result<Vec<Vec<f64>>> {
    let mut seen = Vec::new();
    while let Some(line) = text.next_line()? {
        let mut states: Vec<_> = parts.iter().map(|part| part.lm.tables().scorer().begin()).collect();
        for word in words(line).map(Some).chain([None]) {
            let of_part = |(part, state): (&Part, &mut crate::State)| {
                let symbol = word.map_or(EOS, |word| part.lm.symbol(word));
                let (scored, next) = part.lm.tables().score(state, symbol);
                *state = next;
                if symbol == UNK { 0.0 } else { 10f64.powf(f64::from(scored.prob)) }
            };
            let probs: Vec<f64> = parts.iter().zip(&mut states).map(of_part).collect();
            if probs.iter().any(|&prob| prob > 0.0) {
                seen.push(probs);
            }
        }
    }
    if seen.is_empty() {
        return Err(Error::NoText { name: text.name().to_string() });
    }
    Ok(seen)
}

/// The weights of the sum that makes a text most probable.
fn weights_of(seen: &[Vec<f64>], models: usize) -> Vec<f64> {
    let mut weights = vec![1.0 / models as f64; models];
    for _ in 0..MOST_ROUNDS {
        let mut shares = vec![0.0; models];
        for probs in seen {
            let sum = dot(&weights, probs);
            // What only models of no weight know says nothing.
            if sum > 0.0 {
                for (share, (weight, prob)) in shares.iter_mut().zip(weights.iter().zip(probs)) {
                    *share += weight * prob / sum;
                }
            }
        }
        let all: f64 = shares.iter().sum();
        let change =
            weights.iter().zip(&shares).map(|(old, new)| (old - new / all).abs()).fold(0.0, f64::max);
        weights = shares.into_iter().map(|share| share / all).collect();
        if change < LEAST_CHANGE {
            break;
        }
    }
    weights
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The perplexity of each model and that of their sum.
fn perplexities(seen: &[Vec<f64>], weights: &[f64]) -> (Vec<f64>, f64) {
    let perplexity = |prob: &dyn Fn(&Vec<f64>) -> f64| {
        let logs: Vec<f64> = seen.iter().map(prob).filter(|&prob| prob > 0.0).map(f64::ln).collect();
        (-logs.iter().sum::<f64>() / logs.len() as f64).exp()
    };
    let alone = (0..weights.len()).map(|model| perplexity(&|probs| probs[model])).collect();
    (alone, perplexity(&|probs| dot(weights, probs)))
}

/// All n-grams of the models, without weights.
fn all_ngrams<K: Key>(models: &[Ngrams], vocab: &Vocab, packing: Packing) -> Result<Vec<NgramLevel>> {
    let mut levels: Vec<Vec<K>> = vec![Vec::new(); packing.order];
    levels[0] = (0..vocab.len()).map(|word| K::pack(&[word as u32], packing)).collect();
    for model in models {
        let symbol = |word: u32| vocab.get(model.vocab.word(Sym(word))).map_or(0, |symbol| symbol.0);
        let symbols: Vec<u32> = (0..model.vocab.len()).map(|word| symbol(word as u32)).collect();
        for (depth, keys) in levels.iter_mut().enumerate().take(model.order()).skip(1) {
            let mut ngram = vec![0; depth + 1];
            Walk::new(&model.levels, depth, 0..model.levels[depth].len()).for_each(|path| {
                for ((word, &node), level) in ngram.iter_mut().zip(path).zip(&model.levels) {
                    *word = symbols[level.words[node] as usize];
                }
                keys.push(K::pack(&ngram, packing));
            });
        }
    }
    let record = |key| Record { key, prob: 0.0, backoff: -0.0 };
    let records = levels.into_iter().map(|mut keys| {
        keys.par_sort_unstable();
        keys.dedup();
        keys.into_iter().map(record).collect()
    });
    assemble(records.collect(), packing, vocab).map_err(Error::Setting)
}

/// Sets the probabilities of n-grams to the weighted sums of the models'.
fn add_up(levels: &mut [NgramLevel], parts: &[Part], weights: &[f64], of_bos: f32) {
    for depth in 0..levels.len() {
        let all: &[NgramLevel] = levels;
        let count = all[depth].len();
        let pieces: Vec<Range<usize>> =
            (0..count).step_by(PIECE).map(|start| start..count.min(start + PIECE)).collect();
        let scored = |piece: Range<usize>| {
            let mut probs = Vec::with_capacity(piece.len());
            Walk::new(all, depth, piece).for_each(|path| {
                let mut words = path.iter().zip(all).map(|(&node, level)| level.words[node] as usize);
                let word = words.next().unwrap_or_default();
                let of_part = |(part, weight): (&Part, &f64)| weight * part.prob(word, words.clone());
                let sum: f64 = parts.iter().zip(weights).map(of_part).sum();
                probs.push(sum.max(LEAST).log10() as f32);
            });
            probs
        };
        let probs: Vec<Vec<f32>> = pieces.into_par_iter().map(scored).collect();
        levels[depth].probs = probs.concat();
    }
    levels[0].probs[BOS.ix()] = of_bos;
}

/// Sets the weights of backing off, by which the probabilities after each context sum to 1.
fn back_off(levels: &mut [NgramLevel]) {
    for depth in 1..levels.len() {
        let mut sums = vec![[0.0f64; 2]; levels[depth - 1].len()];
        let all: &[NgramLevel] = levels;
        Walk::new(all, depth, 0..all[depth].len()).for_each(|path| {
            let context = path[1..].iter().zip(&all[1..]).map(|(&node, level)| level.words[node]);
            let Some(context) = find(all, context) else { return };
            let prob = |depth: usize| 10f64.powf(f64::from(all[depth].probs[path[depth]]));
            sums[context][0] += prob(depth);
            sums[context][1] += prob(depth - 1);
        });
        for (backoff, [longer, shorter]) in levels[depth - 1].backoffs.iter_mut().zip(sums) {
            if longer > 0.0 {
                let weight = (1.0 - longer).max(LEAST) / (1.0 - shorter).max(LEAST);
                *backoff = weight.clamp(LEAST, 1.0 / LEAST).log10() as f32 + 0.0;
            }
        }
    }
}

/// The n-gram of words that are given from the last one backwards.
fn find(levels: &[NgramLevel], mut words: impl Iterator<Item = u32>) -> Option<usize> {
    let mut node = words.next()? as usize;
    for (word, depth) in words.zip(1..) {
        let children = levels[depth - 1].children(node);
        let at = levels[depth].words[children.clone()].binary_search(&word).ok()?;
        node = children.start + at;
    }
    Some(node)
}
