//! What the network says of one sentence: log-probabilities of heads, of next siblings, and of labels.
//!
//! A tree's score is the sum over its words of the probability of their head, and, weighted, over its words and both of
//! their sides of the probability of the sequence of dependents there, from the inside out: each dependent given the one
//! before it, and the end given the last. The second half sees two dependents at once, so the model is of second order.

use super::net::Net;
use crate::encoder::{Encoded, Network};
use crate::nn::{Mat, Product, finite, leaky, log_softmax, matmul};

/// Sentences with more words are scored by arcs alone: sibling scores grow with the cube.
pub(super) const LONGEST_WITH_SIBLINGS: usize = 160;

/// The scores of all arcs and siblings of a sentence; several networks add up to their mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scores {
    words: usize,
    /// `[dependent][head]`, the root as head 0.
    arcs: Vec<f32>,
    /// `[head][last][next]` from 1, next 0 for the end; `last == head` before the first dependent. Empty without siblings.
    siblings: Vec<f32>,
    /// `[head][side]`: no dependents on that side.
    none: Vec<f32>,
}

/// The score of an arc that must not be taken.
pub(super) const OUT_OF_REACH: f32 = -1e6;

/// The two sides of a head.
pub(crate) const LEFT: usize = 0;
pub(crate) const RIGHT: usize = 1;

impl Scores {
    /// Scores of zero for a sentence of `words` words.
    pub(crate) fn new(words: usize, siblings: bool) -> Self {
        let n = words + 1;
        let (cube, pairs) =
            if siblings && words <= LONGEST_WITH_SIBLINGS { (n * n * n, 2 * n) } else { (0, 0) };
        Self { words, arcs: vec![0.0; n * n], siblings: vec![0.0; cube], none: vec![0.0; pairs] }
    }

    /// The number of words.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Whether sequences of siblings are scored.
    pub(crate) fn has_siblings(&self) -> bool {
        !self.siblings.is_empty()
    }

    /// The score of an arc; words count from 1, the root is 0.
    #[inline]
    pub(crate) fn arc(&self, head: usize, dependent: usize) -> f32 {
        self.arcs[dependent * (self.words + 1) + head]
    }

    #[inline]
    fn sibling_at(&self, head: usize, last: usize, next: usize) -> usize {
        let n = self.words + 1;
        (head * n + last) * n + next
    }

    /// The score of `next` as the dependent of `head` after `last` (`head` itself before the first).
    #[inline]
    pub(crate) fn sibling(&self, head: usize, last: usize, next: usize) -> f32 {
        self.siblings[self.sibling_at(head, last, next)]
    }

    /// The score of no further dependent after `last`, on a side.
    #[inline]
    pub(crate) fn end(&self, head: usize, last: usize, side: usize) -> f32 {
        if last == head { self.none[2 * head + side] } else { self.siblings[self.sibling_at(head, last, 0)] }
    }

    /// The same scores, some arcs out of reach: all but one head for words with a forced head, and the forbidden arcs.
    pub(super) fn constrained(&self, forced: &[(usize, usize)], forbidden: &[(usize, usize)]) -> Self {
        let n = self.words + 1;
        let mut scores = self.clone();
        for &(head, dependent) in forced {
            for h in (0..n).filter(|&h| h != head && h != dependent) {
                scores.arcs[dependent * n + h] = OUT_OF_REACH;
            }
        }
        for &(head, dependent) in forbidden {
            scores.arcs[dependent * n + head] = OUT_OF_REACH;
        }
        scores
    }

    #[cfg(test)]
    pub(crate) fn random(words: usize, siblings: bool, rng: &mut crate::nn::Rng) -> Self {
        let mut scores = Self::new(words, siblings);
        for list in [&mut scores.arcs, &mut scores.siblings, &mut scores.none] {
            list.iter_mut().for_each(|s| *s = rng.around(3.0));
        }
        scores
    }

    /// The score of a tree, heads from 1 by word.
    pub(crate) fn tree(&self, heads: &[u32]) -> f32 {
        let arcs = heads.iter().enumerate().map(|(d, &h)| self.arc(h as usize, d + 1)).sum::<f32>();
        if !self.has_siblings() {
            return arcs;
        }
        arcs + (1..=self.words).map(|head| self.around(head, heads)).sum::<f32>()
    }

