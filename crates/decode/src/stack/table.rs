//! What stack search asks of a phrase table.

use crate::features::REORDERING;
use treeglot_grammar::{RuleId, RuleLink, Symbol, Table, TrieNode};
use treeglot_text::vocab::MappedVocab;

/// A table of phrases, found by their source words one after the other. Scores are natural logarithms.
pub trait PhraseTable {
    /// A source phrase, or the begin of longer ones.
    type Node: Copy;

    /// The words of both sides.
    fn vocab(&self) -> &MappedVocab;
    /// The empty source phrase.
    fn root(&self) -> Self::Node;
    /// A source phrase with one more word, if a phrase begins so.
    fn child(&self, node: Self::Node, word: Symbol) -> Option<Self::Node>;
    /// The numbers of the rules that translate exactly this source phrase.
    fn rules(&self, node: Self::Node) -> impl ExactSizeIterator<Item = u32>;
    /// Replaces `out` by the target side of a rule.
    fn target(&self, rule: u32, out: &mut Vec<Symbol>);
    /// Replaces `out` by the links of a rule.
    fn links(&self, rule: u32, out: &mut Vec<RuleLink>);
    /// The names of the scores of a rule.
    fn score_names(&self) -> &[String];
    /// Replaces `out` by the scores of a rule.
    fn scores(&self, rule: u32, out: &mut Vec<f32>);
    /// The scores of lexicalised reordering of a rule, if the table has them: see [`REORDERING`].
    fn reordering(&self, rule: u32) -> Option<[f32; REORDERING]>;
}

impl PhraseTable for Table {
    type Node = TrieNode;

    fn vocab(&self) -> &MappedVocab {
        self.vocab()
    }

    fn root(&self) -> TrieNode {
        self.root()
    }

    fn child(&self, node: TrieNode, word: Symbol) -> Option<TrieNode> {
        self.child(node, word)
    }

    fn rules(&self, node: TrieNode) -> impl ExactSizeIterator<Item = u32> {
        self.rules(node).map(|rule| rule.0)
    }

    fn target(&self, rule: u32, out: &mut Vec<Symbol>) {
        self.target(RuleId(rule), 0, out);
    }

    fn links(&self, rule: u32, out: &mut Vec<RuleLink>) {
        self.links(RuleId(rule), out);
    }

    fn score_names(&self) -> &[String] {
        self.score_names()
    }

    fn scores(&self, rule: u32, out: &mut Vec<f32>) {
        self.scores(RuleId(rule), out);
    }

    fn reordering(&self, rule: u32) -> Option<[f32; REORDERING]> {
        self.reordering(RuleId(rule))
    }
}
