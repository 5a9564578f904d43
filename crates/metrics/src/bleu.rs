//! BLEU (Papineni et al. 2002), equal to sacreBLEU's in score, smoothing and signature.

use crate::metric::{Hypothesis, Metric, RefCount, References, Sentence};
use crate::ngrams::{self, Ngrams};
use crate::registry::Entry;
use crate::tokenize::{Tokenizer, is_space, lowered, tokens};

/// The version of sacreBLEU whose scores and signatures these are.
pub const SACREBLEU: &str = "2.6.0";

/// What to do about orders without a match (Chen & Cherry 2014).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Smoothing {
    /// Nothing: the score is 0.
    None,
    /// Count this much instead of 0.
    Floor(f64),
    /// Add this much to matches and totals of all orders above the first.
    AddK(f64),
    /// Count 1/2, 1/4, ... for the first, second, ... such order, as NIST's script.
    #[default]
    Exp,
}

impl Smoothing {
    fn signature(self) -> String {
        match self {
            Self::None => "none".to_string(),
            Self::Floor(value) => format!("floor[{value:.2}]"),
            Self::AddK(value) => format!("add-k[{value:.2}]"),
            Self::Exp => "exp".to_string(),
        }
    }
}

/// The choices BLEU leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Compare lower-cased text.
    pub lowercase: bool,
    /// How text is cut into tokens.
    pub tokenizer: Tokenizer,
    /// What to do about orders without a match.
    pub smoothing: Smoothing,
    /// Leave out orders for which the hypothesis is too short, also for corpora; single sentences always do.
    pub effective_order: bool,
    /// The highest order of n-grams.
    pub order: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            lowercase: false,
            tokenizer: Tokenizer::default(),
            smoothing: Smoothing::default(),
            effective_order: false,
            order: 4,
        }
    }
}

/// Its line in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "bleu",
    title: "BLEU",
    digits: 2,
    companions: &[],
    build: |options| Ok(Box::new(Bleu::new(options.bleu))),
};

/// BLEU. Statistics: length of the hypothesis, length of the closest reference, then for each order the matches,
/// then for each order the totals.
#[derive(Debug, Clone, Default)]
pub struct Bleu {
    options: Options,
}

impl Bleu {
    /// BLEU with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// The hashes of the tokens of a text.
    fn symbols(&self, text: &str) -> Vec<u64> {
        let Options { lowercase, tokenizer, .. } = self.options;
        let text = lowered(text, lowercase);
        let text = tokenizer.tokenize(text.trim_end_matches(is_space));
        tokens(&text).map(ngrams::word).collect()
    }

    fn compute(&self, sums: &[f64], effective: bool) -> f64 {
        let order = self.options.order;
        if sums[2..2 + order].iter().all(|&matches| matches == 0.0) {
            return 0.0;
        }
        let log = |p: f64| if p == 0.0 { -9_999_999_999.0 } else { p.ln() };
        let (mut logs, mut known) = (0.0, 0);
        for precision in self.precisions(sums) {
            logs += log(precision);
            known += 1;
        }
        let orders = if effective { known } else { order };
        logs += log(0.0) * (orders - known) as f64;
        brevity_penalty(sums) * (logs / orders as f64).exp()
    }

    /// The smoothed precisions, in per cent, of the orders that the hypothesis is long enough for.
    fn precisions(&self, sums: &[f64]) -> impl Iterator<Item = f64> {
        let Options { order, smoothing, .. } = self.options;
        let mut halved = 1.0;
        (0..order).map_while(move |n| {
            let (mut matches, mut total) = (sums[2 + n], sums[2 + order + n]);
            if let (Smoothing::AddK(k), true) = (smoothing, n > 0) {
                matches += k;
                total += k;
            }
            if total == 0.0 {
                return None;
            }
            Some(match smoothing {
                _ if matches > 0.0 => 100.0 * matches / total,
                Smoothing::Exp => {
                    halved *= 2.0;
                    100.0 / (halved * total)
                }
                Smoothing::Floor(value) => 100.0 * value / total,
                Smoothing::None | Smoothing::AddK(_) => 0.0,
            })
        })
    }
}

/// The penalty for a text that is shorter than its references.
fn brevity_penalty(sums: &[f64]) -> f64 {
    let (length, reference) = (sums[0], sums[1]);
    if length >= reference {
        1.0
    } else if length > 0.0 {
        (1.0 - reference / length).exp()
    } else {
        0.0
    }
}

