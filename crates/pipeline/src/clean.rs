//! Cleaning: leaves out training pairs that teach nothing or harm, with all that belongs to them (trees, links), so that
//! what is kept stays in step. The rest of the path never has to skip anything.

use crate::error::{Error, Result};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use treeglot_text::{Lines, Output};
use treeglot_tree::format::{RecordLayout, Records};
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
    /// Words of the kept pairs, by side.
    pub words: [u64; 2],
    /// A side had no words.
    pub empty: u64,
    /// A side had too many words.
    pub long: u64,
    /// One side had too many words for the other.
    pub uneven: u64,
    /// The pair occurred before.
    pub duplicate: u64,
}

impl Cleaned {
    /// How many pairs were left out, by reason.
    pub fn left_out(&self) -> String {
        let reasons = [
            (self.empty, "empty"),
            (self.long, "long"),
            (self.uneven, "uneven"),
            (self.duplicate, "duplicate"),
        ];
        let some = reasons.iter().filter(|(count, _)| *count > 0);
        some.map(|(count, why)| format!("{count} {why}")).collect::<Vec<_>>().join(", ")
    }
}

/// Copies the pairs within the limits from `[source, target]` of `from` to `to`; `kept` gets a line a pair, `1` for those
/// copied and `0` for the others, by which [`keep_records`] picks what belongs to them.
pub fn clean(from: [&Path; 2], to: [&Path; 2], kept: &Path, limits: &Limits) -> Result<Cleaned> {
    let mut texts = [Lines::open(from[0])?, Lines::open(from[1])?];
    let mut outs = to.iter().map(Output::create).collect::<std::result::Result<Vec<_>, _>>()?;
    let mut marks = Output::create(kept)?;
    let (mut cleaned, mut seen) = (Cleaned::default(), HashSet::new());
    while limits.first.is_none_or(|first| cleaned.pairs < first) {
        let [source, target] = &mut texts;
        let pair = match (source.next_line()?, target.next_line()?) {
            (Some(source), Some(target)) => [source, target],
            (None, None) => break,
            (ended, _) => {
                let (short, long) = if ended.is_none() { (0, 1) } else { (1, 0) };
                return Err(uneven(texts[short].name(), cleaned.pairs, texts[long].name()));
            }
        };
        cleaned.pairs += 1;
        let good = keep(pair, limits, &mut seen, &mut cleaned);
        marks.write_all(if good { b"1\n" } else { b"0\n" }).map_err(|e| marks.error(e))?;
        if good {
            cleaned.kept += 1;
            for (words, text) in cleaned.words.iter_mut().zip(pair) {
                *words += text.split_ascii_whitespace().count() as u64;
            }
            for (text, out) in pair.iter().zip(&mut outs) {
                writeln!(out, "{text}").map_err(|source| out.error(source))?;
            }
        }
    }
    for out in outs.into_iter().chain([marks]) {
        out.finish()?;
    }
    Ok(cleaned)
}

/// Copies the records of trees or links that belong to the pairs that `kept` marks. `all`: the file has a record for
/// each pair and no more; otherwise it may go on.
pub fn keep_records(from: &Path, kept: &Path, all: bool, to: &Path) -> Result<()> {
    let mut records = Records::open(from, RecordLayout::of_file(from))?;
    let mut marks = Lines::open(kept)?;
    let mut out = Output::create(to)?;
    let mut pairs = 0;
    while let Some(mark) = marks.next_line()? {
        if !records.advance()? {
            return Err(uneven(records.name(), pairs, "the text"));
        }
        pairs += 1;
        if mark == "1" {
            writeln!(out, "{}", records.record()).map_err(|e| out.error(e))?;
        }
    }
    if all && records.advance()? {
        return Err(uneven("the text", pairs, records.name()));
    }
    Ok(out.finish()?)
}

fn uneven(short: &str, sentences: u64, long: &str) -> Error {
    Error::Invalid(format!(
        "{short} ends after {sentences} sentences, but {long} goes on: they must have one for each line"
    ))
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
    use treeglot_tree::format::FORMATS;

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
        let cleaned = clean([&path("s"), &path("t")], [&path("so"), &path("to")], &path("kept"), limits)?;
        keep_records(&path(companion.0), &path("kept"), limits.first.is_none(), &path("c"))?;
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
        assert_eq!(
            cleaned,
            Cleaned { pairs: 6, kept: 2, words: [3, 3], empty: 1, long: 1, uneven: 1, duplicate: 1 }
        );
    }

    /// Three sentences of a format, of which the second has no tree.
    fn sentences(format: &str) -> [&'static str; 3] {
        match format {
            "conllu" | "conllx" | "conll09" => ["# one\n1\ta\n\n", "1\tb\n2\tc\n\n", "1\td\n\n"],
            "ptb" | "depbracket" | "mosesxml" => ["(S (A a))\n", "\n", "(S (D d))\n"],
            "egret" => ["sentence 1 :\na\n\n", "sentence 2 :\n\n\n", "sentence 3 :\nd\n\n"],
            "ccg-auto" => ["ID=1\n(<L N a>)\n", "ID=2\n", "ID=3\n(<L N d>)\n"],
            "ccg-parg" => ["<s id=\"1\">\na\n<\\s>\n", "<s id=\"2\">\n<\\s>\n", "<s id=\"3\">\nd\n<\\s>\n"],
            "enju-so" => {
                ["0\t9\tsentence id=\"s0\"\n", "0\t1\tsentence id=\"s1\"\n", "0\t9\tsentence id=\"s2\"\n"]
            }
            _ => ["<a/>\n"; 3],
        }
    }

    #[test]
    fn trees_of_every_format_stay_in_step() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        for format in FORMATS {
            let (file, records) = (format!("t.{}", format.endings()[0]), sentences(format.name()));
            let kept = run("a\nb\nd\n", "A\n\nD\n", (&file, &records.concat()), &LIMITS);
            if let RecordLayout::Document = format.records() {
                assert!(kept.unwrap_err().to_string().contains("convert the file"), "{file}");
                continue;
            }
            assert_eq!(words(&kept.unwrap().1[2]), words(&[records[0], records[2]].concat()), "{file}");
        }
    }

    #[test]
    fn files_of_different_length_are_named() {
        let error = run("a\nb\n", "A\nB\n", ("links", "0-0\n"), &LIMITS).unwrap_err().to_string();
        assert!(error.contains("links ends after 1 sentences"), "{error}");
        let error = run("a\n", "A\n", ("links", "0-0\n0-0\n"), &LIMITS).unwrap_err().to_string();
        assert!(error.contains("the text ends after 1 sentences, but"), "{error}");
        let error = run("a\n", "A\nB\n", ("links", ""), &LIMITS).unwrap_err().to_string();
        assert!(error.contains("s ends after 1 sentences, but"), "{error}");
    }

    #[test]
    fn no_limit_means_all() {
        let none = Limits { max_length: 0, max_ratio: 0.0, drop_duplicates: false, first: Some(2) };
        let (cleaned, _) = run("a\na\na\n", "A A A A\nA\nA\n", ("links", "\n\n\n"), &none).unwrap();
        assert_eq!((cleaned.pairs, cleaned.kept), (2, 2));
    }
}
