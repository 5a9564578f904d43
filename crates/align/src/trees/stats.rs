//! The analyses of Hearne, Ozdowska & Tinsley 2008, section 3.2: what sets of aligned trees over the same sentences, such
//! as constituency and dependency trees, have that the others have not.

use super::{NumberedTree, span_pairs};
use crate::links::Link;
use rustc_hash::FxHashMap;
use serde::Serialize;
use treeglot_tree::Span;

/// How many sets can be compared.
pub const MOST_SETS: usize = 64;

/// Counts over the pairs of several sets; add pairs one by one.
#[derive(Debug, Default)]
pub struct Comparison {
    sets: Vec<Counts>,
    /// Of each type of phrase pair, the sets that have it (a bit each) and its words on both sides.
    types: FxHashMap<Box<str>, (u64, u32)>,
}

/// Counts of one set.
#[derive(Debug, Default, Clone)]
struct Counts {
    pairs: usize,
    links: usize,
    linked_phrases: [usize; 2],
    constituents: [usize; 2],
    own_constituents: [usize; 2],
}

/// What one set has. Pairs of numbers are of the source and the target side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SetStats {
    /// Pairs with trees on both sides.
    pub pairs: usize,
    /// Links between nodes.
    pub links: usize,
    /// Linked nodes of more than one word.
    pub linked_phrases: [usize; 2],
    /// Types of phrase pairs.
    pub phrase_pairs: usize,
    /// Types of phrase pairs that no other set has.
    pub own_phrase_pairs: usize,
    /// The mean number of words of a phrase of those types.
    pub own_mean_length: f64,
    /// Constituents of more than one word.
    pub constituents: [usize; 2],
    /// The share of those that no other set has, of one.
    pub own_constituents: [f64; 2],
}

/// The aligned trees of one sentence pair in one set; `None` if a tree is missing.
pub type AlignedPair<'a> = Option<([&'a NumberedTree; 2], &'a [Link])>;

impl Comparison {
    /// Counts one sentence pair, of which each set has its trees; sets come in the same order each time.
    pub fn add(&mut self, sets: &[AlignedPair<'_>]) {
        assert!(sets.len() <= MOST_SETS, "a set is a bit of a number");
        self.sets.resize(sets.len(), Counts::default());
        for (k, (sides, links)) in sets.iter().enumerate().filter_map(|(k, set)| Some((k, (*set)?))) {
            let nodes = sides.map(|side| &side.nodes);
            let counts = &mut self.sets[k];
            counts.pairs += 1;
            counts.links += links.len();
            for link in links {
                counts.linked_phrases[0] += usize::from(nodes[0].size(link.src) > 1);
                counts.linked_phrases[1] += usize::from(nodes[1].size(link.tgt) > 1);
            }
            for [source, target] in span_pairs(nodes, links) {
                let key = format!("{}\t{}", words(sides[0], source), words(sides[1], target));
                let length = (source.len() + target.len()) as u32;
                self.types.entry(key.into()).or_insert((0, length)).0 |= 1 << k;
            }
        }
        for side in [0, 1] {
            self.add_constituents(sets, side);
        }
    }

    fn add_constituents(&mut self, sets: &[AlignedPair<'_>], side: usize) {
        let of_set = |set: &AlignedPair<'_>| set.map(|(sides, _)| sides[side].nodes.constituents());
        let spans: Vec<Option<Vec<Span>>> = sets.iter().map(of_set).collect();
        for (k, own) in spans.iter().enumerate().filter_map(|(k, own)| Some((k, own.as_ref()?))) {
            let elsewhere = |span: &Span| {
                let mut others = spans.iter().enumerate().filter(|&(other, _)| other != k);
                others.any(|(_, spans)| spans.as_ref().is_some_and(|spans| spans.contains(span)))
            };
            self.sets[k].constituents[side] += own.len();
            self.sets[k].own_constituents[side] += own.iter().filter(|span| !elsewhere(span)).count();
        }
    }

    /// What each set has.
    pub fn stats(&self) -> Vec<SetStats> {
        let of_set = |(k, counts): (usize, &Counts)| {
            let with = self.types.values().filter(|(sets, _)| sets & (1 << k) != 0);
            let own: Vec<u32> = with.clone().filter(|(sets, _)| *sets == 1 << k).map(|&(_, n)| n).collect();
            let words: u64 = own.iter().map(|&n| u64::from(n)).sum();
            let share = |side: usize| match counts.constituents[side] {
                0 => 0.0,
                all => counts.own_constituents[side] as f64 / all as f64,
            };
            SetStats {
                pairs: counts.pairs,
                links: counts.links,
                linked_phrases: counts.linked_phrases,
                phrase_pairs: with.count(),
                own_phrase_pairs: own.len(),
                own_mean_length: if own.is_empty() { 0.0 } else { words as f64 / (2 * own.len()) as f64 },
                constituents: counts.constituents,
                own_constituents: [share(0), share(1)],
            }
        };
        self.sets.iter().enumerate().map(of_set).collect()
    }
}

fn words(side: &NumberedTree, span: Span) -> String {
    side.words[span.start as usize..span.end as usize].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::ConBuilder;

    /// Words under one node each, the last `below` of them under a node of their own.
    fn side(forms: &[&str], below: usize) -> NumberedTree {
        let mut b = ConBuilder::default();
        let root = b.node("S", None);
        let mut lower = None;
        for (w, form) in forms.iter().enumerate() {
            if w + below == forms.len() {
                lower = Some(b.node("X", Some(root)));
            }
            let tag = b.node("T", lower.or(Some(root)));
            b.word(form, tag);
        }
        NumberedTree::of_con(&b.finish().unwrap(), 1)
    }

    #[test]
    fn what_a_set_has_alone_is_told_from_what_all_have() {
        let (s, low, t) = (side(&["a", "b", "c"], 2), side(&["a", "b", "c"], 0), side(&["x", "y"], 0));
        let mut comparison = Comparison::default();
        let first = [Link::new(0, 0), Link::new(2, 1)];
        let second = [Link::new(0, 0)];
        comparison.add(&[Some(([&s, &t], &first)), Some(([&low, &t], &second)), None]);
        let [one, two, three] = comparison.stats().try_into().unwrap();
        assert_eq!((one.links, one.linked_phrases), (2, [2, 1]));
        assert_eq!((one.phrase_pairs, one.own_phrase_pairs, one.own_mean_length), (2, 1, 1.5));
        assert_eq!((one.constituents, one.own_constituents), ([2, 1], [0.5, 0.0]));
        assert_eq!((two.phrase_pairs, two.own_phrase_pairs, two.own_constituents), (1, 0, [0.0, 0.0]));
        assert_eq!((three.pairs, three.links), (0, 0));
    }
}
