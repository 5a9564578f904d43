//! MERT over whole forests instead of k-best lists (Kumar et al. 2009): a line search sees every derivation that the
//! search kept.

mod envelopes;
mod error_surface;

pub use error_surface::{ForestPoint, Forests};

use crate::error::Error;
use std::ops::Range;

/// A piece of the target side of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A word, by the number its owner gave it.
    Word(u32),
    /// The words of a tail, by its place among the edge's tails, from 0.
    Tail(u32),
}

/// The searched forest of one sentence: nodes in an order in which tails come before heads, the goal last.
#[derive(Debug, Clone, Default)]
pub struct TuneForest {
    nodes: Vec<Range<u32>>,
    edges: Vec<Edge>,
    tails: Vec<u32>,
    items: Vec<Item>,
    features: Vec<(u32, f32)>,
}

#[derive(Debug, Clone)]
struct Edge {
    tails: Range<u32>,
    items: Range<u32>,
    features: Range<u32>,
}

impl TuneForest {
    /// Begins a node; the edges added next lead to it. Its number is returned.
    pub fn add_node(&mut self) -> u32 {
        let at = self.edges.len() as u32;
        self.nodes.push(at..at);
        self.nodes.len() as u32 - 1
    }

    /// Adds an edge to the node begun last: the nodes it is built from, its target side with a place for each, and its
    /// own features, those that are not 0.
    pub fn add_edge(&mut self, tails: &[u32], items: &[Item], features: &[(u32, f32)]) -> Result<(), Error> {
        let wrong = |reason: &str| Error::Forest { edge: self.edges.len(), reason: reason.to_string() };
        let Some(head) = self.nodes.len().checked_sub(1) else {
            return Err(wrong("there is no node yet that it could lead to"));
        };
        if tails.iter().any(|&tail| tail as usize >= head) {
            return Err(wrong("a tail does not come before the head"));
        }
        if items.iter().any(|item| matches!(item, Item::Tail(tail) if *tail as usize >= tails.len())) {
            return Err(wrong("it has no such tail"));
        }
        if features.iter().any(|(_, value)| !value.is_finite()) {
            return Err(wrong("a feature is not a finite number"));
        }
        let edge = Edge {
            tails: append(&mut self.tails, tails),
            items: append(&mut self.items, items),
            features: append(&mut self.features, features),
        };
        self.edges.push(edge);
        self.nodes[head].end = self.edges.len() as u32;
        Ok(())
    }

    /// Adds another forest of the same sentence: the derivations are those of both.
    pub fn join(&mut self, other: &Self) {
        let Some(goal) = self.nodes.len().checked_sub(1) else {
            *self = other.clone();
            return;
        };
        if other.nodes.is_empty() {
            return;
        }
        let [nodes, edges] = [self.nodes.len(), self.edges.len()].map(|count| count as u32);
        let [tails, items, features] =
            [self.tails.len(), self.items.len(), self.features.len()].map(|count| count as u32);
        let moved = |range: &Range<u32>, by: u32| range.start + by..range.end + by;
        self.nodes.extend(other.nodes.iter().map(|node| moved(node, edges)));
        self.tails.extend(other.tails.iter().map(|tail| tail + nodes));
        self.items.extend_from_slice(&other.items);
        self.features.extend_from_slice(&other.features);
        self.edges.extend(other.edges.iter().map(|edge| Edge {
            tails: moved(&edge.tails, tails),
            items: moved(&edge.items, items),
            features: moved(&edge.features, features),
        }));
        let added = self.nodes.len() as u32 - 1;
        self.add_node();
        for tail in [goal as u32, added] {
            self.add_edge(&[tail], &[Item::Tail(0)], &[]).expect("both goals come before the common one");
        }
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges that lead to a node.
    fn edges_to(&self, node: usize) -> Range<usize> {
        self.nodes[node].start as usize..self.nodes[node].end as usize
    }

    fn tails(&self, edge: usize) -> &[u32] {
        slice(&self.tails, &self.edges[edge].tails)
    }

    fn items(&self, edge: usize) -> &[Item] {
        slice(&self.items, &self.edges[edge].items)
    }

    fn features(&self, edge: usize) -> &[(u32, f32)] {
        slice(&self.features, &self.edges[edge].features)
    }

    /// The score of an edge's own features.
    fn score(&self, edge: usize, weights: &[f64]) -> f64 {
        let weight = |feature: u32| weights.get(feature as usize).copied().unwrap_or(0.0);
        self.features(edge).iter().map(|&(feature, value)| weight(feature) * f64::from(value)).sum()
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

    #[test]
    fn edges_that_no_forest_can_have_are_errors() {
        let mut forest = TuneForest::default();
        let error = |result: Result<(), Error>| result.unwrap_err().to_string();
        assert!(error(forest.add_edge(&[], &[], &[])).contains("no node yet"));
        forest.add_node();
        assert!(error(forest.add_edge(&[0], &[Item::Tail(0)], &[])).contains("does not come before"));
        assert!(error(forest.add_edge(&[], &[Item::Tail(0)], &[])).contains("it has no such tail"));
        assert!(error(forest.add_edge(&[], &[], &[(0, f32::NAN)])).contains("not a finite number"));
        forest.add_edge(&[], &[Item::Word(1)], &[(0, 1.0)]).unwrap();
        assert_eq!((forest.node_count(), forest.edge_count()), (1, 1));
    }
}
