//! The forest of units of a pair as people read it (Na & Lee 2011, figures 4 and 5): vertices, hyperarcs, the spans that rules are
//! made of, and the weights that they count by.

use super::forest::{Hyperarc, UnitForest};
use super::spans::Spans;
use super::{Counts, Mwu, MwuOptions};
use crate::Model;
use crate::described::DescribedSpan;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use serde::Serialize;
use treeglot_grammar::Symbol;
use treeglot_text::vocab::Vocab;
use treeglot_tree::{DepTree, WordIx};

/// A forest of units. Words are counted from 0, vertices from 1: the dummy root is 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedForest {
    /// The source words.
    pub source: Vec<String>,
    /// The target words.
    pub target: Vec<String>,
    /// The hyperarcs into the dummy root.
    pub root: Vec<DescribedHyperarc>,
    /// The vertices, those that cover more words first.
    pub vertices: Vec<DescribedVertex>,
}

/// A unit of the forest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedVertex {
    /// Its words.
    pub words: Vec<u32>,
    /// The words that its derivations cover.
    pub covered: Vec<u32>,
    /// The hull of the links of its own words.
    pub aspan: Option<DescribedSpan>,
    /// The hull of the links of all covered words.
    pub cspan: Option<DescribedSpan>,
    /// The outside weight.
    pub alpha: f64,
    /// The inside probability.
    pub beta: f64,
    /// The hyperarcs into it, best first.
    pub hyperarcs: Vec<DescribedHyperarc>,
}

/// A way to go on below a vertex.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedHyperarc {
    /// Its tails from left to right.
    pub tails: Vec<usize>,
    /// The mean number of words of its tails.
    pub c: f64,
    /// Its probability among those of its head.
    pub p: f64,
    /// The tree it comes from, where there are several.
    pub tree: u32,
}

/// What pairs need that [`describe`] is given, and whether the options make sense.
pub fn describe_needs(options: &MwuOptions) -> Result<Needs> {
    Ok(Mwu::new(*options)?.needs())
}

/// The forest that rules of a pair are read off; `None` if the pair has no source tree.
pub fn describe(options: &MwuOptions, pair: &Pair<'_>, vocab: &Vocab) -> Option<DescribedForest> {
    let trees: Vec<&DepTree> = pair.source_deps().map(|(tree, _)| tree).collect();
    if trees.is_empty() {
        return None;
    }
    let mut forest = UnitForest::new(&trees, &options.limits());
    forest.outside(options.counts == Counts::Mean);
    forest.prune(options.delta);
    let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
    let spans = Spans::new(&matrix, options.consistency);
    let order = forest.top_down();
    let mut number = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &vertex)| number[vertex as usize] = k + 1);
    let hyperarcs = |edges: &[Hyperarc]| edges.iter().map(|edge| hyperarc(&forest, edge, &number)).collect();
    let numbers = |words: &[WordIx]| words.iter().map(|word| word.0).collect();
    let vertices = order.iter().map(|&vertex| {
        let vertex = &forest.vertices()[vertex as usize];
        let (words, covered) =
            (forest.words(vertex), forest.covered(&forest.covers()[vertex.cover as usize]));
        DescribedVertex {
            words: numbers(words),
            covered: numbers(covered),
            aspan: span(&spans, &matrix, words),
            cspan: span(&spans, &matrix, covered),
            alpha: vertex.alpha,
            beta: vertex.beta,
            hyperarcs: hyperarcs(forest.incoming(vertex)),
        }
    });
    let text = |words: &[Symbol]| {
        let word = |symbol: &Symbol| symbol.vocab().map_or("", |sym| vocab.word(sym)).to_string();
        words.iter().map(word).collect()
    };
    Some(DescribedForest {
        source: text(pair.source),
        target: text(pair.target),
        root: hyperarcs(forest.top()),
        vertices: vertices.collect(),
    })
}

fn hyperarc(forest: &UnitForest, edge: &Hyperarc, number: &[usize]) -> DescribedHyperarc {
    let tails = forest.tails(edge);
    let words: usize =
        tails.iter().map(|tail| forest.words(&forest.vertices()[tail.vertex as usize]).len()).sum();
    DescribedHyperarc {
        tails: tails.iter().map(|tail| number[tail.vertex as usize]).collect(),
        c: words as f64 / tails.len() as f64,
        p: edge.p,
        tree: edge.tree,
    }
}

fn span(spans: &Spans<'_>, matrix: &Matrix<'_>, words: &[WordIx]) -> Option<DescribedSpan> {
    DescribedSpan::of(matrix, words.iter().copied(), spans.of(words).span().is_some())
}

impl DescribedForest {
    /// The words of a vertex or of what it covers.
    pub fn phrase(&self, words: &[u32]) -> String {
        words.iter().map(|&word| self.source[word as usize].as_str()).collect::<Vec<_>>().join(" ")
    }

    /// For each vertex, how many hyperarcs lie between it and the dummy root at most; `None` for one that no derivation has.
    pub fn depths(&self) -> Vec<Option<usize>> {
        let mut depths = vec![None; self.vertices.len()];
        let lower = |edges: &[DescribedHyperarc], depth: usize, depths: &mut Vec<Option<usize>>| {
            for &tail in edges.iter().flat_map(|edge| &edge.tails) {
                depths[tail - 1] = depths[tail - 1].max(Some(depth));
            }
        };
        lower(&self.root, 1, &mut depths);
        // Tails cover fewer words than their heads, so that heads come before them.
        for (k, vertex) in self.vertices.iter().enumerate() {
            if let Some(depth) = depths[k] {
                lower(&vertex.hyperarcs, depth + 1, &mut depths);
            }
        }
        depths
    }
}
