//! Lexical weights (Koehn et al. 2003, section 4.4): for each word of one side the mean over its links of the
//! probability of the word given the one it is linked to, or given the empty word where it has no link.

use crate::code;
use crate::count::{Count, Counted};
use crate::error::Result;
use crate::instance::RuleLink;
use crate::symbol::{Kind, Symbol};
use rustc_hash::FxHashMap;
use std::path::Path;
use treeglot_align::{LexTable, NULL};
use treeglot_text::vocab::{Sym, Vocab};

const NO_WORD: Sym = Sym(u32::MAX);

/// Probabilities of words given words, in both directions.
#[derive(Debug, Default)]
pub struct WordProbabilities {
    target_given_source: Words,
    source_given_target: Words,
}

/// Probabilities by given word and word.
#[derive(Debug, Default)]
struct Words(FxHashMap<(Sym, Sym), f64>);

impl Words {
    /// The probability of a word; 1 for a pair that is not in the table, as Moses has it.
    fn get(&self, word: Sym, given: Sym) -> f64 {
        self.0.get(&(given, word)).copied().unwrap_or(1.0)
    }

    /// Reads a table; words that no rule has are left out.
    fn open(prefix: &Path, table: LexTable, vocab: &Vocab) -> Result<Self> {
        let number = |word: &str| if word == NULL { Some(NO_WORD) } else { vocab.get(word) };
        let mut words = FxHashMap::default();
        table.read(&mut table.open(prefix)?, |source, target, probability| {
            if let (Some(source), Some(target)) = (number(source), number(target)) {
                let key = match table {
                    LexTable::TargetGivenSource => (source, target),
                    LexTable::SourceGivenTarget => (target, source),
                };
                words.insert(key, probability);
            }
        })?;
        Ok(Self(words))
    }

    /// The product over the words of the first side of the mean over their links of their probability given the word of the
    /// second side. `ends` gives the positions of a link in this order.
    fn weight(
        &self,
        [own, given]: [&[Symbol]; 2],
        links: &[RuleLink],
        ends: impl Fn(&RuleLink) -> [u8; 2],
    ) -> f64 {
        let words = own.iter().enumerate().filter_map(|(at, symbol)| Some((at, symbol_word(*symbol)?)));
        let of_word = |(at, own): (usize, Sym)| {
            let links = links.iter().map(&ends).filter(|ends| usize::from(ends[0]) == at);
            let linked = links.filter_map(|ends| word(given, ends[1]));
            mean(linked.map(|given| self.get(own, given))).unwrap_or_else(|| self.get(own, NO_WORD))
        };
        words.map(of_word).product()
    }

    /// Relative frequencies of joint counts.
    fn estimate(joint: &FxHashMap<(Sym, Sym), Count>) -> Self {
        let mut totals: FxHashMap<Sym, Count> = FxHashMap::default();
        for (&(given, _), &count) in joint {
            totals.entry(given).or_default().add(count);
        }
        Self(
            joint
                .iter()
                .map(|(&(given, word), count)| ((given, word), count.value() / totals[&given].value()))
                .collect(),
        )
    }
}

impl WordProbabilities {
    /// Reads the tables `PREFIX.f2e` and `PREFIX.e2f`. Words named `NULL` in a rule have the empty word's probabilities,
    /// as in Moses.
    pub fn open(prefix: &Path, vocab: &Vocab) -> Result<Self> {
        Ok(Self {
            target_given_source: Words::open(prefix, LexTable::TargetGivenSource, vocab)?,
            source_given_target: Words::open(prefix, LexTable::SourceGivenTarget, vocab)?,
        })
    }

    /// Relative frequencies of the links that the instances themselves have.
    pub fn estimate(counted: &mut Counted) -> Result<Self> {
        let (mut forward, mut backward) = (FxHashMap::default(), FxHashMap::default());
        let (mut source, mut target) = (Vec::new(), Vec::new());
        counted.for_each(|rule, count| {
            source.clear();
            source.extend(code::Symbols(rule.source));
            target.clear();
            target.extend(code::Symbols(rule.target));
            let mut pair = |source: Sym, target: Sym| {
                forward.entry((source, target)).or_insert_with(Count::default).add(count);
                backward.entry((target, source)).or_insert_with(Count::default).add(count);
            };
            for link in rule.links {
                if let (Some(s), Some(t)) = (word(&source, link.src), word(&target, link.tgt)) {
                    pair(s, t);
                }
            }
            for i in (0..source.len()).filter(|&i| !rule.links.iter().any(|link| usize::from(link.src) == i))
            {
                word(&source, i as u8).into_iter().for_each(|s| pair(s, NO_WORD));
            }
            for j in (0..target.len()).filter(|&j| !rule.links.iter().any(|link| usize::from(link.tgt) == j))
            {
                word(&target, j as u8).into_iter().for_each(|t| pair(NO_WORD, t));
            }
        })?;
        Ok(Self {
            target_given_source: Words::estimate(&forward),
            source_given_target: Words::estimate(&backward),
        })
    }

    /// `lex(t|s)` of a rule under these links.
    pub fn target_given_source(&self, source: &[Symbol], target: &[Symbol], links: &[RuleLink]) -> f64 {
        self.target_given_source.weight([target, source], links, |link| [link.tgt, link.src])
    }

    /// `lex(s|t)` of a rule under these links.
    pub fn source_given_target(&self, source: &[Symbol], target: &[Symbol], links: &[RuleLink]) -> f64 {
        self.source_given_target.weight([source, target], links, |link| [link.src, link.tgt])
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn symbol_word(symbol: Symbol) -> Option<Sym> {
    match symbol.kind() {
        Kind::Word(sym) => Some(sym),
        _ => None,
    }
}

fn word(side: &[Symbol], at: u8) -> Option<Sym> {
    side.get(usize::from(at)).copied().and_then(symbol_word)
}
