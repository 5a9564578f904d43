//! Forward-backward over one sentence: the hidden Markov model of Vogel et al. (1996) with the empty word of Och &
//! Ney (2003, section 2.1), where a word without a partner remembers the last partner before it. The states are the
//! positions of one sentence, the observations the words of the other. A jump may depend on the class of the word that
//! it starts from (section 2.1.1 there).
//!
//! The full chain has for each position `i` two states, *partner is i* and *no partner, the last one was i*, and one for *no
//! partner yet*. With `a(k, i)` the probability of a jump, `e(j, i)` that of word `j` given partner `i`, and `n(j)` that of
//! word `j` given the empty word, both states of `i` are left in the same manner, so that only their sum is needed:
//!
//! ```text
//! sum(j, i) = e(j, i) * SUM over k of sum(j-1, k) a(k, i)     word j has partner i
//!           + n(j) * sum(j-1, i)                              word j has none: `rest(j, i)`
//! ```
//!
//! That halves the states, and the second line costs no jump. The backward weights `beta` are those of either state.
//!
//! Weights of long sentences leave the range of `f32`, so each row of `sum` is scaled to the sum one (Rabiner 1989, section
//! V.A); `scale(j)` is what it was multiplied with, and `beta` is scaled with the same numbers. Then `sum(j, i) * beta(j, i)`
//! needs no further factor: it *is* the posterior of *partner i, or none and the last one was i*, and the part `rest * beta`
//! of it that of the latter.

use crate::jumps::{REACH, Tables};

/// Probability mass below which a state is not followed any further.
const NEGLIGIBLE: f32 = 1e-3;

/// Probability mass below which a jump is not counted.
const COUNTED: f32 = 0.01;

const LANES: usize = 8;

/// The length of a row for `m` states: rows are padded so that inner loops need no remainder.
pub fn stride(m: usize) -> usize {
    m.next_multiple_of(LANES)
}

/// Buffers for one sentence in one direction. Fill `emission` and `null_emission` after [`Chain::reset`], call
/// [`Chain::run`], then read `posterior` and `null`.
#[derive(Debug, Default)]
pub struct Chain {
    /// How many states there are.
    pub states: usize,
    /// A row of [`stride`] values for each observation; the padding must be zero.
    pub emission: Vec<f32>,
    /// The empty word's emission for each observation.
    pub null_emission: Vec<f32>,
    /// The probability of each state for each observation, laid out as `emission`.
    pub posterior: Vec<f32>,
    /// The probability of the empty word for each observation.
    pub null: Vec<f32>,
    /// Scaled forward weights, the empty word's states added; and before the first partner.
    sum: Vec<f32>,
    sum_start: Vec<f32>,
    scale: Vec<f32>,
    /// One over the summed weight of all jumps from a state; and from the start.
    inverse: Vec<f32>,
    inverse_start: f32,
    predicted: Vec<f32>,
    beta: Vec<f32>,
    next: Vec<f32>,
    rest: Vec<f32>,
    /// What follows each state; only with classes.
    future: Vec<f32>,
    live: Vec<u16>,
    before: Vec<u16>,
}

/// Where `test` holds. Written without a branch: which items pass is hard to foresee, and a wrong guess of the
/// processor costs more than the test.
pub fn select<T>(places: &mut Vec<u16>, items: &[T], test: impl Fn(&T) -> bool) {
    places.resize(items.len(), 0);
    let mut n = 0;
    for (k, item) in items.iter().enumerate() {
        places[n] = k as u16;
        n += usize::from(test(item));
    }
    places.truncate(n);
}

fn add_scaled(out: &mut [f32], a: f32, x: &[f32]) {
    for (out, x) in out.chunks_exact_mut(LANES).zip(x.chunks_exact(LANES)) {
        for lane in 0..LANES {
            out[lane] += a * x[lane];
        }
    }
}

/// A sum in a fixed order that the compiler can keep in vector registers.
fn total(lanes: [f32; LANES]) -> f32 {
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut sum = [0.0; LANES];
    for (x, y) in x.chunks_exact(LANES).zip(y.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sum[lane] += x[lane] * y[lane];
        }
    }
    total(sum)
}

