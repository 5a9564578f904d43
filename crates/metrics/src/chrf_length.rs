//! chrF that minds the length of what it scores: what weights are tuned to where single words are what other languages have
//! sentences for.
//!
//! BLEU tells little of such text, whose words hardly ever match. chrF does, but it weighs recall twice as much as precision, and a
//! tuner takes that for an advice to write more: tuned to it, output becomes far too long. Here chrF is multiplied with
//! `exp(-10 ln(h/r)²)`, for `h` characters of output and `r` of references: 1 for the right length, 0.98 where it is 5% off, 0.91 at 10%
//! and 0.44 at a third, too long and too short alike. It is smooth at the right length, so that tuners do not stick there.

use crate::chrf::Chrf;
use crate::metric::{Metric, RefCount, References, Sentence};
use crate::registry::Entry;

/// How steeply the score falls with the logarithm of the length's ratio, squared.
const STEEPNESS: f64 = 10.0;

/// Its line in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: NAME,
    title: "chrF-length",
    digits: 2,
    companions: &[],
    build: |options| Ok(Box::new(ChrfLength { chrf: Chrf::new(options.chrf) })),
};

/// What the registry knows it by.
pub const NAME: &str = "chrf_length";

/// chrF times a penalty for output that is too long or too short. Its statistics are chrF's, which begin with the characters of
/// output and reference.
struct ChrfLength {
    chrf: Chrf,
}

/// How much is left of a score at these lengths.
fn penalty(output: f64, reference: f64) -> f64 {
    if output <= 0.0 || reference <= 0.0 {
        return if output == reference { 1.0 } else { 0.0 };
    }
    (-STEEPNESS * (output / reference).ln().powi(2)).exp()
}

impl Metric for ChrfLength {
    fn name(&self) -> &str {
        NAME
    }

    fn size(&self) -> usize {
        self.chrf.size()
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        self.chrf.prepare(references)
    }

    fn score(&self, sums: &[f64]) -> f64 {
        self.chrf.score(sums) * penalty(sums[0], sums[1])
    }

    /// Of one sentence the length says little: it is plain chrF.
    fn sentence_score(&self, statistics: &[f64]) -> f64 {
        self.chrf.score(statistics)
    }

    fn details(&self, sums: &[f64]) -> Vec<(&'static str, f64)> {
        vec![("length", if sums[1] > 0.0 { sums[0] / sums[1] } else { 0.0 })]
    }

    fn signature(&self, references: RefCount) -> String {
        format!("{}|length:{STEEPNESS}", self.chrf.signature(references))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chrf;
    use crate::metric::Hypothesis;

    fn scores(hypothesis: &str, reference: &str) -> [f64; 2] {
        let plain = Chrf::new(chrf::Options::default());
        let metric = ChrfLength { chrf: plain.clone() };
        let mut sums = vec![0.0; metric.size()];
        let references = [reference];
        metric.prepare(&References::new(&references)).add_statistics(&Hypothesis::new(hypothesis), &mut sums);
        [plain.score(&sums), metric.score(&sums)]
    }

    #[test]
    fn the_right_length_costs_nothing_and_both_wrong_ones_the_same() {
        let [plain, own] = scores("abcde fghij", "abcde fghix");
        assert!(plain > 50.0 && (plain - own).abs() < 1e-9);
        assert!((penalty(110.0, 100.0) - penalty(100.0, 110.0)).abs() < 1e-12);
        assert!((penalty(105.0, 100.0) - 0.98).abs() < 0.01 && penalty(151.0, 100.0) < 0.25);
    }

    #[test]
    fn writing_more_raises_chrf_and_not_this() {
        let (short, long) = (scores("abcd", "abcd efgh"), scores("abcd efgh xyzx zyxz", "abcd efgh"));
        assert!(long[0] > short[0], "recall counts twice: {long:?} {short:?}");
        assert!(long[1] < 0.1 * long[0], "{long:?}");
        assert_eq!(scores("", "abc"), [0.0, 0.0]);
    }
}
