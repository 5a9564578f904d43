//! The translation edit rate (Snover et al. 2006), equal to sacreBLEU's: insertions, deletions, substitutions and
//! shifts of words, divided by the average length of the references.

mod edits;
mod shift;

use crate::bleu::SACREBLEU;
use crate::metric::{Hypothesis, Metric, RefCount, References, Sentence};
use crate::ngrams;
use crate::registry::Entry;
use crate::tokenize::{Tercom, tokens};

/// Its line in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "ter",
    title: "TER",
    digits: 2,
    companions: &[],
    build: |options| Ok(Box::new(Ter::new(options.ter))),
};

/// TER. Statistics: the edits against the nearest reference, the average length of the references.
#[derive(Debug, Clone, Default)]
pub struct Ter {
    options: Tercom,
}

impl Ter {
    /// TER of text that is cut into words by these options.
    pub fn new(options: Tercom) -> Self {
        Self { options }
    }

    fn words(text: &str) -> Vec<u64> {
        tokens(text).map(ngrams::word).collect()
    }
}

struct Prepared<'a> {
    ter: &'a Ter,
    references: Vec<Vec<u64>>,
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let words = Ter::words(&self.ter.options.tokenize(hypothesis.text));
        let edits = self.references.iter().map(|reference| shift::edits(&words, reference)).min();
        let length: usize = self.references.iter().map(Vec::len).sum();
        sums[0] += f64::from(edits.unwrap_or(0));
        sums[1] += length as f64 / self.references.len().max(1) as f64;
    }
}

impl Metric for Ter {
    fn name(&self) -> &str {
        "ter"
    }

    fn size(&self) -> usize {
        2
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        // sacreBLEU tokenises references twice, which shows in text with entities of entities.
        let twice = |text: &&str| Ter::words(&self.options.tokenize(&self.options.tokenize(text)));
        Box::new(Prepared { ter: self, references: references.texts.iter().map(twice).collect() })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        let (edits, length) = (sums[0], sums[1]);
        if length > 0.0 {
            100.0 * (edits / length)
        } else if edits > 0.0 {
            100.0
        } else {
            0.0
        }
    }

    fn higher_is_better(&self) -> bool {
        false
    }

    fn details(&self, sums: &[f64]) -> Vec<(&'static str, f64)> {
        vec![("edits", sums[0]), ("reference length", sums[1])]
    }

    fn signature(&self, references: RefCount) -> String {
        let Tercom { normalized, no_punct, asian, cased } = self.options;
        let case = if cased { "mixed" } else { "lc" };
        let answer = |yes: bool| if yes { "yes" } else { "no" };
        let (normalized, punct, asian) = (answer(normalized), answer(!no_punct), answer(asian));
        format!(
            "nrefs:{references}|case:{case}|tok:tercom|norm:{normalized}|punct:{punct}|asian:{asian}|version:{SACREBLEU}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(hypothesis: &str, references: &[&str]) -> Vec<f64> {
        let ter = Ter::default();
        let mut sums = vec![0.0; ter.size()];
        let sentence = ter.prepare(&References::new(references));
        sentence.add_statistics(&Hypothesis::new(hypothesis), &mut sums);
        sums
    }

    #[test]
    fn a_moved_phrase_is_one_edit() {
        assert_eq!(statistics("in the garden he sat", &["He sat in the garden"]), [1.0, 5.0]);
        assert_eq!(statistics("x in the garden he sat", &["He sat in the garden"]), [2.0, 5.0]);
    }

    #[test]
    fn the_nearest_reference_counts_and_lengths_are_averaged() {
        assert_eq!(statistics("a b c", &["a b c d", "a b", "a"]), [1.0, 7.0 / 3.0]);
    }

    #[test]
    fn an_empty_side_costs_the_length_of_the_other() {
        assert_eq!(statistics("", &["a b"]), [2.0, 2.0]);
        assert_eq!(statistics("a b c", &[""]), [3.0, 0.0]);
        assert_eq!(Ter::default().score(&[3.0, 0.0]), 100.0);
        assert_eq!(Ter::default().score(&[0.0, 0.0]), 0.0);
    }
}
