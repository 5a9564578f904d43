//! The most frequent words of both sides of the training pairs: those that sparse features tell apart, all others being one.
//! Learnt in training, kept in the bundle as text, most frequent first: `source das`, `target the`.

use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::Path;
use treeglot_text::{Lines, Output, Side};

/// What sparse features are learnt of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SparseSettings {
    /// How many words of each side have features of their own.
    pub words: usize,
}

impl Default for SparseSettings {
    fn default() -> Self {
        Self { words: 80 }
    }
}

impl SparseSettings {
    /// The most words of a side: pairs of these have a weight each.
    pub const MOST: usize = 4000;

    /// An error for a setting that cannot be.
    pub fn check(&self) -> Result<()> {
        match self.words {
            0..=Self::MOST => Ok(()),
            _ => Err(Error::Settings(format!("sparse.words: expected at most {}", Self::MOST))),
        }
    }
}

/// The most frequent words of both sides, each side's in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrequentWords {
    sides: [Vec<String>; 2],
}

impl FrequentWords {
    /// Counts the words of two files.
    pub fn learn(files: [&Path; 2], settings: &SparseSettings) -> Result<Self> {
        let [source, target] = files.map(|file| most_frequent(file, settings.words));
        Ok(Self { sides: [source?, target?] })
    }

    /// The words of a side.
    pub fn of(&self, side: Side) -> &[String] {
        &self.sides[side.index()]
    }

    /// Reads a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut words = Self::default();
        while let Some(line) = lines.next_line()? {
            let named = line.split_once(' ').filter(|(_, word)| !word.is_empty() && !word.contains(' '));
            let side = named.and_then(|(side, word)| {
                Some((Side::BOTH.into_iter().find(|known| known.name() == side)?, word))
            });
            let Some((side, word)) = side else {
                return Err(lines.malformed("expected `source WORD` or `target WORD`").into());
            };
            let of_side = &mut words.sides[side.index()];
            if of_side.len() == SparseSettings::MOST {
                return Err(lines
                    .malformed(format!("expected at most {} words a side", SparseSettings::MOST))
                    .into());
            }
            of_side.push(word.to_string());
        }
        Ok(words)
    }

    /// Writes a file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut out = Output::create(path)?;
        for side in Side::BOTH {
            for word in self.of(side) {
                writeln!(out, "{} {word}", side.name()).map_err(|e| out.error(e))?;
            }
        }
        Ok(out.finish()?)
    }
}

/// The most frequent words of a file; of equally frequent ones, the first of the alphabet.
fn most_frequent(file: &Path, count: usize) -> Result<Vec<String>> {
    let mut counts: FxHashMap<String, u64> = FxHashMap::default();
    let mut lines = Lines::open(file)?;
    while let Some(line) = lines.next_line()? {
        for word in line.split_ascii_whitespace() {
            match counts.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(counts.insert(word.to_string(), 1)),
            }
        }
    }
    let mut words: Vec<(String, u64)> = counts.into_iter().collect();
    words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(count);
    Ok(words.into_iter().map(|(word, _)| word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_words_of_each_side_are_kept_in_order_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let [source, target, kept] = ["a", "b", "kept"].map(|name| folder.path().join(name));
        std::fs::write(&source, "das das auto\nein haus\n").unwrap();
        std::fs::write(&target, "the = the\n").unwrap();
        let words = FrequentWords::learn([&source, &target], &SparseSettings { words: 2 }).unwrap();
        assert_eq!(
            (words.of(Side::Source), words.of(Side::Target)),
            (&["das", "auto"].map(str::to_string)[..], &["the", "="].map(str::to_string)[..])
        );
        words.write(&kept).unwrap();
        assert_eq!(FrequentWords::read(&kept).unwrap(), words);
        std::fs::write(&kept, "source das\nhaus\n").unwrap();
        let error = FrequentWords::read(&kept).unwrap_err().to_string();
        assert!(error.contains("kept:2: expected `source WORD`"), "{error}");
    }
}