struct Prepared<'a> {
    bleu: &'a Bleu,
    lengths: Vec<usize>,
    ngrams: Ngrams,
}

impl Prepared<'_> {
    /// The reference length closest to that of the hypothesis; of two, the shorter.
    fn closest(&self, length: usize) -> usize {
        let distance = |&reference: &usize| (reference.abs_diff(length), reference);
        self.lengths.iter().copied().min_by_key(distance).unwrap_or(0)
    }
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let order = self.bleu.options.order;
        let symbols = self.bleu.symbols(hypothesis.text);
        sums[0] += symbols.len() as f64;
        sums[1] += self.closest(symbols.len()) as f64;
        self.ngrams.for_each_match(&symbols, order, |n, _| sums[2 + n] += 1.0);
        for n in 0..order {
            sums[2 + order + n] += ngrams::total(symbols.len(), n + 1) as f64;
        }
    }
}

impl Metric for Bleu {
    fn name(&self) -> &str {
        "bleu"
    }

    fn size(&self) -> usize {
        2 + 2 * self.options.order
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        let mut lengths = Vec::with_capacity(references.texts.len());
        let mut several = Vec::with_capacity(references.texts.len());
        for text in references.texts {
            let symbols = self.symbols(text);
            lengths.push(symbols.len());
            several.push(Ngrams::new(&symbols, self.options.order));
        }
        let ngrams = match several.len() {
            1 => several.swap_remove(0),
            _ => Ngrams::maximum(&several),
        };
        Box::new(Prepared { bleu: self, lengths, ngrams })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        self.compute(sums, self.options.effective_order)
    }

    fn sentence_score(&self, statistics: &[f64]) -> f64 {
        self.compute(statistics, true)
    }

    fn details(&self, sums: &[f64]) -> Vec<(&'static str, f64)> {
        const PRECISIONS: [&str; 9] = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"];
        let mut details: Vec<_> = PRECISIONS.into_iter().zip(self.precisions(sums)).collect();
        details.push(("brevity penalty", brevity_penalty(sums)));
        details.push(("length", sums[0]));
        details.push(("reference length", sums[1]));
        details
    }

    fn signature(&self, references: RefCount) -> String {
        let Options { lowercase, tokenizer, smoothing, effective_order, .. } = self.options;
        let case = if lowercase { "lc" } else { "mixed" };
        let effective = if effective_order { "yes" } else { "no" };
        let (tokenizer, smoothing) = (tokenizer.name(), smoothing.signature());
        format!(
            "nrefs:{references}|case:{case}|eff:{effective}|tok:{tokenizer}|smooth:{smoothing}|version:{SACREBLEU}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(options: Options, hypothesis: &str, references: &[&str]) -> Vec<f64> {
        let bleu = Bleu::new(options);
        let mut sums = vec![0.0; bleu.size()];
        let sentence = bleu.prepare(&References::new(references));
        sentence.add_statistics(&Hypothesis::new(hypothesis), &mut sums);
        sums
    }

    #[test]
    fn the_closest_reference_gives_the_length_and_the_shorter_of_two() {
        let references = ["a b c d e f", "a b", "a b c d"];
        assert_eq!(statistics(Options::default(), "x y z", &references)[..2], [3.0, 2.0]);
        assert_eq!(statistics(Options::default(), "x y z u v", &references)[..2], [5.0, 4.0]);
    }

    #[test]
    fn matches_are_clipped_and_totals_count_every_ngram() {
        let sums = statistics(Options::default(), "the the the cat", &["the cat the"]);
        assert_eq!(sums, [4.0, 3.0, 3.0, 1.0, 0.0, 0.0, 4.0, 3.0, 2.0, 1.0]);
    }

    #[test]
    fn an_empty_hypothesis_scores_zero() {
        for options in
            [Options::default(), Options { smoothing: Smoothing::Floor(0.1), ..Options::default() }]
        {
            let sums = statistics(options, "", &["a b c d"]);
            assert_eq!(Bleu::new(options).score(&sums), 0.0);
            assert_eq!(Bleu::new(options).sentence_score(&sums), 0.0);
        }
    }

    #[test]
    fn the_signature_is_that_of_sacrebleu() {
        let options = Options { lowercase: true, smoothing: Smoothing::Floor(0.1), ..Options::default() };
        let signature = Bleu::new(options).signature(RefCount::Varying);
        assert_eq!(signature, "nrefs:var|case:lc|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0");
    }
}
