//! chrF (Popović 2015) and chrF++ (Popović 2017): F-scores of character n-grams, with word n-grams in the latter;
//! equal to sacreBLEU's.

use crate::bleu::SACREBLEU;
use crate::metric::{Hypothesis, Metric, RefCount, References, Sentence};
use crate::ngrams::{self, Ngrams};
use crate::registry::Entry;
use crate::tokenize::{is_space, lowered, tokens};

/// The choices chrF leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Compare lower-cased text.
    pub lowercase: bool,
    /// The highest order of character n-grams.
    pub char_order: usize,
    /// The highest order of word n-grams: 0 is chrF, 2 is chrF++.
    pub word_order: usize,
    /// How much more recall counts than precision.
    pub beta: f64,
    /// Spaces are characters too.
    pub whitespace: bool,
    /// Average over all orders and give those without n-grams a tiny score, as the author's program, instead of
    /// leaving them out.
    pub eps_smoothing: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            lowercase: false,
            char_order: 6,
            word_order: 0,
            beta: 2.0,
            whitespace: false,
            eps_smoothing: false,
        }
    }
}

/// Its line in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "chrf",
    title: "chrF",
    digits: 2,
    companions: &[],
    build: |options| Ok(Box::new(Chrf::new(options.chrf))),
};

/// chrF with words, likewise.
pub(crate) const PLUS_PLUS: Entry = Entry {
    name: "chrf++",
    title: "chrF++",
    build: |options| Ok(Box::new(Chrf::new(Options { word_order: 2, ..options.chrf }))),
    ..ENTRY
};

/// chrF. Statistics: for each order, of characters and then of words, how many n-grams the hypothesis has, how many
/// the best reference has, and how many both have.
#[derive(Debug, Clone, Default)]
pub struct Chrf {
    options: Options,
}

/// The symbols of one sentence.
struct Symbols {
    chars: Vec<u64>,
    words: Vec<u64>,
}

impl Chrf {
    /// chrF with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    fn orders(&self) -> usize {
        self.options.char_order + self.options.word_order
    }

    fn symbols(&self, text: &str) -> Symbols {
        let Options { lowercase, word_order, whitespace, .. } = self.options;
        let text = lowered(text, lowercase);
        // sacreBLEU's command line reads lines without the space at their ends.
        let text = text.trim_end_matches(is_space);
        let chars = text.chars().filter(|&c| whitespace || !is_space(c)).map(u64::from).collect();
        let words = if word_order > 0 { words(text) } else { Vec::new() };
        Symbols { chars, words }
    }

    fn f_score(&self, statistics: &[f64]) -> f64 {
        const EPS: f64 = 1e-16;
        let factor = self.options.beta * self.options.beta;
        let (mut smoothed, mut precisions, mut recalls, mut orders) = (0.0, 0.0, 0.0, 0.0);
        for order in statistics.chunks_exact(3) {
            let (hypothesis, reference, matches) = (order[0], order[1], order[2]);
            let precision = if hypothesis > 0.0 { matches / hypothesis } else { EPS };
            let recall = if reference > 0.0 { matches / reference } else { EPS };
            let denominator = factor * precision + recall;
            smoothed +=
                if denominator > 0.0 { (1.0 + factor) * precision * recall / denominator } else { EPS };
            if hypothesis > 0.0 && reference > 0.0 {
                precisions += precision;
                recalls += recall;
                orders += 1.0;
            }
        }
        if self.options.eps_smoothing {
            return 100.0 * smoothed / self.orders() as f64;
        }
        if precisions + recalls == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (precisions / orders, recalls / orders);
        100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall))
    }
}

/// The words of a sentence, with one punctuation mark cut from the end or else from the beginning of each: `(hi)`
/// becomes `(hi` and `)`, as in the original.
fn words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    for word in tokens(text) {
        let last = word.len() - 1;
        let bytes = word.as_bytes();
        let pieces = if word.len() == 1 {
            (word, "")
        } else if bytes[last].is_ascii_punctuation() {
            word.split_at(last)
        } else if bytes[0].is_ascii_punctuation() {
            word.split_at(1)
        } else {
            (word, "")
        };
        words.push(ngrams::word(pieces.0));
        if !pieces.1.is_empty() {
            words.push(ngrams::word(pieces.1));
        }
    }
    words
}

struct Reference {
    symbols: [usize; 2],
    chars: Ngrams,
    words: Ngrams,
}

