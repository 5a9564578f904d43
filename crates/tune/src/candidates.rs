//! The candidates of a development set, gathered from the k-best lists of all rounds: features and statistics of
//! each, side by side, without their words.

use crate::error::Error;
use crate::features::FeatureSpace;
use crate::objective::Objective;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use treeglot_metrics::{Hypothesis, Link};
use treeglot_text::interrupt;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

/// One translation of one sentence, as a decoder or an n-best file gives it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// The translation.
    pub text: String,
    /// The values of the dense features, in the order of the weights.
    pub dense: Vec<f32>,
    /// The values of the sparse features that are not 0, by index of the weight.
    pub sparse: Vec<(u32, f32)>,
    /// Links to the source, for metrics of word order.
    pub links: Option<Vec<Link>>,
}

/// The candidates of one sentence. Dense features are stored by column, for a line search reads one feature of all
/// candidates; candidates with equal statistics share a row of them.
#[derive(Debug, Default)]
pub struct CandidateList {
    count: usize,
    columns: Vec<f32>,
    sparse_ends: Vec<u32>,
    sparse: Vec<(u32, f32)>,
    rows: Vec<u32>,
    statistics: Vec<f32>,
    row_index: FxHashMap<u64, u32>,
    text_index: FxHashMap<u64, u32>,
    seen: FxHashSet<u64>,
}

impl CandidateList {
    /// How many candidates there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the sentence has no candidate.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The values of a dense feature for all candidates.
    pub fn column(&self, feature: usize) -> &[f32] {
        &self.columns[feature * self.count..][..self.count]
    }

    /// The columns of all dense features, in order.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.columns.chunks_exact(self.count.max(1))
    }

    /// The sparse features of a candidate.
    pub fn sparse(&self, candidate: usize) -> &[(u32, f32)] {
        let start = if candidate == 0 { 0 } else { self.sparse_ends[candidate - 1] as usize };
        &self.sparse[start..self.sparse_ends[candidate] as usize]
    }

    /// The row of statistics of each candidate.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many distinct rows of statistics there are: at least one, which is that of an empty translation if there
    /// are no candidates.
    pub fn row_count(&self, size: usize) -> usize {
        self.statistics.len() / size
    }

    /// A row of statistics.
    pub fn row(&self, row: u32, size: usize) -> &[f32] {
        &self.statistics[row as usize * size..][..size]
    }

    /// Adds the score under `weights` of each candidate to `scores`.
    pub fn add_scores(&self, weights: &[f64], scores: &mut [f64]) {
        for (column, &weight) in self.columns().zip(weights) {
            if weight != 0.0 {
                scores.iter_mut().zip(column).for_each(|(score, &value)| *score += weight * f64::from(value));
            }
        }
        if !self.sparse.is_empty() {
            for (candidate, score) in scores.iter_mut().enumerate() {
                for &(feature, value) in self.sparse(candidate) {
                    *score += weights.get(feature as usize).copied().unwrap_or(0.0) * f64::from(value);
                }
            }
        }
    }

    /// Sets `scores` to the score under `weights` of each candidate.
    pub fn set_scores(&self, weights: &[f64], scores: &mut Vec<f64>) {
        scores.clear();
        let first = weights.iter().take(self.columns().len()).position(|&weight| weight != 0.0);
        let Some(first) = first.filter(|_| self.sparse.is_empty() && !self.is_empty()) else {
            scores.resize(self.count, 0.0);
            return self.add_scores(weights, scores);
        };
        let weight = weights[first];
        scores.extend(self.column(first).iter().map(|&value| weight * f64::from(value)));
        for (column, &weight) in self.columns().zip(weights).skip(first + 1) {
            if weight != 0.0 {
                scores.iter_mut().zip(column).for_each(|(score, &value)| *score += weight * f64::from(value));
            }
        }
    }

    /// Takes the new ones among `candidates`; returns how many there were.
    fn add(&mut self, sentence: usize, candidates: &[Candidate], objective: &Objective<'_>) -> usize {
        let mut fresh = Vec::new();
        let mut buffer = Vec::new();
        for candidate in candidates {
            let text = text_hash(candidate);
            if !self.seen.insert(candidate_hash(text, candidate)) {
                continue;
            }
            let row = match self.text_index.get(&text) {
                Some(&row) => row,
                None => {
                    let hypothesis = Hypothesis { text: &candidate.text, links: candidate.links.as_deref() };
                    objective.statistics(sentence, &hypothesis, &mut buffer);
                    let row = self.intern_row(&buffer);
                    self.text_index.insert(text, row);
                    row
                }
            };
            self.rows.push(row);
            self.sparse.extend_from_slice(&candidate.sparse);
            self.sparse_ends.push(self.sparse.len() as u32);
            fresh.push(candidate);
        }
        self.append_columns(&fresh);
        fresh.len()
    }

    fn intern_row(&mut self, statistics: &[f64]) -> u32 {
        let values: Vec<f32> = statistics.iter().map(|&s| s as f32).collect();
        let next = (self.statistics.len() / values.len().max(1)) as u32;
        let row = *self.row_index.entry(hash_values(0, &values)).or_insert(next);
        if row == next {
            self.statistics.extend_from_slice(&values);
        }
        row
    }

    fn append_columns(&mut self, fresh: &[&Candidate]) {
        let Some(first) = fresh.first() else { return };
        let (old, new) = (self.count, self.count + fresh.len());
        let mut columns = Vec::with_capacity(first.dense.len() * new);
        for feature in 0..first.dense.len() {
            columns.extend_from_slice(&self.columns[feature * old..][..old]);
            columns.extend(fresh.iter().map(|candidate| candidate.dense[feature]));
        }
        self.columns = columns;
        self.count = new;
    }
}

