//! The outer loop of tuning: decode with the weights so far, gather the candidates, find better weights, and again, until
//! nothing new comes. Any decoder plugs in.

use crate::candidates::{Candidate, Candidates};
use crate::error::Error;
use crate::mert::{Mert, Optimum};
use crate::mira::Mira;
use crate::objective::Objective;
use crate::pro::Pro;
use crate::space::Space;
use crate::state::{State, StateError};
use treeglot_decode::PrunedForest;
use treeglot_metrics::Hypothesis;

/// What gives candidates for weights.
pub trait Decoder {
    /// Why decoding failed.
    type Error: std::error::Error + 'static;

    /// The features whose weights are tuned; sparse ones get their places as they are met.
    fn space(&mut self) -> &mut Space;

    /// The `count` best translations of each sentence of the development set, best first.
    fn kbest(&mut self, weights: &[f64], count: usize) -> Result<Vec<Vec<Candidate>>, Self::Error>;

    /// The searched forest of each sentence, of so many ways a source word; `None` if the search makes none.
    fn forests(&mut self, weights: &[f64], ways: usize) -> Result<Option<Vec<PrunedForest>>, Self::Error> {
        let _ = (weights, ways);
        Ok(None)
    }
}

/// How weights are found on gathered candidates.
#[derive(Debug, Clone)]
pub enum Method {
    /// Minimum error rate training.
    Mert(Mert),
    /// k-best batch MIRA.
    Mira(Mira),
    /// Pairwise ranked optimisation.
    Pro(Pro),
}

impl Method {
    /// The names of all methods.
    pub const NAMES: [&'static str; 3] = ["mert", "mira", "pro"];

    /// The method of a name, with its usual settings.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "mert" => Self::Mert(Mert::default()),
            "mira" => Self::Mira(Mira::default()),
            "pro" => Self::Pro(Pro::default()),
            _ => return None,
        })
    }

    /// The method for one round of many.
    fn for_round(&self, seed: u64) -> Self {
        match self {
            Self::Mert(mert) => Self::Mert(mert.for_round(seed)),
            other => other.clone().with_seed(seed),
        }
    }

    /// The method with another seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        match &mut self {
            Self::Mert(mert) => mert.seed = seed,
            Self::Mira(mira) => mira.seed = seed,
            Self::Pro(pro) => pro.seed = seed,
        }
        self
    }

    /// The best weights on the candidates, from `current`; MERT starts from the `others` too.
    pub fn optimise(
        &self,
        candidates: &Candidates,
        objective: &Objective<'_>,
        current: &[f64],
        others: &[Vec<f64>],
    ) -> Result<Optimum, Error> {
        match self {
            Self::Mert(mert) => {
                let starts = [&[current.to_vec()], others].concat();
                mert.optimise(candidates, objective, &starts)
            }
            Self::Mira(mira) => mira.optimise(candidates, objective, current),
            Self::Pro(pro) => pro.optimise(candidates, objective, current),
        }
    }
}

/// How the loop runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How weights are found.
    pub method: Method,
    /// How many candidates a sentence are asked for each round.
    pub nbest: usize,
    /// The most rounds of decoding.
    pub rounds: usize,
    /// So many rounds without a better score on the development set end the loop.
    pub patience: usize,
    /// Weights that change by less than this in sum end the loop.
    pub change: f64,
    /// The seed of all that is random.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let method = Method::Mert(Mert::default());
        Self { method, nbest: 100, rounds: 15, patience: 4, change: 1e-3, seed: 1 }
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

/// The best round so far.
#[derive(Default)]
pub(crate) struct Leader(Option<Tuned>);

impl Leader {
    /// Takes a round if it is the best so far; whether it is.
    pub fn offer(&mut self, weights: &[f64], score: f64, round: usize, objective: &Objective<'_>) -> bool {
        let better = self.0.as_ref().is_none_or(|best| objective.is_better(score, best.score));
        if better {
            self.0 = Some(Tuned { weights: weights.to_vec(), score, round, end: End::Rounds });
        }
        better
    }

    fn best(&self) -> &Tuned {
        self.0.as_ref().expect("the first round is the best of one")
    }