/// `out[i] = x[i] * y[i]`; returns the sum.
fn multiply(out: &mut [f32], x: &[f32], y: &[f32]) -> f32 {
    let mut sum = [0.0; LANES];
    for ((out, x), y) in out.chunks_exact_mut(LANES).zip(x.chunks_exact(LANES)).zip(y.chunks_exact(LANES)) {
        for lane in 0..LANES {
            out[lane] = x[lane] * y[lane];
            sum[lane] += out[lane];
        }
    }
    total(sum)
}

impl Chain {
    /// Makes room for `n` observations and `m` states.
    pub fn reset(&mut self, n: usize, m: usize) {
        let w = stride(m);
        self.states = m;
        self.emission.clear();
        self.emission.resize(n * w, 0.0);
        self.null_emission.clear();
        self.null_emission.resize(n, 0.0);
        for buffer in [&mut self.posterior, &mut self.sum, &mut self.rest] {
            buffer.resize(n * w, 0.0);
        }
        for buffer in [&mut self.null, &mut self.sum_start, &mut self.scale] {
            buffer.resize(n, 0.0);
        }
        for buffer in [&mut self.predicted, &mut self.beta, &mut self.next, &mut self.future] {
            buffer.resize(w, 0.0);
        }
    }

    /// Posteriors without regard to neighbours, as in model 1.
    pub fn run_independent(&mut self, null_weight: f32) {
        let w = stride(self.states);
        for (j, row) in self.emission.chunks_exact(w).enumerate() {
            let null = null_weight * self.null_emission[j];
            let scale = 1.0 / (null + row.iter().sum::<f32>());
            self.null[j] = null * scale;
            self.posterior[j * w..][..w].iter_mut().zip(row).for_each(|(p, e)| *p = e * scale);
        }
    }

    /// Posteriors of the chain; adds the expected jumps to `counts` if there is room.
    pub fn run(&mut self, jumps: Tables<'_>, p_null: f32, counts: &mut [f64]) {
        self.inverse.resize(stride(self.states), 0.0);
        for k in 0..self.states {
            self.inverse[k] = (1.0 - p_null) / jumps.of(k).mass(REACH - k, self.states + 1);
        }
        self.inverse_start = (1.0 - p_null) / jumps.pooled.mass(REACH + 1, self.states + 1);
        self.forward(jumps, p_null);
        self.backward(jumps, p_null, counts);
    }

    /// `sum[j]` becomes the forward weights of observation `j`, `rest[j]` the share of it that is the empty word's: the
    /// recurrence at the head of this file, row by row.
    fn forward(&mut self, jumps: Tables<'_>, p_null: f32) {
        let w = stride(self.states);
        let mut start = 1.0;
        for j in 0..self.null_emission.len() {
            self.predicted.fill(0.0);
            let (past, now) = self.sum.split_at_mut(j * w);
            let previous = if j == 0 { &[][..] } else { &past[(j - 1) * w..] };
            select(&mut self.live, previous, |&s| s > NEGLIGIBLE);
            for &k in &self.live {
                let k = k as usize;
                add_scaled(
                    &mut self.predicted,
                    previous[k] * self.inverse[k],
                    &jumps.of(k).from(REACH - k)[..w],
                );
            }
            if start > NEGLIGIBLE {
                add_scaled(
                    &mut self.predicted,
                    start * self.inverse_start,
                    &jumps.pooled.from(REACH + 1)[..w],
                );
            }
            let now = &mut now[..w];
            let real = multiply(now, &self.predicted, &self.emission[j * w..(j + 1) * w]);
            let null = p_null * self.null_emission[j];
            // The row before sums to one, so the empty word's share of this one sums to `null`: no need to add it up.
            let scale = 1.0 / (real + null);
            self.scale[j] = scale;
            start *= null * scale;
            self.sum_start[j] = start;
            let rest = &mut self.rest[j * w..(j + 1) * w];
            if j == 0 {
                rest.fill(0.0);
                now.iter_mut().for_each(|s| *s *= scale);
                continue;
            }
            for ((now, rest), previous) in now
                .chunks_exact_mut(LANES)
                .zip(rest.chunks_exact_mut(LANES))
                .zip(previous.chunks_exact(LANES))
            {
                for lane in 0..LANES {
                    rest[lane] = null * scale * previous[lane];
                    now[lane] = now[lane] * scale + rest[lane];
                }
            }
        }
    }

