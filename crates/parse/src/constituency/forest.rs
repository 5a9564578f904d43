//! Packed forests from a chart, in the form that the models of trees read.
//!
//! Nodes that are no constituents begin with `@`, as those of binary rules do, and give their place to what is below them when a
//! tree is read off: `@C` is a complete span, `@B` what is below its label, `@A` a right neighbour, which may be a rest of
//! children. Each constituent of a chain has a node of its own, marked `S^35`, so that every derivation is one tree
//! and the sum of its scores the log of the tree's probability.

use super::chart::{Scores, span_number};
use super::labels::{Inventory, Label, Labelled, NONE};
use rustc_hash::FxHashMap;
use treeglot_tree::format::egret::{Forest, ForestBuilder, ForestNode, Tail};
use treeglot_tree::{Span, WordIx};

/// A scored chart of which a forest keeps a part.
pub(crate) struct Pruned<'a> {
    pub(crate) scores: Scores<'a>,
    /// The share of trees that have each labelled span.
    pub(crate) marginals: &'a [f32],
    /// The best tree: it is kept whatever its share.
    pub(crate) best: &'a [Labelled],
    /// The log sum of the scores of all trees.
    pub(crate) total: f64,
    /// The least share that is kept.
    pub(crate) threshold: f32,
}

/// The nodes of a span that could be built.
#[derive(Debug, Clone, Copy, Default)]
struct Built {
    complete: Option<ForestNode>,
    any: Option<ForestNode>,
}

impl Pruned<'_> {
    /// The forest of what is kept.
    pub(crate) fn forest(&self, words: &[&str], tags: &[Label], inventory: &Inventory) -> Forest {
        let length = words.len();
        let kept = self.kept();
        let mut builder = ForestBuilder::new(words.iter().copied());
        let mut built: FxHashMap<(usize, usize), Built> = FxHashMap::default();
        for width in 1..=length {
            for start in 0..=length - width {
                let end = start + width;
                let Some(labels) = kept.get(&span_number(length, start, end)) else { continue };
                let draft = Draft { builder: &mut builder, start, end };
                let body = match &tags[start..end] {
                    [tag] => Some(draft.tag(&inventory.tags()[usize::from(*tag)])),
                    _ => draft.body(&built),
                };
                if let Some(body) = body {
                    let top = width == length;
                    let here = self.label(&mut builder, inventory, (start, end), labels, body, top);
                    built.insert((start, end), here);
                }
            }
        }
        let root = built.get(&(0, length)).and_then(|b| b.complete);
        builder.finish(root.expect("the best tree is kept")).expect("a chart has no cycles")
    }

    /// The labels kept of each span, by its number.
    fn kept(&self) -> FxHashMap<usize, Vec<Label>> {
        let Scores { length, labels, .. } = self.scores;
        let mut kept: FxHashMap<usize, Vec<Label>> = FxHashMap::default();
        for (span, shares) in self.marginals.chunks_exact(labels).enumerate() {
            let enough = (0..).zip(shares).filter(|(_, share)| **share >= self.threshold && **share > 0.0);
            let enough: Vec<Label> = enough.map(|(label, _)| label).collect();
            if !enough.is_empty() {
                kept.insert(span, enough);
            }
        }
        for s in self.best {
            let labels = kept.entry(span_number(length, s.start, s.end)).or_default();
            if !labels.contains(&s.label) {
                labels.push(s.label);
            }
        }
        kept
    }

    /// Puts labels on a body.
    fn label(
        &self,
        builder: &mut ForestBuilder,
        inventory: &Inventory,
        (start, end): (usize, usize),
        labels: &[Label],
        body: ForestNode,
        top: bool,
    ) -> Built {
        let words = Span::new(start as u32, end as u32);
        let scores = self.scores.of(span_number(self.scores.length, start, end));
        let bare_word = end == start + 1;
        let mut complete = Vec::new();
        for &label in labels.iter().filter(|&&l| l != NONE || bare_word) {
            let mut node = body;
            let chain: Vec<&str> = inventory.chain(label).collect();
            for (depth, name) in chain.iter().enumerate().rev() {
                let name = match chain.len() {
                    1 => name.to_string(),
                    // Unlike any mark of another chain over the same words.
                    _ => format!("{name}^{}", 16 * u32::from(label) + depth as u32),
                };
                let above = builder.node(&name, words);
                builder.edge(above, vec![Tail::Node(node)], 0.0);
                node = above;
            }
            let score = f64::from(scores[usize::from(label)]) - if top { self.total } else { 0.0 };
            complete.push((node, score));
        }
        let complete = choice(builder, "@C", words, &complete);
        let mut any: Vec<(ForestNode, f64)> = complete.iter().map(|&node| (node, 0.0)).collect();
        if !bare_word && !top && labels.contains(&NONE) {
            any.push((body, f64::from(scores[usize::from(NONE)])));
        }
        let any = if top { None } else { choice(builder, "@A", words, &any) };
        Built { complete, any }
    }
}

