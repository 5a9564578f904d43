//! Translations of a sentence with the features of their steps, packed: what tuning over forests (Kumar et al. 2009) reads.

use crate::error::{Error, Result};
use std::ops::Range;
use treeglot_text::vocab::{Sym, Vocab};
use treeglot_tree::hypergraph::Hypergraph;

/// A piece of the target side of a hyperarc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetItem {
    /// A word, by its number in the forest's vocabulary.
    Word(u32),
    /// The words of a tail, by its place among the hyperarc's tails, from 0.
    Tail(u32),
}

/// The searched forest of one sentence: nodes in an order in which tails come before heads, the goal last.
#[derive(Clone, Default)]
pub struct TranslationForest {
    /// The words of the translations.
    pub words: Vocab,
    nodes: Vec<Range<u32>>,
    arcs: Vec<Arc>,
    tails: Vec<u32>,
    items: Vec<TargetItem>,
    features: Vec<(u32, f32)>,
}

#[derive(Debug, Clone)]
struct Arc {
    tails: Range<u32>,
    items: Range<u32>,
    features: Range<u32>,
}

impl TranslationForest {
    /// Begins a node; the hyperarcs added next build it. Its number is returned.
    pub fn add_node(&mut self) -> u32 {
        let at = self.arcs.len() as u32;
        self.nodes.push(at..at);
        self.nodes.len() as u32 - 1
    }

    /// Forgets the node begun last if nothing builds it; whether it is still there.
    pub fn keep_built_node(&mut self) -> bool {
        let built = self.nodes.last().is_some_and(|arcs| !arcs.is_empty());
        if !built {
            self.nodes.pop();
        }
        built
    }

    /// Adds a hyperarc to the node begun last: the nodes it is built from, its target side with a place for each, and its
    /// own features, those that are not 0.
    pub fn add_arc(&mut self, tails: &[u32], items: &[TargetItem], features: &[(u32, f32)]) -> Result<()> {
        let wrong = |why: &str| Error::Forest { arc: self.arcs.len(), why: why.to_string() };
        let Some(head) = self.nodes.len().checked_sub(1) else {
            return Err(wrong("there is no node yet that it could build"));
        };
        if tails.iter().any(|&tail| tail as usize >= head) {
            return Err(wrong("a tail does not come before the head"));
        }
        if items.iter().any(|item| matches!(item, TargetItem::Tail(tail) if *tail as usize >= tails.len())) {
            return Err(wrong("it has no such tail"));
        }
        if features.iter().any(|(_, value)| !value.is_finite()) {
            return Err(wrong("a feature is not a finite number"));
        }
        let arc = Arc {
            tails: append(&mut self.tails, tails),
            items: append(&mut self.items, items),
            features: append(&mut self.features, features),
        };
        self.arcs.push(arc);
        self.nodes[head].end = self.arcs.len() as u32;
        Ok(())
    }

    /// The same forest with its words under the numbers of a common vocabulary, which it no longer has itself.
    pub fn renumbered(mut self, common: &mut Vocab) -> Self {
        let numbers: Vec<u32> = self.words.words().map(|word| common.intern(word).0).collect();
        for item in &mut self.items {
            if let TargetItem::Word(word) = item {
                *word = numbers[Sym(*word).ix()];
            }
        }
        self.words = Vocab::default();
        self
    }

    /// Adds another forest of the same sentence, with words of the same vocabulary: the derivations are those of both.
    pub fn join(&mut self, other: &Self) {
        let Some(goal) = self.nodes.len().checked_sub(1) else {
            *self = other.clone();
            return;
        };
        if other.nodes.is_empty() {
            return;
        }
        let [nodes, arcs] = [self.nodes.len(), self.arcs.len()].map(|count| count as u32);
        let [tails, items, features] =
            [self.tails.len(), self.items.len(), self.features.len()].map(|count| count as u32);
        let moved = |range: &Range<u32>, by: u32| range.start + by..range.end + by;
        self.nodes.extend(other.nodes.iter().map(|node| moved(node, arcs)));
        self.tails.extend(other.tails.iter().map(|tail| tail + nodes));
        self.items.extend_from_slice(&other.items);
        self.features.extend_from_slice(&other.features);
        self.arcs.extend(other.arcs.iter().map(|arc| Arc {
            tails: moved(&arc.tails, tails),
            items: moved(&arc.items, items),
            features: moved(&arc.features, features),
        }));
        let added = self.nodes.len() as u32 - 1;
        self.add_node();
        for tail in [goal as u32, added] {
            self.add_arc(&[tail], &[TargetItem::Tail(0)], &[])
                .expect("both goals come before the common one");
        }
    }

