//! What each word contributes to the lexical probabilities: its expected links, and how often it has no partner. One
//! entry a distinct word, in memory whatever the corpus.

use crate::settings::LexPrior;

/// How much of model 1's distribution of words without a partner is kept.
const KEPT_OF_NULL: f32 = 0.01;

/// Link counts per word, stored pairs or not.
#[derive(Debug, Clone, Default)]
pub struct WordCounts {
    /// Expected links of the word.
    pub links: Vec<f32>,
    /// Expected number of times the word has no partner.
    pub null: Vec<f32>,
}

/// What one side's words contribute to the probabilities.
#[derive(Debug, Clone, Default)]
pub struct SideScales {
    /// For each word, its expected links without its own last occurrence.
    links: Vec<f32>,
    /// For each word, one over its links with prior.
    pub(crate) scale: Vec<f32>,
    /// For each word, its probability given the other side's empty word.
    pub(crate) null: Vec<f32>,
    /// How often each word occurs in the training text.
    pub(crate) frequency: Vec<u32>,
    /// Scale and null probability of a word that training never saw.
    unseen: (f32, f32),
}

impl SideScales {
    /// Before any links are counted: words have no partner as often as they occur.
    pub fn of_frequency(frequency: Vec<u32>) -> Self {
        let mut null = frequency.iter().map(|&n| n as f32).collect::<Vec<_>>();
        smooth(&mut null, 1.0);
        Self { null, frequency, ..Self::default() }
    }

    /// From saved links and null probabilities; `uniform` is the prior of a whole row.
    pub fn new(words: impl Iterator<Item = (f32, f32)>, uniform: f32, unseen_null: f32) -> Self {
        let (links, null): (Vec<f32>, Vec<f32>) = words.unzip();
        let scale = links.iter().map(|links| 1.0 / (links + uniform)).collect();
        Self { links, scale, null, frequency: Vec::new(), unseen: (1.0 / uniform, unseen_null) }
    }

    /// For applying a model only.
    pub(crate) fn of_scales(scale: Vec<f32>, null: Vec<f32>) -> Self {
        Self { scale, null, ..Self::default() }
    }

    /// Makes all words almost equally likely to have no partner: model 1 leaves frequent words without one too
    /// readily.
    pub(crate) fn flatten_null(&mut self) {
        let uniform = (1.0 - KEPT_OF_NULL) / self.null.len() as f32;
        self.null.iter_mut().for_each(|p| *p = *p * KEPT_OF_NULL + uniform);
    }

    /// Makes room for words that training never saw.
    pub fn extend(&mut self, words: usize) {
        let (scale, null) = self.unseen;
        self.links.resize(words, 0.0);
        self.scale.resize(words, scale);
        self.null.resize(words, null);
    }

    /// How many words there are.
    pub(crate) fn words(&self) -> usize {
        self.scale.len()
    }

    /// A word's expected links, its own last occurrence left out.
    pub fn links(&self, word: u32) -> f32 {
        self.links[word as usize]
    }

    /// One over a word's count with prior.
    pub fn scale(&self, word: u32) -> f32 {
        self.scale[word as usize]
    }

    /// A word's probability given the other side's empty word.
    pub fn null(&self, word: u32) -> f32 {
        self.null[word as usize]
    }

    /// Sets the scales from links, their own last occurrence left out already.
    pub(crate) fn set_links(&mut self, links: Vec<f32>, uniform: f32) {
        self.scale = links.iter().map(|links| 1.0 / (links + uniform)).collect();
        self.links = links;
    }

    /// Sets the scales from counts; a word's own last occurrence is no evidence, as with pairs.
    pub(crate) fn update(&mut self, counts: &WordCounts, other_words: usize, prior: &LexPrior) {
        let share = |n: u32| 1.0 - 1.0 / n.max(1) as f32;
        let links = counts.links.iter().zip(&self.frequency).map(|(&links, &n)| links * share(n)).collect();
        self.set_links(links, prior.alpha * other_words as f32);
        self.null.clear();
        self.null.extend_from_slice(&counts.null);
        smooth(&mut self.null, prior.null_alpha);
    }
}

/// Turns counts into probabilities with `alpha` added to each.
pub fn smooth(counts: &mut [f32], alpha: f32) {
    let total: f64 = counts.iter().map(|&c| f64::from(c)).sum();
    let scale = 1.0 / (total + f64::from(alpha) * counts.len() as f64);
    for c in counts {
        *c = (f64::from(*c + alpha) * scale) as f32;
    }
}
