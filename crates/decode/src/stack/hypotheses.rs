//! The hypotheses of one sentence, in arenas. Those with the same future are one vertex; what leads to it is an arc,
//! so that the whole is a hypergraph of which the best path and the k best are read off.

use super::coverage::Coverage;
use super::future::Future;
use super::options::SpanOptions;
use super::reordering::{Last, Orientation};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use treeglot_tree::hypergraph::{Hypergraph, KBest, Ranked};

/// No arc, no vertex.
pub const NONE: u32 = u32::MAX;

/// Hypotheses with the same future.
#[derive(Debug, Clone, Copy)]
pub struct Vertex {
    /// The number of what is covered.
    pub coverage: u32,
    /// The number of the words before.
    pub context: u32,
    /// The span translated last.
    pub last: Last,
    /// The number of what the next phrase owes to the last phrase.
    pub forward: u32,
    /// The score of the best arc.
    pub score: f32,
    /// The estimate for what is not covered.
    pub future: f32,
    /// The best arc.
    pub best: u32,
    /// The arc added last; the others follow by [`Arc::next`].
    pub arcs: u32,
}

impl Vertex {
    /// What vertices of a stack are compared by.
    pub fn rank(&self) -> f32 {
        self.score + self.future
    }
}

/// What leads to a vertex: a vertex before, and the option that went on from there.
#[derive(Debug, Clone, Copy)]
pub struct Arc {
    /// The vertex before; [`NONE`] for the empty hypothesis.
    pub from: u32,
    /// The option.
    pub option: u32,
    /// The score of the best path that ends in this arc.
    pub score: f32,
    /// The next arc of the same vertex; [`NONE`] after the last.
    pub next: u32,
}

/// A span that vertices with one coverage and last span may go on with: all but the option and the words.
#[derive(Debug, Clone, Copy)]
pub struct Expansion {
    /// The span.
    pub span: SpanOptions,
    /// The coverage with it.
    pub coverage: u32,
    /// The span as the last one.
    pub last: Last,
    /// Where it stands to the last span before.
    pub orientation: Orientation,
    /// Which forward scores of its options can still matter.
    kept: usize,
    /// What the jump costs.
    pub jump: f32,
    /// The estimate for what is not covered with it.
    pub future: f32,
}

/// What distortion costs in a search.
#[derive(Debug, Clone, Copy)]
pub struct Distortion {
    /// The weight of a word jumped over.
    pub weight: f32,
    /// Whether jumps that must still come are estimated.
    pub ahead: bool,
}

/// All hypotheses of a sentence; owned by a thread.
#[derive(Default)]
pub struct Hypotheses {
    coverages: Vec<(Coverage, f32)>,
    coverage_numbers: HashTable<u32>,
    vertices: Vec<Vertex>,
    vertex_numbers: HashTable<u32>,
    arcs: Vec<Arc>,
    words: u32,
}

impl Hypotheses {
    /// Forgets the sentence before; the next one has so many words.
    pub fn next_sentence(&mut self, words: u32) {
        self.coverages.clear();
        self.coverage_numbers.clear();
        self.vertices.clear();
        self.vertex_numbers.clear();
        self.arcs.clear();
        self.words = words;
    }

    /// The empty hypothesis.
    pub fn start(&mut self, context: u32, future: &Future) -> u32 {
        let coverage = self.coverage_number(Coverage::default(), future);
        let arc = self.arcs.len() as u32;
        self.arcs.push(Arc { from: NONE, option: NONE, score: 0.0, next: NONE });
        let future = self.coverages[coverage as usize].1;
        let vertex = Vertex {
            coverage,
            context,
            last: Last::default(),
            forward: 0,
            score: 0.0,
            future,
            best: arc,
            arcs: arc,
        };
        self.vertices.push(vertex);
        0
    }

    /// The number of a coverage; new if it is.
    fn coverage_number(&mut self, coverage: Coverage, future: &Future) -> u32 {
        let Self { coverages, coverage_numbers, .. } = self;
        let hash = hash_of(&coverage);
        if let Some(&number) = coverage_numbers.find(hash, |&number| coverages[number as usize].0 == coverage)
        {
            return number;
        }
        let number = coverages.len() as u32;
        coverages.push((coverage, future.of(coverage)));
        coverage_numbers.insert_unique(hash, number, |&number| hash_of(&coverages[number as usize].0));
        number
    }

    /// What is covered under a number.
    pub fn coverage(&self, number: u32) -> Coverage {
        self.coverages[number as usize].0
    }

    /// A vertex.
    pub fn vertex(&self, vertex: u32) -> &Vertex {
        &self.vertices[vertex as usize]
    }

