//! The upper envelope of all derivations of a forest, bottom up (Kumar et al. 2009, section 4): a hyperarc adds the
//! envelopes of its tails, a node takes the highest of its hyperarcs.

use crate::line_search::envelope::{Hull, Piece};
use treeglot_decode::{TargetItem, TranslationForest};
use treeglot_tree::hypergraph::Hypergraph;

/// A derivation that wins somewhere: its arc, and the lines of its tails.
struct Line {
    intercept: f64,
    slope: f64,
    /// Where this line begins to win; it ends where the next of its node begins.
    from: f64,
    arc: u32,
    tails: u32,
}

/// The envelopes of all nodes of a forest along a line of weights. Buffers are used again for the next forest.
#[derive(Default)]
pub struct Envelopes {
    lines: Vec<Line>,
    /// For each node, where its lines begin; the last entry is their end.
    starts: Vec<u32>,
    tails: Vec<u32>,
    drafts: Vec<Line>,
    intercepts: Vec<f64>,
    slopes: Vec<f64>,
    hull: Hull,
    pieces: Vec<Piece>,
    at: Vec<u32>,
}

impl Envelopes {
    /// Works out the envelopes of all nodes along `weights + step * direction`.
    pub fn fill(&mut self, forest: &TranslationForest, weights: &[f64], direction: &[f64]) {
        self.lines.clear();
        self.tails.clear();
        self.starts.clear();
        self.starts.push(0);
        for node in 0..forest.node_count() as u32 {
            self.drafts.clear();
            for arc in forest.arcs(node) {
                self.add_arc(forest, arc, forest.score(arc, weights), forest.score(arc, direction));
            }
            self.keep_highest();
            self.starts.push(self.lines.len() as u32);
        }
    }

    /// Drafts the sum of a hyperarc's tails: one line wherever all tails' winners stay the same.
    fn add_arc(&mut self, forest: &TranslationForest, arc: u32, intercept: f64, slope: f64) {
        let tails = forest.tail_nodes(arc);
        let start = |node: u32| self.starts[node as usize];
        let end = |node: u32| self.starts[node as usize + 1];
        if tails.iter().any(|&tail| start(tail) == end(tail)) {
            return;
        }
        self.at.clear();
        self.at.extend(tails.iter().map(|&tail| start(tail)));
        loop {
            let mut line = Line { intercept, slope, from: 0.0, arc, tails: self.tails.len() as u32 };
            for &tail_line in &self.at {
                line.intercept += self.lines[tail_line as usize].intercept;
                line.slope += self.lines[tail_line as usize].slope;
            }
            self.tails.extend_from_slice(&self.at);
            self.drafts.push(line);
            let next = |&(tail, &at): &(usize, &u32)| at + 1 < end(tails[tail]);
            let from = |(_, &at): (usize, &u32)| self.lines[at as usize + 1].from;
            let Some(change) = self.at.iter().enumerate().filter(next).map(from).min_by(f64::total_cmp)
            else {
                return;
            };
            for (tail, at) in self.at.iter_mut().enumerate() {
                if *at + 1 < end(tails[tail]) && self.lines[*at as usize + 1].from <= change {
                    *at += 1;
                }
            }
        }
    }

    fn keep_highest(&mut self) {
        if self.drafts.is_empty() {
            return;
        }
        self.intercepts.clear();
        self.intercepts.extend(self.drafts.iter().map(|line| line.intercept));
        self.slopes.clear();
        self.slopes.extend(self.drafts.iter().map(|line| line.slope));
        self.hull.upper(&self.intercepts, &self.slopes, &mut self.pieces);
        for piece in &self.pieces {
            let Line { intercept, slope, arc, tails, .. } = self.drafts[piece.line as usize];
            self.lines.push(Line { intercept, slope, from: piece.from, arc, tails });
        }
    }

    /// Calls `take` with the words of each derivation of the goal that wins, and where it begins to.
    pub fn for_each_winner(&self, forest: &TranslationForest, mut take: impl FnMut(f64, &[u32])) {
        let [.., start, end] = self.starts[..] else { return };
        let mut words = Vec::new();
        for line in start..end {
            words.clear();
            self.write_words(forest, line, &mut words);
            take(self.lines[line as usize].from, &words);
        }
    }

    fn write_words(&self, forest: &TranslationForest, line: u32, words: &mut Vec<u32>) {
        let mut open = vec![(line, 0)];
        while let Some((line, item)) = open.pop() {
            let Line { arc, tails, .. } = self.lines[line as usize];
            let Some(&next) = forest.items(arc).get(item) else { continue };
            open.push((line, item + 1));
            match next {
                TargetItem::Word(word) => words.push(word),
                TargetItem::Tail(tail) => open.push((self.tails[(tails + tail) as usize], 0)),
            }
        }
    }
}
