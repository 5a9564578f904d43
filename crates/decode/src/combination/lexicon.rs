//! Word translations in both directions: how well all words of a line and of a translation translate each other (model 1 of Brown et
//! al. 1993, equation 16, over lexical tables), and which words are each other's translations.

use rustc_hash::FxHashMap;

/// The name of the empty word, which words that translate nothing are translations of.
const NULL: &str = "NULL";
/// The probability of a translation that no table has.
const UNSEEN: f64 = 1e-7;
/// How much less likely links become with the distance of their words, each as a share of its sentence.
const DISTANCE: f64 = 2.0;

/// Probabilities of words given a word of the other language.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordTranslations {
    numbers: [FxHashMap<Box<str>, u32>; 2],
    probabilities: FxHashMap<(u32, u32), f32>,
}

/// The number of words that a table does not have.
const UNKNOWN: u32 = u32::MAX;

impl WordTranslations {
    /// Takes up the probability of a word given another.
    pub fn add(&mut self, given: &str, word: &str, probability: f64) {
        let [given, word] = [(0, given), (1, word)].map(|(side, text)| {
            let known = &mut self.numbers[side];
            match known.get(text) {
                Some(&number) => number,
                None => {
                    let number = known.len() as u32;
                    known.insert(text.into(), number);
                    number
                }
            }
        });
        self.probabilities.insert((given, word), probability as f32);
    }

    /// The numbers of words that others are given, the empty word first.
    pub fn given(&self, words: &[&str]) -> Vec<u32> {
        std::iter::once(&NULL).chain(words).map(|word| self.number(0, word)).collect()
    }

    fn number(&self, side: usize, word: &str) -> u32 {
        self.numbers[side].get(word).copied().unwrap_or(UNKNOWN)
    }

    /// The probability of a word; one that the table lacks is translated by itself.
    fn probability(&self, given: (u32, &str), word: (u32, &str)) -> f64 {
        if given.0 == UNKNOWN {
            return if given.1 == word.1 { 1.0 } else { 0.0 };
        }
        self.probabilities.get(&(given.0, word.0)).copied().map_or(0.0, f64::from)
    }

    /// The logarithm of the probability of words given others, whose numbers are known.
    pub fn score(&self, given: &[&str], numbers: &[u32], words: &[&str]) -> f64 {
        let positions = numbers.len() as f64;
        let of_word = |word: &&str| {
            let numbered = (self.number(1, word), *word);
            let texts = std::iter::once(&NULL).chain(given);
            let each = numbers.iter().zip(texts).map(|(&n, &text)| self.probability((n, text), numbered));
            (UNSEEN + each.sum::<f64>() / positions).ln()
        };
        words.iter().map(of_word).sum()
    }

    /// For each word the one of the given words that it most likely translates, of words as likely the nearest; `None` where that is the
    /// empty word.
    pub fn links(&self, given: &[&str], numbers: &[u32], words: &[&str]) -> Vec<Option<u32>> {
        let place = |at: usize, length: usize| at as f64 / length.max(1) as f64;
        let link = |(at, word): (usize, &&str)| {
            let numbered = (self.number(1, word), *word);
            let null = numbers.first().map_or(0.0, |&n| self.probability((n, NULL), numbered));
            // Tables count a word's links with nothing at full, those with words share its links.
            let mut best = (null / 2.0, None);
            for (other, (&text, &number)) in given.iter().zip(&numbers[1..]).enumerate() {
                let distance = (place(other, given.len()) - place(at, words.len())).abs();
                let likely = self.probability((number, text), numbered) * (-DISTANCE * distance).exp();
                if likely > best.0 {
                    best = (likely, Some(other as u32));
                }
            }
            best.1
        };
        words.iter().enumerate().map(link).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> WordTranslations {
        let mut table = WordTranslations::default();
        for (given, word, probability) in
            [("das", "the", 0.5), ("haus", "house", 0.8), ("NULL", "of", 0.6), ("haus", "the", 0.1)]
        {
            table.add(given, word, probability);
        }
        table
    }

    #[test]
    fn the_score_is_that_of_model_1() {
        let (table, given) = (table(), ["das", "haus"]);
        let numbers = table.given(&given);
        let wanted = (UNSEEN + 0.6 / 3.0).ln() + (UNSEEN + 0.8 / 3.0).ln() + UNSEEN.ln();
        let found = table.score(&given, &numbers, &["the", "house", "green"]);
        assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
    }

    #[test]
    fn words_link_to_their_likeliest_translation_and_names_to_themselves() {
        let (table, given) = (table(), ["das", "haus", "anna", "das"]);
        let numbers = table.given(&given);
        let links = table.links(&given, &numbers, &["the", "house", "of", "anna", "the", "sky"]);
        assert_eq!(links, [Some(0), Some(1), None, Some(2), Some(3), None]);
    }
}