    /// An arc.
    pub fn arc(&self, arc: u32) -> &Arc {
        &self.arcs[arc as usize]
    }

    /// Works out what all options of a span share after a coverage and last span.
    pub fn expansion(
        &mut self,
        coverage: u32,
        last: Last,
        span: SpanOptions,
        future: &Future,
        distortion: Distortion,
    ) -> Expansion {
        let SpanOptions { start, end, .. } = span;
        let with = self.coverage(coverage).with(start, end);
        let number = self.coverage_number(with, future);
        let next = Last::new(start, end, with, self.words);
        let behind = end < self.words && !with.covers(end);
        let ahead = if distortion.ahead { future.jumps(with, end) } else { 0 };
        Expansion {
            span,
            coverage: number,
            last: next,
            orientation: last.orientation(start, end),
            kept: usize::from(behind) | usize::from(next.start.is_some()) << 1,
            jump: -(last.jump(start) as f32) * distortion.weight,
            future: self.coverages[number as usize].1 - ahead as f32 * distortion.weight,
        }
    }

    /// Whether an expansion covers the last words.
    pub fn completes(&self, expansion: &Expansion) -> bool {
        self.coverage(expansion.coverage).gap() == self.words
    }

    /// Adds an arc to a vertex; the vertex, and the rank it had before, if it is not new.
    pub fn add(
        &mut self,
        from: u32,
        expansion: &Expansion,
        (option, forward): (u32, [u32; 4]),
        context: u32,
        score: f32,
    ) -> (u32, Option<f32>) {
        let complete = self.completes(expansion);
        let (context, forward) = match complete {
            true => (0, 0),
            false => (context, forward[expansion.kept]),
        };
        let key = (expansion.coverage, context, expansion.last, forward);
        let arc = self.arcs.len() as u32;
        let Self { vertices, vertex_numbers, .. } = self;
        let found = vertex_numbers.find(hash_of(&key), |&number| key_of(&vertices[number as usize]) == key);
        let Some(&number) = found else {
            let number = vertices.len() as u32;
            let (coverage, last) = (expansion.coverage, expansion.last);
            let future = expansion.future;
            vertices.push(Vertex { coverage, context, last, forward, score, future, best: arc, arcs: arc });
            vertex_numbers
                .insert_unique(hash_of(&key), number, |&number| hash_of(&key_of(&vertices[number as usize])));
            self.arcs.push(Arc { from, option, score, next: NONE });
            return (number, None);
        };
        let vertex = &mut vertices[number as usize];
        let before = vertex.rank();
        self.arcs.push(Arc { from, option, score, next: vertex.arcs });
        vertex.arcs = arc;
        if score > vertex.score {
            vertex.score = score;
            vertex.best = arc;
        }
        (number, Some(before))
    }

    /// The arcs on the best path to a vertex, in target order.
    pub fn best_path(&self, vertex: u32, out: &mut Vec<u32>) {
        out.clear();
        let mut arc = self.vertex(vertex).best;
        while self.arc(arc).from != NONE {
            out.push(arc);
            arc = self.vertex(self.arc(arc).from).best;
        }
        out.reverse();
    }
}

/// The arcs on the path of this rank (from 0) to a vertex, in target order, and its score; `None` past the last.
pub fn path(
    best: &mut KBest<'_, &Hypotheses>,
    hypotheses: &Hypotheses,
    vertex: u32,
    rank: u32,
) -> Option<(Vec<u32>, f64)> {
    let score = best.get(vertex, rank)?.score;
    let (mut arcs, mut at) = (Vec::new(), (vertex, rank));
    while let Some(derived) = best.get(at.0, at.1) {
        let arc = hypotheses.arc(derived.arc);
        if arc.from == NONE {
            break;
        }
        arcs.push(derived.arc);
        at = (arc.from, derived.ranks[0]);
    }
    arcs.reverse();
    Some((arcs, score))
}

impl Hypergraph for Hypotheses {
    fn node_count(&self) -> usize {
        self.vertices.len()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        let first = Some(self.vertices[node as usize].arcs).filter(|&arc| arc != NONE);
        std::iter::successors(first, |&arc| Some(self.arcs[arc as usize].next).filter(|&next| next != NONE))
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        Some(self.arc(arc).from).filter(|&from| from != NONE).into_iter()
    }
}

impl Ranked for Hypotheses {
    type Score = f64;

    fn best(&self, arc: u32) -> f64 {
        f64::from(self.arc(arc).score)
    }

    fn best_of(&self, node: u32) -> f64 {
        f64::from(self.vertex(node).score)
    }
}

fn key_of(vertex: &Vertex) -> (u32, u32, Last, u32) {
    (vertex.coverage, vertex.context, vertex.last, vertex.forward)
}

fn hash_of(key: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