    /// How many hyperarcs there are.
    pub fn arc_count(&self) -> usize {
        self.arcs.len()
    }

    /// What a hyperarc builds on, as a slice.
    pub fn tail_nodes(&self, arc: u32) -> &[u32] {
        slice(&self.tails, &self.arcs[arc as usize].tails)
    }

    /// The target side of a hyperarc.
    pub fn items(&self, arc: u32) -> &[TargetItem] {
        slice(&self.items, &self.arcs[arc as usize].items)
    }

    /// A hyperarc's own features, those that are not 0.
    pub fn features(&self, arc: u32) -> &[(u32, f32)] {
        slice(&self.features, &self.arcs[arc as usize].features)
    }

    /// The features of all hyperarcs.
    pub fn all_features(&self) -> &[(u32, f32)] {
        &self.features
    }

    /// The score of a hyperarc's own features.
    pub fn score(&self, arc: u32, weights: &[f64]) -> f64 {
        let weight = |feature: u32| weights.get(feature as usize).copied().unwrap_or(0.0);
        self.features(arc).iter().map(|&(feature, value)| weight(feature) * f64::from(value)).sum()
    }
}

impl Hypergraph for TranslationForest {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn arcs(&self, node: u32) -> impl Iterator<Item = u32> {
        self.nodes[node as usize].clone()
    }

    fn tails(&self, arc: u32) -> impl Iterator<Item = u32> {
        self.tail_nodes(arc).iter().copied()
    }
}

fn append<T: Copy>(to: &mut Vec<T>, from: &[T]) -> Range<u32> {
    let start = to.len() as u32;
    to.extend_from_slice(from);
    start..to.len() as u32
}

fn slice<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    &all[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::hypergraph::derivation_counts;

    #[test]
    fn hyperarcs_that_no_forest_can_have_are_errors() {
        let mut forest = TranslationForest::default();
        let error = |result: Result<()>| result.unwrap_err().to_string();
        assert!(error(forest.add_arc(&[], &[], &[])).contains("no node yet"));
        forest.add_node();
        assert!(error(forest.add_arc(&[0], &[TargetItem::Tail(0)], &[])).contains("does not come before"));
        assert!(error(forest.add_arc(&[], &[TargetItem::Tail(0)], &[])).contains("it has no such tail"));
        assert!(error(forest.add_arc(&[], &[], &[(0, f32::NAN)])).contains("not a finite number"));
        forest.add_arc(&[], &[TargetItem::Word(1)], &[(0, 1.0)]).unwrap();
        assert_eq!((forest.node_count(), forest.arc_count()), (1, 1));
    }

    #[test]
    fn joined_forests_have_the_derivations_of_both_under_common_words() {
        let mut common = Vocab::default();
        let mut forest = |words: &[&str]| {
            let mut forest = TranslationForest::default();
            forest.add_node();
            for word in words {
                let number = forest.words.intern(word).0;
                forest.add_arc(&[], &[TargetItem::Word(number)], &[]).unwrap();
            }
            forest.renumbered(&mut common)
        };
        let (mut one, two) = (forest(&["a", "b"]), forest(&["c", "b", "a"]));
        one.join(&two);
        assert_eq!(derivation_counts(&one), [2, 3, 5]);
        let word = |arc| match one.items(arc) {
            [TargetItem::Word(word)] => common.word(Sym(*word)),
            items => panic!("{items:?}"),
        };
        assert_eq!([0, 1, 2, 3, 4].map(word), ["a", "b", "c", "b", "a"]);
    }
}
