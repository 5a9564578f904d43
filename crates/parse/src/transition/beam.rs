//! Beam search over sequences of transitions.

use super::Input;
use super::features::features;
use super::state::{Action, Actions, State};
use crate::linear::{Feature, Linear};

/// One sequence of transitions.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) state: State,
    pub(super) score: f32,
    /// The last transition in the arena of all; 0 for none.
    pub(super) last: usize,
}

/// A step from an item of the beam.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    from: usize,
    /// `None` leaves a finished item as it is.
    action: Option<usize>,
    pub(super) score: f32,
}

/// The buffers of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransitionBuffers {
    pub(super) features: Vec<Feature>,
    pub(super) scores: Vec<f32>,
    steps: Vec<Step>,
    /// Transitions and their predecessors; the first stands for none.
    pub(super) arena: Vec<(usize, usize)>,
}

/// A parser for use.
pub(crate) struct BeamParser<'a> {
    pub(crate) linear: &'a Linear,
    pub(crate) actions: Actions,
    pub(crate) swap: bool,
    pub(crate) beam: usize,
}

/// A tree with its score: heads from 1, labels.
pub(crate) type ScoredTree = (f32, Vec<u32>, Vec<u16>);

impl BeamParser<'_> {
    /// The best trees of the beam, the best first, `most` at most; different sequences for one tree count once.
    pub(crate) fn parse(
        &self,
        input: &Input<'_>,
        most: usize,
        buffers: &mut TransitionBuffers,
    ) -> Vec<ScoredTree> {
        let words = input.context.len();
        let mut beam = vec![Item { state: State::new(words), score: 0.0, last: 0 }];
        buffers.arena.clear();
        buffers.arena.push((0, 0));
        let score = |features: &[Feature], scores: &mut [f32]| self.linear.score(features, scores);
        while beam.iter().any(|item| !item.state.is_final()) {
            beam = advance(&beam, input, (self.actions, self.swap, self.beam), score, buffers);
        }
        let mut trees: Vec<ScoredTree> = Vec::new();
        for item in beam {
            let (heads, labels) = item.state.tree();
            if trees.len() < most && !trees.iter().any(|t| t.1 == heads && t.2 == labels) {
                trees.push((item.score, heads, labels));
            }
        }
        trees
    }
}

/// The next beam, the best first.
pub(super) fn advance(
    beam: &[Item],
    input: &Input<'_>,
    (actions, swap, size): (Actions, bool, usize),
    score: impl Fn(&[Feature], &mut [f32]),
    buffers: &mut TransitionBuffers,
) -> Vec<Item> {
    buffers.steps.clear();
    for (from, item) in beam.iter().enumerate() {
        if item.state.is_final() {
            buffers.steps.push(Step { from, action: None, score: item.score });
            continue;
        }
        features(input, &item.state, &mut buffers.features);
        buffers.scores.clear();
        buffers.scores.resize(actions.len(), 0.0);
        score(&buffers.features, &mut buffers.scores);
        let allowed = item.state.allowed(swap);
        let mut offer = |number: usize| {
            let score = item.score + buffers.scores[number];
            keep(&mut buffers.steps, Step { from, action: Some(number), score }, size);
        };
        if allowed[0] {
            offer(0);
        }
        if allowed[1] {
            offer(1);
        }
        if allowed[2] {
            (2..2 + actions.labels).for_each(&mut offer);
        }
        if allowed[3] {
            (2 + actions.labels..actions.len()).for_each(&mut offer);
        }
    }
    let mut steps = std::mem::take(&mut buffers.steps);
    steps.sort_by(|a, b| b.score.total_cmp(&a.score));
    steps.truncate(size);
    let next = steps.iter().map(|step| follow(beam, step, actions, &mut buffers.arena)).collect();
    buffers.steps = steps;
    next
}

/// Keeps about the `size` best steps: when there are twice as many, the worse half goes.
fn keep(steps: &mut Vec<Step>, step: Step, size: usize) {
    steps.push(step);
    if steps.len() >= 4 * size + 8 {
        steps.sort_by(|a, b| b.score.total_cmp(&a.score));
        steps.truncate(size);
    }
}

fn follow(beam: &[Item], step: &Step, actions: Actions, arena: &mut Vec<(usize, usize)>) -> Item {
    let mut item = beam[step.from].clone();
    item.score = step.score;
    if let Some(number) = step.action {
        item.state.apply(actions.action(number));
        arena.push((number, item.last));
        item.last = arena.len() - 1;
    }
    item
}

/// The transitions of an item, first to last.
pub(super) fn history(arena: &[(usize, usize)], mut last: usize, actions: Actions) -> Vec<Action> {
    let mut history = Vec::new();
    while last != 0 {
        history.push(actions.action(arena[last].0));
        last = arena[last].1;
    }
    history.reverse();
    history
}
