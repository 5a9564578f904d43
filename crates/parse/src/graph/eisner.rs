//! The best projective tree by dynamic programming over half-trees (Eisner 1996; with sequences of siblings, McDonald and
//! Pereira 2006), in time cubic in the number of words.
//!
//! Words count from 1. For a head h and a word j to its right:
//! - an *open* item (h, m): m is the outermost dependent of h so far, everything between them is built;
//! - a *closed* item (h, j): h has all dependents on this side, the last of them reaches to j;
//! - *between* (s, m): the right half of s and the left half of m meet, ready to be siblings.
//!
//! The left side is the mirror image. One word hangs from the root.

use super::scores::{LEFT, RIGHT, Scores};

/// A chart of scores and the split that gave each.
struct Chart {
    n: usize,
    score: Vec<f32>,
    split: Vec<u32>,
}

impl Chart {
    fn new(words: usize) -> Self {
        let n = words + 1;
        Self { n, score: vec![f32::NEG_INFINITY; n * n], split: vec![0; n * n] }
    }

    #[inline]
    fn get(&self, a: usize, b: usize) -> f32 {
        self.score[a * self.n + b]
    }

    fn offer(&mut self, a: usize, b: usize, score: f32, split: usize) {
        let at = a * self.n + b;
        if score > self.score[at] {
            self.score[at] = score;
            self.split[at] = split as u32;
        }
    }

    fn split(&self, a: usize, b: usize) -> usize {
        self.split[a * self.n + b] as usize
    }
}

/// Open and closed items go from the head to the outer end; `between` from left to right.
struct Charts {
    open: Chart,
    closed: Chart,
    between: Chart,
}

/// Scores of siblings, or zero where none are scored.
#[inline]
fn sibling(scores: &Scores, head: usize, last: usize, next: usize) -> f32 {
    if scores.has_siblings() { scores.sibling(head, last, next) } else { 0.0 }
}

#[inline]
fn end(scores: &Scores, head: usize, last: usize, side: usize) -> f32 {
    if scores.has_siblings() { scores.end(head, last, side) } else { 0.0 }
}

/// The projective tree with the best score: heads from 1 by word.
pub(crate) fn projective(scores: &Scores) -> Vec<u32> {
    let words = scores.words();
    let mut charts =
        Charts { open: Chart::new(words), closed: Chart::new(words), between: Chart::new(words) };
    // A closed item of one word is a word without dependents on a side; the two sides differ, and are looked up instead.
    for width in 1..words {
        for left in 1..=words - width {
            let right = left + width;
            charts.meet(scores, left, right);
            charts.attach(scores, left, right);
            charts.attach(scores, right, left);
            charts.close(scores, left, right);
            charts.close(scores, right, left);
        }
    }
    let whole = |root: usize| {
        charts.half(scores, root, 1, LEFT) + charts.half(scores, root, words, RIGHT) + scores.arc(0, root)
    };
    let root = (1..=words).fold(1, |best, r| if whole(r) > whole(best) { r } else { best });
    let mut heads = vec![0; words];
    charts.unfold(&mut heads, root, 1, words);
    heads
}

impl Charts {
    /// The score of all of a head's dependents on a side, which reach to `outer`.
    #[inline]
    fn half(&self, scores: &Scores, head: usize, outer: usize, side: usize) -> f32 {
        if head == outer { end(scores, head, head, side) } else { self.closed.get(head, outer) }
    }

    /// Two words whose inner halves meet.
    fn meet(&mut self, scores: &Scores, left: usize, right: usize) {
        for k in left..right {
            let score = self.half(scores, left, k, RIGHT) + self.half(scores, right, k + 1, LEFT);
            self.between.offer(left, right, score, k);
        }
    }

    /// `head` takes `dependent`: as the first on its side (split = head), or after another.
    fn attach(&mut self, scores: &Scores, head: usize, dependent: usize) {
        let arc = scores.arc(head, dependent);
        let (inner, side) = if head < dependent { (head + 1, LEFT) } else { (head - 1, RIGHT) };
        let first = self.half(scores, dependent, inner, side) + sibling(scores, head, head, dependent);
        self.open.offer(head, dependent, first + arc, head);
        let lasts = if head < dependent { head + 1..dependent } else { dependent + 1..head };
        for last in lasts {
            let between = self.between.get(last.min(dependent), last.max(dependent));
            let score = self.open.get(head, last) + between + sibling(scores, head, last, dependent);
            self.open.offer(head, dependent, score + arc, last);
        }
    }

    /// `head` takes no dependent beyond the last, whose outer half reaches to `outer`.
    fn close(&mut self, scores: &Scores, head: usize, outer: usize) {
        let (lasts, side) = if head < outer { (head + 1..outer + 1, RIGHT) } else { (outer..head, LEFT) };
        for last in lasts {
            let score = self.open.get(head, last)
                + self.half(scores, last, outer, side)
                + end(scores, head, last, side);
            self.closed.offer(head, outer, score, last);
        }
    }

    /// Writes the heads of all words that `head` dominates from `left` to `right`.
    fn unfold(&self, heads: &mut [u32], head: usize, left: usize, right: usize) {
        let mut closed = vec![(head, left), (head, right)];
        while let Some((head, outer)) = closed.pop() {
            if head == outer {
                continue;
            }
            let mut dependent = self.closed.split(head, outer);
            closed.push((dependent, outer));
            loop {
                heads[dependent - 1] = head as u32;
                let last = self.open.split(head, dependent);
                if last == head {
                    closed.push((dependent, if head < dependent { head + 1 } else { head - 1 }));
                    break;
                }
                let k = self.between.split(last.min(dependent), last.max(dependent));
                closed.push((last.min(dependent), k));
                closed.push((last.max(dependent), k + 1));
                dependent = last;
            }
        }
    }
}
