//! Rounds over forests: each round's are joined to those of earlier ones, and every derivation in them is seen.

use super::{Decoder, Found, Gather, TuneError};
use crate::error::Error;
use crate::features::FeatureSpace;
use crate::forest::Forests;
use crate::line_search::ErrorSurface;
use crate::objective::Objective;
use crate::tuners::Gathered;
use treeglot_decode::TranslationForest;
use treeglot_text::vocab::{Sym, Vocab};

/// The forests so far, one a sentence, with their words under common numbers.
pub(super) struct JoinedForests<'a> {
    objective: &'a Objective<'a>,
    hyperarcs: usize,
    fixed: Vec<usize>,
    words: Vocab,
    joined: Vec<TranslationForest>,
}

impl<'a> JoinedForests<'a> {
    /// Nothing yet; so many hyperarcs a source word will be asked for.
    pub fn new(objective: &'a Objective<'a>, hyperarcs: usize, space: &FeatureSpace) -> Self {
        let joined = vec![TranslationForest::default(); objective.len()];
        Self { objective, hyperarcs, fixed: space.fixed(), words: Vocab::default(), joined }
    }
}

impl<D: Decoder> Gather<D> for JoinedForests<'_> {
    fn decode(
        &mut self,
        decoder: &mut D,
        weights: &[f64],
        _number: usize,
    ) -> Result<Found, TuneError<D::Error>> {
        let found = decoder.forests(weights, self.hyperarcs).map_err(TuneError::Decoder)?;
        let found = found.ok_or(Error::NoForests)?;
        let words = &mut self.words;
        let fresh: Vec<_> = found.into_iter().map(|forest| forest.renumbered(words)).collect();
        let text = |of: &[u32]| text(&self.words, of);
        let surface = Forests::new(&fresh, self.objective, &text)?;
        let score = self.objective.score(&surface.sums(weights));
        self.joined.iter_mut().zip(&fresh).for_each(|(all, one)| all.join(one));
        let all = fresh.iter().map(TranslationForest::arc_count).sum();
        Ok(Found { score, new: all, all })
    }

    fn total(&self) -> usize {
        self.joined.iter().map(TranslationForest::arc_count).sum()
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
