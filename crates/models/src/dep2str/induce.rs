//! Rules of acceptable fragments (Meng et al. 2013, section 3.3): the lexicalised form, and generalised forms in which all
//! nodes of a type (head, internal, leaf) give their word up for their tag. The m rules that differ in target words without
//! links count 1/m each.
//!
//! A leaf or head without links stays a word when its type is generalised: a variable needs something to stand for.

use super::fragments::{Annotated, Fragment, Role, Site};
use super::labelled::Labelled;
use crate::pair::Pair;
use crate::unaligned::{Piece, Sides};
use treeglot_grammar::pattern::{HEADLESS, MAX_PARTS};
use treeglot_grammar::{Instance, RuleSink, Symbol};
use treeglot_text::vocab::Vocab;

const LEAF: u8 = 1;
const INTERNAL: u8 = 2;
const HEAD: u8 = 4;

/// Makes rules of the fragments of one pair.
pub struct Inducer<'a> {
    /// The tree.
    pub labelled: &'a Labelled,
    /// Its spans.
    pub annotated: &'a Annotated<'a>,
    /// The pair.
    pub pair: &'a Pair<'a>,
    /// The most ways to share out target words without links.
    pub max_variants: usize,
}

impl Inducer<'_> {
    /// Hands on the rules of a fragment, the lexicalised one first.
    pub fn induce(&self, fragment: &Fragment, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        if fragment.sites.len() >= MAX_PARTS {
            return;
        }
        let present = fragment.sites.iter().fold(0, |all, site| all | kind(site));
        for generalised in (0..8).filter(|kinds| kinds & !present == 0) {
            let (source, pieces) = self.source_side(fragment, generalised, vocab);
            let matrix = &self.annotated.matrix;
            let sides = Sides { matrix, words: self.pair.target, target: fragment.target, pieces: &pieces };
            let variants = sides.variants(self.max_variants);
            let count = 1.0 / variants.len() as f32;
            for side in &variants {
                let sites = fragment.sites.iter().enumerate();
                let words = sites.filter(|(at, _)| source[*at].is_word());
                let links = side.links(matrix, words.map(|(at, site)| (at as u8, site.word.0)));
                let (source, target, links) = (&source[..], &side.symbols[..], &links[..]);
                rules.rule(Instance { source, target, links, count, orientation: None, origin: 0 });
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
        let (mut source, mut pieces, mut head, mut variables) = (Vec::new(), Vec::new(), HEADLESS, 0);
        for site in &fragment.sites {
            let symbol = self.symbol(site, kind(site) & generalised != 0, vocab);
            if matches!(site.role, Role::Head | Role::Phrasal(_, true)) {
                head = source.len() as u8;
            }
            let variable = symbol.is_var().then_some(variables);
            variables += u8::from(symbol.is_var());
            pieces.extend(site.aligned.span().map(|span| Piece { span, variable }));
            source.push(symbol);
        }
        source.push(Symbol::mark(head));
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
