//! Counting the words of trees on several machines, for the model of one, as [`mod@crate::shard`] does for those of a text. Each shard
//! tells its words ([`look`]), which a [`numbering`] takes in order; shards are counted with everybody's numbers, divided by range
//! ([`count`]); ranges are added up ([`crate::shard::add_up`], with [`width`] as the order) and, in order, estimated from ([`estimate_from`]).

use super::estimate::{EventCounts, check, events, keys, vocabulary, words_of};
use crate::error::{Error, Result};
use crate::key::{Key, Packing, WideKey};
use crate::ngrams::Ngrams;
use crate::shard::{Numbering, SAMPLES, ShardText, damaged, divided, read, with_key};
use treeglot_text::vocab::{MappedVocab, Sym};
use treeglot_tree::{DepParse, DepTree};

/// How many words what is counted of a word of a tree has: the word itself, its side, head and siblings.
pub fn width(order: usize) -> usize {
    order + 1
}

/// No shard yet.
pub fn numbering() -> Numbering {
    Numbering::of(vocabulary())
}

/// Looks at a shard of trees.
pub fn look(trees: impl Iterator<Item = Result<(DepParse, DepTree)>>, order: usize) -> Result<ShardText> {
    check(order)?;
    let packing = Packing { order: width(order), bits: u32::BITS };
    let (mut vocab, mut tokens, mut all) = (vocabulary(), 0, Vec::<WideKey>::new());
    for tree in trees {
        let (parse, tree) = tree?;
        let words = words_of(&parse, |form| vocab.intern(form));
        events(&tree, &words, order, |word, context| {
            tokens += 1;
            all.extend(keys::<WideKey>(word, context, packing));
            Ok(())
        })?;
    }
    all.sort_unstable();
    all.dedup();
    let step = all.len().div_ceil(SAMPLES).max(1);
    let sample = all.into_iter().skip(step / 2).step_by(step);
    let sample = sample.map(|key| (0..packing.order).map(|depth| key.word(depth, packing)).collect());
    let words = vocab.words().map(str::to_string).collect();
    Ok(ShardText { words, tokens, sample: sample.collect() })
}

/// Counts a shard of trees, divided by ranges.
pub fn count(
    trees: impl Iterator<Item = Result<(DepParse, DepTree)>>,
    order: usize,
    numbers: &MappedVocab,
    bounds: &[Vec<u32>],
) -> Result<Vec<Vec<u8>>> {
    check(order)?;
    let packing = Packing::new(width(order), numbers.len());
    with_key!(packing, count_keys::<_>(trees, order, numbers, bounds))
}

fn count_keys<K: Key>(
    packing: Packing,
    trees: impl Iterator<Item = Result<(DepParse, DepTree)>>,
    order: usize,
    numbers: &MappedVocab,
    bounds: &[Vec<u32>],
) -> Result<Vec<Vec<u8>>> {
    let mut all: Vec<K> = Vec::new();
    for tree in trees {
        let (parse, tree) = tree?;
        let mut unknown = false;
        let words = words_of(&parse, |form| {
            let known = numbers.get(form);
            unknown |= known.is_none();
            known.unwrap_or(Sym(0))
        });
        if unknown {
            return Err(damaged("a word"));
        }
        events(&tree, &words, order, |word, context| {
            all.extend(keys::<K>(word, context, packing));
            Ok(())
        })?;
    }
    all.sort_unstable();
    Ok(divided(&all, packing, bounds))
}

/// Estimates a model from the counts of all ranges in order.
pub fn estimate_from<E: From<Error>>(
    numbering: Numbering,
    order: usize,
    ranges: impl Iterator<Item = std::result::Result<Vec<u8>, E>>,
) -> std::result::Result<Ngrams, E> {
    check(order)?;
    let packing = Packing::new(width(order), numbering.words());
    with_key!(packing, estimate_keys::<_, E>(numbering, order, ranges))
}

