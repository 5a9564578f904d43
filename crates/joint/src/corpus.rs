//! Pairs as numbers, with the affiliation of each target word.

use crate::affiliation::{affiliations, linked_to};
use crate::error::{Error, Result};
use crate::words::{BEGIN, END, NOTHING, Word, Words};
use crate::{HISTORY, SEEN, WINDOW};
use rustc_hash::FxHashMap;
use std::path::Path;
use treeglot_align::links;
use treeglot_text::bitext::{Bitext, Options, Row};
use treeglot_text::{Lines, interrupt};

/// Pairs with the words that a network knows.
pub(crate) struct Pairs {
    pub source: Words,
    pub target: Words,
    pub pairs: Vec<Pair>,
}

/// A pair: the words of both sides, and which source word each target word and the sentence's end are affiliated with.
pub(crate) struct Pair {
    source: Vec<Word>,
    target: Vec<Word>,
    affiliated: Vec<u32>,
}

impl Pairs {
    /// Reads pairs and their links, the source file first. Links that no pair has are left out.
    pub fn read(files: [&Path; 3], most: usize, min_count: u32) -> Result<Self> {
        let [source, target] = [count(files[0])?, count(files[1])?];
        let [source, target] = [&source, &target].map(|counts| Words::choose(counts, most, min_count));
        let mut bitext = Bitext::open(files, Options::default())?;
        let mut pairs = Vec::new();
        loop {
            interrupt::check();
            let place = bitext.place(2);
            let Some(Row::Texts([first, second, linked])) = bitext.next_row()? else { break };
            let links = links::parse(linked, &place)?;
            let numbers = |text: &str, words: &Words| -> Vec<Word> {
                text.split_ascii_whitespace().map(|word| words.number(word)).collect()
            };
            let pair = Pair::new(numbers(first, &source), numbers(second, &target), &links);
            pairs.extend(pair);
        }
        if pairs.is_empty() {
            return Err(Error::NoPairs);
        }
        Ok(Self { source, target, pairs })
    }
}

impl Pair {
    fn new(source: Vec<Word>, target: Vec<Word>, links: &[links::Link]) -> Option<Self> {
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

    /// How many words are to be predicted, with the sentence's end.
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

/// How often each word of a text occurs.
fn count(file: &Path) -> Result<FxHashMap<String, u32>> {
    let mut lines = Lines::open(file)?;
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    while let Some(line) = lines.next_line()? {
        for word in line.split_ascii_whitespace() {
            match counts.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(counts.insert(word.to_string(), 1)),
            }
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_align::Link;

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
