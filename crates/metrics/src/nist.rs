//! The NIST score (Doddington 2002), equal to that of `mteval-v13a.pl`: n-grams up to five words count by their
//! information, which is learnt from all references.

use crate::metric::{Hypothesis, Metric, RefCount, References, Sentence};
use crate::ngrams::{self, EMPTY, Ngrams, extend};
use crate::registry::Entry;
use crate::tokenize::Tokenizer;
use rustc_hash::FxHashMap;

const ORDER: usize = 5;

/// The choices NIST leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Keep case, as the script's `-c`; otherwise A to Z are lower-cased.
    pub cased: bool,
    /// How text is cut into tokens.
    pub tokenizer: Tokenizer,
}

/// Its line in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "nist",
    title: "NIST",
    digits: 4,
    companions: &[],
    build: |options| Ok(Box::new(Nist::new(options.nist))),
};

/// NIST. Statistics: for each order the information of the matches, for each order how many n-grams the hypothesis
/// has, and the average length of the references.
#[derive(Debug, Clone, Default)]
pub struct Nist {
    options: Options,
    /// How often each n-gram occurs in the references.
    counts: FxHashMap<u64, u32>,
    words: u64,
}

impl Nist {
    /// NIST with these options; it has yet to see the references.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    fn symbols(&self, text: &str) -> Vec<u64> {
        let mut text = self.options.tokenizer.tokenize(text);
        if !self.options.cased {
            text.make_ascii_lowercase();
        }
        // Perl's white space, which lacks the control characters that Python's has.
        text.split_whitespace().map(ngrams::word).collect()
    }

    /// The information of an n-gram, in bits, given the n-gram without its last word. The script takes a history
    /// that is the word `0` for none. What was not studied has none.
    fn information(&self, history: u64, ngram: u64) -> f64 {
        let count = |hash: u64| self.counts.get(&hash).map_or(1.0, |&n| f64::from(n));
        let no_history = history == EMPTY || history == extend(EMPTY, ngrams::word("0"));
        let of = if no_history { self.words.max(1) as f64 } else { count(history) };
        -(count(ngram) / of).ln() / std::f64::consts::LN_2
    }
}

/// Calls `each` with the history and the hash of every n-gram of a sentence.
fn for_each_ngram(symbols: &[u64], mut each: impl FnMut(u64, u64)) {
    for start in 0..symbols.len() {
        let mut history = EMPTY;
        for &symbol in symbols[start..].iter().take(ORDER) {
            let ngram = extend(history, symbol);
            each(history, ngram);
            history = ngram;
        }
    }
}

struct Prepared<'a> {
    nist: &'a Nist,
    ngrams: Ngrams,
    /// By slot of `ngrams`.
    information: Vec<f64>,
    length: f64,
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let symbols = self.nist.symbols(hypothesis.text);
        self.ngrams.for_each_match(&symbols, ORDER, |n, slot| sums[n] += self.information[slot]);
        for n in 0..ORDER {
            sums[ORDER + n] += ngrams::total(symbols.len(), n + 1) as f64;
        }
        sums[2 * ORDER] += self.length;
    }
}

/// The penalty for a text that is shorter than its references: one half at two thirds of their length.
fn length_penalty(ratio: f64) -> f64 {
    if ratio >= 1.0 {
        return 1.0;
    }
    if ratio <= 0.0 {
        return 0.0;
    }
    let beta = -0.5f64.ln() / 1.5f64.ln() / 1.5f64.ln();
    (-beta * ratio.ln() * ratio.ln()).exp()
}

impl Metric for Nist {
    fn name(&self) -> &str {
        "nist"
    }

    fn size(&self) -> usize {
        2 * ORDER + 1
    }

    fn needs_study(&self) -> bool {
        true
    }

    fn study(&mut self, references: &References<'_>) {
        for text in references.texts {
            let symbols = self.symbols(text);
            self.words += symbols.len() as u64;
            for_each_ngram(&symbols, |_, ngram| *self.counts.entry(ngram).or_default() += 1);
        }
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        let texts: Vec<Vec<u64>> = references.texts.iter().map(|text| self.symbols(text)).collect();
        let several: Vec<Ngrams> = texts.iter().map(|symbols| Ngrams::new(symbols, ORDER)).collect();
        let ngrams = Ngrams::maximum(&several);
        let mut information = vec![0.0; ngrams.slots()];
        for symbols in &texts {
            for_each_ngram(symbols, |history, ngram| {
                information[ngrams.find(ngram)] = self.information(history, ngram);
            });
        }
        let words: usize = texts.iter().map(Vec::len).sum();
        let length = words as f64 / texts.len().max(1) as f64;
        Box::new(Prepared { nist: self, ngrams, information, length })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        let precision: f64 = (0..ORDER).map(|n| sums[n] / sums[ORDER + n].max(1.0)).sum();
        let reference = sums[2 * ORDER];
        if reference == 0.0 {
            return 0.0;
        }
        precision * length_penalty(sums[ORDER] / reference)
    }

    fn details(&self, sums: &[f64]) -> Vec<(&'static str, f64)> {
        vec![("length", sums[ORDER]), ("reference length", sums[2 * ORDER])]
    }

    fn signature(&self, references: RefCount) -> String {
        let case = if self.options.cased { "mixed" } else { "lc" };
        format!("nrefs:{references}|case:{case}|tok:{}|version:mteval-v13a", self.options.tokenizer.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_are_worth_more_and_the_penalty_halves_at_two_thirds() {
        assert!((length_penalty(2.0 / 3.0) - 0.5).abs() < 1e-12);
        assert_eq!((length_penalty(1.2), length_penalty(0.0)), (1.0, 0.0));
        let mut nist = Nist::default();
        for text in ["a a a b", "0 c"] {
            nist.study(&References::new(&[text]));
        }
        let unigram = |word: &str| extend(EMPTY, ngrams::word(word));
        assert!((nist.information(EMPTY, unigram("a")) - 1.0).abs() < 1e-12);
        assert!((nist.information(EMPTY, unigram("b")) - 6f64.log2()).abs() < 1e-12);
        let bigram = extend(unigram("a"), ngrams::word("b"));
        assert!((nist.information(unigram("a"), bigram) - 3f64.log2()).abs() < 1e-12);
        let after_zero = extend(unigram("0"), ngrams::word("c"));
        assert!((nist.information(unigram("0"), after_zero) - 6f64.log2()).abs() < 1e-12);
    }
}
