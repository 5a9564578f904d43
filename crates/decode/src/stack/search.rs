//! Stack search: hypotheses that cover as many source words are compared by score and future cost, and only the best go
//! on.
//!
//! Where a stack's hypotheses come from is up to the kind of search: plain search makes every one that the stacks before
//! lead to, cube pruning the most promising ones (see [`super::cube`]).

use super::context::Context;
use super::coverage::{Coverage, WINDOW};
use super::cube::{Grid, Queue};
use super::future::Future;
use super::hypotheses::{Distortion, Expansion, Hypotheses};
use super::options::{Options, SpanOptions};
use super::phrases::Phrases;
use super::reordering::{Last, allowed, keeps_bounds};
use crate::deadline::Deadline;
use crate::settings::Limits;
use std::ops::Range;
use treeglot_models::Guidance;

/// Vertices of one stack with one coverage and last span: a range of its members.
struct Group {
    members: Range<u32>,
    coverage: u32,
    last: Last,
}

/// What the words before make of a phrase.
#[derive(Debug, Clone, Copy)]
pub struct Spoken {
    /// What its score changes by.
    pub change: f32,
    /// The context after it.
    pub context: u32,
}

/// The stacks of one sentence; owned by a thread.
#[derive(Default)]
pub struct Stacks {
    /// The vertices of each stack.
    stacks: Vec<Vec<u32>>,
    /// The grids that lead to each stack.
    pub(super) grids: Vec<Vec<Grid>>,
    /// The best rank of each stack so far, and the rank below which vertices are dropped.
    bests: Vec<f32>,
    floors: Vec<f32>,
    /// The vertices of all groups.
    pub(super) members: Vec<u32>,
    groups: Vec<Group>,
    pub(super) queue: Queue,
    ranks: Vec<f32>,
}

/// A search through one sentence.
pub struct Search<'a, C> {
    /// The options.
    pub options: &'a Options,
    /// Their phrases.
    pub phrases: &'a Phrases,
    /// The future costs.
    pub future: &'a Future,
    /// Zones and walls.
    pub guidance: &'a Guidance,
    /// What jumps cost.
    pub distortion: Distortion,
    /// The words before.
    pub context: &'a mut C,
    /// How much is looked at; no limit on hypotheses made is plain search, which makes all.
    pub limits: Limits,
    /// Until when.
    pub deadline: Deadline,
    /// Where the result goes.
    pub hypotheses: &'a mut Hypotheses,
    /// Buffers.
    pub stacks: &'a mut Stacks,
}

