//! Pieces of words: byte pair encoding (Sennrich et al. 2016). Words that a language makes of many parts are seen once, their parts often.
//! What was learnt from training text (`learn`) cuts words into pieces before models see them, and pieces are put together again in
//! what models write.
//!
//! A piece that goes on in the next one ends with [`JOINER`]: `jan￭ iw￭ a`. Another way to cut words of a language that is translated from are the
//! parts of compounds (`compound`), which stay words. [`Cutter`] is either.
//!
//! ```
//! use treeglot_text::subword::{Learner, join};
//!
//! let mut learner = Learner::default();
//! (0..3).for_each(|_| learner.add("utaxa utaru markaxa"));
//! let pieces = learner.learn(5);
//! let mut cut = String::new();
//! pieces.worker().segment("markaru", &mut cut);
//! assert_eq!(cut.replace(['￭', ' '], ""), "markaru");
//! let mut joined = String::new();
//! join(&cut, &mut joined);
//! assert_eq!(joined, "markaru");
//! ```

mod compound;
mod learn;

pub use compound::{Compounds, linking};
pub use learn::Learner;

use crate::error::{Error, Result};
use crate::io::Output;
use crate::lines::Lines;
use rustc_hash::FxHashMap;
use std::io::{BufRead, Write};
use std::path::Path;

/// What a piece ends with that goes on in the next one.
pub const JOINER: char = '￭';

/// Stands for a [`JOINER`] that a word has of its own: a character of private use.
const OWN_JOINER: char = '\u{f8fd}';

/// The first line of a file.
const MAGIC: &str = "treeglot subwords 1";

/// Words are cut after so many characters before anything else, so that no word takes long.
const LONGEST: usize = 100;

/// How many words a worker remembers.
const REMEMBERED: usize = 1 << 16;

/// A number of a piece; those of characters that were never seen are all [`UNSEEN`].
type PieceId = u32;

const UNSEEN: PieceId = PieceId::MAX;

/// Pieces as they were learnt: characters, and which two neighbours are put together, the most frequent first.
#[derive(Debug, Clone, Default)]
pub struct Subwords {
    pieces: Vec<String>,
    ids: FxHashMap<String, PieceId>,
    merges: Vec<[PieceId; 2]>,
    /// What neighbours become; earlier merges have smaller numbers.
    merged: FxHashMap<[PieceId; 2], (u32, PieceId)>,
}

impl Subwords {
    fn intern(&mut self, piece: String) -> PieceId {
        let next = self.pieces.len() as PieceId;
        *self.ids.entry(piece).or_insert_with_key(|piece| {
            self.pieces.push(piece.clone());
            next
        })
    }

    /// Puts two neighbours together from now on; nothing new for a pair that is put together already.
    fn merge(&mut self, pair: [PieceId; 2]) -> PieceId {
        let [left, right] = pair.map(|piece| self.pieces[piece as usize].as_str());
        let whole = self.intern([left.trim_end_matches(JOINER), right].concat());
        let rank = self.merges.len() as u32;
        self.merged.entry(pair).or_insert_with(|| {
            self.merges.push(pair);
            (rank, whole)
        });
        whole
    }

    /// How many pairs of neighbours are put together.
    pub fn len(&self) -> usize {
        self.merges.len()
    }

    /// Whether words are cut into characters.
    pub fn is_empty(&self) -> bool {
        self.merges.is_empty()
    }

    /// Writes a line for each pair of neighbours.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut out = Output::create(path)?;
        let mut lines = vec![MAGIC.to_string()];
        lines.extend(
            self.merges.iter().map(|pair| pair.map(|piece| self.pieces[piece as usize].as_str()).join(" ")),
        );
        for line in lines {
            writeln!(out, "{line}").map_err(|e| out.error(e))?;
        }
        out.finish()
    }

    /// Reads what [`Subwords::write`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(&mut Lines::open(path)?)
    }

    /// The same from lines.
    pub fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        if lines.next_line()? != Some(MAGIC) {
            return Err(lines.malformed(format!("no pieces of words: the first line should be `{MAGIC}`")));
        }
        let mut read = Self::default();
        while let Some(line) = lines.next_line()? {
            let pair = line.split_once(' ').map(|(left, right)| [left, right].map(str::to_string));
            let Some(pair) = pair.filter(are_neighbours) else {
                return Err(not_neighbours(lines));
            };
            let pair = pair.map(|piece| read.intern(piece));
            if read.merged.contains_key(&pair) {
                return Err(lines.malformed("these pieces are put together by an earlier line"));
            }
            read.merge(pair);
        }
        Ok(read)
    }

    /// Cuts words, with buffers of its own.
    pub fn worker(&self) -> CutWorker<'_> {
        CutWorker::new(self)
    }

    /// Puts neighbours together, those first that were learnt first.
    fn cut(&self, symbols: &mut Vec<String>) {
        let id = |symbol: &String| self.ids.get(symbol).copied().unwrap_or(UNSEEN);
        let mut ids: Vec<PieceId> = symbols.iter().map(id).collect();
        let of = |pair: &[PieceId]| self.merged.get(&[pair[0], pair[1]]).copied();
        while let Some((rank, whole)) = ids.windows(2).filter_map(of).min() {
            let pair = self.merges[rank as usize];
            let (mut from, mut to) = (0, 0);
            while from < ids.len() {
                let here = ids[from..].starts_with(&pair);
                if here {
                    symbols[to].clone_from(&self.pieces[whole as usize]);
                    ids[to] = whole;
                } else {
                    symbols.swap(to, from);
                    ids[to] = ids[from];
                }
                from += if here { 2 } else { 1 };
                to += 1;
            }
            symbols.truncate(to);
            ids.truncate(to);
        }
    }
}

