//! Lexical tables in Moses' format: by relative frequency over the final links (Koehn et al. 2003, section 4.4), which lexical
//! weights of rules are computed from, or by how often a model expects links, which sub-tree alignment is computed from
//! (Tinsley et al. 2007).

use crate::corpus::{Corpus, Words};
use crate::error::Result;
use crate::links::Link;
use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use treeglot_text::Lines;
use treeglot_text::column::{BATCH, Column, MemoryBudget};

/// The name of the empty word in the tables.
pub const NULL: &str = "NULL";

/// About how many bytes a counted pair takes in memory.
const BYTES_A_PAIR: usize = 40;

/// What a link counts. Expected links are rounded to such units, so that sums do not depend on their order.
const ONE: u64 = 1 << 20;

/// Counts links of word pairs, drawn or expected; words without a link count with the empty word. Past the memory limit, counts go to sorted
/// runs on disk.
pub struct LexCounts<'c> {
    space: &'c MemoryBudget,
    src: Ranks<'c>,
    tgt: Ranks<'c>,
    pairs: FxHashMap<[u32; 2], u64>,
    runs: Vec<Column<Counted>>,
    linked: Vec<bool>,
}

/// The words of a side, and the empty word, by text.
struct Ranks<'c> {
    words: &'c Words,
    /// By word id; the empty word's comes last.
    rank: Vec<u32>,
    /// A word of each rank.
    word: Vec<u32>,
}

/// How often a pair is linked, by ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
struct Counted {
    given: u32,
    other: u32,
    times: u64,
}

/// Which of the two tables is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LexTable {
    /// Lines `tgt src p(tgt|src)`: Moses' `lex.f2e`.
    TargetGivenSource,
    /// Lines `src tgt p(src|tgt)`: Moses' `lex.e2f`.
    SourceGivenTarget,
}

impl LexTable {
    /// Both tables.
    pub const BOTH: [Self; 2] = [Self::TargetGivenSource, Self::SourceGivenTarget];

    /// What its file is called after the prefix: `.f2e` or `.e2f`.
    pub fn ending(self) -> &'static str {
        match self {
            Self::TargetGivenSource => ".f2e",
            Self::SourceGivenTarget => ".e2f",
        }
    }

    /// Its file.
    pub fn path(self, prefix: &Path) -> PathBuf {
        let mut path = prefix.as_os_str().to_owned();
        path.push(self.ending());
        path.into()
    }

    /// Opens its file, or the same packed.
    pub fn open(self, prefix: &Path) -> Result<Lines> {
        let plain = self.path(prefix);
        let packed = |ending: &str| {
            let mut path = plain.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        };
        let other = [".gz", ".zst"].map(packed).into_iter().find(|path| !plain.exists() && path.exists());
        Ok(Lines::open(other.unwrap_or(plain))?)
    }

    /// Hands every line of the table to `take`, as source word, target word and probability.
    pub fn read<R: BufRead>(self, lines: &mut Lines<R>, mut take: impl FnMut(&str, &str, f64)) -> Result<()> {
        while let Some(line) = lines.next_line()? {
            let mut fields = line.split_ascii_whitespace();
            let (word, given, number) = (fields.next(), fields.next(), fields.next());
            let probability = number.and_then(|text| text.parse::<f64>().ok());
            let (Some(word), Some(given), Some(probability), None) =
                (word, given, probability.filter(|p| (0.0..=1.0).contains(p)), fields.next())
            else {
                return Err(lines.malformed("expected `word given-word probability`").into());
            };
            match self {
                Self::TargetGivenSource => take(given, word, probability),
                Self::SourceGivenTarget => take(word, given, probability),
            }
        }
        Ok(())
    }
}

impl<'c> Ranks<'c> {
    fn of(words: &'c Words) -> Self {
        let empty = words.len() as u32;
        let mut sorted: Vec<u32> = (0..=empty).collect();
        let text = |id: u32| if id == empty { NULL } else { words.text(id) };
        sorted.sort_unstable_by_key(|&id| text(id));
        let (mut rank, mut word) = (vec![0; sorted.len()], Vec::<u32>::with_capacity(sorted.len()));
        for id in sorted {
            if word.last().is_none_or(|&last| text(last) != text(id)) {
                word.push(id);
            }
            rank[id as usize] = word.len() as u32 - 1;
        }
        Self { words, rank, word }
    }

    fn empty(&self) -> u32 {
        self.rank[self.words.len()]
    }

    fn text(&self, rank: u32) -> &str {
        let id = self.word[rank as usize];
        if id as usize == self.words.len() { NULL } else { self.words.text(id) }
    }
}

impl<'c> LexCounts<'c> {
    /// No counts of the words of this corpus yet.
    pub fn new(corpus: &'c Corpus) -> Self {
        let (src, tgt) = (Ranks::of(&corpus.src.words), Ranks::of(&corpus.tgt.words));
        let (pairs, runs, linked) = (FxHashMap::default(), Vec::new(), Vec::new());
        Self { space: &corpus.space, src, tgt, pairs, runs, linked }
    }

    /// Counts the links of one pair.
    pub fn add(&mut self, src: &[u32], tgt: &[u32], links: &[Link]) -> Result<()> {
        self.linked.clear();
        self.linked.resize(src.len() + tgt.len(), false);
        for link in links {
            let (i, j) = (link.src as usize, link.tgt as usize);
            let pair = [self.src.rank[src[i] as usize], self.tgt.rank[tgt[j] as usize]];
            *self.pairs.entry(pair).or_default() += ONE;
            self.linked[i] = true;
            self.linked[src.len() + j] = true;
        }
        let (no_src, no_tgt) = (self.src.empty(), self.tgt.empty());
        let of_src = src.iter().map(|&e| [self.src.rank[e as usize], no_tgt]);
        let of_tgt = tgt.iter().map(|&f| [no_src, self.tgt.rank[f as usize]]);
        for (pair, _) in of_src.chain(of_tgt).zip(&self.linked).filter(|&(_, &linked)| !linked) {
            *self.pairs.entry(pair).or_default() += ONE;
        }
        self.end_run_if_full()
    }

