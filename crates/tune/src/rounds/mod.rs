//! The outer loop of tuning: decode with the weights so far, gather what came out, find better weights, and again, until
//! nothing new comes. Any decoder plugs in.

mod forests;
mod lists;

use crate::candidates::Candidate;
use crate::checkpoints::{CheckpointError, Checkpoints};
use crate::error::Error;
use crate::features::FeatureSpace;
use crate::objective::Objective;
use crate::tuners::{Gathered, Job, TuneSettings};
use treeglot_decode::TranslationForest;

/// What gives candidates for weights.
pub trait Decoder {
    /// Why decoding failed.
    type Error: std::error::Error + 'static;

    /// The features whose weights are tuned; sparse ones get their places as they are met.
    fn space(&mut self) -> &mut FeatureSpace;

    /// The `count` best translations of each sentence of the development set, best first.
    fn kbest(&mut self, weights: &[f64], count: usize) -> Result<Vec<Vec<Candidate>>, Self::Error>;

    /// The searched forest of each sentence, of so many hyperarcs a source word; `None` if the search makes none.
    fn forests(
        &mut self,
        weights: &[f64],
        hyperarcs: usize,
    ) -> Result<Option<Vec<TranslationForest>>, Self::Error> {
        let _ = (weights, hyperarcs);
        Ok(None)
    }
}

/// What a round brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The round, from 1.
    pub number: usize,
    /// The score of the best translations of the development set under the round's weights.
    pub score: f64,
    /// Whether that is the best so far.
    pub best: bool,
    /// How many candidates were new.
    pub new: usize,
    /// How many candidates there are in all.
    pub candidates: usize,
    /// The score on the gathered candidates of the weights found on them; none in the last round.
    pub tuned: Option<f64>,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Decoding gave no new candidate.
    NothingNew,
    /// Decoding gave few new candidates.
    LittleNew,
    /// The weights hardly changed.
    Settled,
    /// The score did not rise any more.
    NoBetter,
    /// All rounds were used.
    Rounds,
}

/// The result of tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The weights of the round with the best score on the development set.
    pub weights: Vec<f64>,
    /// That score.
    pub score: f64,
    /// The number of that round.
    pub round: usize,
    /// Why the loop ended.
    pub end: End,
}

