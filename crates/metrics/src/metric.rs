//! What a metric is: statistics that add up over sentences, and a score of their sums (the shape of Travatar's
//! evaluation measures). Everything that compares or improves translations works on this trait alone.

use std::fmt;

/// A link between two words: position in the source, position in the translation, both from 0.
pub type Link = (u32, u32);

/// One translation to score.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis<'a> {
    /// The translation.
    pub text: &'a str,
    /// Its links to the source, for metrics of word order; a decoder knows them.
    pub links: Option<&'a [Link]>,
}

impl<'a> Hypothesis<'a> {
    /// A translation without links.
    pub fn new(text: &'a str) -> Self {
        Self { text, links: None }
    }
}

/// The references of one sentence. A missing one is left out; the others stay.
#[derive(Debug, Clone, Copy)]
pub struct References<'a> {
    /// The reference translations.
    pub texts: &'a [&'a str],
    /// The links between the source and the first reference, for metrics of word order.
    pub links: Option<&'a [Link]>,
}

impl<'a> References<'a> {
    /// References without links.
    pub fn new(texts: &'a [&'a str]) -> Self {
        Self { texts, links: None }
    }
}

/// How many references the sentences of a corpus have; signatures show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefCount {
    /// All have this many.
    Fixed(usize),
    /// They differ.
    Varying,
}

impl fmt::Display for RefCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Varying => f.write_str("var"),
        }
    }
}

/// A metric: read-only once the references are known, shared by all threads.
///
/// The order of use is: [`Metric::study`] for the references of every sentence (only metrics that
/// [need it](Metric::needs_study)), [`Metric::prepare`] once a sentence, [`Sentence::add_statistics`] once a
/// hypothesis, [`Metric::score`] on any sum of statistics.
pub trait Metric: Send + Sync {
    /// The name that [`build`](crate::build()) knows it by.
    fn name(&self) -> &str;

    /// How many statistics a sentence has.
    fn size(&self) -> usize;

    /// Whether all references must be seen before the first is prepared.
    fn needs_study(&self) -> bool {
        false
    }

    /// Whether it makes use of the links of translations and references with the source.
    fn reads_links(&self) -> bool {
        false
    }

    /// Takes notice of the references of one sentence: NIST weighs n-grams by their counts in all references.
    fn study(&mut self, _references: &References<'_>) {}

    /// Does, once a sentence, what does not depend on the hypothesis, so that many hypotheses are scored fast.
    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a>;

    /// The score of a corpus from the sums of its sentences' statistics, in 0..100 (NIST: in bits). A corpus
    /// without sentences has all sums 0.
    fn score(&self, sums: &[f64]) -> f64;

    /// The score of one sentence from its statistics, smoothed where a corpus would not need it.
    fn sentence_score(&self, statistics: &[f64]) -> f64 {
        self.score(statistics)
    }

    /// Whether a greater score is a better translation.
    fn higher_is_better(&self) -> bool {
        true
    }

    /// What the score was made from (precisions, lengths, ...), named, for those who want to know more.
    fn details(&self, _sums: &[f64]) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// All that must be known to repeat the score, in sacreBLEU's notation: `key:value|key:value`.
    fn signature(&self, references: RefCount) -> String;
}

/// The prepared references of one sentence.
pub trait Sentence: Send + Sync {
    /// Adds the statistics of a hypothesis to `sums`, which has [`Metric::size`] elements.
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]);
}
