//! What the network sees of a word: numbers of its form, its beginnings and endings and its shape.
//!
//! A feature is a hash of its kind and text; the number of a feature is its place among the sorted hashes, so that a model
//! file needs no text and no index of its own.

use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many features a word has.
pub(crate) const PER_WORD: usize = 11;

/// Where a word has no such feature, or one that training has not seen.
pub(crate) const ABSENT: u32 = u32::MAX;

/// The features that name the word itself; they are the first. Training hides them now and then, as it is with words never seen.
pub(crate) const LEXICAL: usize = 2;

/// The feature that tells which treebank the tree comes from: the last.
const TREEBANK: u64 = PER_WORD as u64 - 1;

/// The number of the feature that stands for a form never seen.
pub(crate) const UNKNOWN: u32 = 0;

fn hash(kind: u64, text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), kind)
}

/// The hash of each feature of a word, if it has it.
fn hashes(form: &str, treebank: usize) -> [Option<u64>; PER_WORD] {
    let digits = |c: char| if c.is_numeric() { '0' } else { c };
    let form: String = form.chars().map(digits).collect();
    let lower = form.to_lowercase();
    let prefix = |n: usize| form.char_indices().nth(n - 1).map(|(at, c)| &form[..at + c.len_utf8()]);
    let suffix = |n: usize| lower.char_indices().nth_back(n - 1).map(|(at, _)| &lower[at..]);
    let texts = [
        Some(form.as_str()),
        Some(lower.as_str()),
        prefix(1),
        prefix(2),
        prefix(3),
        suffix(1),
        suffix(2),
        suffix(3),
        suffix(4),
    ];
    let mut hashes = [None; PER_WORD];
    for (kind, text) in texts.iter().enumerate() {
        hashes[kind] = text.map(|t| hash(kind as u64, t));
    }
    hashes[texts.len()] = Some(hash(texts.len() as u64, &shape(&form)));
    hashes[PER_WORD - 1] = Some(hash(TREEBANK, &treebank.to_string()));
    hashes
}

/// A word's kinds of characters, without repetition: `Xx-x` for `Miami-based`.
fn shape(form: &str) -> String {
    let mut shape = String::new();
    for c in form.chars() {
        let kind = match c {
            c if c.is_uppercase() => 'X',
            c if c.is_alphabetic() => 'x',
            c => c,
        };
        // Two of a kind tell an initial from a word; more say nothing.
        if !shape.ends_with([kind, kind].iter().collect::<String>().as_str()) {
            shape.push(kind);
        }
    }
    shape
}

/// How often training saw each feature.
#[derive(Debug, Default)]
pub(crate) struct Counts(BTreeMap<u64, u32>);

impl Counts {
    pub(crate) fn add<'a>(&mut self, forms: impl Iterator<Item = &'a str>, treebank: usize) {
        for hash in forms.flat_map(|form| hashes(form, treebank)).flatten() {
            *self.0.entry(hash).or_default() += 1;
        }
    }

    /// The features seen at least `least` times, sorted, with their counts.
    pub(crate) fn frequent(self, least: u32) -> (Vec<u64>, Vec<u32>) {
        self.0.into_iter().filter(|&(_, count)| count >= least).unzip()
    }
}

/// Writes the numbers of a word's features: for sorted hashes, 1 and the place among them.
pub(crate) fn encode(sorted: &[u64], form: &str, treebank: usize, out: &mut Vec<u32>) {
    let found = hashes(form, treebank).map(|hash| {
        let place = hash.and_then(|h| sorted.binary_search(&h).ok());
        place.map_or(ABSENT, |place| place as u32 + 1)
    });
    out.extend(found);
    let first = out.len() - PER_WORD;
    if out[first] == ABSENT {
        out[first] = UNKNOWN;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_never_seen_still_has_the_endings_of_others() {
        let mut counts = Counts::default();
        counts.add(["Walking", "walking", "1989"].into_iter(), 0);
        let (sorted, _) = counts.frequent(1);
        let features = |form| {
            let mut out = Vec::new();
            encode(&sorted, form, 0, &mut out);
            out
        };
        let (seen, new) = (features("walking"), features("talking"));
        assert_eq!((new[0], new[1]), (UNKNOWN, ABSENT));
        assert_ne!(seen[0], UNKNOWN);
        assert_eq!(seen[8], new[8]);
        assert_eq!(features("2024"), features("1989"));
    }

    #[test]
    fn shapes_have_at_most_two_of_a_kind() {
        assert_eq!(shape("Miami-based"), "Xxx-xx");
        assert_eq!(shape("U.S."), "X.X.");
        assert_eq!(shape("00,000"), "00,00");
    }
}
