//! Gold links, sure and possible, in the formats they come in; alignment error rate (Och & Ney 2003, section 6).

use crate::error::{Error, Result};
use crate::links::Link;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use treeglot_text::{Error as TextError, Lines, Place};

/// From which number positions are counted in a gold file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Base {
    /// From 0 if a 0 occurs anywhere in the file, else from 1. JSON counts from 0.
    #[default]
    Auto,
    /// From 0.
    Zero,
    /// From 1.
    One,
}

/// The gold links of one sentence pair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldPair {
    /// Links that must be found.
    pub sure: Vec<Link>,
    /// Links that may be found; the sure ones are not repeated here.
    pub possible: Vec<Link>,
}

impl GoldPair {
    fn push(&mut self, link: Link, sure: bool) {
        if sure { self.sure.push(link) } else { self.possible.push(link) }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Link> {
        self.sure.iter_mut().chain(&mut self.possible)
    }
}

#[derive(Deserialize)]
struct JsonPair {
    alignment: Vec<(u32, u32)>,
    #[serde(default)]
    possible: Vec<(u32, u32)>,
}

/// Reads gold links. Three formats are told apart by their content, line by line: `1-1 2p3` (`p`, `?` or `:` for a
/// possible link), one pair a line; JSON objects with `alignment`, one pair a line; and `0001 1 1 S`, one link a line
/// with the number of its sentence.
pub fn read(lines: &mut Lines, base: Base) -> Result<Vec<GoldPair>> {
    let mut pairs: Vec<GoldPair> = Vec::new();
    let mut from_zero = base == Base::Zero;
    while let Some(line) = lines.next_line()? {
        let line = line.trim().to_string();
        if line.starts_with('{') {
            let place = lines.place();
            pairs.push(json_pair(&line, &place)?);
            from_zero = base != Base::One;
        } else if let Some((sentence, link, sure)) = numbered(&line) {
            if sentence == 0 || sentence > pairs.len() + 100_000 {
                return Err(lines
                    .malformed(format!("{sentence} is no sentence number: they count from 1"))
                    .into());
            }
            pairs.resize(pairs.len().max(sentence), GoldPair::default());
            pairs[sentence - 1].push(link, sure);
        } else {
            pairs.push(marked_pair(&line, &lines.place())?);
        }
    }
    let has_zero = pairs.iter_mut().flat_map(GoldPair::all).any(|link| link.src == 0 || link.tgt == 0);
    if has_zero && base == Base::One {
        let place = Place { line: 0, ..lines.place() };
        let message = "position 0 in gold links that count from 1".to_string();
        return Err(TextError::Malformed { place, message }.into());
    }
    if base == Base::One || !(from_zero || has_zero) {
        pairs
            .iter_mut()
            .flat_map(GoldPair::all)
            .for_each(|link| *link = Link::new(link.src - 1, link.tgt - 1));
    }
    Ok(pairs)
}

fn json_pair(line: &str, place: &Place) -> Result<GoldPair> {
    let json: JsonPair = serde_json::from_str(line).map_err(|e| TextError::Malformed {
        place: place.clone(),
        message: format!("not a gold pair in JSON: {e}"),
    })?;
    let links = |list: Vec<(u32, u32)>| list.into_iter().map(|(src, tgt)| Link { src, tgt }).collect();
    Ok(GoldPair { sure: links(json.alignment), possible: links(json.possible) })
}

/// `sentence src tgt [S|P]`.
fn numbered(line: &str) -> Option<(usize, Link, bool)> {
    let mut fields = line.split_ascii_whitespace();
    let sentence = fields.next()?.parse().ok()?;
    let link = Link::new(fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((sentence, link, fields.next() != Some("P")))
}

fn marked_pair(line: &str, place: &Place) -> Result<GoldPair> {
    let mut pair = GoldPair::default();
    for item in line.split_ascii_whitespace() {
        let bad = || Error::BadLink {
            place: place.clone(),
            found: item.to_string(),
            expected: "a sure link `3-4` or a possible link `3p4`",
        };
        let at = item.find(['-', 'p', '?', ':']).ok_or_else(bad)?;
        let number = |text: &str| text.parse().map_err(|_| bad());
        pair.push(Link::new(number(&item[..at])?, number(&item[at + 1..])?), item.as_bytes()[at] == b'-');
    }
    Ok(pair)
}

/// Counts for alignment error rate, precision and recall; add pairs one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Pairs counted.
    pub sentences: usize,
    /// Links found.
    pub links: usize,
    /// Sure links in the gold standard.
    pub sure: usize,
    /// Sure and possible links in the gold standard.
    pub possible: usize,
    /// Links found that are sure.
    pub found_sure: usize,
    /// Links found that are sure or possible.
    pub found_possible: usize,
}

/// The scores of links against gold links, as shares of one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scores {
    /// Alignment error rate.
    pub aer: f64,
    /// Share of the links found that are sure or possible.
    pub precision: f64,
    /// Share of the sure links that were found.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

impl Agreement {
    /// Counts the links of one pair.
    pub fn add(&mut self, gold: &GoldPair, links: &[Link]) {
        let sure: FxHashSet<Link> = gold.sure.iter().copied().collect();
        let possible: FxHashSet<Link> = gold.sure.iter().chain(&gold.possible).copied().collect();
        let found: FxHashSet<Link> = links.iter().copied().collect();
        self.sentences += 1;
        self.links += found.len();
        self.sure += sure.len();
        self.possible += possible.len();
        self.found_sure += found.intersection(&sure).count();
        self.found_possible += found.intersection(&possible).count();
    }

