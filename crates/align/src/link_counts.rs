//! Counts of linked words over vocabularies that still grow: lexical tables of a corpus that is read once, chunk by
//! chunk on all threads. [`crate::lex`] does the same within a memory limit where all words are known beforehand.

use crate::lex::{LexTable, NULL};
use crate::links::Link;
use rustc_hash::FxHashMap;
use std::io::{self, Write};

const NO_WORD: u32 = u32::MAX;

/// Counts linked word pairs; words without a link count with the empty word.
#[derive(Debug, Default)]
pub struct LinkCounts {
    pairs: FxHashMap<(u32, u32), u32>,
    linked: Vec<bool>,
}

impl LinkCounts {
    /// Counts the links of one pair.
    pub fn add(&mut self, src: &[u32], tgt: &[u32], links: &[Link]) {
        self.linked.clear();
        self.linked.resize(src.len() + tgt.len(), false);
        for link in links {
            let (i, j) = (link.src as usize, link.tgt as usize);
            *self.pairs.entry((src[i], tgt[j])).or_default() += 1;
            self.linked[i] = true;
            self.linked[src.len() + j] = true;
        }
        let with_null = src.iter().map(|&e| (e, NO_WORD)).chain(tgt.iter().map(|&f| (NO_WORD, f)));
        for (pair, _) in with_null.zip(&self.linked).filter(|&(_, &linked)| !linked) {
            *self.pairs.entry(pair).or_default() += 1;
        }
    }

    /// Adds counts over other numbers; `number` gives those here.
    pub fn merge(&mut self, other: &Self, number: impl Fn(u32) -> u32) {
        let number = |id| if id == NO_WORD { id } else { number(id) };
        for (&(e, f), &n) in &other.pairs {
            *self.pairs.entry((number(e), number(f))).or_default() += n;
        }
    }

    /// Adds a count; no word is the empty word.
    pub fn add_count(&mut self, src: Option<u32>, tgt: Option<u32>, count: u32) {
        *self.pairs.entry((src.unwrap_or(NO_WORD), tgt.unwrap_or(NO_WORD))).or_default() += count;
    }

    /// All counts, in no order; no word is the empty word.
    pub fn iter(&self) -> impl Iterator<Item = (Option<u32>, Option<u32>, u32)> {
        let word = |id: u32| (id != NO_WORD).then_some(id);
        self.pairs.iter().map(move |(&(e, f), &n)| (word(e), word(f), n))
    }

    /// Writes a table, sorted by the given word, then the other; `text` gives the words of numbers.
    pub fn write<'w>(
        &self,
        text: impl Fn(u32) -> &'w str,
        table: LexTable,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let text = |id: u32| if id == NO_WORD { NULL } else { text(id) };
        let mut lines: Vec<(&str, &str, u32)> = self
            .pairs
            .iter()
            .map(|(&(e, f), &n)| match table {
                LexTable::TargetGivenSource => (text(e), text(f), n),
                LexTable::SourceGivenTarget => (text(f), text(e), n),
            })
            .collect();
        lines.sort_unstable();
        for group in lines.chunk_by(|a, b| a.0 == b.0) {
            let total: u64 = group.iter().map(|&(_, _, n)| u64::from(n)).sum();
            for (given, word, n) in group {
                writeln!(out, "{word} {given} {:.7}", f64::from(*n) / total as f64)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 5] = ["das", "haus", "the", "house", "it"];

    fn table(counts: &LinkCounts, table: LexTable) -> String {
        let mut out = Vec::new();
        counts.write(|id| WORDS[id as usize], table, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn tables_are_relative_frequencies_with_the_empty_word() {
        let mut counts = LinkCounts::default();
        counts.add(&[0, 1], &[2, 3], &[Link::new(0, 0), Link::new(1, 1)]);
        counts.add(&[0], &[2, 4], &[Link::new(0, 1)]);
        let expected = "the NULL 1.0000000\nit das 0.5000000\nthe das 0.5000000\nhouse haus 1.0000000\n";
        assert_eq!(table(&counts, LexTable::TargetGivenSource), expected);
    }

    #[test]
    fn parts_with_numbers_of_their_own_add_up() {
        let (mut whole, mut part) = (LinkCounts::default(), LinkCounts::default());
        whole.add(&[0], &[2], &[Link::new(0, 0)]);
        part.add(&[5], &[7], &[Link::new(0, 0)]);
        part.add(&[5], &[9], &[]);
        whole.merge(&part, |id| id - 5);
        let expected = "it NULL 1.0000000\nNULL das 0.3333333\nthe das 0.6666667\n";
        assert_eq!(table(&whole, LexTable::TargetGivenSource), expected);
    }
}
