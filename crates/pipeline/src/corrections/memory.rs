//! A memory of pairs: a sentence that is in it word for word gets its translation, and phrases of the pair that is most like a sentence
//! are offered to its translation, the likelier the more alike both are and with a feature of their own (`Memory0`), so that repetitive
//! text comes out as the translator wrote it.

use super::Teacher;
use super::index::{CorrectionIndex, Offer};
use super::store::{Correction, Corrections};
use crate::bundle::Bundle;
use crate::error::Result;
use rustc_hash::FxHashMap;
use treeglot_models::{Given, Guidance, Origin};
use treeglot_tree::Span;

/// How much alike two sentences must be: 1 less the share of words that must be changed. Pairs less alike make translations worse, on
/// the development sets of captions and of everyday Chinese.
const LEAST_ALIKE: f64 = 0.75;

/// How much less likely the phrases of a pair are the less alike it is: their probability is `alike` to this power, in the features of the
/// first table, so that it weighs what these weigh. Of 20, 40 and 60 the one that lost nothing on captions; it gained as much as the others
/// on everyday Chinese.
const SHARPNESS: f64 = 60.0;

/// The fewest source words of a phrase that is offered: tables know single words better than one pair does.
const SHORTEST_PHRASE: usize = 2;

/// Words that more pairs than this have say nothing of which pair is like a sentence.
const MOST_COMMON: usize = 500;

/// So many pairs that share the most words are compared word by word.
const COMPARED: usize = 10;

/// Sentences longer than this are not compared.
const LONGEST: usize = 200;

/// The most source words of a phrase that is offered.
const LONGEST_PHRASE: usize = 30;

/// A pair in words, and its translation as it was written.
struct Pair {
    words: [String; 2],
    target: String,
}

/// A memory of pairs.
pub struct Memory {
    teacher: Teacher,
    pairs: Vec<Pair>,
    exact: FxHashMap<String, u32>,
    /// The pairs that have a source word.
    holding: FxHashMap<String, Vec<u32>>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory of {} pairs", self.pairs.len())
    }
}

impl Memory {
    /// A memory of these pairs for the words of a bundle. Of pairs with the same source the last counts.
    pub fn new(bundle: Bundle, pairs: &[[String; 2]]) -> Result<Self> {
        let teacher = Teacher::open(bundle)?;
        let (mut kept, mut exact, mut holding) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        for [source, target] in pairs {
            let words = teacher.words(source, target);
            if words.iter().any(String::is_empty) {
                continue;
            }
            let number = kept.len() as u32;
            for word in words[0].split(' ') {
                let of: &mut Vec<u32> = holding.entry(word.to_string()).or_default();
                if of.last() != Some(&number) {
                    of.push(number);
                }
            }
            exact.insert(words[0].clone(), number);
            kept.push(Pair { words, target: target.trim().to_string() });
        }
        Ok(Self { teacher, pairs: kept, exact, holding })
    }

    /// How many pairs it has.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Adds what it knows for a sentence: a pair of the sentence itself binds, and its translation is told; phrases of the pair most
    /// like it are offered.
    pub(crate) fn guide(&self, words: &str, guidance: &mut Guidance) -> Option<String> {
        let length = words.split(' ').count();
        if let Some(&number) = self.exact.get(words) {
            let pair = &self.pairs[number as usize];
            let mut whole = Given::exclusive(Span::new(0, length as u32), Origin::Memory, &pair.words[1]);
            whole.choices[0].links = self.correction(pair).links;
            if guidance.add(whole, length) {
                return Some(pair.target.clone());
            }
        }
        if let Some((alike, pair)) = self.near(words) {
            let learnt = Corrections { all: vec![self.correction(pair)] };
            let offer = Offer {
                origin: Origin::Memory,
                shortest: SHORTEST_PHRASE,
                log_prob: (SHARPNESS * alike.ln()) as f32,
            };
            CorrectionIndex::with_phrases(&learnt, LONGEST_PHRASE).offer(words, &offer, guidance);
        }
        None
    }

    fn correction(&self, pair: &Pair) -> Correction {
        self.teacher.aligned(pair.words.clone(), [String::new(), pair.target.clone()])
    }

    /// The pair whose source is most like a sentence, if one is like it enough, and how much.
    fn near(&self, words: &str) -> Option<(f64, &Pair)> {
        let words: Vec<&str> = words.split(' ').collect();
        if words.len() > LONGEST {
            return None;
        }
        let mut shared: FxHashMap<u32, u32> = FxHashMap::default();
        let telling =
            words.iter().filter_map(|word| self.holding.get(*word)).filter(|of| of.len() <= MOST_COMMON);
        telling.flatten().for_each(|&number| *shared.entry(number).or_default() += 1);
        let mut candidates: Vec<(u32, u32)> =
            shared.into_iter().map(|(number, count)| (count, number)).collect();
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        let compared = candidates.iter().take(COMPARED).map(|&(_, number)| &self.pairs[number as usize]);
        let rated = compared.map(|pair| (alike(&words, &pair.words[0].split(' ').collect::<Vec<_>>()), pair));
        rated.filter(|(alike, _)| *alike >= LEAST_ALIKE).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// How much alike two sentences are: 1 less the edit distance of their words as a share of the longer one.
fn alike(a: &[&str], b: &[&str]) -> f64 {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, word) in a.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = before + usize::from(word != other);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    1.0 - row[b.len()] as f64 / a.len().max(b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_alike_by_the_words_they_share_in_order() {
        let words = |text: &'static str| -> Vec<&str> { text.split(' ').collect() };
        assert!((alike(&words("a b c d"), &words("a x c d")) - 0.75).abs() < 1e-9);
        assert!((alike(&words("a b"), &words("b a c")) - 1.0 / 3.0).abs() < 1e-9);
        assert!((alike(&words("a b"), &words("a b")) - 1.0).abs() < 1e-9);
    }
}