    /// The scores; where nothing is asked for or found, nothing is wrong.
    pub fn scores(&self) -> Scores {
        let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        let precision = share(self.found_possible, self.links);
        let recall = share(self.found_sure, self.sure);
        let f1 =
            if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        Scores {
            aer: 1.0 - share(self.found_sure + self.found_possible, self.links + self.sure),
            precision,
            recall,
            f1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(text: &'static str, base: Base) -> Result<Vec<GoldPair>> {
        let reader: Box<dyn std::io::BufRead + Send> = Box::new(text.as_bytes());
        read(&mut Lines::new("gold", reader), base)
    }

    fn links(list: &[(u32, u32)]) -> Vec<Link> {
        list.iter().map(|&(src, tgt)| Link { src, tgt }).collect()
    }

    #[test]
    fn the_formats_are_told_apart_by_content() {
        let expected = [
            GoldPair { sure: links(&[(1, 0)]), possible: links(&[(0, 2)]) },
            GoldPair { sure: links(&[(0, 0)]), ..GoldPair::default() },
        ];
        assert_eq!(gold("2-1 1p3\n1-1\n", Base::Auto).unwrap(), expected);
        assert_eq!(gold("1-0 0?2\n0-0\n", Base::Auto).unwrap(), expected);
        assert_eq!(gold("0001 2 1 S\n0001 1 3 P\n2 1 1\n", Base::Auto).unwrap(), expected);
        let json = "{\"alignment\": [[1, 0]], \"possible\": [[0, 2]]}\n{\"src_words\": [\"a\"], \"alignment\": [[0, 0]]}\n";
        assert_eq!(gold(json, Base::Auto).unwrap(), expected);
        assert_eq!(gold("1-1\n\n", Base::Zero).unwrap()[0].sure, links(&[(1, 1)]));
    }

    #[test]
    fn bad_gold_is_an_error_with_its_place() {
        for (text, place) in
            [("1-1\n1x2\n", "gold:2: "), ("{\"links\": 3}\n", "gold:1: "), ("0 1 1\n", "gold:1: ")]
        {
            let message = gold(text, Base::Auto).unwrap_err().to_string();
            assert!(message.starts_with(place), "{message}");
        }
        assert!(gold("0-1\n", Base::One).is_err());
    }

    #[test]
    fn error_rate_weighs_sure_and_possible_links_as_published() {
        let gold = GoldPair { sure: links(&[(0, 0), (1, 1)]), possible: links(&[(2, 2)]) };
        let mut agreement = Agreement::default();
        agreement.add(&gold, &links(&[(0, 0), (2, 2), (3, 3)]));
        let scores = agreement.scores();
        assert!((scores.precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((scores.recall - 0.5).abs() < 1e-12);
        assert!((scores.aer - (1.0 - 3.0 / 5.0)).abs() < 1e-12);
    }
}
