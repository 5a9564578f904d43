//! What a search found: the forest with the states of the stateful features. Hypotheses and the hyperarcs that build them lie in
//! arenas that are reused from one sentence to the next.

use treeglot_tree::hypergraph::{Hypergraph, Ranked, Yield};

/// A hypothesis: all derivations of a node that end in the same state.
#[derive(Debug, Clone, Copy)]
pub struct Vertex<S> {
    /// The score of its best derivation.
    pub score: f32,
    /// What that consists of, and its words.
    pub parts: Parts,
    /// What the stateful features remember.
    pub state: S,
    /// The hyperarc found last; the others follow by [`Hyperarc::next`].
    pub arcs: u32,
}

/// The best derivation of a hypothesis: its score is the sum of both parts.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// The part of the score that rules have by themselves.
    pub rules: f32,
    /// The part that the stateful features have.
    pub stateful: f32,
    /// Its words as the stateful features see them.
    pub words: Yield,
}

/// What builds a hypothesis: a hyperarc of the forest, a rule of its list, and a hypothesis for each tail.
#[derive(Debug, Clone, Copy)]
pub struct Hyperarc {
    /// The hyperarc of the forest.
    pub edge: u32,
    /// The position of the rule in its list.
    pub rule: u32,
    /// The score with the tails' best derivations.
    pub score: f32,
    /// The next hyperarc of the same hypothesis; [`NO_ARC`] after the last.
    pub next: u32,
    tails: u32,
}

/// No further hyperarc.
pub const NO_ARC: u32 = u32::MAX;

/// The forest with states: what the search found. Reused between sentences.
pub struct Searched<S> {
    vertices: Vec<Vertex<S>>,
    arcs: Vec<Hyperarc>,
    tails: Vec<u32>,
    goal: Option<u32>,
}

impl<S: Copy> Searched<S> {
    /// Forgets everything, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.vertices.clear();
        self.arcs.clear();
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

    /// Adds a hyperarc; its number.
    #[inline]
    pub(crate) fn add_arc(
        &mut self,
        edge: u32,
        rule: u32,
        score: f32,
        tails: impl Iterator<Item = u32>,
    ) -> u32 {
        let start = self.tails.len() as u32;
        self.tails.extend(tails);
        self.arcs.push(Hyperarc { edge, rule, score, next: NO_ARC, tails: start });
        self.arcs.len() as u32 - 1
    }

    /// Adds a hypothesis with its first hyperarc; its number.
    pub(crate) fn add_vertex(&mut self, state: S, parts: Parts, arc: u32) -> u32 {
        self.vertices.push(Vertex { score: self.arcs[arc as usize].score, parts, state, arcs: arc });
        self.vertices.len() as u32 - 1
    }

    /// Makes a hyperarc one of this hypothesis as well.
    #[inline]
    pub(crate) fn join(&mut self, vertex: u32, parts: Parts, arc: u32) {
        let vertex = &mut self.vertices[vertex as usize];
        let score = self.arcs[arc as usize].score;
        if score > vertex.score {
            (vertex.score, vertex.parts) = (score, parts);
        }
        self.arcs[arc as usize].next = std::mem::replace(&mut vertex.arcs, arc);
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

    /// A hyperarc by number.
    pub fn arc(&self, arc: u32) -> &Hyperarc {
        &self.arcs[arc as usize]
    }

    /// The hypotheses of a hyperarc's tails, in the order of the source side's variables.
    pub fn tails(&self, arc: u32) -> &[u32] {
        let start = |arc: usize| self.arcs.get(arc).map_or(self.tails.len(), |arc| arc.tails as usize);
        &self.tails[start(arc as usize)..start(arc as usize + 1)]
    }

    /// How many hypotheses and how many hyperarcs there are.
    pub fn size(&self) -> (usize, usize) {
        (self.vertices.len(), self.arcs.len())
    }
}

impl<S: Copy> Hypergraph for Searched<S> {
    fn node_count(&self) -> usize {
        self.vertices.len()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        let known = |arc: u32| (arc != NO_ARC).then_some(arc);
        std::iter::successors(known(self.vertex(node).arcs), move |&arc| known(self.arcs[arc as usize].next))
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        self.tails(arc).iter().copied()
    }
}

impl<S: Copy> Ranked for Searched<S> {
    type Score = f32;

    fn best(&self, arc: u32) -> f32 {
        self.arc(arc).score
    }

    fn best_of(&self, node: u32) -> f32 {
        self.vertex(node).score
    }
}

impl<S> Default for Searched<S> {
    fn default() -> Self {
        Self { vertices: Vec::new(), arcs: Vec::new(), tails: Vec::new(), goal: None }
    }
}

/// A combination that was scored.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// The hyperarc of the forest, by its number among those of the node.
    pub open: u32,
    /// Where its coordinates begin: the rule's position, then a rank for each tail.
    pub coordinates: u32,
    /// The string of words that it makes, by its number among those of the node.
    pub string: u32,
    /// The part of its score that rules have by themselves.
    pub rules: f32,
    /// Its score.
    pub score: f32,
}

/// Scores as integers of the same order, the earlier of two equals higher.
#[inline]
pub(crate) fn key(score: f32, number: u32) -> u64 {
    let bits = score.to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | u64::from(!number)
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
            assert_eq!(number_of(key(pair[0], 7)), 7);
        }
    }
}
