//! How words differ that are translated alike: endings and beginnings that stand for each other, and what joins the parts of
//! compounds. Nothing is known of any language: it is learnt from how a system's own tables translate the words they know.

use super::analyse::{Analyser, concatenated};
use super::lexicon::{Entry, Lexicon};
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::io::Write;
use std::path::Path;
use treeglot_text::{Lines, Output};

/// The longest ending or beginning, in characters.
pub(super) const LONGEST: usize = 4;

/// The shortest stem, in characters.
pub(super) const SHORTEST_STEM: usize = 3;

/// What may stand between the parts of a compound; which of them do in a language is learnt.
const JOINTS: [&str; 10] = ["", "s", "es", "n", "en", "e", "er", "o", "i", "a"];

/// A group of words with a stem is looked at word by word unless there are more, which short stems have that mean nothing.
const LARGEST_GROUP: usize = 60;

/// What is seen less often is not believed.
const LEAST_SEEN: f32 = 3.0;

/// Added to how often something was seen, so that what was seen twice is not believed like what was seen a hundred times.
const DOUBT: f32 = 2.0;

/// What is less probable to have the same translation is of no use.
const LEAST_PROBABLE: f32 = 0.1;

/// By ending, what may stand in its place, with the probability that the translation stays the same.
pub(super) type Exchanges = FxHashMap<String, Vec<(String, f32)>>;

/// An ending, and what stands in its place.
type Exchange<'a> = (&'a [char], &'a [char]);

/// How words differ that are translated alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Affixes {
    pub(super) endings: Exchanges,
    /// The same of beginnings.
    pub(super) beginnings: Exchanges,
    /// What joins the parts of compounds, with the probability that a compound is translated by the translations of its parts.
    pub(super) joints: Vec<(String, f32)>,
}

impl Affixes {
    /// Learns from the words that tables translate.
    pub fn learn(lexicon: &Lexicon) -> Self {
        let alphabetic =
            |word: &String| word.chars().count() > SHORTEST_STEM && word.chars().all(char::is_alphabetic);
        let known = lexicon.words().into_iter().filter(alphabetic);
        let words: Vec<(String, Entry)> =
            known.filter_map(|word| lexicon.entry(&word).map(|entry| (word, entry))).collect();
        let mut affixes = Self {
            endings: exchanges(&words, |word| word.chars().collect()),
            beginnings: exchanges(&words, |word| word.chars().rev().collect()),
            joints: JOINTS.map(|joint| (joint.to_string(), 1.0)).to_vec(),
        };
        affixes.joints = affixes.reliable_joints(lexicon, &words);
        affixes
    }

    /// Takes known words apart as if they were unknown: how often their parts' translations are theirs.
    fn reliable_joints(&self, lexicon: &Lexicon, words: &[(String, Entry)]) -> Vec<(String, f32)> {
        let analyser = Analyser { lexicon, affixes: self };
        let mut seen = [(0.0, 0.0); JOINTS.len()];
        for (word, entry) in words {
            let Some(compound) = analyser.compound(word, true) else { continue };
            let alike = overlap(&entry.translations, &concatenated(&compound.parts));
            for (joint, (same, all)) in JOINTS.iter().zip(&mut seen) {
                if compound.joints.iter().any(|own| own == joint) {
                    (*same, *all) = (*same + alike, *all + 1.0);
                }
            }
        }
        let reliable = JOINTS.iter().zip(seen).filter(|(_, (_, all))| *all >= LEAST_SEEN);
        let shares = reliable.map(|(joint, (same, all))| (joint.to_string(), same / (all + DOUBT)));
        shares.filter(|(_, share)| *share >= LEAST_PROBABLE / 2.0).collect()
    }

    /// Writes a line for each.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut out = Output::create(path)?;
        let mut lines: Vec<String> = Vec::new();
        for (kind, exchanges) in [("ending", &self.endings), ("beginning", &self.beginnings)] {
            for (from, others) in exchanges {
                lines.extend(others.iter().map(|(to, share)| format!("{kind}\t{from}\t{to}\t{share:.4}")));
            }
        }
        lines.extend(self.joints.iter().map(|(joint, share)| format!("joint\t{joint}\t\t{share:.4}")));
        lines.sort_unstable();
        for line in lines {
            writeln!(out, "{line}").map_err(|e| out.error(e))?;
        }
        Ok(out.finish()?)
    }

    /// Reads what [`Affixes::write`] wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let (mut affixes, mut lines) = (Self::default(), Lines::open(path)?);
        while let Some(line) = lines.next_line()?.map(str::to_string) {
            let place = lines.place();
            let bad = || {
                Error::Invalid(format!(
                    "{place}: should be a kind, two affixes and a probability, with tabs between"
                ))
            };
            let fields: Vec<&str> = line.split('\t').collect();
            let &[kind, from, to, share] = &fields[..] else { return Err(bad()) };
            let share: f32 =
                share.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(bad)?;
            match kind {
                "ending" => {
                    affixes.endings.entry(from.to_string()).or_default().push((to.to_string(), share));
                }
                "beginning" => {
                    affixes.beginnings.entry(from.to_string()).or_default().push((to.to_string(), share));
                }
                "joint" => affixes.joints.push((from.to_string(), share)),
                _ => return Err(bad()),
            }
        }
        Ok(affixes)
    }
}

/// Endings that stand for each other; beginnings, where words are read backwards. An ending and what stands for it begin with
/// different letters, for what is the same belongs to the stem.
fn exchanges(words: &[(String, Entry)], read: impl Fn(&str) -> Vec<char>) -> Exchanges {
    let mut stems: FxHashMap<Vec<char>, Vec<(Vec<char>, usize)>> = FxHashMap::default();
    for (number, (word, _)) in words.iter().enumerate() {
        let letters = read(word);
        for at in
            SHORTEST_STEM.max(letters.len().saturating_sub(LONGEST)).max(letters.len() / 2)..=letters.len()
        {
            stems.entry(letters[..at].to_vec()).or_default().push((letters[at..].to_vec(), number));
        }
    }
    // How often the translations of both were the same, and how often both were seen.
    let mut seen: FxHashMap<Exchange<'_>, (f64, f64)> = FxHashMap::default();
    for group in stems.values().filter(|group| group.len() <= LARGEST_GROUP) {
        for (from, own) in group {
            for (to, other) in group.iter().filter(|(to, _)| to.first() != from.first()) {
                let alike = overlap(&words[*own].1.translations, &words[*other].1.translations);
                let (same, all) = seen.entry((from, to)).or_default();
                (*same, *all) = (*same + f64::from(alike), *all + 1.0);
            }
        }
    }
    let text = |letters: &[char]| read(&letters.iter().collect::<String>()).into_iter().collect::<String>();
    let mut exchanges = Exchanges::default();
    for ((from, to), (same, all)) in seen {
        let share = (same / (all + f64::from(DOUBT))) as f32;
        if all >= f64::from(LEAST_SEEN) && share >= LEAST_PROBABLE {
            exchanges.entry(text(from)).or_default().push((text(to), share));
        }
    }
    exchanges
        .values_mut()
        .for_each(|others| others.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))));
    exchanges
}

/// How much of their probability two lists of translations have in common.
fn overlap(a: &[(String, f32)], b: &[(String, f32)]) -> f32 {
    let of = |words: &str| b.iter().find(|(other, _)| other == words).map_or(0.0, |(_, share)| *share);
    a.iter().map(|(words, share)| share.min(of(words))).sum()
}