/// A way to cut words.
pub trait Cut: Sync {
    /// Appends what a word is cut into, separated by blanks; how many these are.
    fn cut_word(&self, word: &str, out: &mut String) -> u32;
}

impl Cut for Subwords {
    fn cut_word(&self, word: &str, out: &mut String) -> u32 {
        let letters: Vec<char> = word.chars().map(|c| if c == JOINER { OWN_JOINER } else { c }).collect();
        let mut count = 0;
        for (number, part) in letters.chunks(LONGEST).enumerate() {
            let is_last = (number + 1) * LONGEST >= letters.len();
            let mut symbols: Vec<String> = part.iter().map(|c| format!("{c}{JOINER}")).collect();
            if let (true, Some(last)) = (is_last, symbols.last_mut()) {
                last.pop();
            }
            self.cut(&mut symbols);
            for symbol in symbols {
                out.push_str(if count == 0 { "" } else { " " });
                out.push_str(&symbol);
                count += 1;
            }
        }
        count
    }
}

/// What a file says of how words are cut.
#[derive(Debug)]
pub enum Cutter {
    /// Into pieces by byte pair encoding.
    Pieces(Subwords),
    /// Compounds into their parts.
    Parts(Compounds),
}

impl Cutter {
    /// Reads a file of either kind.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let first = Lines::open(path.as_ref())?.next_line()?.map(str::to_string);
        Ok(match first.as_deref() {
            Some(compound::MAGIC) => Self::Parts(Compounds::open(path)?),
            _ => Self::Pieces(Subwords::open(path)?),
        })
    }

    /// Cuts words, with buffers of its own.
    pub fn worker(&self) -> CutWorker<'_> {
        match self {
            Self::Pieces(subwords) => subwords.worker(),
            Self::Parts(compounds) => compounds.worker(),
        }
    }
}

fn not_neighbours<R: BufRead>(lines: &Lines<R>) -> Error {
    lines.malformed(format!("should be two pieces with a blank between, the first ending with `{JOINER}`"))
}

/// Whether two pieces can stand side by side: the first goes on in the second, and neither has a joiner or a blank elsewhere.
fn are_neighbours(pair: &[String; 2]) -> bool {
    let sound = |piece: &String| {
        let inner = piece.strip_suffix(JOINER).unwrap_or(piece);
        !inner.is_empty() && !inner.contains(|c: char| c == JOINER || c.is_ascii_whitespace())
    };
    pair.iter().all(sound) && pair[0].ends_with(JOINER)
}

/// Cuts words and remembers how frequent ones are cut.
pub struct CutWorker<'s> {
    cut: &'s dyn Cut,
    known: FxHashMap<String, (String, u32)>,
}

impl<'s> CutWorker<'s> {
    fn new(cut: &'s dyn Cut) -> Self {
        Self { cut, known: FxHashMap::default() }
    }

    /// Appends the pieces of words, separated by blanks.
    pub fn segment(&mut self, words: &str, out: &mut String) {
        self.segment_with(words, out, |_| ());
    }

    /// The same; `each` is told of how many pieces each word is.
    pub fn segment_with(&mut self, words: &str, out: &mut String, mut each: impl FnMut(u32)) {
        for (number, word) in words.split_ascii_whitespace().enumerate() {
            out.push_str(if number == 0 { "" } else { " " });
            if !self.known.contains_key(word) {
                if self.known.len() >= REMEMBERED {
                    self.known.clear();
                }
                let mut pieces = String::new();
                let count = self.cut.cut_word(word, &mut pieces);
                self.known.insert(word.to_string(), (pieces, count));
            }
            if let Some((pieces, count)) = self.known.get(word) {
                out.push_str(pieces);
                each(*count);
            }
        }
    }
}

/// Appends the words that pieces are of. What goes on at the end of the line ends there.
pub fn join(pieces: &str, out: &mut String) {
    let mut goes_on = true;
    for piece in pieces.split_ascii_whitespace() {
        out.push_str(if goes_on { "" } else { " " });
        let inner = piece.strip_suffix(JOINER);
        goes_on = inner.is_some();
        out.extend(inner.unwrap_or(piece).chars().map(|c| if c == OWN_JOINER { JOINER } else { c }));
    }
}

/// Whether a piece goes on in the next one.
pub fn goes_on(piece: &str) -> bool {
    piece.ends_with(JOINER)
}

#[cfg(test)]
mod tests;
