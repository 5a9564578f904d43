//! The best part of what a search found, as a forest of its own: tuning over forests (Kumar et al. 2009) reads it.
//!
//! A way is as good as the best derivation that uses it (its score and the best that can be made of it outside). All ways of
//! that derivation are at least as good, so what is left by a limit on ways hangs together.

use crate::chart::ChartWorker;
use crate::searched::Searched;
use crate::stateful::Stateful;
use crate::write::Writer;
use std::ops::Range;
use treeglot_grammar::{Kind, Symbol};
use treeglot_models::Forest;
use treeglot_text::vocab::Vocab;

/// A pruned forest with the features of its ways: nodes in an order in which tails come before heads, the goal last.
#[derive(Default)]
pub struct PrunedForest {
    /// The words of the sentence's translations.
    pub words: Vocab,
    /// For each node the ways to it.
    pub nodes: Vec<Range<u32>>,
    /// All ways.
    pub ways: Vec<PrunedWay>,
}

/// A way to a node of a pruned forest.
#[derive(Debug, Clone, PartialEq)]
pub struct PrunedWay {
    /// The nodes it is built from.
    pub tails: Box<[u32]>,
    /// Its words, by their number in the forest's, and its tails, by their place.
    pub target: Box<[PrunedItem]>,
    /// The values of its own features, by position.
    pub features: Box<[f32]>,
}

/// A piece of the target side of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrunedItem {
    /// A word.
    Word(u32),
    /// What a tail stands for.
    Tail(u8),
}

/// For each hypothesis the most that a derivation scores outside it; minus infinity where it is in none.
fn outside<S: Copy>(found: &Searched<S>, forest: &Forest, goal: u32) -> Vec<f32> {
    let mut outside = vec![f32::NEG_INFINITY; goal as usize + 1];
    outside[goal as usize] = 0.0;
    for vertex in (0..=goal).rev().filter(|&vertex| found.size().0 > vertex as usize) {
        let around = outside[vertex as usize];
        if around == f32::NEG_INFINITY {
            continue;
        }
        for way in found.ways(vertex).map(|way| found.way(way)) {
            for &tail in found.tails(way, forest) {
                let score = around + way.score - found.vertex(tail).score;
                outside[tail as usize] = outside[tail as usize].max(score);
            }
        }
    }
    outside
}

impl<F: Stateful> ChartWorker<'_, F> {
    /// About so many of the best ways of the search that was done last; all that score as much as the last of them.
    /// Hypotheses must be numbered with tails before heads, as cube pruning does.
    pub fn pruned(&self, ways: usize) -> PrunedForest {
        let mut pruned = PrunedForest::default();
        let (found, forest) = (&self.found, self.forest());
        let Some(goal) = found.goal() else { return pruned };
        let outside = outside(found, forest, goal);
        let total = |vertex: u32, way: u32| outside[vertex as usize] + found.way(way).score;
        let reached = || (0..=goal).filter(|&vertex| outside[vertex as usize] > f32::NEG_INFINITY);
        let mut totals: Vec<f32> =
            reached().flat_map(|vertex| found.ways(vertex).map(move |way| total(vertex, way))).collect();
        let least = match totals.len().checked_sub(ways.max(1)) {
            None | Some(0) => f32::NEG_INFINITY,
            Some(dropped) => *totals.select_nth_unstable_by(dropped, f32::total_cmp).1,
        };
        // Sums made in another order may differ in their last digits; a way of the best derivation must not be lost.
        let least = least.min(found.vertex(goal).score) - 1e-4 * (1.0 + least.abs());
        let mut numbers = vec![u32::MAX; goal as usize + 1];
        let mut writer = Writer::new(self);
        for vertex in reached() {
            let start = pruned.ways.len() as u32;
            for way in found.ways(vertex).filter(|&way| total(vertex, way) >= least) {
                pruned.ways.extend(self.pruned_way(way, &numbers, &mut writer, &mut pruned.words));
            }
            let end = pruned.ways.len() as u32;
            if end > start {
                numbers[vertex as usize] = pruned.nodes.len() as u32;
                pruned.nodes.push(start..end);
            }
        }
        pruned
    }

    /// A way with its tails by number; `None` if a tail was left out.
    fn pruned_way(
        &self,
        way: u32,
        numbers: &[u32],
        writer: &mut Writer<'_, '_, F>,
        words: &mut Vocab,
    ) -> Option<PrunedWay> {
        let way = self.found.way(way);
        let tails = self.found.tails(way, self.forest()).iter();
        let tails: Box<[u32]> = tails.map(|&tail| numbers[tail as usize]).collect();
        if tails.contains(&u32::MAX) {
            return None;
        }
        let (target, features) = writer.way(way);
        let item = |symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => Some(PrunedItem::Word(words.intern(self.lexicon().text(word)).0)),
            Kind::Ref(k) => Some(PrunedItem::Tail(k)),
            _ => None,
        };
        Some(PrunedWay { tails, target: target.iter().filter_map(item).collect(), features: features.into() })
    }
}
