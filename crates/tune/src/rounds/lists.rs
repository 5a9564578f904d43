//! Rounds over lists: the candidates of all rounds, each once.

use super::{Decoder, Found, Gather, Run, TuneError};
use crate::candidates::{Candidate, Candidates};
use crate::error::Error;
use crate::features::FeatureSpace;
use crate::objective::Objective;
use crate::tuners::Gathered;
use treeglot_metrics::Hypothesis;

/// The candidates so far.
pub(super) struct Lists<'a> {
    run: Run<'a>,
    candidates: Candidates,
}

impl<'a> Lists<'a> {
    pub fn new(run: &Run<'a>, space: &FeatureSpace) -> Self {
        Self { run: *run, candidates: Candidates::new(space, run.objective) }
    }

    /// The lists of a round: those kept by an earlier run, or new ones.
    fn of_round<D: Decoder>(
        &self,
        decoder: &mut D,
        weights: &[f64],
        number: usize,
    ) -> Result<Vec<Vec<Candidate>>, TuneError<D::Error>> {
        let Run { objective, settings, checkpoints } = self.run;
        let kept =
            checkpoints.map(|kept| kept.lists(number, objective.len(), decoder.space())).transpose()?;
        if let Some(lists) = kept.flatten() {
            return Ok(lists);
        }
        let lists = decoder.kbest(weights, settings.nbest).map_err(TuneError::Decoder)?;
        if let Some(kept) = checkpoints {
            kept.keep_lists(number, &lists, decoder.space(), weights)?;
        }
        Ok(lists)
    }
}

impl<D: Decoder> Gather<D> for Lists<'_> {
    fn decode(
        &mut self,
        decoder: &mut D,
        weights: &[f64],
        number: usize,
    ) -> Result<Found, TuneError<D::Error>> {
        let lists = self.of_round(decoder, weights, number)?;
        let score = first_best_score(&lists, self.run.objective);
        let new = self.candidates.add(&lists, self.run.objective)?;
        Ok(Found { score, new, all: lists.iter().map(Vec::len).sum() })
    }

    fn total(&self) -> usize {
        self.candidates.total()
    }

    fn show<R>(&self, look: impl FnOnce(Gathered<'_>) -> Result<R, Error>) -> Result<R, Error> {
        look(Gathered::Lists(&self.candidates))
    }
}

fn first_best_score(lists: &[Vec<Candidate>], objective: &Objective<'_>) -> f64 {
    let mut sums = vec![0.0; objective.size()];
    let mut statistics = Vec::new();
    for (sentence, list) in lists.iter().enumerate().take(objective.len()) {
        let hypothesis = list.first().map_or(Hypothesis::new(""), |first| Hypothesis {
            text: &first.text,
            links: first.links.as_deref(),
        });
        objective.statistics(sentence, &hypothesis, &mut statistics);
        sums.iter_mut().zip(&statistics).for_each(|(sum, s)| *sum += s);
    }
    objective.score(&sums)
}
