//! The best part of what a search found, as a forest of its own: tuning over forests (Kumar et al. 2009) reads it.
//!
//! A hyperarc is as good as the best derivation that uses it: its max-marginal. All hyperarcs of that derivation are at least as
//! good, so what is left by a limit on hyperarcs hangs together.

use crate::chart::ChartWorker;
use crate::features::Stateful;
use crate::translation_forest::{TargetItem, TranslationForest};
use crate::write::Writer;
use treeglot_grammar::{Kind, Symbol};
use treeglot_tree::hypergraph::{Hypergraph, max_outside};

impl<F: Stateful> ChartWorker<'_, F> {
    /// About so many of the best hyperarcs of the search that was done last; all that score as much as the last of them.
    pub fn pruned(&self, arcs: usize) -> TranslationForest {
        let mut pruned = TranslationForest::default();
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
            let number = pruned.add_node();
            for arc in found.arcs(vertex).filter(|&arc| total(vertex, arc) >= least) {
                self.add_pruned_arc(arc, &numbers, &mut writer, &mut pruned);
            }
            if pruned.keep_built_node() {
                numbers[vertex as usize] = number;
            }
        }
        pruned
    }

    /// Adds a hyperarc, unless a tail was left out.
    fn add_pruned_arc(
        &self,
        arc: u32,
        numbers: &[u32],
        writer: &mut Writer<'_, '_, F>,
        pruned: &mut TranslationForest,
    ) {
        let tails = self.found.tails(arc).iter();
        let tails: Vec<u32> = tails.map(|&tail| numbers[tail as usize]).collect();
        if tails.contains(&u32::MAX) {
            return;
        }
        let (target, features) = writer.arc(arc);
        let item = |symbol: &Symbol| match symbol.kind() {
            Kind::Word(word) => Some(TargetItem::Word(pruned.words.intern(self.vocab().text(word)).0)),
            Kind::Ref(k) => Some(TargetItem::Tail(u32::from(k))),
            _ => None,
        };
        let items: Vec<TargetItem> = target.iter().filter_map(item).collect();
        let features = (0..).zip(features.iter().copied()).filter(|(_, value)| *value != 0.0);
        let features: Vec<(u32, f32)> = features.collect();
        pruned
            .add_arc(&tails, &items, &features)
            .expect("tails come before heads, and features of a search are finite");
    }
}
