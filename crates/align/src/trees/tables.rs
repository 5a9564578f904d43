//! The two lexical tables of the word aligner, as the sub-tree aligner looks words up in them.

use super::files::TreePair;
use crate::error::Result;
use crate::lex::{LexTable, NULL};
use rustc_hash::FxHashMap;
use std::io::BufRead;
use std::path::Path;
use treeglot_text::Lines;
use treeglot_text::vocab::{Sym, Vocab};

/// Probabilities of words given words of the other side, in both directions.
#[derive(Default)]
pub struct LexicalTables {
    /// Words of the source and of the target.
    vocabs: [Vocab; 2],
    /// `p(source|target)` by source and target word.
    source_given_target: FxHashMap<(Sym, Sym), f32>,
    /// `p(target|source)`, likewise by source and target word.
    target_given_source: FxHashMap<(Sym, Sym), f32>,
}

/// A word as the tables know it; `None` for one that they do not have.
pub type Known = Option<Sym>;

impl LexicalTables {
    /// Reads the tables `PREFIX.f2e` and `PREFIX.e2f` that `treeglot align --lex PREFIX` writes, packed or not.
    pub fn open(prefix: &Path) -> Result<Self> {
        let mut tables = Self::default();
        for table in LexTable::BOTH {
            tables.read(&mut table.open(prefix)?, table)?;
        }
        Ok(tables)
    }

    /// Reads one of the two tables.
    pub fn read<R: BufRead>(&mut self, lines: &mut Lines<R>, table: LexTable) -> Result<()> {
        let Self { vocabs: [sources, targets], source_given_target, target_given_source } = self;
        table.read(lines, |source, target, probability| {
            let key = (sources.intern(source), targets.intern(target));
            let table = match table {
                LexTable::TargetGivenSource => &mut *target_given_source,
                LexTable::SourceGivenTarget => &mut *source_given_target,
            };
            table.insert(key, probability as f32);
        })
    }

    /// A word of a side (0 for the source, 1 for the target): as it is or, if the tables do not have it so, in lower case.
    pub fn word(&self, side: usize, form: &str) -> Known {
        let vocab = &self.vocabs[side];
        vocab.get(form).or_else(|| vocab.get(&form.to_lowercase()))
    }

    /// Whether pairs of trees are given the other way round than the tables are: their words are mostly those of the other side.
    pub fn are_for_swapped(&self, pairs: &[TreePair]) -> bool {
        let known = |swapped: usize| {
            let sides = pairs.iter().flat_map(|pair| pair.iter().enumerate());
            let words = sides.flat_map(|(side, tree)| {
                tree.iter().flat_map(move |tree| tree.words.iter().map(move |word| (side, word)))
            });
            words
                .filter(|(side, word)| {
                    word.contains(char::is_alphabetic) && self.word(side ^ swapped, word).is_some()
                })
                .count()
        };
        let (as_given, swapped) = (known(0), known(1));
        swapped > 20 && swapped > 3 * as_given
    }

    /// The empty word of a side.
    pub fn empty(&self, side: usize) -> Known {
        self.vocabs[side].get(NULL)
    }

    /// `p(source|target)` and `p(target|source)`; 0 for pairs that are not in the tables.
    pub fn pair(&self, source: Known, target: Known) -> [f64; 2] {
        let (Some(source), Some(target)) = (source, target) else { return [0.0; 2] };
        let get = |table: &FxHashMap<(Sym, Sym), f32>| {
            table.get(&(source, target)).map_or(0.0, |&probability| f64::from(probability))
        };
        [get(&self.source_given_target), get(&self.target_given_source)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(f2e: &'static str, e2f: &'static str) -> Result<LexicalTables> {
        let lines = |text: &'static str| Lines::new("lex", text.as_bytes());
        let mut tables = LexicalTables::default();
        tables.read(&mut lines(f2e), LexTable::TargetGivenSource)?;
        tables.read(&mut lines(e2f), LexTable::SourceGivenTarget)?;
        Ok(tables)
    }

    #[test]
    fn words_are_looked_up_in_both_directions_and_in_lower_case() {
        let tables = tables("house haus 0.75\n", "haus house 0.5\n").unwrap();
        let (haus, house) = (tables.word(0, "Haus"), tables.word(1, "house"));
        assert_eq!(tables.pair(haus, house), [0.5, 0.75]);
        assert_eq!(tables.pair(tables.word(0, "house"), house), [0.0, 0.0]);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_place() {
        for text in ["house haus\n", "house haus x\n", "house haus 1.5\n", "house haus 0.5 1\n"] {
            let error = tables(text, "").err().unwrap().to_string();
            assert_eq!(error, "lex:1: expected `word given-word probability`", "{text}");
        }
    }
}
