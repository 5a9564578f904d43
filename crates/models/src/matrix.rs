//! The links of one pair as both sides need them: which spans are consistent with the links, and where words are
//! linked to. Second step of every extraction, after the pair was read.

use treeglot_align::Link;
use treeglot_tree::Span;

/// A source and a target span that are each other's translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SpanPair {
    /// The source words.
    pub source: Span,
    /// The target words.
    pub target: Span,
}

impl SpanPair {
    /// Whether all of `other` lies in it, on both sides.
    pub fn covers(self, other: Self) -> bool {
        self.source.covers(other.source) && self.target.covers(other.target)
    }
}

/// The links of a pair, by word.
#[derive(Debug)]
pub struct Matrix<'a> {
    links: &'a [Link],
    /// `links[starts[w]..starts[w + 1]]` are those of source word w.
    starts: Vec<u32>,
    /// The smallest target span around the links of each source word; empty without links.
    source_hulls: Vec<Span>,
    target_hulls: Vec<Span>,
    /// How many target words before each position have links.
    aligned: Vec<u32>,
}

impl<'a> Matrix<'a> {
    /// The links (sorted, within both sides) of a pair of so many words.
    pub fn new(links: &'a [Link], source: usize, target: usize) -> Self {
        let mut starts = vec![0; source + 1];
        let mut source_hulls = vec![Span::default(); source];
        let mut target_hulls = vec![Span::default(); target];
        for link in links {
            let (s, t) = (link.src as usize, link.tgt as usize);
            starts[s + 1] += 1;
            source_hulls[s] = source_hulls[s].hull(Span::new(link.tgt, link.tgt + 1));
            target_hulls[t] = target_hulls[t].hull(Span::new(link.src, link.src + 1));
        }
        for w in 0..source {
            starts[w + 1] += starts[w];
        }
        let mut aligned = Vec::with_capacity(target + 1);
        let mut total = 0;
        for hull in &target_hulls {
            aligned.push(total);
            total += u32::from(!hull.is_empty());
        }
        aligned.push(total);
        Self { links, starts, source_hulls, target_hulls, aligned }
    }

    /// How many source words there are.
    pub fn source_len(&self) -> u32 {
        self.source_hulls.len() as u32
    }

    /// How many target words there are.
    pub fn target_len(&self) -> u32 {
        self.target_hulls.len() as u32
    }

    /// The links of a source word, by target word.
    pub fn of_source(&self, word: u32) -> &'a [Link] {
        &self.links[self.starts[word as usize] as usize..self.starts[word as usize + 1] as usize]
    }

    /// Whether a source word has links.
    pub fn source_linked(&self, word: u32) -> bool {
        !self.source_hulls[word as usize].is_empty()
    }

    /// Whether a target word has links.
    pub fn target_linked(&self, word: u32) -> bool {
        !self.target_hulls[word as usize].is_empty()
    }

    /// How many words of a target span have links.
    pub fn linked_in_target(&self, span: Span) -> u32 {
        self.aligned[span.end as usize] - self.aligned[span.start as usize]
    }

    /// The smallest source span around the links of a target word; empty without links.
    pub fn source_hull(&self, target: u32) -> Span {
        self.target_hulls[target as usize]
    }

    /// The smallest target span around the links of a source word; empty without links.
    pub fn target_hull(&self, source: u32) -> Span {
        self.source_hulls[source as usize]
    }

    /// The smallest target span that a source span is consistent with, if there is one.
    pub fn target_of(&self, source: Span) -> Option<Span> {
        partner(source, &self.source_hulls, &self.target_hulls)
    }

    /// The smallest source span that a target span is consistent with, if there is one.
    pub fn source_of(&self, target: Span) -> Option<Span> {
        partner(target, &self.target_hulls, &self.source_hulls)
    }

    /// Whether no word of the source span is linked outside the target span.
    pub fn stays_within(&self, source: Span, target: Span) -> bool {
        hulls_of(&self.source_hulls, source).iter().all(|&hull| target.covers(hull))
    }
}

fn hulls_of(hulls: &[Span], span: Span) -> &[Span] {
    &hulls[span.start as usize..span.end as usize]
}

fn partner(span: Span, from: &[Span], back: &[Span]) -> Option<Span> {
    let other = hulls_of(from, span).iter().fold(Span::default(), |all, &hull| all.hull(hull));
    let consistent = !other.is_empty() && hulls_of(back, other).iter().all(|&hull| span.covers(hull));
    consistent.then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_consistent_when_no_link_leaves_it_on_either_side() {
        let links = [(0, 0), (1, 2), (3, 2), (3, 3)].map(|(s, t)| Link::new(s, t));
        let matrix = Matrix::new(&links, 5, 4);
        assert_eq!(matrix.target_of(Span::new(0, 1)), Some(Span::new(0, 1)));
        assert_eq!(matrix.target_of(Span::new(1, 4)), Some(Span::new(2, 4)));
        assert_eq!(matrix.target_of(Span::new(1, 2)), None);
        assert_eq!(matrix.target_of(Span::new(4, 5)), None);
        assert_eq!(matrix.source_of(Span::new(1, 4)), Some(Span::new(1, 4)));
        assert_eq!(matrix.source_of(Span::new(1, 2)), None);
        assert_eq!(matrix.linked_in_target(Span::new(0, 4)), 3);
        assert_eq!(matrix.of_source(3), &links[2..]);
    }
}
