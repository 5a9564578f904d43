//! From trees to a dependency language model: each word of a tree is one event, counted and smoothed as n-grams are.

use super::{BOS, MARKS, MAX_CONTEXT, ORDERS, RIGHT, ROOT, context_of, is_reserved, sides};
use crate::count::Counter;
use crate::error::{Error, Result};
use crate::estimate::{Statistics, from_counts};
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
    if !ORDERS.contains(&order) {
        let (low, high) = (ORDERS.start(), ORDERS.end());
        return Err(Error::Setting(format!("the order must be {low} to {high}, not {order}")));
    }
    let mut events = Events {
        vocab: special::vocabulary(),
        packing: Packing { order: order + 1, bits: u32::BITS },
        counter: Counter::new(memory / 2),
        siblings: order - 2,
        count: 0,
    };
    for mark in MARKS {
        events.vocab.intern(mark);
    }
    for tree in trees {
        let (parse, tree) = tree?;
        events.add_tree(&parse, &tree)?;
    }
    if events.count == 0 {
        return Err(Error::NoText { name: "the treebank".to_string() });
    }
    let tokens = events.count;
    let (vocab, counts) = events.finish()?;
    let (estimated, orders) = from_counts(vocab, counts, is_event, &Settings::of_order(order))?;
    Ok((estimated.into_ngrams(), Statistics { tokens, orders }))
}

/// Whether a symbol can be a word of a tree.
fn is_event(word: u32) -> bool {
    word == UNK.0 || word > RIGHT.0
}

fn is_mark(word: u32) -> bool {
    (ROOT.0..=RIGHT.0).contains(&word)
}

struct Events {
    vocab: Vocab,
    packing: Packing,
    counter: Counter<WideKey>,
    siblings: usize,
    count: u64,
}

impl Events {
    fn add_tree(&mut self, parse: &DepParse, tree: &DepTree) -> Result<()> {
        let intern = |form| if is_reserved(form) { UNK } else { self.vocab.intern(form) };
        let words: Vec<Sym> = parse.forms().map(intern).collect();
        self.add(words[tree.root().ix()], &[ROOT, BOS])?;
        let mut context = [BOS; MAX_CONTEXT];
        for head in tree.words() {
            for (side, children) in sides(tree, head) {
                let mut inner: Vec<Sym> = Vec::new();
                for child in children.into_iter().map(|c| words[c.ix()]) {
                    let length = context_of(side, words[head.ix()], &inner, self.siblings, &mut context);
                    self.add(child, &context[..length])?;
                    inner.insert(0, child);
                    inner.truncate(self.siblings);
                }
            }
        }
        Ok(())
    }

    /// Counts an event, and its context as an n-gram of its own. Both are filled up with [`BOS`].
    fn add(&mut self, word: Sym, context: &[Sym]) -> Result<()> {
        let key = |words: &mut dyn Iterator<Item = u32>| {
            let mut filled = [BOS.0; MAX_CONTEXT + 1];
            filled.iter_mut().zip(words).for_each(|(slot, word)| *slot = word);
            WideKey::pack(&filled[..self.packing.order], self.packing)
        };
        let context = context.iter().map(|w| w.0);
        let event = key(&mut std::iter::once(word.0).chain(context.clone()));
        let context = key(&mut context.clone());
        self.count += 1;
        self.counter.add(event)?;
        self.counter.add(context)
    }

    fn finish(self) -> Result<(Vocab, Counts)> {
        let packing = self.packing;
        let mut builder = Builder::new(packing, false, MemoryBudget::unlimited());
        self.counter.finish(|key, count| match is_mark(key.word(0, packing)) {
            true => builder.push_short(key, 0, packing.order - 1),
            false => builder.push(key, count),
        })?;
        let mut counts = builder.finish(self.vocab.len())?;
        forget_contexts(&mut counts);
        Ok((self.vocab, counts))
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
