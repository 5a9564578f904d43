//! Lexical tables by relative frequency over the final links (Koehn et al. 2003, section 4.4), in Moses' format: what
//! lexical weights of rules and the sub-tree aligner are computed from.

use crate::corpus::Corpus;
use crate::links::Link;
use rustc_hash::FxHashMap;
use std::io::{self, Write};

/// The name of the empty word in the tables.
pub const NULL: &str = "NULL";

const NO_WORD: u32 = u32::MAX;

/// Counts linked word pairs; words without a link count with the empty word.
#[derive(Debug, Default)]
pub struct LexCounts {
    pairs: FxHashMap<(u32, u32), u32>,
    linked: Vec<bool>,
}

/// Which of the two tables is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Lines `tgt src p(tgt|src)`: Moses' `lex.f2e`.
    TargetGivenSource,
    /// Lines `src tgt p(src|tgt)`: Moses' `lex.e2f`.
    SourceGivenTarget,
}

impl LexCounts {
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

    /// Adds counts over other numbers: `source` and `target` give the numbers here.
    pub fn merge(
        &mut self,
        other: &Self,
        mut source: impl FnMut(u32) -> u32,
        mut target: impl FnMut(u32) -> u32,
    ) {
        for (&(e, f), &n) in &other.pairs {
            let e = if e == NO_WORD { e } else { source(e) };
            let f = if f == NO_WORD { f } else { target(f) };
            *self.pairs.entry((e, f)).or_default() += n;
        }
    }

    /// Writes a table, sorted by the given word, then the other.
    pub fn write(&self, corpus: &Corpus, table: Table, out: &mut impl Write) -> io::Result<()> {
        self.write_with(|id| corpus.src.words.text(id), |id| corpus.tgt.words.text(id), table, out)
    }

    /// Writes a table; `source` and `target` give the words of numbers.
    pub fn write_with<'w>(
        &self,
        source: impl Fn(u32) -> &'w str,
        target: impl Fn(u32) -> &'w str,
        table: Table,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let text = |src: bool, id: u32| match (id, src) {
            (NO_WORD, _) => NULL,
            (_, true) => source(id),
            (_, false) => target(id),
        };
        let given_src = table == Table::TargetGivenSource;
        let mut lines: Vec<(&str, &str, u32)> = self
            .pairs
            .iter()
            .map(|(&(e, f), &n)| {
                let (src, tgt) = (text(true, e), text(false, f));
                if given_src { (src, tgt, n) } else { (tgt, src, n) }
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

    #[test]
    fn tables_are_relative_frequencies_with_the_empty_word() {
        let corpus = Corpus::from_pairs([("das haus", "the house"), ("das", "the it")]).unwrap();
        let mut counts = LexCounts::default();
        counts.add(corpus.src.sentence(0), corpus.tgt.sentence(0), &[Link::new(0, 0), Link::new(1, 1)]);
        counts.add(corpus.src.sentence(1), corpus.tgt.sentence(1), &[Link::new(0, 1)]);
        let write = |table| {
            let mut out = Vec::new();
            counts.write(&corpus, table, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            write(Table::TargetGivenSource),
            "the NULL 1.0000000\nit das 0.5000000\nthe das 0.5000000\nhouse haus 1.0000000\n"
        );
        assert_eq!(
            write(Table::SourceGivenTarget),
            "haus house 1.0000000\ndas it 1.0000000\nNULL the 0.5000000\ndas the 0.5000000\n"
        );
    }

    #[test]
    fn merged_counts_are_those_of_all_pairs() {
        let (mut whole, mut part, mut other) =
            (LexCounts::default(), LexCounts::default(), LexCounts::default());
        whole.add(&[0, 1], &[0, 1], &[Link::new(0, 0)]);
        whole.add(&[1], &[0], &[Link::new(0, 0)]);
        part.add(&[0, 1], &[0, 1], &[Link::new(0, 0)]);
        other.add(&[7], &[9], &[Link::new(0, 0)]);
        part.merge(&other, |_| 1, |_| 0);
        assert_eq!(whole.pairs, part.pairs);
    }
}
