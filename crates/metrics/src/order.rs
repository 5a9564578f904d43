//! Metrics of word order (Birch & Osborne 2010): R compares the order in which a translation puts the source words with
//! that of the reference, and LRscore is a weighted sum of R and BLEU.
//!
//! Links between source and reference and between source and translation each give a permutation of the source words.
//! Where there are none, the translation's words are matched with the reference's by METEOR's aligner.

use crate::bleu::Bleu;
use crate::error::Error;
use crate::meteor::{self, Match, Meteor, Words};
use crate::metric::{Hypothesis, Link, Metric, RefCount, References, Sentence};
use crate::registry::{Entry, Options};
use crate::tokenize::tokens;

/// Its line in the registry.
pub(crate) const R: Entry = Entry {
    name: "r",
    title: "R",
    digits: 2,
    companions: &[],
    build: |options| Ok(Box::new(reordering(options)?)),
};

/// LRscore, likewise; R is printed beside it.
pub(crate) const LR: Entry = Entry {
    name: "lr",
    title: "LR",
    companions: &["r"],
    build: |options| {
        let bleu = Bleu::new(options.bleu);
        Ok(Box::new(LrScore::new(options.lr_alpha, reordering(options)?, bleu)))
    },
    ..R
};

/// R, with words matched exactly and by stem where links are not given.
fn reordering(options: &Options) -> Result<Reordering, Error> {
    let matching = meteor::Options { synonyms: None, paraphrases: None, ..options.meteor.clone() };
    Ok(Reordering::new(Meteor::new(&matching)?))
}

/// R. Statistics: the sum over sentences, and how many there are.
pub struct Reordering {
    matcher: Meteor,
}

impl Reordering {
    /// R; `matcher` finds equal words where links are not given.
    pub fn new(matcher: Meteor) -> Self {
        Self { matcher }
    }
}

/// How much of the order of two permutations agrees: 1 - sqrt of the share of pairs in another order (Kendall).
fn agreement(first: &[usize], second: &[usize]) -> f64 {
    let n = first.len();
    if n < 2 {
        return 1.0;
    }
    let mut by_first: Vec<(usize, usize)> = first.iter().copied().zip(second.iter().copied()).collect();
    by_first.sort_unstable();
    let mut order: Vec<usize> = by_first.into_iter().map(|(_, rank)| rank).collect();
    let inversions = sort_counting(&mut order, &mut vec![0; n]);
    1.0 - (inversions as f64 / (n * (n - 1) / 2) as f64).sqrt()
}

/// Sorts, and returns how many pairs were in the wrong order.
fn sort_counting(values: &mut [usize], buffer: &mut [usize]) -> usize {
    let n = values.len();
    if n < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(n / 2);
    let mut inversions = sort_counting(left, buffer) + sort_counting(right, buffer);
    let (mut i, mut j) = (0, 0);
    for place in &mut buffer[..n] {
        let take_left = j == right.len() || (i < left.len() && left[i] <= right[j]);
        *place = if take_left { left[i] } else { right[j] };
        if take_left {
            i += 1;
        } else {
            j += 1;
            inversions += left.len() - i;
        }
    }
    values.copy_from_slice(&buffer[..n]);
    inversions
}

/// The rank of each of `n` source words in the order of the translation. A word with several links counts where the
/// first of them is; words at the same place keep their order; a word without link follows the word before it.
fn permutation(links: &[Link], n: usize) -> Vec<usize> {
    let mut places: Vec<Option<u32>> = vec![None; n];
    for &(source, target) in links {
        let place = &mut places[source as usize];
        *place = Some(place.map_or(target, |known| known.min(target)));
    }
    let mut last = 0;
    let mut keys: Vec<(u64, usize)> = Vec::with_capacity(n);
    for (source, place) in places.into_iter().enumerate() {
        // Words before the first linked one come first of all.
        last = place.map_or(last, |target| u64::from(target) + 1);
        keys.push((last, source));
    }
    keys.sort_unstable();
    let mut ranks = vec![0; n];
    for (rank, (_, source)) in keys.into_iter().enumerate() {
        ranks[source] = rank;
    }
    ranks
}

/// The agreement of two sets of links of one source sentence, which is taken to end with its last linked word.
fn by_links(reference: &[Link], hypothesis: &[Link]) -> f64 {
    let n = reference.iter().chain(hypothesis).map(|&(source, _)| source as usize + 1).max().unwrap_or(0);
    agreement(&permutation(reference, n), &permutation(hypothesis, n))
}

/// The agreement of a translation with its reference by the words that match; 0 if none does.
fn by_matches(matches: &[Match]) -> f64 {
    let hypothesis: Vec<usize> = matches.iter().map(|found| found.hyp_start).collect();
    let reference: Vec<usize> = (0..matches.len()).collect();
    if matches.is_empty() { 0.0 } else { agreement(&reference, &hypothesis) }
}

struct Prepared<'a> {
    matcher: &'a Meteor,
    links: Option<Vec<Link>>,
    /// The words of each reference as the matcher sees them, and how many there are between spaces.
    references: Vec<(Words, usize)>,
}

impl Prepared<'_> {
    /// The agreement with the reference of best order, and that reference's length.
    fn best(&self, hypothesis: &Hypothesis<'_>) -> (f64, usize) {
        if let (Some(links), Some(own)) = (&self.links, hypothesis.links) {
            return (by_links(links, own), self.references.first().map_or(0, |&(_, length)| length));
        }
        let words = self.matcher.words(hypothesis.text);
        let agreement = |(reference, length): &(Words, usize)| {
            (by_matches(&self.matcher.alignment(&words, reference)), *length)
        };
        let better = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
        self.references.iter().map(agreement).reduce(better).unwrap_or((0.0, 0))
    }
}

