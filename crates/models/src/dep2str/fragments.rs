//! Spans of a labelled tree under the links of a pair, and the fragments that they make acceptable (Meng et al. 2013,
//! definitions 1 to 3 and section 3.2).

use super::labelled::Labelled;
use crate::agenda::Agenda;
use crate::matrix::Matrix;
use treeglot_align::Link;
use treeglot_tree::{Span, WordIx};

/// The target words that a part of the source side is linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aligned {
    /// None: an unaligned word is acceptable as head or leaf and adds nothing.
    Nothing,
    /// A span that is consistent with the links.
    Consistent(Span),
    /// Words of which some are linked elsewhere.
    Inconsistent,
}

impl Aligned {
    /// The consistent span.
    pub fn span(self) -> Option<Span> {
        match self {
            Self::Consistent(span) => Some(span),
            _ => None,
        }
    }
}

/// The types of nodes that are generalised together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The head.
    Head,
    /// A dependent that has dependents.
    Internal,
    /// A dependent that has none.
    Leaf,
    /// A phrasal node: its place in [`Labelled::phrasal`], and whether it covers the head.
    Phrasal(usize, bool),
}

/// A part of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// What it is.
    pub role: Role,
    /// Its word; of a phrasal node, the node it belongs to.
    pub word: WordIx,
    /// What it is linked to.
    pub aligned: Aligned,
}

/// A fragment that rules can be made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// Its parts from left to right.
    pub sites: Vec<Site>,
    /// What all of it is linked to.
    pub target: Span,
}

/// A labelled tree with the spans of its nodes.
pub struct Annotated<'a> {
    labelled: &'a Labelled,
    /// The links, by source words as the tree has them.
    pub matrix: Matrix<'a>,
    /// By node.
    pub nsp: Vec<Aligned>,
    /// By node.
    pub tsp: Vec<Aligned>,
}

impl<'a> Annotated<'a> {
    /// Annotates a tree; links are those of its words where they stand now.
    pub fn new(labelled: &'a Labelled, links: &'a [Link], target: usize) -> Self {
        let matrix = Matrix::new(links, labelled.tree.len(), target);
        let words = || labelled.tree.words();
        let nsp = words().map(|word| aligned(&matrix, Span::of(word))).collect();
        let tsp = words().map(|word| aligned(&matrix, labelled.span(word))).collect();
        Self { labelled, nsp, tsp, matrix }
    }

    /// The phrasal span of a phrasal node.
    pub fn psp(&self, node: WordIx, phrasal: usize) -> Aligned {
        aligned(&self.matrix, self.labelled.phrasal(node)[phrasal].span)
    }

    /// The acceptable fragments of a node, up to a limit, and whether there were more. Those of fewer phrasal nodes come
    /// first.
    pub fn fragments(&self, node: WordIx, limit: usize) -> (Vec<Fragment>, bool) {
        let parts = self.labelled.parts(node);
        match self.tsp[node.ix()].span() {
            Some(target) if parts.len() > 1 => self.within(node, (0, parts.len()), target, limit),
            _ => (Vec::new(), false),
        }
    }

    /// The same for the phrasal nodes of a node: their parts, with phrasal nodes inside them.
    pub fn nested_fragments(&self, node: WordIx, limit: usize) -> (Vec<Fragment>, bool) {
        let (mut found, mut cut) = (Vec::new(), false);
        let mut known: Vec<(usize, usize)> = Vec::new();
        for (number, phrasal) in self.labelled.phrasal(node).iter().enumerate() {
            let Some(target) = self.psp(node, number).span() else { continue };
            if !known.contains(&phrasal.parts) {
                known.push(phrasal.parts);
                let (more, more_cut) = self.within(node, phrasal.parts, target, limit);
                found.extend(more);
                cut |= more_cut;
            }
        }
        (found, cut)
    }

    /// The acceptable fragments of some neighbouring parts of a node's head-dependents relation.
    fn within(
        &self,
        node: WordIx,
        range: (usize, usize),
        target: Span,
        limit: usize,
    ) -> (Vec<Fragment>, bool) {
        let parts = self.labelled.parts(node);
        let singles: Vec<Option<Site>> = parts.iter().map(|&part| self.single(node, part)).collect();
        let mut phrasal: Vec<(Site, (usize, usize))> = self.phrasal_sites(node, &parts);
        phrasal.retain(|&(_, inner)| inner != range && inner.0 >= range.0 && inner.1 <= range.1);
        let starting = |at: usize| phrasal.iter().filter(move |(_, (start, _))| *start == at);
        // From each part on, the fewest phrasal nodes that cover the rest together with single parts, if anything does.
        let mut fewest = vec![None; range.1 + 1];
        fewest[range.1] = Some(0);
        for at in (range.0..range.1).rev() {
            let single = singles[at].and(fewest[at + 1]);
            let with_phrasal =
                starting(at).filter_map(|&(_, (_, end))| fewest[end].map(|rest: usize| rest + 1));
            fewest[at] = with_phrasal.chain(single).min();
        }
        let mut found = Vec::new();
        let mut pending: Agenda<(usize, usize, Vec<Site>)> = Agenda::new((range.0, 0, Vec::new()));
        while let Some((at, used, sites)) = pending.pop() {
            if at == range.1 {
                if found.len() >= limit {
                    return (found, true);
                }
                found.push(Fragment { sites, target });
                continue;
            }
            let mut go_on = |end: usize, used: usize, site: Site| {
                if let Some(rest) = fewest[end] {
                    pending.push(used + rest, (end, used, [&sites[..], &[site]].concat()));
                }
            };
            starting(at).for_each(|&(site, (_, end))| go_on(end, used + 1, site));
            if let Some(site) = singles[at] {
                go_on(at + 1, used, site);
            }
        }
        (found, false)
    }

    fn single(&self, node: WordIx, part: WordIx) -> Option<Site> {
        let leaf = self.labelled.tree.dependents(part).is_empty();
        let (role, aligned) = match part {
            _ if part == node => (Role::Head, self.nsp[part.ix()]),
            _ if leaf => (Role::Leaf, self.tsp[part.ix()]),
            _ => (Role::Internal, self.tsp[part.ix()]),
        };
        let acceptable = match aligned {
            Aligned::Consistent(_) => true,
            Aligned::Nothing => role != Role::Internal,
            Aligned::Inconsistent => false,
        };
        acceptable.then_some(Site { role, word: part, aligned })
    }

    fn phrasal_sites(&self, node: WordIx, parts: &[WordIx]) -> Vec<(Site, (usize, usize))> {
        let sites = self.labelled.phrasal(node).iter().enumerate().map(|(number, phrasal)| {
            let head = parts[phrasal.parts.0..phrasal.parts.1].contains(&node);
            let aligned = self.psp(node, number);
            (Site { role: Role::Phrasal(number, head), word: node, aligned }, phrasal.parts)
        });
        sites.filter(|(site, _)| site.aligned.span().is_some()).collect()
    }
}

fn aligned(matrix: &Matrix<'_>, source: Span) -> Aligned {
    if source.words().all(|word| !matrix.source_linked(word.0)) {
        return Aligned::Nothing;
    }
    matrix.target_of(source).map_or(Aligned::Inconsistent, Aligned::Consistent)
}
