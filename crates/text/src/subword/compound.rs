//! Parts of compounds (Koehn & Knight 2003): a word is taken apart where words of the training text put together, with letters between them that the language
//! links words by, make it, and the geometric mean of their frequencies is above its own. For a language that is translated from: links, rules and the
//! search see the parts as the words that they are elsewhere (`Haus Tür` for `Haustür`, `Sonne Untergang` for `Sonnenuntergang`), so what is known of these
//! is known of compounds that were never seen.
//!
//! ```
//! use treeglot_text::subword::{Learner, linking};
//!
//! let mut learner = Learner::default();
//! (0..9).for_each(|_| learner.add("die Sonne und der Untergang"));
//! let compounds = learner.compounds(linking("de"));
//! let mut parts = String::new();
//! compounds.worker().segment("ein Sonnenuntergang", &mut parts);
//! assert_eq!(parts, "ein Sonne Untergang");
//! ```

use super::{Cut, CutWorker, Learner};
use crate::error::Result;
use crate::io::Output;
use crate::lines::Lines;
use rustc_hash::FxHashMap;
use std::io::{BufRead, Write};
use std::path::Path;

/// The first line of a file.
pub(super) const MAGIC: &str = "treeglot compounds 1";

/// Parts have so many letters at least: shorter ones are endings and beginnings more often than words.
const LEAST_LETTERS: usize = 4;

/// A part that something follows was seen so often at least.
const LEAST_SEEN: u64 = 3;

/// The most parts of a word, and the most letters of a word that is taken apart.
const MOST_PARTS: usize = 4;
const MOST_LETTERS: usize = 60;

/// The letters by which a language links the parts of compounds, beside none.
pub fn linking(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &["s", "es", "n", "en", "er", "e"],
        "nl" | "af" => &["s", "e", "en", "er"],
        "sv" | "da" | "nb" | "nn" | "no" | "fo" | "is" => &["s", "e"],
        "el" => &["ο"],
        _ => &[],
    }
}

/// A word that compounds may have as a part.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    seen: u64,
    /// How it is written most often.
    form: String,
}

/// Words by their small letters, and the letters that may stand between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compounds {
    linking: Vec<String>,
    parts: FxHashMap<String, Part>,
}

impl Learner {
    /// The compounds that words that were counted can make.
    pub fn compounds(&self, linking: &[&str]) -> Compounds {
        let mut words: Vec<(&String, u64)> = self.words.iter().map(|(word, seen)| (word, *seen)).collect();
        words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let mut parts = FxHashMap::<String, Part>::default();
        for (word, seen) in words.into_iter().filter(|(word, _)| is_candidate(word)) {
            // The most frequent form comes first.
            let part =
                parts.entry(word.to_lowercase()).or_insert_with(|| Part { seen: 0, form: word.clone() });
            part.seen += seen;
        }
        Compounds { linking: linking.iter().map(|link| (*link).to_string()).collect(), parts }
    }
}

/// Whether a word has letters alone, and as many as a part.
fn is_candidate(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().nth(LEAST_LETTERS - 1).is_some()
}

/// The way to take a word apart that is looked at.
struct Division<'c, 'w> {
    compounds: &'c Compounds,
    /// The word in small letters, and where its letters begin and it ends.
    word: &'w str,
    starts: Vec<usize>,
    parts: Vec<&'c Part>,
    best: Option<(f64, Vec<&'c Part>)>,
}

impl<'c> Division<'c, '_> {
    /// Goes on from a letter on, with the sum of the logarithms of the parts' frequencies so far.
    fn go_on(&mut self, from: usize, sum: f64) {
        let end = self.starts.len() - 1;
        if let (true, Some(head)) = (!self.parts.is_empty(), self.part(from, end, "")) {
            let mean = (sum + (head.seen as f64).ln()) / (self.parts.len() + 1) as f64;
            if self.best.as_ref().is_none_or(|(best, _)| mean > *best) {
                let parts = self.parts.iter().copied().chain([head]).collect();
                self.best = Some((mean, parts));
            }
        }
        if self.parts.len() + 1 >= MOST_PARTS {
            return;
        }
        for to in from + LEAST_LETTERS..=end.saturating_sub(LEAST_LETTERS) {
            let compounds = self.compounds;
            for link in std::iter::once("").chain(compounds.linking.iter().map(String::as_str)) {
                if let Some(part) = self.part(from, to, link).filter(|part| part.seen >= LEAST_SEEN) {
                    self.parts.push(part);
                    self.go_on(to, sum + (part.seen as f64).ln());
                    self.parts.pop();
                }
            }
        }
    }

    /// The part between two letters, without the link that it ends with.
    fn part(&self, from: usize, to: usize, link: &str) -> Option<&'c Part> {
        self.compounds.parts.get(self.word[self.starts[from]..self.starts[to]].strip_suffix(link)?)
    }
}

impl Cut for Compounds {
    fn cut_word(&self, word: &str, out: &mut String) -> u32 {
        let parts = self.divided(word);
        if parts.is_empty() {
            out.push_str(word);
            return 1;
        }
        for (number, part) in parts.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { " " });
            out.push_str(&part.form);
        }
        parts.len() as u32
    }
}

