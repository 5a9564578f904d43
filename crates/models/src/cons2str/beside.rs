//! Constituents beside the subtrees of another model in one forest (joint decoding with several models: Liu, Mi, Feng & Liu 2009).
//! What constituents build over a span stands among what the subtree over it may be, and the other way round: a rule of either
//! tree can take what the other's rules built for its variable. The table has the role of constituents.

use super::apply::{Constituents, subtrees};
use super::parses::{Below, Constituent, pack};
use super::{Binarize, FragmentOptions};
use crate::TableRole;
use crate::builder::{Builds, ForestBuilder, weave};
use crate::chart::ForestInput;
use crate::forest::NodeIx;
use crate::packed::Parses;
use rustc_hash::FxHashMap;
use treeglot_tree::Span;

/// The constituents of an input that stand beside other trees.
pub struct Beside {
    table: usize,
    parses: Parses<Constituent, Vec<Below>>,
    /// Those that are not below another of the same words, by their words.
    tops: FxHashMap<Span, Vec<u32>>,
}

impl Beside {
    /// Those of an input that has a table for them; `None` too where its words were moved, for then constituents are no spans.
    pub fn packed(binarize: Binarize, input: &ForestInput<'_>, forest: &ForestBuilder<'_>) -> Option<Self> {
        let table = input.tables.iter().position(|table| table.role == TableRole::Constituents)?;
        let parses = pack(&input.trees.cons, input.length, binarize);
        if parses.nodes().is_empty() || !forest.in_order() {
            return None;
        }
        let mut below = vec![false; parses.nodes().len()];
        for node in parses.nodes() {
            for (arc, _) in node.arcs() {
                if let [Below::Node(only)] = arc[..] {
                    below[only as usize] = true;
                }
            }
        }
        let mut tops: FxHashMap<Span, Vec<u32>> = FxHashMap::default();
        for (number, node) in (0..).zip(parses.nodes()) {
            if node.key.span.len() > 1 && !below[number as usize] {
                tops.entry(node.key.span).or_default().push(number);
            }
        }
        Some(Self { table, parses, tops })
    }

    /// Has the subtrees of a model and the constituents built.
    pub fn weave(
        &self,
        own: &mut impl Builds,
        forest: &mut ForestBuilder<'_>,
        own_subtrees: &[(Span, u32)],
        input: &ForestInput<'_>,
    ) {
        let max_height = FragmentOptions::default().max_height;
        let constituents = Constituents::new(&self.parses, max_height, self.table, input);
        let first_own = self.parses.nodes().len() as u32;
        let mut both = Both { beside: self, constituents, own, first_own, by_own: FxHashMap::default() };
        let mut order = subtrees(&self.parses);
        order.extend(own_subtrees.iter().map(|&(span, number)| (span, first_own + number)));
        weave(&mut both, forest, &order);
    }
}

/// Builds constituents and the subtrees of another model; of the same words, constituents first.
struct Both<'a, B> {
    beside: &'a Beside,
    constituents: Constituents<'a>,
    own: &'a mut B,
    /// The number of the other model's first subtree.
    first_own: u32,
    /// What the other model built over spans that are constituents.
    by_own: FxHashMap<Span, Vec<NodeIx>>,
}

impl<B: Builds> Builds for Both<'_, B> {
    fn build(&mut self, forest: &mut ForestBuilder<'_>, subtree: u32, built: &mut Vec<NodeIx>) {
        let Some(own) = subtree.checked_sub(self.first_own) else {
            self.constituents.build(forest, subtree, built);
            let span = self.beside.parses.nodes()[subtree as usize].key.span;
            if let Some(tops) = self.beside.tops.get(&span) {
                let nodes = tops.iter().filter_map(|&top| self.constituents.built(top)).collect();
                forest.set_constituents(span, nodes);
            }
            return;
        };
        let mut by_own = Vec::new();
        self.own.build(forest, own, &mut by_own);
        let [node] = by_own[..] else { return built.append(&mut by_own) };
        let span = forest.span_of(node);
        let Some(tops) = self.beside.tops.get(&span) else { return built.push(node) };
        // What the subtree is built of has the constituents in it, so that it alone stands for all of them from here on.
        let all = self.by_own.entry(span).or_default();
        all.push(node);
        let one = if let [only] = all[..] { only } else { forest.any_of(all) };
        tops.iter().for_each(|&top| self.constituents.replace(top, one));
        built.clear();
        built.push(one);
    }
}