impl<C: Context> Search<'_, C> {
    /// Searches; the vertex where all complete hypotheses meet, if there are any and the deadline has not passed before.
    pub fn run(mut self) -> Option<u32> {
        let words = self.options.words() as usize;
        self.stacks.clear(words);
        let begin = self.context.begin();
        let start = self.hypotheses.start(begin, self.future);
        self.stacks.stacks[0].push(start);
        for stack in 0..words {
            if stack > 0
                && let Some(pops) = self.limits.pops
            {
                self.pop(stack, pops);
            }
            self.prune(stack);
            self.group(stack);
            self.expand(stack);
            if self.deadline.passed() {
                return None;
            }
        }
        if let Some(pops) = self.limits.pops
            && words > 0
        {
            self.pop(words, pops);
        }
        self.stacks.stacks[words].first().copied()
    }

    /// Drops the vertices of a stack that are far behind the best, and those past its size.
    fn prune(&mut self, stack: usize) {
        let floor = self.stacks.bests[stack] - self.limits.threshold;
        let Stacks { stacks, ranks, .. } = &mut *self.stacks;
        let vertices = &mut stacks[stack];
        let hypotheses = &*self.hypotheses;
        let rank = |vertex: u32| hypotheses.vertex(vertex).rank();
        vertices.retain(|&vertex| rank(vertex) >= floor);
        let size = self.limits.beam;
        if size == 0 || vertices.len() <= size {
            return;
        }
        ranks.clear();
        ranks.extend(vertices.iter().map(|&vertex| rank(vertex)));
        let (_, &mut worst, _) = ranks.select_nth_unstable_by(size - 1, |a, b| b.total_cmp(a));
        vertices.retain(|&vertex| rank(vertex) >= worst);
        vertices.truncate(size);
    }

    /// Sorts the vertices of a stack into groups, each with its best vertex first.
    fn group(&mut self, stack: usize) {
        let hypotheses = &*self.hypotheses;
        let Stacks { stacks, members, groups, .. } = &mut *self.stacks;
        let key = |&vertex: &u32| (hypotheses.vertex(vertex).coverage, hypotheses.vertex(vertex).last);
        let vertices = &mut stacks[stack];
        vertices.sort_unstable_by(|a, b| {
            let score = |&vertex: &u32| hypotheses.vertex(vertex).score;
            key(a).cmp(&key(b)).then(score(b).total_cmp(&score(a))).then(a.cmp(b))
        });
        groups.clear();
        for run in vertices.chunk_by(|a, b| key(a) == key(b)) {
            let start = members.len() as u32;
            members.extend_from_slice(run);
            let (coverage, last) = key(&run[0]);
            groups.push(Group { members: start..members.len() as u32, coverage, last });
        }
    }

    /// Lays out the grids that lead on from a stack, or makes all their cells hypotheses in plain search.
    fn expand(&mut self, stack: usize) {
        let groups = std::mem::take(&mut self.stacks.groups);
        for group in &groups {
            if self.deadline.passed() {
                break;
            }
            let coverage = self.hypotheses.coverage(group.coverage);
            for start in self.starts(coverage) {
                for &span in self.options.from(start) {
                    if !coverage.is_free(start, span.end) {
                        break;
                    }
                    if !allowed(coverage, group.last, start, span.end, self.limits.distortion) {
                        continue;
                    }
                    if !keeps_bounds(self.guidance, coverage, start, span.end) {
                        continue;
                    }
                    self.lead(stack, group, span);
                }
            }
        }
        self.stacks.groups = groups;
    }

    /// Where the next span may begin, as far as the coverage tells.
    fn starts(&self, coverage: Coverage) -> Range<u32> {
        let reach = self.limits.distortion.unwrap_or(WINDOW).clamp(1, WINDOW);
        coverage.gap()..(coverage.gap() + reach).min(self.options.words())
    }

    fn lead(&mut self, stack: usize, group: &Group, span: SpanOptions) {
        let expansion =
            self.hypotheses.expansion(group.coverage, group.last, span, self.future, self.distortion);
        let target = stack + (span.end - span.start) as usize;
        let members = group.members.clone();
        if self.limits.pops.is_some() {
            self.stacks.grids[target].push(Grid { members, expansion });
            return;
        }
        for member in members {
            for option in span.options() {
                let vertex = self.stacks.members[member as usize];
                let Some(spoken) = self.speak(vertex, option) else { continue };
                self.take(target, vertex, &expansion, option, spoken);
            }
        }
    }

    /// Looks up the words of an option behind those of a vertex; `None` if they must not stand there.
    pub(super) fn speak(&mut self, vertex: u32, option: u32) -> Option<Spoken> {
        let phrase = self.options.get(option).phrase;
        let from = self.hypotheses.vertex(vertex).context;
        let (change, context) = self.context.extend(from, phrase, option)?;
        Some(Spoken { change, context })
    }

    /// The score of a vertex that goes on with an option, but for the words before.
    #[inline]
    pub(super) fn score(&self, vertex: u32, expansion: &Expansion, option: u32) -> f32 {
        let vertex = self.hypotheses.vertex(vertex);
        let option = self.options.get(option);
        let orientation = expansion.orientation as usize;
        vertex.score
            + self.phrases.forward(vertex.forward)[orientation]
            + expansion.jump
            + option.score
            + option.backward[orientation]
    }

    /// Makes a vertex with an option a hypothesis, if it is not too far behind.
    pub(super) fn take(
        &mut self,
        stack: usize,
        vertex: u32,
        expansion: &Expansion,
        option: u32,
        spoken: Spoken,
    ) {
        let mut score = self.score(vertex, expansion, option) + spoken.change;
        if self.hypotheses.completes(expansion) {
            let Some(end) = self.context.finish(spoken.context) else { return };
            score += end;
        }
        let rank = score + expansion.future;
        let best = &mut self.stacks.bests[stack];
        if rank < (*best - self.limits.threshold).max(self.stacks.floors[stack]) {
            return;
        }
        *best = best.max(rank);
        let forward = self.options.get(option).forward;
        let (vertex, before) =
            self.hypotheses.add(vertex, expansion, (option, forward), spoken.context, score);
        if before.is_none_or(|rank| rank < self.stacks.floors[stack]) {
            self.stacks.stacks[stack].push(vertex);
            self.raise_floor(stack);
        }
    }

    /// Once a stack is twice as full as it may be, what is behind its better half is not worth adding.
    fn raise_floor(&mut self, stack: usize) {
        let size = self.limits.beam;
        let Stacks { stacks, ranks, floors, .. } = &mut *self.stacks;
        if size == 0 || stacks[stack].len() < 2 * size {
            return;
        }
        let rank = |&vertex: &u32| self.hypotheses.vertex(vertex).rank();
        ranks.clear();
        ranks.extend(stacks[stack].iter().map(rank));
        let (_, &mut worst, _) = ranks.select_nth_unstable_by(size - 1, |a, b| b.total_cmp(a));
        floors[stack] = worst;
        stacks[stack].retain(|vertex| rank(vertex) >= worst);
    }
}

impl Stacks {
    fn clear(&mut self, words: usize) {
        self.stacks.iter_mut().for_each(Vec::clear);
        self.stacks.resize_with(words + 1, Vec::new);
        self.grids.iter_mut().for_each(Vec::clear);
        self.grids.resize_with(words + 1, Vec::new);
        self.bests.clear();
        self.bests.resize(words + 1, f32::NEG_INFINITY);
        self.floors.clear();
        self.floors.resize(words + 1, f32::NEG_INFINITY);
        self.members.clear();
    }
}
