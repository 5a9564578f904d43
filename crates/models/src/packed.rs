//! Parses of a sentence in one packed forest: a constituent or subtree that several of them have is one node, with a hyperarc for
//! each of its continuations below (Mi, Huang & Liu 2008). So what stands above the node can be combined with any of these.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use treeglot_grammar::{Instance, RuleSink};

/// A node of packed parses: what all that have it agree on, and how they go on.
pub struct Packed<K, A> {
    /// What it is.
    pub key: K,
    weight: f64,
    arcs: Vec<(A, f64)>,
}

impl<K, A> Packed<K, A> {
    /// Its hyperarcs, each with the logarithm of its share in the parses that have the node.
    pub fn arcs(&self) -> impl Iterator<Item = (&A, f32)> {
        self.arcs.iter().map(|(arc, weight)| (arc, (weight / self.weight).ln() as f32))
    }
}

/// All nodes of the parses of a sentence. They are numbered as they come; what a hyperarc names must have come before.
pub struct Parses<K, A> {
    nodes: Vec<Packed<K, A>>,
    numbers: FxHashMap<K, u32>,
    roots: Vec<(u32, f64)>,
}

impl<K, A> Default for Parses<K, A> {
    fn default() -> Self {
        Self { nodes: Vec::new(), numbers: FxHashMap::default(), roots: Vec::new() }
    }
}

impl<K: Clone + Eq + Hash, A: PartialEq> Parses<K, A> {
    /// Adds a node of a parse of this weight, and how the parse goes on below it; the node's number.
    pub fn add(&mut self, key: K, arc: A, weight: f64) -> u32 {
        let number = *self.numbers.entry(key.clone()).or_insert_with(|| {
            self.nodes.push(Packed { key, weight: 0.0, arcs: Vec::new() });
            self.nodes.len() as u32 - 1
        });
        let node = &mut self.nodes[number as usize];
        node.weight += weight;
        match node.arcs.iter_mut().find(|(known, _)| *known == arc) {
            Some((_, known)) => *known += weight,
            None => node.arcs.push((arc, weight)),
        }
        number
    }

    /// Tells which node is the root of a parse of this weight.
    pub fn root(&mut self, number: u32, weight: f64) {
        match self.roots.iter_mut().find(|(known, _)| *known == number) {
            Some((_, known)) => *known += weight,
            None => self.roots.push((number, weight)),
        }
    }

    /// All nodes.
    pub fn nodes(&self) -> &[Packed<K, A>] {
        &self.nodes
    }

    /// The roots, each with the logarithm of its share in the parses.
    pub fn roots(&self) -> impl Iterator<Item = (u32, f32)> {
        let total: f64 = self.roots.iter().map(|(_, weight)| weight).sum();
        self.roots.iter().map(move |&(root, weight)| (root, (weight / total).ln() as f32))
    }
}

/// Hands the rules of one of several parses on, each counting as much as its parse.
pub struct Share<'a> {
    /// Where they go.
    pub rules: &'a mut dyn RuleSink,
    /// What a parse counts.
    pub share: f32,
}

impl RuleSink for Share<'_> {
    fn rule(&mut self, instance: Instance<'_>) {
        self.rules.rule(Instance { count: instance.count * self.share, ..instance });
    }

    fn cut(&mut self) {
        self.rules.cut();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parses_share_is_there_once_and_shares_of_hyperarcs_sum_to_one() {
        let mut parses: Parses<&str, Vec<u32>> = Parses::default();
        for (parts, weight) in [([0, 1], 1.0), ([0, 1], 0.5), ([1, 0], 0.5)] {
            assert_eq!(parses.add("D", vec![], weight), 0);
            assert_eq!(parses.add("N", vec![], weight), 1);
            let top = parses.add("NP", parts.to_vec(), weight);
            parses.root(top, weight);
        }
        let shares: Vec<(&Vec<u32>, f32)> = parses.nodes()[2].arcs().collect();
        assert_eq!(shares, [(&vec![0, 1], 0.75f32.ln()), (&vec![1, 0], 0.25f32.ln())]);
        assert_eq!(parses.roots().collect::<Vec<_>>(), [(2, 0.0)]);
    }
}