    /// `beta` after the last observation: the jump to the end of the sentence, one behind the last position. It is scaled by
    /// the likelihood of what the forward weights have left over, so that `sum * beta` sums to one. Returns that of the state
    /// before the first partner.
    fn begin_backward(&mut self, jumps: Tables<'_>) -> f32 {
        let (m, n) = (self.states, self.null_emission.len());
        let w = stride(m);
        self.beta.fill(0.0);
        self.future.fill(0.0);
        for k in 0..m {
            self.beta[k] = jumps.of(k).weight(REACH + m - k) * self.inverse[k];
        }
        let beta_start = jumps.pooled.weight(REACH + 1 + m) * self.inverse_start;
        let likelihood = dot(&self.sum[(n - 1) * w..], &self.beta) + self.sum_start[n - 1] * beta_start;
        let scale = 1.0 / likelihood;
        self.beta.iter_mut().for_each(|b| *b *= scale);
        beta_start * scale
    }

    /// Goes from the last observation to the first. At `j`, `beta` holds the weights of all that follows `j`; the loop reads
    /// the posteriors of `j` off, counts the jumps onto `j`, and replaces `beta` by the weights of what follows `j - 1`:
    ///
    /// ```text
    /// beta(j-1, k) = SUM over i of a(k, i) e(j, i) beta(j, i)    word j has a partner: a jump from k to i
    ///              + n(j) beta(j, k)                             it has none: still k
    /// ```
    ///
    /// Forward, the sum over `k` was a few rows of the jump table added up, one for each live state. Backward the sum goes
    /// over `i`, and a column of the table is wanted; but a jump depends on its width `i - k` alone, so that the column of `i`
    /// is a row of the mirrored table, and the same vector loop serves. With classes the tables of the `k` differ and nothing
    /// can be shared: [`Chain::follow`] takes a product for each live `k`.
    fn backward(&mut self, jumps: Tables<'_>, p_null: f32, counts: &mut [f64]) {
        let w = stride(self.states);
        let mut beta_start = self.begin_backward(jumps);
        for j in (0..self.null_emission.len()).rev() {
            let row = j * w..(j + 1) * w;
            let all = multiply(&mut self.posterior[row.clone()], &self.sum[row.clone()], &self.beta);
            let posterior = &mut self.posterior[row.clone()];
            let null = multiply(&mut self.next, &self.rest[row.clone()], &self.beta);
            let start = self.sum_start[j] * beta_start;
            // `all + start` is one, but for the states that were not followed; setting it right here keeps errors from adding
            // up over a long sentence.
            let inverse = 1.0 / (all + start);
            posterior.iter_mut().zip(&self.next).for_each(|(p, r)| *p = (*p - r) * inverse);
            self.null[j] = (null + start) * inverse;
            let scale = self.scale[j] * inverse;
            // From here on `next` gathers the first line of the recurrence, without the factor of each `k`. States that
            // hardly any path goes through are left out: of thirty, three or four are live.
            let mut next_start = 0.0;
            self.next.fill(0.0);
            select(&mut self.live, &self.posterior[row.clone()], |&p| p > NEGLIGIBLE);
            if j > 0 && !counts.is_empty() {
                select(&mut self.before, &self.sum[(j - 1) * w..j * w], |&s| s > COUNTED);
            }
            for &i in &self.live {
                let i = i as usize;
                let weight = self.emission[j * w + i] * self.beta[i] * scale;
                if jumps.conditioned() {
                    self.future[i] = weight;
                } else {
                    add_scaled(&mut self.next, weight, &jumps.pooled.mirrored(REACH - i)[..w]);
                }
                next_start += weight * jumps.pooled.weight(REACH + 1 + i);
                if self.posterior[j * w + i] > COUNTED && !counts.is_empty() {
                    self.count_jumps(jumps, i, j, weight, counts);
                }
            }
            self.follow(jumps, j);
            let null = p_null * self.null_emission[j] * scale;
            for ((beta, next), inverse) in self
                .beta
                .chunks_exact_mut(LANES)
                .zip(self.next.chunks_exact(LANES))
                .zip(self.inverse.chunks_exact(LANES))
            {
                for lane in 0..LANES {
                    beta[lane] = beta[lane] * null + next[lane] * inverse[lane];
                }
            }
            beta_start = beta_start * null + next_start * self.inverse_start;
        }
    }