    /// Counts links by their probabilities: of words of either side, `None` for the empty word.
    pub(crate) fn add_expected(
        &mut self,
        links: impl Iterator<Item = (Option<u32>, Option<u32>, f32)>,
    ) -> Result<()> {
        for (src, tgt, probability) in links {
            let units = (f64::from(probability) * ONE as f64).round() as u64;
            if units > 0 {
                let src = src.map_or(self.src.empty(), |word| self.src.rank[word as usize]);
                let tgt = tgt.map_or(self.tgt.empty(), |word| self.tgt.rank[word as usize]);
                *self.pairs.entry([src, tgt]).or_default() += units;
            }
        }
        self.end_run_if_full()
    }

    fn end_run_if_full(&mut self) -> Result<()> {
        if self.pairs.len() >= self.space.beside(BYTES_A_PAIR) { self.end_run() } else { Ok(()) }
    }

    fn end_run(&mut self) -> Result<()> {
        let counted = self.pairs.drain().map(|([given, other], times)| Counted { given, other, times });
        let run = sorted_run(counted.collect(), self.space)?;
        self.runs.push(run);
        Ok(())
    }

    /// One of the tables of what was counted.
    pub fn table(&mut self, table: LexTable) -> Result<Frequencies<'_>> {
        if !self.pairs.is_empty() {
            self.end_run()?;
        }
        let (src, tgt, space) = (&self.src, &self.tgt, self.space);
        if table == LexTable::TargetGivenSource {
            return Ok(Frequencies { given: src, other: tgt, space, runs: Runs::Counted(&self.runs) });
        }
        let invert =
            |&Counted { given, other, times }: &Counted| Counted { given: other, other: given, times };
        let inverted = self.runs.iter().map(|run| sorted_run(run.iter().map(invert).collect(), space));
        Ok(Frequencies {
            given: tgt,
            other: src,
            space,
            runs: Runs::Inverted(inverted.collect::<Result<_>>()?),
        })
    }
}

/// A table to be written.
pub struct Frequencies<'a> {
    given: &'a Ranks<'a>,
    other: &'a Ranks<'a>,
    space: &'a MemoryBudget,
    runs: Runs<'a>,
}

/// Sorted runs: as they were counted, or with given and other word exchanged.
enum Runs<'a> {
    Counted(&'a [Column<Counted>]),
    Inverted(Vec<Column<Counted>>),
}

impl Frequencies<'_> {
    /// Writes the table, sorted by the given word, then the other: each given word's lines when all of them are known.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_above(0.0, out)
    }

    /// The same without what is less probable than `threshold`.
    pub fn write_above(&self, threshold: f64, out: &mut impl Write) -> io::Result<()> {
        let runs = match &self.runs {
            Runs::Counted(runs) => runs,
            Runs::Inverted(runs) => &runs[..],
        };
        let head = |run: usize, at: usize| runs[run].get(at).map(|&counted| Reverse((counted, run, at)));
        let mut heads: BinaryHeap<_> = (0..runs.len()).filter_map(|run| head(run, 0)).collect();
        let mut group: Vec<Counted> = Vec::new();
        while let Some(Reverse((counted, run, at))) = heads.pop() {
            heads.extend(head(run, at + 1));
            if at % BATCH == 0 {
                self.space.trim();
            }
            match group.last_mut() {
                Some(last) if last.given != counted.given => {
                    self.write_group(&group, threshold, out)?;
                    group.clear();
                    group.push(counted);
                }
                Some(last) if last.other == counted.other => last.times += counted.times,
                _ => group.push(counted),
            }
        }
        self.write_group(&group, threshold, out)
    }

    fn write_group(&self, group: &[Counted], threshold: f64, out: &mut impl Write) -> io::Result<()> {
        let total: u64 = group.iter().map(|counted| counted.times).sum();
        for counted in group {
            let p = counted.times as f64 / total as f64;
            if p >= threshold {
                writeln!(
                    out,
                    "{} {} {p:.7}",
                    self.other.text(counted.other),
                    self.given.text(counted.given)
                )?;
            }
        }
        Ok(())
    }
}

fn sorted_run(mut counted: Vec<Counted>, space: &MemoryBudget) -> Result<Column<Counted>> {
    counted.sort_unstable();
    let mut run = space.writer_of(counted.len());
    run.extend(&counted)?;
    space.trim();
    Ok(run.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_relative_frequencies_with_the_empty_word() {
        let corpus = Corpus::from_pairs([("das haus", "the house"), ("das", "the it")]).unwrap();
        let mut counts = LexCounts::new(&corpus);
        let mut add = |s: usize, links: &[Link]| {
            counts.add(corpus.src.sentence(s), corpus.tgt.sentence(s), links).unwrap();
        };
        add(0, &[Link::new(0, 0), Link::new(1, 1)]);
        add(1, &[Link::new(0, 1)]);
        let mut write = |table| {
            let mut out = Vec::new();
            counts.table(table).unwrap().write(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            write(LexTable::TargetGivenSource),
            "the NULL 1.0000000\nit das 0.5000000\nthe das 0.5000000\nhouse haus 1.0000000\n"
        );
        assert_eq!(
            write(LexTable::SourceGivenTarget),
            "haus house 1.0000000\ndas it 1.0000000\nNULL the 0.5000000\ndas the 0.5000000\n"
        );
    }
}