    /// The score of the dependents of one word, both sides.
    pub(crate) fn around(&self, head: usize, heads: &[u32]) -> f32 {
        let mut score = 0.0;
        let mut last = head;
        for next in (1..head).rev().filter(|&w| heads[w - 1] as usize == head) {
            score += self.sibling(head, last, next);
            last = next;
        }
        score += self.end(head, last, LEFT);
        last = head;
        for next in (head + 1..=self.words).filter(|&w| heads[w - 1] as usize == head) {
            score += self.sibling(head, last, next);
            last = next;
        }
        score + self.end(head, last, RIGHT)
    }
}

/// What one network needs to label the arcs of a sentence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    head: Vec<f32>,
    dep: Vec<f32>,
}

/// The columns `range` of a sentence's rows as a matrix of their own.
pub(super) fn columns(rows: &[f32], width: usize, range: &std::ops::Range<usize>) -> Vec<f32> {
    rows.chunks_exact(width).flat_map(|row| &row[range.clone()]).copied().collect()
}

/// The candidates for the dependent after `last` on a side of `head`, words from 1.
pub(super) fn candidates(last: usize, side: usize, words: usize) -> std::ops::Range<usize> {
    if side == LEFT { 1..last } else { last + 1..words + 1 }
}

impl Net {
    /// Scores a batch of sentences, the longest first: adds `share` of its log-probabilities to `scores` (siblings by
    /// `sibling_weight` more) and gives what labels need.
    pub(crate) fn score(
        &self,
        batch: &[&Encoded],
        share: f32,
        sibling_weight: f32,
        scores: &mut [Scores],
    ) -> Vec<Labels> {
        let trace = self.read(batch);
        let width = self.roles.width();
        let starts = trace.starts.iter().zip(batch).zip(scores);
        let one = |((&start, sentence), scores): ((&usize, &&Encoded), &mut Scores)| {
            let rows = &trace.roles[start * width..(start + sentence.words() + 1) * width];
            self.score_arcs(rows, share, scores);
            if scores.has_siblings() {
                self.score_siblings(rows, share * sibling_weight, scores);
            }
            Labels {
                head: columns(rows, width, &self.roles.label_head),
                dep: columns(rows, width, &self.roles.label_dep),
            }
        };
        starts.map(one).collect()
    }

    fn score_arcs(&self, rows: &[f32], share: f32, scores: &mut Scores) {
        let (_, mut logits) = self.arc_logits(rows);
        let n = scores.words + 1;
        for (d, row) in logits.chunks_exact_mut(n).enumerate().skip(1) {
            row[d] = f32::NEG_INFINITY;
            log_softmax(row);
            row[d] = 0.0;
            let to = &mut scores.arcs[d * n..(d + 1) * n];
            to.iter_mut().zip(row).for_each(|(t, s)| *t += share * finite(*s));
        }
    }

    /// The scores `[dependent][head]` before normalisation, and their left factor.
    pub(super) fn arc_logits(&self, rows: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (width, size) = (self.roles.width(), self.shape.arc);
        let n = rows.len() / width;
        let head = columns(rows, width, &self.roles.arc_head);
        let dep = columns(rows, width, &self.roles.arc_dep);
        let mut left = vec![0.0; n * size];
        matmul(&mut left, Mat::new(&dep, n, size), self.blocks.arc.of(&self.values), Product::Plain, false);
        crate::nn::add_rows(&mut left, self.blocks.arc_bias.slice(&self.values));
        let mut logits = vec![0.0; n * n];
        let product = Product::RightTransposed;
        matmul(&mut logits, Mat::new(&left, n, size), Mat::new(&head, n, size), product, false);
        (left, logits)
    }

