//! Where a phrase pair and a complete dependency subtree coincide: the phrases of constrained rules, and what may
//! become a variable in them.

use super::Side;
use crate::matrix::{Matrix, SpanPair};
use crate::pair::Pair;
use treeglot_text as text;
use treeglot_tree::{DepTree, Span, WordIx};

/// A subtree that is consistent with the links.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// The phrase pair it makes.
    pub spans: SpanPair,
    /// Where its top stands in the pre-order of the tree.
    pub enter: u32,
    /// How many words the subtree has.
    pub words: u32,
    /// How many of them have dependents.
    pub inner: u32,
    /// How far its top is from the root.
    pub depth: u32,
    /// With trees on both sides, the top of the target subtree.
    partner: Option<WordIx>,
}

/// All sites of a pair.
#[derive(Debug)]
pub struct Sites<'a> {
    sites: Vec<Site>,
    /// For each depth of the tree, where in pre-order words with dependents stand.
    inner_at: Vec<Vec<u32>>,
    partners: Option<&'a DepTree>,
}

impl<'a> Sites<'a> {
    /// The sites of a pair for a constraint on `side`; `None` if the pair lacks the trees.
    pub fn new(pair: &Pair<'a>, matrix: &Matrix<'_>, side: Side) -> Option<Self> {
        let (source, target) = (pair.dep(text::Side::Source), pair.dep(text::Side::Target));
        let tree = if side.source() { source? } else { target? };
        let partners = if side == Side::Both { Some(target?) } else { None };
        let mut inner = vec![0; tree.len()];
        let mut inner_at = vec![Vec::new(); tree.len()];
        for (enter, &word) in tree.preorder().iter().enumerate().rev() {
            if !tree.dependents(word).is_empty() {
                inner[word.ix()] += 1;
                inner_at[tree.depth(word)].push(enter as u32);
            }
            if let Some(head) = tree.head(word) {
                inner[head.ix()] += inner[word.ix()];
            }
        }
        inner_at.iter_mut().for_each(|level| level.reverse());
        let mut sites = Vec::new();
        for (enter, &word) in tree.preorder().iter().enumerate() {
            let Some(span) = tree.span(word) else { continue };
            let site = |spans, partner| Site {
                spans,
                enter: enter as u32,
                words: span.len() as u32,
                inner: inner[word.ix()],
                depth: tree.depth(word) as u32,
                partner,
            };
            match partners {
                Some(partners) => pairs_of(span, partners, matrix, |spans, top| {
                    sites.push(site(spans, Some(top)));
                }),
                None => sites.extend(spans_of(span, side, matrix).map(|spans| site(spans, None))),
            }
        }
        Some(Self { sites, inner_at, partners })
    }

    /// The sites, by where they stand in pre-order.
    pub fn all(&self) -> &[Site] {
        &self.sites
    }

    /// The sites that may become variables in rules over `top`: those of subtrees below it, on every side that has a
    /// tree.
    pub fn below(&self, top: &Site) -> impl Iterator<Item = &Site> {
        let first = self.sites.partition_point(|site| site.enter <= top.enter);
        let last = self.sites.partition_point(|site| site.enter < top.enter + top.words);
        self.sites[first..last].iter().filter(|site| match (self.partners, top.partner, site.partner) {
            (Some(tree), Some(top), Some(word)) => word != top && tree.dominates(top, word),
            _ => true,
        })
    }

    /// How many words with dependents a site has at this distance from the root.
    pub fn inner_at_depth(&self, site: &Site, depth: u32) -> u32 {
        let Some(level) = self.inner_at.get(depth as usize) else { return 0 };
        let first = level.partition_point(|&enter| enter < site.enter);
        let last = level.partition_point(|&enter| enter < site.enter + site.words);
        (last - first) as u32
    }
}

fn spans_of(span: Span, side: Side, matrix: &Matrix<'_>) -> Option<SpanPair> {
    match side {
        Side::Target => matrix.source_of(span).map(|source| SpanPair { source, target: span }),
        _ => matrix.target_of(span).map(|target| SpanPair { source: span, target }),
    }
}

/// The target subtrees that a source subtree is consistent with. There may be several, for words without links.
fn pairs_of(source: Span, partners: &DepTree, matrix: &Matrix<'_>, mut take: impl FnMut(SpanPair, WordIx)) {
    let Some(tight) = matrix.target_of(source) else { return };
    for &word in partners.preorder() {
        let Some(target) = partners.span(word).filter(|span| span.covers(tight)) else { continue };
        if matrix.source_of(target).is_some_and(|back| source.covers(back)) {
            take(SpanPair { source, target }, word);
        }
    }
}
