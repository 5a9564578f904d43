//! Target sides of rules of trees: variables, words, and target words without links, which go to the words of the rule
//! next to them in every way (Och & Ney 2004, section 3; Meng et al. 2013, section 3.3).

use crate::matrix::Matrix;
use treeglot_grammar::{RuleLink, Symbol};
use treeglot_tree::Span;

/// A part of a target side: what a part of the source side is linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The target words.
    pub span: Span,
    /// The number of its variable; `None` for words.
    pub variable: Option<u8>,
}

/// The target side of a rule over these pieces, from left to right.
pub struct Sides<'a> {
    /// The links of the pair.
    pub matrix: &'a Matrix<'a>,
    /// The target words of the pair.
    pub words: &'a [Symbol],
    /// What the whole rule is linked to.
    pub target: Span,
    /// Its parts, sorted.
    pub pieces: &'a [Piece],
}

/// A target side, and where the pair's target words stand in it.
pub struct TargetSide {
    /// Words and references to variables.
    pub symbols: Vec<Symbol>,
    positions: Vec<(u32, u8)>,
}

impl TargetSide {
    /// The links of source words, given by their position in the rule and in the pair.
    pub fn links(&self, matrix: &Matrix<'_>, words: impl Iterator<Item = (u8, u32)>) -> Vec<RuleLink> {
        let position = |target: u32| {
            let at = self.positions.binary_search_by_key(&target, |&(word, _)| word).ok()?;
            Some(self.positions[at].1)
        };
        let links =
            words.flat_map(|(at, word)| matrix.of_source(word).iter().map(move |link| (at, link.tgt)));
        links.filter_map(|(at, target)| Some(RuleLink::new(at, position(target)?))).collect()
    }
}

impl Sides<'_> {
    /// All target sides: one for each way to share out the words without links, or only the first if there are more than
    /// `limit`. Those too long for the notation are left out.
    pub fn variants(&self, limit: usize) -> Vec<TargetSide> {
        let mut choices = self.choices();
        if choices.iter().map(Vec::len).product::<usize>() > limit {
            choices.iter_mut().for_each(|gap| gap.truncate(1));
        }
        let mut variants: Vec<Vec<Span>> = vec![Vec::new()];
        for gap in &choices {
            let longer = |variant: &Vec<Span>| -> Vec<Vec<Span>> {
                gap.iter().map(|&span| [&variant[..], &[span]].concat()).collect()
            };
            variants = variants.iter().flat_map(longer).collect();
        }
        let sides = variants.iter().map(|gaps| self.side(gaps));
        sides.filter(|side| side.symbols.len() <= usize::from(u8::MAX)).collect()
    }

    /// What the rule may take of each gap, the most first but for the outer gaps, where the least comes first. Between
    /// words of the rule, and between variables, it takes all.
    fn choices(&self) -> Vec<Vec<Span>> {
        let Self { target, pieces, .. } = *self;
        let words = |piece: Option<&Piece>| piece.is_some_and(|piece| piece.variable.is_none());
        let mut choices = Vec::with_capacity(pieces.len() + 1);
        let before = if words(pieces.first()) { self.free_before() } else { 0 };
        choices.push((0..=before).map(|n| Span::new(target.start - n, target.start)).collect());
        for two in pieces.windows(2) {
            let gap = Span::new(two[0].span.end, two[1].span.start);
            let length = gap.len() as u32;
            choices.push(match (words(two.first()), words(two.last())) {
                (true, false) => (0..=length).rev().map(|n| Span::new(gap.start, gap.start + n)).collect(),
                (false, true) => (0..=length).rev().map(|n| Span::new(gap.end - n, gap.end)).collect(),
                _ => vec![gap],
            });
        }
        let after = if words(pieces.last()) { self.free_after() } else { 0 };
        choices.push((0..=after).map(|n| Span::new(target.end, target.end + n)).collect());
        choices
    }

    fn free_before(&self) -> u32 {
        (0..self.target.start).rev().take_while(|&word| !self.matrix.target_linked(word)).count() as u32
    }

    fn free_after(&self) -> u32 {
        let words = self.target.end..self.matrix.target_len();
        words.take_while(|&word| !self.matrix.target_linked(word)).count() as u32
    }

    fn side(&self, gaps: &[Span]) -> TargetSide {
        let mut side = TargetSide { symbols: Vec::new(), positions: Vec::new() };
        for (k, &gap) in gaps.iter().enumerate() {
            self.add(gap, &mut side);
            match self.pieces.get(k) {
                Some(Piece { variable: Some(number), .. }) => side.symbols.push(Symbol::reference(*number)),
                Some(piece) => self.add(piece.span, &mut side),
                None => {}
            }
        }
        side
    }

    fn add(&self, span: Span, side: &mut TargetSide) {
        for word in span.words() {
            side.positions.push((word.0, side.symbols.len() as u8));
            side.symbols.push(self.words[word.ix()]);
        }
    }
}
