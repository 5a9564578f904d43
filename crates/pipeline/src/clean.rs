//! Cleaning: leaves out training pairs that teach nothing or harm, with all that belongs to them (trees, links), so that
//! what is kept stays in step. The rest of the path never has to skip anything.

use crate::error::{Error, Result};
use crate::records::{Layout, Records};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_text::Output;
use xxhash_rust::xxh3::xxh3_128;

/// Which pairs are left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limits {
    /// Pairs with more words than this on a side; 0 for no limit.
    pub max_length: usize,
    /// Pairs where one side has more than this many times the other's words; 0 for no limit.
    pub max_ratio: f64,
    /// Pairs that occurred before.
    pub drop_duplicates: bool,
    /// Pairs after this many lines.
    pub first: Option<u64>,
}

/// How many pairs were left out, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cleaned {
    /// Pairs read.
    pub pairs: u64,
    /// Pairs kept.
    pub kept: u64,
    /// A side had no words.
    pub empty: u64,
    /// A side had too many words.
    pub long: u64,
    /// One side had too many words for the other.
    pub uneven: u64,
    /// The pair occurred before.
    pub duplicate: u64,
}

/// A file that stays in step with the text: trees or links.
#[derive(Debug, Clone)]
pub struct Companion {
    /// The file.
    pub from: PathBuf,
    /// Where its kept records go.
    pub to: PathBuf,
    /// How its records are told apart.
    pub layout: Layout,
}

impl Companion {
    /// The companion `from`, to be written as `to`; its layout follows from its name.
    pub fn new(from: &Path, to: PathBuf) -> Self {
        Self { from: from.to_path_buf(), to, layout: Layout::of(from) }
    }
}

/// Copies the pairs within the limits from `[source, target]` of `from` to `to`, and their records of the companions.
pub fn clean(from: [&Path; 2], to: [&Path; 2], companions: &[Companion], limits: &Limits) -> Result<Cleaned> {
    let mut texts = [Records::open(from[0], Layout::Lines)?, Records::open(from[1], Layout::Lines)?];
    let mut others =
        companions.iter().map(|c| Records::open(&c.from, c.layout)).collect::<Result<Vec<_>>>()?;
    let mut outs = to.iter().map(Output::create).collect::<std::result::Result<Vec<_>, _>>()?;
    for companion in companions {
        outs.push(Output::create(&companion.to)?);
    }
    let (mut cleaned, mut seen) = (Cleaned::default(), HashSet::new());
    while limits.first.is_none_or(|first| cleaned.pairs < first) {
        let mut present = Vec::new();
        for records in texts.iter_mut().chain(&mut others) {
            present.push(records.advance()?);
        }
        if present.iter().all(|&there| !there) {
            break;
        }
        if let Some(short) = present.iter().position(|&there| !there) {
            let files: Vec<&Records> = texts.iter().chain(&others).collect();
            let long = present.iter().position(|&there| there).unwrap_or(0);
            return Err(Error::Invalid(format!(
                "{} ends after {} sentences, but {} goes on: they must have one for each line",
                files[short].name(),
                cleaned.pairs,
                files[long].name()
            )));
        }
        cleaned.pairs += 1;
        if !keep([texts[0].record(), texts[1].record()], limits, &mut seen, &mut cleaned) {
            continue;
        }
        cleaned.kept += 1;
        for (records, out) in texts.iter().chain(&others).zip(&mut outs) {
            writeln!(out, "{}", records.record()).map_err(|source| out.error(source))?;
        }
    }
    for out in outs {
        out.finish()?;
    }
    Ok(cleaned)
}

fn keep(pair: [&str; 2], limits: &Limits, seen: &mut HashSet<u128>, cleaned: &mut Cleaned) -> bool {
    let [source, target] = pair.map(|side| side.split_ascii_whitespace().count());
    let (short, long) = (source.min(target), source.max(target));
    let reason = if short == 0 {
        &mut cleaned.empty
    } else if limits.max_length > 0 && long > limits.max_length {
        &mut cleaned.long
    } else if limits.max_ratio > 0.0 && long as f64 > limits.max_ratio * short as f64 {
        &mut cleaned.uneven
    } else if limits.drop_duplicates && !seen.insert(xxh3_128(pair.join("\n").as_bytes())) {
        &mut cleaned.duplicate
    } else {
        return true;
    };
    *reason += 1;
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(
        source: &str,
        target: &str,
        companion: (&str, &str),
        limits: &Limits,
    ) -> Result<(Cleaned, Vec<String>)> {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for (name, text) in [("s", source), ("t", target), companion] {
            std::fs::write(path(name), text).unwrap();
        }
        let companions = [Companion::new(&path(companion.0), path("c"))];
        let cleaned = clean([&path("s"), &path("t")], [&path("so"), &path("to")], &companions, limits)?;
        let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
        Ok((cleaned, vec![read("so"), read("to"), read("c")]))
    }

    const LIMITS: Limits = Limits { max_length: 3, max_ratio: 2.0, drop_duplicates: true, first: None };

    #[test]
    fn what_is_left_out_is_counted_and_the_rest_stays_in_step() {
        let source = "a b\na b\n\na b c d\na b c\nx\n";
        let target = "A B\nA B\nA\nA B C\nA\nX\n";
        let links = ("links", "0-0\n1-1\n2-2\n3-3\n4-4\n5-5\n");
        let (cleaned, files) = run(source, target, links, &LIMITS).unwrap();
        assert_eq!(files, ["a b\nx\n", "A B\nX\n", "0-0\n5-5\n"]);
        assert_eq!(cleaned, Cleaned { pairs: 6, kept: 2, empty: 1, long: 1, uneven: 1, duplicate: 1 });
    }

    #[test]
    fn trees_in_blocks_stay_in_step() {
        let trees = ("t.conllu", "# one\n1\ta\n\n# two\n1\tb\n\n");
        let (_, files) = run("a\nb\n", "\nB\n", trees, &LIMITS).unwrap();
        assert_eq!(files[2], "# two\n1\tb\n\n");
    }

    #[test]
    fn files_of_different_length_are_named() {
        let error = run("a\nb\n", "A\nB\n", ("links", "0-0\n"), &LIMITS).unwrap_err().to_string();
        assert!(error.contains("links ends after 1 sentences"), "{error}");
    }

    #[test]
    fn no_limit_means_all() {
        let none = Limits { max_length: 0, max_ratio: 0.0, drop_duplicates: false, first: Some(2) };
        let (cleaned, _) = run("a\na\na\n", "A A A A\nA\nA\n", ("links", "\n\n\n"), &none).unwrap();
        assert_eq!((cleaned.pairs, cleaned.kept), (2, 2));
    }
}