    /// The weights of the best round.
    pub fn weights(&self) -> &[f64] {
        &self.best().weights
    }

    /// Why no round should follow this one, if so.
    pub fn end(&self, round: usize, settings: &Settings) -> Option<End> {
        if round - self.best().round >= settings.patience {
            return Some(End::NoBetter);
        }
        (round >= settings.rounds).then_some(End::Rounds)
    }

    /// The best round as the result.
    pub fn finish(self, end: End) -> Tuned {
        Tuned { end, ..self.0.expect("the first round is the best of one") }
    }
}

/// Why tuning failed.
#[derive(Debug, thiserror::Error)]
pub enum TuneError<E: std::error::Error + 'static> {
    /// The decoder failed.
    #[error("decoding the development set failed")]
    Decoder(#[source] E),
    /// Candidates could not be used.
    #[error(transparent)]
    Tune(#[from] Error),
    /// The state could not be kept.
    #[error(transparent)]
    State(#[from] StateError),
}

/// Tunes the weights of a decoder from `start`. With a `state` each round is kept on disk, and a loop that was
/// interrupted goes on where it was, with the same result.
pub fn tune<D: Decoder>(
    decoder: &mut D,
    objective: &Objective<'_>,
    start: &[f64],
    settings: &Settings,
    state: Option<&State>,
    progress: &mut dyn FnMut(&Round),
) -> Result<Tuned, TuneError<D::Error>> {
    let mut candidates = Candidates::new(decoder.space(), objective);
    let mut weights: Vec<f64> = start.iter().map(|&w| rounded(w)).collect();
    let mut leader = Leader::default();
    let mut number = 0;
    loop {
        number += 1;
        let lists = round_lists(decoder, objective.len(), &weights, number, settings, state)?;
        let score = first_best_score(&lists, objective);
        let new = candidates.add(&lists, objective)?;
        drop(lists);
        let best = leader.offer(&weights, score, number, objective);
        let mut round = Round { number, score, best, new, candidates: candidates.total(), tuned: None };
        let mut end = if new == 0 { Some(End::NothingNew) } else { leader.end(number, settings) };
        if end.is_none() {
            let others = [leader.weights().to_vec()];
            let next = next_weights(&candidates, objective, &weights, &others, number, settings, state)?;
            round.tuned = Some(objective.score(&candidates.sums(&next)));
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

/// The lists of a round: those kept by an earlier run, or new ones.
fn round_lists<D: Decoder>(
    decoder: &mut D,
    sentences: usize,
    weights: &[f64],
    number: usize,
    settings: &Settings,
    state: Option<&State>,
) -> Result<Vec<Vec<Candidate>>, TuneError<D::Error>> {
    if let Some(lists) = state.map(|s| s.lists(number, sentences, decoder.space())).transpose()?.flatten() {
        return Ok(lists);
    }
    let lists = decoder.kbest(weights, settings.nbest).map_err(TuneError::Decoder)?;
    if let Some(state) = state {
        state.keep_lists(number, &lists, decoder.space(), weights)?;
    }
    Ok(lists)
}

/// The weights after a round: those kept by an earlier run, or new ones.
fn next_weights<E: std::error::Error>(
    candidates: &Candidates,
    objective: &Objective<'_>,
    weights: &[f64],
    others: &[Vec<f64>],
    number: usize,
    settings: &Settings,
    state: Option<&State>,
) -> Result<Vec<f64>, TuneError<E>> {
    if let Some(known) = state.map(|s| s.weights(number)).transpose()?.flatten() {
        return Ok(known);
    }
    let method = settings.method.for_round(settings.seed.wrapping_add(number as u64));
    let tuned = method.optimise(candidates, objective, weights, others)?;
    let next: Vec<f64> = tuned.weights.into_iter().map(rounded).collect();
    if let Some(state) = state {
        state.keep_weights(number, &next)?;
    }
    Ok(next)
}

/// Weights are written and used with single precision, so that is what is scored.
pub(crate) fn rounded(weight: f64) -> f64 {
    f64::from(weight as f32)
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let at = |v: &[f64], i: usize| v.get(i).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|i| (at(a, i) - at(b, i)).abs()).sum()
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
