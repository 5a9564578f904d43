//! All consistent span pairs of a pair of sentences (Koehn, Och & Marcu 2003): the phrase pairs of `phrase`, and the
//! initial phrases of `hiero` and its relatives.

use crate::matrix::{Matrix, SpanPair};
use treeglot_tree::Span;

/// Which span pairs are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanLimits {
    /// The most words on either side.
    pub max_words: u32,
    /// Whether spans may begin and end with words that have no links.
    pub loose: bool,
}

/// Lists the consistent span pairs: by first, then by last target word; for each target span the source span grows to
/// the left, then to the right. This is the order of Moses' `extract`.
pub fn span_pairs(matrix: &Matrix<'_>, limits: SpanLimits) -> Vec<SpanPair> {
    let mut pairs = Vec::new();
    for start in 0..matrix.target_len() {
        if !limits.loose && !matrix.target_linked(start) {
            continue;
        }
        let mut source = Span::default();
        let last = matrix.target_len().min(start.saturating_add(limits.max_words));
        for end in start + 1..=last {
            source = source.hull(matrix.source_hull(end - 1));
            if source.len() > limits.max_words as usize {
                break;
            }
            let target = Span::new(start, end);
            if source.is_empty() || !matrix.stays_within(source, target) {
                continue;
            }
            if limits.loose {
                grow(matrix, source, limits.max_words, |source| pairs.push(SpanPair { source, target }));
            } else if matrix.target_linked(end - 1) {
                pairs.push(SpanPair { source, target });
            }
        }
    }
    pairs
}

/// Hands out a source span and all that it can grow to over words without links.
fn grow(matrix: &Matrix<'_>, tight: Span, max_words: u32, mut take: impl FnMut(Span)) {
    let mut start = tight.start;
    loop {
        let mut end = tight.end;
        loop {
            take(Span::new(start, end));
            if end == matrix.source_len() || matrix.source_linked(end) || end - start == max_words {
                break;
            }
            end += 1;
        }
        if start == 0 || matrix.source_linked(start - 1) || tight.end - start == max_words {
            break;
        }
        start -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use treeglot_align::Link;

    fn brute_force(matrix: &Matrix<'_>, links: &[Link], limits: SpanLimits) -> Vec<SpanPair> {
        let inside = |span: Span, word: u32| span.start <= word && word < span.end;
        let spans = |len: u32| (0..len).flat_map(move |a| (a + 1..=len).map(move |b| Span::new(a, b)));
        let mut pairs = Vec::new();
        for source in spans(matrix.source_len()) {
            for target in spans(matrix.target_len()) {
                let crossing = links.iter().any(|l| inside(source, l.src) != inside(target, l.tgt));
                let any = links.iter().any(|l| inside(source, l.src));
                let short = source.len().max(target.len()) <= limits.max_words as usize;
                let linked =
                    |s: u32, t: u32| links.iter().any(|l| l.src == s) && links.iter().any(|l| l.tgt == t);
                let tight = linked(source.start, target.start) && linked(source.end - 1, target.end - 1);
                if !crossing && any && short && (limits.loose || tight) {
                    pairs.push(SpanPair { source, target });
                }
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn exactly_the_consistent_pairs_are_listed(
            (source, target) in (1usize..7, 1usize..7),
            cells in prop::collection::vec((0u32..7, 0u32..7), 0..8),
            max_words in 1u32..8,
            loose: bool,
        ) {
            let mut links: Vec<Link> =
                cells.iter().map(|&(s, t)| Link::new(s % source as u32, t % target as u32)).collect();
            links.sort_unstable();
            links.dedup();
            let matrix = Matrix::new(&links, source, target);
            let limits = SpanLimits { max_words, loose };
            let mut found = span_pairs(&matrix, limits);
            let expected = brute_force(&matrix, &links, limits);
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
