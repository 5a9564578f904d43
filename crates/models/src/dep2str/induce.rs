//! Rules of acceptable fragments (Meng et al. 2013, section 3.3): the lexicalised form, and generalised forms in which all
//! nodes of a type (head, internal, leaf) give their word up for their tag. Target words without links go to the words of
//! the rule next to them in every way (Och & Ney 2004); the m rules that result count 1/m each.
//!
//! A leaf or head without links stays a word when its type is generalised: a variable needs something to stand for.

use super::fragments::{Annotated, Fragment, Role, Site};
use super::labelled::Labelled;
use crate::pair::Pair;
use treeglot_grammar::pattern::MAX_PARTS;
use treeglot_grammar::{Instance, RuleLink, RuleSink, Symbol};
use treeglot_text::vocab::Vocab;
use treeglot_tree::{Span, WordIx};

const LEAF: u8 = 1;
const INTERNAL: u8 = 2;
const HEAD: u8 = 4;

/// Makes rules of the fragments of one pair.
pub struct Inducer<'a> {
    labelled: &'a Labelled,
    annotated: &'a Annotated<'a>,
    pair: &'a Pair<'a>,
    max_variants: usize,
}

/// A part of the target side: what a part of the source side is linked to.
#[derive(Debug, Clone, Copy)]
struct Piece {
    span: Span,
    /// The number of its variable; `None` for words.
    variable: Option<u8>,
}

impl<'a> Inducer<'a> {
    /// For the fragments of an annotated pair.
    pub fn new(
        labelled: &'a Labelled,
        annotated: &'a Annotated<'a>,
        pair: &'a Pair<'a>,
        max_variants: usize,
    ) -> Self {
        Self { labelled, annotated, pair, max_variants }
    }

    /// Hands on the rules of a fragment, the lexicalised one first.
    pub fn induce(&mut self, fragment: &Fragment, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        if fragment.sites.len() > MAX_PARTS {
            return;
        }
        let present = fragment.sites.iter().fold(0, |all, site| all | kind(site));
        for generalised in (0..8).filter(|kinds| kinds & !present == 0) {
            let (source, pieces) = self.source_side(fragment, generalised, vocab);
            let variants = self.variants(fragment.target, &pieces);
            let count = 1.0 / variants.len() as f32;
            for gaps in &variants {
                self.hand_on(fragment, &source, &pieces, gaps, count, rules);
            }
        }
    }

    /// The pattern, and the target spans of its parts from left to right in the target.
    fn source_side(
        &self,
        fragment: &Fragment,
        generalised: u8,
        vocab: &mut Vocab,
    ) -> (Vec<Symbol>, Vec<Piece>) {
        let (mut source, mut pieces, mut head, mut variables) = (Vec::new(), Vec::new(), 0, 0);
        for site in &fragment.sites {
            let symbol = self.symbol(site, kind(site) & generalised != 0, vocab);
            if matches!(site.role, Role::Head | Role::Phrasal(_, true)) {
                head = source.len();
            }
            let variable = symbol.is_var().then_some(variables);
            variables += u8::from(symbol.is_var());
            pieces.extend(site.aligned.span().map(|span| Piece { span, variable }));
            source.push(symbol);
        }
        source.push(Symbol::mark(head as u8));
        pieces.sort_by_key(|piece| piece.span);
        (source, pieces)
    }

    fn symbol(&self, site: &Site, generalised: bool, vocab: &mut Vocab) -> Symbol {
        let word = self.pair.source[self.labelled.order.old_position(site.word).ix()];
        match site.role {
            Role::Phrasal(number, _) => {
                Symbol::var(vocab.intern(&self.labelled.phrasal(site.word)[number].label))
            }
            _ if generalised => Symbol::var(vocab.intern(self.labelled.tag(site.word))),
            Role::Internal => word.vocab().map_or(word, Symbol::var),
            Role::Head | Role::Leaf => word,
        }
    }

    /// All ways to share out the words without links: for each, how far the words of a rule reach before, between and
    /// after the pieces.
    fn variants(&self, target: Span, pieces: &[Piece]) -> Vec<Vec<Span>> {
        let choices = self.choices(target, pieces);
        let ways = |choices: &[Vec<Span>]| choices.iter().map(Vec::len).product::<usize>();
        let narrowed: Vec<Vec<Span>> = match ways(&choices) <= self.max_variants {
            true => choices,
            false => choices.into_iter().map(|gap| vec![gap[0]]).collect(),
        };
        let mut variants: Vec<Vec<Span>> = vec![Vec::new()];
        for gap in &narrowed {
            let longer = |variant: &Vec<Span>| -> Vec<Vec<Span>> {
                gap.iter().map(|&span| [&variant[..], &[span]].concat()).collect()
            };
            variants = variants.iter().flat_map(longer).collect();
        }
        variants
    }

    /// What the rule may take of each gap, the most first but for the outer gaps, where the least comes first. Between
    /// words of the rule, and between variables, it takes all.
    fn choices(&self, target: Span, pieces: &[Piece]) -> Vec<Vec<Span>> {
        let words = |piece: Option<&Piece>| piece.is_some_and(|piece| piece.variable.is_none());
        let mut choices = Vec::with_capacity(pieces.len() + 1);
        let before = if words(pieces.first()) { self.free_before(target.start) } else { 0 };
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
        let after = if words(pieces.last()) { self.free_after(target.end) } else { 0 };
        choices.push((0..=after).map(|n| Span::new(target.end, target.end + n)).collect());
        choices
    }

    fn free_before(&self, position: u32) -> u32 {
        (0..position).rev().take_while(|&word| !self.annotated.matrix.target_linked(word)).count() as u32
    }

    fn free_after(&self, position: u32) -> u32 {
        let words = position..self.pair.target.len() as u32;
        words.take_while(|&word| !self.annotated.matrix.target_linked(word)).count() as u32
    }

    fn hand_on(
        &self,
        fragment: &Fragment,
        source: &[Symbol],
        pieces: &[Piece],
        gaps: &[Span],
        count: f32,
        rules: &mut dyn RuleSink,
    ) {
        let (mut target, mut positions) = (Vec::new(), vec![None; self.pair.target.len()]);
        let mut add = |span: Span, target: &mut Vec<Symbol>| {
            for word in span.words() {
                positions[word.ix()] = u8::try_from(target.len()).ok();
                target.push(self.pair.target[word.ix()]);
            }
        };
        for (k, &gap) in gaps.iter().enumerate() {
            add(gap, &mut target);
            match pieces.get(k) {
                Some(Piece { variable: Some(number), .. }) => target.push(Symbol::reference(*number)),
                Some(piece) => add(piece.span, &mut target),
                None => {}
            }
        }
        if target.len() > usize::from(u8::MAX) {
            return;
        }
        let mut links = Vec::new();
        for (at, site) in fragment.sites.iter().enumerate().filter(|(at, _)| source[*at].is_word()) {
            let linked = self.annotated.matrix.of_source(site.word.0);
            let position = |target: u32| positions[WordIx(target).ix()];
            links.extend(linked.iter().filter_map(|l| Some(RuleLink::new(at as u8, position(l.tgt)?))));
        }
        rules.rule(Instance { source, target: &target, links: &links, count, orientation: None });
    }
}

/// The type of a site that can be generalised.
fn kind(site: &Site) -> u8 {
    match site.role {
        _ if site.aligned.span().is_none() => 0,
        Role::Head => HEAD,
        Role::Internal => INTERNAL,
        Role::Leaf => LEAF,
        Role::Phrasal(..) => 0,
    }
}
