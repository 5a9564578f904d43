//! Dependency parses compared head by head.

use super::ratio;
use crate::dep::Roots;
use crate::index::WordIx;
use crate::parse::{DepParse, Field};
use serde::Serialize;

/// How often two parsers agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PairAgreement {
    /// Sentences compared.
    pub sentences: u64,
    /// Sentences in which both have the same first root.
    pub equal_roots: u64,
    /// Words compared.
    pub words: u64,
    /// Words that have the same head in both.
    pub equal_heads: u64,
}

impl PairAgreement {
    /// Counts a sentence. Words without any head agree with nothing.
    pub fn add(&mut self, a: &DepParse, b: &DepParse) {
        let root = |p: &DepParse| p.words().find(|&w| p.raw_head(w) == Some(0));
        self.sentences += 1;
        self.equal_roots += u64::from(root(a).is_some() && root(a) == root(b));
        for w in a.words().take(b.len()) {
            self.words += 1;
            self.equal_heads += u64::from(a.raw_head(w).is_some() && a.raw_head(w) == b.raw_head(w));
        }
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.equal_roots += other.equal_roots;
        self.words += other.words;
        self.equal_heads += other.equal_heads;
    }

    /// The share of sentences with equal roots.
    pub fn root_share(&self) -> f64 {
        ratio(self.equal_roots, self.sentences)
    }

    /// The share of words with equal heads.
    pub fn head_share(&self) -> f64 {
        ratio(self.equal_heads, self.words)
    }
}

/// The agreement of every pair of several parsers, and the trees that are none (Wu 2012, table 2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Agreement {
    /// The parsers' names.
    pub names: Vec<String>,
    /// For each parser, the sentences whose heads make no tree, later roots attached to the first.
    pub illegal: Vec<u64>,
    /// For each parser, the sentences with several roots.
    pub several_roots: Vec<u64>,
    /// The pairs in the order (0, 1), (0, 2), (1, 2), (0, 3) ...
    pub pairs: Vec<PairAgreement>,
}

impl Agreement {
    /// Nothing counted yet.
    pub fn new(names: Vec<String>) -> Self {
        let n = names.len();
        Self {
            names,
            illegal: vec![0; n],
            several_roots: vec![0; n],
            pairs: vec![PairAgreement::default(); n * n.saturating_sub(1) / 2],
        }
    }

    /// Counts all parsers' parses of one sentence, in the order of the names.
    ///
    /// # Panics
    /// If there is not one parse for each name.
    pub fn add(&mut self, parses: &[DepParse]) {
        assert_eq!(parses.len(), self.names.len(), "one parse for each parser");
        for (b, parse) in parses.iter().enumerate() {
            self.illegal[b] += u64::from(parse.tree(Roots::AttachToFirst).is_err());
            let roots = parse.words().filter(|&w| parse.raw_head(w) == Some(0)).count();
            self.several_roots[b] += u64::from(roots > 1);
            for (a, other) in parses[..b].iter().enumerate() {
                self.pairs[pair_index(a, b)].add(other, parse);
            }
        }
    }

    /// The agreement of two parsers, by their places among the names; `None` for a parser with itself.
    pub fn pair(&self, a: usize, b: usize) -> Option<&PairAgreement> {
        match a == b {
            true => None,
            false => self.pairs.get(pair_index(a.min(b), a.max(b))),
        }
    }

    /// Adds all that another has counted for the same parsers.
    pub fn merge(&mut self, other: &Self) {
        self.illegal.iter_mut().zip(&other.illegal).for_each(|(a, b)| *a += b);
        self.several_roots.iter_mut().zip(&other.several_roots).for_each(|(a, b)| *a += b);
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(a, b)| a.merge(b));
    }
}

fn pair_index(a: usize, b: usize) -> usize {
    b * (b - 1) / 2 + a
}

