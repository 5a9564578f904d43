//! Candidates from and to n-best lists in Moses' format: `id ||| text ||| Name= values ||| score`, and after that, if the
//! decoder knows them, `||| links`.

use crate::candidates::Candidate;
use crate::error::Error;
use crate::features::FeatureSpace;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use treeglot_decode::NbestLine;
use treeglot_metrics::Link;
use treeglot_text::{Lines, Output};

/// How many lines are handed on at once: memory for their words is needed for so many only.
const BATCH: usize = 100_000;

/// Reads an n-best list of `sentences` sentences and hands its candidates on, some ten thousand at a time, one list a
/// sentence. Features without weights get a place in `space`.
pub fn read_nbest(
    path: &Path,
    sentences: usize,
    space: &mut FeatureSpace,
    mut take: impl FnMut(&[Vec<Candidate>]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut lines = Lines::open(path)?;
    let mut lists: Vec<Vec<Candidate>> = vec![Vec::new(); sentences];
    let mut held = 0;
    loop {
        let place = lines.place();
        let place = treeglot_text::Place { line: place.line + 1, ..place };
        let Some(line) = lines.next_line()? else { break };
        let parsed = NbestLine::parse(line, &place)?;
        let wrong = |message: String| treeglot_text::Error::Malformed { place: place.clone(), message };
        let Some(list) = lists.get_mut(parsed.id) else {
            let id = parsed.id;
            return Err(wrong(format!(
                "sentence {id} is beyond the {sentences} sentences of the references"
            ))
            .into());
        };
        let mut candidate = space.candidate(parsed.text, &parsed.features).map_err(wrong)?;
        candidate.links = links(line).map_err(wrong)?;
        list.push(candidate);
        held += 1;
        if held == BATCH {
            take(&lists)?;
            lists.iter_mut().for_each(Vec::clear);
            held = 0;
        }
    }
    take(&lists)
}

/// The links after the score, if there are any.
fn links(line: &str) -> Result<Option<Vec<Link>>, String> {
    line.split(" ||| ").nth(4).map(parse_links).transpose()
}

/// Reads links as in `0-0 1-2`; the error says what would be right.
pub(crate) fn parse_links(text: &str) -> Result<Vec<Link>, String> {
    let link = |text: &str| -> Result<Link, String> {
        let numbers = text.split_once('-').and_then(|(s, t)| Some((s.parse().ok()?, t.parse().ok()?)));
        numbers.ok_or_else(|| format!("`{text}` is no link: expected two positions, as in `3-4`"))
    };
    text.split_ascii_whitespace().map(link).collect()
}

/// Writes lists so that [`read_nbest`] gives the same candidates; the score is that under `weights`.
pub fn write_nbest(
    path: &Path,
    lists: &[Vec<Candidate>],
    space: &FeatureSpace,
    weights: &[f64],
) -> Result<(), Error> {
    let mut out = Output::create(path)?;
    let mut line = String::new();
    for (id, candidate) in lists.iter().enumerate().flat_map(|(id, list)| list.iter().map(move |c| (id, c))) {
        line.clear();
        write_line(id, candidate, space, weights, &mut line);
        out.write_all(line.as_bytes()).map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}

fn write_line(id: usize, candidate: &Candidate, space: &FeatureSpace, weights: &[f64], line: &mut String) {
    let Candidate { text, dense, sparse, links } = candidate;
    let weight = |place: usize| weights.get(place).copied().unwrap_or(0.0);
    let mut score: f64 = dense.iter().enumerate().map(|(i, &v)| weight(i) * f64::from(v)).sum();
    let mut append = |what: std::fmt::Arguments<'_>| line.write_fmt(what).expect("text takes every value");
    append(format_args!("{id} ||| {text} |||"));
    for (name, range) in space.dense().iter() {
        append(format_args!(" {name}="));
        dense[range].iter().for_each(|value| append(format_args!(" {value}")));
    }
    for &(place, value) in sparse {
        score += weight(place as usize) * f64::from(value);
        append(format_args!(" {}= {value}", space.sparse_name(place).unwrap_or("?")));
    }
    append(format_args!(" ||| {score}"));
    if let Some(links) = links {
        append(format_args!(" |||"));
        links.iter().for_each(|(s, t)| append(format_args!(" {s}-{t}")));
    }
    append(format_args!("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_decode::FeatureSet;

    fn space() -> FeatureSpace {
        let mut dense = FeatureSet::default();
        dense.add("LM0", 1);
        dense.add("TM0", 2);
        FeatureSpace::new(dense)
    }

    #[test]
    fn what_is_written_is_read_back_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.zst");
        let mut first = space();
        let place = first.sparse("dl_1");
        let one = Candidate { text: "a b".into(), dense: vec![0.1, -1e-7, 3.3e20], ..Candidate::default() };
        let two = Candidate {
            text: String::new(),
            sparse: vec![(place, 0.3)],
            links: Some(vec![(0, 1)]),
            ..one.clone()
        };
        let lists = [vec![one.clone(), two], vec![], vec![one]];
        write_nbest(&path, &lists, &first, &[1.0, 1.0, 0.0, 2.0]).unwrap();
        let mut read = Vec::new();
        read_nbest(&path, 3, &mut space(), |lists| {
            read = lists.to_vec();
            Ok(())
        })
        .unwrap();
        assert_eq!(read, lists);
    }

    #[test]
    fn bad_lines_are_errors_with_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        for (line, expected) in [
            ("0 ||| a ||| LM0= 1 TM0= 1 ||| 0", "list:2: `TM0` has 1 values, but 2 weights"),
            ("7 ||| a ||| LM0= 1 ||| 0", "list:2: sentence 7 is beyond the 1 sentences of the references"),
            ("0 ||| a ||| LM0= 1 ||| 0 ||| 0:1", "list:2: `0:1` is no link"),
            ("a", "list:2: expected `id ||| text ||| Name= values ||| score`"),
        ] {
            std::fs::write(&path, format!("0 ||| a ||| LM0= 1 ||| 0\n{line}\n")).unwrap();
            let error = read_nbest(&path, 1, &mut space(), |_| Ok(())).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
