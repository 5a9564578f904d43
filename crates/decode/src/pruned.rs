//! The best part of what a search found, as a forest of its own: tuning over forests (Kumar et al. 2009) reads it.
//!
//! A hyperarc is as good as the best derivation that uses it: its max-marginal. All hyperarcs of that derivation are at least as
//! good, so what is left by a limit on hyperarcs hangs together.

use crate::chart::ChartWorker;
use crate::features::Stateful;
use crate::write::Writer;
use std::ops::Range;
use treeglot_grammar::{Kind, Symbol};
use treeglot_text::vocab::Vocab;
use treeglot_tree::hypergraph::{Hypergraph, max_outside};

/// A pruned forest with the features of its hyperarcs: nodes in an order in which tails come before heads, the goal last.
#[derive(Default)]
pub struct PrunedForest {
    /// The words of the sentence's translations.
    pub words: Vocab,
    /// For each node its hyperarcs.
    pub nodes: Vec<Range<u32>>,
    /// All hyperarcs.
    pub arcs: Vec<PrunedArc>,
}

/// A hyperarc of a pruned forest.
#[derive(Debug, Clone, PartialEq)]
pub struct PrunedArc {
    /// The nodes it is built from.
    pub tails: Box<[u32]>,
    /// Its words, by their number in the forest's, and its tails, by their place.
    pub target: Box<[PrunedItem]>,
    /// The values of its own features, by position.
    pub features: Box<[f32]>,
}

/// A piece of the target side of a hyperarc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrunedItem {
    /// A word.
    Word(u32),
    /// What a tail stands for.
    Tail(u8),
}

impl<F: Stateful> ChartWorker<'_, F> {
    /// About so many of the best hyperarcs of the search that was done last; all that score as much as the last of them.
    pub fn pruned(&self, arcs: usize) -> PrunedForest {
        let mut pruned = PrunedForest::default();
        let found = &self.found;
        let Some(goal) = found.goal() else { return pruned };
        let outside = max_outside(found, goal, 0.0);
        let total = |vertex: u32, arc: u32| outside[vertex as usize] + found.arc(arc).score;
        let reached = || (0..=goal).filter(|&vertex| outside[vertex as usize] > f32::NEG_INFINITY);
        let mut totals: Vec<f32> =
            reached().flat_map(|vertex| found.arcs(vertex).map(move |arc| total(vertex, arc))).collect();
        let least = match totals.len().checked_sub(arcs.max(1)) {
            None | Some(0) => f32::NEG_INFINITY,
            Some(dropped) => *totals.select_nth_unstable_by(dropped, f32::total_cmp).1,
        };
        // Sums made in another order may differ in their last digits; a hyperarc of the best derivation must not be lost.
        let least = least.min(found.vertex(goal).score) - 1e-4 * (1.0 + least.abs());
        let mut numbers = vec![u32::MAX; goal as usize + 1];
        let mut writer = Writer::new(self);
        for vertex in reached() {
            let start = pruned.arcs.len() as u32;
            for arc in found.arcs(vertex).filter(|&arc| total(vertex, arc) >= least) {
                pruned.arcs.extend(self.pruned_arc(arc, &numbers, &mut writer, &mut pruned.words));
            }
            let end = pruned.arcs.len() as u32;
            if end > start {
                numbers[vertex as usize] = pruned.nodes.len() as u32;
                pruned.nodes.push(start..end);
            }
        }
        pruned
    }

    /// A hyperarc with its tails by number; `None` if a tail was left out.
    fn pruned_arc(
        &self,
        arc: u32,
        numbers: &[u32],
        writer: &mut Writer<'_, '_, F>,
        words: &mut Vocab,
    ) -> Option<PrunedArc> {
        let tails = self.found.tails(arc).iter();
        let tails: Box<[u32]> = tails.map(|&tail| numbers[tail as usize]).collect();
        if tails.contains(&u32::MAX) {
            return None;
        }
        let (target, features) = writer.arc(arc);
        let item = |symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => Some(PrunedItem::Word(words.intern(self.vocab().text(word)).0)),
            Kind::Ref(k) => Some(PrunedItem::Tail(k)),
            _ => None,
        };
        Some(PrunedArc { tails, target: target.iter().filter_map(item).collect(), features: features.into() })
    }
}