/// Counts of heads found against a gold standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Attachment {
    /// Words with a head in the gold standard.
    pub gold: u64,
    /// Words to which the parser gave a head.
    pub system: u64,
    /// Words with the right head.
    pub heads: u64,
    /// Words with the right head and relation.
    pub labelled: u64,
}

impl Attachment {
    fn add(&mut self, gold: &DepParse, system: &DepParse, word: WordIx) {
        let (right, head) = (gold.raw_head(word), system.raw_head(word));
        self.gold += u64::from(right.is_some());
        self.system += u64::from(head.is_some());
        if right.is_some() && right == head {
            self.heads += 1;
            self.labelled += u64::from(gold.deprel(word) == system.deprel(word));
        }
    }

    fn merge(&mut self, other: &Self) {
        self.gold += other.gold;
        self.system += other.system;
        self.heads += other.heads;
        self.labelled += other.labelled;
    }

    /// Right heads of all the parser gave.
    pub fn precision(&self) -> f64 {
        ratio(self.heads, self.system)
    }

    /// Right heads of all there are: UAS.
    pub fn recall(&self) -> f64 {
        ratio(self.heads, self.gold)
    }

    /// Right heads and relations of all the parser gave.
    pub fn labelled_precision(&self) -> f64 {
        ratio(self.labelled, self.system)
    }

    /// Right heads and relations of all there are: LAS.
    pub fn labelled_recall(&self) -> f64 {
        ratio(self.labelled, self.gold)
    }
}

/// A parser against a gold standard (Wu 2012, table 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct AttachmentScore {
    /// All words.
    pub all: Attachment,
    /// All words but punctuation (by the gold standard's words and tags).
    pub without_punctuation: Attachment,
    /// Sentences.
    pub sentences: u64,
    /// Sentences with every head right.
    pub exact_heads: u64,
    /// Sentences with every head and relation right.
    pub exact: u64,
    /// Sentences with the right root.
    pub roots: u64,
    /// Sentences whose heads make no tree, later roots attached to the first.
    pub illegal: u64,
}

impl AttachmentScore {
    /// Counts a sentence. Both must have the same words: see [`super::InStep`].
    pub fn add(&mut self, gold: &DepParse, system: &DepParse) {
        let mut here = Attachment::default();
        for w in gold.words().take(system.len()) {
            here.add(gold, system, w);
            if !is_punctuation(gold.form(w), gold.get(w, Field::Upos)) {
                self.without_punctuation.add(gold, system, w);
            }
        }
        self.all.merge(&here);
        self.sentences += 1;
        self.exact_heads += u64::from(here.heads == gold.len() as u64);
        self.exact += u64::from(here.labelled == gold.len() as u64);
        self.illegal += u64::from(system.tree(Roots::AttachToFirst).is_err());
        let mut pair = PairAgreement::default();
        pair.add(gold, system);
        self.roots += pair.equal_roots;
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        self.without_punctuation.merge(&other.without_punctuation);
        self.sentences += other.sentences;
        self.exact_heads += other.exact_heads;
        self.exact += other.exact;
        self.roots += other.roots;
        self.illegal += other.illegal;
    }
}

/// Whether a word is punctuation: tagged so in Universal Dependencies, or made of punctuation characters only, as in
/// the CoNLL-X evaluation. Currency and mathematical signs are not.
pub fn is_punctuation(form: &str, upos: &str) -> bool {
    upos == "PUNCT" || (!form.is_empty() && form.chars().all(is_punctuation_character))
}

fn is_punctuation_character(c: char) -> bool {
    match c {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        '\u{2044}' | '\u{2052}' => false,
        c if c.is_ascii() => c.is_ascii_punctuation(),
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '؟' | '،' | '؛' | '।' => true,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' => true,
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '・' => true,
        '！'..='＃' | '％'..='＊' | '，'..='／' | '：' | '；' | '？' | '＠' | '［'..='］' | '＿' => {
            true
        }
        '｛' | '｝' | '｟'..='･' => true,
        _ => false,
    }
}