fn text_hash(candidate: &Candidate) -> u64 {
    let text = xxh3_64(candidate.text.as_bytes());
    let Some(links) = &candidate.links else { return text };
    let bytes: Vec<u8> =
        links.iter().flat_map(|&(s, t)| [s.to_le_bytes(), t.to_le_bytes()].concat()).collect();
    xxh3_64_with_seed(&bytes, text)
}

fn candidate_hash(text: u64, candidate: &Candidate) -> u64 {
    let dense = hash_values(text, &candidate.dense);
    let bytes: Vec<u8> =
        candidate.sparse.iter().flat_map(|&(f, v)| [f.to_le_bytes(), v.to_le_bytes()].concat()).collect();
    xxh3_64_with_seed(&bytes, dense)
}

fn hash_values(seed: u64, values: &[f32]) -> u64 {
    let mut hasher = Xxh3::with_seed(seed);
    for value in values {
        hasher.update(&value.to_le_bytes());
    }
    hasher.digest()
}

/// The candidates of all sentences.
#[derive(Debug)]
pub struct Candidates {
    dense: usize,
    features: usize,
    size: usize,
    fixed: Vec<usize>,
    lists: Vec<CandidateList>,
}

impl Candidates {
    /// No candidates yet for the sentences of an objective.
    pub fn new(space: &FeatureSpace, objective: &Objective<'_>) -> Self {
        let dense = space.dense().len();
        let mut lists: Vec<CandidateList> = (0..objective.len()).map(|_| CandidateList::default()).collect();
        let mut buffer = Vec::new();
        for (sentence, list) in lists.iter_mut().enumerate() {
            objective.statistics(sentence, &Hypothesis::new(""), &mut buffer);
            list.intern_row(&buffer);
        }
        Self { dense, features: dense, size: objective.size(), fixed: space.fixed(), lists }
    }

    /// Takes those candidates that are new, in words or in features; returns how many there were.
    pub fn add(&mut self, lists: &[Vec<Candidate>], objective: &Objective<'_>) -> Result<usize, Error> {
        if lists.len() != self.lists.len() {
            return Err(Error::Sentences { lists: lists.len(), references: self.lists.len() });
        }
        for (sentence, candidate) in lists.iter().enumerate().flat_map(|(s, l)| l.iter().map(move |c| (s, c)))
        {
            self.check(sentence, candidate)?;
        }
        let each = self.lists.par_iter_mut().zip(lists).enumerate();
        Ok(each
            .inspect(|_| interrupt::check())
            .map(|(sentence, (list, new))| list.add(sentence, new, objective))
            .sum())
    }

    fn check(&mut self, sentence: usize, candidate: &Candidate) -> Result<(), Error> {
        if candidate.dense.len() != self.dense {
            return Err(Error::Features { sentence, found: candidate.dense.len(), expected: self.dense });
        }
        let sparse = candidate.sparse.iter().map(|&(_, value)| value);
        if candidate.dense.iter().copied().chain(sparse).any(|value| !value.is_finite()) {
            return Err(Error::NotFinite { sentence });
        }
        for &(feature, _) in &candidate.sparse {
            self.features = self.features.max(feature as usize + 1);
        }
        Ok(())
    }

    /// How many features there are, sparse ones that any candidate has included.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many features are dense.
    pub fn dense(&self) -> usize {
        self.dense
    }

    /// How many statistics a candidate has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The candidates, by sentence.
    pub fn lists(&self) -> &[CandidateList] {
        &self.lists
    }

    /// How many candidates there are in all.
    pub fn total(&self) -> usize {
        self.lists.iter().map(CandidateList::len).sum()
    }

