//! The annotated tree of a pair as people read it (Meng et al. 2013, figure 4): the node, subtree and phrasal spans that decide which
//! fragments are acceptable.

use super::HeadOptions;
use super::fragments::{Aligned, Annotated};
use super::labelled::Labelled;
use crate::described::DescribedSpan;
use crate::pair::Pair;
use serde::Serialize;
use std::borrow::Cow;
use treeglot_grammar::Symbol;
use treeglot_text::vocab::Vocab;
use treeglot_tree::Span;

/// A dependency tree with its spans. Words are counted from 0, those of the source in the order of the tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedTree {
    /// The source words, where they stand once the tree is projective.
    pub source: Vec<String>,
    /// The target words.
    pub target: Vec<String>,
    /// The nodes, heads before their dependents.
    pub nodes: Vec<DescribedNode>,
}

/// A word with its spans.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedNode {
    /// The word.
    pub word: u32,
    /// Its head; none for the root.
    pub head: Option<u32>,
    /// How far it is from the root.
    pub depth: usize,
    /// Its tag.
    pub tag: String,
    /// What the word is linked to: `nsp`, definition 1.
    pub nsp: Option<DescribedSpan>,
    /// What its subtree is linked to: `tsp`, definition 2.
    pub tsp: Option<DescribedSpan>,
    /// The phrasal nodes among its relation.
    pub phrasal: Vec<DescribedPhrasal>,
    /// How many fragments of its relation are acceptable, and whether there are more than the limit. None are where `tsp`, that of
    /// the fragment's root, is not consistent.
    pub fragments: usize,
    /// Whether there are more fragments than were counted.
    pub cut: bool,
}

/// A phrasal node with its span.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedPhrasal {
    /// Its category and the tags of its parts.
    pub label: String,
    /// Its first word, and the one after the last.
    pub words: [u32; 2],
    /// What it is linked to: `psp`, definition 3.
    pub psp: Option<DescribedSpan>,
}

/// The annotated tree that rules of a pair are read off, with phrasal nodes where the pair has constituency trees; the first of several
/// dependency trees, and `None` if there is none.
pub fn describe(options: &HeadOptions, pair: &Pair<'_>, vocab: &Vocab) -> Option<DescribedTree> {
    let (tree, tags) = pair.source_deps().next()?;
    let cons: Vec<_> = pair.source_cons().flat_map(|con| options.binarize.apply(con)).collect();
    let labelled = Labelled::new(tree, tags, cons.iter().map(Cow::as_ref), options.non_projective);
    let links = labelled.moved_links(pair.links);
    let annotated = Annotated::new(&labelled, &links, pair.target.len());
    let described = |words: Span, aligned: Aligned| {
        DescribedSpan::of(&annotated.matrix, words.words(), aligned.span().is_some())
    };
    let mut nodes: Vec<DescribedNode> = Vec::new();
    for &word in labelled.tree.preorder() {
        let (mut fragments, mut cut) = annotated.fragments(word, options.max_fragments);
        if options.nested {
            let (more, more_cut) = annotated.nested_fragments(word, options.max_fragments);
            fragments.extend(more);
            cut |= more_cut;
        }
        let phrasal = labelled.phrasal(word).iter().enumerate().map(|(k, phrasal)| DescribedPhrasal {
            label: phrasal.label.clone(),
            words: [phrasal.span.start, phrasal.span.end],
            psp: described(phrasal.span, annotated.psp(word, k)),
        });
        nodes.push(DescribedNode {
            word: word.0,
            head: labelled.tree.head(word).map(|head| head.0),
            depth: labelled.tree.ancestors(word).count(),
            tag: labelled.tag(word).to_string(),
            nsp: described(Span::of(word), annotated.nsp[word.ix()]),
            tsp: described(labelled.span(word), annotated.tsp[word.ix()]),
            phrasal: phrasal.collect(),
            fragments: fragments.len(),
            cut,
        });
    }
    let text = |symbol: &Symbol| symbol.vocab().map_or("", |sym| vocab.word(sym)).to_string();
    let source =
        (0..pair.source.len()).map(|at| text(&pair.source[labelled.order.old_position(at.into()).ix()]));
    Some(DescribedTree { source: source.collect(), target: pair.target.iter().map(text).collect(), nodes })
}
