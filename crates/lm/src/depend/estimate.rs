//! From trees to a dependency language model: each word of a tree is one event, counted and smoothed as n-grams are.

use super::{BOS, MARKS, MAX_CONTEXT, ORDERS, RIGHT, ROOT, context_of, is_reserved, sides};
use crate::count::Counter;
use crate::error::{Error, Result};
use crate::estimate::{OrderStatistics, Statistics, from_counts};
use crate::key::{Key, Packing, WideKey};
use crate::ngrams::Ngrams;
use crate::settings::Settings;
use crate::shape::{Builder, Counts};
use crate::special::{self, UNK};
use treeglot_text::column::MemoryBudget;
use treeglot_text::vocab::{Sym, Vocab};
use treeglot_tree::{DepParse, DepTree};

/// Estimates a model of an order from trees, with about so many bytes of memory; what exceeds them lies in temporary files.
pub fn from_trees(
    trees: impl Iterator<Item = Result<(DepParse, DepTree)>>,
    order: usize,
    memory: u64,
) -> Result<(Ngrams, Statistics)> {
    check(order)?;
    let packing = Packing { order: order + 1, bits: u32::BITS };
    let (mut vocab, mut tokens) = (vocabulary(), 0);
    let mut counter = Counter::<WideKey>::new(memory / 2);
    for tree in trees {
        let (parse, tree) = tree?;
        let words = words_of(&parse, |form| vocab.intern(form));
        events(&tree, &words, order, |word, context| {
            tokens += 1;
            keys(word, context, packing).into_iter().try_for_each(|key| counter.add(key))
        })?;
    }
    let mut counts = EventCounts::new(packing);
    counter.finish(|key, count| counts.push(key, count))?;
    let (ngrams, orders) = counts.estimate(vocab, order, tokens)?;
    Ok((ngrams, Statistics { tokens, orders }))
}

/// An error if there are no models of an order.
pub fn check(order: usize) -> Result<()> {
    if ORDERS.contains(&order) {
        return Ok(());
    }
    let (low, high) = (ORDERS.start(), ORDERS.end());
    Err(Error::Setting(format!("the order must be {low} to {high}, not {order}")))
}

/// No word yet but those that every model has.
pub fn vocabulary() -> Vocab {
    let mut vocab = special::vocabulary();
    for mark in MARKS {
        vocab.intern(mark);
    }
    vocab
}

/// The words of a tree; a form that the model uses itself is an unknown one.
pub fn words_of(parse: &DepParse, mut number: impl FnMut(&str) -> Sym) -> Vec<Sym> {
    parse.forms().map(|form| if is_reserved(form) { UNK } else { number(form) }).collect()
}

/// Whether a symbol can be a word of a tree.
fn is_event(word: u32) -> bool {
    word == UNK.0 || word > RIGHT.0
}

fn is_mark(word: u32) -> bool {
    (ROOT.0..=RIGHT.0).contains(&word)
}

/// Hands on each word of a tree with what it is predicted from, the last word first.
pub fn events(
    tree: &DepTree,
    words: &[Sym],
    order: usize,
    mut take: impl FnMut(Sym, &[Sym]) -> Result<()>,
) -> Result<()> {
    let siblings = order - 2;
    take(words[tree.root().ix()], &[ROOT, BOS])?;
    let mut context = [BOS; MAX_CONTEXT];
    for head in tree.words() {
        for (side, children) in sides(tree, head) {
            let mut inner: Vec<Sym> = Vec::new();
            for child in children.into_iter().map(|c| words[c.ix()]) {
                let length = context_of(side, words[head.ix()], &inner, siblings, &mut context);
                take(child, &context[..length])?;
                inner.insert(0, child);
                inner.truncate(siblings);
            }
        }
    }
    Ok(())
}

/// What is counted of an event: it, and its context as an n-gram of its own. Both are filled up with [`BOS`].
pub fn keys<K: Key>(word: Sym, context: &[Sym], packing: Packing) -> [K; 2] {
    let key = |words: &mut dyn Iterator<Item = Sym>| {
        let mut filled = [BOS.0; MAX_CONTEXT + 1];
        filled.iter_mut().zip(words).for_each(|(slot, word)| *slot = word.0);
        K::pack(&filled[..packing.order], packing)
    };
    let context = context.iter().copied();
    [key(&mut std::iter::once(word).chain(context.clone())), key(&mut context.clone())]
}

/// Counted events in suffix order.
pub struct EventCounts<K> {
    builder: Builder<K>,
    packing: Packing,
}

impl<K: Key> EventCounts<K> {
    /// None yet.
    pub fn new(packing: Packing) -> Self {
        Self { builder: Builder::new(packing, false, MemoryBudget::unlimited()), packing }
    }

    /// Takes the next of [`keys`], with how often it was counted.
    pub fn push(&mut self, key: K, count: u32) -> Result<()> {
        match is_mark(key.word(0, self.packing)) {
            true => self.builder.push_short(key, 0, self.packing.order - 1),
            false => self.builder.push(key, count),
        }
    }

    /// The model of so many events.
    pub fn estimate(self, vocab: Vocab, order: usize, tokens: u64) -> Result<(Ngrams, Vec<OrderStatistics>)> {
        if tokens == 0 {
            return Err(Error::NoText { name: "the treebank".to_string() });
        }
        let mut counts = self.builder.finish(vocab.len())?;
        forget_contexts(&mut counts);
        let (estimated, orders) = from_counts(vocab, counts, is_event, &Settings::of_order(order))?;
        Ok((estimated.into_ngrams(), orders))
    }
}

/// N-grams that end in a mark are contexts, not events: their counts are 0.
fn forget_contexts(counts: &mut Counts) {
    let mut range = ROOT.ix()..RIGHT.ix() + 1;
    for (level, adjusted) in counts.levels.iter().zip(&mut counts.adjusted) {
        let mut values = std::mem::take(adjusted).into_vec();
        values[range.clone()].fill(0);
        *adjusted = values.into();
        let Some(&end) = level.starts.get(range.end) else { return };
        range = level.starts[range.start] as usize..end as usize;
    }
}
