//! Training the transition parser: a structured perceptron over whole sequences, moved at the step where the beam is
//! furthest ahead of the right sequence (max-violation, Huang, Fayong and Guo 2012).

use super::Input;
use super::beam::{Item, TransitionBuffers, advance, history};
use super::features::features;
use super::oracle::oracle;
use super::state::{Action, Actions, State};
use crate::graph::Gold;
use crate::linear::{Feature, Linear, Perceptron};
use crate::rng::Rng;
use treeglot_text::interrupt;

/// How to train.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransitionRounds {
    pub(crate) rounds: usize,
    pub(crate) beam: usize,
    pub(crate) swap: bool,
    pub(crate) seed: u64,
}

/// Trains on sentences with their gold trees; those without a sequence of transitions are passed over. `after` hears of
/// every round: its number, the share of sentences that needed a correction, and what was learnt so far.
pub(crate) fn train(
    sentences: &[(Input<'_>, Gold)],
    actions: Actions,
    settings: TransitionRounds,
    mut after: impl FnMut(usize, f32, &Perceptron),
) -> Linear {
    let right = |s: &(Input<'_>, Gold)| oracle(&s.1.heads, &s.1.labels, settings.swap);
    let sequences: Vec<Option<Vec<Action>>> = sentences.iter().map(right).collect();
    let mut order: Vec<usize> = (0..sentences.len()).filter(|&s| sequences[s].is_some()).collect();
    let mut learner =
        Learner { perceptron: Perceptron::default(), actions, settings, buffers: <_>::default() };
    let mut rng = Rng::new(settings.seed);
    for round in 0..settings.rounds {
        rng.shuffle(&mut order);
        let mut corrected = 0;
        for &s in &order {
            interrupt::check();
            let gold = sequences[s].as_ref().expect("only sentences with a sequence are in the order");
            corrected += usize::from(learner.learn(&sentences[s].0, gold));
        }
        after(round + 1, corrected as f32 / order.len().max(1) as f32, &learner.perceptron);
    }
    learner.perceptron.freeze(actions.len())
}

struct Learner {
    perceptron: Perceptron,
    actions: Actions,
    settings: TransitionRounds,
    buffers: TransitionBuffers,
}

impl Learner {
    /// Parses a sentence and corrects the weights if the right sequence is not the best; whether it did.
    fn learn(&mut self, input: &Input<'_>, gold: &[Action]) -> bool {
        let Self { perceptron, actions, settings, buffers } = self;
        let words = input.context.len();
        let mut beam = vec![Item { state: State::new(words), score: 0.0, last: 0 }];
        let (mut right, mut right_score) = (State::new(words), 0.0);
        buffers.arena.clear();
        buffers.arena.push((0, 0));
        let (mut worst, mut prefix) = (0.0f32, None);
        for (step, &action) in gold.iter().enumerate() {
            features(input, &right, &mut buffers.features);
            right_score += score_of(perceptron, *actions, action, buffers);
            right.apply(action);
            let shape = (*actions, settings.swap, settings.beam);
            beam = advance(&beam, input, shape, |f, s| perceptron.score(f, s), buffers);
            let violation = beam[0].score - right_score;
            let wrong = || history(&buffers.arena, beam[0].last, *actions) != gold[..=step];
            if violation >= worst && (violation > worst || prefix.is_none()) && wrong() {
                worst = violation;
                prefix = Some((step + 1, beam[0].last));
            }
        }
        perceptron.tick();
        let Some((length, last)) = prefix else { return false };
        let guess = history(&buffers.arena, last, *actions);
        self.walk(input, &gold[..length], 1.0);
        self.walk(input, &guess, -1.0);
        true
    }

    /// Adds `amount` to the weights of every transition of a sequence.
    fn walk(&mut self, input: &Input<'_>, sequence: &[Action], amount: f32) {
        let mut state = State::new(input.context.len());
        for &action in sequence {
            features(input, &state, &mut self.buffers.features);
            self.perceptron.add(&self.buffers.features, self.actions.number(action), amount);
            state.apply(action);
        }
    }
}

fn score_of(
    perceptron: &Perceptron,
    actions: Actions,
    action: Action,
    buffers: &mut TransitionBuffers,
) -> f32 {
    let features: &[Feature] = &buffers.features;
    buffers.scores.clear();
    buffers.scores.resize(actions.len(), 0.0);
    perceptron.score(features, &mut buffers.scores);
    buffers.scores[actions.number(action)]
}
