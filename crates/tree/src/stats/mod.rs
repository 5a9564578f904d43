//! What a treebank looks like: sizes, lengths, shapes and how much of it is not projective (Graham 2013, table 1; the
//! branching and depth factors of Na & Lee 2011, figure 2). All statistics are additive: count files apart and
//! [`DepStats::merge`] them.

mod render;

use crate::con::{Child, ConTree};
use crate::dep::{DepTree, Roots};
use crate::parse::DepParse;
use serde::Serialize;
use std::collections::BTreeMap;

/// How often each value occurred.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Histogram {
    counts: BTreeMap<u64, u64>,
}

impl Histogram {
    /// Counts a value once.
    pub fn add(&mut self, value: usize) {
        *self.counts.entry(value as u64).or_default() += 1;
    }

    /// Adds all counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (&value, &count) in &other.counts {
            *self.counts.entry(value).or_default() += count;
        }
    }

    /// The values in order, each with its count.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|(&v, &c)| (v, c))
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The sum of the values.
    pub fn sum(&self) -> u64 {
        self.iter().map(|(v, c)| v * c).sum()
    }

    /// The mean value; 0 of none.
    pub fn mean(&self) -> f64 {
        share(self.sum(), self.count())
    }

    /// The greatest value; 0 of none.
    pub fn max(&self) -> u64 {
        self.counts.last_key_value().map_or(0, |(&v, _)| v)
    }

    /// The smallest value that at least half of the values do not exceed; 0 of none.
    pub fn median(&self) -> u64 {
        let half = self.count().div_ceil(2);
        let mut seen = 0;
        self.iter()
            .find(|&(_, c)| {
                seen += c;
                seen >= half
            })
            .map_or(0, |(v, _)| v)
    }
}

/// `part / whole`, 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Statistics of dependency trees.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DepStats {
    /// Sentences, those that are no trees included.
    pub sentences: u64,
    /// Words.
    pub tokens: u64,
    /// Sentences whose heads are no tree: counted here and in no histogram but that of lengths.
    pub illegal: u64,
    /// Trees that are not projective.
    pub nonprojective_sentences: u64,
    /// Arcs between words.
    pub arcs: u64,
    /// Arcs that cover a word that is not below their head.
    pub nonprojective_arcs: u64,
    /// Words a sentence.
    pub lengths: Histogram,
    /// Roots a sentence.
    pub roots: Histogram,
    /// The greatest number of dependents of one word (BF), for each tree.
    pub branching: Histogram,
    /// The number of arcs on the longest way from the root to a word (DF), for each tree.
    pub depths: Histogram,
    /// The distance between a word and its head, for each arc.
    pub arc_lengths: Histogram,
    /// How often each relation occurs.
    pub labels: BTreeMap<String, u64>,
}

impl DepStats {
    /// Counts a tree.
    pub fn add(&mut self, tree: &DepTree) {
        self.sentence(tree.len(), 1);
        self.shape(tree);
    }

    /// Counts a parse with its relations. Later roots hang from the first; what is no tree even so is counted as
    /// illegal.
    pub fn add_parse(&mut self, parse: &DepParse) {
        let roots = parse.words().filter(|&w| parse.raw_head(w) == Some(0)).count();
        self.sentence(parse.len(), roots);
        for w in parse.words() {
            count(&mut self.labels, parse.deprel(w));
        }
        match parse.tree(Roots::AttachToFirst) {
            Ok(tree) => self.shape(&tree),
            Err(_) => self.illegal += 1,
        }
    }

    fn sentence(&mut self, words: usize, roots: usize) {
        self.sentences += 1;
        self.tokens += words as u64;
        self.lengths.add(words);
        self.roots.add(roots);
    }

    fn shape(&mut self, tree: &DepTree) {
        let mut crossing = 0;
        for w in tree.words() {
            let Some(head) = tree.head(w) else { continue };
            self.arcs += 1;
            self.arc_lengths.add(w.0.abs_diff(head.0) as usize);
            crossing += u64::from(!tree.is_projective_arc(w));
        }
        self.nonprojective_arcs += crossing;
        self.nonprojective_sentences += u64::from(crossing > 0);
        self.branching.add(tree.words().map(|w| tree.dependents(w).len()).max().unwrap_or(0));
        self.depths.add(tree.words().map(|w| tree.depth(w)).max().unwrap_or(0));
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.illegal += other.illegal;
        self.nonprojective_sentences += other.nonprojective_sentences;
        self.arcs += other.arcs;
        self.nonprojective_arcs += other.nonprojective_arcs;
        self.lengths.merge(&other.lengths);
        self.roots.merge(&other.roots);
        self.branching.merge(&other.branching);
        self.depths.merge(&other.depths);
        self.arc_lengths.merge(&other.arc_lengths);
        merge_counts(&mut self.labels, &other.labels);
    }

    /// The share of trees that are not projective.
    pub fn nonprojective_sentence_share(&self) -> f64 {
        share(self.nonprojective_sentences, self.sentences - self.illegal)
    }

    /// The share of arcs that are not projective.
    pub fn nonprojective_arc_share(&self) -> f64 {
        share(self.nonprojective_arcs, self.arcs)
    }