/// A node that stands for any of several.
fn choice(
    builder: &mut ForestBuilder,
    name: &str,
    words: Span,
    options: &[(ForestNode, f64)],
) -> Option<ForestNode> {
    if options.is_empty() {
        return None;
    }
    let node = builder.node(name, words);
    for &(option, score) in options {
        builder.edge(node, vec![Tail::Node(option)], score);
    }
    Some(node)
}

/// A span whose body is being made.
struct Draft<'a> {
    builder: &'a mut ForestBuilder,
    start: usize,
    end: usize,
}

impl Draft<'_> {
    fn tag(self, tag: &str) -> ForestNode {
        let node = self.builder.node(tag, Span::new(self.start as u32, self.end as u32));
        self.builder.edge(node, vec![Tail::Word(WordIx::from(self.start))], 0.0);
        node
    }

    /// All pairs of neighbours that make the span.
    fn body(self, built: &FxHashMap<(usize, usize), Built>) -> Option<ForestNode> {
        let pairs: Vec<(ForestNode, ForestNode)> = (self.start + 1..self.end)
            .filter_map(|mid| {
                Some((built.get(&(self.start, mid))?.complete?, built.get(&(mid, self.end))?.any?))
            })
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let node = self.builder.node("@B", Span::new(self.start as u32, self.end as u32));
        for (left, right) in pairs {
            self.builder.edge(node, vec![Tail::Node(left), Tail::Node(right)], 0.0);
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart::Chart;
    use super::super::chart::tests::{all_trees, random_scores, score};
    use super::*;
    use treeglot_tree::format::ReadTrees;
    use treeglot_tree::format::egret::{Markers, Reader, write};

    const WORDS: [&str; 4] = ["a", "b", "c", "d"];

    fn inventory() -> Inventory {
        Inventory::new(["", "A", "B A"].map(String::from).to_vec(), vec!["T".into()])
    }

    fn forest_of(values: &[f32], length: usize, threshold: f32) -> Forest {
        let scores = Scores { length, labels: 3, values };
        let (mut chart, mut marginals) = (Chart::default(), Vec::new());
        let total = chart.inside(scores);
        chart.outside();
        chart.marginals(scores, &mut marginals);
        let (_, best) = chart.best(scores);
        let pruned = Pruned { scores, marginals: &marginals, best: &best, total, threshold };
        pruned.forest(&WORDS[..length], &[0; 4][..length], &inventory())
    }

    #[test]
    fn a_whole_forest_has_every_tree_once_with_its_probability() {
        for length in 1..=4 {
            let values = random_scores(length, 3, length as u64);
            let scores = Scores { length, labels: 3, values: &values };
            let forest = forest_of(&values, length, 0.0);
            let trees = all_trees(0, length, 3, true);
            assert_eq!(forest.tree_count(), trees.len() as u128);
            assert!(forest.inside()[forest.root().0 as usize].abs() < 1e-4);

            let mut expected: Vec<f64> = trees.iter().map(|t| score(t, scores)).collect();
            expected.sort_by(|a, b| b.total_cmp(a));
            let total = Chart::default().inside(scores);
            let found: Vec<f64> = forest.kbest().map(|d| d.score + total).collect();
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-4));
        }
    }

    #[test]
    fn the_best_of_a_forest_is_the_best_tree_without_markers() {
        let values = random_scores(4, 3, 9);
        let (_, spans) = Chart::default().best(Scores { length: 4, labels: 3, values: &values });
        let expected = inventory().tree(&WORDS, &[0; 4], &spans);
        for threshold in [0.0, 0.01, 0.5, 1.1] {
            let forest = forest_of(&values, 4, threshold);
            assert_eq!(forest.tree(&forest.best(), Markers::Remove), expected);
        }
    }

    #[test]
    fn a_forest_written_is_read_again_with_the_same_parses() {
        let forest = forest_of(&random_scores(4, 3, 5), 4, 0.01);
        let mut text = Vec::new();
        write(1, Some(&forest), &mut text).unwrap();
        let read = Reader::new("t", text.as_slice()).next_tree().unwrap().unwrap().unwrap();
        let parses = |f: &Forest| f.kbest().map(|d| f.tree(&d, Markers::Remove)).collect::<Vec<_>>();
        assert_eq!(parses(&read), parses(&forest));
    }
}
