//! The lexical tables of both directions in one: expected links between words, from which each direction's
//! probabilities follow. A pair that is not stored has the prior's value.

use crate::pairs::Pair;
use crate::settings::LexPrior;
use crate::spelling::Alike;

const NONE: u32 = u32::MAX;

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

impl WordCounts {
    /// Zero for each of `words` words.
    pub fn zero(words: usize) -> Self {
        Self { links: vec![0.0; words], null: vec![0.0; words] }
    }
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

/// Expected links between source and target words.
#[derive(Debug, Clone)]
pub struct Lexicon {
    prior: LexPrior,
    index: Vec<u32>,
    shift: u32,
    /// A bit for each hash that may be stored: most pairs are not, and one look here tells.
    filter: Vec<u64>,
    filter_shift: u32,
    pairs: Vec<(u32, u32)>,
    share: Vec<f32>,
    pair_prior: Vec<f32>,
    count: Vec<f32>,
    value: Vec<f32>,
    /// Source words.
    pub src: SideScales,
    /// Target words.
    pub tgt: SideScales,
}

/// Half of a pair's hash: the sum of both halves' highest bits are its place.
pub fn src_hash(word: u32) -> u64 {
    u64::from(word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The other half.
pub fn tgt_hash(word: u32) -> u64 {
    u64::from(word).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
}

fn hash(src: u32, tgt: u32) -> u64 {
    src_hash(src).wrapping_add(tgt_hash(tgt))
}

impl Lexicon {
    /// A table of pairs with their counts, sorted by source word.
    pub fn new(prior: LexPrior, pairs: impl Iterator<Item = (u32, Pair, f32)>) -> Self {
        let mut lexicon = Self {
            prior,
            index: Vec::new(),
            shift: 0,
            filter: Vec::new(),
            filter_shift: 0,
            pairs: Vec::new(),
            share: Vec::new(),
            pair_prior: Vec::new(),
            count: Vec::new(),
            value: Vec::new(),
            src: SideScales::default(),
            tgt: SideScales::default(),
        };
        for (src, pair, count) in pairs {
            lexicon.push(src, pair.tgt, pair.share(), prior.of(pair.alike), count);
        }
        lexicon.reindex();
        lexicon
    }

    /// A table read back from a file, where counts are worth what they say.
    pub fn from_counts(prior: LexPrior, pairs: impl Iterator<Item = (u32, u32, Alike, f32)>) -> Self {
        let mut lexicon = Self::new(prior, std::iter::empty());
        for (src, tgt, alike, count) in pairs {
            lexicon.push(src, tgt, 1.0, prior.of(alike), count);
        }
        lexicon.reindex();
        lexicon
    }

    fn push(&mut self, src: u32, tgt: u32, share: f32, prior: f32, count: f32) {
        self.pairs.push((src, tgt));
        self.share.push(share);
        self.pair_prior.push(prior);
        self.count.push(count);
        self.value.push(count * share + prior);
    }

    fn reindex(&mut self) {
        let size = (self.pairs.len() * 2).next_power_of_two().max(16);
        self.shift = 64 - size.trailing_zeros();
        self.index = vec![NONE; size];
        self.filter = vec![0; size / 8];
        self.filter_shift = self.shift - 3;
        for (slot, &(src, tgt)) in self.pairs.iter().enumerate() {
            let bit = hash(src, tgt) >> self.filter_shift;
            self.filter[(bit / 64) as usize] |= 1 << (bit % 64);
            let mut at = (hash(src, tgt) >> self.shift) as usize;
            while self.index[at] != NONE {
                at = (at + 1) & (size - 1);
            }
            self.index[at] = slot as u32;
        }
    }

    /// Where a pair is stored, if it is.
    pub fn slot(&self, src: u32, tgt: u32) -> Option<usize> {
        self.slot_at(hash(src, tgt), src, tgt)
    }

    /// Whether a pair may be stored, by the sum of [`src_hash`] and [`tgt_hash`].
    pub fn may_have(&self, hash: u64) -> bool {
        let bit = hash >> self.filter_shift;
        self.filter[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// [`Lexicon::slot`] with the sum of [`src_hash`] and [`tgt_hash`] at hand.
    pub fn slot_at(&self, hash: u64, src: u32, tgt: u32) -> Option<usize> {
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.index[at];
            if slot == NONE {
                return None;
            }
            if self.pairs[slot as usize] == (src, tgt) {
                return Some(slot as usize);
            }
            at = (at + 1) & (self.index.len() - 1);
        }
    }

    /// How many pairs are stored.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no pair is stored.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The value of a stored pair: its count without its own share, with the prior.
    pub fn value(&self, slot: usize) -> f32 {
        self.value[slot]
    }

    /// The value of a pair that is not stored.
    pub fn floor(&self) -> f32 {
        self.prior.alpha
    }

    /// The probability of a target word given a source word.
    pub fn forward(&self, src: u32, tgt: u32) -> f32 {
        self.slot(src, tgt).map_or(self.floor(), |slot| self.value[slot]) * self.src.scale(src)
    }

    /// The probability of a source word given a target word.
    pub fn reverse(&self, src: u32, tgt: u32) -> f32 {
        self.slot(src, tgt).map_or(self.floor(), |slot| self.value[slot]) * self.tgt.scale(tgt)
    }

    /// Stores pairs without links but with the prior of words that look alike.
    pub fn add_alike(&mut self, pairs: impl Iterator<Item = (u32, u32, Alike)>) {
        let prior = self.prior;
        for (src, tgt, alike) in pairs {
            self.push(src, tgt, 1.0, prior.of(alike), 0.0);
        }
        self.reindex();
    }

    /// The stored pairs with what their counts are worth in other text, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, f32)> {
        (0..self.len())
            .map(|slot| (self.pairs[slot].0, self.pairs[slot].1, self.count[slot] * self.share[slot]))
    }

    /// New expected counts: of pairs by slot, and of words.
    pub fn update(&mut self, links: &[f32], src: &WordCounts, tgt: &WordCounts) {
        self.count.copy_from_slice(links);
        for slot in 0..links.len() {
            self.value[slot] = self.count[slot] * self.share[slot] + self.pair_prior[slot];
        }
        self.src.update(src, tgt.links.len(), &self.prior);
        self.tgt.update(tgt, src.links.len(), &self.prior);
    }
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
    fn update(&mut self, counts: &WordCounts, other_words: usize, prior: &LexPrior) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn stored_pairs_are_found_and_no_others(
            pairs in prop::collection::btree_map((0u32..60, 0u32..60), 0.0f32..9.0, 0..200),
        ) {
            let prior = Settings::default().prior;
            let stored = pairs.iter().map(|(&(e, f), &count)| (e, f, Alike::No, count));
            let lexicon = Lexicon::from_counts(prior, stored);
            let pairs: BTreeMap<(u32, u32), f32> = pairs;
            for (e, f) in (0..60).flat_map(|e| (0..60).map(move |f| (e, f))) {
                let value = lexicon.slot(e, f).map(|slot| lexicon.value(slot));
                prop_assert_eq!(value, pairs.get(&(e, f)).map(|count| count + prior.alpha));
                prop_assert!(value.is_none() || lexicon.may_have(src_hash(e).wrapping_add(tgt_hash(f))));
            }
        }
    }

    #[test]
    fn a_words_probabilities_sum_to_one_over_all_partners() {
        let prior = Settings::default().prior;
        let pairs = [(0, 0, 3.0), (0, 1, 1.0), (1, 1, 2.0)];
        let mut lexicon =
            Lexicon::from_counts(prior, pairs.into_iter().map(|(e, f, count)| (e, f, Alike::No, count)));
        lexicon.src = SideScales::new([(4.0, 0.5), (2.0, 0.5)].into_iter(), 3.0 * prior.alpha, 0.1);
        lexicon.tgt =
            SideScales::new([(3.0, 0.3), (3.0, 0.3), (0.0, 0.4)].into_iter(), 2.0 * prior.alpha, 0.1);
        for e in 0..2 {
            assert!(((0..3).map(|f| lexicon.forward(e, f)).sum::<f32>() - 1.0).abs() < 1e-5);
        }
        for f in 0..3 {
            assert!(((0..2).map(|e| lexicon.reverse(e, f)).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}
