//! The training loss and its gradient: cross-entropy of every word's head, of every next sibling in the gold tree, and of
//! every label given the gold head.

use super::net::Net;
use super::scores::{LEFT, LONGEST_WITH_SIBLINGS, Labels, RIGHT, candidates, columns};
use crate::dependency::Gold;
use crate::encoder::Trace;
use crate::nn::{Mat, Product, cross_entropy, leaky_slope, matmul, sum_rows};
use std::ops::Range;

/// How much siblings count beside heads and labels.
const SIBLING_WEIGHT: f32 = 0.5;

/// The gradient in the making: of the roles of one sentence, and of the parameters.
struct Slopes<'a> {
    roles: &'a mut [f32],
    parameters: &'a mut [f32],
    width: usize,
    /// What each decision weighs: one over the number of words of the batch.
    weight: f32,
}

impl Slopes<'_> {
    /// Adds a matrix to some columns of the roles.
    fn add(&mut self, range: &Range<usize>, values: &[f32]) {
        for (row, values) in self.roles.chunks_exact_mut(self.width).zip(values.chunks_exact(range.len())) {
            row[range.clone()].iter_mut().zip(values).for_each(|(r, v)| *r += v);
        }
    }
}

/// The loss of a batch; its gradient is added to `d_roles` (a row a word, sentence by sentence) and `gradient`.
pub(super) fn batch_loss(
    net: &Net,
    trace: &Trace,
    gold: &[&Gold],
    d_roles: &mut [f32],
    gradient: &mut [f32],
) -> f32 {
    let width = net.roles.width();
    let words: usize = gold.iter().map(|g| g.heads.len()).sum();
    let weight = 1.0 / words.max(1) as f32;
    let mut loss = 0.0;
    for (&start, gold) in trace.starts.iter().zip(gold) {
        let range = start * width..(start + gold.heads.len() + 1) * width;
        let rows = &trace.roles[range.clone()];
        let mut slopes = Slopes { roles: &mut d_roles[range], parameters: gradient, width, weight };
        loss += net.arc_loss(rows, gold, &mut slopes);
        loss += net.label_loss(rows, gold, &mut slopes);
        if gold.heads.len() <= LONGEST_WITH_SIBLINGS {
            loss += net.sibling_loss(rows, gold, &mut slopes);
        }
    }
    loss
}

impl Net {
    fn arc_loss(&self, rows: &[f32], gold: &Gold, slopes: &mut Slopes<'_>) -> f32 {
        let (roles, size, n) = (&self.roles, self.shape.arc, gold.heads.len() + 1);
        let (left, mut logits) = self.arc_logits(rows);
        logits[..n].fill(0.0);
        let mut loss = 0.0;
        for (d, row) in logits.chunks_exact_mut(n).enumerate().skip(1) {
            row[d] = f32::NEG_INFINITY;
            loss += cross_entropy(row, gold.heads[d - 1] as usize, slopes.weight);
        }
        let head = columns(rows, slopes.width, &roles.arc_head);
        let dep = columns(rows, slopes.width, &roles.arc_dep);
        let d_logits = Mat::new(&logits, n, n);
        let mut d_left = vec![0.0; n * size];
        matmul(&mut d_left, d_logits, Mat::new(&head, n, size), Product::Plain, false);
        let mut d_head = vec![0.0; n * size];
        matmul(&mut d_head, d_logits, Mat::new(&left, n, size), Product::LeftTransposed, false);
        let (d_mat, dep) = (Mat::new(&d_left, n, size), Mat::new(&dep, n, size));
        let d_arc = self.blocks.arc.slice_mut(slopes.parameters);
        matmul(d_arc, dep, d_mat, Product::LeftTransposed, true);
        sum_rows(&d_left, self.blocks.arc_bias.slice_mut(slopes.parameters));
        let mut d_dep = vec![0.0; n * size];
        matmul(&mut d_dep, d_mat, self.blocks.arc.of(&self.values), Product::RightTransposed, false);
        slopes.add(&roles.arc_head, &d_head);
        slopes.add(&roles.arc_dep, &d_dep);
        loss
    }

    fn label_loss(&self, rows: &[f32], gold: &Gold, slopes: &mut Slopes<'_>) -> f32 {
        let (roles, size, count, n) = (&self.roles, self.shape.label, self.shape.labels, gold.heads.len());
        let head = columns(rows, slopes.width, &roles.label_head);
        let dep = columns(rows, slopes.width, &roles.label_dep);
        let (hidden, mut logits) = self.label_logits(&Labels::new(head, dep), &gold.heads);
        let mut loss = 0.0;
        for (row, &label) in logits.chunks_exact_mut(count).zip(&gold.labels) {
            loss += cross_entropy(row, usize::from(label), slopes.weight);
        }
        let (hidden_mat, d_logits) = (Mat::new(&hidden, n, size), Mat::new(&logits, n, count));
        let d_label = self.blocks.label.slice_mut(slopes.parameters);
        matmul(d_label, hidden_mat, d_logits, Product::LeftTransposed, true);
        sum_rows(&logits, self.blocks.label_out.slice_mut(slopes.parameters));
        let mut d_hidden = vec![0.0; n * size];
        matmul(&mut d_hidden, d_logits, self.blocks.label.of(&self.values), Product::RightTransposed, false);
        d_hidden.iter_mut().zip(&hidden).for_each(|(d, h)| *d *= leaky_slope(*h));
        sum_rows(&d_hidden, self.blocks.label_bias.slice_mut(slopes.parameters));
        for (d, (row, &h)) in d_hidden.chunks_exact(size).zip(&gold.heads).enumerate() {
            let mut add = |token: usize, range: &Range<usize>| {
                let start = token * slopes.width + range.start;
                let to = &mut slopes.roles[start..start + size];
                to.iter_mut().zip(row).for_each(|(t, v)| *t += v);
            };
            add(h as usize, &roles.label_head);
            add(d + 1, &roles.label_dep);
        }
        loss
    }

