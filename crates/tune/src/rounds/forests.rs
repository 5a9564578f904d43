//! Rounds over forests: each round's are joined to those of earlier ones, and every derivation in them is seen.

use super::{Decoder, Gather, TuneError};
use crate::error::Error;
use crate::features::FeatureSpace;
use crate::forest::{Forests, Item, TuneForest};
use crate::line_search::ErrorSurface;
use crate::objective::Objective;
use crate::tuners::Gathered;
use treeglot_decode::{PrunedForest, PrunedItem};
use treeglot_text::vocab::{Sym, Vocab};

/// The forests so far, one a sentence, with their words under common numbers.
pub(super) struct JoinedForests<'a> {
    objective: &'a Objective<'a>,
    hyperarcs: usize,
    fixed: Vec<usize>,
    words: Vocab,
    joined: Vec<TuneForest>,
}

impl<'a> JoinedForests<'a> {
    /// Nothing yet; so many hyperarcs a source word will be asked for.
    pub fn new(objective: &'a Objective<'a>, hyperarcs: usize, space: &FeatureSpace) -> Self {
        let joined = vec![TuneForest::default(); objective.len()];
        Self { objective, hyperarcs, fixed: space.fixed(), words: Vocab::default(), joined }
    }
}

impl<D: Decoder> Gather<D> for JoinedForests<'_> {
    fn decode(
        &mut self,
        decoder: &mut D,
        weights: &[f64],
        _number: usize,
    ) -> Result<(f64, usize), TuneError<D::Error>> {
        let found = decoder.forests(weights, self.hyperarcs).map_err(TuneError::Decoder)?;
        let found = found.ok_or(Error::NoForests)?;
        let words = &mut self.words;
        let fresh = found.iter().map(|forest| converted(forest, words)).collect::<Result<Vec<_>, _>>()?;
        drop(found);
        let text = |of: &[u32]| text(&self.words, of);
        let surface = Forests::new(&fresh, self.objective, &text)?;
        let score = self.objective.score(&surface.sums(weights));
        self.joined.iter_mut().zip(&fresh).for_each(|(all, one)| all.join(one));
        Ok((score, fresh.iter().map(TuneForest::edge_count).sum()))
    }

    fn total(&self) -> usize {
        self.joined.iter().map(TuneForest::edge_count).sum()
    }

    fn show<R>(&self, look: impl FnOnce(Gathered<'_>) -> Result<R, Error>) -> Result<R, Error> {
        let text = |of: &[u32]| text(&self.words, of);
        let forests = Forests::new(&self.joined, self.objective, &text)?.with_fixed(&self.fixed);
        look(Gathered::Forests(&forests))
    }
}

/// The text of words.
fn text(words: &Vocab, of: &[u32]) -> String {
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
        for arc in &forest.arcs[node.start as usize..node.end as usize] {
            items.clear();
            items.extend(arc.target.iter().map(|item| match *item {
                PrunedItem::Word(word) => Item::Word(numbers[word as usize]),
                PrunedItem::Tail(tail) => Item::Tail(u32::from(tail)),
            }));
            features.clear();
            features.extend((0..).zip(arc.features.iter().copied()).filter(|(_, value)| *value != 0.0));
            made.add_edge(&arc.tails, &items, &features)?;
        }
    }
    Ok(made)
}
