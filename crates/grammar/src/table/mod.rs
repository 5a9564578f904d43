//! The table: scored rules in one mapped file. A trie leads from the symbols of a source side, its label last, to the
//! rules that have it, best first; opening maps the file and reads nothing but its header.
//!
//! | by | columns |
//! |---|---|
//! | trie node | symbol, first child, whether a source side ends here |
//! | source side | first rule, count |
//! | target side | its symbols from where it differs from the side before, count |
//! | rule | target side, links, count, scores, reordering scores |
//!
//! Nodes are numbered level by level, so that the children of a node are neighbours in the order of their symbols, and
//! those of all nodes follow each other. Source sides are numbered as the nodes where they end, and rules in the order of
//! their source sides. Distinct target sides, links and values are stored once; `columns` tells how rules hold their numbers.

mod book;
mod build;
mod columns;
mod dump;
mod import;
mod meta;
mod pivot;
mod quantize;
mod sides;
mod stats;
mod walk;

pub use build::{Entry, TableBuilder};
pub use dump::{Dump, LineWriter, dump, text};
pub use import::{Import, import};
pub use pivot::{Pivot, Pivoted, pivot};
pub use sides::Targets;
pub use stats::Stats;
pub use walk::Rules;

use crate::code;
use crate::decimal::Decimal;
use crate::error::Result;
use crate::instance::RuleLink;
use crate::symbol::{Kind, Symbol};
use book::{Book, Scores, WideBook};
use columns::{Ascending, Marks, Packed, Section, Split};
use meta::{Meta, tags};
use sides::Sides;
use std::path::Path;
use treeglot_text::mapped::{MappedFile, Tag, View};
use treeglot_text::vocab::MappedVocab;

pub(crate) const KIND: Tag = Tag::new("table");
pub(crate) const VERSION: u32 = 2;

/// In the column of rules' counts: that of its source side, which most rules have.
const AS_SOURCE: f32 = f32::from_bits(0x7fc0_0000);

/// A node of the trie of source sides. It knows how many variables lead to it: what a target side says about variables is
/// believed up to that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrieNode {
    index: u32,
    variables: u8,
}

impl TrieNode {
    const ROOT: Self = Self { index: 0, variables: 0 };

    /// How many variables the source side up to here has.
    #[inline]
    pub fn variables(self) -> u8 {
        self.variables
    }

    fn child(self, index: u32, symbol: Symbol) -> Self {
        Self { index, variables: self.variables.saturating_add(u8::from(symbol.is_var())) }
    }
}

/// A rule of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

/// How often a rule and its sides were seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// The target side, with any source side.
    pub target: f32,
    /// The source side, with any target side.
    pub source: f32,
    /// Both together.
    pub joint: f32,
}

/// Scored rules in a mapped file; read-only, shared by all threads.
#[derive(Debug, Clone)]
pub struct Table {
    file: MappedFile,
    meta: Meta,
    vocab: MappedVocab,
    symbols: Split,
    children: Ascending,
    sources: Marks,
    first_rules: Ascending,
    source_counts: Book,
    sides: Sides,
    target_counts: Book,
    targets: Packed,
    links: Split,
    link_ends: Packed,
    link_pairs: View<RuleLink>,
    joint_counts: Book,
    scores: Vec<Scores>,
    reordering: Option<WideBook<[Decimal; 6]>>,
}

