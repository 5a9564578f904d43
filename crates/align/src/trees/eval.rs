//! Precision, recall and F of links between nodes against the gold links of a parallel treebank.

use super::numbered::NumberedTree;
use crate::links::Link;
use rustc_hash::FxHashSet;
use serde::Serialize;
use treeglot_tree::format::tiger_align::{LinkType, SentencePair};

/// Which links of a treebank count as gold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldOptions {
    /// Leave out links that are only `fuzzy`.
    pub good_only: bool,
    /// Count links of punctuation; treebanks mostly leave it without links.
    pub punctuation: bool,
    /// The author of links that a program made: they are no gold links, and it is no mistake to find them.
    pub automatic: Option<String>,
}

impl Default for GoldOptions {
    fn default() -> Self {
        Self { good_only: false, punctuation: false, automatic: Some("bleualign".to_string()) }
    }
}

/// The links of one pair that count, and those that do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldNodes {
    /// The gold links, sorted and distinct.
    pub links: Vec<Link>,
    /// Links that count neither for nor against.
    pub ignored: Vec<Link>,
    /// Whether all links of punctuation count, and not only the gold ones.
    pub punctuation: bool,
}

impl GoldNodes {
    /// The links of a pair of sentences, whose sides these are.
    pub fn of_pair(pair: &SentencePair<'_>, sides: [&NumberedTree; 2], options: &GoldOptions) -> Self {
        let mut gold = Self { punctuation: options.punctuation, ..Self::default() };
        for found in &pair.links {
            let link = Link::new(sides[0].number(found.ends[0]), sides[1].number(found.ends[1]));
            let automatic =
                options.automatic.is_some() && found.link.author.as_deref() == options.automatic.as_deref();
            match found.link.kind {
                LinkType::Other(_) => {}
                _ if automatic => gold.ignored.push(link),
                LinkType::Fuzzy if options.good_only => gold.ignored.push(link),
                _ => gold.links.push(link),
            }
        }
        for links in [&mut gold.links, &mut gold.ignored] {
            links.sort_unstable();
            links.dedup();
        }
        gold
    }
}

/// Links found and asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Links found.
    pub found: usize,
    /// Gold links.
    pub gold: usize,
    /// Gold links found.
    pub right: usize,
}

/// Scores of one kind of links, as shares of one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NodeScores {
    /// Share of the links found that are gold links.
    pub precision: f64,
    /// Share of the gold links that were found.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Links found.
    pub found: usize,
    /// Gold links.
    pub gold: usize,
}

impl Counts {
    /// The scores; where nothing is asked for or found, nothing is wrong.
    pub fn scores(&self) -> NodeScores {
        let share = |whole: usize| if whole == 0 { 1.0 } else { self.right as f64 / whole as f64 };
        let (precision, recall) = (share(self.found), share(self.gold));
        let f1 = if self.right == 0 && self.found + self.gold > 0 {
            0.0
        } else {
            2.0 * precision * recall / (precision + recall)
        };
        NodeScores { precision, recall, f1, found: self.found, gold: self.gold }
    }
}

/// Agreement of links between nodes with gold links; add pairs one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeAgreement {
    /// Pairs counted.
    pub pairs: usize,
    /// All links.
    pub all: Counts,
    /// Links with a phrase on either side.
    pub phrases: Counts,
    /// Links between two words.
    pub words: Counts,
}

impl NodeAgreement {
    /// Counts the links of one pair.
    pub fn add(&mut self, gold: &GoldNodes, found: &[Link], sides: [&NumberedTree; 2]) {
        self.pairs += 1;
        let ignored: FxHashSet<Link> = gold.ignored.iter().copied().collect();
        let right: FxHashSet<Link> = gold.links.iter().copied().collect();
        let counts = |link: &&Link| {
            let letters = || sides[0].has_letters(link.src) && sides[1].has_letters(link.tgt);
            right.contains(link) || (!ignored.contains(link) && (gold.punctuation || letters()))
        };
        let is_word =
            |link: &Link| sides[0].nodes.word(link.src).is_some() && sides[1].nodes.word(link.tgt).is_some();
        for link in &gold.links {
            let kind = if is_word(link) { &mut self.words } else { &mut self.phrases };
            for counts in [kind, &mut self.all] {
                counts.gold += 1;
            }
        }
        for link in found.iter().filter(counts) {
            let kind = if is_word(link) { &mut self.words } else { &mut self.phrases };
            for counts in [kind, &mut self.all] {
                counts.found += 1;
                counts.right += usize::from(right.contains(link));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_tree::ConBuilder;

    #[test]
    fn words_phrases_and_punctuation_are_told_apart() {
        let mut b = ConBuilder::default();
        let top = b.node("S", None);
        for form in ["a", "b", "."] {
            let tag = b.node("T", Some(top));
            b.word(form, tag);
        }
        let side = NumberedTree::of_con(&b.finish().unwrap(), 1);
        let links =
            |list: &[(u32, u32)]| -> Vec<Link> { list.iter().map(|&(s, t)| Link::new(s, t)).collect() };
        let gold = GoldNodes {
            links: links(&[(0, 0), (1, 1), (2, 2)]),
            ignored: links(&[(2, 1)]),
            punctuation: false,
        };
        let found = links(&[(0, 0), (1, 2), (2, 1), (3, 3)]);
        let mut agreement = NodeAgreement::default();
        agreement.add(&gold, &found, [&side, &side]);
        assert_eq!(agreement.phrases, Counts { found: 1, gold: 1, right: 1 });
        assert_eq!(agreement.words, Counts { found: 1, gold: 2, right: 0 });
        let scores = agreement.all.scores();
        assert_eq!((scores.precision, scores.recall, scores.f1), (0.5, 1.0 / 3.0, 0.4));
        let mut strict = NodeAgreement::default();
        strict.add(&GoldNodes { punctuation: true, ..gold }, &found, [&side, &side]);
        assert_eq!(strict.words.found, 2);
    }
}