    /// The figures that the counts give, for a table of several files.
    pub fn summary(&self) -> DepSummary {
        DepSummary {
            sentences: self.sentences,
            tokens: self.tokens,
            illegal: self.illegal,
            several_roots: self.roots.iter().filter(|r| r.0 > 1).map(|r| r.1).sum(),
            mean_length: self.lengths.mean(),
            max_length: self.lengths.max(),
            nonprojective_sentences: self.nonprojective_sentences,
            nonprojective_sentence_share: self.nonprojective_sentence_share(),
            nonprojective_arcs: self.nonprojective_arcs,
            nonprojective_arc_share: self.nonprojective_arc_share(),
            mean_arc_length: self.arc_lengths.mean(),
            mean_branching: self.branching.mean(),
            max_branching: self.branching.max(),
            mean_depth: self.depths.mean(),
            max_depth: self.depths.max(),
            labels: self.labels.len() as u64,
        }
    }
}

/// The figures of [`DepStats::summary`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DepSummary {
    /// Sentences, those that are no trees included.
    pub sentences: u64,
    /// Words.
    pub tokens: u64,
    /// Sentences whose heads are no tree.
    pub illegal: u64,
    /// Sentences with more than one root.
    pub several_roots: u64,
    /// Words a sentence.
    pub mean_length: f64,
    /// Words of the longest sentence.
    pub max_length: u64,
    /// Trees that are not projective.
    pub nonprojective_sentences: u64,
    /// Their share of the trees.
    pub nonprojective_sentence_share: f64,
    /// Arcs that are not projective.
    pub nonprojective_arcs: u64,
    /// Their share of the arcs.
    pub nonprojective_arc_share: f64,
    /// The distance between a word and its head.
    pub mean_arc_length: f64,
    /// The mean of the trees' branching factors.
    pub mean_branching: f64,
    /// The greatest branching factor.
    pub max_branching: u64,
    /// The mean of the trees' depth factors.
    pub mean_depth: f64,
    /// The greatest depth factor.
    pub max_depth: u64,
    /// Distinct relations.
    pub labels: u64,
}

/// Statistics of constituency trees.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ConStats {
    /// Sentences, failed parses included.
    pub sentences: u64,
    /// Sentences without a tree.
    pub failed: u64,
    /// Words of the trees.
    pub tokens: u64,
    /// Constituents, preterminals not counted.
    pub nodes: u64,
    /// Constituents with one child that is a constituent, not a preterminal.
    pub unary_nodes: u64,
    /// Constituents whose words do not stand together.
    pub discontinuous_nodes: u64,
    /// Trees with such a constituent.
    pub discontinuous_sentences: u64,
    /// Words a tree.
    pub lengths: Histogram,
    /// The number of nodes on the longest way from the top to a word, for each tree.
    pub heights: Histogram,
    /// The greatest number of children of one node, for each tree.
    pub branching: Histogram,
    /// How often each label of a constituent occurs, preterminals not counted.
    pub labels: BTreeMap<String, u64>,
    /// How often each tag occurs.
    pub tags: BTreeMap<String, u64>,
}

impl ConStats {
    /// Counts a tree.
    pub fn add(&mut self, tree: &ConTree) {
        self.sentences += 1;
        self.tokens += tree.len() as u64;
        self.lengths.add(tree.len());
        let mut heights = vec![0usize; tree.node_count()];
        let (mut branching, mut gaps) = (0, 0);
        for n in tree.nodes() {
            heights[n.ix()] = tree.parent(n).map_or(0, |p| heights[p.ix()]) + 1;
            branching = branching.max(tree.children(n).len());
            if tree.preterminal(n).is_some() {
                count(&mut self.tags, tree.label(n));
                continue;
            }
            self.nodes += 1;
            count(&mut self.labels, tree.label(n));
            gaps += u64::from(tree.span(n).is_none());
            if let [Child::Node(child)] = tree.children(n) {
                self.unary_nodes += u64::from(tree.preterminal(*child).is_none());
            }
        }
        self.discontinuous_nodes += gaps;
        self.discontinuous_sentences += u64::from(gaps > 0);
        self.heights.add(heights.into_iter().max().unwrap_or(0));
        self.branching.add(branching);
    }

    /// Counts a sentence without a tree.
    pub fn add_failed(&mut self) {
        self.sentences += 1;
        self.failed += 1;
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.failed += other.failed;
        self.tokens += other.tokens;
        self.nodes += other.nodes;
        self.unary_nodes += other.unary_nodes;
        self.discontinuous_nodes += other.discontinuous_nodes;
        self.discontinuous_sentences += other.discontinuous_sentences;
        self.lengths.merge(&other.lengths);
        self.heights.merge(&other.heights);
        self.branching.merge(&other.branching);
        merge_counts(&mut self.labels, &other.labels);
        merge_counts(&mut self.tags, &other.tags);
    }

    /// The share of trees with a discontinuous constituent.
    pub fn discontinuous_sentence_share(&self) -> f64 {
        share(self.discontinuous_sentences, self.sentences - self.failed)
    }

    /// The share of constituents that are discontinuous.
    pub fn discontinuous_node_share(&self) -> f64 {
        share(self.discontinuous_nodes, self.nodes)
    }
}

fn count(counts: &mut BTreeMap<String, u64>, key: &str) {
    match counts.get_mut(key) {
        Some(count) => *count += 1,
        None => {
            counts.insert(key.to_string(), 1);
        }
    }
}

fn merge_counts(counts: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (key, count) in more {
        *counts.entry(key.clone()).or_default() += count;
    }
}
