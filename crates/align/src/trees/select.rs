//! Greedy selection of links (Tinsley et al. 2007, section 3): the best pair of nodes is linked, all pairs that go
//! against it are dropped, until none is left.

use super::nodes::Nodes;
use super::score::Scores;
use super::settings::{Kinds, Skip, Span1, TreeAlignSettings};
use crate::links::Link;

/// The two trees between which links are selected.
#[derive(Debug, Clone, Copy)]
pub struct TwoTrees<'a> {
    /// Their nodes.
    pub nodes: [&'a Nodes; 2],
    /// Whether the root of each was added above several tops: such a root is linked to nothing.
    pub added_tops: [bool; 2],
}

impl TwoTrees<'_> {
    fn may_link(&self, source: u32, target: u32, kinds: Kinds) -> bool {
        let [s, t] = self.nodes;
        let added = (source == 0 && self.added_tops[0]) || (target == 0 && self.added_tops[1]);
        !added && (kinds == Kinds::Any || s.word(source).is_some() == t.word(target).is_some())
    }
}

/// A pair of nodes that may be linked.
#[derive(Debug, Clone, Copy)]
struct Hypothesis {
    score: i64,
    source: u32,
    target: u32,
}

/// Selects links, one pair of trees after the other; owns what is needed on the way.
#[derive(Debug, Default)]
pub struct Selector {
    waiting: Vec<Hypothesis>,
    open: Vec<Hypothesis>,
    /// How often each node occurs in the run of equal scores that is looked at, by side.
    shared: [Vec<u32>; 2],
    /// Whether a tie keeps each node from being linked, by side.
    held: [Vec<bool>; 2],
}

impl Selector {
    /// The links between two trees, by source node. Each node is linked once at most, and whatever is below (above) a linked
    /// node is linked only to what is below (above) its partner.
    pub fn select(&mut self, scores: &Scores, trees: TwoTrees<'_>, settings: TreeAlignSettings) -> Vec<Link> {
        let nodes = trees.nodes;
        let may_link = |h: &Hypothesis| trees.may_link(h.source, h.target, settings.kinds);
        let all = scores.hypotheses().map(|(score, source, target)| Hypothesis { score, source, target });
        self.open.clear();
        self.open.extend(all.filter(may_link));
        self.open.sort_unstable_by_key(|h| (std::cmp::Reverse(h.score), h.source, h.target));
        self.waiting.clear();
        let single = |h: &Hypothesis| nodes[0].size(h.source) == 1 && nodes[1].size(h.target) == 1;
        let waits = |h: &Hypothesis| match settings.span1 {
            Span1::Off => false,
            Span1::On => single(h),
            Span1::Likely => single(h) || h.score < scores.whole(),
        };
        self.waiting.extend(self.open.iter().copied().filter(waits));
        self.open.retain(|h| !waits(h));
        for side in [0, 1] {
            self.shared[side].clear();
            self.shared[side].resize(nodes[side].len(), 0);
        }
        let mut links = Vec::new();
        self.take_all(nodes, settings.skip, &mut links);
        std::mem::swap(&mut self.open, &mut self.waiting);
        self.take_all(nodes, settings.skip, &mut links);
        links.sort_unstable();
        links
    }

    /// Takes one open hypothesis after the other.
    fn take_all(&mut self, nodes: [&Nodes; 2], skip: Skip, links: &mut Vec<Link>) {
        while !self.open.is_empty() {
            let best = match skip {
                Skip::None => self.open[0],
                _ => self.best_untied(skip).unwrap_or(self.open[0]),
            };
            let link = Link::new(best.source, best.target);
            let fits = |h: &Hypothesis| well_formed(nodes, link, Link::new(h.source, h.target));
            self.open.retain(fits);
            self.waiting.retain(fits);
            links.push(link);
        }
    }

    /// The best hypothesis that shares no node with another of the same score.
    fn best_untied(&mut self, skip: Skip) -> Option<Hypothesis> {
        for (held, shared) in self.held.iter_mut().zip(&self.shared) {
            held.clear();
            held.resize(shared.len(), false);
        }
        for run in self.open.chunk_by(|a, b| a.score == b.score) {
            if let [h] = run {
                if !self.held[0][h.source as usize] && !self.held[1][h.target as usize] {
                    return Some(*h);
                }
                continue;
            }
            let sides = |h: &Hypothesis| [h.source as usize, h.target as usize];
            for h in run {
                self.shared.iter_mut().zip(sides(h)).for_each(|(shared, node)| shared[node] += 1);
            }
            let tied =
                |h: &Hypothesis| self.shared.iter().zip(sides(h)).any(|(shared, node)| shared[node] > 1);
            let held = |h: &Hypothesis| self.held.iter().zip(sides(h)).any(|(held, node)| held[node]);
            let found = run.iter().copied().find(|h| !tied(h) && !held(h));
            if skip == Skip::Two && found.is_none() {
                let tied: Vec<Hypothesis> = run.iter().copied().filter(tied).collect();
                for h in &tied {
                    self.held.iter_mut().zip(sides(h)).for_each(|(held, node)| held[node] = true);
                }
            }
            for h in run {
                self.shared.iter_mut().zip(sides(h)).for_each(|(shared, node)| shared[node] = 0);
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Whether two links can stand side by side: they share no node, and if a node of one is above (below) a node of the other
/// on one side, so it is on the other side.
pub fn well_formed(nodes: [&Nodes; 2], a: Link, b: Link) -> bool {
    a.src != b.src
        && a.tgt != b.tgt
        && nodes[0].is_above(a.src, b.src) == nodes[1].is_above(a.tgt, b.tgt)
        && nodes[0].is_above(b.src, a.src) == nodes[1].is_above(b.tgt, a.tgt)
}