impl Compounds {
    /// The parts of a word, the most frequent ones by their geometric mean; none if it is more frequent than they are.
    fn divided(&self, word: &str) -> Vec<&Part> {
        let letters = word.chars().count();
        if !is_candidate(word) || !(2 * LEAST_LETTERS..=MOST_LETTERS).contains(&letters) {
            return Vec::new();
        }
        let word = word.to_lowercase();
        let starts = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let own = self.parts.get(&word).map_or(f64::NEG_INFINITY, |part| (part.seen as f64).ln());
        let mut division = Division { compounds: self, word: &word, starts, parts: Vec::new(), best: None };
        division.go_on(0, 0.0);
        division.best.filter(|(mean, _)| *mean > own).map_or(Vec::new(), |(_, parts)| parts)
    }

    /// Cuts words, with buffers of its own.
    pub fn worker(&self) -> CutWorker<'_> {
        CutWorker::new(self)
    }

    /// How many words may be parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether no word is taken apart.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Writes a line with the linking letters, and one for each word with its frequency.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut out = Output::create(path)?;
        let mut parts: Vec<&Part> = self.parts.values().collect();
        parts.sort_unstable_by(|a, b| b.seen.cmp(&a.seen).then(a.form.cmp(&b.form)));
        let lines = [MAGIC.to_string(), self.linking.join(" ")];
        let lines = lines.into_iter().chain(parts.iter().map(|part| format!("{} {}", part.seen, part.form)));
        for line in lines {
            writeln!(out, "{line}").map_err(|e| out.error(e))?;
        }
        out.finish()
    }

    /// Reads what [`Compounds::write`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(&mut Lines::open(path)?)
    }

    /// The same from lines.
    pub fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Self> {
        if lines.next_line()? != Some(MAGIC) {
            return Err(lines.malformed(format!("no parts of compounds: the first line should be `{MAGIC}`")));
        }
        let linking =
            lines.next_line()?.map(|line| line.split_ascii_whitespace().map(str::to_string).collect());
        let Some(linking) = linking else {
            return Err(lines.malformed("the second line should have the letters between parts, or be empty"));
        };
        let mut read = Self { linking, parts: FxHashMap::default() };
        while let Some(line) = lines.next_line()? {
            let part = line.split_once(' ').and_then(|(seen, form)| {
                let seen: u64 = seen.parse().ok().filter(|&seen| seen > 0)?;
                is_candidate(form).then(|| Part { seen, form: form.to_string() })
            });
            let Some(part) = part else {
                return Err(lines.malformed(format!(
                    "should be how often a word was seen, a blank and the word, of {LEAST_LETTERS} letters and more"
                )));
            };
            if read.parts.insert(part.form.to_lowercase(), part).is_some() {
                return Err(lines.malformed("this word stands on an earlier line"));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(words: &[(&str, usize)]) -> Compounds {
        let mut learner = Learner::default();
        words.iter().for_each(|(word, times)| (0..*times).for_each(|_| learner.add(word)));
        learner.compounds(linking("de"))
    }

    fn cut(compounds: &Compounds, words: &str) -> String {
        let mut out = String::new();
        compounds.worker().segment(words, &mut out);
        out
    }

    /// The example of the paper: `Aktionsplan`, which may be `Aktion Plan` and `Akt Ion Plan`.
    #[test]
    fn the_paper_s_example_is_taken_apart() {
        let words =
            [("Aktionsplan", 852), ("Aktion", 960), ("Aktions", 5), ("Plan", 710), ("Akt", 224), ("Ion", 1)];
        assert_eq!(cut(&learnt(&words), "Aktionsplan"), "Aktionsplan");
        let rarer = [&[("Aktionsplan", 700)], &words[1..]].concat();
        assert_eq!(cut(&learnt(&rarer), "der Aktionsplan ."), "der Aktion Plan .");
    }

    #[test]
    fn what_is_not_a_compound_stays_whole() {
        let compounds =
            learnt(&[("Haus", 9), ("haus", 2), ("Tür", 9), ("Türen", 5), ("Untergang", 2), ("hell", 2)]);
        assert_eq!(cut(&compounds, "Haustüren HAUSTÜREN"), "Haus Türen Haus Türen");
        // Too short, too rare as a modifier, no part, no letters.
        assert_eq!(
            cut(&compounds, "Haustür hellhaus Hausboote Haus-Türen"),
            "Haustür hellhaus Hausboote Haus-Türen"
        );
        assert_eq!(cut(&Compounds::default(), "Haustüren"), "Haustüren");
    }

    #[test]
    fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("compounds");
        let compounds = learnt(&[("Haus", 9), ("Türen", 5), ("türen", 1)]);
        compounds.write(&path).unwrap();
        assert_eq!(Compounds::open(&path).unwrap(), compounds);
        assert!(matches!(super::super::Cutter::open(&path).unwrap(), super::super::Cutter::Parts(_)));
        let read =
            |text: &str| Compounds::read(&mut Lines::new("c", text.as_bytes())).unwrap_err().to_string();
        assert!(read("treeglot subwords 1\n").contains("c:1: no parts of compounds"));
        assert!(read(&format!("{MAGIC}\n\n5 Haus\nx Tür\n")).starts_with("c:4: should be how often"));
        assert!(read(&format!("{MAGIC}\n\n5 Haus\n1 haus\n")).starts_with("c:4: this word stands"));
    }
}