impl Table {
    /// Maps a table file and checks its header and that its columns fit each other.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let file = MappedFile::open(path, KIND, VERSION)?;
        let meta = Meta::read(&file)?;
        let scores = (0..meta.score_names.len()).map(|k| Scores::open(&file, tags::score(k)));
        let scores = scores.collect::<Result<Vec<_>>>()?;
        let reordering = match meta.reordering {
            true => Some(WideBook::open(&file, tags::REORDERING, tags::REORDERING_BOOK)?),
            false => None,
        };
        let table = Self {
            vocab: MappedVocab::part_of(&file)?,
            symbols: Split::open(&file, tags::SYMBOLS)?,
            children: Ascending::open(&file, tags::CHILDREN)?,
            sources: Marks::open(&file, tags::SOURCES)?,
            first_rules: Ascending::open(&file, tags::FIRST_RULES)?,
            source_counts: Book::open(&file, tags::SOURCE_COUNTS)?,
            sides: Sides::open(&file)?,
            target_counts: Book::open(&file, tags::TARGET_COUNTS)?,
            targets: Packed::open(&file, tags::TARGETS)?,
            links: Split::open(&file, tags::LINKS)?,
            link_ends: Packed::open(&file, tags::LINK_ENDS)?,
            link_pairs: file.view(tags::LINK_PAIRS)?,
            joint_counts: Book::open(&file, tags::JOINT_COUNTS)?,
            scores,
            reordering,
            meta,
            file,
        };
        table.check()?;
        Ok(table)
    }

    fn check(&self) -> Result<()> {
        let (nodes, rules) = (self.symbols.len(), self.targets.len());
        let by_rule = self.scores.iter().map(Scores::len).chain(self.reordering.iter().map(WideBook::len));
        let fits = nodes > 0
            && self.children.len() == nodes + 1
            && self.sources.len() == nodes
            && self.first_rules.len() == self.source_counts.len() + 1
            && self.sides.fits(self.target_counts.len())
            && self.links.len() == rules
            && self.joint_counts.len() == rules
            && by_rule.into_iter().all(|len| len == rules);
        if fits {
            Ok(())
        } else {
            Err(self.file.corrupt("the columns of the table do not fit each other".to_string()).into())
        }
    }

    /// Compares the whole file with its checksums.
    pub fn verify(&self) -> Result<()> {
        Ok(self.file.verify()?)
    }

    /// The words and labels.
    pub fn vocab(&self) -> &MappedVocab {
        &self.vocab
    }

    /// Which model the rules are of, as whoever wrote the table said; may be empty.
    pub fn model(&self) -> &str {
        &self.meta.model
    }

    /// What else whoever wrote the table noted: names and values.
    pub fn notes(&self) -> &[(String, String)] {
        &self.meta.notes
    }

    /// The names of the scores, in the order of [`Table::scores`].
    pub fn score_names(&self) -> &[String] {
        &self.meta.score_names
    }

    /// Whether the rules have reordering scores.
    pub fn has_reordering(&self) -> bool {
        self.reordering.is_some()
    }

    /// How many rules it has.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether it has no rules.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many distinct source sides it has.
    pub fn source_len(&self) -> usize {
        self.source_counts.len()
    }

    /// How many distinct target sides it has.
    pub fn target_len(&self) -> usize {
        self.target_counts.len()
    }

    /// How many nodes the trie has.
    pub fn node_len(&self) -> usize {
        self.symbols.len()
    }

    /// The node of the empty source side.
    #[inline]
    pub fn root(&self) -> TrieNode {
        TrieNode::ROOT
    }

    /// The node one symbol further, if any source side goes on so.
    #[inline]
    pub fn child(&self, node: TrieNode, symbol: Symbol) -> Option<TrieNode> {
        let child = self.symbols.position(self.child_range(node), code::number(symbol))?;
        Some(node.child(child, symbol))
    }

    /// Whether any source side goes on from here.
    #[inline]
    pub fn has_children(&self, node: TrieNode) -> bool {
        let (low, high) = self.child_range(node);
        low < high
    }

    /// All ways on from a node, in the order of their symbols' codes.
    pub fn children(&self, node: TrieNode) -> impl ExactSizeIterator<Item = (Symbol, TrieNode)> {
        let (low, high) = self.child_range(node);
        (low..high.max(low)).map(move |child| {
            let symbol = code::symbol(self.symbols.get(child as usize));
            (symbol, node.child(child, symbol))
        })
    }

    /// Children have higher numbers than their parent: in a damaged file, those that have not are none.
    #[inline]
    fn child_range(&self, node: TrieNode) -> (u32, u32) {
        let (low, high) = self.children.range(node.index as usize);
        if low > node.index { (low, high.min(self.symbols.len() as u32)) } else { (0, 0) }
    }

    /// Replaces `out` by the words and variables on the way to a node, without what tells the shape of a tree.
    pub fn source_side(&self, node: TrieNode, out: &mut Vec<Symbol>) {
        out.clear();
        let mut at = node.index;
        while at > 0 {
            let symbol = code::symbol(self.symbols.get(at as usize));
            if symbol.is_word() || symbol.is_var() {
                out.push(symbol);
            }
            // First children ascend with their parents: the parent is the last node before that begins at or before this one.
            let (mut low, mut high) = (0, at);
            while low < high {
                let middle = low.midpoint(high);
                if self.children.get(middle as usize) <= at {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            at = low.saturating_sub(1);
        }
        out.reverse();
    }

    /// The rules whose source side ends at a node, highest p(t|s) first.
    #[inline]
    pub fn rules(&self, node: TrieNode) -> impl ExactSizeIterator<Item = RuleId> + use<> {
        let (low, high) = match self.source_of(node) {
            Some(source) => self.rule_range(source),
            None => (0, 0),
        };
        (low..high).map(RuleId)
    }

    fn source_of(&self, node: TrieNode) -> Option<u32> {
        self.sources.get(node.index as usize)
    }

    fn rule_range(&self, source: u32) -> (u32, u32) {
        let (low, high) = self.first_rules.range(source as usize);
        let high = high.min(self.len() as u32);
        (low.min(high), high)
    }

    /// Puts the target side of a rule into `out`: words, and references to the source side's variables, of which there are
    /// [so many](TrieNode::variables). What cannot be, as only a damaged file has it, is left out: words that the
    /// vocabulary lacks, and references to variables that the source side lacks or that were there before.
    #[inline]
    pub fn target(&self, rule: RuleId, variables: u8, out: &mut Vec<Symbol>) {
        out.clear();
        self.sides.read(self.targets.get(rule.0 as usize), out);
        let (words, mut kept) = (self.vocab.len() as u32, 0);
        for at in 0..out.len() {
            let symbol = out[at];
            let can_be = match symbol.kind() {
                Kind::Ref(k) => k < variables && !out[..kept].contains(&symbol),
                Kind::Word(sym) | Kind::Var(sym) | Kind::Label(sym) => sym.0 < words,
                Kind::Mark(_) => true,
            };
            if can_be {
                out[kept] = symbol;
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// The number of a rule's target side: rules with the same one share it.
    pub fn target_id(&self, rule: RuleId) -> u32 {
        self.targets.get(rule.0 as usize)
    }

    /// Puts the links between words of a rule into `out`.
    pub fn links(&self, rule: RuleId, out: &mut Vec<RuleLink>) {
        out.clear();
        let links = self.links.get(rule.0 as usize) as usize;
        out.extend_from_slice(between(&self.link_ends, links, &self.link_pairs));
    }

    /// Puts the natural logarithms of a rule's scores into `out`, in the order of [`Table::score_names`].
    #[inline]
    pub fn scores(&self, rule: RuleId, out: &mut Vec<f32>) {
        out.clear();
        out.extend(self.scores.iter().map(|column| column.ln(rule.0)));
    }

    /// The score of column `k` as it is stored: a probability, not its logarithm.
    pub fn probability(&self, rule: RuleId, k: usize) -> Decimal {
        self.scores.get(k).map_or(Decimal::ZERO, |column| column.get(rule.0))
    }

    /// The natural logarithms of a rule's reordering scores: monotone, swap and discontinuous to the phrase before,
    /// then to the phrase after.
    #[inline]
    pub fn reordering(&self, rule: RuleId) -> Option<[f32; 6]> {
        self.reordering_probabilities(rule).map(|scores| scores.map(Decimal::ln))
    }

    /// The reordering scores as they are stored: probabilities.
    pub fn reordering_probabilities(&self, rule: RuleId) -> Option<[Decimal; 6]> {
        self.reordering.as_ref().map(|column| column.get(rule.0))
    }

    /// How often the rule and its sides were seen. The source side's count takes a search; see [`Table::walk`].
    pub fn counts(&self, rule: RuleId) -> Counts {
        let (mut low, mut high) = (0, self.source_len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.first_rules.get(middle) <= rule.0 { low = middle } else { high = middle }
        }
        self.rule_counts(rule, self.source_count(low as u32))
    }

    /// How often a rule of a source side with this count, and its target side, were seen.
    pub fn rule_counts(&self, rule: RuleId, source: f32) -> Counts {
        let target = f32::from_bits(self.target_counts.get(self.targets.get(rule.0 as usize)));
        let joint = f32::from_bits(self.joint_counts.get(rule.0));
        Counts { target, source, joint: if joint.is_nan() { source } else { joint } }
    }

    fn source_count(&self, source: u32) -> f32 {
        f32::from_bits(self.source_counts.get(source))
    }

    /// The file's sections and their sizes in bytes.
    pub fn sections(&self) -> Vec<(String, u64)> {
        self.file.sections().collect()
    }

    /// Hands on every source side with its rules, in the trie's order; the file is compared with its checksums first.
    pub fn walk<E: From<crate::Error>>(
        &self,
        take: impl FnMut(Rules<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.verify().map_err(E::from)?;
        self.walk_unverified(take)
    }

    /// The same without a look at the checksums, which takes as long as reading the whole file.
    pub fn walk_unverified<E: From<crate::Error>>(
        &self,
        take: impl FnMut(Rules<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        walk::walk(self, take)
    }
}

/// Part `i` of `values`, which begins where the one before ends; empty in a damaged file.
fn between<'a, T>(ends: &Packed, i: usize, values: &'a [T]) -> &'a [T] {
    let begin = if i == 0 { 0 } else { ends.get(i - 1) };
    values.get(begin as usize..ends.get(i) as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests;
