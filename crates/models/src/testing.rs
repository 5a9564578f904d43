//! Pairs written as text, for tests.

use crate::pair::Pair;
use crate::{Model, Needs};
use treeglot_align::{Link, links};
use treeglot_grammar::{Batch, Symbol, notation};
use treeglot_text::{Place, vocab::Vocab};
use treeglot_tree::{DepTree, Roots, WordIx};

/// A pair and its vocabulary.
pub struct Sentences {
    vocab: Vocab,
    source: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<Link>,
    source_dep: Option<DepTree>,
    target_dep: Option<DepTree>,
}

impl Sentences {
    /// A pair of tokenised sentences with links `0-0 1-1`.
    pub fn new(source: &str, target: &str, links: &str) -> Self {
        let mut vocab = Vocab::default();
        let mut words = |text: &str| -> Vec<Symbol> {
            text.split_whitespace().map(|word| Symbol::word(vocab.intern(word))).collect()
        };
        let (source, target) = (words(source), words(target));
        let mut links = links::parse(links, &Place::new("links", 1)).unwrap();
        links.sort_unstable();
        links.dedup();
        Self { vocab, source, target, links, source_dep: None, target_dep: None }
    }

    /// With a source tree: heads from 1, 0 for the root.
    pub fn source_heads(mut self, heads: &[u32]) -> Self {
        self.source_dep = Some(tree(heads));
        self
    }

    /// With a target tree.
    pub fn target_heads(mut self, heads: &[u32]) -> Self {
        self.target_dep = Some(tree(heads));
        self
    }

    /// The batch that `fill` makes of the pair.
    pub fn with(&mut self, fill: impl FnOnce(&Pair<'_>, &mut Vocab, &mut Batch)) -> Batch {
        let mut vocab = self.vocab.clone();
        let mut batch = Batch::default();
        fill(&self.pair(), &mut vocab, &mut batch);
        batch.vocab = vocab;
        batch
    }

    /// What a model extracts, as lines.
    pub fn extract(&mut self, model: &dyn Model) -> Vec<String> {
        let Needs { source, target } = model.needs();
        assert!(!source.dep || self.source_dep.is_some());
        assert!(!target.dep || self.target_dep.is_some());
        lines(&self.with(|pair, vocab, batch| model.extract(pair, vocab, batch)))
    }

    fn pair(&self) -> Pair<'_> {
        Pair {
            source: &self.source,
            target: &self.target,
            links: &self.links,
            source_dep: self.source_dep.as_ref(),
            source_con: None,
            target_dep: self.target_dep.as_ref(),
            target_con: None,
        }
    }
}

fn tree(heads: &[u32]) -> DepTree {
    let heads = heads.iter().map(|&head| head.checked_sub(1).map(WordIx)).collect();
    DepTree::new(heads, Roots::AttachToFirst).unwrap()
}

/// A batch as lines of text.
pub fn lines(batch: &Batch) -> Vec<String> {
    let mut out = Vec::new();
    notation::write_batch(batch, &mut out);
    String::from_utf8(out).unwrap().lines().map(str::to_string).collect()
}