struct Prepared<'a> {
    chrf: &'a Chrf,
    references: Vec<Reference>,
}

impl Prepared<'_> {
    /// The statistics against one reference.
    fn against(&self, hypothesis: &Symbols, reference: &Reference) -> Vec<f64> {
        let Options { char_order, word_order, .. } = self.chrf.options;
        let mut statistics = vec![0.0; 3 * self.chrf.orders()];
        let (of_chars, of_words) = statistics.split_at_mut(3 * char_order);
        count(&hypothesis.chars, reference.symbols[0], &reference.chars, char_order, of_chars);
        count(&hypothesis.words, reference.symbols[1], &reference.words, word_order, of_words);
        statistics
    }
}

fn count(hypothesis: &[u64], length: usize, reference: &Ngrams, orders: usize, out: &mut [f64]) {
    for n in 0..orders {
        let in_reference = ngrams::total(length, n + 1);
        // The original does not count what the reference is too short for.
        if in_reference > 0 {
            out[3 * n] = ngrams::total(hypothesis.len(), n + 1) as f64;
        }
        out[3 * n + 1] = in_reference as f64;
    }
    reference.for_each_match(hypothesis, orders, |n, _| out[3 * n + 2] += 1.0);
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let symbols = self.chrf.symbols(hypothesis.text);
        let mut best = (-1.0, Vec::new());
        for reference in &self.references {
            let statistics = self.against(&symbols, reference);
            let score = self.chrf.f_score(&statistics);
            if score > best.0 {
                best = (score, statistics);
            }
        }
        for (sum, statistic) in sums.iter_mut().zip(best.1) {
            *sum += statistic;
        }
    }
}

impl Metric for Chrf {
    fn name(&self) -> &str {
        if self.options.word_order == 2 { "chrf++" } else { "chrf" }
    }

    fn size(&self) -> usize {
        3 * self.orders()
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        let Options { char_order, word_order, .. } = self.options;
        let prepare = |text: &&str| {
            let Symbols { chars, words } = self.symbols(text);
            Reference {
                symbols: [chars.len(), words.len()],
                chars: Ngrams::new(&chars, char_order),
                words: Ngrams::new(&words, word_order),
            }
        };
        Box::new(Prepared { chrf: self, references: references.texts.iter().map(prepare).collect() })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        self.f_score(sums)
    }

    fn signature(&self, references: RefCount) -> String {
        let Options { lowercase, char_order, word_order, whitespace, eps_smoothing, .. } = self.options;
        let case = if lowercase { "lc" } else { "mixed" };
        let effective = if eps_smoothing { "no" } else { "yes" };
        let space = if whitespace { "yes" } else { "no" };
        format!(
            "nrefs:{references}|case:{case}|eff:{effective}|nc:{char_order}|nw:{word_order}|space:{space}|version:{SACREBLEU}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(options: Options, hypothesis: &str, references: &[&str]) -> f64 {
        let chrf = Chrf::new(options);
        let mut sums = vec![0.0; chrf.size()];
        let sentence = chrf.prepare(&References::new(references));
        sentence.add_statistics(&Hypothesis::new(hypothesis), &mut sums);
        chrf.score(&sums)
    }

    #[test]
    fn spaces_count_only_when_asked() {
        let plain = Options::default();
        assert_eq!(score(plain, "ab cd ef", &["abc def"]), 100.0);
        assert!(score(Options { whitespace: true, ..plain }, "ab cd ef", &["abc def"]) < 100.0);
    }

    #[test]
    fn the_best_reference_counts() {
        let options = Options { word_order: 2, ..Options::default() };
        assert_eq!(score(options, "good day", &["hello", "good day", ""]), 100.0);
    }

    #[test]
    fn nothing_against_something_scores_zero() {
        assert_eq!(score(Options::default(), "", &["a"]), 0.0);
        assert_eq!(score(Options::default(), "a", &[""]), 0.0);
        let smoothed = score(Options { eps_smoothing: true, ..Options::default() }, "a", &[""]);
        assert!(smoothed > 0.0 && smoothed < 1e-10);
    }

    #[test]
    fn one_punctuation_mark_is_cut_from_a_word() {
        let cut = |text: &str, expected: &[&str]| {
            assert_eq!(words(text), expected.iter().map(|w| ngrams::word(w)).collect::<Vec<_>>());
        };
        cut("(hi) . \"yes ß!! é,", &["(hi", ")", ".", "\"", "yes", "ß!", "!", "é", ","]);
    }
}