/// Why tuning failed.
#[derive(Debug, thiserror::Error)]
pub enum TuneError<E: std::error::Error + 'static> {
    /// The decoder failed.
    #[error("decoding the development set failed")]
    Decoder(#[source] E),
    /// The settings or what was decoded could not be used.
    #[error(transparent)]
    Tune(#[from] Error),
    /// A checkpoint could not be kept or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// Tunes the weights of a decoder from `start`. With `checkpoints` each round is kept on disk, and a loop that was
/// interrupted goes on where it was, with the same result.
pub fn tune<D: Decoder>(
    decoder: &mut D,
    objective: &Objective<'_>,
    start: &[f64],
    settings: &TuneSettings,
    checkpoints: Option<&Checkpoints>,
    progress: &mut dyn FnMut(&Round),
) -> Result<Tuned, TuneError<D::Error>> {
    settings.check()?;
    let run = Run { objective, settings, checkpoints };
    match settings.forest {
        None => {
            let gather = lists::Lists::new(&run, decoder.space());
            run.rounds(decoder, gather, start, progress)
        }
        Some(hyperarcs) => {
            let gather = forests::JoinedForests::new(objective, hyperarcs, decoder.space());
            run.rounds(decoder, gather, start, progress)
        }
    }
}

/// What the rounds of decoding have brought, together.
trait Gather<D: Decoder> {
    /// Decodes with these weights and takes in what is new.
    fn decode(
        &mut self,
        decoder: &mut D,
        weights: &[f64],
        number: usize,
    ) -> Result<Found, TuneError<D::Error>>;

    /// How much there is in all.
    fn total(&self) -> usize;

    /// Shows it to a tuner.
    fn show<R>(&self, look: impl FnOnce(Gathered<'_>) -> Result<R, Error>) -> Result<R, Error>;
}

/// What a round of decoding found.
struct Found {
    /// The score of the best translations.
    score: f64,
    /// How much was new.
    new: usize,
    /// How much there was.
    all: usize,
}

impl Found {
    fn share_of_new(&self) -> f64 {
        self.new as f64 / self.all.max(1) as f64
    }
}

/// What all rounds share.
#[derive(Clone, Copy)]
struct Run<'a> {
    objective: &'a Objective<'a>,
    settings: &'a TuneSettings,
    checkpoints: Option<&'a Checkpoints>,
}

impl Run<'_> {
    fn rounds<D: Decoder>(
        &self,
        decoder: &mut D,
        mut gather: impl Gather<D>,
        start: &[f64],
        progress: &mut dyn FnMut(&Round),
    ) -> Result<Tuned, TuneError<D::Error>> {
        let mut weights = rounded(start)?;
        let mut leader = Leader::default();
        let mut number = 0;
        loop {
            number += 1;
            let found = gather.decode(decoder, &weights, number)?;
            let Found { score, new, .. } = found;
            self.objective.checked(score)?;
            let best = leader.offer(&weights, score, number, self.objective);
            let mut round = Round { number, score, best, new, candidates: gather.total(), tuned: None };
            let mut end = leader.end(&found, number, self.settings);
            if end.is_none() {
                let starts = [weights, leader.weights().to_vec()];
                let (next, tuned) = self.next_weights(&gather, &starts, number)?;
                round.tuned = Some(tuned);
                if distance(&starts[0], &next) < self.settings.least_change {
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

    /// The weights after a round, those kept by an earlier run or new ones, and their score on all that was gathered.
    fn next_weights<D: Decoder>(
        &self,
        gather: &impl Gather<D>,
        starts: &[Vec<f64>],
        number: usize,
    ) -> Result<(Vec<f64>, f64), TuneError<D::Error>> {
        let known = self.checkpoints.map(|kept| kept.weights(number)).transpose()?.flatten();
        let fresh = known.is_none();
        let seed = self.settings.seed.wrapping_add(number as u64);
        let (next, score) = gather.show(|gathered| {
            let next = match known {
                Some(known) => known,
                None => {
                    let job = Job { gathered, objective: self.objective, starts, seed, repeats: true };
                    rounded(&self.settings.run(&job)?.weights)?
                }
            };
            let score = self.objective.score(&gathered.sums(&next));
            Ok((next, score))
        })?;
        if let Some(kept) = self.checkpoints.filter(|_| fresh) {
            kept.keep_weights(number, &next)?;
        }
        Ok((next, score))
    }
}

/// The best round so far.
#[derive(Default)]
struct Leader {
    best: Option<Tuned>,
    /// The best score of weights that were tuned, and its round. Good weights to start with may be above all that the first rounds
    /// find, which rises all the same, so that they are not what patience is measured from.
    rising: Option<(f64, usize)>,
}

impl Leader {
    /// Takes a round if it is the best so far; whether it is.
    fn offer(&mut self, weights: &[f64], score: f64, round: usize, objective: &Objective<'_>) -> bool {
        if round > 1 && self.rising.is_none_or(|(best, _)| objective.is_better(score, best)) {
            self.rising = Some((score, round));
        }
        let better = self.best.as_ref().is_none_or(|best| objective.is_better(score, best.score));
        if better {
            self.best = Some(Tuned { weights: weights.to_vec(), score, round, end: End::Rounds });
        }
        better
    }

    fn best(&self) -> &Tuned {
        self.best.as_ref().expect("the first round is the best of one")
    }

    /// The weights of the best round.
    fn weights(&self) -> &[f64] {
        &self.best().weights
    }

    /// Why no round should follow this one, if so.
    fn end(&self, found: &Found, round: usize, settings: &TuneSettings) -> Option<End> {
        if found.new == 0 {
            Some(End::NothingNew)
        } else if self.rising.is_some_and(|(_, best)| round - best >= settings.patience) {
            Some(End::NoBetter)
        } else if round >= settings.rounds || !settings.method.tunes() {
            Some(End::Rounds)
        } else {
            (found.share_of_new() < settings.least_new()).then_some(End::LittleNew)
        }
    }

    /// The best round as the result.
    fn finish(self, end: End) -> Tuned {
        Tuned { end, ..self.best.expect("the first round is the best of one") }
    }
}

/// Weights are written and used with single precision, so that is what is scored.
fn rounded(weights: &[f64]) -> Result<Vec<f64>, Error> {
    let weights: Vec<f64> = weights.iter().map(|&weight| f64::from(weight as f32)).collect();
    if weights.iter().all(|weight| weight.is_finite()) { Ok(weights) } else { Err(Error::WeightNotFinite) }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let at = |v: &[f64], i: usize| v.get(i).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|i| (at(a, i) - at(b, i)).abs()).sum()
}
