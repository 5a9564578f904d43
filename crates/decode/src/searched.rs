//! What a search found: the forest with the states of the stateful features. Hypotheses and the ways to them lie in
//! arenas that are reused from one sentence to the next.

use treeglot_models::Forest;

/// A hypothesis: all ways to build a node that end in the same state.
#[derive(Debug, Clone, Copy)]
pub struct Vertex<S> {
    /// What the stateful features remember.
    pub state: S,
    /// The score of the best way.
    pub score: f32,
    /// The way found last; the others follow by [`Way::next`].
    pub ways: u32,
}

/// One way to a hypothesis: a hyperedge, a rule of its list, and a hypothesis for each tail.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The hyperedge.
    pub edge: u32,
    /// The position of the rule in its list.
    pub rule: u32,
    /// The score with the tails' best ways.
    pub score: f32,
    /// The next way to the same hypothesis; [`NO_WAY`] after the last.
    pub next: u32,
    tails: u32,
}

/// No further way.
pub const NO_WAY: u32 = u32::MAX;

/// The forest with states: what the search found. Reused between sentences.
pub struct Searched<S> {
    vertices: Vec<Vertex<S>>,
    ways: Vec<Way>,
    tails: Vec<u32>,
    goal: Option<u32>,
}

impl<S: Copy> Searched<S> {
    /// Forgets everything, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.vertices.clear();
        self.ways.clear();
        self.tails.clear();
        self.goal = None;
    }

    /// The hypothesis of the whole input, if there is one.
    pub fn goal(&self) -> Option<u32> {
        self.goal
    }

    /// Sets the hypothesis of the whole input.
    pub(crate) fn set_goal(&mut self, goal: Option<u32>) {
        self.goal = goal;
    }

    /// Makes all ways to these hypotheses, best first, ways to one of the whole input.
    pub(crate) fn join_goal(&mut self, hypotheses: &[u32]) {
        self.goal = hypotheses.first().copied();
        let Some((&first, others)) = hypotheses.split_first() else { return };
        for &other in others {
            let way = self.vertices[other as usize].ways;
            self.join(first, way);
        }
    }

    /// Adds a way; its number.
    #[inline]
    pub(crate) fn add_way(
        &mut self,
        candidate: &Candidate<S>,
        rule: u32,
        tails: impl Iterator<Item = u32>,
    ) -> u32 {
        let start = self.tails.len() as u32;
        self.tails.extend(tails);
        let Candidate { edge, score, .. } = *candidate;
        self.ways.push(Way { edge, rule, score, next: NO_WAY, tails: start });
        self.ways.len() as u32 - 1
    }

    /// Adds a hypothesis with its first way; its number.
    pub(crate) fn add_vertex(&mut self, state: S, way: u32) -> u32 {
        self.vertices.push(Vertex { state, score: self.ways[way as usize].score, ways: way });
        self.vertices.len() as u32 - 1
    }

    /// Makes a way one to this hypothesis as well.
    #[inline]
    pub(crate) fn join(&mut self, vertex: u32, way: u32) {
        let vertex = &mut self.vertices[vertex as usize];
        vertex.score = vertex.score.max(self.ways[way as usize].score);
        self.ways[way as usize].next = std::mem::replace(&mut vertex.ways, way);
    }

    /// Puts the hypotheses from `start` on into this order, and drops those that are not named.
    pub(crate) fn reorder(&mut self, start: usize, order: &[u32], buffer: &mut Vec<Vertex<S>>) {
        buffer.clear();
        buffer.extend(order.iter().map(|&at| self.vertices[at as usize]));
        self.vertices.truncate(start);
        self.vertices.extend_from_slice(buffer);
    }

    /// A hypothesis by number.
    #[inline]
    pub fn vertex(&self, vertex: u32) -> &Vertex<S> {
        &self.vertices[vertex as usize]
    }

    /// A way by number.
    pub fn way(&self, way: u32) -> &Way {
        &self.ways[way as usize]
    }

    /// The ways to a hypothesis, by number.
    pub fn ways(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let known = |way: u32| (way != NO_WAY).then_some(way);
        std::iter::successors(known(self.vertex(vertex).ways), move |&way| {
            known(self.ways[way as usize].next)
        })
    }

    /// The hypotheses of a way's tails, in the order of the source side's variables.
    pub fn tails(&self, way: &Way, forest: &Forest) -> &[u32] {
        let arity = forest.tails(&forest.edges()[way.edge as usize]).len();
        &self.tails[way.tails as usize..way.tails as usize + arity]
    }

    /// How many hypotheses and how many ways there are.
    pub fn size(&self) -> (usize, usize) {
        (self.vertices.len(), self.ways.len())
    }
}

impl<S> Default for Searched<S> {
    fn default() -> Self {
        Self { vertices: Vec::new(), ways: Vec::new(), tails: Vec::new(), goal: None }
    }
}

/// A combination that was scored.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<S> {
    /// Its hyperedge.
    pub edge: u32,
    /// Where its coordinates begin: the rule's position, then a rank for each tail.
    pub coordinates: u32,
    /// Its score.
    pub score: f32,
    /// The state of the whole.
    pub state: S,
}

/// Scores as integers of the same order, the earlier of two equals higher.
#[inline]
pub(crate) fn key(score: f32, number: u32) -> u64 {
    let bits = score.to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(!number)
}

/// The score of a key.
#[inline]
pub(crate) fn score_of(key: u64) -> f32 {
    let ordered = (key >> 32) as u32;
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

/// The number of a key.
#[inline]
pub(crate) fn number_of(key: u64) -> u32 {
    !(key as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_score_then_by_number() {
        let scores = [f32::NEG_INFINITY, -1e30, -2.5, -0.0, 0.0, 1e-20, 3.0, f32::INFINITY];
        for pair in scores.windows(2) {
            assert!(key(pair[0], 0) < key(pair[1], 9) && key(pair[0], 3) < key(pair[0], 2));
            assert_eq!((score_of(key(pair[0], 7)), number_of(key(pair[0], 7))), (pair[0], 7));
        }
    }
}