fn estimate_keys<K: Key, E: From<Error>>(
    packing: Packing,
    numbering: Numbering,
    order: usize,
    ranges: impl Iterator<Item = std::result::Result<Vec<u8>, E>>,
) -> std::result::Result<Ngrams, E> {
    let Numbering { vocab, tokens, .. } = numbering;
    let mut counts = EventCounts::<K>::new(packing);
    for range in ranges {
        let range = range?;
        for (key, count) in read::<K>(&range)? {
            counts.push(key, count)?;
        }
    }
    Ok(counts.estimate(vocab, order, tokens)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depend::from_trees;
    use crate::shard::add_up;
    use crate::{Lm, LmLayout};
    use proptest::prelude::*;
    use treeglot_tree::format::{ReadTrees, conllu};

    type Trees = Vec<(DepParse, DepTree)>;

    /// Trees of such words and heads; what would be no tree becomes a chain.
    fn trees(seen: &[Vec<(u8, u8)>]) -> Trees {
        let text = |words: &Vec<(u8, u8)>| {
            let line = |(at, (word, head)): (usize, &(u8, u8))| {
                let head = if at == 0 { 0 } else { usize::from(*head) % at + 1 };
                format!("{}\t{}\t_\t_\t_\t_\t{head}\t_\t_\t_\n", at + 1, char::from(b'a' + word % 6))
            };
            words.iter().enumerate().map(line).collect::<String>() + "\n"
        };
        let text: String = seen.iter().map(text).collect();
        let mut reader = conllu::Reader::new("trees", text.as_bytes());
        let mut all = Vec::new();
        while let Some(parse) = reader.next_tree().unwrap() {
            let tree = parse.checked_mended_tree().unwrap().tree;
            all.push((parse, tree));
        }
        all
    }

    fn given(trees: &[(DepParse, DepTree)]) -> impl Iterator<Item = Result<(DepParse, DepTree)>> + '_ {
        trees.iter().cloned().map(Ok)
    }

    fn bytes(ngrams: Ngrams) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        Lm::build(ngrams, LmLayout::default()).unwrap().write(file.path()).unwrap();
        std::fs::read(file.path()).unwrap()
    }

    fn by_shards(trees: &[(DepParse, DepTree)], shard: usize, ranges: usize, order: usize) -> Result<Ngrams> {
        let mut numbering = numbering();
        for shard in trees.chunks(shard) {
            numbering.add(&look(given(shard), order)?, "trees")?;
        }
        let bounds = numbering.bounds(ranges);
        let file = tempfile::NamedTempFile::new().unwrap();
        numbering.freeze(file.path())?;
        let (numbers, words) = (MappedVocab::open(file.path())?, numbering.words());
        let counts = trees.chunks(shard).map(|shard| count(given(shard), order, &numbers, &bounds));
        let counts = counts.collect::<Result<Vec<_>>>()?;
        let sums = (0..=bounds.len()).map(|range| {
            let of_range: Vec<Vec<u8>> = counts.iter().rev().map(|ranges| ranges[range].clone()).collect();
            add_up(&of_range, width(order), words)
        });
        estimate_from(numbering, order, sums)
    }

    proptest! {
        #[test]
        fn a_model_by_shards_and_ranges_is_that_of_one_process(
            seen in proptest::collection::vec(proptest::collection::vec((0u8..6, any::<u8>()), 1..7), 1..30),
            shard in 1usize..12,
            ranges in 1usize..6,
            order in 2usize..=5,
        ) {
            let trees = trees(&seen);
            let (whole, _) = from_trees(given(&trees), order, 1 << 20).unwrap();
            prop_assert_eq!(bytes(by_shards(&trees, shard, ranges, order).unwrap()), bytes(whole));
        }
    }

    #[test]
    fn no_tree_and_an_order_that_is_none_are_errors() {
        assert!(look(std::iter::empty(), 99).is_err());
        let none = std::iter::empty::<Result<Vec<u8>>>();
        assert!(estimate_from(numbering(), 3, none).is_err());
    }
}