    fn sibling_loss(&self, rows: &[f32], gold: &Gold, slopes: &mut Slopes<'_>) -> f32 {
        let (size, words) = (self.shape.sibling, gold.heads.len());
        let n = words + 1;
        let next = columns(rows, slopes.width, &self.roles.sib_next);
        let last = columns(rows, slopes.width, &self.roles.sib_last);
        let mut d_next = vec![0.0; n * size];
        let mut d_last = vec![0.0; n * size];
        let mut loss = 0.0;
        for side in [LEFT, RIGHT] {
            let heads = columns(rows, slopes.width, &self.roles.sib_head[side]);
            let mut d_heads = vec![0.0; n * size];
            let steps = steps(&gold.heads, side);
            let first = self.blocks.sib_first.row(&self.values, side).to_vec();
            let of_last = |s: &Step| if s.last == s.head { &first } else { &last[s.last * size..][..size] };
            let of_head = |s: &Step| &heads[s.head * size..(s.head + 1) * size];
            let product = |s| of_head(s).iter().zip(of_last(s)).map(|(h, l)| h * l);
            let context: Vec<f32> = steps.iter().flat_map(product).collect();
            let context = Mat::new(&context, steps.len(), size);
            let mut d_context = vec![0.0; context.values.len()];
            loss += self.step_loss(&steps, side, context, (&next, &mut d_next), &mut d_context, slopes);
            for (s, d) in steps.iter().zip(d_context.chunks_exact(size)) {
                let (h, l) = (of_head(s), of_last(s));
                let to = &mut d_heads[s.head * size..(s.head + 1) * size];
                to.iter_mut().zip(d).zip(l).for_each(|((t, d), l)| *t += d * l);
                let to = if s.last == s.head {
                    self.blocks.sib_first.row_mut(slopes.parameters, side)
                } else {
                    &mut d_last[s.last * size..(s.last + 1) * size]
                };
                to.iter_mut().zip(d).zip(h).for_each(|((t, d), h)| *t += d * h);
            }
            slopes.add(&self.roles.sib_head[side], &d_heads);
        }
        slopes.add(&self.roles.sib_last, &d_last);
        slopes.add(&self.roles.sib_next, &d_next);
        loss
    }

    /// The loss of the steps of one side, given their contexts.
    fn step_loss(
        &self,
        steps: &[Step],
        side: usize,
        context: Mat<'_>,
        (next, d_next): (&[f32], &mut [f32]),
        d_context: &mut [f32],
        slopes: &mut Slopes<'_>,
    ) -> f32 {
        let size = self.shape.sibling;
        let n = next.len() / size;
        let end = self.blocks.sib_end.row(&self.values, side).to_vec();
        let mut logits = vec![0.0; steps.len() * n];
        matmul(&mut logits, context, Mat::new(next, n, size), Product::RightTransposed, false);
        let mut loss = 0.0;
        let contexts = context.values.chunks_exact(size).zip(d_context.chunks_exact_mut(size));
        for ((step, row), (context, d_context)) in steps.iter().zip(logits.chunks_exact_mut(n)).zip(contexts)
        {
            let range = candidates(step.last, side, n - 1);
            let place = range.start - 1;
            row[..place].fill(0.0);
            row[range.end..].fill(0.0);
            row[place] = context.iter().zip(&end).map(|(c, e)| c * e).sum();
            let right = step.next.map_or(0, |next| next - place);
            loss += cross_entropy(&mut row[place..range.end], right, slopes.weight * SIBLING_WEIGHT);
            let d_end = std::mem::take(&mut row[place]);
            let to = self.blocks.sib_end.row_mut(slopes.parameters, side);
            to.iter_mut().zip(context).for_each(|(t, c)| *t += d_end * c);
            d_context.iter_mut().zip(&end).for_each(|(d, e)| *d = d_end * e);
        }
        let d_logits = Mat::new(&logits, steps.len(), n);
        matmul(d_context, d_logits, Mat::new(next, n, size), Product::Plain, true);
        matmul(d_next, d_logits, context, Product::LeftTransposed, true);
        loss
    }
}

/// One step of taking dependents: after `last` comes `next`, or nothing.
struct Step {
    head: usize,
    last: usize,
    next: Option<usize>,
}

fn steps(heads: &[u32], side: usize) -> Vec<Step> {
    let words = heads.len();
    let mut steps = Vec::with_capacity(2 * words);
    for head in 1..=words {
        let mut last = head;
        let mut take = |next: usize| {
            if heads[next - 1] as usize == head {
                steps.push(Step { head, last, next: Some(next) });
                last = next;
            }
        };
        if side == LEFT {
            (1..head).rev().for_each(&mut take);
        } else {
            (head + 1..=words).for_each(&mut take);
        }
        steps.push(Step { head, last, next: None });
    }
    steps
}
