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
    /// How far its top is from the root.
    pub depth: u32,
    /// With trees on both sides, the top of the target subtree.
    partner: Option<WordIx>,
}

/// All sites of a pair, and what limits count in their subtrees.
#[derive(Debug)]
pub struct Sites<'a> {
    sites: Vec<Site>,
    /// Where in pre-order nodes above more than one leaf stand, all of them and by distance from the root.
    inner: Vec<u32>,
    inner_at: Vec<Vec<u32>>,
    /// Where in pre-order words with dependents stand, and those of them that are consistent by themselves.
    heads: Vec<u32>,
    free_heads: Vec<u32>,
    partners: Option<&'a DepTree>,
}

impl<'a> Sites<'a> {
    /// The sites of a pair for a constraint on `side`; `None` if the pair lacks the trees. With `ghkm` they are the frontier nodes
    /// of Moses' extraction: words without links at the ends of the other side belong to the root, and what has the words of its
    /// head's subtree is no node of its own.
    pub fn new(pair: &Pair<'a>, matrix: &Matrix<'_>, side: Side, ghkm: bool) -> Option<Self> {
        let (source, target) = (pair.dep(text::Side::Source), pair.dep(text::Side::Target));
        let tree = if side.source() { source? } else { target? };
        let partners = if side == Side::Both { Some(target?) } else { None };
        let mut sites = Self {
            sites: Vec::new(),
            inner: Vec::new(),
            inner_at: vec![Vec::new(); tree.len() + 1],
            heads: Vec::new(),
            free_heads: Vec::new(),
            partners,
        };
        let other = OtherSide::new(matrix, side, ghkm);
        for (enter, &word) in tree.preorder().iter().enumerate() {
            sites.count(tree, word, enter as u32, &other);
            let Some(span) = tree.span(word) else { continue };
            let (words, depth) = (span.len() as u32, tree.depth(word) as u32);
            let site = |spans, partner| Site { spans, enter: enter as u32, words, depth, partner };
            match partners {
                Some(partners) => pairs_of(span, partners, matrix, |spans, top| {
                    sites.sites.push(site(spans, Some(top)));
                }),
                None => sites.sites.extend(other.spans_of(tree, word).map(|spans| site(spans, None))),
            }
        }
        Some(sites)
    }

    /// Writes down what limits count of one word. As a constituent, a word with dependents is a node above theirs and above a
    /// preterminal of its own; a word without is a preterminal. A preterminal is above one leaf, unless words without links of the
    /// other side belong to it.
    fn count(&mut self, tree: &DepTree, word: WordIx, enter: u32, other: &OtherSide<'_, '_>) {
        let has_dependents = !tree.dependents(word).is_empty();
        let depth = tree.depth(word);
        let mut add_inner = |depth: usize| {
            self.inner.push(enter);
            self.inner_at[depth].push(enter);
        };
        if has_dependents {
            add_inner(depth);
        }
        if other.around_unlinked[word.ix()] {
            add_inner(depth + usize::from(has_dependents));
        }
        if has_dependents {
            self.heads.push(enter);
            if other.is_free(tree, word) {
                self.free_heads.push(enter);
            }
        }
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

    /// How many nodes a site has: a word without dependents is one, a word with dependents two, itself and its preterminal.
    pub fn nodes(&self, site: &Site) -> u32 {
        site.words + within(&self.heads, site)
    }

    /// How many nodes of a site are above more than one leaf.
    pub fn inner(&self, site: &Site) -> u32 {
        within(&self.inner, site)
    }

    /// How many of these are this far from the root.
    pub fn inner_at_depth(&self, site: &Site, depth: u32) -> u32 {
        self.inner_at.get(depth as usize).map_or(0, |level| within(level, site))
    }

    /// How many words with dependents of a site are consistent with the links by themselves, but not with what is below them.
    pub fn free_heads(&self, site: &Site) -> u32 {
        within(&self.free_heads, site)
    }
}

/// How many of these places in pre-order lie in a site.
fn within(places: &[u32], site: &Site) -> u32 {
    let first = places.partition_point(|&enter| enter < site.enter);
    let last = places.partition_point(|&enter| enter < site.enter + site.words);
    (last - first) as u32
}

/// The side without the tree, and how subtrees are linked to it.
struct OtherSide<'m, 'l> {
    matrix: &'m Matrix<'l>,
    side: Side,
    ghkm: bool,
    /// Words of the tree around whose links on this side there are words without links: Moses puts these below the word's
    /// preterminal.
    around_unlinked: Vec<bool>,
}

impl<'m, 'l> OtherSide<'m, 'l> {
    fn new(matrix: &'m Matrix<'l>, side: Side, ghkm: bool) -> Self {
        let target = side == Side::Target;
        let (words, others) = (matrix.source_len(), matrix.target_len());
        let (words, others) = if target { (others, words) } else { (words, others) };
        let mut around_unlinked = vec![false; words as usize];
        let mut last: Option<(u32, Span)> = None;
        for other in (0..others).filter(|_| ghkm) {
            let hull = if target { matrix.target_hull(other) } else { matrix.source_hull(other) };
            if hull.is_empty() {
                continue;
            }
            if last.is_some_and(|(before, same)| before + 1 < other && same == hull) && hull.len() == 1 {
                around_unlinked[hull.start as usize] = true;
            }
            last = Some((other, hull));
        }
        Self { matrix, side, ghkm, around_unlinked }
    }

    /// The smallest span of this side that a span of the tree's is consistent with, if there is one.
    fn partner(&self, span: Span) -> Option<Span> {
        match self.side {
            Side::Target => self.matrix.source_of(span),
            _ => self.matrix.target_of(span),
        }
    }

    /// The span of this side that a subtree is consistent with.
    fn of_subtree(&self, tree: &DepTree, top: WordIx) -> Option<Span> {
        let span = self.partner(tree.span(top)?)?;
        let len = if self.side == Side::Target { self.matrix.source_len() } else { self.matrix.target_len() };
        Some(if self.ghkm && tree.head(top).is_none() { Span::new(0, len) } else { span })
    }

    /// The phrase pair that a subtree makes.
    fn spans_of(&self, tree: &DepTree, top: WordIx) -> Option<SpanPair> {
        let (span, other) = (tree.span(top)?, self.of_subtree(tree, top)?);
        let unary = |head| self.of_subtree(tree, head) == Some(other);
        if self.ghkm && tree.head(top).is_some_and(unary) {
            return None;
        }
        Some(match self.side {
            Side::Target => SpanPair { source: other, target: span },
            _ => SpanPair { source: span, target: other },
        })
    }

    /// Whether a word with dependents is consistent by itself, and with less than its subtree is.
    fn is_free(&self, tree: &DepTree, head: WordIx) -> bool {
        let own = self.partner(Span::new(head.0, head.0 + 1));
        own.is_some() && own != self.of_subtree(tree, head)
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
