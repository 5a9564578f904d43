//! Corrections as the search uses them: whole sentences, and the phrases that links cut out of them.

use super::store::{Correction, Corrections};
use rustc_hash::FxHashMap;
use treeglot_models::{Binding, Given, GivenChoice, Guidance, Origin};
use treeglot_tree::Span;

/// The most source words of a phrase.
const LONGEST: usize = 7;

/// How phrases are offered.
pub(super) struct Offer {
    /// Who gives them.
    pub origin: Origin,
    /// The fewest source words.
    pub shortest: usize,
    /// The logarithm of the probability of a phrase that has no other translation.
    pub log_prob: f32,
}

/// Whole sentences and phrases of corrections.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CorrectionIndex {
    sentences: FxHashMap<String, Correction>,
    /// By source phrase, its translations with how often each was learnt.
    phrases: FxHashMap<String, Vec<(String, u32)>>,
    /// The most source words of a phrase.
    longest: usize,
}

impl CorrectionIndex {
    /// Takes corrections apart.
    pub fn new(corrections: &Corrections) -> Self {
        Self::with_phrases(corrections, LONGEST)
    }

    /// The same with phrases of up to so many source words.
    pub(super) fn with_phrases(corrections: &Corrections, longest: usize) -> Self {
        let mut index = Self { longest, ..Self::default() };
        for correction in &corrections.all {
            index.sentences.insert(correction.source_words.clone(), correction.clone());
            index.add_phrases(correction);
        }
        index
    }

    /// Whether nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Adds the phrases that are consistent with the links (Och & Ney 2004): no word of either side is linked to the outside.
    fn add_phrases(&mut self, correction: &Correction) {
        let source: Vec<&str> = correction.source_words.split(' ').collect();
        let target: Vec<&str> = correction.target_words.split(' ').collect();
        for start in 0..source.len() {
            for end in start + 1..=source.len().min(start + self.longest) {
                let within = |i: u32| (start..end).contains(&(i as usize));
                let own = || correction.links.iter().filter(|(i, _)| within(*i)).map(|&(_, j)| j as usize);
                let (Some(first), Some(last)) = (own().min(), own().max()) else { continue };
                let crossed = |&(i, j): &(u32, u32)| (first..=last).contains(&(j as usize)) && !within(i);
                if correction.links.iter().any(crossed) || last >= target.len() {
                    continue;
                }
                // A phrase that is nothing but signs teaches nothing.
                if !source[start..end].iter().any(|word| word.contains(char::is_alphabetic)) {
                    continue;
                }
                let of = self.phrases.entry(source[start..end].join(" ")).or_default();
                let words = target[first..=last].join(" ");
                match of.iter_mut().find(|(other, _)| *other == words) {
                    Some((_, count)) => *count += 1,
                    None => of.push((words, 1)),
                }
            }
        }
    }

    /// Adds what was learnt for a sentence: the sentence itself binds, and its translation is told; phrases of others are offered.
    pub fn guide(&self, words: &str, guidance: &mut Guidance) -> Option<String> {
        let length = words.split(' ').count();
        if let Some(learnt) = self.sentences.get(words) {
            let span = Span::new(0, length as u32);
            let mut whole = Given::exclusive(span, Origin::Correction, &learnt.target_words);
            whole.choices[0].links.clone_from(&learnt.links);
            if guidance.add(whole, length) {
                return Some(learnt.target.clone());
            }
        }
        let offer = Offer { origin: Origin::Correction, shortest: 1, log_prob: 0.0 };
        self.offer(words, &offer, guidance);
        None
    }

    /// Offers the phrases that fit a sentence.
    pub(super) fn offer(&self, words: &str, offer: &Offer, guidance: &mut Guidance) {
        let length = words.split(' ').count();
        let words: Vec<&str> = words.split(' ').collect();
        for start in 0..words.len() {
            for end in start + offer.shortest..=words.len().min(start + self.longest) {
                let Some(found) = self.phrases.get(&words[start..end].join(" ")) else { continue };
                let span = Span::new(start as u32, end as u32);
                let all: u32 = found.iter().map(|(_, count)| count).sum();
                let choice = |(words, count): &(String, u32)| GivenChoice {
                    words: words.clone(),
                    log_prob: (f64::from(*count) / f64::from(all)).ln() as f32 + offer.log_prob,
                    links: Vec::new(),
                };
                let choices = found.iter().map(choice).collect();
                let (binding, origin, anchor) = (Binding::Inclusive, offer.origin, span.end - 1);
                guidance.add(Given { span, binding, origin, anchor, choices }, length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> CorrectionIndex {
        let correction = Correction {
            source: String::new(),
            target: String::new(),
            source_words: "der Akku ist leer .".to_string(),
            target_words: "the battery is empty .".to_string(),
            links: (0..5).map(|at| (at, at)).collect(),
        };
        CorrectionIndex::new(&Corrections { all: vec![correction] })
    }

    #[test]
    fn a_sentence_that_was_corrected_is_translated_so() {
        let mut guidance = Guidance::default();
        index().guide("der Akku ist leer .", &mut guidance);
        assert_eq!(guidance.given.len(), 1);
        assert_eq!(
            (guidance.given[0].binding, guidance.given[0].span),
            (Binding::Exclusive, Span::new(0, 5))
        );
    }

    #[test]
    fn phrases_of_a_correction_are_offered_elsewhere() {
        let mut guidance = Guidance::default();
        index().guide("mein Akku ist alt .", &mut guidance);
        let offered: Vec<&str> = guidance.given.iter().map(|given| given.choices[0].words.as_str()).collect();
        assert_eq!(offered, ["battery", "battery is", "is"]);
        assert!(guidance.given.iter().all(|given| !given.binds()));
    }
}
