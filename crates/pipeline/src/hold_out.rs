//! A development and a test set out of the training pairs, for users who have two files and no more.

use crate::error::{Error, Result};
use crate::recipe::PairFiles;
use rustc_hash::FxHashMap;
use std::io::Write;
use std::path::Path;
use treeglot_text::bitext::{Bitext, Options, Row};
use treeglot_text::{Output, Rng, Side};

/// One pair in so many is held out for each of the two sets.
const ONE_IN: usize = 20;
/// The most pairs of a set: enough to tune and to compare on.
const MOST: usize = 1000;
/// Fewer pairs than this a set say nothing.
const LEAST: usize = 10;
/// Sentences of more words are no good to tune on: they take long, and say little more.
const LONGEST: usize = 60;

/// What was held out, as files of pairs that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// The pairs that are left to train on.
    pub train: PairFiles,
    /// Pairs to tune on.
    pub dev: PairFiles,
    /// Pairs to evaluate on.
    pub test: PairFiles,
    /// How many pairs each of the two sets has.
    pub pairs: usize,
}

/// Divides pairs into a training, a development and a test set, written into `folder`; none if there are too few. The pairs
/// held out are drawn at random by the seed from those whose sentences occur once and are not too long, so that nothing that is
/// trained on is tested on.
pub fn hold_out(source: &Path, target: &Path, folder: &Path, seed: u64) -> Result<Option<HeldOut>> {
    let rows = draw(source, target, seed)?;
    let pairs = rows.len() / 2;
    if pairs < LEAST {
        return Ok(None);
    }
    let mut sets = vec![Set::Train; rows.iter().max().map_or(0, |last| last + 1)];
    for (number, &row) in rows.iter().enumerate() {
        sets[row] = if number % 2 == 0 { Set::Dev } else { Set::Test };
    }
    std::fs::create_dir_all(folder).map_err(Error::writing(folder))?;
    let file = |set: Set, side: Side| folder.join(format!("{}.{}", set.name(), side.name()));
    let files = |set: Set| PairFiles {
        name: set.name().to_string(),
        source: file(set, Side::Source),
        target: file(set, Side::Target),
        ..PairFiles::default()
    };
    let mut outputs = Vec::new();
    for set in Set::ALL {
        let both = Side::BOTH.map(|side| Output::create(file(set, side)));
        outputs.push(both.into_iter().collect::<treeglot_text::Result<Vec<_>>>()?);
    }
    let mut row = 0;
    for_each_pair(source, target, |texts| {
        let set = sets.get(row).copied().unwrap_or(Set::Train);
        row += 1;
        for (output, text) in outputs[set as usize].iter_mut().zip(texts) {
            writeln!(output, "{text}").map_err(|e| output.error(e))?;
        }
        Ok(())
    })?;
    for output in outputs.into_iter().flatten() {
        output.finish()?;
    }
    let [train, dev, test] = Set::ALL.map(files);
    Ok(Some(HeldOut { train, dev, test, pairs }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Train,
    Dev,
    Test,
}

impl Set {
    const ALL: [Self; 3] = [Self::Train, Self::Dev, Self::Test];

    fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }
}

/// The rows to hold out, in a random order: an even number.
fn draw(source: &Path, target: &Path, seed: u64) -> Result<Vec<usize>> {
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    let mut pairs: Vec<(u64, bool)> = Vec::new();
    for_each_pair(source, target, |texts| {
        let key = xxhash_rust::xxh3::xxh3_64(texts[0].trim().as_bytes());
        *seen.entry(key).or_default() += 1;
        let fits = |text: &String| (1..=LONGEST).contains(&text.split_whitespace().count());
        pairs.push((key, texts.iter().all(fits)));
        Ok(())
    })?;
    let usable = (0..pairs.len()).filter(|&row| pairs[row].1 && seen[&pairs[row].0] == 1);
    let mut rows: Vec<usize> = usable.collect();
    Rng::new(seed).shuffle(&mut rows);
    rows.truncate(2 * (pairs.len() / ONE_IN).min(MOST).min(rows.len() / 4));
    Ok(rows)
}

fn for_each_pair(source: &Path, target: &Path, mut each: impl FnMut(&[String]) -> Result<()>) -> Result<()> {
    let mut bitext = Bitext::open([source, target], Options::default())?;
    while let Some(row) = bitext.next_row()? {
        match row {
            Row::Texts(texts) => each(texts)?,
            Row::Bad(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn lines(path: &Path) -> Vec<String> {
        std::fs::read_to_string(path).unwrap().lines().map(String::from).collect()
    }

    /// Writes pairs `s N` and `t N`; every tenth source sentence is the same.
    fn texts(folder: &Path, count: usize) -> [std::path::PathBuf; 2] {
        ["s", "t"].map(|side| {
            let line = |n: usize| {
                if n.is_multiple_of(10) && side == "s" { "again".into() } else { format!("{side} {n}") }
            };
            let text: Vec<String> = (0..count).map(line).collect();
            let path = folder.join(side);
            std::fs::write(&path, text.join("\n") + "\n").unwrap();
            path
        })
    }

    #[test]
    fn every_pair_is_in_one_set_and_what_occurs_twice_is_trained_on() {
        let folder = tempfile::tempdir().unwrap();
        let [source, target] = texts(folder.path(), 1000);
        let held = hold_out(&source, &target, &folder.path().join("held"), 7).unwrap().unwrap();
        assert_eq!(held.pairs, 50);
        let mut all = Vec::new();
        for set in [&held.train, &held.dev, &held.test] {
            let (source, target) = (lines(&set.source), lines(&set.target));
            assert_eq!(source.len(), target.len());
            for (source, target) in source.iter().zip(&target) {
                assert!(source == "again" || source[1..] == target[1..], "{source} {target}");
                assert!(source != "again" || set.name == "train");
                all.push(target.clone());
            }
        }
        assert_eq!((lines(&held.dev.source).len(), lines(&held.test.source).len()), (50, 50));
        let distinct: HashSet<_> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (1000, 1000));
        let again = hold_out(&source, &target, &folder.path().join("again"), 7).unwrap().unwrap();
        assert_eq!(lines(&again.dev.source), lines(&held.dev.source));
    }

    #[test]
    fn few_pairs_are_left_together() {
        let folder = tempfile::tempdir().unwrap();
        let [source, target] = texts(folder.path(), 100);
        assert_eq!(hold_out(&source, &target, &folder.path().join("held"), 1).unwrap(), None);
    }
}