impl Sentence for Prepared<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let (agreement, reference) = self.best(hypothesis);
        let length = tokens(hypothesis.text).count();
        let brevity = match length {
            0 => 0.0,
            _ if length >= reference => 1.0,
            _ => (1.0 - reference as f64 / length as f64).exp(),
        };
        sums[0] += brevity * agreement;
        sums[1] += 1.0;
    }
}

impl Metric for Reordering {
    fn name(&self) -> &str {
        "r"
    }

    fn size(&self) -> usize {
        2
    }

    fn reads_links(&self) -> bool {
        true
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        let words = |text: &&str| (self.matcher.words(text), tokens(text).count());
        Box::new(Prepared {
            matcher: &self.matcher,
            links: references.links.map(<[Link]>::to_vec),
            references: references.texts.iter().map(words).collect(),
        })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        if sums[1] > 0.0 { 100.0 * sums[0] / sums[1] } else { 0.0 }
    }

    fn signature(&self, references: RefCount) -> String {
        format!("nrefs:{references}|distance:kendall|version:birch-osborne-2010")
    }
}

/// LRscore. Statistics: those of R, then those of BLEU.
pub struct LrScore {
    alpha: f64,
    reordering: Reordering,
    bleu: Bleu,
}

impl LrScore {
    /// alpha * R + (1 - alpha) * BLEU.
    pub fn new(alpha: f64, reordering: Reordering, bleu: Bleu) -> Self {
        Self { alpha, reordering, bleu }
    }

    fn weighted(&self, sums: &[f64], bleu: impl Fn(&[f64]) -> f64) -> f64 {
        let (order, words) = sums.split_at(self.reordering.size());
        self.alpha * self.reordering.score(order) + (1.0 - self.alpha) * bleu(words)
    }
}

struct Both<'a> {
    order: Box<dyn Sentence + 'a>,
    words: Box<dyn Sentence + 'a>,
}

impl Sentence for Both<'_> {
    fn add_statistics(&self, hypothesis: &Hypothesis<'_>, sums: &mut [f64]) {
        let (order, words) = sums.split_at_mut(2);
        self.order.add_statistics(hypothesis, order);
        self.words.add_statistics(hypothesis, words);
    }
}

impl Metric for LrScore {
    fn name(&self) -> &str {
        "lr"
    }

    fn size(&self) -> usize {
        self.reordering.size() + self.bleu.size()
    }

    fn reads_links(&self) -> bool {
        true
    }

    fn prepare<'a>(&'a self, references: &References<'_>) -> Box<dyn Sentence + 'a> {
        let (order, words) = (self.reordering.prepare(references), self.bleu.prepare(references));
        Box::new(Both { order, words })
    }

    fn score(&self, sums: &[f64]) -> f64 {
        self.weighted(sums, |words| self.bleu.score(words))
    }

    fn sentence_score(&self, statistics: &[f64]) -> f64 {
        self.weighted(statistics, |words| self.bleu.sentence_score(words))
    }

    fn details(&self, sums: &[f64]) -> Vec<(&'static str, f64)> {
        let (order, words) = sums.split_at(self.reordering.size());
        vec![("R", self.reordering.score(order)), ("BLEU", self.bleu.score(words))]
    }

    fn signature(&self, references: RefCount) -> String {
        format!("alpha:{}|distance:kendall|bleu[{}]", self.alpha, self.bleu.signature(references))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unlinked_words_follow_and_shared_places_keep_their_order() {
        assert_eq!(permutation(&[(0, 3), (2, 0), (3, 0)], 4), [2, 3, 0, 1]);
        assert_eq!(permutation(&[(1, 5), (1, 2), (2, 3)], 3), [0, 1, 2]);
        assert_eq!(permutation(&[], 2), [0, 1]);
    }

    #[test]
    fn a_reversed_sentence_has_nothing_of_the_order_and_an_equal_one_all() {
        let straight = [(0, 0), (1, 1), (2, 2)];
        let reversed = [(0, 2), (1, 1), (2, 0)];
        assert_eq!(by_links(&straight, &straight), 1.0);
        assert_eq!(by_links(&reversed, &reversed), 1.0);
        assert_eq!(by_links(&straight, &reversed), 0.0);
        let swapped = by_links(&straight, &[(0, 1), (1, 0), (2, 2)]);
        assert!((swapped - (1.0 - (1.0f64 / 3.0).sqrt())).abs() < 1e-12);
    }

    #[test]
    fn words_are_matched_where_links_are_missing_and_short_translations_pay() {
        let metric = Reordering::new(Meteor::new(&crate::meteor::Options::default()).unwrap());
        let score = |hypothesis: &str| {
            let mut sums = vec![0.0; 2];
            let sentence = metric.prepare(&References::new(&["he sat in the garden"]));
            sentence.add_statistics(&Hypothesis::new(hypothesis), &mut sums);
            metric.score(&sums)
        };
        assert_eq!(score("he sat in the garden"), 100.0);
        assert_eq!(score("garden the in sat he"), 0.0);
        assert_eq!(score("xx yy"), 0.0);
        assert!((score("he sat in the") - 100.0 * (1.0f64 - 5.0 / 4.0).exp()).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn inversions_are_the_pairs_in_the_wrong_order(values in proptest::collection::vec(0usize..20, 0..20)) {
            let pairs = (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
            let expected = pairs.filter(|&(i, j)| values[i] > values[j]).count();
            let mut sorted = values.clone();
            prop_assert_eq!(sort_counting(&mut sorted, &mut vec![0; values.len()]), expected);
            prop_assert!(sorted.is_sorted());
        }
    }
}
