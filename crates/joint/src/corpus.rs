//! Pairs as numbers: what is to be predicted, word by word, and what is seen of the pair there.

use crate::affiliation::{affiliations, linked_to};
use crate::error::{Error, Result};
use crate::train::Predicts;
use crate::words::{BEGIN, END, NOTHING, Word, Words, translation};
use crate::{HISTORY, SEEN, WINDOW};
use rustc_hash::FxHashMap;
use std::path::Path;
use treeglot_align::links::{self, Link};
use treeglot_text::bitext::{Bitext, Options, Row};
use treeglot_text::interrupt;

/// Pairs with the words that a network knows.
pub(crate) struct Pairs {
    pub source: Words,
    pub target: Words,
    pub pairs: Vec<Pair>,
    /// How many words before the one in question are seen at most.
    pub history: usize,
}

/// A pair: its source words, what is to be predicted, and the source position that each of these belongs to.
pub(crate) struct Pair {
    source: Vec<Word>,
    target: Vec<Word>,
    affiliated: Vec<u32>,
}

impl Pairs {
    /// Reads pairs and their links, the source file first. Links that no pair has are left out.
    pub fn read(files: [&Path; 3], most: usize, min_count: u32, predicts: Predicts) -> Result<Self> {
        let mut counts: [FxHashMap<String, u32>; 2] = Default::default();
        each(files, |source, target, links| {
            source.iter().for_each(|word| count(word, &mut counts[0]));
            match predicts {
                Predicts::Words => target.iter().for_each(|word| count(word, &mut counts[1])),
                Predicts::Translations => {
                    translations(source.len(), target, links).for_each(|text| count(&text, &mut counts[1]));
                }
            }
        })?;
        let [source, target] = counts.map(|counts| Words::choose(&counts, most, min_count));
        let mut pairs = Vec::new();
        each(files, |first, second, links| {
            let numbers: Vec<Word> = first.iter().map(|word| source.number(word)).collect();
            pairs.extend(match predicts {
                Predicts::Words => {
                    Pair::new(numbers, second.iter().map(|word| target.number(word)).collect(), links)
                }
                Predicts::Translations => {
                    let translated = translations(first.len(), second, links);
                    Pair::translated(numbers, translated.map(|text| target.number(&text)).collect())
                }
            });
        })?;
        if pairs.is_empty() {
            return Err(Error::NoPairs);
        }
        let history = if predicts == Predicts::Words { HISTORY } else { 0 };
        Ok(Self { source, target, pairs, history })
    }
}

/// Hands the words and links of all pairs on.
fn each(files: [&Path; 3], mut take: impl FnMut(&[&str], &[&str], &[Link])) -> Result<()> {
    let mut bitext = Bitext::open(files, Options::default())?;
    loop {
        interrupt::check();
        let place = bitext.place(2);
        let Some(Row::Texts([source, target, linked])) = bitext.next_row()? else { return Ok(()) };
        let [source, target] = [source, target].map(|text| text.split_ascii_whitespace().collect::<Vec<_>>());
        take(&source, &target, &links::parse(linked, &place)?);
    }
}

fn count(word: &str, counts: &mut FxHashMap<String, u32>) {
    match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => drop(counts.insert(word.to_string(), 1)),
    }
}

/// What each source word is translated by: the target words linked to it.
fn translations<'a>(
    length: usize,
    target: &'a [&str],
    links: &'a [Link],
) -> impl Iterator<Item = String> + use<'a> {
    (0..length).map(move |at| {
        let mut linked: Vec<u32> =
            links.iter().filter(|link| link.src as usize == at).map(|link| link.tgt).collect();
        linked.sort_unstable();
        translation(linked.into_iter().filter_map(|at| target.get(at as usize).copied()))
    })
}

impl Pair {
    fn new(source: Vec<Word>, target: Vec<Word>, links: &[Link]) -> Option<Self> {
        if source.is_empty() || target.is_empty() {
            return None;
        }
        let mut sources = vec![Vec::new(); target.len()];
        for link in links.iter().filter(|link| (link.src as usize) < source.len()) {
            if let Some(sources) = sources.get_mut(link.tgt as usize) {
                sources.push(link.src);
            }
        }
        let linked: Vec<Option<u32>> = sources.iter_mut().map(|sources| linked_to(sources)).collect();
        let mut affiliated: Vec<u32> = affiliations(&linked, 0).collect();
        affiliated.push(source.len() as u32);
        Some(Self { source, target, affiliated })
    }

    /// A pair whose source words' translations are to be predicted.
    fn translated(source: Vec<Word>, target: Vec<Word>) -> Option<Self> {
        let affiliated = (0..source.len() as u32).collect();
        (!source.is_empty()).then_some(Self { source, target, affiliated })
    }

    /// How many words are to be predicted, with the sentence's end where it is.
    pub fn len(&self) -> usize {
        self.affiliated.len()
    }

    /// The word to be predicted at a position.
    pub fn word(&self, at: usize) -> Word {
        self.target.get(at).copied().unwrap_or(END)
    }

    /// What a network sees at a position: source words, then the words before, the nearest first, of which `known` are known.
    pub fn seen(&self, at: usize, known: usize) -> impl Iterator<Item = Word> {
        let source = around(&self.source, self.affiliated[at] as usize);
        source.chain((0..HISTORY).map(move |back| match at.checked_sub(back + 1) {
            _ if back >= known => NOTHING,
            Some(before) => self.target[before],
            None => BEGIN,
        }))
    }
}

/// The source words around a position, from left to right.
pub(crate) fn around(source: &[Word], at: usize) -> impl Iterator<Item = Word> {
    (0..SEEN).map(move |slot| match (at + slot).checked_sub(WINDOW) {
        None => BEGIN,
        Some(position) => source.get(position).copied().unwrap_or(END),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_word_is_translated_by_all_words_that_are_linked_to_it() {
        let links = [Link::new(0, 2), Link::new(2, 1), Link::new(0, 0), Link::new(0, 9)];
        let all: Vec<String> = translations(3, &["v", "w", "x"], &links).collect();
        assert_eq!(all, ["v x", "\u{1}<null>", "w"]);
        let pair = Pair::translated(vec![10, 11, 12], vec![7, NOTHING, 8]).unwrap();
        assert_eq!((pair.len(), pair.word(0), pair.word(1)), (3, 7, NOTHING));
        let seen: Vec<Word> = pair.seen(1, 0).collect();
        assert_eq!(seen[WINDOW - 1..WINDOW + 3], [10, 11, 12, END]);
        assert_eq!(seen[SEEN..], [NOTHING; HISTORY]);
    }

    #[test]
    fn a_network_sees_the_window_around_the_affiliated_word_and_the_words_before() {
        let pair = Pair::new(vec![10, 11, 12], vec![20, 21], &[Link::new(2, 0)]).unwrap();
        assert_eq!((pair.len(), pair.word(1), pair.word(2)), (3, 21, END));
        let seen: Vec<Word> = pair.seen(1, HISTORY).collect();
        assert_eq!(seen[..SEEN], [BEGIN, BEGIN, BEGIN, 10, 11, 12, END, END, END, END, END]);
        assert_eq!(seen[SEEN..], [20, BEGIN, BEGIN]);
        let seen: Vec<Word> = pair.seen(2, 1).collect();
        assert_eq!(seen[WINDOW], END);
        assert_eq!(seen[SEEN..], [21, NOTHING, NOTHING]);
    }
}
