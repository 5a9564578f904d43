//! The outer loop of tuning over forests: each round searches with the weights so far, joins the forests to those of
//! earlier rounds, and lets MERT see every derivation in them.

use super::{Forests, Item, TuneForest};
use crate::error::Error;
use crate::mert::Mert;
use crate::objective::Objective;
use crate::surface::Surface;
use crate::tuner::{Decoder, End, Leader, Round, Settings, TuneError, Tuned, distance, rounded};
use treeglot_decode::{PrunedForest, PrunedItem};
use treeglot_text::vocab::{Sym, Vocab};

/// Tunes the weights of a decoder from `start` by MERT over forests of so many ways a source word.
pub fn tune_forests<D: Decoder>(
    decoder: &mut D,
    objective: &Objective<'_>,
    start: &[f64],
    mert: &Mert,
    ways: usize,
    settings: &Settings,
    progress: &mut dyn FnMut(&Round),
) -> Result<Tuned, TuneError<D::Error>> {
    let fixed = decoder.space().fixed();
    let mut words = Vocab::default();
    let mut gathered: Vec<TuneForest> = vec![TuneForest::default(); objective.len()];
    let mut weights: Vec<f64> = start.iter().map(|&w| rounded(w)).collect();
    let mut leader = Leader::default();
    let mut number = 0;
    loop {
        number += 1;
        let found = decoder.forests(&weights, ways).map_err(TuneError::Decoder)?.ok_or(Error::NoForests)?;
        let fresh =
            found.iter().map(|forest| converted(forest, &mut words)).collect::<Result<Vec<_>, _>>()?;
        drop(found);
        let text = |of: &[u32]| joined(&words, of);
        let score = objective.score(&Forests::new(&fresh, objective, &text)?.sums(&weights));
        let new = fresh.iter().map(TuneForest::edge_count).sum();
        gathered.iter_mut().zip(&fresh).for_each(|(all, one)| all.join(one));
        drop(fresh);
        let best = leader.offer(&weights, score, number, objective);
        let candidates = gathered.iter().map(TuneForest::edge_count).sum();
        let mut round = Round { number, score, best, new, candidates, tuned: None };
        let mut end = leader.end(number, settings);
        if end.is_none() {
            let surface = Forests::new(&gathered, objective, &text)?.with_fixed(&fixed);
            let mert = mert.for_round(settings.seed.wrapping_add(number as u64));
            let starts = [weights.clone(), leader.weights().to_vec()];
            let found = mert.optimise(&surface, objective, &starts)?;
            let next: Vec<f64> = found.weights.into_iter().map(rounded).collect();
            round.tuned = Some(found.score);
            if distance(&weights, &next) < settings.change {
                end = Some(End::Settled);
            }
            weights = next;
        }
        progress(&round);
        if let Some(end) = end {
            return Ok(leader.finish(end));
        }
    }
}

/// The text of words.
fn joined(words: &Vocab, of: &[u32]) -> String {
    let words: Vec<&str> = of.iter().map(|&word| words.word(Sym(word))).collect();
    words.join(" ")
}

/// A searched forest with its words under common numbers.
fn converted(forest: &PrunedForest, words: &mut Vocab) -> Result<TuneForest, Error> {
    let numbers: Vec<u32> = forest.words.words().map(|word| words.intern(word).0).collect();
    let mut made = TuneForest::default();
    let (mut items, mut features) = (Vec::new(), Vec::new());
    for node in &forest.nodes {
        made.add_node();
        for way in &forest.ways[node.start as usize..node.end as usize] {
            items.clear();
            items.extend(way.target.iter().map(|item| match *item {
                PrunedItem::Word(word) => Item::Word(numbers[word as usize]),
                PrunedItem::Tail(tail) => Item::Hole(u32::from(tail)),
            }));
            features.clear();
            features.extend((0..).zip(way.features.iter().copied()).filter(|(_, value)| *value != 0.0));
            made.add_edge(&way.tails, &items, &features)?;
        }
    }
    Ok(made)
}