    fn score_siblings(&self, rows: &[f32], share: f32, scores: &mut Scores) {
        let (width, size, words) = (self.roles.width(), self.shape.sibling, scores.words);
        let values: &[f32] = &self.values;
        let n = words + 1;
        let last = columns(rows, width, &self.roles.sib_last);
        let next = columns(rows, width, &self.roles.sib_next);
        for side in [LEFT, RIGHT] {
            let heads = columns(rows, width, &self.roles.sib_head[side]);
            let end = self.blocks.sib_end.row(values, side);
            for head in 1..=words {
                // Last siblings on this side, the head itself (none yet) among them.
                let lasts = if side == LEFT { 1..head + 1 } else { head..words + 1 };
                let of_head = &heads[head * size..(head + 1) * size];
                let mut context = Vec::with_capacity(lasts.len() * size);
                for l in lasts.clone() {
                    let first = self.blocks.sib_first.row(values, side);
                    let of_last = if l == head { first } else { &last[l * size..(l + 1) * size] };
                    context.extend(of_head.iter().zip(of_last).map(|(h, l)| h * l));
                }
                let mut logits = vec![0.0; lasts.len() * n];
                let (m, product) = (lasts.len(), Product::RightTransposed);
                matmul(&mut logits, Mat::new(&context, m, size), Mat::new(&next, n, size), product, false);
                for ((l, row), context) in
                    lasts.zip(logits.chunks_exact_mut(n)).zip(context.chunks_exact(size))
                {
                    let stop = context.iter().zip(end).map(|(c, e)| c * e).sum();
                    scores.add_siblings((head, l, side), stop, row, share);
                }
            }
        }
    }

    /// The label of each word, by the mean of several networks; `labels` has an entry a network.
    pub(crate) fn label(nets: &[Self], labels: &[Labels], heads: &[u32]) -> Vec<u16> {
        let Some(first) = nets.first() else { return Vec::new() };
        let count = first.shape.labels;
        let mut sums = vec![0.0; heads.len() * count];
        for (net, labels) in nets.iter().zip(labels) {
            let mut logits = net.label_logits(labels, heads).1;
            for (row, sum) in logits.chunks_exact_mut(count).zip(sums.chunks_exact_mut(count)) {
                log_softmax(row);
                sum.iter_mut().zip(row).for_each(|(s, r)| *s += *r);
            }
        }
        sums.chunks_exact(count).map(|row| crate::linear::best(row) as u16).collect()
    }

    /// The hidden layer and the scores of all labels, a row a word with the given head.
    pub(super) fn label_logits(&self, labels: &Labels, heads: &[u32]) -> (Vec<f32>, Vec<f32>) {
        let (size, count, values) = (self.shape.label, self.shape.labels, &self.values[..]);
        let bias = self.blocks.label_bias.slice(values);
        let mut hidden = Vec::with_capacity(heads.len() * size);
        for (d, &h) in heads.iter().enumerate() {
            let head = &labels.head[h as usize * size..(h as usize + 1) * size];
            let dep = &labels.dep[(d + 1) * size..(d + 2) * size];
            hidden.extend(head.iter().zip(dep).zip(bias).map(|((h, d), b)| leaky(h + d + b)));
        }
        let mut logits = vec![0.0; heads.len() * count];
        let matrix = Mat::new(&hidden, heads.len(), size);
        matmul(&mut logits, matrix, self.blocks.label.of(values), Product::Plain, false);
        crate::nn::add_rows(&mut logits, self.blocks.label_out.slice(values));
        (hidden, logits)
    }
}

impl Labels {
    pub(super) fn new(head: Vec<f32>, dep: Vec<f32>) -> Self {
        Self { head, dep }
    }
}

impl Scores {
    fn add_siblings(
        &mut self,
        (head, last, side): (usize, usize, usize),
        stop: f32,
        row: &mut [f32],
        share: f32,
    ) {
        let range = candidates(last, side, self.words);
        // The place before the first candidate holds the end, so that all are normalised together.
        row[range.start - 1] = stop;
        let all = &mut row[range.start - 1..range.end];
        log_softmax(all);
        let end = share * finite(all[0]);
        if last == head {
            self.none[2 * head + side] += end;
        } else {
            let at = self.sibling_at(head, last, 0);
            self.siblings[at] += end;
        }
        let at = self.sibling_at(head, last, range.start);
        let to = &mut self.siblings[at..at + range.len()];
        to.iter_mut().zip(&all[1..]).for_each(|(t, s)| *t += share * finite(*s));
    }
}
