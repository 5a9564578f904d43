//! Constituency trees compared bracket by bracket, as the program EVALB does.
//!
//! A bracket is a constituent's category (without functions and indices) and its set of words, so that
//! discontinuous constituents count too. Preterminals and the top node without linguistic content (`ROOT`, `TOP`,
//! `S1`, `VROOT` or no label) are no brackets.

use super::ratio;
use crate::con::ConTree;
use crate::index::{NodeId, WordIx};
use crate::transform::heads::labels::Category;
use serde::Serialize;

/// What counts as a bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BracketOptions {
    /// Whether categories must be equal, not only words.
    pub labels: bool,
    /// The tags of words that are left out, by the gold tree; the brackets close over the gaps.
    pub ignored_tags: Vec<String>,
    /// Categories that count as one: the first of a pair is read as the second.
    pub equal_labels: Vec<(String, String)>,
}

impl BracketOptions {
    /// Exactly what EVALB does with its `COLLINS.prm`: labelled, without the punctuation of the Penn Treebank, and
    /// with `ADVP` and `PRT` as one.
    pub fn collins() -> Self {
        let ignored_tags = [",", ":", "``", "''", ".", "-NONE-"].map(String::from).to_vec();
        Self { labels: true, ignored_tags, equal_labels: vec![("PRT".into(), "ADVP".into())] }
    }

    fn category<'a>(&'a self, label: &'a str) -> &'a str {
        let name = Category::new(label, "").name;
        self.equal_labels.iter().find(|(from, _)| from == name).map_or(name, |(_, to)| to)
    }
}

impl Default for BracketOptions {
    /// Labelled, without punctuation, whatever the treebank calls it.
    fn default() -> Self {
        let tags = [",", ":", "``", "''", ".", "-NONE-", "$,", "$.", "$(", "$[", "PU", "PUNC", "PONCT"];
        Self { labels: true, ignored_tags: tags.map(String::from).to_vec(), equal_labels: Vec::new() }
    }
}

/// Counts of brackets found against a gold standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BracketScore {
    /// Sentences.
    pub sentences: u64,
    /// Sentences for which the parser gave no tree: their gold brackets are all missed.
    pub failed: u64,
    /// Brackets of the gold trees.
    pub gold: u64,
    /// Brackets of the parser's trees.
    pub system: u64,
    /// Brackets in both.
    pub matched: u64,
    /// Sentences with the same brackets in both.
    pub exact: u64,
    /// The parser's brackets that cross some bracket of the gold tree.
    pub crossing: u64,
    /// Words that are not left out and have a tree.
    pub words: u64,
    /// Words of these with the right tag.
    pub tags: u64,
}

impl BracketScore {
    /// Counts a sentence; `None` for a failed parse. Both trees must have the same words: see [`super::InStep`].
    pub fn add(&mut self, gold: &ConTree, system: Option<&ConTree>, options: &BracketOptions) {
        let kept: Vec<bool> = gold.words().map(|w| is_kept(gold, w, options)).collect();
        let right = brackets(gold, &kept, options);
        self.sentences += 1;
        self.gold += right.len() as u64;
        let Some(system) = system.filter(|t| t.len() == gold.len()) else {
            self.failed += 1;
            return;
        };
        let found = brackets(system, &kept, options);
        let matched = common(&right, &found);
        self.system += found.len() as u64;
        self.matched += matched;
        self.exact += u64::from(matched == right.len() as u64 && right.len() == found.len());
        self.crossing += found.iter().filter(|f| right.iter().any(|r| crosses(&f.1, &r.1))).count() as u64;
        for w in gold.words().filter(|w| kept[w.ix()]) {
            self.words += 1;
            self.tags += u64::from(gold.tag(w).is_some() && gold.tag(w) == system.tag(w));
        }
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.failed += other.failed;
        self.gold += other.gold;
        self.system += other.system;
        self.matched += other.matched;
        self.exact += other.exact;
        self.crossing += other.crossing;
        self.words += other.words;
        self.tags += other.tags;
    }

    /// Right brackets of all the parser gave.
    pub fn precision(&self) -> f64 {
        ratio(self.matched, self.system)
    }

    /// Right brackets of all there are.
    pub fn recall(&self) -> f64 {
        ratio(self.matched, self.gold)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        ratio(2 * self.matched, self.gold + self.system)
    }

    /// The share of words with the right tag.
    pub fn tag_share(&self) -> f64 {
        ratio(self.tags, self.words)
    }

    /// The share of sentences with exactly the gold brackets.
    pub fn exact_share(&self) -> f64 {
        ratio(self.exact, self.sentences)
    }
}

fn is_kept(gold: &ConTree, word: WordIx, options: &BracketOptions) -> bool {
    let tag = gold.tag(word).map_or("", |t| Category::new(t, "").name);
    !options.ignored_tags.iter().any(|t| t == tag)
}

/// A category and the runs of kept words below it, as `start, end, start, end ...`.
type Bracket<'a> = (&'a str, Vec<u32>);

fn brackets<'a>(tree: &'a ConTree, kept: &[bool], options: &'a BracketOptions) -> Vec<Bracket<'a>> {
    let mut place = vec![0u32; kept.len()];
    let mut next = 0;
    for (w, &keep) in kept.iter().enumerate() {
        place[w] = next;
        next += u32::from(keep);
    }
    let mut found: Vec<Bracket<'a>> = Vec::new();
    for n in tree.nodes().filter(|&n| tree.preterminal(n).is_none() && !is_top(tree, n)) {
        let mut runs: Vec<u32> = Vec::new();
        for w in tree.words_of(n).filter(|w| kept[w.ix()]).map(|w| place[w.ix()]) {
            match runs.last_mut() {
                Some(end) if *end == w => *end += 1,
                _ => runs.extend([w, w + 1]),
            }
        }
        if !runs.is_empty() {
            let label = if options.labels { options.category(tree.label(n)) } else { "" };
            found.push((label, runs));
        }
    }
    found.sort_unstable();
    found
}

fn is_top(tree: &ConTree, node: NodeId) -> bool {
    node == tree.root() && matches!(tree.label(node), "" | "ROOT" | "TOP" | "S1" | "VROOT")
}

/// How many brackets two sorted lists share, each counted as often as it is in both.
fn common(a: &[Bracket<'_>], b: &[Bracket<'_>]) -> u64 {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared
}

/// Whether two brackets overlap though neither is within the other, by their outermost words.
fn crosses(a: &[u32], b: &[u32]) -> bool {
    let ends = |runs: &[u32]| (runs[0], runs[runs.len() - 1]);
    let ((start, end), (other_start, other_end)) = (ends(a), ends(b));
    (start < other_start && other_start < end && end < other_end)
        || (other_start < start && start < other_end && other_end < end)
}
