//! From the probabilities of transitions to trees: the best transition at every step, or the best sequences of a beam.

use super::net::{Net, View};
use super::state::{Actions, State};
use crate::dependency::ScoredTree;
use crate::encoder::{Encoded, Network, Trace};
use crate::linear::best;
use crate::nn::{finite, log_softmax};

/// How trees are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransitionSearch {
    /// Whether arcs may cross.
    pub(crate) swap: bool,
    /// Sequences of transitions kept at a time.
    pub(crate) beam: usize,
}

/// Up to `k` trees of each sentence of a batch, the longest sentence first, by the mean scores of networks.
pub(crate) fn best_trees(
    nets: &[Net],
    batch: &[&Encoded],
    search: TransitionSearch,
    k: usize,
) -> Vec<Vec<ScoredTree>> {
    let traces: Vec<Trace> = nets.iter().map(|net| net.read(batch)).collect();
    let trees = |(sentence, encoded): (usize, &&Encoded)| {
        let mut scorer = Scorer::new(nets, &traces, sentence, search.swap);
        match search.beam.max(k) {
            0 | 1 => vec![scorer.greedy(encoded.words())],
            beam => scorer.beam(encoded.words(), beam, k),
        }
    };
    batch.iter().enumerate().map(trees).collect()
}

/// Scores the configurations of one sentence.
struct Scorer<'a> {
    /// Every network with its roles of the sentence.
    nets: Vec<(&'a Net, &'a [f32])>,
    actions: Actions,
    swap: bool,
    hidden: Vec<f32>,
    logits: Vec<f32>,
    /// The mean log-probability of every transition; those that are not allowed have none.
    scores: Vec<f32>,
}

impl<'a> Scorer<'a> {
    fn new(nets: &'a [Net], traces: &'a [Trace], sentence: usize, swap: bool) -> Self {
        let roles = |(net, trace): (&'a Net, &'a Trace)| {
            (net, &trace.roles[trace.starts[sentence] * net.encoder().columns.all..])
        };
        let labels = nets.first().map_or(0, |net| net.shape.labels);
        let actions = Actions { labels };
        Self {
            nets: nets.iter().zip(traces).map(roles).collect(),
            actions,
            swap,
            hidden: Vec::new(),
            logits: vec![0.0; actions.len()],
            scores: vec![0.0; actions.len()],
        }
    }

    fn score(&mut self, state: &State) {
        let (view, allowed) = (View::new(state), state.allowed(self.swap));
        let share = 1.0 / self.nets.len().max(1) as f32;
        self.scores.fill(0.0);
        for (net, roles) in &self.nets {
            self.hidden.resize(net.shape.units, 0.0);
            net.hidden(roles, &view, &mut self.hidden);
            net.logits(&self.hidden, &mut self.logits);
            self.logits.iter_mut().for_each(|l| *l = finite(*l));
            self.actions.forbid(allowed, &mut self.logits);
            log_softmax(&mut self.logits);
            self.scores.iter_mut().zip(&self.logits).for_each(|(s, l)| *s += share * l);
        }
    }

    /// The tree of the best transition at every step.
    fn greedy(&mut self, words: usize) -> ScoredTree {
        let (mut state, mut score) = (State::new(words), 0.0);
        while !state.is_final() {
            self.score(&state);
            let number = best(&self.scores);
            score += self.scores[number];
            state.apply(self.actions.action(number));
        }
        let (heads, labels) = state.tree();
        (score, heads, labels)
    }

    /// The best trees of a beam, the best first, `k` at most; different sequences for one tree count once.
    fn beam(&mut self, words: usize, size: usize, k: usize) -> Vec<ScoredTree> {
        let mut beam = vec![(State::new(words), 0.0)];
        while beam.iter().any(|(state, _)| !state.is_final()) {
            beam = self.advance(&beam, size);
        }
        let mut trees: Vec<ScoredTree> = Vec::new();
        for (state, score) in beam {
            let (heads, labels) = state.tree();
            if trees.len() < k && !trees.iter().any(|t| t.1 == heads && t.2 == labels) {
                trees.push((score, heads, labels));
            }
        }
        trees
    }

    /// The next beam, the best first; what is finished stays as it is.
    fn advance(&mut self, beam: &[(State, f32)], size: usize) -> Vec<(State, f32)> {
        let mut steps: Vec<(f32, usize, Option<usize>)> = Vec::new();
        for (from, (state, so_far)) in beam.iter().enumerate() {
            if state.is_final() {
                steps.push((*so_far, from, None));
                continue;
            }
            self.score(state);
            let allowed = self.scores.iter().enumerate().filter(|s| s.1.is_finite());
            steps.extend(allowed.map(|(number, score)| (so_far + score, from, Some(number))));
        }
        let best_first = |a: &(f32, usize, Option<usize>), b: &(f32, usize, Option<usize>)| {
            b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
        };
        if steps.len() > size {
            steps.select_nth_unstable_by(size, best_first);
            steps.truncate(size);
        }
        steps.sort_unstable_by(best_first);
        let follow = |&(score, from, number): &(f32, usize, Option<usize>)| {
            let mut state = beam[from].0.clone();
            if let Some(number) = number {
                state.apply(self.actions.action(number));
            }
            (state, score)
        };
        steps.iter().map(follow).collect()
    }
}