    /// The smoothed score of each row of a sentence's statistics, turned so that more is better.
    pub(crate) fn sentence_goodness(&self, sentence: usize, objective: &Objective<'_>) -> Vec<f64> {
        let list = &self.lists[sentence];
        (0..list.row_count(self.size))
            .map(|row| list.row(row as u32, self.size).iter().map(|&s| f64::from(s)).collect::<Vec<_>>())
            .map(|row| objective.sentence_goodness(&row))
            .collect()
    }

    /// The features of one candidate less those of another, without zeros and without those whose weights are fixed.
    pub fn difference(&self, sentence: usize, plus: usize, minus: usize) -> Vec<(usize, f64)> {
        let list = &self.lists[sentence];
        let mut difference: Vec<(usize, f64)> = list
            .columns()
            .map(|column| f64::from(column[plus]) - f64::from(column[minus]))
            .enumerate()
            .filter(|&(_, d)| d != 0.0)
            .collect();
        let (plus, minus) = (list.sparse(plus), list.sparse(minus));
        let mut sparse: Vec<(usize, f64)> = plus.iter().map(|&(f, v)| (f as usize, f64::from(v))).collect();
        sparse.extend(minus.iter().map(|&(f, v)| (f as usize, -f64::from(v))));
        sparse.sort_unstable_by_key(|&(feature, _)| feature);
        for (feature, value) in sparse {
            match difference.last_mut() {
                Some((last, sum)) if *last == feature => *sum += value,
                _ => difference.push((feature, value)),
            }
        }
        difference.retain(|(feature, d)| *d != 0.0 && !self.fixed.contains(feature));
        difference
    }

    /// By sparse feature, in the lists of how many sentences it differs.
    pub fn sentences_of_sparse(&self) -> Vec<u32> {
        let mut counts = vec![0; self.features - self.dense];
        let mut differing = Vec::new();
        for list in &self.lists {
            differing.clear();
            list.differing_sparse(&mut differing);
            differing.iter().for_each(|&feature| counts[feature as usize - self.dense] += 1);
        }
        counts
    }

    /// The sums of statistics of each sentence's best candidate under `weights`.
    pub fn sums(&self, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.size];
        let mut scores = Vec::new();
        for list in &self.lists {
            scores.clear();
            scores.resize(list.len(), 0.0);
            list.add_scores(weights, &mut scores);
            let row = best(&scores).map_or(0, |candidate| list.rows[candidate]);
            sums.iter_mut().zip(list.row(row, self.size)).for_each(|(sum, &s)| *sum += f64::from(s));
        }
        sums
    }

    /// The typical spread of each feature within a sentence (standard deviation over all candidates); 0 for a
    /// feature that never differs, whose weight cannot matter, and for one whose weight is fixed.
    pub fn spreads(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.features];
        for list in self.lists.iter().filter(|list| !list.is_empty()) {
            list.add_square_deviations(self.dense, &mut squares);
        }
        for &feature in &self.fixed {
            squares[feature] = 0.0;
        }
        let total = self.total().max(1) as f64;
        squares.into_iter().map(|square| (square / total).sqrt()).collect()
    }
}

impl CandidateList {
    /// The sparse features that some candidates have and others have not, or not as much.
    fn differing_sparse(&self, out: &mut Vec<u32>) {
        let mut seen: FxHashMap<u32, (f32, usize, bool)> = FxHashMap::default();
        for &(feature, value) in &self.sparse {
            let (first, count, differs) = seen.entry(feature).or_insert((value, 0, false));
            *count += 1;
            *differs |= value != *first;
        }
        let differs = |(_, (_, count, differs)): &(_, (f32, usize, bool))| *differs || *count < self.count;
        out.extend(seen.into_iter().filter(differs).map(|(feature, _)| feature));
    }

    fn add_square_deviations(&self, dense: usize, squares: &mut [f64]) {
        let count = self.count as f64;
        for (feature, square) in squares.iter_mut().enumerate().take(dense) {
            let column = self.column(feature);
            let first = f64::from(column[0]);
            let mean = column.iter().map(|&v| f64::from(v) - first).sum::<f64>() / count;
            *square += column.iter().map(|&v| (f64::from(v) - first - mean).powi(2)).sum::<f64>();
        }
        let mut sums: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
        for &(feature, value) in &self.sparse {
            let (sum, square) = sums.entry(feature).or_default();
            *sum += f64::from(value);
            *square += f64::from(value).powi(2);
        }
        for (feature, (sum, square)) in sums {
            squares[feature as usize] += (square - sum * sum / count).max(0.0);
        }
    }
}

/// The first of the greatest.
pub(crate) fn best(scores: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (i, &score) in scores.iter().enumerate() {
        if best.is_none_or(|b| score > scores[b]) {
            best = Some(i);
        }
    }
    best
}