    /// With classes, sums for each state before observation `j` what follows a jump by the table of its class.
    fn follow(&mut self, jumps: Tables<'_>, j: usize) {
        if !jumps.conditioned() || j == 0 {
            return;
        }
        let w = stride(self.states);
        let before = &self.sum[(j - 1) * w..][..self.states];
        for (k, _) in before.iter().enumerate().filter(|&(_, &s)| s > NEGLIGIBLE) {
            self.next[k] = dot(&self.future[..w], &jumps.of(k).from(REACH - k)[..w]);
        }
        self.future.fill(0.0);
    }

    /// Counts the jumps onto state `i` at observation `j`, where `weight` is all that follows: `sum(j-1, k) a(k, i) weight` is
    /// the posterior of the jump from `k`, since both sides are scaled.
    fn count_jumps(&self, jumps: Tables<'_>, i: usize, j: usize, weight: f32, counts: &mut [f64]) {
        let w = stride(self.states);
        let start = if j == 0 { 1.0 } else { self.sum_start[j - 1] };
        if start > COUNTED {
            let d = REACH + 1 + i;
            counts[d] += f64::from(start * self.inverse_start * jumps.pooled.weight(d) * weight);
        }
        if j == 0 {
            return;
        }
        for &k in &self.before {
            let (k, d) = (k as usize, REACH + i - k as usize);
            let times = self.sum[(j - 1) * w + k] * self.inverse[k] * jumps.of(k).weight(d) * weight;
            jumps.count(counts, k, d, f64::from(times));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jumps::Jumps;
    use proptest::prelude::*;

    const P_NULL: f32 = 0.2;

    /// Posteriors and jump counts by listing all ways to choose a state, or none, for each observation.
    fn by_enumeration(
        jumps: Tables<'_>,
        m: usize,
        emission: &[Vec<f32>],
        null: &[f32],
    ) -> (Vec<Vec<f64>>, Vec<f64>) {
        let n = null.len();
        let (mut posterior, mut counts) =
            (vec![vec![0.0; m]; n], vec![0.0; (1 + jumps.by_class.len()) * Jumps::WIDTHS]);
        let mut total = 0.0;
        for code in 0..(m + 1).pow(n as u32) {
            let choice = |j: usize| code / (m + 1).pow(j as u32) % (m + 1);
            let mut weight = 1.0;
            let mut places = Vec::new();
            let mut last = -1i64;
            let jump = |from: i64, to: i64| {
                let place = (REACH as i64 + to - from) as usize;
                let table = usize::try_from(from).map_or(jumps.pooled, |from| jumps.of(from));
                let reach = table.mass((REACH as i64 - from) as usize, m + 1);
                (place, f64::from((1.0 - P_NULL) * table.weight(place) / reach))
            };
            for j in 0..n {
                if choice(j) == m {
                    weight *= f64::from(P_NULL * null[j]);
                    continue;
                }
                let (place, p) = jump(last, choice(j) as i64);
                weight *= p * f64::from(emission[j][choice(j)]);
                places.push(place);
                if let Some(&class) = usize::try_from(last).ok().and_then(|last| jumps.classes.get(last)) {
                    places.push((1 + class as usize) * Jumps::WIDTHS + place);
                }
                last = choice(j) as i64;
            }
            weight *= jump(last, m as i64).1;
            total += weight;
            (0..n).filter(|&j| choice(j) < m).for_each(|j| posterior[j][choice(j)] += weight);
            places.iter().for_each(|&place| counts[place] += weight);
        }
        posterior.iter_mut().flatten().chain(&mut counts).for_each(|p| *p /= total);
        (posterior, counts)
    }

    fn matrix() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f32>)> {
        (1usize..5, 1usize..5).prop_flat_map(|(n, m)| {
            let row = prop::collection::vec(0.05f32..1.0, m);
            (prop::collection::vec(row, n), prop::collection::vec(0.05f32..1.0, n))
        })
    }

    fn run(jumps: Tables<'_>, emission: &[Vec<f32>], null: &[f32]) -> (Chain, Vec<f64>) {
        let (n, m) = (null.len(), emission[0].len());
        let mut chain = Chain::default();
        chain.reset(n, m);
        for (j, row) in emission.iter().enumerate() {
            chain.emission[j * stride(m)..][..m].copy_from_slice(row);
        }
        chain.null_emission.copy_from_slice(null);
        let mut counts = vec![0.0; (1 + jumps.by_class.len()) * Jumps::WIDTHS];
        chain.run(jumps, P_NULL, &mut counts);
        counts.fill(0.0);
        chain.run(jumps, P_NULL, &mut counts);
        (chain, counts)
    }

    fn check(jumps: Tables<'_>, emission: &[Vec<f32>], null: &[f32]) -> Result<(), TestCaseError> {
        let m = emission[0].len();
        let (chain, counts) = run(jumps, emission, null);
        let (posterior, expected) = by_enumeration(jumps, m, emission, null);
        for (j, row) in posterior.iter().enumerate() {
            for (i, expected) in row.iter().enumerate() {
                let p = f64::from(chain.posterior[j * stride(m) + i]);
                prop_assert!((p - expected).abs() < 0.01, "{j} {i}: {p} {expected}");
            }
            let none = 1.0 - row.iter().sum::<f64>();
            prop_assert!((f64::from(chain.null[j]) - none).abs() < 0.01);
        }
        for (c, e) in counts.iter().zip(&expected) {
            prop_assert!((c - e).abs() < 0.1, "{c} {e}");
        }
        Ok(())
    }

    /// Tables that differ: towards the left, towards the right, staying.
    fn by_class() -> Vec<Jumps> {
        let leaning = |width: i64| {
            let mut counts = vec![0.0; Jumps::WIDTHS];
            counts[(REACH as i64 + width) as usize] = 9.0;
            Jumps::from_counts(counts)
        };
        vec![leaning(-1), leaning(2), leaning(0)]
    }

    proptest! {
        #[test]
        fn posteriors_and_jumps_are_those_of_all_paths((emission, null) in matrix()) {
            let pooled = Jumps::initial();
            check(Tables { pooled: &pooled, by_class: &[], classes: &[] }, &emission, &null)?;
        }

        #[test]
        fn so_they_are_with_a_table_for_each_class(
            (emission, null) in matrix(),
            classes in prop::collection::vec(0u16..3, 5),
        ) {
            let (pooled, by_class) = (Jumps::initial(), by_class());
            let classes = &classes[..emission[0].len()];
            check(Tables { pooled: &pooled, by_class: &by_class, classes }, &emission, &null)?;
        }

        #[test]
        fn equal_tables_for_all_classes_change_nothing((emission, null) in matrix()) {
            let pooled = Jumps::initial();
            let by_class = vec![pooled.clone(); 2];
            let classes: Vec<u16> = (0..emission[0].len() as u16).map(|k| k % 2).collect();
            let none = run(Tables { pooled: &pooled, by_class: &[], classes: &[] }, &emission, &null);
            let some = run(Tables { pooled: &pooled, by_class: &by_class, classes: &classes }, &emission, &null);
            for (a, b) in none.0.posterior.iter().zip(&some.0.posterior) {
                prop_assert!((a - b).abs() < 0.01, "{a} {b}");
            }
        }
    }
}
